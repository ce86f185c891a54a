// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/dispatch_cost.h"
#include "lib/jsonscan.h"
#include "lib/names.h"
#include "lib/preset.h"
#include "lib/record.h"
#include "lib/replay.h"
#include "lib/results.h"
#include "lib/tree.h"
#include "lib/words.h"
#include "bench/hist.h"

/*
 * Characters of all but the windows, and of one window. 512 CPUs with each
 * number at its longest are 170 kB of window, and a few MB of results.
 */
#define HEAD_TEXT_MAX (32 << 20)
#define WINDOW_TEXT_MAX (1 << 20)
/* Results of a CPU that all variants of all sets can have. */
#define CPU_RESULTS_MAX (1 << 20)

#define KNOWN_FLAGS (SPINDELAY_HELD | SPINDELAY_BURST | SPINDELAY_BURST_DOUBLE)

/**
 * struct reader - a file that is being read
 * @name: what it is called
 * @window: which one, from 1; 0: none
 * @left: characters that what is not a window may still have
 * @bytes: memory that the windows so far take
 * @fault: what is wrong with it
 */
struct reader {
	const char *name;
	size_t window;
	size_t left;
	u64 bytes;
	struct fault *fault;
};

static int bad(const struct reader *reader, const char *what)
{
	char where[48] = "";

	if (reader->window)
		snprintf(where, sizeof(where), "window %zu: ", reader->window);
	return fault_set(reader->fault, STATUS_ERROR,
			 "%.200s: not a whole %s document: %s%.250s",
			 reader->name, DOCUMENT_SCHEMA, where, what);
}

static int bad_key(const struct reader *reader, const char *key)
{
	char what[96];

	snprintf(what, sizeof(what), "'%.40s' is missing or makes no sense",
		 key);
	return bad(reader, what);
}

static int to_integer(const json_t *value, u64 max, u64 *out)
{
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < 0 || (u64)number > max)
		return -1;
	*out = number;
	return 0;
}

static int get_u64(const struct reader *reader, const json_t *object,
		   const char *key, u64 max, u64 *out)
{
	if (to_integer(json_object_get(object, key), max, out))
		return bad_key(reader, key);
	return 0;
}

static int get_u32(const struct reader *reader, const json_t *object,
		   const char *key, u32 max, u32 *out)
{
	u64 value;

	if (get_u64(reader, object, key, max, &value))
		return -1;
	*out = value;
	return 0;
}

/* The same for what may be left out. */
static int get_optional(const struct reader *reader, const json_t *object,
			const char *key, u32 max, u32 *out)
{
	*out = 0;
	if (!json_object_get(object, key))
		return 0;
	return get_u32(reader, object, key, max, out);
}

/* What is printed must not steer a terminal; the writer has nothing like it. */
static bool is_text(const char *value, size_t size)
{
	if (!value || strlen(value) >= size)
		return false;
	for (; *value; value++)
		if (*value != '\t' && (*value < ' ' || *value > '~'))
			return false;
	return true;
}

static int get_text(const struct reader *reader, const json_t *object,
		    const char *key, char *text, size_t size)
{
	const char *value = json_string_value(json_object_get(object, key));

	if (!is_text(value, size))
		return bad_key(reader, key);
	memcpy(text, value, strlen(value) + 1);
	return 0;
}

static int get_bool(const struct reader *reader, const json_t *object,
		    const char *key, bool *out)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_boolean(value))
		return bad_key(reader, key);
	*out = json_is_true(value);
	return 0;
}

static int get_array(const struct reader *reader, const json_t *object,
		     const char *key, size_t max, json_t **out)
{
	*out = json_object_get(object, key);
	if (!json_is_array(*out) || json_array_size(*out) > max)
		return bad_key(reader, key);
	return 0;
}

/* An array of exactly @n numbers, each at most @max. */
static int get_numbers(const struct reader *reader, const json_t *object,
		       const char *key, u32 max, u32 *values, size_t n)
{
	json_t *array;
	u64 value;

	if (get_array(reader, object, key, n, &array))
		return -1;
	if (json_array_size(array) != n)
		return bad_key(reader, key);
	for (size_t i = 0; i < n; i++) {
		if (to_integer(json_array_get(array, i), max, &value))
			return bad_key(reader, key);
		values[i] = value;
	}
	return 0;
}

/* ---- the machine ---- */

static int read_midr_and_online(const struct reader *reader,
				const json_t *object, struct machine *m)
{
	char midr[16], online[TREE_TEXT_MAX];
	unsigned long value;
	char *end;

	if (get_text(reader, object, "midr", midr, sizeof(midr)) ||
	    get_text(reader, object, "online", online, sizeof(online)))
		return -1;
	value = strtoul(midr, &end, 16);
	if (*end || end == midr || value > UINT32_MAX)
		return bad_key(reader, "midr");
	m->midr = value;
	if (cpulist_parse(online, &m->online, reader->fault))
		return bad_key(reader, "online");
	return 0;
}

static int read_capabilities(const struct reader *reader, const json_t *object,
			     struct machine *m)
{
	const json_t *have = json_object_get(object, "capabilities");

	return get_bool(reader, have, "sb", &m->has_sb) ||
			       get_bool(reader, have, "wfxt", &m->has_wfxt) ||
			       get_bool(reader, have, "lse", &m->has_lse) ?
		       -1 :
		       0;
}

static int read_warnings(const struct reader *reader, const json_t *object,
			 struct machine *m)
{
	json_t *array;
	const char *text;

	if (get_array(reader, object, "warnings", MACHINE_WARNINGS_MAX, &array))
		return -1;
	for (size_t i = 0; i < json_array_size(array); i++) {
		text = json_string_value(json_array_get(array, i));
		if (!is_text(text, MACHINE_WARNING_TEXT_MAX))
			return bad_key(reader, "warnings");
		snprintf(m->warnings[m->nr_warnings++],
			 MACHINE_WARNING_TEXT_MAX, "%s", text);
	}
	return 0;
}

static int read_machine_texts(const struct reader *reader, const json_t *object,
			      struct machine *m)
{
	const struct {
		const char *key;
		char *text;
		size_t size;
	} texts[] = {
		{ "cpu", m->cpu, sizeof(m->cpu) },
		{ "kernel", m->kernel, sizeof(m->kernel) },
		{ "hypervisor", m->hypervisor.name,
		  sizeof(m->hypervisor.name) },
		{ "hypervisor_source", m->hypervisor.source,
		  sizeof(m->hypervisor.source) },
		{ "governor", m->governor, sizeof(m->governor) },
		{ "taint", m->taint, sizeof(m->taint) },
		{ "isolated", m->isolated, sizeof(m->isolated) },
		{ "nohz_full", m->nohz_full, sizeof(m->nohz_full) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (get_text(reader, object, texts[i].key, texts[i].text,
			     texts[i].size))
			return -1;
	return 0;
}

static int read_machine(const struct reader *reader, const json_t *root,
			struct machine *m)
{
	const json_t *object = json_object_get(root, "machine");

	if (read_machine_texts(reader, object, m) ||
	    read_midr_and_online(reader, object, m) ||
	    get_u32(reader, object, "page_size", INT32_MAX, &m->page_size) ||
	    get_u32(reader, object, "counter_hz", UINT32_MAX, &m->counter_hz) ||
	    get_u32(reader, object, "nodes", MACHINE_NODES_MAX, &m->nr_nodes) ||
	    get_bool(reader, object, "emulated", &m->hypervisor.emulated) ||
	    read_capabilities(reader, object, m) ||
	    read_warnings(reader, object, m))
		return -1;
	return 0;
}

/* ---- the sets ---- */

/* What files of earlier versions have not is false. */
static int get_late_bool(const struct reader *reader, const json_t *object,
			 const char *key, bool *value)
{
	*value = false;
	return json_object_get(object, key) ?
		       get_bool(reader, object, key, value) :
		       0;
}

static int read_twin(const struct reader *reader, const json_t *object,
		     struct spindelay_variant *v)
{
	bool twin;

	if (get_late_bool(reader, object, "twin", &twin))
		return -1;
	if (twin)
		v->flags |= SPINDELAY_TWIN;
	return 0;
}

static int read_innodb(const struct reader *reader, const json_t *object,
		       struct spindelay_variant *v)
{
	return get_optional(reader, object, "spin_wait_delay",
			    SPINDELAY_SPIN_WAIT_DELAY_MAX,
			    &v->spin_wait_delay) ||
			       get_optional(reader, object, "pause_multiplier",
					    SPINDELAY_PAUSE_MULTIPLIER_MAX,
					    &v->pause_multiplier) ||
			       get_optional(reader, object, "sync_spin_loops",
					    UINT32_MAX, &v->sync_spin_loops) ||
			       get_optional(reader, object, "read_share",
					    SPINDELAY_READ_SHARE_MAX,
					    &v->read_share) ?
		       -1 :
		       0;
}

static int read_backoff(const struct reader *reader, const json_t *object,
			struct spindelay_variant *v)
{
	const json_t *numbers = json_object_get(object, "backoff");
	const struct preset_field *fields;
	size_t nr;

	if (!numbers)
		return 0;
	fields = preset_fields(&nr);
	for (size_t i = 0; i < nr; i++)
		if (get_u32(reader, numbers, fields[i].key, fields[i].max,
			    preset_number(&v->backoff, &fields[i])))
			return -1;
	return 0;
}

static int read_extras(const struct reader *reader, const json_t *object,
		       struct spindelay_variant *v)
{
	return get_optional(reader, object, "jitter", SPINDELAY_JITTER_MAX,
			    &v->jitter) ||
			       get_optional(reader, object, "lines",
					    SPINDELAY_LINES_MAX, &v->lines) ||
			       get_optional(reader, object, "backoff_min",
					    SPINDELAY_BACKOFF_MAX,
					    &v->backoff_min) ||
			       get_optional(reader, object, "backoff_max",
					    SPINDELAY_BACKOFF_MAX,
					    &v->backoff_max) ||
			       get_optional(reader, object, "wfet_ns",
					    SPINDELAY_WFET_NS_MAX,
					    &v->wfet_ns) ||
			       read_innodb(reader, object, v) ||
			       read_backoff(reader, object, v) ?
		       -1 :
		       0;
}

static int read_variant(const struct reader *reader, const json_t *object,
			struct spindelay_variant *v)
{
	const struct delay_name *delay;
	const struct lock_name *lock;
	char name[32];

	if (get_text(reader, object, "lock", name, sizeof(name)))
		return -1;
	lock = lock_by_name(name, strlen(name));
	if (!lock)
		return bad_key(reader, "lock");
	if (get_text(reader, object, "delay", name, sizeof(name)))
		return -1;
	delay = delay_by_name(name, strlen(name));
	if (!delay)
		return bad_key(reader, "delay");
	v->lock = lock->id;
	v->delay = delay->id;
	if (get_u32(reader, object, "count", SPINDELAY_COUNT_MAX, &v->count) ||
	    get_u32(reader, object, "pad", SPINDELAY_PAD_MAX, &v->pad) ||
	    get_u32(reader, object, "hold_ns", INT32_MAX, &v->hold_ns) ||
	    get_u32(reader, object, "think_ns", INT32_MAX, &v->think_ns) ||
	    get_optional(reader, object, "flags", KNOWN_FLAGS, &v->flags) ||
	    get_optional(reader, object, "burst", SPINDELAY_BURST_MAX,
			 &v->burst) ||
	    read_twin(reader, object, v))
		return -1;
	if (!v->count)
		return bad_key(reader, "count");
	return read_extras(reader, object, v);
}

/* Is every CPU of @cpus named once? Which they are is left in @seen. */
static bool are_distinct(const u32 *cpus, unsigned int nr,
			 u64 seen[CPULIST_MAX / 64])
{
	memset(seen, 0, CPULIST_MAX / 8);
	for (unsigned int i = 0; i < nr; i++) {
		u64 bit = 1ULL << cpus[i] % 64;

		if (seen[cpus[i] / 64] & bit)
			return false;
		seen[cpus[i] / 64] |= bit;
	}
	return true;
}

/* A placement has the set's CPUs, in an order of its own. */
static bool same_cpus(const struct set *set, const struct placement *place)
{
	u64 ours[CPULIST_MAX / 64], theirs[CPULIST_MAX / 64];

	return are_distinct(set->cpus, set->nr_cpus, ours) &&
	       are_distinct(place->cpus, set->nr_cpus, theirs) &&
	       !memcmp(ours, theirs, sizeof(ours));
}

static int read_placement(const struct reader *reader, const json_t *object,
			  struct set *set)
{
	struct placement *place = set_add_placement(set);
	const json_t *node = json_object_get(object, "node");

	if (!place)
		return bad(reader, "out of memory");
	if (!json_is_integer(node) || json_integer_value(node) < -1 ||
	    json_integer_value(node) > INT32_MAX)
		return bad_key(reader, "node");
	place->node = json_integer_value(node);
	return get_late_bool(reader, object, "swapped", &place->swapped) ||
			       get_u32(reader, object, "page",
				       SPINDELAY_LOCK_PAGES - 1,
				       &place->page) ||
			       get_u32(reader, object, "slot",
				       SPINDELAY_LOCK_SLOTS - 1,
				       &place->slot) ||
			       get_numbers(reader, object, "cpus",
					   CPULIST_MAX - 1, place->cpus,
					   set->nr_cpus) ||
			       (!same_cpus(set, place) &&
				bad_key(reader, "cpus")) ?
		       -1 :
		       0;
}

static int read_placements(const struct reader *reader, const json_t *object,
			   struct set *set)
{
	json_t *array;

	if (get_array(reader, object, "placements", PLAN_PLACEMENTS_MAX,
		      &array))
		return -1;
	for (size_t i = 0; i < json_array_size(array); i++)
		if (read_placement(reader, json_array_get(array, i), set))
			return -1;
	return 0;
}

static int read_role(const struct reader *reader, const json_t *object,
		     struct set *set)
{
	char word[16];

	if (get_text(reader, object, "role", word, sizeof(word)))
		return -1;
	set->role = role_by_word(word);
	return set->role == SET_ROLES ? bad_key(reader, "role") : 0;
}

/* The variants at the end are padded ones, as many as there are paddings. */
static int read_paddings(const struct reader *reader, const json_t *object,
			 struct set *set)
{
	const unsigned int nr_variants = set->nr_variants;
	struct padding padding;
	json_t *array, *entry;

	if (get_array(reader, object, "paddings", nr_variants - 1, &array))
		return -1;
	set->nr_asked = nr_variants - json_array_size(array);
	set->nr_variants = set->nr_asked;
	while (set->nr_variants < nr_variants) {
		const struct spindelay_variant v =
			set->variants[set->nr_variants];

		entry = json_array_get(array, set->nr_variants - set->nr_asked);
		if (get_u32(reader, entry, "against", set_baseline(set),
			    &padding.against) ||
		    get_u32(reader, entry, "of", set_baseline(set),
			    &padding.of))
			return -1;
		if (set_add_padding(set, &v, padding))
			return bad(reader, "out of memory");
	}
	return 0;
}

static int read_share(const struct reader *reader, const json_t *object,
		      struct set *set)
{
	const json_t *share = json_object_get(object, "share");
	const json_t *asked = json_object_get(share, "asked");

	if (!share)
		return 0;
	set->share = json_number_value(asked);
	if (!json_is_number(asked) || !(set->share > 0 && set->share < 1))
		return bad_key(reader, "asked");
	return get_u32(reader, share, "variant", set->nr_variants - 1,
		       &set->share_variant);
}

static int read_set(const struct reader *reader, const json_t *object,
		    struct document *doc)
{
	struct spindelay_variant variants[SPINDELAY_VARIANTS_MAX] = { 0 };
	u32 cpus[SPINDELAY_CPUS_MAX];
	size_t nr_variants, nr_cpus;
	json_t *array;
	struct set *set;

	if (get_array(reader, object, "variants", SPINDELAY_VARIANTS_MAX,
		      &array))
		return -1;
	nr_variants = json_array_size(array);
	nr_cpus = json_array_size(json_object_get(object, "cpus"));
	if (!nr_variants || !nr_cpus || nr_cpus > SPINDELAY_CPUS_MAX)
		return bad_key(reader, "sets");
	for (size_t i = 0; i < nr_variants; i++)
		if (read_variant(reader, json_array_get(array, i),
				 &variants[i]))
			return -1;
	if (get_numbers(reader, object, "cpus", CPULIST_MAX - 1, cpus, nr_cpus))
		return -1;
	set = document_add_set(doc, variants, nr_variants, cpus, nr_cpus);
	if (!set)
		return bad(reader, "out of memory");
	return read_role(reader, object, set) ||
			       read_paddings(reader, object, set) ||
			       read_share(reader, object, set) ||
			       read_placements(reader, object, set) ?
		       -1 :
		       0;
}

static int read_sets(const struct reader *reader, const json_t *root,
		     struct document *doc)
{
	u64 results = 0;
	json_t *array;

	if (get_array(reader, root, "sets", 4096, &array))
		return -1;
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (read_set(reader, json_array_get(array, i), doc))
			return -1;
		results += doc->sets[i].nr_variants * (u64)doc->sets[i].nr_cpus;
		if (results > CPU_RESULTS_MAX)
			return bad(reader, "more sets than can be measured");
	}
	/* What ticks are counted in. */
	if (doc->nr_sets && !doc->machine.counter_hz)
		return bad_key(reader, "counter_hz");
	return 0;
}

/* ---- the windows ---- */

static int check_columns(const struct reader *reader, const json_t *root)
{
	const char *name;
	json_t *array;

	if (get_array(reader, root, "record_columns", RECORD_COLUMNS, &array))
		return -1;
	if (json_array_size(array) < RECORD_COLUMNS_FIRST)
		return bad_key(reader, "record_columns");
	for (unsigned int i = 0; i < json_array_size(array); i++) {
		name = json_string_value(json_array_get(array, i));
		if (!name || strcmp(name, record_column(i)))
			return bad_key(reader, "record_columns");
	}
	return 0;
}

static int read_record(const struct reader *reader, const json_t *array,
		       struct spindelay_record *record)
{
	u64 value;

	if (!json_is_array(array) || json_array_size(array) > RECORD_COLUMNS)
		return bad_key(reader, "cpus");
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (to_integer(json_array_get(array, i), INT64_MAX, &value))
			return bad_key(reader, "cpus");
		record_set(record, i, value);
	}
	return 0;
}

static int read_records(const struct reader *reader, const json_t *object,
			const struct set *set, struct window *window)
{
	json_t *array;

	if (get_array(reader, object, "cpus", set->nr_cpus, &array))
		return -1;
	if (json_array_size(array) != set->nr_cpus)
		return bad_key(reader, "cpus");
	for (unsigned int i = 0; i < set->nr_cpus; i++)
		if (read_record(reader, json_array_get(array, i),
				&window->records[i]))
			return -1;
	return 0;
}

static int read_waits(const struct reader *reader, const json_t *object,
		      struct window *window)
{
	u64 bucket, hits, least = 0;
	json_t *array;

	if (get_array(reader, object, "waits", SPINDELAY_HIST_BUCKETS, &array))
		return -1;
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *pair = json_array_get(array, i);

		if (json_array_size(pair) != 2 ||
		    to_integer(json_array_get(pair, 0),
			       SPINDELAY_HIST_BUCKETS - 1, &bucket) ||
		    to_integer(json_array_get(pair, 1), UINT32_MAX, &hits) ||
		    bucket < least)
			return bad_key(reader, "waits");
		least = bucket + 1;
		window->hist[bucket] = hits;
	}
	return 0;
}

static int read_window(const struct reader *reader, const json_t *object,
		       struct document *doc)
{
	struct window *window;
	struct set *set;
	u32 index;

	if (!doc->nr_sets ||
	    get_u32(reader, object, "set", doc->nr_sets - 1, &index))
		return bad_key(reader, "set");
	set = &doc->sets[index];
	window = set_add_window(set);
	if (!window)
		return bad(reader, "out of memory");
	return get_u32(reader, object, "placement", PLAN_PLACEMENTS_MAX - 1,
		       &window->placement) ||
			       get_u32(reader, object, "round",
				       PLAN_ROUNDS_MAX - 1, &window->round) ||
			       get_u32(reader, object, "variant",
				       set->nr_variants - 1,
				       &window->abi.variant) ||
			       get_u32(reader, object, "invalid", INT32_MAX,
				       &window->abi.invalid) ||
			       get_u64(reader, object, "start", INT64_MAX,
				       (u64 *)&window->abi.start) ||
			       get_u64(reader, object, "ticks", INT64_MAX,
				       (u64 *)&window->abi.ticks) ||
			       get_u64(reader, object, "acquisitions",
				       INT64_MAX,
				       (u64 *)&window->abi.acquisitions) ||
			       get_u64(reader, object, "counted", INT64_MAX,
				       (u64 *)&window->abi.counted) ||
			       get_optional(reader, object, "summed",
					    UINT32_MAX, &window->summed) ||
			       get_optional(reader, object, "left_out",
					    UINT32_MAX, &window->left_out) ||
			       read_records(reader, object, set, window) ||
			       read_waits(reader, object, window) ?
		       -1 :
		       0;
}

/*
 * Rounds must be whole: that is what comparisons are made of. Each window
 * belongs to the round before it, as a variant that had none yet, or begins
 * one that comes later.
 */
static bool window_follows(const struct set *set)
{
	size_t last = set->nr_windows - 1;
	size_t first = last - last % set->nr_variants;
	const struct window *w = &set->windows[last], *other;

	if (w->placement >= set->nr_placements)
		return false;
	if (first == last) {
		other = last ? w - 1 : NULL;
		return !other || w->placement > other->placement ||
		       (w->placement == other->placement &&
			w->round > other->round);
	}
	for (other = &set->windows[first]; other < w; other++)
		if (other->placement != w->placement ||
		    other->round != w->round ||
		    other->abi.variant == w->abi.variant)
			return false;
	return true;
}

static int add_window(struct reader *reader, const json_t *object,
		      struct document *doc)
{
	const json_t *index = json_object_get(object, "set");
	const struct set *set;

	if (read_window(reader, object, doc))
		return -1;
	set = &doc->sets[json_integer_value(index)];
	if (!window_follows(set))
		return bad(reader, "it does not follow what is before it");
	reader->bytes += plan_result_bytes(1, set->nr_cpus);
	if (reader->bytes > PLAN_BYTES_MAX)
		return bad(reader, "more windows than are ever kept");
	return 0;
}

/* One at a time: all of them together may take many times their memory. */
static int read_windows(struct reader *reader, struct jsonscan *scan,
			struct document *doc)
{
	json_t *object;
	int more, err;

	if (jsonscan_enter(scan))
		return bad(reader, scan->why);
	while ((more = jsonscan_element(scan, !reader->window)) > 0) {
		reader->window++;
		object = jsonscan_value(scan, WINDOW_TEXT_MAX);
		if (!object)
			return bad(reader, scan->why);
		err = add_window(reader, object, doc);
		json_decref(object);
		if (err)
			return -1;
	}
	reader->window = 0;
	if (more)
		return bad(reader, scan->why);
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		if (doc->sets[s].nr_windows % doc->sets[s].nr_variants)
			return bad(reader, "a round is not whole");
	return 0;
}

static int read_order(const struct reader *reader, const json_t *root,
		      struct document *doc)
{
	char word[16];

	if (get_text(reader, root, "order", word, sizeof(word)))
		return -1;
	doc->order = order_by_word(word);
	return doc->order == ORDERS ? bad_key(reader, "order") : 0;
}

static int read_notes(const struct reader *reader, const json_t *root,
		      struct document *doc)
{
	json_t *array;
	const char *text;

	if (get_array(reader, root, "notes", DOCUMENT_NOTES_MAX, &array))
		return -1;
	for (size_t i = 0; i < json_array_size(array); i++) {
		text = json_string_value(json_array_get(array, i));
		if (!text)
			return bad_key(reader, "notes");
		document_note(doc, "%s", text);
	}
	return 0;
}

static int read_match(const struct reader *reader, const json_t *root,
		      struct document *doc)
{
	const json_t *precision = json_object_get(root, "precision");
	char word[16];

	if (get_text(reader, root, "match", word, sizeof(word)))
		return -1;
	doc->match = matches_by_word(word);
	if (!doc->match)
		return bad_key(reader, "match");
	doc->precision = json_number_value(precision);
	if (!json_is_number(precision) ||
	    !(doc->precision >= 0 && doc->precision <= 1))
		return bad_key(reader, "precision");
	return 0;
}

/* Of a selftest alone. */
static int read_clock(const struct reader *reader, const json_t *root,
		      struct document *doc)
{
	json_t *array;

	if (!json_object_get(root, "clock"))
		return 0;
	if (get_array(reader, root, "clock", 2, &array))
		return -1;
	for (size_t i = 0; i < 2; i++)
		if (get_u64(reader, json_array_get(array, i), "ticks",
			    INT64_MAX, &doc->clock[i].ticks) ||
		    get_u64(reader, json_array_get(array, i), "ns", INT64_MAX,
			    &doc->clock[i].ns))
			return -1;
	return 0;
}

/* Files from before there were two have none. */
static int read_backend(const struct reader *reader, const json_t *root,
			struct document *doc)
{
	const json_t *backend = json_object_get(root, "backend");
	const char *name = json_string_value(backend);

	if (!backend)
		return 0;
	if (!name || (strcmp(name, "user") && strcmp(name, "kernel")))
		return bad_key(reader, "backend");
	doc->user = !strcmp(name, "user");
	return 0;
}

/* Of a replay alone. */
static int read_replay(const struct reader *reader, const json_t *root,
		       struct document *doc)
{
	const json_t *object = json_object_get(root, "replay");
	const json_t *sleep = json_object_get(object, "sleep_s");
	struct replay *replay = &doc->replay;

	if (!object)
		return 0;
	replay->sleep = json_number_value(sleep);
	if (!json_is_number(sleep) ||
	    !(replay->sleep >= 0 && replay->sleep <= REPLAY_SLEEP_MAX))
		return bad_key(reader, "sleep_s");
	return get_u32(reader, object, "work", REPLAY_WORK_MAX,
		       &replay->work) ||
			       get_u32(reader, object, "unit", REPLAY_UNIT_MAX,
				       &replay->unit) ||
			       get_u32(reader, object, "warmup",
				       REPLAY_REPETITIONS_MAX,
				       &replay->warmup) ||
			       get_u32(reader, object, "repetitions",
				       REPLAY_REPETITIONS_MAX,
				       &replay->asked) ||
			       get_text(reader, object, "name", replay->name,
					sizeof(replay->name)) ?
		       -1 :
		       0;
}

static int read_dispatch_round(const struct reader *reader, const json_t *array,
			       struct dispatch_round *round)
{
	u64 *const values[] = { &round->ns[0], &round->ns[1],
				&round->instructions[0],
				&round->instructions[1] };

	if (json_array_size(array) != ARRAY_SIZE(values))
		return bad_key(reader, "rounds");
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (to_integer(json_array_get(array, i), INT64_MAX, values[i]))
			return bad_key(reader, "rounds");
	return 0;
}

/* The loops and ways are all there, in their order. */
static int read_dispatch_cost(const struct reader *reader, const json_t *object,
			      struct dispatch *d, enum dispatch_way way,
			      enum dispatch_loop loop)
{
	json_t *array;

	d->rounds[way][loop] = calloc(d->nr_rounds, sizeof(**d->rounds[0]));
	if (!d->rounds[way][loop])
		return bad(reader, "out of memory");
	if (get_array(reader, object, "rounds", d->nr_rounds, &array) ||
	    (json_array_size(array) != d->nr_rounds &&
	     bad_key(reader, "rounds")))
		return -1;
	for (u32 i = 0; i < d->nr_rounds; i++)
		if (read_dispatch_round(reader, json_array_get(array, i),
					&d->rounds[way][loop][i]))
			return -1;
	return 0;
}

/* Of `cost --dispatch` alone. */
static int read_dispatch(const struct reader *reader, const json_t *root,
			 struct document *doc)
{
	const json_t *object = json_object_get(root, "dispatch");
	struct dispatch *d = &doc->dispatch;
	json_t *costs;

	if (!object)
		return 0;
	if (get_text(reader, object, "delay", d->delay, sizeof(d->delay)) ||
	    get_u32(reader, object, "cpu", CPULIST_MAX - 1, &d->cpu) ||
	    get_u32(reader, object, "polls", INT32_MAX, &d->polls) ||
	    get_u32(reader, object, "rounds", DISPATCH_ROUNDS_MAX,
		    &d->nr_rounds) ||
	    get_array(reader, object, "costs", DISPATCH_WAYS * DISPATCH_LOOPS,
		      &costs))
		return -1;
	if (!d->polls || !d->nr_rounds)
		return bad_key(reader, "dispatch");
	for (unsigned int i = 0; i < DISPATCH_WAYS * DISPATCH_LOOPS; i++)
		if (read_dispatch_cost(reader, json_array_get(costs, i), d,
				       i % DISPATCH_WAYS, i / DISPATCH_WAYS))
			return -1;
	return 0;
}

static int read_header(const struct reader *reader, const json_t *root,
		       struct document *doc)
{
	const json_t *window_ms = json_object_get(root, "window_ms");

	if (!json_is_number(window_ms) ||
	    !(json_number_value(window_ms) >= 0 &&
	      json_number_value(window_ms) <= SPINDELAY_WINDOW_NS_MAX / 1e6))
		return bad_key(reader, "window_ms");
	doc->window_ns = lround(json_number_value(window_ms) * 1e6);
	return get_text(reader, root, "command", doc->command,
			sizeof(doc->command)) ||
			       read_backend(reader, root, doc) ||
			       read_order(reader, root, doc) ||
			       read_match(reader, root, doc) ||
			       read_notes(reader, root, doc) ||
			       read_clock(reader, root, doc) ||
			       read_replay(reader, root, doc) ||
			       read_dispatch(reader, root, doc) ||
			       get_u64(reader, root, "seed", INT64_MAX,
				       &doc->seed) ||
			       get_u32(reader, root, "placements_asked",
				       PLAN_PLACEMENTS_MAX, &doc->placements) ||
			       get_u32(reader, root, "rounds", PLAN_ROUNDS_MAX,
				       &doc->rounds) ||
			       get_u32(reader, root, "chain_fs", UINT32_MAX,
				       &doc->chain_fs) ?
		       -1 :
		       0;
}

/* Another schema is said to be that, whatever else there is. */
static int check_schema(const struct reader *reader, const json_t *root)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));

	if (!is_text(schema, 64))
		return bad_key(reader, "schema");
	if (!strcmp(schema, DOCUMENT_SCHEMA))
		return 0;
	return fault_set(reader->fault, STATUS_ERROR,
			 "%.200s: its schema is '%s'; what can be read is '%s'",
			 reader->name, schema, DOCUMENT_SCHEMA);
}

/* All that must be known before the windows. */
static int read_head(const struct reader *reader, const json_t *root,
		     struct document *doc)
{
	return check_schema(reader, root) || read_header(reader, root, doc) ||
			       read_machine(reader, root, &doc->machine) ||
			       read_sets(reader, root, doc) ||
			       check_columns(reader, root) ?
		       -1 :
		       0;
}

/* One member of the document, added to @root unless it is the windows. */
static int read_member(struct reader *reader, struct jsonscan *scan,
		       const char *key, json_t *root, struct document *doc)
{
	json_t *value;

	if (json_object_get(root, key))
		return bad(reader, "a key is there twice");
	if (!strcmp(key, "windows")) {
		/* In their place, so that they are there but once. */
		json_object_set_new(root, key, json_null());
		return read_head(reader, root, doc) ||
				       read_windows(reader, scan, doc) ?
			       -1 :
			       0;
	}
	value = jsonscan_value(scan, reader->left);
	if (!value)
		return bad(reader, scan->why);
	reader->left = scan->left;
	if (json_object_set_new(root, key, value))
		return bad(reader, "out of memory");
	return strcmp(key, "schema") ? 0 : check_schema(reader, root);
}

static int read_members(struct reader *reader, FILE *stream, json_t *root,
			struct document *doc)
{
	char key[JSONSCAN_KEY_MAX];
	struct jsonscan scan;
	int more;

	if (!root || !doc)
		return bad(reader, "out of memory");
	if (jsonscan_begin(&scan, stream))
		return bad(reader, scan.why);
	while ((more = jsonscan_key(&scan, !json_object_size(root), key)) > 0)
		if (read_member(reader, &scan, key, root, doc))
			return -1;
	if (more)
		return bad(reader, scan.why);
	if (!json_object_get(root, "windows"))
		return check_schema(reader, root) ? -1 :
						    bad_key(reader, "windows");
	return 0;
}

struct document *results_read_stored(FILE *stream, const char *name,
				     struct json_t **stored,
				     struct fault *fault)
{
	struct reader reader = { .name = name,
				 .left = HEAD_TEXT_MAX,
				 .fault = fault };
	struct document *doc = document_new("");
	json_t *root = json_object();

	*stored = NULL;
	if (read_members(&reader, stream, root, doc)) {
		json_decref(root);
		document_free(doc);
		return NULL;
	}
	*stored = root;
	return doc;
}

struct document *results_read(FILE *stream, const char *name,
			      struct fault *fault)
{
	json_t *stored;
	struct document *doc =
		results_read_stored(stream, name, &stored, fault);

	json_decref(stored);
	return doc;
}
