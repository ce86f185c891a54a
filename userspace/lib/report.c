// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <math.h>
#include <string.h>

#include "lib/comparison.h"
#include "lib/names.h"
#include "lib/report.h"
#include "lib/sweep.h"
#include "lib/table.h"
#include "lib/variant.h"
#include "lib/words.h"

#define SENTENCE_MAX 1536
/* How far a delay share may be from what was asked for. */
#define SHARE_MET 0.02
/* Up to here a clock frequency is the same. */
#define FREQUENCY_STEADY 0.01

static double percent(double ratio)
{
	double percent = 100 * (ratio - 1);

	/* What would be shown as -0.0 is zero. */
	return fabs(percent) < 0.05 ? 0 : percent;
}

/* Both by delay alone, unless they differ in the lock. */
static void pair_names(const struct set *set, const struct comparison *c,
		       char *a, char *b)
{
	const struct spindelay_variant *va = &set->variants[c->a];
	const struct spindelay_variant *vb = &set->variants[c->b];

	if (va->lock == vb->lock) {
		variant_delay_format(va, a);
		variant_delay_format(vb, b);
	} else {
		variant_format(va, a);
		variant_format(vb, b);
	}
}

/* The work: a delay share where think follows from it. */
static void share_text(const struct set *set, char *text, size_t size)
{
	const struct spindelay_variant *v = &set->variants[set_baseline(set)];

	if (set->share)
		snprintf(text, size, "delay share %g %%", 100 * set->share);
	else if (v->think_ns || set->nr_cpus < 2 ||
		 !lock_has(v->lock, SPIN_POLLS))
		snprintf(text, size, "as asked");
	else
		snprintf(text, size, "saturated");
}

static void load_text(const struct set *set, const struct comparison *c,
		      char *text, size_t size)
{
	const struct spindelay_variant *v = &set->variants[c->b];
	char name[VARIANT_TEXT_MAX], share[64];
	int used = 0;

	variant_format(v, name);
	*strchrnul(name, '/') = '\0';
	share_text(set, share, sizeof(share));
	if (strcmp(share, "as asked"))
		used = snprintf(text, size, "%s, ", share);
	used += snprintf(text + used, size - used,
			 "%s, %u CPU%s, hold %u ns, think %u ns", name,
			 set->nr_cpus, set->nr_cpus == 1 ? "" : "s", v->hold_ns,
			 v->think_ns);
	if (v->jitter)
		used += snprintf(text + used, size - used, " +/- %u %%",
				 v->jitter);
	if (v->lines)
		snprintf(text + used, size - used, ", %u line%s written",
			 v->lines, v->lines == 1 ? "" : "s");
}

static void finding(const struct comparison *c, const char *a, const char *b,
		    char *text, size_t size)
{
	double gain = percent(c->ratio.estimate);
	int used;

	switch (c->verdict) {
	case VERDICT_FASTER:
	case VERDICT_SLOWER:
		snprintf(text, size, "%s gives %.1f %% %s throughput than %s",
			 a, fabs(gain), gain > 0 ? "more" : "less", b);
		break;
	case VERDICT_NONE:
		snprintf(
			text, size,
			"No difference resolved between %s and %s; %.1f %% would have been seen",
			a, b, 100 * c->minimum_detectable_effect);
		break;
	case VERDICT_NOT_JUDGED:
		used = snprintf(text, size,
				"%s against %s is not judged, because %s", a, b,
				c->reason);
		if (!isnan(gain))
			snprintf(text + used, size - used,
				 "; throughput %+.1f %%", gain);
		break;
	}
}

static void interval_text(const struct comparison *c, char *text, size_t size)
{
	if (interval_known(&c->ratio))
		snprintf(text, size, "%.4g %% interval %+.1f to %+.1f %%",
			 100 * c->ratio.level, percent(c->ratio.low),
			 percent(c->ratio.high));
	else
		snprintf(text, size, "no interval");
}

/* What a part is worth, in points of the whole's percent. */
static double points(const struct comparison *whole,
		     const struct comparison *part,
		     const struct comparison *other)
{
	double own = log(part->ratio.estimate);

	return 100 * (whole->ratio.estimate - 1) * own /
	       (own + log(other->ratio.estimate));
}

static const char *unresolved(const struct comparison *c)
{
	return c->resolved == RESOLVED_NONE ? " (not resolved)" : "";
}

/* In percent only where the whole is resolved, and its parts add up to it. */
static bool splits(const struct comparison *whole,
		   const struct comparison *length,
		   const struct comparison *instruction)
{
	double sum = log(length->ratio.estimate * instruction->ratio.estimate);

	return whole->resolved != RESOLVED_NONE &&
	       sum * log(whole->ratio.estimate) > 0 &&
	       fabs(sum) > fabs(log(whole->ratio.estimate)) / 2;
}

static void split_text(const struct document *doc,
		       const struct comparison *whole, char *text, size_t size)
{
	const struct comparison *length =
		comparison_part(doc, whole, PART_LENGTH);
	const struct comparison *instruction =
		comparison_part(doc, whole, PART_INSTRUCTION);
	char a[VARIANT_TEXT_MAX], b[VARIANT_TEXT_MAX], interval[96];

	text[0] = '\0';
	if (!instruction || isnan(instruction->ratio.estimate))
		return;
	if (comparison_unmatched(doc, instruction)) {
		snprintf(
			text, size,
			" Their polls could not be made equally long, so it is not split into length and instruction.");
		return;
	}
	pair_names(&doc->sets[whole->set], instruction, a, b);
	interval_text(instruction, interval, sizeof(interval));
	if (!length)
		snprintf(
			text, size,
			" Their polls are equally long, so this is the instruction's.");
	else if (splits(whole, length, instruction))
		snprintf(
			text, size,
			" Of the %+.1f points, %+.1f are the length of the poll%s and %+.1f the instruction%s: at equal time %s gives %+.1f %% over %s (%s).",
			percent(whole->ratio.estimate),
			points(whole, length, instruction), unresolved(length),
			points(whole, instruction, length),
			unresolved(instruction), a,
			percent(instruction->ratio.estimate), b, interval);
	else
		snprintf(text, size,
			 " At equal time %s gives %+.1f %% over %s%s (%s).", a,
			 percent(instruction->ratio.estimate), b,
			 unresolved(instruction), interval);
}

static void report_sentence(const struct document *doc,
			    const struct comparison *c, FILE *stream)
{
	char a[VARIANT_TEXT_MAX], b[VARIANT_TEXT_MAX], interval[96];
	char load[192], found[512], split[512], text[SENTENCE_MAX];
	const struct set *set = &doc->sets[c->set];

	pair_names(set, c, a, b);
	load_text(set, c, load, sizeof(load));
	finding(c, a, b, found, sizeof(found));
	interval_text(c, interval, sizeof(interval));
	split_text(doc, c, split, sizeof(split));
	snprintf(text, sizeof(text), "%s%s (%s; %s).%s",
		 c->part == PART_WHOLE ? "" : "At equal time ", found, interval,
		 load, split);
	print_wrapped(stream, text);
}

void report_lost(const struct document *doc, FILE *stream)
{
	char name[VARIANT_TEXT_MAX], text[SENTENCE_MAX];

	for (unsigned int i = 0; i < doc->nr_variants; i++) {
		const struct variant_result *r = &doc->variants[i];
		const struct set *set = &doc->sets[r->set];

		if (!r->lost)
			continue;
		snprintf(
			text, sizeof(text),
			"%s lost mutual exclusion: %llu acquisitions on %u CPUs while another CPU was inside.",
			variant_format(&set->variants[r->variant], name),
			(unsigned long long)r->lost, set->nr_cpus);
		print_wrapped(stream, text);
	}
}

void report_sentences(const struct document *doc, FILE *stream)
{
	for (unsigned int i = 0; i < doc->nr_comparisons; i++)
		if (doc->comparisons[i].whole == i)
			report_sentence(doc, &doc->comparisons[i], stream);
}

void report_equal_times(const struct document *doc, FILE *stream)
{
	char padded[VARIANT_TEXT_MAX], longer[VARIANT_TEXT_MAX];
	char text[SENTENCE_MAX];

	for (unsigned int i = 0; i < doc->nr_equal_times; i++) {
		const struct equal_time *e = &doc->equal_times[i];
		const struct set *set = &doc->sets[e->set];

		snprintf(
			text, sizeof(text),
			"Equal time: a poll with %s takes %.1f ns, with %s %.1f ns; they differ by %.2f %%%s.",
			variant_delay_format(&set->variants[0], padded),
			e->padded.estimate,
			variant_delay_format(&set->variants[1], longer),
			e->longer.estimate, 100 * fabs(e->mismatch),
			e->matched ?
				"" :
				", more than can be called equal: the parts are not judged");
		print_wrapped(stream, text);
	}
}

static const char *short_part(enum part part)
{
	return part == PART_INSTRUCTION ? "instr." : part_word(part);
}

/* "5 %", what think was asked for, or that there is none. */
static void load_cell(struct table *table, const struct set *set)
{
	const struct spindelay_variant *v = &set->variants[set_baseline(set)];

	if (set->share)
		table_cell(table, "%g %%", 100 * set->share);
	else
		table_cell(table, "%u ns", v->think_ns);
}

/* Percent that the best of a cell has over its default. */
static double cell_gain(const struct document *doc, const struct cell *cell)
{
	for (unsigned int i = 0; i < doc->nr_comparisons; i++)
		if (doc->comparisons[i].set == cell->set &&
		    doc->comparisons[i].a == cell->best)
			return percent(doc->comparisons[i].ratio.estimate);
	return 0;
}

void report_comparisons(const struct document *doc, FILE *stream)
{
	char a[VARIANT_TEXT_MAX], b[VARIANT_TEXT_MAX];
	struct table table;

	table_begin(&table, "<part|<a|<b|CPUs|share|a/b|low|high|<resolved");
	for (unsigned int i = 0; i < doc->nr_comparisons; i++) {
		const struct comparison *c = &doc->comparisons[i];

		pair_names(&doc->sets[c->set], c, a, b);
		table_cell(&table, "%s", short_part(c->part));
		table_cell(&table, "%s", a);
		table_cell(&table, "%s", b);
		table_cell(&table, "%u", doc->sets[c->set].nr_cpus);
		load_cell(&table, &doc->sets[c->set]);
		table_number(&table, c->ratio.estimate, 3);
		table_number(&table, c->ratio.low, 3);
		table_number(&table, c->ratio.high, 3);
		table_cell(&table, "%s", resolved_word(c->resolved));
	}
	table_print(&table, stream);
}

static void variant_name_cells(struct table *table, const struct document *doc,
			       const struct variant_result *r)
{
	const struct set *set = &doc->sets[r->set];
	char name[VARIANT_TEXT_MAX];

	table_cell(table, "%s",
		   variant_format(&set->variants[r->variant], name));
	table_cell(table, "%u", set->nr_cpus);
}

static void report_set_variants(const struct document *doc, unsigned int set,
				FILE *stream)
{
	struct table table;

	table_begin(
		&table,
		"<variant|CPUs|k/s|ns each|polls each|delay %|hold x|Jain|min/max");
	for (unsigned int i = 0; i < doc->nr_variants; i++) {
		const struct variant_result *r = &doc->variants[i];

		if (r->set != set)
			continue;
		variant_name_cells(&table, doc, r);
		table_number(&table, r->rate / 1e3, 1);
		table_number(&table, r->ns_per_acquisition, 1);
		table_number(&table, r->polls_per_acquisition, 2);
		table_number(&table, 100 * r->delay_share, 1);
		table_number(&table, r->hold_stretch, 3);
		table_number(&table, r->jain, 3);
		table_number(&table, r->min_over_max, 3);
	}
	table_print(&table, stream);
}

void report_variants(const struct document *doc, FILE *stream)
{
	const char *before = "";
	char share[64];

	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		const struct set *set = &doc->sets[s];

		if (!set_is_compared(set))
			continue;
		if (doc->nr_sets > 1) {
			share_text(set, share, sizeof(share));
			fprintf(stream, "%s%s, think %u ns:\n", before, share,
				set->variants[set_baseline(set)].think_ns);
		}
		report_set_variants(doc, s, stream);
		before = "\n";
	}
}

/* Below two ticks of the counter nothing can be told apart. */
static void wait_cell(struct table *table, const struct document *doc,
		      double ns)
{
	double two_ticks = 2e9 / doc->machine.counter_hz;

	if (ns < two_ticks)
		table_cell(table, "< %.0f", two_ticks);
	else
		table_number(table, ns, 0);
}

void report_counters(const struct document *doc, FILE *stream)
{
	struct table table;

	table_begin(&table, "<counted|CPUs|cycles each|instructions each|GHz");
	for (unsigned int i = 0; i < doc->nr_variants; i++) {
		const struct variant_result *r = &doc->variants[i];

		variant_name_cells(&table, doc, r);
		table_number(&table, r->cycles, 1);
		table_number(&table, r->instructions, 1);
		table_number(&table, r->ghz, 3);
	}
	table_print(&table, stream);
}

void report_shares(const struct document *doc, FILE *stream)
{
	char name[VARIANT_TEXT_MAX], text[SENTENCE_MAX];

	for (unsigned int i = 0; i < doc->nr_variants; i++) {
		const struct variant_result *r = &doc->variants[i];
		const struct set *set = &doc->sets[r->set];
		const struct spindelay_variant *v = &set->variants[r->variant];

		if (!set->share || set->share_variant != r->variant)
			continue;
		snprintf(
			text, sizeof(text),
			"With a think of %u ns the delay share of %s on %u CPU%s is %.1f %%; %g %% was asked for%s.",
			v->think_ns, variant_format(v, name), set->nr_cpus,
			set->nr_cpus == 1 ? "" : "s", 100 * r->delay_share,
			100 * set->share,
			fabs(r->delay_share - set->share) <= SHARE_MET ?
				"" :
				", so it was missed");
		print_wrapped(stream, text);
	}
}

static void handover_note(const struct variant_result *r,
			  const struct spindelay_variant *v, FILE *stream)
{
	char name[VARIANT_TEXT_MAX], text[SENTENCE_MAX];

	if (isnan(r->ns_per_acquisition))
		return;
	snprintf(text, sizeof(text), "%s: %.1f ns per handover%s.",
		 variant_format(v, name), r->ns_per_acquisition,
		 v->hold_ns ? ", hold included" : "");
	print_wrapped(stream, text);
}

static void own_wait_note(const struct spindelay_variant *v, FILE *stream)
{
	char name[VARIANT_TEXT_MAX], delay[VARIANT_TEXT_MAX];
	char unused[VARIANT_TEXT_MAX + 32] = "", text[SENTENCE_MAX];

	variant_format(v, name);
	variant_delay_format(v, delay);
	if (v->delay != SPIN_DELAY_none || v->pad)
		snprintf(unused, sizeof(unused), ", and %s is not used", delay);
	snprintf(
		text, sizeof(text),
		"%s: %s waits in a way of its own; its polls are not counted%s.",
		name, lock_by_id(v->lock)->name, unused);
	print_wrapped(stream, text);
}

static void twin_note(const struct spindelay_variant *v, FILE *stream)
{
	char name[VARIANT_TEXT_MAX], text[SENTENCE_MAX];

	variant_format(v, name);
	snprintf(
		text, sizeof(text),
		"%s is the same loop as %.*s, compiled once more at another address: what differs is noise, or owed to where the code lies.",
		name, (int)strlen(name) - 1, name);
	print_wrapped(stream, text);
}

static void sleep_note(const struct cost *c, FILE *stream)
{
	char name[VARIANT_TEXT_MAX], text[SENTENCE_MAX];

	if (!delay_has(c->variant.delay, SPIN_SLEEPS))
		return;
	snprintf(
		text, sizeof(text),
		"%s sleeps until the word changes or something else wakes it, so it has no cost back to back; its poll lasts as long as that.",
		variant_delay_format(&c->variant, name));
	print_wrapped(stream, text);
}

void report_notes(const struct document *doc, FILE *stream)
{
	for (unsigned int i = 0; i < doc->nr_variants; i++) {
		const struct variant_result *r = &doc->variants[i];
		const struct spindelay_variant *v =
			&doc->sets[r->set].variants[r->variant];

		if (v->flags & SPINDELAY_TWIN && !r->set)
			twin_note(v, stream);
		if (lock_has(v->lock, SPIN_PAIR))
			handover_note(r, v, stream);
		if (lock_has(v->lock, SPIN_OWN_WAIT))
			own_wait_note(v, stream);
	}
	for (unsigned int i = 0; i < doc->nr_costs; i++)
		sleep_note(&doc->costs[i], stream);
}

static void cell_sentence(const struct document *doc, const struct cell *cell,
			  FILE *stream)
{
	const struct set *set = &doc->sets[cell->set];
	const struct spindelay_variant *v = set->variants;
	char name[VARIANT_TEXT_MAX], share[64], text[SENTENCE_MAX];
	int used;

	share_text(set, share, sizeof(share));
	used = snprintf(
		text, sizeof(text),
		"%s, %u CPU%s, %s (think %u ns): best %s, %+.1f %% over the default; ",
		lock_by_id(v->lock)->name, set->nr_cpus,
		set->nr_cpus == 1 ? "" : "s", share, v[cell->best].think_ns,
		variant_delay_format(&v[cell->best], name),
		cell_gain(doc, cell));
	used += snprintf(text + used, sizeof(text) - used,
			 cell->tied ? "cannot be told from it:" :
				      "all others can be told from it");
	for (unsigned int i = 0; i < set->nr_asked; i++)
		if (cell->tied >> i & 1 && used < SENTENCE_MAX - 80)
			used += snprintf(text + used, sizeof(text) - used,
					 " %s",
					 variant_delay_format(&v[i], name));
	snprintf(text + used, sizeof(text) - used, ".");
	print_wrapped(stream, text);
}

void report_sweep(const struct document *doc, FILE *stream)
{
	bool confirmed = false;

	for (unsigned int i = 0; i < doc->nr_cells; i++)
		cell_sentence(doc, &doc->cells[i], stream);
	for (unsigned int i = 0; i < doc->nr_comparisons; i++) {
		const struct comparison *c = &doc->comparisons[i];

		if (doc->sets[c->set].role != SET_CONFIRM ||
		    !doc->sets[c->set].nr_windows)
			continue;
		if (!confirmed)
			fputs("\nThe best over all loads once more, in fresh placements:\n",
			      stream);
		confirmed = true;
		report_sentence(doc, c, stream);
	}
}

void report_advice(const struct document *doc, FILE *stream)
{
	char text[SENTENCE_MAX];

	sweep_advice(doc, text, sizeof(text));
	print_wrapped(stream, text);
}

void report_waits(const struct document *doc, FILE *stream)
{
	struct table table;

	table_begin(&table,
		    "<waits, ns|CPUs|median|99 %|99.9 %|longest|valid windows");
	for (unsigned int i = 0; i < doc->nr_variants; i++) {
		const struct variant_result *r = &doc->variants[i];

		if (!set_is_compared(&doc->sets[r->set]))
			continue;
		variant_name_cells(&table, doc, r);
		wait_cell(&table, doc, r->wait_p50);
		wait_cell(&table, doc, r->wait_p99);
		wait_cell(&table, doc, r->wait_p999);
		wait_cell(&table, doc, r->wait_max);
		table_cell(&table, "%zu", r->windows);
	}
	table_print(&table, stream);
}

static bool counts_parks(const struct document *doc,
			 const struct variant_result *r)
{
	const struct set *set = &doc->sets[r->set];

	return set->role != SET_PERIODS &&
	       lock_has(set->variants[r->variant].lock, SPIN_PARKS);
}

static void park_cells(struct table *table, const struct variant_result *r)
{
	u64 rounds = 0, delays = 0, yields = 0, parks = 0, acquisitions = 0;

	for (unsigned int i = 0; i < r->nr_cpus; i++) {
		const struct cpu_result *c = &r->cpus[i];

		rounds += c->rounds;
		delays += c->delays;
		yields += c->yields;
		parks += c->parks;
		acquisitions += c->acquisitions;
	}
	table_number(table, (double)rounds / acquisitions, 3);
	table_number(table, (double)delays / acquisitions, 2);
	table_cell(table, "%llu", (unsigned long long)rounds);
	table_cell(table, "%llu", (unsigned long long)delays);
	table_cell(table, "%llu", (unsigned long long)yields);
	table_cell(table, "%llu", (unsigned long long)parks);
}

void report_parks(const struct document *doc, FILE *stream)
{
	struct table table;
	unsigned int i = 0;

	while (i < doc->nr_variants && !counts_parks(doc, &doc->variants[i]))
		i++;
	if (i == doc->nr_variants)
		return;
	table_begin(
		&table,
		"<waits, counted|CPUs|rounds each|delays each|rounds|delays|yields|parks");
	for (; i < doc->nr_variants; i++) {
		if (!counts_parks(doc, &doc->variants[i]))
			continue;
		variant_name_cells(&table, doc, &doc->variants[i]);
		park_cells(&table, &doc->variants[i]);
	}
	table_print(&table, stream);
	fputc('\n', stream);
}

static void cpu_line(struct table *table, const struct document *doc,
		     const struct variant_result *r, const struct cpu_result *c)
{
	const struct set *set = &doc->sets[r->set];
	char name[VARIANT_TEXT_MAX];

	table_cell(table, "%s",
		   variant_format(&set->variants[r->variant], name));
	table_cell(table, "%u", c->cpu);
	table_number(table, c->rate / 1e3, 1);
	table_cell(table, "%llu", (unsigned long long)c->acquisitions);
	if (lock_has(set->variants[r->variant].lock, SPIN_OWN_WAIT))
		table_cell(table, "-");
	else
		table_cell(table, "%llu", (unsigned long long)c->polls);
	table_number(table, 100 * c->delay_share, 1);
	wait_cell(table, doc, c->wait_max_ns);
}

void report_cpus(const struct document *doc, FILE *stream)
{
	struct table table;

	table_begin(
		&table,
		"<variant|CPU|k/s|acquisitions|polls|delay %|longest wait, ns");
	for (unsigned int i = 0; i < doc->nr_variants; i++)
		for (unsigned int k = 0; k < doc->variants[i].nr_cpus; k++)
			cpu_line(&table, doc, &doc->variants[i],
				 &doc->variants[i].cpus[k]);
	table_print(&table, stream);
}

/* What is long needs no thousandths. */
static void cost_number(struct table *table, double value, int decimals)
{
	table_number(table, value, fabs(value) < 1000 ? decimals : 1);
}

void report_costs(const struct document *doc, FILE *stream)
{
	char name[VARIANT_TEXT_MAX];
	struct table table;

	table_begin(&table,
		    "<delay|ns each|low|high|cycles|ns a poll|low|high|rounds");
	for (unsigned int i = 0; i < doc->nr_costs; i++) {
		const struct cost *c = &doc->costs[i];

		table_cell(&table, "%s",
			   variant_delay_format(&c->variant, name));
		cost_number(&table, c->back_to_back.estimate, 3);
		cost_number(&table, c->back_to_back.low, 3);
		cost_number(&table, c->back_to_back.high, 3);
		cost_number(&table, c->cycles, 2);
		cost_number(&table, c->poll_period.estimate, 2);
		cost_number(&table, c->poll_period.low, 2);
		cost_number(&table, c->poll_period.high, 2);
		table_cell(&table, "%zu", c->rounds);
	}
	table_print(&table, stream);
}

static void frequency_warning(const struct document *doc, FILE *stream)
{
	char text[SENTENCE_MAX];

	/* Where the CPU is emulated, its cycles are no more than the time. */
	if (!(doc->frequency_change > FREQUENCY_STEADY) ||
	    doc->machine.hypervisor.emulated)
		return;
	snprintf(
		text, sizeof(text),
		"Warning: the clock frequency changed: a CPU's cycles over time differ by %.1f %% between windows.",
		100 * doc->frequency_change);
	print_wrapped(stream, text);
}

/* "6", or "6 to 14". */
static void placements_text(const struct document *doc, char *text, size_t size)
{
	unsigned int least = UINT_MAX, most = 0;

	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		unsigned int nr = doc->sets[s].nr_placements;

		if (!set_is_compared(&doc->sets[s]))
			continue;
		least = nr < least ? nr : least;
		most = nr > most ? nr : most;
	}
	if (least < most)
		snprintf(text, size, "%u to %u placements", least, most);
	else
		snprintf(text, size, "%u placement%s", most,
			 most == 1 ? "" : "s");
}

void report_footer(const struct document *doc, FILE *stream)
{
	char placements[48], text[SENTENCE_MAX];

	placements_text(doc, placements, sizeof(placements));
	snprintf(
		text, sizeof(text),
		"%s, kernel %s%s. Windows of %g ms, %u rounds in each of %s, seed %llu; %zu round%s discarded as invalid.",
		doc->machine.cpu, doc->machine.kernel,
		doc->user ? ", in threads of a process (--user)" : "",
		doc->window_ns / 1e6, doc->rounds, placements,
		(unsigned long long)doc->seed, doc->discarded_rounds,
		doc->discarded_rounds == 1 ? "" : "s");
	print_wrapped(stream, text);
	report_warnings(doc, stream);
}

void report_warnings(const struct document *doc, FILE *stream)
{
	char text[SENTENCE_MAX];

	for (unsigned int i = 0; i < doc->nr_notes; i++) {
		snprintf(text, sizeof(text), "Note: %s.", doc->notes[i]);
		print_wrapped(stream, text);
	}
	frequency_warning(doc, stream);
	for (unsigned int i = 0; i < doc->machine.nr_warnings; i++) {
		snprintf(text, sizeof(text), "Warning: %s.",
			 doc->machine.warnings[i]);
		print_wrapped(stream, text);
	}
	if (doc->machine.hypervisor.emulated)
		fputs("This CPU is emulated; these timings prove nothing about hardware.\n",
		      stream);
}
