// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers with "scipy" come from scipy 1.10.1; the call stands beside them. */
#include "unit.h"

#include <math.h>

#include "lib/stats.h"

static void assert_near(double value, double expected, double relative)
{
	if (!(fabs(value - expected) <= relative * fmax(1, fabs(expected))))
		fail_msg("%.17g, expected %.17g", value, expected);
}

static void median_is_the_middle(void **state)
{
	const double odd[] = { 5, 1, 9 }, even[] = { 4, 1, 3, 100 };

	(void)state;
	assert_near(stats_median(odd, 3), 5, 0);
	assert_near(stats_median(even, 4), 3.5, 0);
	assert_true(isnan(stats_median(odd, 0)));
	assert_true(odd[0] == 5 && odd[1] == 1 && odd[2] == 9);
}

static void sd_divides_by_n_less_one(void **state)
{
	const double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };

	(void)state;
	assert_near(stats_sd(x, 8), sqrt(32.0 / 7), 1e-15);
	assert_true(isnan(stats_sd(x, 1)));
}

static void lag1_agrees_with_numpy(void **state)
{
	const double x[] = { 1, 2, 3, 4, 5, 4, 3, 2, 1, 2 };
	const double flat[] = { 3, 3, 3, 3 };

	(void)state;
	/* numpy: d = x - x.mean(); (d[:-1] * d[1:]).sum() / (d * d).sum() */
	assert_near(stats_lag1(x, 10), 0.615527950310559, 1e-14);
	assert_near(stats_lag1(flat, 4), 0, 0);
}

static void batches_are_medians_of_neighbours(void **state)
{
	const double x[] = { 1, 2, 3, 10, 7, 7, 7, 8, 99 };
	double out[9];

	(void)state;
	stats_batch(x, 9, 2, out);
	assert_near(out[0], 2.5, 0);
	assert_near(out[1], 7, 0);
	stats_batch(x, 8, 3, out);
	assert_near(out[0], 1.5, 0);
	assert_near(out[1], 7, 0);
	assert_near(out[2], 7, 0);
	stats_batch(x, 9, 9, out);
	assert_near(out[8], 99, 0);
}

static void sign_ranks_agree_with_scipy(void **state)
{
	/* scipy: largest k with 2 * binom.cdf(k - 1, n, .5) <= 1 - level */
	static const struct {
		size_t n;
		double level;
		size_t rank;
	} cases[] = {
		{ 0, 0.95, 0 },	   { 1, 0.95, 0 },     { 5, 0.95, 0 },
		{ 6, 0.95, 1 },	   { 8, 0.95, 1 },     { 9, 0.95, 2 },
		{ 20, 0.95, 6 },   { 50, 0.95, 18 },   { 50, 0.975, 17 },
		{ 100, 0.95, 40 }, { 300, 0.95, 133 }, { 300, 0.99, 128 },
		{ 7, 0.99, 0 },	   { 8, 0.99, 1 },     { 2000, 0.95, 956 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(stats_sign_rank(cases[i].n, cases[i].level),
				 cases[i].rank);
	assert_true(STATS_ROUNDS_MIN == 6);
}

static void sign_interval_is_order_statistics(void **state)
{
	double x[20];
	struct interval i;

	(void)state;
	for (int k = 0; k < 20; k++)
		x[(k * 7) % 20] = k + 1;
	i = stats_sign_interval(x, 20, 0.95);
	assert_near(i.estimate, 10.5, 0);
	assert_near(i.low, 6, 0);
	assert_near(i.high, 15, 0);
	i = stats_sign_interval(x, 5, 0.95);
	assert_false(interval_known(&i));
	assert_false(isnan(i.estimate));
	i = stats_sign_interval(x, 0, 0.95);
	assert_true(isnan(i.estimate));
}

static void beta_agrees_with_scipy(void **state)
{
	/* scipy.special.betainc(a, b, x) */
	static const double cases[][4] = {
		{ 0.5, 0.5, 0.25, 0.333333333333333 },
		{ 2, 3, 0.4, 0.5248 },
		{ 10, 0.5, 0.9, 0.15164090963471 },
		{ 2.5, 0.5, 0.7, 0.203110663720055 },
		{ 50, 60, 0.5, 0.830907293901669 },
		{ 1, 1, 0.3, 0.3 },
		{ 2, 2, 0, 0 },
		{ 2, 2, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_near(stats_beta(cases[i][0], cases[i][1], cases[i][2]),
			    cases[i][3], 1e-13);
}

static void t_agrees_with_scipy(void **state)
{
	/* scipy.stats.t.ppf(p, df), itself good to ten digits: see below */
	static const double quantiles[][3] = {
		{ 0.975, 1, 12.7062047364321 },
		{ 0.975, 2, 4.30265272991127 },
		{ 0.975, 5, 2.57058183661474 },
		{ 0.975, 9, 2.26215716274099 },
		{ 0.9875, 5, 3.16338144974862 },
		{ 0.995, 11, 3.1058065132211 },
		{ 0.975, 120, 1.97993040505278 },
		{ 0.75, 3, 0.764892328080891 },
		{ 0.9999, 4, 13.0336717211075 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		const double *q = quantiles[i];

		assert_near(stats_t_quantile(q[0], q[1]), q[2], 1e-9);
		assert_near(stats_t_quantile(1 - q[0], q[1]), -q[2], 1e-9);
	}
	/* With one degree of freedom it is a tangent. */
	assert_near(stats_t_quantile(0.975, 1), tan(M_PI * 0.475), 1e-13);
	/* scipy.stats.t.cdf(t, df) */
	assert_near(stats_t_cdf(-2.5, 4), 0.0333832724059941, 1e-13);
	assert_near(stats_t_cdf(0, 4), 0.5, 1e-15);
	assert_near(stats_t_cdf(1.3, 7), 0.882616082303811, 1e-13);
	assert_true(isnan(stats_t_quantile(1, 5)));
}

static void t_interval_agrees_with_scipy(void **state)
{
	const double x[] = { 0.011, 0.012, 0.009, 0.013, 0.010, 0.0125 };
	struct interval i = stats_t_interval(x, 6, 0.95);

	(void)state;
	/* scipy.stats.t.interval(level, 5, x.mean(), sem(x)) */
	assert_near(i.estimate, 0.01125, 1e-15);
	assert_near(i.low, 0.009632711060937044, 1e-11);
	assert_near(i.high, 0.012867288939062959, 1e-11);
	i = stats_t_interval(x, 6, stats_level(3));
	assert_near(i.low, 0.009026504109036666, 1e-11);
	assert_near(i.high, 0.01347349589096334, 1e-11);
	i = stats_t_interval(x, 1, 0.95);
	assert_false(interval_known(&i));
}

static void levels_are_shared_out(void **state)
{
	(void)state;
	assert_near(stats_level(1), 0.95, 0);
	assert_near(stats_level(5), 0.99, 1e-15);
}

static void mde_is_165_half_widths(void **state)
{
	const struct interval log = { 0.01, -0.01, 0.03, 0.95 };

	(void)state;
	assert_near(stats_mde(&log), expm1(0.033), 1e-15);
}

static void resembling_rounds_are_batched(void **state)
{
	double drifting[50], alternating[50];
	struct interval wide, narrow;

	(void)state;
	for (int i = 0; i < 50; i++) {
		drifting[i] = i;
		alternating[i] = (i * 29) % 50;
	}
	/* Six batches, of 8 or 9: the whole range of their medians. */
	wide = stats_placement(drifting, 50, 0.95);
	assert_near(wide.low, 3.5, 0);
	assert_near(wide.high, 45, 0);
	assert_near(wide.estimate, 24.5, 0);
	/* At a higher level it takes seven of them. */
	wide = stats_placement(drifting, 49, 0.975);
	assert_near(wide.low, 3, 0);
	wide = stats_placement(alternating, 50, 0.95);
	narrow = stats_sign_interval(alternating, 50, 0.95);
	assert_near(wide.low, narrow.low, 0);
	wide = stats_placement(drifting, 5, 0.95);
	assert_false(interval_known(&wide));
}

/* Values with this half-width of their t interval. */
static void spread(double *values, size_t n, double half, double level)
{
	struct interval i;

	for (size_t k = 0; k < n; k++)
		values[k] = k;
	i = stats_t_interval(values, n, level);
	for (size_t k = 0; k < n; k++)
		values[k] *= 2 * half / (i.high - i.low);
}

static void enough_is_narrower_the_fewer_there_are(void **state)
{
	static const double levels[] = { 0.95, 0.99 };
	static const size_t sizes[] = { 17, 20, 28, 56, 200 };
	double x[200];

	(void)state;
	for (size_t l = 0; l < ARRAY_SIZE(levels); l++)
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			size_t n = sizes[i];
			double wanted = (1 - 16.0 / n) * log(1.02);

			spread(x, n, wanted * 0.9999, levels[l]);
			assert_true(stats_enough(x, n, levels[l], 0.02));
			spread(x, n, wanted * 1.0001, levels[l]);
			assert_false(stats_enough(x, n, levels[l], 0.02));
		}
}

static void few_are_never_enough(void **state)
{
	const double same[17] = { 0 };

	(void)state;
	for (size_t n = 0; n < 17; n++)
		assert_false(stats_enough(same, n, 0.95, 0.02));
	assert_true(stats_enough(same, 17, 0.95, 0.02));
}

static void fairness_of_known_shares(void **state)
{
	const double even[] = { 3, 3, 3, 3 }, one[] = { 4, 0, 0, 0 };
	const double none[] = { 0, 0 }, two[] = { 1, 3 };

	(void)state;
	assert_near(stats_jain(even, 4), 1, 1e-15);
	assert_near(stats_jain(one, 4), 0.25, 1e-15);
	assert_near(stats_jain(two, 2), 0.8, 1e-15);
	assert_true(isnan(stats_jain(none, 2)));
	assert_near(stats_min_over_max(two, 2), 1.0 / 3, 1e-15);
	assert_true(isnan(stats_min_over_max(none, 2)));
}

static void hist_rank_counts_from_the_smallest(void **state)
{
	const u64 buckets[] = { 0, 5, 0, 4, 1 }, empty[3] = { 0 };

	(void)state;
	assert_int_equal(stats_hist_rank(buckets, 5, 0), 1);
	assert_int_equal(stats_hist_rank(buckets, 5, 0.5), 1);
	assert_int_equal(stats_hist_rank(buckets, 5, 0.51), 3);
	assert_int_equal(stats_hist_rank(buckets, 5, 0.9), 3);
	assert_int_equal(stats_hist_rank(buckets, 5, 0.91), 4);
	assert_int_equal(stats_hist_rank(buckets, 5, 1), 4);
	assert_int_equal(stats_hist_rank(empty, 3, 0.5), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_is_the_middle),
		cmocka_unit_test(sd_divides_by_n_less_one),
		cmocka_unit_test(lag1_agrees_with_numpy),
		cmocka_unit_test(batches_are_medians_of_neighbours),
		cmocka_unit_test(sign_ranks_agree_with_scipy),
		cmocka_unit_test(sign_interval_is_order_statistics),
		cmocka_unit_test(beta_agrees_with_scipy),
		cmocka_unit_test(t_agrees_with_scipy),
		cmocka_unit_test(t_interval_agrees_with_scipy),
		cmocka_unit_test(levels_are_shared_out),
		cmocka_unit_test(mde_is_165_half_widths),
		cmocka_unit_test(resembling_rounds_are_batched),
		cmocka_unit_test(enough_is_narrower_the_fewer_there_are),
		cmocka_unit_test(few_are_never_enough),
		cmocka_unit_test(fairness_of_known_shares),
		cmocka_unit_test(hist_rank_counts_from_the_smallest),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
