// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>
#include <string.h>

#include "lib/comparison.h"
#include "lib/dispatch_cost.h"
#include "lib/findings.h"
#include "lib/replay.h"
#include "lib/report.h"
#include "lib/selftest.h"
#include "lib/summary.h"
#include "lib/sweep.h"

static int make_run(struct document *doc)
{
	return summarise_variants(doc);
}

static void print_run(const struct document *doc, FILE *stream)
{
	report_lost(doc, stream ? stream : stderr);
	if (!stream)
		return;
	report_shares(doc, stream);
	report_variants(doc, stream);
	report_notes(doc, stream);
	fputc('\n', stream);
	report_waits(doc, stream);
	fputc('\n', stream);
	report_parks(doc, stream);
	report_counters(doc, stream);
	fputc('\n', stream);
	report_cpus(doc, stream);
	fputc('\n', stream);
	report_footer(doc, stream);
}

static int make_compare(struct document *doc)
{
	return summarise_variants(doc) || summarise_equal_times(doc) ||
			       summarise_comparisons(doc) ?
		       -1 :
		       0;
}

static void print_comparisons(const struct document *doc, FILE *stream)
{
	report_sentences(doc, stream);
	report_shares(doc, stream);
	report_equal_times(doc, stream);
	fputc('\n', stream);
	report_comparisons(doc, stream);
	fputc('\n', stream);
	report_variants(doc, stream);
	report_notes(doc, stream);
	fputc('\n', stream);
}

static void print_compare(const struct document *doc, FILE *stream)
{
	report_lost(doc, stream ? stream : stderr);
	if (!stream)
		return;
	print_comparisons(doc, stream);
	report_parks(doc, stream);
	report_footer(doc, stream);
}

static int make_replay(struct document *doc)
{
	return make_compare(doc) || summarise_replay(doc) ? -1 : 0;
}

/* What the script prints, and then what it cannot. */
static void print_replay(const struct document *doc, FILE *stream)
{
	report_lost(doc, stream ? stream : stderr);
	if (!stream)
		return;
	replay_print(doc, stream);
	print_comparisons(doc, stream);
	report_waits(doc, stream);
	fputc('\n', stream);
	report_parks(doc, stream);
	report_footer(doc, stream);
}

/* The cells have the same settings, and each confirmation two of them. */
static bool check_sweep(const struct document *doc)
{
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		const struct set *set = &doc->sets[s];

		if (set->nr_asked != set->nr_variants || set->nr_variants < 2 ||
		    !set_is_compared(set))
			return false;
		if (set->role == SET_ROUNDS &&
		    set->nr_variants != doc->sets[0].nr_variants)
			return false;
	}
	return doc->sets[0].role == SET_ROUNDS;
}

static int make_sweep(struct document *doc)
{
	return summarise_variants(doc) || summarise_comparisons(doc) ||
			       summarise_sweep(doc) ?
		       -1 :
		       0;
}

static void print_sweep(const struct document *doc, FILE *stream)
{
	report_lost(doc, stream ? stream : stderr);
	if (!stream)
		return;
	report_sweep(doc, stream);
	fputc('\n', stream);
	report_footer(doc, stream);
	fputc('\n', stream);
	report_advice(doc, stream);
}

/* Are these the windows of `cost` for one delay? */
static bool is_cost_set(const struct set *set)
{
	static const u32 flags[COST_VARIANTS] = {
		[COST_SINGLE] = SPINDELAY_BURST,
		[COST_DOUBLE] = SPINDELAY_BURST | SPINDELAY_BURST_DOUBLE,
		[COST_HELD] = SPINDELAY_HELD,
	};
	unsigned int first = cost_has_bursts(set) ? 0 : COST_HELD;

	if (set->nr_cpus != 1 || set->nr_variants != COST_VARIANTS - first)
		return false;
	for (unsigned int i = 0; i < set->nr_variants; i++) {
		const struct spindelay_variant *v = &set->variants[i];

		if (v->flags != flags[first + i] ||
		    !v->burst != !(v->flags & SPINDELAY_BURST))
			return false;
	}
	return true;
}

static bool check_cost(const struct document *doc)
{
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		if (!is_cost_set(&doc->sets[s]))
			return false;
	return true;
}

static void print_cost(const struct document *doc, FILE *stream)
{
	if (!stream)
		return;
	report_costs(doc, stream);
	report_notes(doc, stream);
	fputc('\n', stream);
	report_footer(doc, stream);
}

/* What was not measured is as little of an answer as what was too noisy. */
static enum status sweep_status(const struct document *doc)
{
	return sweep_complete(doc) ? summary_status(doc) : STATUS_NOISY;
}

static int make_selftest(struct document *doc)
{
	return summarise_variants(doc) || selftest_judge(doc) ? -1 : 0;
}

static void print_selftest(const struct document *doc, FILE *stream)
{
	if (!stream)
		return;
	selftest_print(doc, stream);
	report_footer(doc, stream);
}

static const struct {
	const char *command;
	bool (*check)(const struct document *doc);
	int (*make)(struct document *doc);
	void (*print)(const struct document *doc, FILE *stream);
	enum status (*status)(const struct document *doc);
} commands[] = {
	{ "run", NULL, make_run, print_run, summary_status },
	{ "compare", NULL, make_compare, print_compare, summary_status },
	{ "sweep", check_sweep, make_sweep, print_sweep, sweep_status },
	{ "selftest", selftest_check, make_selftest, print_selftest,
	  selftest_status },
	{ "cost", check_cost, summarise_costs, print_cost, summary_status },
	{ "replay", replay_check, make_replay, print_replay, summary_status },
	{ DISPATCH_COMMAND, dispatch_check, summarise_dispatch, dispatch_print,
	  dispatch_status },
};

static size_t find_command(const struct document *doc)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(commands) &&
	       strcmp(commands[i].command, doc->command))
		i++;
	return i;
}

static void names_of_commands(char *names, size_t size)
{
	size_t used = 0;

	names[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(commands) && used < size; i++)
		used += snprintf(names + used, size - used, " %s",
				 commands[i].command);
}

int findings_check(const struct document *doc, char *why, size_t size)
{
	size_t i = find_command(doc);
	char names[128];

	if (i == ARRAY_SIZE(commands)) {
		names_of_commands(names, sizeof(names));
		snprintf(
			why, size,
			"it is a document of '%s', which measures nothing that is known here; those that do:%s",
			doc->command, names);
		return -1;
	}
	if (!doc->nr_sets && !doc->dispatch.nr_rounds) {
		snprintf(why, size, "there are no windows in it");
		return -1;
	}
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		/* What is written on the way may be half done. */
		if (doc->sets[s].nr_windows || !strcmp(doc->command, "sweep") ||
		    !strcmp(doc->command, "replay"))
			continue;
		snprintf(why, size, "there are no windows of its set %u", s);
		return -1;
	}
	if (commands[i].check && !commands[i].check(doc)) {
		snprintf(why, size, "its windows are not those of '%s'",
			 doc->command);
		return -1;
	}
	return 0;
}

int findings_make(struct document *doc)
{
	size_t i = find_command(doc);

	return i < ARRAY_SIZE(commands) ? commands[i].make(doc) : -1;
}

enum status findings_status(const struct document *doc)
{
	size_t i = find_command(doc);

	return i < ARRAY_SIZE(commands) ? commands[i].status(doc) :
					  STATUS_ERROR;
}

void findings_print(const struct document *doc, FILE *stream)
{
	size_t i = find_command(doc);

	if (i < ARRAY_SIZE(commands))
		commands[i].print(doc, stream);
}
