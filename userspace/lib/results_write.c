// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>
#include <jansson.h>
#include <math.h>

#include "lib/dispatch_cost.h"
#include "lib/names.h"
#include "lib/preset.h"
#include "lib/record.h"
#include "lib/replay.h"
#include "lib/results.h"
#include "lib/sweep.h"
#include "lib/tree.h"
#include "lib/words.h"

#define DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17))

/* A real, or null where there is none. */
static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *integer(u64 value)
{
	return json_integer(value);
}

/* Zero is one of the settings, so they are written as they are. */
static void add_innodb(json_t *object, const struct spindelay_variant *v)
{
	json_object_set_new(object, "spin_wait_delay",
			    integer(v->spin_wait_delay));
	json_object_set_new(object, "pause_multiplier",
			    integer(v->pause_multiplier));
	json_object_set_new(object, "sync_spin_loops",
			    integer(v->sync_spin_loops));
}

/* The name is for whoever reads it; the numbers are what was run. */
static json_t *backoff_json(struct spindelay_backoff b)
{
	const struct preset_field *fields;
	json_t *object;
	size_t nr;

	object = json_pack("{s:s}", "preset", preset_name(&b));
	fields = preset_fields(&nr);
	for (size_t i = 0; i < nr; i++)
		json_object_set_new(object, fields[i].key,
				    integer(*preset_number(&b, &fields[i])));
	return object;
}

/* What most variants do without. */
static void add_extras(json_t *object, const struct spindelay_variant *v)
{
	const struct {
		const char *key;
		u32 value;
	} extras[] = {
		{ "flags", v->flags & ~SPINDELAY_TWIN },
		{ "burst", v->burst },
		{ "jitter", v->jitter },
		{ "lines", v->lines },
		{ "backoff_min", v->backoff_min },
		{ "backoff_max", v->backoff_max },
		{ "wfet_ns", v->wfet_ns },
	};

	for (size_t i = 0; i < ARRAY_SIZE(extras); i++)
		if (extras[i].value)
			json_object_set_new(object, extras[i].key,
					    integer(extras[i].value));
	if (v->flags & SPINDELAY_TWIN)
		json_object_set_new(object, "twin", json_true());
	if (lock_has(v->lock, SPIN_INNODB))
		add_innodb(object, v);
	else if (v->sync_spin_loops)
		json_object_set_new(object, "sync_spin_loops",
				    integer(v->sync_spin_loops));
	if (lock_has(v->lock, SPIN_SHARES))
		json_object_set_new(object, "read_share",
				    integer(v->read_share));
	if (v->lock == SPIN_LOCK_backoff)
		json_object_set_new(object, "backoff",
				    backoff_json(v->backoff));
}

static json_t *variant_json(const struct spindelay_variant *v,
			    unsigned int nr_cpus)
{
	const struct lock_name *lock = lock_by_id(v->lock);
	const struct delay_name *delay = delay_by_id(v->delay);
	json_t *object;

	object = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i}", "lock",
			   lock ? lock->name : "?", "delay",
			   delay ? delay->name : "?", "count", (int)v->count,
			   "pad", (int)v->pad, "cpus", (int)nr_cpus, "hold_ns",
			   (int)v->hold_ns, "think_ns", (int)v->think_ns);
	add_extras(object, v);
	return object;
}

static json_t *warnings_json(const struct machine *m)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < m->nr_warnings; i++)
		json_array_append_new(array, json_string(m->warnings[i]));
	return array;
}

static json_t *machine_json(const struct machine *m)
{
	char midr[16], online[TREE_TEXT_MAX];

	snprintf(midr, sizeof(midr), "0x%08x", m->midr);
	cpulist_format(&m->online, online, sizeof(online));
	return json_pack(
		"{s:s, s:s, s:i, s:s, s:s, s:i, s:o, s:{s:b, s:b, s:b}, s:b, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:o}",
		"cpu", m->cpu, "midr", midr, "cpus_online", (int)m->online.nr,
		"online", online, "kernel", m->kernel, "page_size",
		(int)m->page_size, "counter_hz", integer(m->counter_hz),
		"capabilities", "sb", m->has_sb, "wfxt", m->has_wfxt, "lse",
		m->has_lse, "emulated", m->hypervisor.emulated, "hypervisor",
		m->hypervisor.name, "hypervisor_source", m->hypervisor.source,
		"governor", m->governor, "taint", m->taint, "isolated",
		m->isolated, "nohz_full", m->nohz_full, "nodes",
		(int)m->nr_nodes, "warnings", warnings_json(m));
}

static json_t *interval_json(const struct interval *interval, bool level)
{
	json_t *object =
		json_pack("{s:o, s:o, s:o}", "estimate",
			  real(interval->estimate), "low", real(interval->low),
			  "high", real(interval->high));

	if (level)
		json_object_set_new(object, "level", real(interval->level));
	return object;
}

/* What is there where a lock waits in rounds, or sleeps. */
static void add_parks(json_t *object, const struct cpu_result *c)
{
	json_object_set_new(object, "rounds", integer(c->rounds));
	json_object_set_new(object, "delays", integer(c->delays));
	json_object_set_new(object, "yields", integer(c->yields));
	json_object_set_new(object, "parks", integer(c->parks));
}

static json_t *cpu_results_json(const struct variant_result *r, u32 lock)
{
	const bool own_wait = lock_has(lock, SPIN_OWN_WAIT);
	json_t *array = json_array(), *object;

	for (unsigned int i = 0; i < r->nr_cpus; i++) {
		const struct cpu_result *c = &r->cpus[i];

		object = json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "cpu",
				   (int)c->cpu, "acquisitions",
				   integer(c->acquisitions), "polls",
				   own_wait ? json_null() : integer(c->polls),
				   "rate", real(c->rate), "delay_share",
				   real(c->delay_share), "wait_max_ns",
				   real(c->wait_max_ns));
		if (lock_has(lock, SPIN_PARKS))
			add_parks(object, c);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *variant_result_json(const struct document *doc,
				   const struct variant_result *r)
{
	const struct set *set = &doc->sets[r->set];
	const struct spindelay_variant *v = &set->variants[r->variant];

	return json_pack(
		"{s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:{s:o, s:o, s:o, s:o}, s:o, s:o, s:o, s:o, s:o}",
		"variant", variant_json(v, set->nr_cpus), "set", (int)r->set,
		"valid_windows", (int)r->windows, "rate", real(r->rate),
		"ns_per_acquisition", real(r->ns_per_acquisition),
		"ns_per_handover",
		real(lock_has(v->lock, SPIN_PAIR) ? r->ns_per_acquisition :
						    NAN),
		"polls_per_acquisition", real(r->polls_per_acquisition),
		"delay_share", real(r->delay_share), "hold_stretch",
		real(r->hold_stretch), "fairness", "jain", real(r->jain),
		"min_over_max", real(r->min_over_max), "wait_ns", "p50",
		real(r->wait_p50), "p99", real(r->wait_p99), "p999",
		real(r->wait_p999), "max", real(r->wait_max),
		"cycles_per_acquisition", real(r->cycles),
		"instructions_per_acquisition", real(r->instructions), "ghz",
		real(r->ghz), "lost_exclusion", integer(r->lost), "cpus",
		cpu_results_json(r, v->lock));
}

static json_t *variants_json(const struct document *doc)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < doc->nr_variants; i++)
		json_array_append_new(array,
				      variant_result_json(doc,
							  &doc->variants[i]));
	return array;
}

/* What --share asked for, and what the measurement brought. */
static json_t *shares_json(const struct document *doc)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < doc->nr_variants; i++) {
		const struct variant_result *r = &doc->variants[i];
		const struct set *set = &doc->sets[r->set];
		const struct spindelay_variant *v = &set->variants[r->variant];

		if (!set->share || set->share_variant != r->variant)
			continue;
		json_array_append_new(array,
				      json_pack("{s:i, s:o, s:f, s:o, s:i}",
						"set", (int)r->set, "baseline",
						variant_json(v, set->nr_cpus),
						"asked", set->share, "achieved",
						real(r->delay_share),
						"think_ns", (int)v->think_ns));
	}
	return array;
}

static json_t *comparison_json(const struct document *doc,
			       const struct comparison *c)
{
	const struct set *set = &doc->sets[c->set];

	return json_pack(
		"{s:o, s:o, s:i, s:s, s:s, s:s, s:o, s:i, s:i, s:i, s:s, s:s, s:s, s:o}",
		"a", variant_json(&set->variants[c->a], set->nr_cpus), "b",
		variant_json(&set->variants[c->b], set->nr_cpus), "set",
		(int)c->set, "match", match_word(c->match), "part",
		part_word(c->part), "metric", "throughput", "ratio",
		interval_json(&c->ratio, true), "placements",
		(int)c->placements, "valid_rounds", (int)c->rounds,
		"discarded_rounds", (int)c->discarded, "resolved",
		resolved_word(c->resolved), "verdict", verdict_word(c->verdict),
		"reason", c->reason, "minimum_detectable_effect",
		real(c->minimum_detectable_effect));
}

static json_t *comparisons_json(const struct document *doc)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < doc->nr_comparisons; i++)
		json_array_append_new(array,
				      comparison_json(doc,
						      &doc->comparisons[i]));
	return array;
}

/* What was padded, and how well it agrees with what it is compared with. */
static json_t *equal_times_json(const struct document *doc)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < doc->nr_equal_times; i++) {
		const struct equal_time *e = &doc->equal_times[i];
		const struct set *set = &doc->sets[e->set];

		json_array_append_new(
			array,
			json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:b, s:i}",
				  "set", (int)e->set, "padded",
				  variant_json(&set->variants[0], set->nr_cpus),
				  "longer",
				  variant_json(&set->variants[1], set->nr_cpus),
				  "padded_period_ns",
				  interval_json(&e->padded, false),
				  "longer_period_ns",
				  interval_json(&e->longer, false), "mismatch",
				  real(e->mismatch), "matched", e->matched,
				  "valid_rounds", (int)e->rounds));
	}
	return array;
}

static json_t *notes_json(const struct document *doc)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < doc->nr_notes; i++)
		json_array_append_new(array, json_string(doc->notes[i]));
	return array;
}

static json_t *tied_json(const struct set *set, u64 tied)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < set->nr_asked; i++)
		if (tied >> i & 1)
			json_array_append_new(array,
					      variant_json(&set->variants[i],
							   set->nr_cpus));
	return array;
}

static json_t *cells_json(const struct document *doc)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < doc->nr_cells; i++) {
		const struct cell *cell = &doc->cells[i];
		const struct set *set = &doc->sets[cell->set];

		json_array_append_new(
			array,
			json_pack("{s:i, s:o, s:o}", "set", (int)cell->set,
				  "best",
				  variant_json(&set->variants[cell->best],
					       set->nr_cpus),
				  "cannot_be_told_from_best",
				  tied_json(set, cell->tied)));
	}
	return array;
}

/* Of a sweep; null of any other command. */
static json_t *sweep_json(const struct document *doc)
{
	const struct set *set = doc->sets;
	char text[1024];
	enum advice advice;

	if (!doc->cells)
		return json_null();
	advice = sweep_advice(doc, text, sizeof(text));
	return json_pack("{s:o, s:o, s:o, s:s, s:s}", "cells", cells_json(doc),
			 "winner",
			 variant_json(&set->variants[doc->winner],
				      set->nr_cpus),
			 "default",
			 variant_json(&set->variants[set_baseline(set)],
				      set->nr_cpus),
			 "advice", advice_word(advice), "text", text);
}

static json_t *costs_json(const struct document *doc)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < doc->nr_costs; i++) {
		const struct cost *c = &doc->costs[i];
		const struct delay_name *delay = delay_by_id(c->variant.delay);

		json_array_append_new(
			array,
			json_pack(
				"{s:s, s:i, s:i, s:o, s:o, s:i, s:o, s:o, s:o, s:o}",
				"delay", delay ? delay->name : "?", "count",
				(int)c->variant.count, "pad",
				(int)c->variant.pad, "back_to_back_ns",
				interval_json(&c->back_to_back, false),
				"poll_period_ns",
				interval_json(&c->poll_period, false),
				"valid_rounds", (int)c->rounds, "cycles",
				real(c->cycles), "instructions",
				real(c->instructions), "poll_cycles",
				real(c->poll_cycles), "poll_instructions",
				real(c->poll_instructions)));
	}
	return array;
}

static json_t *checks_json(const struct document *doc)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < doc->nr_checks; i++) {
		const struct check *c = &doc->checks[i];
		json_t *passed = json_boolean(c->outcome == CHECK_PASSED);

		if (c->outcome == CHECK_SKIPPED)
			passed = json_null();
		json_array_append_new(array,
				      json_pack("{s:s, s:o, s:s}", "check",
						c->name, "passed", passed,
						"detail", c->detail));
	}
	return array;
}

static json_t *repetitions_json(const struct document *doc, unsigned int set)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < doc->replay.nr_repetitions; i++) {
		const struct repetition *r = &doc->replay.repetitions[i];

		if (r->set == set)
			json_array_append_new(array,
					      json_pack("{s:o, s:o, s:o}",
							"real_s", real(r->real),
							"user_s", real(r->user),
							"sys_s", real(r->sys)));
	}
	return array;
}

/* One for each variant, with the means as they are printed. */
static json_t *logs_json(const struct document *doc)
{
	json_t *array = json_array();

	for (unsigned int s = 1; s < doc->nr_sets; s++) {
		const struct set *set = &doc->sets[s];
		const struct replay_mean mean = replay_mean(doc, s);

		if (set->role != SET_REPETITIONS)
			continue;
		json_array_append_new(
			array,
			json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "set",
				  (int)s, "variant",
				  variant_json(set->variants, set->nr_cpus),
				  "mean_real_s", real(mean.real), "mean_user_s",
				  real(mean.user), "mean_sys_s", real(mean.sys),
				  "sd_real_s", real(mean.sd), "repetitions",
				  repetitions_json(doc, s)));
	}
	return array;
}

static json_t *replay_json(const struct document *doc)
{
	const struct replay *r = &doc->replay;

	return json_pack("{s:i, s:i, s:o, s:i, s:i, s:o, s:s, s:o}", "work",
			 (int)r->work, "unit", (int)r->unit, "acquisitions",
			 integer(replay_acquisitions(r)), "warmup",
			 (int)r->warmup, "repetitions", (int)r->asked,
			 "sleep_s", real(r->sleep), "name", r->name, "logs",
			 logs_json(doc));
}

/* [ns, ns of twice as many polls, instructions, instructions likewise] */
static json_t *dispatch_rounds_json(const struct dispatch *d,
				    enum dispatch_way way,
				    enum dispatch_loop loop)
{
	json_t *array = json_array();

	for (u32 i = 0; i < d->nr_rounds; i++) {
		const struct dispatch_round *r = &d->rounds[way][loop][i];

		json_array_append_new(array,
				      json_pack("[o, o, o, o]",
						integer(r->ns[0]),
						integer(r->ns[1]),
						integer(r->instructions[0]),
						integer(r->instructions[1])));
	}
	return array;
}

static json_t *dispatch_costs_json(const struct dispatch *d)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < DISPATCH_WAYS * DISPATCH_LOOPS; i++) {
		const enum dispatch_loop loop = i / DISPATCH_WAYS;
		const enum dispatch_way way = i % DISPATCH_WAYS;
		const struct dispatch_cost *c = &d->costs[way][loop];

		json_array_append_new(array,
				      json_pack("{s:s, s:s, s:o, s:o, s:o}",
						"loop",
						dispatch_loop_word(loop),
						"chosen_by",
						dispatch_way_word(way),
						"ns_per_poll",
						interval_json(&c->ns, true),
						"instructions_per_poll",
						real(c->instructions), "rounds",
						dispatch_rounds_json(d, way,
								     loop)));
	}
	return array;
}

static json_t *dispatch_json(const struct dispatch *d)
{
	return json_pack("{s:s, s:i, s:i, s:i, s:o}", "delay", d->delay, "cpu",
			 (int)d->cpu, "polls", (int)d->polls, "rounds",
			 (int)d->nr_rounds, "costs", dispatch_costs_json(d));
}

/* ---- what the numbers are made of ---- */

static json_t *numbers_json(const u32 *values, unsigned int n)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < n; i++)
		json_array_append_new(array, integer(values[i]));
	return array;
}

static json_t *placements_json(const struct set *set)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < set->nr_placements; i++) {
		const struct placement *place = &set->placements[i];

		json_array_append_new(array,
				      json_pack("{s:i, s:i, s:i, s:b, s:o}",
						"page", (int)place->page,
						"slot", (int)place->slot,
						"node", (int)place->node,
						"swapped", place->swapped,
						"cpus",
						numbers_json(place->cpus,
							     set->nr_cpus)));
	}
	return array;
}

static json_t *paddings_json(const struct set *set)
{
	json_t *array = json_array();

	for (unsigned int i = set->nr_asked; i < set->nr_variants; i++) {
		const struct padding *p = &set->paddings[i - set->nr_asked];

		json_array_append_new(array, json_pack("{s:i, s:i}", "against",
						       (int)p->against, "of",
						       (int)p->of));
	}
	return array;
}

static json_t *set_json(const struct set *set)
{
	json_t *variants = json_array(), *object;

	for (unsigned int i = 0; i < set->nr_variants; i++)
		json_array_append_new(variants, variant_json(&set->variants[i],
							     set->nr_cpus));
	object = json_pack("{s:s, s:o, s:o, s:o, s:o}", "role",
			   role_word(set->role), "cpus",
			   numbers_json(set->cpus, set->nr_cpus), "variants",
			   variants, "paddings", paddings_json(set),
			   "placements", placements_json(set));
	if (set->share)
		json_object_set_new(object, "share",
				    json_pack("{s:f, s:i}", "asked", set->share,
					      "variant",
					      (int)set->share_variant));
	return object;
}

static json_t *sets_json(const struct document *doc)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < doc->nr_sets; i++)
		json_array_append_new(array, set_json(&doc->sets[i]));
	return array;
}

static bool any_parks(const struct document *doc)
{
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		for (unsigned int i = 0; i < doc->sets[s].nr_variants; i++)
			if (lock_has(doc->sets[s].variants[i].lock, SPIN_PARKS))
				return true;
	return false;
}

/* What only locks that sleep count is a column where there are some. */
static json_t *record_columns_json(const struct document *doc)
{
	unsigned int nr =
		any_parks(doc) ? RECORD_COLUMNS : RECORD_COLUMNS_FIRST;
	json_t *array = json_array();

	for (unsigned int i = 0; i < nr; i++)
		json_array_append_new(array, json_string(record_column(i)));
	return array;
}

static json_t *record_json(const struct spindelay_record *record)
{
	unsigned int n = RECORD_COLUMNS;
	json_t *array = json_array();

	while (n && !record_get(record, n - 1))
		n--;
	for (unsigned int i = 0; i < n; i++)
		json_array_append_new(array, integer(record_get(record, i)));
	return array;
}

static json_t *waits_json(const u32 *hist)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < SPINDELAY_HIST_BUCKETS; i++)
		if (hist[i])
			json_array_append_new(array,
					      json_pack("[i, o]", (int)i,
							integer(hist[i])));
	return array;
}

static json_t *window_json(const struct set *set, unsigned int index,
			   const struct window *w)
{
	json_t *cpus = json_array(), *object;

	for (unsigned int i = 0; i < set->nr_cpus; i++)
		json_array_append_new(cpus, record_json(&w->records[i]));
	object = json_pack(
		"{s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}",
		"set", (int)index, "placement", (int)w->placement, "round",
		(int)w->round, "variant", (int)w->abi.variant, "invalid",
		(int)w->abi.invalid, "start", integer(w->abi.start), "ticks",
		integer(w->abi.ticks), "acquisitions",
		integer(w->abi.acquisitions), "counted",
		integer(w->abi.counted), "cpus", cpus, "waits",
		waits_json(w->hist));
	if (set->role == SET_REPETITIONS) {
		json_object_set_new(object, "summed", integer(w->summed));
		json_object_set_new(object, "left_out", integer(w->left_out));
	}
	return object;
}

/* ---- the file: a key a line, a window a line ---- */

static int put(FILE *stream, const char *before, json_t *value)
{
	int err;

	if (!value)
		return -1;
	fputs(before, stream);
	err = json_dumpf(value, stream, DUMP_FLAGS);
	json_decref(value);
	/* What the stream says is left to whoever closes it. */
	return err && !ferror(stream) ? -1 : 0;
}

static int put_windows(const struct document *doc, FILE *stream)
{
	const char *before = "\n  ";

	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		const struct set *set = &doc->sets[s];

		for (size_t i = 0; i < set->nr_windows; i++) {
			if (put(stream, before,
				window_json(set, s, &set->windows[i])))
				return -1;
			before = ",\n  ";
		}
	}
	return 0;
}

static int put_results(const struct document *doc, FILE *stream)
{
	return put(stream, ",\n \"variants\": ", variants_json(doc)) ||
			       put(stream, ",\n \"comparisons\": ",
				   comparisons_json(doc)) ||
			       put(stream, ",\n \"equal_times\": ",
				   equal_times_json(doc)) ||
			       put(stream,
				   ",\n \"costs\": ", costs_json(doc)) ||
			       put(stream,
				   ",\n \"sweep\": ", sweep_json(doc)) ||
			       put(stream, ",\n \"sets\": ", sets_json(doc)) ||
			       put(stream, ",\n \"record_columns\": ",
				   record_columns_json(doc)) ?
		       -1 :
		       0;
}

static json_t *clock_json(const struct counter_pair *pair)
{
	return json_pack("{s:o, s:o}", "ticks", integer(pair->ticks), "ns",
			 integer(pair->ns));
}

static int put_selftest(const struct document *doc, FILE *stream)
{
	if (!doc->nr_checks)
		return 0;
	return put(stream, ",\n \"clock\": ",
		   json_pack("[o, o]", clock_json(&doc->clock[0]),
			     clock_json(&doc->clock[1]))) ||
			       put(stream,
				   ",\n \"selftest\": ", checks_json(doc)) ?
		       -1 :
		       0;
}

static int put_replay(const struct document *doc, FILE *stream)
{
	if (!doc->replay.work)
		return 0;
	return put(stream, ",\n \"replay\": ", replay_json(doc));
}

static int put_dispatch(const struct document *doc, FILE *stream)
{
	if (!doc->dispatch.nr_rounds)
		return 0;
	return put(stream, ",\n \"dispatch\": ", dispatch_json(&doc->dispatch));
}

static int put_header(const struct document *doc, FILE *stream)
{
	if (put(stream, "{ \"schema\": ", json_string(DOCUMENT_SCHEMA)) ||
	    put(stream, ",\n \"command\": ", json_string(doc->command)) ||
	    put(stream, ",\n \"backend\": ",
		json_string(doc->user ? "user" : "kernel")) ||
	    put(stream, ",\n \"machine\": ", machine_json(&doc->machine)) ||
	    put(stream, ",\n \"seed\": ", integer(doc->seed)) ||
	    put(stream,
		",\n \"placements\": ", integer(document_placements(doc))) ||
	    put(stream,
		",\n \"placements_asked\": ", integer(doc->placements)) ||
	    put(stream, ",\n \"rounds\": ", integer(doc->rounds)) ||
	    put(stream, ",\n \"window_ms\": ", real(doc->window_ns / 1e6)) ||
	    put(stream,
		",\n \"match\": ", json_string(matches_word(doc->match))) ||
	    put(stream, ",\n \"precision\": ", real(doc->precision)) ||
	    put(stream, ",\n \"notes\": ", notes_json(doc)))
		return -1;
	if (put(stream,
		",\n \"order\": ", json_string(order_word(doc->order))) ||
	    put(stream, ",\n \"shares\": ", shares_json(doc)) ||
	    put(stream,
		",\n \"frequency_change\": ", real(doc->frequency_change)))
		return -1;
	return put(stream, ",\n \"discarded_rounds\": ",
		   integer(doc->discarded_rounds)) ||
			       put(stream, ",\n \"chain_fs\": ",
				   integer(doc->chain_fs)) ?
		       -1 :
		       0;
}

static int put_all_but_windows(const struct document *doc, FILE *stream)
{
	return put_header(doc, stream) || put_selftest(doc, stream) ||
			       put_replay(doc, stream) ||
			       put_dispatch(doc, stream) ||
			       put_results(doc, stream) ?
		       -1 :
		       0;
}

int results_write_head(const struct document *doc, FILE *stream)
{
	if (put_all_but_windows(doc, stream))
		return -1;
	fputs("\n}\n", stream);
	return 0;
}

int results_write(const struct document *doc, FILE *stream)
{
	if (put_all_but_windows(doc, stream))
		return -1;
	fputs(",\n \"windows\": [", stream);
	if (put_windows(doc, stream))
		return -1;
	fputs("\n ]\n}\n", stream);
	return 0;
}
