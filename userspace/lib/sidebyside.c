// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/names.h"
#include "lib/replay.h"
#include "lib/sidebyside.h"
#include "lib/table.h"
#include "lib/variant.h"
#include "lib/words.h"

#define KEY_MAX 256
#define LABEL_MAX 25
#define SETTING_MAX 256
#define SENTENCE_MAX (SIDE_FILES_MAX * (SETTING_MAX + LABEL_MAX + 8))

/* Documents, and what their lines are called. */
struct side {
	const struct side_file *files;
	unsigned int nr;
	char labels[SIDE_FILES_MAX][LABEL_MAX];
};

/* ---- what the files are called ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool names_repeat(const struct side *side)
{
	for (unsigned int i = 1; i < side->nr; i++)
		for (unsigned int k = 0; k < i; k++)
			if (!strcmp(base_name(side->files[i].path),
				    base_name(side->files[k].path)))
				return true;
	return false;
}

/* How much of all paths is the same folders. */
static size_t common_folders(const struct side *side)
{
	const char *first = side->files[0].path;
	size_t len = strlen(first);

	for (unsigned int i = 1; i < side->nr; i++) {
		const char *other = side->files[i].path;
		size_t same = 0;

		while (same < len && other[same] == first[same])
			same++;
		len = same;
	}
	while (len && first[len - 1] != '/')
		len--;
	return len;
}

/* The end of a name is what tells it from others. */
static void set_label(char *label, const char *name)
{
	size_t len = strlen(name);

	if (len > 5 && !strcmp(name + len - 5, ".json"))
		len -= 5;
	if (len < LABEL_MAX)
		snprintf(label, LABEL_MAX, "%.*s", (int)len, name);
	else
		snprintf(label, LABEL_MAX, "~%.*s", LABEL_MAX - 2,
			 name + len - (LABEL_MAX - 2));
	/* A file may be called anything; a terminal does not take it all. */
	for (; *label; label++)
		if (*label < ' ' || *label > '~')
			*label = '?';
}

static void set_labels(struct side *side)
{
	size_t common = names_repeat(side) ? common_folders(side) : 0;

	for (unsigned int i = 0; i < side->nr; i++) {
		const char *path = side->files[i].path;

		set_label(side->labels[i],
			  names_repeat(side) ? path + common : base_name(path));
	}
}

/* ---- tables ---- */

/**
 * struct section - a table that documents have
 * @titles: of the key's columns, the file's and the values'
 * @count: items of a document
 * @key: what tells an item from others, its columns separated by '|'
 * @cells: its values
 */
struct section {
	const char *titles;
	unsigned int (*count)(const struct document *doc);
	void (*key)(const struct document *doc, unsigned int item, char *key);
	void (*cells)(const struct document *doc, unsigned int item,
		      struct table *table);
};

/* Under which load a set ran: the think is a result where a share was asked. */
static void load_text(const struct set *set, const struct spindelay_variant *v,
		      char text[48])
{
	if (set->share)
		snprintf(text, 48, "share %.4g %%", 100 * set->share);
	else if (v->think_ns)
		snprintf(text, 48, "think %u", v->think_ns);
	else
		snprintf(text, 48, "saturated");
}

static unsigned int count_comparisons(const struct document *doc)
{
	return doc->nr_comparisons;
}

static void comparison_key(const struct document *doc, unsigned int item,
			   char *key)
{
	const struct comparison *c = &doc->comparisons[item];
	const struct set *set = &doc->sets[c->set];
	const struct spindelay_variant *a = &set->variants[c->a];
	const struct spindelay_variant *b = &set->variants[c->b];
	char names[2][VARIANT_TEXT_MAX], load[48], part[48] = "";

	load_text(set, b, load);
	if (c->part != PART_WHOLE || c->match != MATCH_COUNT)
		snprintf(part, sizeof(part), " (%s, %s)", match_word(c->match),
			 part_word(c->part));
	variant_format(a, names[0]);
	/* The lock is said once. */
	if (a->lock == b->lock)
		variant_delay_format(b, names[1]);
	else
		variant_format(b, names[1]);
	snprintf(key, KEY_MAX, "%s|%s%s|%u|%s", names[0], names[1], part,
		 set->nr_cpus, load);
}

static void comparison_cells(const struct document *doc, unsigned int item,
			     struct table *table)
{
	const struct comparison *c = &doc->comparisons[item];

	table_number(table, c->ratio.estimate, 4);
	table_number(table, c->ratio.low, 4);
	table_number(table, c->ratio.high, 4);
}

/* A replay's repetitions have a table of their own. */
static bool in_rounds(const struct document *doc, unsigned int variant)
{
	return set_is_compared(&doc->sets[doc->variants[variant].set]);
}

static unsigned int count_variants(const struct document *doc)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < doc->nr_variants; i++)
		nr += in_rounds(doc, i);
	return nr;
}

static const struct variant_result *variant_item(const struct document *doc,
						 unsigned int item)
{
	unsigned int i = 0;

	while (!in_rounds(doc, i) || item--)
		i++;
	return &doc->variants[i];
}

static void variant_key(const struct document *doc, unsigned int item,
			char *key)
{
	const struct variant_result *r = variant_item(doc, item);
	const struct set *set = &doc->sets[r->set];
	char name[VARIANT_TEXT_MAX], load[48];

	load_text(set, &set->variants[r->variant], load);
	snprintf(key, KEY_MAX, "%s|%u|%s",
		 variant_format(&set->variants[r->variant], name), set->nr_cpus,
		 load);
}

static void variant_cells(const struct document *doc, unsigned int item,
			  struct table *table)
{
	const struct variant_result *r = variant_item(doc, item);

	table_number(table, r->rate / 1e3, 1);
	table_number(table, r->polls_per_acquisition, 2);
	table_number(table, 100 * r->delay_share, 1);
	table_number(table, r->jain, 3);
}

static unsigned int count_logs(const struct document *doc)
{
	unsigned int nr = 0;

	for (unsigned int s = 0; s < doc->nr_sets; s++)
		nr += doc->sets[s].role == SET_REPETITIONS;
	return nr;
}

static unsigned int log_set(const struct document *doc, unsigned int item)
{
	unsigned int s = 0;

	while (doc->sets[s].role != SET_REPETITIONS || item--)
		s++;
	return s;
}

/* Their load is that of the rounds, which a share may have been asked for. */
static void log_key(const struct document *doc, unsigned int item, char *key)
{
	const struct set *set = &doc->sets[log_set(doc, item)];
	char name[VARIANT_TEXT_MAX], load[48];

	load_text(&doc->sets[0], set->variants, load);
	snprintf(key, KEY_MAX, "%s|%u|%s", variant_format(set->variants, name),
		 set->nr_cpus, load);
}

static void log_cells(const struct document *doc, unsigned int item,
		      struct table *table)
{
	const unsigned int set = log_set(doc, item);
	const struct replay_mean mean = replay_mean(doc, set);

	table_cell(table, "%u", mean.repetitions);
	replay_mean_cell(table, mean.real);
	replay_mean_cell(table, mean.user + mean.sys);
	table_number(table, 100 * mean.sd / mean.real, 1);
	table_number(table, replay_acquisitions(&doc->replay) / mean.real / 1e3,
		     1);
	table_number(table, 100 * replay_delay_share(doc, set), 1);
}

static unsigned int count_costs(const struct document *doc)
{
	return doc->nr_costs;
}

static void cost_key(const struct document *doc, unsigned int item, char *key)
{
	char name[VARIANT_TEXT_MAX];

	snprintf(key, KEY_MAX, "%s",
		 variant_delay_format(&doc->costs[item].variant, name));
}

static void cost_cells(const struct document *doc, unsigned int item,
		       struct table *table)
{
	const struct cost *c = &doc->costs[item];

	table_number(table, c->back_to_back.estimate, 3);
	table_number(table, c->back_to_back.low, 3);
	table_number(table, c->back_to_back.high, 3);
	table_number(table, c->cycles, 2);
	table_number(table, c->poll_period.estimate, 2);
}

static const struct section sections[] = {
	{ "<log of|CPUs|<load|<file|lines|real, s|CPU, s|sd %|k/s|delay %",
	  count_logs, log_key, log_cells },
	{ "<a|<b|CPUs|<load|<file|a/b|low|high", count_comparisons,
	  comparison_key, comparison_cells },
	{ "<variant|CPUs|<load|<file|k/s|polls each|delay %|Jain",
	  count_variants, variant_key, variant_cells },
	{ "<delay|<file|ns each|low|high|cycles|ns a poll", count_costs,
	  cost_key, cost_cells },
};

static bool all_have(const struct side *side, const struct section *section)
{
	for (unsigned int i = 0; i < side->nr; i++)
		if (!section->count(side->files[i].doc))
			return false;
	return true;
}

/* Where the item with this key is that has @before others before it, or -1. */
static int find_item(const struct section *section, const struct document *doc,
		     const char *key, unsigned int before)
{
	char other[KEY_MAX];

	for (unsigned int i = 0; i < section->count(doc); i++) {
		section->key(doc, i, other);
		if (!strcmp(key, other) && !before--)
			return i;
	}
	return -1;
}

/* Items with the same key in front of @item. */
static unsigned int count_before(const struct section *section,
				 const struct document *doc, const char *key,
				 unsigned int item)
{
	unsigned int before = 0;
	char other[KEY_MAX];

	for (unsigned int i = 0; i < item; i++) {
		section->key(doc, i, other);
		before += !strcmp(key, other);
	}
	return before;
}

static void add_line(struct table *table, const struct section *section,
		     const struct side *side, unsigned int file,
		     const char *key, int item)
{
	const char *end;

	if (item < 0)
		return;

	for (; *key; key = *end ? end + 1 : end) {
		end = strchrnul(key, '|');
		table_cell(table, "%.*s", (int)(end - key), key);
	}
	table_cell(table, "%s", side->labels[file]);
	section->cells(side->files[file].doc, item, table);
}

/* An item with its likes in all files, unless an earlier file had it. */
static void add_item(struct table *table, const struct section *section,
		     const struct side *side, unsigned int file,
		     unsigned int item)
{
	const struct document *doc = side->files[file].doc;
	unsigned int before;
	char key[KEY_MAX];

	section->key(doc, item, key);
	before = count_before(section, doc, key, item);
	for (unsigned int f = 0; f < file; f++)
		if (find_item(section, side->files[f].doc, key, before) >= 0)
			return;
	for (unsigned int f = 0; f < side->nr; f++)
		add_line(table, section, side, f, key,
			 find_item(section, side->files[f].doc, key, before));
}

static void print_section(const struct side *side,
			  const struct section *section, FILE *stream)
{
	struct table table;

	table_begin(&table, section->titles);
	for (unsigned int f = 0; f < side->nr; f++)
		for (unsigned int i = 0; i < section->count(side->files[f].doc);
		     i++)
			add_item(&table, section, side, f, i);
	table_print(&table, stream);
	fputc('\n', stream);
}

/* ---- what sets them apart ---- */

static const char *or_none(const char *text)
{
	return text[0] ? text : "none";
}

static void backend_setting(const struct document *doc, char *text)
{
	snprintf(text, SETTING_MAX, "%s", doc->user ? "user" : "kernel");
}

static void cpu_setting(const struct document *doc, char *text)
{
	snprintf(text, SETTING_MAX, "%s, MIDR 0x%08x", doc->machine.cpu,
		 doc->machine.midr);
}

static void capability_setting(const struct document *doc, char *text)
{
	const struct machine *m = &doc->machine;

	snprintf(text, SETTING_MAX, "%s SB, %s WFxT, %s LSE",
		 m->has_sb ? "with" : "without",
		 m->has_wfxt ? "with" : "without",
		 m->has_lse ? "with" : "without");
}

static void kernel_setting(const struct document *doc, char *text)
{
	snprintf(text, SETTING_MAX, "%s", doc->machine.kernel);
}

static void page_setting(const struct document *doc, char *text)
{
	snprintf(text, SETTING_MAX, "%u bytes", doc->machine.page_size);
}

static void hypervisor_setting(const struct document *doc, char *text)
{
	snprintf(text, SETTING_MAX, "%s%s", doc->machine.hypervisor.name,
		 doc->machine.hypervisor.emulated ? ", emulated" : "");
}

static void governor_setting(const struct document *doc, char *text)
{
	snprintf(text, SETTING_MAX, "%s", or_none(doc->machine.governor));
}

static void isolated_setting(const struct document *doc, char *text)
{
	snprintf(text, SETTING_MAX, "%s", or_none(doc->machine.isolated));
}

static void nohz_setting(const struct document *doc, char *text)
{
	snprintf(text, SETTING_MAX, "%s", or_none(doc->machine.nohz_full));
}

static void online_setting(const struct document *doc, char *text)
{
	cpulist_format(&doc->machine.online, text, SETTING_MAX);
}

static void counter_setting(const struct document *doc, char *text)
{
	snprintf(text, SETTING_MAX, "%.6g MHz", doc->machine.counter_hz / 1e6);
}

static void window_setting(const struct document *doc, char *text)
{
	snprintf(text, SETTING_MAX, "%g ms", doc->window_ns / 1e6);
}

static void placement_setting(const struct document *doc, char *text)
{
	snprintf(text, SETTING_MAX, "%u", doc->sets[0].nr_placements);
}

static void order_setting(const struct document *doc, char *text)
{
	snprintf(text, SETTING_MAX, "%s", order_word(doc->order));
}

static void used_setting(const struct document *doc, char *text)
{
	const struct set *largest = &doc->sets[0];
	struct cpulist list = { 0 };

	for (unsigned int s = 1; s < doc->nr_sets; s++)
		if (doc->sets[s].nr_cpus > largest->nr_cpus)
			largest = &doc->sets[s];
	for (unsigned int i = 0; i < largest->nr_cpus; i++)
		cpulist_add(&list, largest->cpus[i]);
	cpulist_format(&list, text, SETTING_MAX);
}

/* The values of a field of the variants, each once, as far as there is room. */
static void field_setting(const struct document *doc, char *text, size_t offset,
			  bool unless_share)
{
	char value[24], padded[SETTING_MAX + 8];
	size_t used = 0;
	u32 number;

	text[0] = '\0';
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		const struct set *set = &doc->sets[s];

		for (unsigned int v = 0; v < set->nr_variants; v++) {
			memcpy(&number, (char *)&set->variants[v] + offset,
			       sizeof(number));
			snprintf(value, sizeof(value), " %u,", number);
			snprintf(padded, sizeof(padded), " %s,", text);
			if (!set_is_compared(set) ||
			    (unless_share && set->share) ||
			    strstr(padded, value) || used + 16 > SETTING_MAX)
				continue;
			used += snprintf(text + used, SETTING_MAX - used,
					 "%s%u", used ? ", " : "", number);
		}
	}
	if (!used)
		snprintf(text, SETTING_MAX, "by share");
}

static void hold_setting(const struct document *doc, char *text)
{
	field_setting(doc, text, offsetof(struct spindelay_variant, hold_ns),
		      false);
}

static void think_setting(const struct document *doc, char *text)
{
	field_setting(doc, text, offsetof(struct spindelay_variant, think_ns),
		      true);
}

static void jitter_setting(const struct document *doc, char *text)
{
	field_setting(doc, text, offsetof(struct spindelay_variant, jitter),
		      false);
}

/* What times depend on, so that those of other work are not compared. */
static void repetition_setting(const struct document *doc, char *text)
{
	const struct replay *r = &doc->replay;

	if (!r->work)
		snprintf(text, SETTING_MAX, "none");
	else
		snprintf(text, SETTING_MAX,
			 "%u x %u acquisitions, %u to warm up, %g s of sleep",
			 r->work, r->unit, r->warmup, r->sleep);
}

static void lines_setting(const struct document *doc, char *text)
{
	field_setting(doc, text, offsetof(struct spindelay_variant, lines),
		      false);
}

static const struct {
	const char *what;
	void (*text)(const struct document *doc, char *text);
} settings[] = {
	{ "backend", backend_setting },
	{ "CPU", cpu_setting },
	{ "capabilities", capability_setting },
	{ "kernel", kernel_setting },
	{ "page size", page_setting },
	{ "hypervisor", hypervisor_setting },
	{ "governor", governor_setting },
	{ "isolated CPUs", isolated_setting },
	{ "nohz_full CPUs", nohz_setting },
	{ "CPUs on line", online_setting },
	{ "CPUs used", used_setting },
	{ "order of the CPUs", order_setting },
	{ "counter", counter_setting },
	{ "window", window_setting },
	{ "placements", placement_setting },
	{ "hold, ns", hold_setting },
	{ "think, ns", think_setting },
	{ "jitter, %", jitter_setting },
	{ "lines written", lines_setting },
	{ "repetitions", repetition_setting },
};

/* Add "VALUE (FILE, FILE)" for the files that have what @file has. */
static size_t add_value(const struct side *side, char (*values)[SETTING_MAX],
			unsigned int file, char *text, size_t used)
{
	const char *before = " (";

	for (unsigned int f = 0; f < file; f++)
		if (!strcmp(values[f], values[file]))
			return used;
	used += snprintf(text + used, SENTENCE_MAX - used, "%s%s",
			 file ? "; " : "", values[file]);
	for (unsigned int f = file; f < side->nr; f++) {
		if (strcmp(values[f], values[file]))
			continue;
		used += snprintf(text + used, SENTENCE_MAX - used, "%s%s",
				 before, side->labels[f]);
		before = ", ";
	}
	return used + snprintf(text + used, SENTENCE_MAX - used, ")");
}

static bool print_setting(const struct side *side, size_t setting, FILE *stream)
{
	char values[SIDE_FILES_MAX][SETTING_MAX], text[SENTENCE_MAX];
	bool differ = false;
	size_t used;

	for (unsigned int f = 0; f < side->nr; f++) {
		settings[setting].text(side->files[f].doc, values[f]);
		differ |= strcmp(values[f], values[0]) != 0;
	}
	if (!differ)
		return false;
	used = snprintf(text, sizeof(text),
			"Difference in %s: ", settings[setting].what);
	for (unsigned int f = 0; f < side->nr; f++)
		used = add_value(side, values, f, text, used);
	snprintf(text + used, sizeof(text) - used, ".");
	print_wrapped(stream, text);
	return true;
}

static bool is_emulated(const struct document *doc)
{
	return doc->machine.hypervisor.emulated;
}

static bool has_lost(const struct document *doc)
{
	for (unsigned int i = 0; i < doc->nr_variants; i++)
		if (doc->variants[i].lost)
			return true;
	return false;
}

/* A sentence and the files that it holds for, if there are any. */
static void print_about(const struct side *side, const char *sentence,
			bool (*holds)(const struct document *doc), FILE *stream)
{
	const char *before = "";
	char text[SENTENCE_MAX];
	size_t used = snprintf(text, sizeof(text), "%s: ", sentence);

	for (unsigned int f = 0; f < side->nr; f++) {
		if (!holds(side->files[f].doc))
			continue;
		used += snprintf(text + used, sizeof(text) - used, "%s%s",
				 before, side->labels[f]);
		before = ", ";
	}
	if (!*before)
		return;
	snprintf(text + used, sizeof(text) - used, ".");
	print_wrapped(stream, text);
}

static void print_differences(const struct side *side, FILE *stream)
{
	unsigned int found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		found += print_setting(side, i, stream);
	if (!found)
		fputs("No difference of machine, load or windows that matters.\n",
		      stream);
	print_about(side, "A lock lost mutual exclusion in", has_lost, stream);
	print_about(side,
		    "Emulated, so that timings prove nothing about hardware",
		    is_emulated, stream);
}

static int check_size(const struct side *side, struct fault *fault)
{
	for (unsigned int f = 0; f < side->nr; f++)
		for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
			if (sections[i].count(side->files[f].doc) >
			    SIDE_ITEMS_MAX)
				return fault_set(
					fault, STATUS_ERROR,
					"%.200s: more than %u results are too many to stand side by side",
					side->files[f].path, SIDE_ITEMS_MAX);
	return 0;
}

/* The first file that has other kinds of results than the first. */
static int nothing_in_common(const struct side *side, struct fault *fault)
{
	const struct side_file *odd = &side->files[1];

	for (unsigned int f = side->nr - 1; f > 0; f--)
		if (strcmp(side->files[f].doc->command,
			   side->files[0].doc->command))
			odd = &side->files[f];
	return fault_set(
		fault, STATUS_ERROR,
		"%.150s is of '%s' and %.150s of '%s': they have no table in common",
		side->files[0].path, side->files[0].doc->command, odd->path,
		odd->doc->command);
}

int side_by_side(const struct side_file *files, unsigned int nr, FILE *stream,
		 struct fault *fault)
{
	struct side side = { .files = files, .nr = nr };
	unsigned int found = 0;

	if (check_size(&side, fault))
		return -1;
	set_labels(&side);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		if (!all_have(&side, &sections[i]))
			continue;
		print_section(&side, &sections[i], stream);
		found++;
	}
	if (!found)
		return nothing_in_common(&side, fault);
	print_differences(&side, stream);
	return 0;
}
