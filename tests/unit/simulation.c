// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake_backend.h"
#include "lib/comparison.h"
#include "lib/summary.h"
#include "simulation.h"

/* Of one round's log ratio. */
#define ROUND_SD 0.02
#define PLANTED_RATIO 1.05
/* Disturbed rounds of SCATTER_ONE_SIDED, and by how many sds on average. */
#define DISTURBED 0.2
#define DISTURBANCE 3.0

const char *const scatter_names[NR_SCATTERS] = {
	[SCATTER_NORMAL] = "normal",
	[SCATTER_ONE_SIDED] = "one-sided tail",
	[SCATTER_CORRELATED] = "autocorrelated",
	[SCATTER_PLACEMENTS] = "placements differ",
};

/* Standard deviation of the median of a placement's rounds, in theirs. */
static const double median_sds[NR_SCATTERS] = {
	[SCATTER_NORMAL] = 0.18,
	[SCATTER_ONE_SIDED] = 0.22,
	[SCATTER_CORRELATED] = 0.25,
	[SCATTER_PLACEMENTS] = 1.02,
};

static double uniform(struct rng *rng)
{
	return (rng_next(rng) >> 11) * 0x1p-53;
}

static double exponential(struct rng *rng)
{
	return -log(1 - uniform(rng));
}

static double normal_cdf(double x)
{
	return erfc(-x / M_SQRT2) / 2;
}

/* P(Z - DISTURBED of the time DISTURBANCE * exponential <= x). */
static double one_sided_cdf(double x)
{
	double c = DISTURBANCE;
	double tail = exp(x / c + 1 / (2 * c * c)) * normal_cdf(-x - 1 / c);

	return normal_cdf(x) + DISTURBED * tail;
}

static double one_sided_median(void)
{
	static double median;
	double low = -1, high = 0;

	if (median)
		return median;
	for (int i = 0; i < 60; i++) {
		median = (low + high) / 2;
		if (one_sided_cdf(median) < 0.5)
			low = median;
		else
			high = median;
	}
	return median;
}

/* The rounds of one placement. */
static void scatter(struct rng *rng, enum scatter kind, double *d)
{
	double state = fake_normal(rng);

	for (unsigned int r = 0; r < SIMULATION_ROUNDS; r++) {
		double z = fake_normal(rng);

		switch (kind) {
		case SCATTER_ONE_SIDED:
			d[r] = z - one_sided_median();
			if (uniform(rng) < DISTURBED)
				d[r] -= DISTURBANCE * exponential(rng);
			break;
		case SCATTER_CORRELATED:
			state = 0.5 * state + sqrt(0.75) * z;
			d[r] = state;
			break;
		case SCATTER_PLACEMENTS:
			d[r] = state + z;
			break;
		default:
			d[r] = z;
		}
	}
}

static struct document *new_document(void)
{
	const struct spindelay_variant variants[2] = { 0 };
	struct document *doc = document_new("compare");
	const u32 cpu = 0;
	struct set *set;

	if (!doc)
		abort();
	set = document_add_set(doc, variants, 2, &cpu, 1);
	for (u32 p = 0; p < SIMULATION_PLACEMENTS_MAX; p++) {
		set_add_placement(set)->cpus[0] = cpu;
		for (u32 i = 0; i < 2 * SIMULATION_ROUNDS; i++) {
			struct window *window = set_add_window(set);

			window->placement = p;
			window->round = i / 2;
			window->abi.variant = i % 2;
		}
	}
	return doc;
}

static void fill_window(struct window *window, double log_rate)
{
	window->records[0].ticks = 1000000000;
	window->records[0].acquisitions = lround(1e9 * exp(log_rate));
	window->abi.acquisitions = window->records[0].acquisitions;
}

/* Windows of placement @p, of which the log ratios are @d sds off the truth. */
static double fill_placement(struct set *set, unsigned int p, double truth,
			     double *d)
{
	struct window *window =
		&set->windows[2 * SIMULATION_ROUNDS * (size_t)p];

	for (unsigned int r = 0; r < SIMULATION_ROUNDS; r++) {
		d[r] = truth + ROUND_SD * d[r];
		fill_window(window++, d[r]);
		fill_window(window++, 0);
	}
	return stats_median(d, SIMULATION_ROUNDS);
}

/* One comparison; how many placements it took. */
static unsigned int compare(const struct simulation *s, struct rng *rng,
			    struct document *doc, double truth)
{
	double precision = expm1(s->wanted * median_sds[s->scatter] * ROUND_SD);
	double d[SIMULATION_ROUNDS], medians[SIMULATION_PLACEMENTS_MAX];
	unsigned int most =
		s->placements ? s->placements : SIMULATION_PLACEMENTS_MAX;
	struct set *set = &doc->sets[0];
	unsigned int n = 0;

	while (n < most) {
		scatter(rng, s->scatter, d);
		medians[n] = fill_placement(set, n, truth, d);
		n++;
		if (!s->placements && stats_enough(medians, n, 0.95, precision))
			break;
	}
	set->nr_placements = n;
	set->nr_windows = 2 * SIMULATION_ROUNDS * (size_t)n;
	doc->placements = n;
	if (summarise_comparisons(doc))
		abort();
	set->nr_placements = SIMULATION_PLACEMENTS_MAX;
	set->nr_windows = 2 * SIMULATION_ROUNDS * SIMULATION_PLACEMENTS_MAX;
	return n;
}

struct outcome simulate(const struct simulation *s)
{
	struct document *doc = new_document();
	const struct comparison *c;
	struct outcome sum = { 0 };
	struct rng rng;

	rng_seed(&rng, s->seed);
	for (unsigned int run = 0; run < s->runs; run++) {
		sum.placements += compare(s, &rng, doc, log(PLANTED_RATIO));
		c = &doc->comparisons[0];
		sum.coverage += c->ratio.low <= PLANTED_RATIO &&
				c->ratio.high >= PLANTED_RATIO;
		sum.placements += compare(s, &rng, doc, 0);
		sum.rejections += doc->comparisons[0].resolved != RESOLVED_NONE;
	}
	document_free(doc);
	return (struct outcome){ sum.coverage / s->runs,
				 sum.rejections / s->runs,
				 sum.placements / s->runs / 2 };
}

double simulate_stopping(unsigned int m, double wanted, unsigned int most,
			 unsigned int runs, unsigned int seed)
{
	double level = stats_level(m), medians[SIMULATION_STOP_MAX];
	double missed = 0;
	struct interval i;
	struct rng rng;

	rng_seed(&rng, seed);
	for (unsigned int run = 0; run < runs; run++) {
		unsigned int n = 0;

		do
			medians[n++] = fake_normal(&rng);
		while (n < most &&
		       !stats_enough(medians, n, level, expm1(wanted)));
		i = stats_t_interval(medians, n, level);
		/* The mean of normal values is independent of their sd. */
		missed += erfc((i.high - i.low) / 2 * sqrt(n / 2.0));
	}
	return missed / (runs * (1 - level));
}
