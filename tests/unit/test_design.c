// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the design of a measurement is for: each test plants what one part of
 * it undoes, and has everything from the plan to the verdict run many times.
 */
#include "unit.h"

#include <math.h>

#include "fake_document.h"

#define REPEATS 200
/* 0.05 of REPEATS, and three standard deviations more. */
#define REJECTIONS_MAX 19

/**
 * struct tally - what many comparisons of sb with isb said
 * @higher: that sb is
 * @lower: that it is not
 * @covered: intervals that hold the planted ratio
 * @width: of the intervals, mean
 */
struct tally {
	unsigned int higher;
	unsigned int lower;
	unsigned int covered;
	double width;
};

static struct tally repeat(const struct fake *planted)
{
	const double ratio = planted->rate[0] / planted->rate[1];
	struct tally tally = { 0 };

	for (unsigned int seed = 0; seed < REPEATS; seed++) {
		struct fake fake = *planted;
		const struct comparison *c;
		struct document *doc;

		rng_seed(&fake.rng, seed);
		doc = fake_compare_seeded(&fake, 2, 6, 50, seed);
		c = &doc->comparisons[0];
		tally.higher += c->resolved == RESOLVED_HIGHER;
		tally.lower += c->resolved == RESOLVED_LOWER;
		tally.covered +=
			c->ratio.low <= ratio && c->ratio.high >= ratio;
		tally.width += (c->ratio.high - c->ratio.low) / REPEATS;
		document_free(doc);
	}
	return tally;
}

static void assert_alike(const struct tally *tally)
{
	if (tally->higher + tally->lower > REJECTIONS_MAX)
		fail_msg("%u higher and %u lower of %u that are alike",
			 tally->higher, tally->lower, REPEATS);
}

/* The load of the machine changes threefold from round to round. */
static void pairing_undoes_what_a_round_has_in_common(void **state)
{
	struct fake fake;
	struct tally tally;

	(void)state;
	fake_init(&fake, 0);
	fake.rate[0] = 0.001 * 1.01;
	fake.swing = 0.5;
	fake.noise = 0.01;
	tally = repeat(&fake);
	assert_true(tally.higher >= REPEATS - 2);
	assert_int_equal(tally.lower, 0);
}

static void order_undoes_drift(void **state)
{
	struct fake fake;
	struct tally tally;

	(void)state;
	fake_init(&fake, 0);
	fake.noise = 0.01;
	fake.drift = 0.005;
	tally = repeat(&fake);
	assert_alike(&tally);
}

/* Every fixed order of blocks of four windows has a beat that it hears. */
static void random_order_undoes_a_beat(void **state)
{
	struct fake fake;
	struct tally tally;

	(void)state;
	fake_init(&fake, 0);
	fake.noise = 0.01;
	fake.beat = 0.02;
	tally = repeat(&fake);
	assert_alike(&tally);
}

/* What holds at one address of the lock need not hold at another. */
static void placements_undo_the_luck_of_an_address(void **state)
{
	struct fake fake;
	struct tally tally;

	(void)state;
	fake_init(&fake, 0);
	fake.noise = 0.01;
	fake.address_noise = 0.01;
	tally = repeat(&fake);
	assert_alike(&tally);
	assert_true(tally.covered >= REPEATS - REJECTIONS_MAX);
}

/* What one copy of a loop has over the other. */
static void swapping_undoes_the_luck_of_a_copy(void **state)
{
	struct tally tally = { 0 };
	struct fake fake;

	(void)state;
	for (unsigned int seed = 0; seed < REPEATS; seed++) {
		const struct comparison *c;
		struct document *doc;

		fake_init(&fake, 0);
		fake.noise = 0.01;
		fake.twin_gain = 0.03;
		rng_seed(&fake.rng, seed);
		doc = fake_compare_twins(&fake, 6, 50, seed);
		c = &doc->comparisons[0];
		tally.higher += c->resolved == RESOLVED_HIGHER;
		tally.lower += c->resolved == RESOLVED_LOWER;
		document_free(doc);
	}
	assert_alike(&tally);
}

/* The log ratio of the windows of round @round, counted through. */
static double log_ratio(const struct set *set, size_t round)
{
	const struct window *w = &set->windows[2 * round];
	double x[2];

	x[w[0].abi.variant] = window_throughput(set, &w[0]);
	x[w[1].abi.variant] = window_throughput(set, &w[1]);
	return log(x[0] / x[1]);
}

/* However many rounds there are, and however alike. */
static void placements_count_and_not_rounds(void **state)
{
	double d[50], medians[7];
	struct document *doc;
	struct interval i;
	struct fake fake;

	(void)state;
	fake_init(&fake, 3);
	fake.noise = 0.01;
	fake.address_noise = 0.02;
	doc = fake_compare(&fake, 2, 7, 50);
	for (size_t p = 0; p < 7; p++) {
		for (size_t r = 0; r < 50; r++)
			d[r] = log_ratio(&doc->sets[0], 50 * p + r);
		medians[p] = stats_median(d, 50);
	}
	i = interval_exp(stats_t_interval(medians, 7, 0.95));
	assert_true(fabs(doc->comparisons[0].ratio.low - i.low) < 1e-12);
	assert_true(fabs(doc->comparisons[0].ratio.high - i.high) < 1e-12);
	document_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairing_undoes_what_a_round_has_in_common),
		cmocka_unit_test(order_undoes_drift),
		cmocka_unit_test(random_order_undoes_a_beat),
		cmocka_unit_test(placements_undo_the_luck_of_an_address),
		cmocka_unit_test(swapping_undoes_the_luck_of_a_copy),
		cmocka_unit_test(placements_count_and_not_rounds),
	};

	return cmocka_run_group_tests_name("design", tests, NULL, NULL);
}
