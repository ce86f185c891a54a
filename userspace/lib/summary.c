// SPDX-License-Identifier: GPL-2.0-or-later
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/names.h"
#include "lib/summary.h"
#include "bench/hist.h"

static_assert(SPIN_HIST_BUCKETS == SPINDELAY_HIST_BUCKETS,
	      "the ABI carries the bench's histogram");

static double ticks_to_ns(const struct document *doc, double ticks)
{
	return ticks * 1e9 / doc->machine.counter_hz;
}

static double ratio_or_nan(double over, double under)
{
	return under > 0 ? over / under : NAN;
}

static bool window_valid(const struct set *set, const struct window *window)
{
	return !window->abi.invalid && window_throughput(set, window) > 0;
}

static size_t set_rounds(const struct set *set)
{
	return set->nr_windows / set->nr_variants;
}

static bool round_valid(const struct set *set, size_t round)
{
	const struct window *window = &set->windows[round * set->nr_variants];

	for (unsigned int i = 0; i < set->nr_variants; i++)
		if (!window_valid(set, &window[i]))
			return false;
	return true;
}

/* The window of a variant in a round; every round has one of each. */
static const struct window *round_window(const struct set *set, size_t round,
					 unsigned int variant)
{
	const struct window *window = &set->windows[round * set->nr_variants];

	while (window->abi.variant != variant)
		window++;
	return window;
}

static void count_discarded(struct document *doc)
{
	doc->discarded_rounds = 0;
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		for (size_t r = 0; r < set_rounds(&doc->sets[s]); r++)
			doc->discarded_rounds += !round_valid(&doc->sets[s], r);
}

/* ---- variants ---- */

/* What is added up over the valid windows of a variant. */
struct totals {
	struct spindelay_record *cpus;
	u64 hist[SPINDELAY_HIST_BUCKETS];
	double *rates;
	double *jain;
	double *min_over_max;
	double *scratch;
	size_t windows;
};

static int totals_allocate(struct totals *totals, const struct set *set)
{
	size_t rounds = set_rounds(set);

	memset(totals, 0, sizeof(*totals));
	totals->cpus = calloc(set->nr_cpus, sizeof(*totals->cpus));
	totals->scratch = calloc(set->nr_cpus, sizeof(double));
	totals->rates = calloc(rounds + 1, sizeof(double));
	totals->jain = calloc(rounds + 1, sizeof(double));
	totals->min_over_max = calloc(rounds + 1, sizeof(double));
	return totals->cpus && totals->scratch && totals->rates &&
			       totals->jain && totals->min_over_max ?
		       0 :
		       -1;
}

static void totals_free(struct totals *totals)
{
	free(totals->cpus);
	free(totals->scratch);
	free(totals->rates);
	free(totals->jain);
	free(totals->min_over_max);
}

static void add_record(struct spindelay_record *sum,
		       const struct spindelay_record *record)
{
	sum->acquisitions += record->acquisitions;
	sum->polls += record->polls;
	sum->delays += record->delays;
	sum->ticks += record->ticks;
	sum->samples += record->samples;
	sum->sampled_wait += record->sampled_wait;
	sum->sampled_hold += record->sampled_hold;
	sum->spins += record->spins;
	sum->timed_spins += record->timed_spins;
	sum->timed_spin_ticks += record->timed_spin_ticks;
	sum->parks += record->parks;
	sum->cycles += record->cycles;
	sum->instructions += record->instructions;
	if (record->wait_max > sum->wait_max)
		sum->wait_max = record->wait_max;
}

/* Where a CPU stands in its set. */
static unsigned int cpu_index(const struct set *set, u32 cpu)
{
	unsigned int i = 0;

	while (i + 1 < set->nr_cpus && set->cpus[i] != cpu)
		i++;
	return i;
}

static void add_window(struct totals *totals, const struct set *set,
		       const struct window *window)
{
	const struct placement *place = &set->placements[window->placement];
	const struct spindelay_record *record = window->records;
	size_t n = totals->windows++;

	for (unsigned int i = 0; i < set->nr_cpus; i++) {
		add_record(&totals->cpus[cpu_index(set, place->cpus[i])],
			   &record[i]);
		totals->scratch[i] = record[i].ticks ?
					     (double)record[i].acquisitions /
						     record[i].ticks :
					     0;
	}
	for (unsigned int b = 0; b < SPINDELAY_HIST_BUCKETS; b++)
		totals->hist[b] += window->hist[b];
	totals->rates[n] = window_throughput(set, window);
	totals->jain[n] = stats_jain(totals->scratch, set->nr_cpus);
	totals->min_over_max[n] =
		stats_min_over_max(totals->scratch, set->nr_cpus);
}

/*
 * Time that a CPU spent polling, ticks: its waits times what the timed ones of
 * them took, or those of all CPUs where none of its own was timed.
 */
static double spin_ticks(const struct spindelay_record *cpu,
			 const struct spindelay_record *all)
{
	const struct spindelay_record *timed = cpu->timed_spins ? cpu : all;

	if (!cpu->spins)
		return 0;
	return ratio_or_nan((double)timed->timed_spin_ticks * cpu->spins,
			    timed->timed_spins);
}

static void fill_cpu(const struct document *doc, struct cpu_result *result,
		     u32 cpu, const struct spindelay_record *sum,
		     const struct spindelay_record *all)
{
	double rate = ratio_or_nan(sum->acquisitions, sum->ticks);

	result->cpu = cpu;
	result->acquisitions = sum->acquisitions;
	result->polls = sum->polls;
	result->rate = rate * doc->machine.counter_hz;
	result->delay_share = ratio_or_nan(spin_ticks(sum, all), sum->ticks);
	result->wait_max_ns =
		sum->samples ? ticks_to_ns(doc, sum->wait_max) : NAN;
}

/* A quantile of the waits, ns: the middle of its bucket. */
static double wait_quantile(const struct document *doc, const u64 *hist,
			    double q)
{
	size_t bucket = stats_hist_rank(hist, SPINDELAY_HIST_BUCKETS, q);
	double low, high;

	if (bucket == SPINDELAY_HIST_BUCKETS)
		return NAN;
	low = spin_hist_low(bucket);
	high = spin_hist_low(bucket + 1) - 1;
	return ticks_to_ns(doc, (low + high) / 2);
}

static void fill_waits(const struct document *doc, struct variant_result *r,
		       const struct totals *totals, u64 wait_max)
{
	r->wait_p50 = wait_quantile(doc, totals->hist, 0.5);
	r->wait_p99 = wait_quantile(doc, totals->hist, 0.99);
	r->wait_p999 = wait_quantile(doc, totals->hist, 0.999);
	r->wait_max = isnan(r->wait_p50) ? NAN : ticks_to_ns(doc, wait_max);
}

static void fill_result(const struct document *doc, const struct set *set,
			struct variant_result *r, const struct totals *totals)
{
	struct spindelay_record sum = { 0 };
	u32 hold = set->variants[r->variant].hold_ns;
	double spin = 0;

	for (unsigned int i = 0; i < set->nr_cpus; i++)
		add_record(&sum, &totals->cpus[i]);
	for (unsigned int i = 0; i < set->nr_cpus; i++) {
		fill_cpu(doc, &r->cpus[i], set->cpus[i], &totals->cpus[i],
			 &sum);
		spin += spin_ticks(&totals->cpus[i], &sum);
	}
	r->windows = totals->windows;
	r->rate = stats_median(totals->rates, totals->windows) *
		  doc->machine.counter_hz;
	r->ns_per_acquisition = 1e9 / r->rate;
	r->polls_per_acquisition = ratio_or_nan(sum.polls, sum.acquisitions);
	r->delay_share = ratio_or_nan(spin, sum.ticks);
	r->hold_stretch = NAN;
	if (hold && sum.samples)
		r->hold_stretch =
			ticks_to_ns(doc, sum.sampled_hold) / sum.samples / hold;
	r->jain = stats_median(totals->jain, totals->windows);
	r->min_over_max = stats_median(totals->min_over_max, totals->windows);
	fill_waits(doc, r, totals, sum.wait_max);
}

/* Acquisitions for which two CPUs were inside at once, valid or not. */
static u64 count_lost(const struct set *set, unsigned int variant)
{
	const struct lock_name *lock = lock_by_id(set->variants[variant].lock);
	const struct spindelay_window *window;
	u64 lost = 0;

	if (!lock || !(lock->traits & SPIN_EXCLUDES))
		return 0;
	for (size_t i = 0; i < set->nr_windows; i++) {
		window = &set->windows[i].abi;
		if (window->variant == variant &&
		    window->counted < window->acquisitions)
			lost += window->acquisitions - window->counted;
	}
	return lost;
}

static int summarise_variant(struct document *doc, const struct set *set,
			     struct variant_result *r)
{
	struct totals totals;
	int err;

	r->nr_cpus = set->nr_cpus;
	r->cpus = calloc(set->nr_cpus, sizeof(*r->cpus));
	err = totals_allocate(&totals, set);
	if (!err && r->cpus) {
		for (size_t i = 0; i < set->nr_windows; i++)
			if (set->windows[i].abi.variant == r->variant &&
			    window_valid(set, &set->windows[i]))
				add_window(&totals, set, &set->windows[i]);
		fill_result(doc, set, r, &totals);
		r->lost = count_lost(set, r->variant);
	}
	totals_free(&totals);
	return err || !r->cpus ? -1 : 0;
}

int summarise_variants(struct document *doc)
{
	unsigned int total = 0;
	struct variant_result *r;

	for (unsigned int s = 0; s < doc->nr_sets; s++)
		total += doc->sets[s].nr_variants;
	doc->variants = calloc(total, sizeof(*doc->variants));
	if (!doc->variants)
		return -1;
	count_discarded(doc);
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		for (unsigned int v = 0; v < doc->sets[s].nr_variants; v++) {
			r = &doc->variants[doc->nr_variants++];
			r->set = s;
			r->variant = v;
			if (summarise_variant(doc, &doc->sets[s], r))
				return -1;
		}
	}
	return 0;
}

/* ---- comparisons ---- */

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

static struct interval compare_ratios(const struct ratios *ratios, double level)
{
	if (ratios->nr_medians >= STATS_PLACEMENTS_MIN)
		return stats_t_interval(ratios->medians, ratios->nr_medians,
					level);
	return stats_placement(ratios->d, ratios->n, level);
}

static void decline(struct comparison *c, const char *reason)
{
	c->verdict = VERDICT_NOT_JUDGED;
	snprintf(c->reason, sizeof(c->reason), "%s", reason);
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

static int summarise_comparison(const struct document *doc,
				struct comparison *c, double level)
{
	const struct set *set = &doc->sets[c->set];
	struct ratios ratios = { 0 };
	struct interval log;
	size_t round = 0;
	int err = -1;

	ratios.d = calloc(set_rounds(set) + 1, sizeof(double));
	ratios.medians = calloc(set->nr_placements + 1, sizeof(double));
	if (ratios.d && ratios.medians) {
		for (unsigned int p = 0; p < set->nr_placements; p++)
			add_placement(&ratios, set, c, p, &round);
		log = compare_ratios(&ratios, level);
		c->placements = ratios.nr_medians;
		c->rounds = ratios.n;
		c->discarded = set_rounds(set) - ratios.n;
		resolve(c, &log);
		c->too_few = !interval_known(&log) ||
			     c->rounds < c->discarded ||
			     (doc->placements >= STATS_PLACEMENTS_MIN &&
			      c->placements < STATS_PLACEMENTS_MIN);
		judge(doc, c);
		err = 0;
	}
	free(ratios.d);
	free(ratios.medians);
	return err;
}

int summarise_comparisons(struct document *doc)
{
	unsigned int total = 0;
	struct comparison *c;

	for (unsigned int s = 0; s < doc->nr_sets; s++)
		total += doc->sets[s].nr_variants - 1;
	doc->comparisons = calloc(total + 1, sizeof(*doc->comparisons));
	if (!doc->comparisons)
		return -1;
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		for (unsigned int a = 0; a + 1 < doc->sets[s].nr_variants;
		     a++) {
			c = &doc->comparisons[doc->nr_comparisons++];
			c->set = s;
			c->a = a;
			c->b = doc->sets[s].nr_variants - 1;
			if (summarise_comparison(doc, c, stats_level(total)))
				return -1;
		}
	}
	return 0;
}

/* ---- costs ---- */

/* ns of one execution in a round; NAN if a burst is missing. */
static double round_back_to_back(const struct document *doc,
				 const struct set *set, size_t round)
{
	const struct spindelay_record *single =
		round_window(set, round, COST_SINGLE)->records;
	const struct spindelay_record *twice =
		round_window(set, round, COST_DOUBLE)->records;
	double copies = (double)set->variants[COST_SINGLE].burst *
			SPINDELAY_BURST_COPIES;

	return ticks_to_ns(doc, (double)twice->burst_min - single->burst_min) /
	       copies;
}

static double round_poll_period(const struct document *doc,
				const struct set *set, size_t round)
{
	const struct spindelay_record *held =
		round_window(set, round, COST_HELD)->records;

	return ticks_to_ns(doc, held->ticks) / held->polls;
}

static bool cost_round_valid(const struct set *set, size_t round)
{
	const struct window *window;

	for (unsigned int v = 0; v < COST_VARIANTS; v++) {
		window = round_window(set, round, v);
		if (window->abi.invalid)
			return false;
		if (v == COST_HELD ? !window->records->polls :
				     !window->records->burst_min)
			return false;
	}
	return true;
}

static int summarise_cost(struct document *doc, struct cost *cost)
{
	const struct set *set = &doc->sets[cost->set];
	size_t rounds = set_rounds(set);
	double *bursts = calloc(rounds + 1, sizeof(*bursts));
	double *polls = calloc(rounds + 1, sizeof(*polls));
	int err = bursts && polls ? 0 : -1;

	cost->variant = set->variants[COST_HELD];
	cost->cycles = NAN;
	for (size_t r = 0; !err && r < rounds; r++) {
		if (!cost_round_valid(set, r)) {
			doc->discarded_rounds++;
			continue;
		}
		bursts[cost->rounds] = round_back_to_back(doc, set, r);
		polls[cost->rounds++] = round_poll_period(doc, set, r);
	}
	if (!err) {
		cost->back_to_back =
			stats_sign_interval(bursts, cost->rounds, 0.95);
		cost->poll_period =
			stats_sign_interval(polls, cost->rounds, 0.95);
	}
	free(bursts);
	free(polls);
	return err;
}

int summarise_costs(struct document *doc)
{
	doc->costs = calloc(doc->nr_sets + 1, sizeof(*doc->costs));
	if (!doc->costs)
		return -1;
	doc->discarded_rounds = 0;
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		doc->costs[doc->nr_costs].set = s;
		if (summarise_cost(doc, &doc->costs[doc->nr_costs++]))
			return -1;
	}
	return 0;
}

/* ---- what it comes to ---- */

static bool comparison_failed(const struct document *doc,
			      const struct comparison *c)
{
	return doc->machine.hypervisor.emulated ? !c->rounds : c->too_few;
}

static bool variant_failed(const struct document *doc,
			   const struct variant_result *r)
{
	size_t windows = set_rounds(&doc->sets[r->set]);

	if (doc->machine.hypervisor.emulated)
		return !r->windows;
	return !r->windows || 2 * r->windows < windows;
}

enum status summary_status(const struct document *doc)
{
	for (unsigned int i = 0; i < doc->nr_variants; i++)
		if (doc->variants[i].lost)
			return STATUS_ERROR;
	for (unsigned int i = 0; i < doc->nr_variants; i++)
		if (variant_failed(doc, &doc->variants[i]))
			return STATUS_NOISY;
	for (unsigned int i = 0; i < doc->nr_comparisons; i++)
		if (comparison_failed(doc, &doc->comparisons[i]))
			return STATUS_NOISY;
	for (unsigned int i = 0; i < doc->nr_costs; i++)
		if (!interval_known(&doc->costs[i].back_to_back))
			return STATUS_NOISY;
	return STATUS_OK;
}
