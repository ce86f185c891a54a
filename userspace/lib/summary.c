// SPDX-License-Identifier: GPL-2.0-or-later
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/names.h"
#include "lib/record.h"
#include "lib/summary.h"
#include "bench/hist.h"

static_assert(SPIN_HIST_BUCKETS == SPINDELAY_HIST_BUCKETS,
	      "the ABI carries the bench's histogram");

/* The windows of a set are looked at in so many parts, one after another. */
#define FREQUENCY_PARTS 8

static double ticks_to_ns(const struct document *doc, double ticks)
{
	return ticks * 1e9 / doc->machine.counter_hz;
}

static double ratio_or_nan(double over, double under)
{
	return under > 0 ? over / under : NAN;
}

/* A fraction that was estimated from samples, which can overshoot. */
static double share(double part, double whole)
{
	double ratio = ratio_or_nan(part, whole);

	return ratio > 1 ? 1 : ratio;
}

bool set_has_valid_round(const struct set *set)
{
	unsigned int usable = 0;

	for (size_t i = 0; i < set->nr_windows; i++) {
		if (!(i % set->nr_variants))
			usable = 0;
		usable += !set->windows[i].abi.invalid;
		if (usable == set->nr_variants)
			return true;
	}
	return false;
}

static void count_discarded(struct document *doc)
{
	doc->discarded_rounds = 0;
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		for (size_t r = 0; doc->sets[s].role != SET_PERIODS &&
				   r < set_rounds(&doc->sets[s]);
		     r++)
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
	double *shares;
	double *scratch;
	size_t windows;
	/* Those whose share is known. */
	size_t nr_shares;
	/* Windows of a CPU in which nothing was counted. */
	size_t without_cycles;
	size_t without_instructions;
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
	totals->shares = calloc(rounds + 1, sizeof(double));
	return totals->cpus && totals->scratch && totals->rates &&
			       totals->jain && totals->min_over_max &&
			       totals->shares ?
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
	free(totals->shares);
}

/* Where a CPU stands in its set. */
static unsigned int cpu_index(const struct set *set, u32 cpu)
{
	unsigned int i = 0;

	while (i + 1 < set->nr_cpus && set->cpus[i] != cpu)
		i++;
	return i;
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

double summary_spin_ticks(const struct spindelay_record *cpus, unsigned int nr)
{
	struct spindelay_record all = { 0 };
	double spin = 0;

	for (unsigned int i = 0; i < nr; i++)
		record_add(&all, &cpus[i]);
	for (unsigned int i = 0; i < nr; i++)
		spin += spin_ticks(&cpus[i], &all);
	return spin;
}

double summary_window_share(const struct spindelay_record *cpus,
			    unsigned int nr)
{
	double ticks = 0;

	for (unsigned int i = 0; i < nr; i++)
		ticks += cpus[i].ticks;
	return share(summary_spin_ticks(cpus, nr), ticks);
}

double summary_delay_share(const double *shares, size_t n, u64 timed,
			   double pooled)
{
	if (!n || timed < SHARE_TIMED_MIN * n)
		return pooled;
	return stats_median(shares, n);
}

static void add_window(struct totals *totals, const struct set *set,
		       const struct window *window)
{
	const struct placement *place = &set->placements[window->placement];
	const struct spindelay_record *record = window->records;
	size_t n = totals->windows++;

	for (unsigned int i = 0; i < set->nr_cpus; i++) {
		record_add(&totals->cpus[cpu_index(set, place->cpus[i])],
			   &record[i]);
		totals->without_cycles += !record[i].cycles;
		totals->without_instructions += !record[i].instructions;
		totals->scratch[i] = record[i].ticks ?
					     (double)record[i].acquisitions /
						     record[i].ticks :
					     0;
	}
	for (unsigned int b = 0; b < SPINDELAY_HIST_BUCKETS; b++)
		totals->hist[b] += window->hist[b];
	totals->shares[totals->nr_shares] =
		summary_window_share(record, set->nr_cpus);
	totals->nr_shares += !isnan(totals->shares[totals->nr_shares]);
	totals->rates[n] = window_throughput(set, window);
	totals->jain[n] = stats_jain(totals->scratch, set->nr_cpus);
	totals->min_over_max[n] =
		stats_min_over_max(totals->scratch, set->nr_cpus);
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
	result->delay_share = share(spin_ticks(sum, all), sum->ticks);
	result->wait_max_ns =
		sum->samples ? ticks_to_ns(doc, sum->wait_max) : NAN;
	result->rounds = sum->rounds;
	result->delays = sum->delays;
	result->yields = sum->yields;
	result->parks = sum->parks;
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

static double at_most(double value, double most)
{
	return value > most ? most : value;
}

static void fill_waits(const struct document *doc, struct variant_result *r,
		       const struct totals *totals, u64 wait_max)
{
	double most = ticks_to_ns(doc, wait_max);

	/* The middle of a bucket may lie beyond what was seen in it. */
	r->wait_p50 = at_most(wait_quantile(doc, totals->hist, 0.5), most);
	r->wait_p99 = at_most(wait_quantile(doc, totals->hist, 0.99), most);
	r->wait_p999 = at_most(wait_quantile(doc, totals->hist, 0.999), most);
	r->wait_max = isnan(r->wait_p50) ? NAN : most;
}

/* What only a poll of ours would have counted. */
static void forget_polls(struct variant_result *r)
{
	r->polls_per_acquisition = NAN;
	r->delay_share = NAN;
	for (unsigned int i = 0; i < r->nr_cpus; i++)
		r->cpus[i].delay_share = NAN;
}

static void fill_counters(const struct document *doc, struct variant_result *r,
			  const struct totals *totals,
			  const struct spindelay_record *sum)
{
	r->cycles = NAN;
	r->instructions = NAN;
	r->ghz = NAN;
	if (totals->windows && !totals->without_cycles) {
		r->cycles = ratio_or_nan(sum->cycles, sum->acquisitions);
		r->ghz = sum->cycles / ticks_to_ns(doc, sum->ticks);
	}
	if (totals->windows && !totals->without_instructions)
		r->instructions =
			ratio_or_nan(sum->instructions, sum->acquisitions);
}

static void fill_result(const struct document *doc, const struct set *set,
			struct variant_result *r, const struct totals *totals)
{
	struct spindelay_record sum = { 0 };
	const struct spindelay_variant *v = &set->variants[r->variant];
	double spin = summary_spin_ticks(totals->cpus, set->nr_cpus);

	for (unsigned int i = 0; i < set->nr_cpus; i++)
		record_add(&sum, &totals->cpus[i]);
	for (unsigned int i = 0; i < set->nr_cpus; i++)
		fill_cpu(doc, &r->cpus[i], set->cpus[i], &totals->cpus[i],
			 &sum);
	r->windows = totals->windows;
	r->rate = stats_median(totals->rates, totals->windows) *
		  doc->machine.counter_hz;
	r->ns_per_acquisition = 1e9 / r->rate;
	r->polls_per_acquisition = ratio_or_nan(sum.polls, sum.acquisitions);
	r->delay_share =
		summary_delay_share(totals->shares, totals->nr_shares,
				    sum.timed_spins, share(spin, sum.ticks));
	r->hold_stretch = NAN;
	if (v->hold_ns && sum.samples)
		r->hold_stretch = ticks_to_ns(doc, sum.sampled_hold) /
				  sum.samples / v->hold_ns;
	if (lock_has(v->lock, SPIN_OWN_WAIT))
		forget_polls(r);
	fill_counters(doc, r, totals, &sum);
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
			    round_valid(set, i / set->nr_variants))
				add_window(&totals, set, &set->windows[i]);
		fill_result(doc, set, r, &totals);
		r->lost = count_lost(set, r->variant);
	}
	totals_free(&totals);
	return err || !r->cpus ? -1 : 0;
}

/* ---- the clock frequency ---- */

/* Does its CPU stop its clock while it waits? Then cycles say less. */
static bool stands_by(const struct spindelay_variant *v)
{
	return v->delay == SPIN_DELAY_wfe || v->delay == SPIN_DELAY_wfet ||
	       lock_has(v->lock, SPIN_OWN_WAIT);
}

/* Cycles a tick of CPU @cpu in a window; NAN if they were not counted. */
static double window_frequency(const struct set *set,
			       const struct window *window, u32 cpu)
{
	const struct placement *place = &set->placements[window->placement];
	const struct spindelay_record *record = window->records;

	if (window->abi.invalid ||
	    stands_by(&set->variants[window->abi.variant]))
		return NAN;
	for (unsigned int i = 0; i < set->nr_cpus; i++)
		if (place->cpus[i] == cpu && record[i].cycles)
			return ratio_or_nan(record[i].cycles, record[i].ticks);
	return NAN;
}

/* From a variant's median to another one's, on one CPU. */
static void widen(struct interval *range, const double *values, size_t n)
{
	double median;

	/* A few may all have been disturbed. */
	if (n < STATS_ROUNDS_MIN)
		return;
	median = stats_median(values, n);
	range->low = fmin(range->low, median);
	range->high = fmax(range->high, median);
}

static size_t collect_frequencies(const struct set *set, u32 cpu, size_t first,
				  size_t last, const unsigned int *variant,
				  double *values)
{
	size_t n = 0;
	double value;

	for (size_t i = first; i < last; i++) {
		if (variant && set->windows[i].abi.variant != *variant)
			continue;
		value = window_frequency(set, &set->windows[i], cpu);
		if (!isnan(value))
			values[n++] = value;
	}
	return n;
}

/* Medians, so that a window in which an interrupt came does not speak. */
static double cpu_change(const struct set *set, u32 cpu, double *values)
{
	struct interval range = { .low = INFINITY, .high = 0 };
	const size_t part =
		(set->nr_windows + FREQUENCY_PARTS - 1) / FREQUENCY_PARTS;

	for (unsigned int v = 0; v < set->nr_variants; v++)
		widen(&range, values,
		      collect_frequencies(set, cpu, 0, set->nr_windows, &v,
					  values));
	for (size_t i = 0; i < set->nr_windows; i += part) {
		size_t last =
			i + part < set->nr_windows ? i + part : set->nr_windows;

		widen(&range, values,
		      collect_frequencies(set, cpu, i, last, NULL, values));
	}
	return range.high ? range.high / range.low - 1 : NAN;
}

static int find_frequency_change(struct document *doc)
{
	doc->frequency_change = NAN;
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		const struct set *set = &doc->sets[s];
		double *values = calloc(set->nr_windows + 1, sizeof(*values));

		if (!values)
			return -1;
		for (unsigned int i = 0; i < set->nr_cpus; i++)
			doc->frequency_change =
				fmax(doc->frequency_change,
				     cpu_change(set, set->cpus[i], values));
		free(values);
	}
	return 0;
}

int summarise_variants(struct document *doc)
{
	unsigned int total = 0;
	struct variant_result *r;

	for (unsigned int s = 0; s < doc->nr_sets; s++)
		total += doc->sets[s].nr_variants;
	doc->variants = calloc(total, sizeof(*doc->variants));
	if (!doc->variants || find_frequency_change(doc))
		return -1;
	count_discarded(doc);
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		if (doc->sets[s].role == SET_PERIODS)
			continue;
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

/* ---- costs ---- */

/* The values of the valid rounds of a set of `cost`. */
struct cost_rounds {
	size_t n;
	double *back_to_back;
	double *poll_period;
	double *cycles;
	double *instructions;
	double *poll_cycles;
	double *poll_instructions;
};

bool cost_has_bursts(const struct set *set)
{
	return set->nr_variants == COST_VARIANTS;
}

/* The window of a role in a round; the held ones come last. */
static const struct spindelay_record *
cost_record(const struct set *set, size_t round, enum cost_variant role)
{
	unsigned int variant = cost_has_bursts(set) ? role : 0;

	return round_window(set, round, variant)->records;
}

/* Executions that a double burst has more than a single one. */
static double burst_copies(const struct set *set)
{
	return (double)set->variants[COST_SINGLE].burst *
	       SPINDELAY_BURST_COPIES;
}

/* ns of one execution in a round. */
static double round_back_to_back(const struct document *doc,
				 const struct set *set, size_t round)
{
	const struct spindelay_record *single =
		cost_record(set, round, COST_SINGLE);
	const struct spindelay_record *twice =
		cost_record(set, round, COST_DOUBLE);

	return ticks_to_ns(doc, (double)twice->burst_min - single->burst_min) /
	       burst_copies(set);
}

/*
 * What a counter says of one execution in a round: of the windows as a whole,
 * for each burst, double less single. Whatever a burst costs beside its copies is
 * in both, and the clock may have had any frequency. Interrupts between bursts
 * make it too large by their part of the time.
 */
static double round_counted(const struct set *set, size_t round, u64 single,
			    u64 twice)
{
	const u64 singles = cost_record(set, round, COST_SINGLE)->acquisitions;
	const u64 doubles = cost_record(set, round, COST_DOUBLE)->acquisitions;

	if (!single || !twice || !singles || !doubles)
		return NAN;
	return ((double)twice / doubles - (double)single / singles) /
	       burst_copies(set);
}

static void add_bursts(const struct document *doc, const struct set *set,
		       size_t round, struct cost_rounds *rounds)
{
	const struct spindelay_record *single =
		cost_record(set, round, COST_SINGLE);
	const struct spindelay_record *twice =
		cost_record(set, round, COST_DOUBLE);

	rounds->back_to_back[rounds->n] = round_back_to_back(doc, set, round);
	rounds->cycles[rounds->n] =
		round_counted(set, round, single->cycles, twice->cycles);
	rounds->instructions[rounds->n] =
		round_counted(set, round, single->instructions,
			      twice->instructions);
}

static void add_held(const struct document *doc, const struct set *set,
		     size_t round, struct cost_rounds *rounds)
{
	const struct spindelay_record *held =
		cost_record(set, round, COST_HELD);

	rounds->poll_period[rounds->n] =
		ticks_to_ns(doc, held->ticks) / held->polls;
	rounds->poll_cycles[rounds->n] =
		held->cycles ? (double)held->cycles / held->polls : NAN;
	rounds->poll_instructions[rounds->n] =
		held->instructions ? (double)held->instructions / held->polls :
				     NAN;
}

static bool cost_round_valid(const struct set *set, size_t round)
{
	const struct window *window;

	for (unsigned int v = 0; v < set->nr_variants; v++) {
		window = round_window(set, round, v);
		if (window->abi.invalid)
			return false;
		if (set->variants[v].flags & SPINDELAY_HELD ?
			    !window->records->polls :
			    !window->records->burst_min)
			return false;
	}
	return true;
}

/* Median, or NAN where it was not counted in each round. */
static double median_or_nan(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isnan(values[i]))
			return NAN;
	return stats_median(values, n);
}

static void fill_cost(struct cost *cost, const struct set *set,
		      const struct cost_rounds *rounds)
{
	size_t n = rounds->n;

	cost->rounds = n;
	cost->poll_period = stats_sign_interval(rounds->poll_period, n, 0.95);
	cost->poll_cycles = median_or_nan(rounds->poll_cycles, n);
	cost->poll_instructions = median_or_nan(rounds->poll_instructions, n);
	cost->back_to_back = interval_none(0.95);
	cost->cycles = NAN;
	cost->instructions = NAN;
	if (!cost_has_bursts(set))
		return;
	cost->back_to_back = stats_sign_interval(rounds->back_to_back, n, 0.95);
	cost->cycles = median_or_nan(rounds->cycles, n);
	cost->instructions = median_or_nan(rounds->instructions, n);
}

static int summarise_cost(struct document *doc, struct cost *cost)
{
	const struct set *set = &doc->sets[cost->set];
	size_t rounds = set_rounds(set);
	double *values = calloc(6 * (rounds + 1), sizeof(*values));
	struct cost_rounds valid = { 0 };

	if (!values)
		return -1;
	valid.back_to_back = values;
	valid.poll_period = values + rounds;
	valid.cycles = values + 2 * rounds;
	valid.instructions = values + 3 * rounds;
	valid.poll_cycles = values + 4 * rounds;
	valid.poll_instructions = values + 5 * rounds;
	cost->variant = set->variants[set->nr_variants - 1];
	for (size_t r = 0; r < rounds; r++) {
		if (!cost_round_valid(set, r)) {
			doc->discarded_rounds++;
			continue;
		}
		if (cost_has_bursts(set))
			add_bursts(doc, set, r, &valid);
		add_held(doc, set, r, &valid);
		valid.n++;
	}
	fill_cost(cost, set, &valid);
	free(values);
	return 0;
}

int summarise_costs(struct document *doc)
{
	doc->costs = calloc(doc->nr_sets + 1, sizeof(*doc->costs));
	if (!doc->costs || find_frequency_change(doc))
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
		if (!interval_known(&doc->costs[i].poll_period))
			return STATUS_NOISY;
	return STATUS_OK;
}
