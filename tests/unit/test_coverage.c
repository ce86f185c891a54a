// SPDX-License-Identifier: GPL-2.0-or-later
/* Do the intervals cover what they say? Simulated, with fixed seeds. */
#include "unit.h"

#include <math.h>

#include "fake_backend.h"
#include "lib/stats.h"

#define RUNS 2000
#define ROUNDS 50
#define PLACEMENTS 10

static struct rng rng;

static double exponential(void)
{
	return -log(1 - (rng_next(&rng) >> 11) * 0x1p-53);
}

static double normal_round(double *state)
{
	(void)state;
	return fake_normal(&rng);
}

/* A round is only ever disturbed in one direction. The median is known. */
static double one_sided_round(double *state)
{
	(void)state;
	return exponential() - M_LN2;
}

/* First order, correlation one half. */
static double correlated_round(double *state)
{
	*state = 0.5 * *state + fake_normal(&rng);
	return *state;
}

static double placement_coverage(double (*round)(double *state))
{
	double d[ROUNDS], carried = 0;
	unsigned int covered = 0;
	struct interval i;

	for (unsigned int run = 0; run < RUNS; run++) {
		for (unsigned int r = 0; r < ROUNDS; r++)
			d[r] = round(&carried);
		i = stats_placement(d, ROUNDS, 0.95);
		covered += i.low <= 0 && i.high >= 0;
	}
	return (double)covered / RUNS;
}

static void check_coverage(double coverage)
{
	if (coverage < 0.945 || coverage > 0.985)
		fail_msg("covers %.4f of the time", coverage);
}

static void normal_rounds_are_covered(void **state)
{
	(void)state;
	rng_seed(&rng, 1);
	check_coverage(placement_coverage(normal_round));
}

static void one_sided_rounds_are_covered(void **state)
{
	(void)state;
	rng_seed(&rng, 2);
	check_coverage(placement_coverage(one_sided_round));
}

static void correlated_rounds_are_covered_by_batches(void **state)
{
	double coverage;

	(void)state;
	rng_seed(&rng, 3);
	coverage = placement_coverage(correlated_round);
	/* Batching helps, from .80; only placements make it whole. */
	if (coverage < 0.90 || coverage > 0.985)
		fail_msg("covers %.4f of the time", coverage);
}

static void placement_noise_needs_placements(void **state)
{
	unsigned int inside = 0, across = 0;
	double d[ROUNDS], medians[PLACEMENTS];
	struct interval i;

	(void)state;
	rng_seed(&rng, 4);
	for (unsigned int run = 0; run < RUNS / 4; run++) {
		for (unsigned int p = 0; p < PLACEMENTS; p++) {
			double shift = fake_normal(&rng);

			for (unsigned int r = 0; r < ROUNDS; r++)
				d[r] = shift + 2 * fake_normal(&rng);
			medians[p] = stats_median(d, ROUNDS);
		}
		i = stats_placement(d, ROUNDS, 0.95);
		inside += i.low <= 0 && i.high >= 0;
		i = stats_t_interval(medians, PLACEMENTS, 0.95);
		across += i.low <= 0 && i.high >= 0;
	}
	if (inside > 0.7 * RUNS / 4)
		fail_msg("one placement covers %u of %u", inside, RUNS / 4);
	check_coverage(across / (RUNS / 4.0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_rounds_are_covered),
		cmocka_unit_test(one_sided_rounds_are_covered),
		cmocka_unit_test(correlated_rounds_are_covered_by_batches),
		cmocka_unit_test(placement_noise_needs_placements),
	};

	return cmocka_run_group_tests_name("coverage", tests, NULL, NULL);
}
