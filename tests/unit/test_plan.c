// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "lib/plan.h"

static struct rng rng;

static void two_variants_run_in_abba_blocks(void **state)
{
	unsigned int ab = 0;
	u32 order[2000];

	(void)state;
	rng_seed(&rng, 1);
	plan_order(&rng, 2, 1000, order);
	for (unsigned int i = 0; i < 2000; i += 4) {
		assert_int_equal(order[i] + order[i + 1], 1);
		assert_int_equal(order[i + 2], order[i + 1]);
		assert_int_equal(order[i + 3], order[i]);
		ab += !order[i];
	}
	/* 500 fair coins: 190 to 310 is more than five sd. */
	assert_in_range(ab, 190, 310);
}

/* How often each variant came right behind each other, in whole blocks. */
static void count_followers(unsigned int n, unsigned int rounds,
			    const u32 *order, unsigned int (*followed)[8])
{
	for (unsigned int r = 0; r < rounds; r++)
		for (unsigned int i = 1; i < n; i++)
			followed[order[r * n + i - 1]][order[r * n + i]]++;
}

static void each_variant_follows_each_equally_often(void **state)
{
	(void)state;
	for (unsigned int n = 2; n <= 8; n++) {
		unsigned int followed[8][8] = { 0 };
		unsigned int rounds = plan_block_rounds(n);
		u32 order[8 * 16];

		rng_seed(&rng, n);
		plan_order(&rng, n, rounds, order);
		count_followers(n, rounds, order, followed);
		for (unsigned int a = 0; a < n; a++)
			for (unsigned int b = 0; b < n; b++)
				assert_int_equal(followed[a][b],
						 a == b ? 0 : rounds / n);
	}
}

static void each_round_has_each_variant_once(void **state)
{
	u32 order[64 * 11];

	(void)state;
	for (unsigned int n = 1; n <= 64; n += 7) {
		rng_seed(&rng, n);
		plan_order(&rng, n, 11, order);
		for (unsigned int r = 0; r < 11; r++) {
			u64 seen = 0;

			for (unsigned int i = 0; i < n; i++)
				seen |= 1ULL << order[r * n + i];
			assert_int_equal(__builtin_popcountll(seen), n);
		}
	}
}

/* A number for the order of four variants in a round. */
static unsigned int order_number(const u32 *order)
{
	return order[0] << 6 | order[1] << 4 | order[2] << 2 | order[3];
}

static void blocks_of_four_differ_in_every_way(void **state)
{
	unsigned int firsts = 0, seconds = 0;
	u8 first[256] = { 0 }, second[256] = { 0 };
	u32 order[16];

	(void)state;
	rng_seed(&rng, 9);
	for (int i = 0; i < 2000; i++) {
		plan_order(&rng, 4, 4, order);
		first[order_number(order)] = 1;
		/* What may follow one and the same first round. */
		if (order_number(order) == 0x1b)
			second[order_number(order + 4)] = 1;
	}
	for (int i = 0; i < 256; i++) {
		firsts += first[i];
		seconds += second[i];
	}
	assert_int_equal(firsts, 24);
	assert_int_equal(seconds, 3);
}

static void the_seed_repeats_the_order(void **state)
{
	u32 first[200], again[200], other[200];

	(void)state;
	rng_seed(&rng, 42);
	plan_order(&rng, 2, 100, first);
	rng_seed(&rng, 42);
	plan_order(&rng, 2, 100, again);
	rng_seed(&rng, 43);
	plan_order(&rng, 2, 100, other);
	assert_memory_equal(first, again, sizeof(first));
	assert_memory_not_equal(first, other, sizeof(first));
}

/* Other implementations of xoshiro256**, from splitmix64 of 0, say so too. */
static void the_generator_is_the_published_one(void **state)
{
	(void)state;
	rng_seed(&rng, 0);
	assert_true(rng.state[0] == 0xe220a8397b1dcdafULL);
	assert_true(rng_next(&rng) == 0x99ec5f36cb75f2b4ULL);
	assert_true(rng_next(&rng) == 0xbf6e1f784956452aULL);
	for (int i = 3; i < 1000; i++)
		rng_next(&rng);
	assert_true(rng_next(&rng) == 0x7aac8c483a2edd2fULL);
}

static void numbers_below_a_bound_are_even(void **state)
{
	unsigned int hits[6] = { 0 };

	(void)state;
	rng_seed(&rng, 5);
	for (int i = 0; i < 60000; i++)
		hits[rng_below(&rng, 6)]++;
	for (int i = 0; i < 6; i++)
		assert_in_range(hits[i], 9500, 10500);
}

static void placements_differ_and_keep_their_cpus(void **state)
{
	const u32 cpus[] = { 4, 5, 6, 7 };
	u32 order[4], pages = 0, firsts = 0;
	struct placement place = { .node = 1, .cpus = order };

	(void)state;
	rng_seed(&rng, 3);
	for (int i = 0; i < 100; i++) {
		u32 seen = 0;

		plan_place(&rng, &place, cpus, 4, true);
		assert_in_range(place.page, 0, SPINDELAY_LOCK_PAGES - 1);
		assert_in_range(place.slot, 0, SPINDELAY_LOCK_SLOTS - 1);
		assert_int_equal(place.node, 1);
		for (int k = 0; k < 4; k++)
			seen |= 1 << order[k];
		assert_int_equal(seen, 0xf0);
		pages |= 1 << place.page;
		firsts |= 1 << order[0];
	}
	assert_true(__builtin_popcount(pages) > 10);
	assert_int_equal(firsts, 0xf0);
}

static void a_call_stays_within_the_bounds(void **state)
{
	static const struct {
		unsigned int variants, cpus;
		u32 window_ns;
	} shapes[] = {
		{ 2, 2, 2000000 },   { 1, 1, 200000 },	  { 2, 512, 200000 },
		{ 64, 4, 20000000 }, { 64, 512, 200000 }, { 3, 96, 2000000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		u64 rounds =
			plan_rounds_per_call(shapes[i].variants, shapes[i].cpus,
					     shapes[i].window_ns);
		u64 windows =
			(rounds + PLAN_WARMUP_ROUNDS) * shapes[i].variants;

		if (!rounds)
			continue;
		assert_true(windows * shapes[i].window_ns <=
			    SPINDELAY_PLAN_NS_MAX);
		assert_true(windows <= SPINDELAY_WINDOWS_MAX);
		assert_true(plan_result_bytes(windows, shapes[i].cpus) <=
			    SPINDELAY_RESULT_BYTES_MAX);
		/* And it is not much smaller than it could be. */
		windows += shapes[i].variants;
		assert_true(windows * shapes[i].window_ns >
				    SPINDELAY_PLAN_NS_MAX ||
			    windows > SPINDELAY_WINDOWS_MAX ||
			    plan_result_bytes(windows, shapes[i].cpus) >
				    SPINDELAY_RESULT_BYTES_MAX);
	}
	assert_int_equal(plan_rounds_per_call(64, 4, 20000000), 0);
}

static void a_swapped_placement_has_the_twins(void **state)
{
	const struct spindelay_variant variants[] = {
		{ .count = 1 },
		{ .count = 1, .flags = SPINDELAY_TWIN },
		{ .count = 2 },
		{ .count = 1, .pad = 1 },
		{ .count = 1, .flags = SPINDELAY_BURST },
		{ .count = 1, .flags = SPINDELAY_HELD },
	};
	static const u32 flags[] = { SPINDELAY_TWIN,
				     0,
				     0,
				     0,
				     SPINDELAY_BURST,
				     SPINDELAY_HELD | SPINDELAY_TWIN };
	const u32 order[] = { 0, 1, 2, 3, 4, 5 };
	u32 cpu = 0;
	const struct placement place = { .swapped = true, .cpus = &cpu };
	const struct call_shape shape = {
		.variants = variants,
		.nr_variants = ARRAY_SIZE(variants),
		.place = &place,
		.nr_cpus = 1,
	};
	struct fault fault;
	struct call call;

	(void)state;
	assert_int_equal(call_build(&call, &shape, order, 1, &fault), 0);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		assert_int_equal(call.variants[i].flags, flags[i]);
	call_free(&call);
}

static void a_call_begins_with_warm_ups(void **state)
{
	const struct spindelay_variant variants[] = { { .delay = 4 },
						      { .delay = 3 } };
	u32 cpus[] = { 1, 0 };
	const struct placement place = { 5, 7, -1, false, cpus };
	const struct call_shape shape = { variants, 2, &place, 2,
					  300000,   6, 1234 };
	const u32 order[] = { 1, 0, 0, 1 };
	struct fault fault;
	struct call call;

	(void)state;
	assert_int_equal(call_build(&call, &shape, order, 2, &fault), 0);
	assert_int_equal(call.warmups, 2 * PLAN_WARMUP_ROUNDS);
	assert_int_equal(call.plan.nr_windows, call.warmups + 4);
	assert_memory_equal(call.schedule + call.warmups, order, sizeof(order));
	assert_int_equal(call.plan.size, sizeof(call.plan));
	assert_int_equal(call.plan.abi, SPINDELAY_ABI);
	assert_int_equal(call.plan.nr_cpus, 2);
	assert_int_equal(call.plan.nr_variants, 2);
	assert_int_equal(call.plan.window_ns, 300000);
	assert_int_equal(call.plan.sample_shift, 6);
	assert_int_equal(call.plan.lock_page, 5);
	assert_int_equal(call.plan.lock_slot, 7);
	assert_int_equal(call.plan.node, -1);
	assert_int_equal(call.plan.chain_fs, 1234);
	assert_memory_equal((u32 *)(uintptr_t)call.plan.cpus, cpus,
			    sizeof(cpus));
	assert_int_equal(((struct spindelay_variant *)(uintptr_t)
				  call.plan.variants)
				 ->delay,
			 4);
	call_free(&call);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_variants_run_in_abba_blocks),
		cmocka_unit_test(each_variant_follows_each_equally_often),
		cmocka_unit_test(each_round_has_each_variant_once),
		cmocka_unit_test(blocks_of_four_differ_in_every_way),
		cmocka_unit_test(the_seed_repeats_the_order),
		cmocka_unit_test(the_generator_is_the_published_one),
		cmocka_unit_test(numbers_below_a_bound_are_even),
		cmocka_unit_test(placements_differ_and_keep_their_cpus),
		cmocka_unit_test(a_call_stays_within_the_bounds),
		cmocka_unit_test(a_swapped_placement_has_the_twins),
		cmocka_unit_test(a_call_begins_with_warm_ups),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
