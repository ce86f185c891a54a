// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <math.h>

#include "bench/hist.h"
#include "lib/rng.h"
#include "lib/stats.h"
#include "uapi/spindelay.h"

static void the_abi_has_as_many_buckets(void **state)
{
	(void)state;
	assert_int_equal(SPIN_HIST_BUCKETS, SPINDELAY_HIST_BUCKETS);
}

static void buckets_join_without_gaps(void **state)
{
	(void)state;
	for (u32 b = 0; b < SPIN_HIST_BUCKETS; b++) {
		u64 low = spin_hist_low(b), next = spin_hist_low(b + 1);

		assert_true(next > low);
		assert_int_equal(spin_hist_bucket(low), b);
		assert_int_equal(spin_hist_bucket(next - 1), b);
	}
}

static void small_values_are_exact(void **state)
{
	(void)state;
	for (u64 v = 0; v < 16; v++) {
		assert_int_equal(spin_hist_bucket(v), v);
		assert_int_equal(spin_hist_low(v), v);
	}
}

static void buckets_are_an_eighth_wide(void **state)
{
	(void)state;
	for (u32 b = 16; b < SPIN_HIST_BUCKETS; b++) {
		u64 low = spin_hist_low(b);

		assert_true((spin_hist_low(b + 1) - low) * 8 <= low);
	}
}

static void the_last_bucket_takes_the_rest(void **state)
{
	(void)state;
	assert_int_equal(spin_hist_bucket(UINT64_MAX), SPIN_HIST_BUCKETS - 1);
	/* A minute of a counter of 1 GHz need not be told from an hour. */
	assert_true(spin_hist_low(SPIN_HIST_BUCKETS - 1) > 50000000);
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

#define VALUES 5000

/* Waits spread over many powers of two, as real ones are. */
static void make_waits(struct rng *rng, u64 *values, u64 *buckets)
{
	for (unsigned int i = 0; i < VALUES; i++) {
		values[i] = exp2(rng_below(rng, 2400) / 100.0);
		buckets[spin_hist_bucket(values[i])]++;
	}
	qsort(values, VALUES, sizeof(*values), compare_u64);
}

static void quantiles_hold_the_exact_one(void **state)
{
	static const double quantiles[] = { 0, 0.1, 0.5, 0.9, 0.99, 0.999, 1 };
	u64 buckets[SPIN_HIST_BUCKETS] = { 0 };
	static u64 values[VALUES];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1);
	make_waits(&rng, values, buckets);
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		size_t rank = fmax(1, ceil(quantiles[i] * VALUES));
		size_t bucket = stats_hist_rank(buckets, SPIN_HIST_BUCKETS,
						quantiles[i]);

		assert_true(spin_hist_low(bucket) <= values[rank - 1]);
		assert_true(spin_hist_low(bucket + 1) > values[rank - 1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_abi_has_as_many_buckets),
		cmocka_unit_test(buckets_join_without_gaps),
		cmocka_unit_test(small_values_are_exact),
		cmocka_unit_test(buckets_are_an_eighth_wide),
		cmocka_unit_test(the_last_bucket_takes_the_rest),
		cmocka_unit_test(quantiles_hold_the_exact_one),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
