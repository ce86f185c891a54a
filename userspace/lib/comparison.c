// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/comparison.h"
#include "lib/variant.h"

/* ---- which ---- */

const struct equal_time *equal_time_of(const struct document *doc,
				       const struct spindelay_variant *a,
				       const struct spindelay_variant *b)
{
	for (unsigned int i = 0; i < doc->nr_equal_times; i++) {
		const struct equal_time *e = &doc->equal_times[i];
		const struct spindelay_variant *v = doc->sets[e->set].variants;

		if ((variant_same_poll(&v[0], a) &&
		     variant_same_poll(&v[1], b)) ||
		    (variant_same_poll(&v[0], b) &&
		     variant_same_poll(&v[1], a)))
			return e;
	}
	return NULL;
}

static struct comparison *add(struct document *doc, unsigned int set,
			      unsigned int a, unsigned int b, enum part part)
{
	struct comparison *c;

	c = reallocarray(doc->comparisons, doc->nr_comparisons + 1, sizeof(*c));
	if (!c)
		return NULL;
	doc->comparisons = c;
	c += doc->nr_comparisons++;
	memset(c, 0, sizeof(*c));
	c->set = set;
	c->a = a;
	c->b = b;
	c->part = part;
	c->match = part == PART_WHOLE ? MATCH_COUNT : MATCH_TIME;
	c->whole = doc->nr_comparisons - 1;
	return c;
}

static bool asked(const struct document *doc, enum match match)
{
	return doc->match & MATCH_BIT(match);
}

/* The padded variant for the comparison of @a; 0 if there is none. */
static unsigned int padded_for(const struct set *set, unsigned int a)
{
	for (unsigned int p = set->nr_asked; p < set->nr_variants; p++)
		if (set->paddings[p - set->nr_asked].against == a)
			return p;
	return 0;
}

static int add_part(struct document *doc, unsigned int set, unsigned int a,
		    unsigned int b, enum part part, unsigned int whole)
{
	struct comparison *c = add(doc, set, a, b, part);

	if (c && asked(doc, MATCH_COUNT))
		c->whole = whole;
	return c ? 0 : -1;
}

static int add_parts(struct document *doc, unsigned int index, unsigned int a,
		     unsigned int whole)
{
	const struct set *set = &doc->sets[index];
	const unsigned int base = set_baseline(set), p = padded_for(set, a);
	const bool length = asked(doc, MATCH_COUNT);

	/* Equally long without padding, or the same to begin with. */
	if (!p &&
	    (equal_time_of(doc, &set->variants[a], &set->variants[base]) ||
	     (!length &&
	      variant_same_poll(&set->variants[a], &set->variants[base]))))
		return add_part(doc, index, a, base, PART_INSTRUCTION, whole);
	if (!p)
		return 0;
	if (set->paddings[p - set->nr_asked].of == a)
		return (length &&
			add_part(doc, index, a, p, PART_LENGTH, whole)) ||
				       add_part(doc, index, p, base,
						PART_INSTRUCTION, whole) ?
			       -1 :
			       0;
	return (length && add_part(doc, index, p, base, PART_LENGTH, whole)) ||
			       add_part(doc, index, a, p, PART_INSTRUCTION,
					whole) ?
		       -1 :
		       0;
}

static int list_set(struct document *doc, unsigned int index)
{
	const struct set *set = &doc->sets[index];

	for (unsigned int a = 0; a < set_baseline(set); a++) {
		const unsigned int whole = doc->nr_comparisons;

		if (asked(doc, MATCH_COUNT) &&
		    !add(doc, index, a, set_baseline(set), PART_WHOLE))
			return -1;
		if (asked(doc, MATCH_TIME) && add_parts(doc, index, a, whole))
			return -1;
	}
	return 0;
}

int comparisons_list(struct document *doc)
{
	free(doc->comparisons);
	doc->comparisons = NULL;
	doc->nr_comparisons = 0;
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		if (doc->sets[s].role != SET_PERIODS && list_set(doc, s))
			return -1;
	return 0;
}

const struct comparison *comparison_part(const struct document *doc,
					 const struct comparison *whole,
					 enum part part)
{
	for (unsigned int i = 0; i < doc->nr_comparisons; i++)
		if (doc->comparisons[i].part == part &&
		    &doc->comparisons[doc->comparisons[i].whole] == whole)
			return &doc->comparisons[i];
	return NULL;
}

/* ---- what they say ---- */

/* Log ratios of the valid rounds, placement by placement. */
struct ratios {
	double *d;
	size_t n;
	double *medians;
	unsigned int nr_medians;
};

static double log_ratio(const struct set *set, size_t round, unsigned int a,
			unsigned int b)
{
	return log(window_throughput(set, round_window(set, round, a)) /
		   window_throughput(set, round_window(set, round, b)));
}

/* Add the rounds of placement @p, which begin with *@round. */
static void add_placement(struct ratios *ratios, const struct set *set,
			  const struct comparison *c, unsigned int p,
			  size_t *round)
{
	size_t first = ratios->n;

	for (; *round < set_rounds(set); ++*round) {
		if (set->windows[*round * set->nr_variants].placement != p)
			break;
		if (round_valid(set, *round))
			ratios->d[ratios->n++] =
				log_ratio(set, *round, c->a, c->b);
	}
	if (ratios->n - first >= STATS_ROUNDS_MIN)
		ratios->medians[ratios->nr_medians++] =
			stats_median(ratios->d + first, ratios->n - first);
}

static void ratios_free(struct ratios *ratios)
{
	free(ratios->d);
	free(ratios->medians);
}

static int ratios_collect(struct ratios *ratios, const struct set *set,
			  const struct comparison *c)
{
	size_t round = 0;

	memset(ratios, 0, sizeof(*ratios));
	ratios->d = calloc(set_rounds(set) + 1, sizeof(double));
	ratios->medians = calloc(set->nr_placements + 1, sizeof(double));
	if (!ratios->d || !ratios->medians) {
		ratios_free(ratios);
		return -1;
	}
	for (unsigned int p = 0; p < set->nr_placements; p++)
		add_placement(ratios, set, c, p, &round);
	return 0;
}

static struct interval compare_ratios(const struct ratios *ratios, double level)
{
	if (ratios->nr_medians >= STATS_PLACEMENTS_MIN)
		return stats_t_interval(ratios->medians, ratios->nr_medians,
					level);
	return stats_placement(ratios->d, ratios->n, level);
}

/* What was measured again answers for itself, whatever else was looked at. */
static double level_of(const struct document *doc, const struct comparison *c)
{
	unsigned int at_once = 0;

	for (unsigned int i = 0; i < doc->nr_comparisons; i++)
		at_once += doc->sets[doc->comparisons[i].set].role ==
			   doc->sets[c->set].role;
	return stats_level(at_once);
}

static bool precise(const struct document *doc, const struct comparison *c)
{
	struct ratios ratios;
	bool enough;

	if (ratios_collect(&ratios, &doc->sets[c->set], c))
		return false;
	enough = stats_enough(ratios.medians, ratios.nr_medians,
			      level_of(doc, c), doc->precision);
	ratios_free(&ratios);
	return enough;
}

bool comparisons_precise(const struct document *doc, unsigned int set)
{
	for (unsigned int i = 0; i < doc->nr_comparisons; i++)
		if (doc->comparisons[i].set == set &&
		    !precise(doc, &doc->comparisons[i]))
			return false;
	return true;
}

static void decline(struct comparison *c, const char *reason)
{
	c->verdict = VERDICT_NOT_JUDGED;
	snprintf(c->reason, sizeof(c->reason), "%s", reason);
}

const struct equal_time *comparison_unmatched(const struct document *doc,
					      const struct comparison *c)
{
	const struct spindelay_variant *v = doc->sets[c->set].variants;

	if (c->part == PART_WHOLE)
		return NULL;
	/* Of a length, the poll that the padded one was made as long as. */
	for (unsigned int i = 0; i < doc->nr_equal_times; i++) {
		const struct equal_time *e = &doc->equal_times[i];
		const struct spindelay_variant *padded =
			&doc->sets[e->set].variants[0];

		if (!e->matched && (variant_same_poll(padded, &v[c->a]) ||
				    variant_same_poll(padded, &v[c->b])))
			return e;
	}
	return NULL;
}

/* Polls that are not equally long split nothing. */
static void decline_unmatched(const struct document *doc, struct comparison *c)
{
	const struct equal_time *e = comparison_unmatched(doc, c);

	if (!e)
		return;
	c->verdict = VERDICT_NOT_JUDGED;
	snprintf(c->reason, sizeof(c->reason),
		 "the poll periods differ by %.1f %%, more than %g %%",
		 100 * fabs(e->mismatch), 100 * EQUAL_TOLERANCE);
}

static void judge(const struct document *doc, struct comparison *c)
{
	const struct hypervisor *hypervisor = &doc->machine.hypervisor;

	c->verdict = VERDICT_NONE;
	if (c->resolved == RESOLVED_HIGHER)
		c->verdict = VERDICT_FASTER;
	else if (c->resolved == RESOLVED_LOWER)
		c->verdict = VERDICT_SLOWER;
	if (hypervisor->emulated) {
		decline(c, "this CPU is emulated");
	} else if (c->too_few) {
		c->verdict = VERDICT_NOT_JUDGED;
		snprintf(c->reason, sizeof(c->reason),
			 "too few valid rounds: %zu of %zu", c->rounds,
			 c->rounds + c->discarded);
	} else if (c->placements < STATS_PLACEMENTS_MIN) {
		decline(c, c->placements > 1 ? "within a few placements only" :
					       "within one placement only");
	} else {
		decline_unmatched(doc, c);
	}
}

static void resolve(struct comparison *c, const struct interval *log)
{
	c->ratio = interval_exp(*log);
	c->minimum_detectable_effect = NAN;
	c->resolved = RESOLVED_NONE;
	if (!interval_known(log))
		return;
	c->minimum_detectable_effect = stats_mde(log);
	if (log->low > 0)
		c->resolved = RESOLVED_HIGHER;
	else if (log->high < 0)
		c->resolved = RESOLVED_LOWER;
}

int summarise_comparison(const struct document *doc, struct comparison *c,
			 double level)
{
	const struct set *set = &doc->sets[c->set];
	struct ratios ratios;
	struct interval log;

	if (ratios_collect(&ratios, set, c))
		return -1;
	log = compare_ratios(&ratios, level);
	c->placements = ratios.nr_medians;
	c->rounds = ratios.n;
	c->discarded = set_rounds(set) - ratios.n;
	resolve(c, &log);
	c->too_few = !interval_known(&log) || c->rounds < c->discarded ||
		     (doc->placements >= STATS_PLACEMENTS_MIN &&
		      c->placements < STATS_PLACEMENTS_MIN);
	judge(doc, c);
	ratios_free(&ratios);
	return 0;
}

int summarise_comparisons(struct document *doc)
{
	if (comparisons_list(doc))
		return -1;
	for (unsigned int i = 0; i < doc->nr_comparisons; i++)
		if (summarise_comparison(doc, &doc->comparisons[i],
					 level_of(doc, &doc->comparisons[i])))
			return -1;
	return 0;
}

/* ---- how long the polls are ---- */

/* ns of one poll of a window of one CPU or some. */
static double window_period(const struct document *doc, const struct set *set,
			    size_t round, unsigned int variant)
{
	const struct window *window = round_window(set, round, variant);
	const bool held = set->variants[variant].flags & SPINDELAY_HELD;
	double ticks = 0, polls = 0;

	for (unsigned int i = 0; i < set->nr_cpus; i++) {
		const struct spindelay_record *r = &window->records[i];

		ticks += r->ticks;
		polls += held ? r->polls : r->acquisitions;
	}
	if (window->abi.invalid || !polls)
		return NAN;
	return ticks * 1e9 / doc->machine.counter_hz / polls;
}

static int summarise_equal_time(struct document *doc, struct equal_time *e)
{
	const struct set *set = &doc->sets[e->set];
	const size_t rounds = set_rounds(set);
	double *values = calloc(3 * rounds + 1, sizeof(*values));
	double *padded, *longer, *ratios;
	struct interval ratio;

	if (!values)
		return -1;
	padded = values;
	longer = values + rounds;
	ratios = values + 2 * rounds;
	e->rounds = 0;
	for (size_t r = 0; r < rounds; r++) {
		padded[e->rounds] = window_period(doc, set, r, 0);
		longer[e->rounds] = window_period(doc, set, r, 1);
		ratios[e->rounds] = padded[e->rounds] / longer[e->rounds];
		e->rounds += !isnan(ratios[e->rounds]);
	}
	e->padded = stats_sign_interval(padded, e->rounds, 0.95);
	e->longer = stats_sign_interval(longer, e->rounds, 0.95);
	ratio = stats_sign_interval(ratios, e->rounds, 0.95);
	e->mismatch = stats_median(ratios, e->rounds) - 1;
	e->unsure = (ratio.high - ratio.low) / 2;
	e->matched = fabs(e->mismatch) <= EQUAL_TOLERANCE;
	free(values);
	return 0;
}

int summarise_equal_times(struct document *doc)
{
	free(doc->equal_times);
	doc->nr_equal_times = 0;
	doc->equal_times = calloc(doc->nr_sets + 1, sizeof(*doc->equal_times));
	if (!doc->equal_times)
		return -1;
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		if (doc->sets[s].role != SET_PERIODS)
			continue;
		doc->equal_times[doc->nr_equal_times].set = s;
		if (summarise_equal_time(doc, &doc->equal_times
						       [doc->nr_equal_times++]))
			return -1;
	}
	return 0;
}
