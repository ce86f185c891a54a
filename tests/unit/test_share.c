// SPDX-License-Identifier: GPL-2.0-or-later
/* The search for a think, against a share that is a known function of it. */
#include "unit.h"

#include <math.h>

#include "fake_document.h"
#include "lib/share.h"
#include "lib/summary.h"

#define THINK_MAX 499800

static struct fake fake;
static struct document *doc;
static struct backend backend = { .ops = &fake_backend, .priv = &fake };
static struct measure measure;
static struct fault fault;

static int setup(void **state)
{
	static const struct spindelay_variant variants[] = {
		{ .lock = SPIN_LOCK_ttas,
		  .delay = SPIN_DELAY_nop,
		  .count = 1,
		  .hold_ns = 200 },
		{ .lock = SPIN_LOCK_ttas,
		  .delay = SPIN_DELAY_isb,
		  .count = 1,
		  .hold_ns = 200 },
	};
	static const u32 cpus[] = { 0, 1 };

	(void)state;
	fake_init(&fake, 1);
	fake.share_half = 300;
	fake.share_most = 0.6;
	doc = document_new("compare");
	doc->placements = 6;
	doc->rounds = 12;
	doc->window_ns = 2000000;
	doc->seed = 7;
	document_add_set(doc, variants, 2, cpus, 2);
	memset(&measure, 0, sizeof(measure));
	memset(&fault, 0, sizeof(fault));
	measure.backend = &backend;
	measure.sample_shift = 4;
	measure.node = -1;
	measure.calibrate_until = UINT64_MAX;
	measure.deadline = UINT64_MAX;
	rng_seed(&measure.rng, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	document_free(doc);
	return 0;
}

static enum share_found choose(double share)
{
	return share_choose(&measure, doc, &doc->sets[0], 1, share, &fault);
}

/* What the planted function says of the think that was chosen. */
static double planted(void)
{
	return fake.share_most * fake.share_half /
	       (fake.share_half + doc->sets[0].variants[1].think_ns);
}

static void assert_met(double share)
{
	if (choose(share))
		fail_msg("%g: %s", share, fault.text);
	if (fabs(planted() - share) > SHARE_TOLERANCE)
		fail_msg("%g: a think of %u gives %g", share,
			 doc->sets[0].variants[1].think_ns, planted());
}

static void a_share_is_met_within_a_point(void **state)
{
	static const double halves[] = { 3, 300, 20000 };

	(void)state;
	for (size_t h = 0; h < ARRAY_SIZE(halves); h++) {
		fake.share_half = halves[h];
		for (double share = 0.02; share < 0.6; share += 0.03) {
			/* Below it is where one ns is more than a point. */
			if (halves[h] < 10 && share > 0.3)
				continue;
			if (planted() < share && halves[h] > 10000 &&
			    share < 0.03)
				continue;
			assert_met(share);
		}
	}
}

static void every_variant_gets_the_think(void **state)
{
	(void)state;
	assert_met(0.19);
	assert_int_equal(doc->sets[0].variants[0].think_ns,
			 doc->sets[0].variants[1].think_ns);
	assert_true(doc->sets[0].share == 0.19);
	assert_int_equal(doc->sets[0].share_variant, 1);
}

static void steps_are_few(void **state)
{
	(void)state;
	for (double share = 0.02; share < 0.59; share += 0.01) {
		fake.calls = 0;
		assert_met(share);
		assert_true(fake.calls <=
			    SHARE_PLACEMENTS *
				    (2 + SHARE_STEPS / 2 + SHARE_SETTLE));
	}
}

static void noise_is_borne(void **state)
{
	(void)state;
	fake.noise = 0.05;
	for (u64 seed = 1; seed <= 20; seed++) {
		rng_seed(&fake.rng, seed);
		if (choose(0.2))
			fail_msg("%s", fault.text);
		if (fabs(planted() - 0.2) > 0.02)
			fail_msg("seed %d: %g", (int)seed, planted());
	}
}

static void windows_that_were_interrupted_do_not_count(void **state)
{
	(void)state;
	fake.noise = 0.05;
	fake.wild_every = 5;
	for (u64 seed = 1; seed <= 20; seed++) {
		rng_seed(&fake.rng, seed);
		if (choose(0.2))
			fail_msg("%s", fault.text);
		if (fabs(planted() - 0.2) > 0.02)
			fail_msg("seed %d: %g", (int)seed, planted());
	}
}

/* One probe is off by a few points; what is chosen must not be. */
static void a_first_hit_by_chance_is_put_right(void **state)
{
	double worst = 0;

	(void)state;
	fake.noise = 0.25;
	for (u64 seed = 1; seed <= 40; seed++) {
		rng_seed(&fake.rng, seed);
		if (choose(0.2))
			fail_msg("%s", fault.text);
		worst = fmax(worst, fabs(planted() - 0.2));
	}
	if (worst > 0.02)
		fail_msg("off by %g", worst);
}

static void noise_beyond_bearing_is_said(void **state)
{
	(void)state;
	/* Two values only, neither of them near. */
	fake.share_half = 0.001;
	fake.share_most = 0.6;
	assert_int_equal(choose(0.3), SHARE_NEAR);
	assert_fault(&fault, STATUS_NOISY, "30 %", "within 1 %", "24 steps",
		     "think of");
	assert_true(fake.calls <= SHARE_PLACEMENTS * (2 + SHARE_STEPS));
}

static void the_highest_share_that_can_be_reached_is_said(void **state)
{
	(void)state;
	assert_int_equal(choose(0.7), SHARE_OUT_OF_REACH);
	assert_fault(&fault, STATUS_ERROR, "70 %", "highest", "ttas/isb",
		     "60.0 %", "think of 0 ns");
	assert_int_equal(fake.calls, SHARE_PLACEMENTS);
	/* Within the tolerance it is met. */
	assert_int_equal(choose(0.609), 0);
	assert_int_equal(doc->sets[0].variants[1].think_ns, 0);
}

static void use_sleeping_lock(void)
{
	for (u32 v = 0; v < 2; v++)
		doc->sets[0].variants[v].lock = SPIN_LOCK_innodb_mutex;
	fake.asleep_below = 150;
}

static void a_lock_that_sleeps_polls_most_with_some_think(void **state)
{
	(void)state;
	use_sleeping_lock();
	for (double share = 0.05; share < 0.35; share += 0.03)
		assert_met(share);
}

static void a_lock_that_sleeps_has_a_highest_share_too(void **state)
{
	(void)state;
	use_sleeping_lock();
	assert_int_equal(choose(0.7), SHARE_OUT_OF_REACH);
	assert_fault(&fault, STATUS_ERROR, "70 %", "highest",
		     "innodb-mutex/isb", "36.0 %", "think of 200 ns");
}

static void the_lowest_share_that_can_be_reached_is_said(void **state)
{
	(void)state;
	fake.share_half = 1e6;
	assert_int_equal(choose(0.3), SHARE_OUT_OF_REACH);
	assert_fault(&fault, STATUS_ERROR, "30 %", "lowest", "40.0 %",
		     "think of 499800 ns");
	assert_int_equal(fake.think_ns, THINK_MAX);
}

static void a_baseline_without_polls_is_refused(void **state)
{
	static const u32 locks[] = { SPIN_LOCK_raw_spinlock, SPIN_LOCK_nolock,
				     SPIN_LOCK_pace };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(locks); i++) {
		doc->sets[0].variants[1].lock = locks[i];
		assert_int_equal(choose(0.2), SHARE_FAILED);
		assert_fault(&fault, STATUS_USAGE, "/isb", "no polls");
		assert_int_equal(fake.calls, 0);
	}
}

static void windows_that_are_never_valid_are_said(void **state)
{
	(void)state;
	fake.invalid_every = 1;
	measure.calibrate_until = 0;
	assert_int_equal(choose(0.2), SHARE_FAILED);
	assert_fault(&fault, STATUS_NOISY, "no valid window");
}

static void a_host_that_is_busy_for_a_while_is_waited_for(void **state)
{
	(void)state;
	fake.invalid_calls = 100;
	assert_met(0.2);
	assert_true(fake.calls > 100);
}

static void invalid_windows_are_left_out(void **state)
{
	(void)state;
	fake.invalid_every = 3;
	assert_met(0.2);
}

static void time_that_is_up_ends_the_search(void **state)
{
	(void)state;
	measure.calibrate_until = 0;
	assert_int_equal(choose(0.3), SHARE_NEAR);
	assert_fault(&fault, STATUS_NOISY, "in 0 steps", "the closest was");
	assert_int_equal(fake.calls, 2 * SHARE_PLACEMENTS);
	assert_true(doc->sets[0].share == 0.3);
}

static void the_same_seed_probes_the_same_places(void **state)
{
	u32 pages[4];

	(void)state;
	assert_met(0.2);
	memcpy(pages, fake.pages, sizeof(pages));
	/* Each step anew. */
	assert_int_equal(pages[0], pages[2]);
	assert_int_equal(pages[1], pages[3]);
	fake.calls = 0;
	assert_met(0.1);
	assert_memory_equal(pages, fake.pages, sizeof(pages));
}

static void what_was_asked_for_is_what_is_measured(void **state)
{
	const struct variant_result *r;

	(void)state;
	assert_met(0.19);
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	assert_int_equal(summarise_variants(doc), 0);
	r = &doc->variants[1];
	if (fabs(r->delay_share - 0.19) > 0.02)
		fail_msg("%g", r->delay_share);
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_share_is_met_within_a_point),
		TEST(every_variant_gets_the_think),
		TEST(steps_are_few),
		TEST(noise_is_borne),
		TEST(windows_that_were_interrupted_do_not_count),
		TEST(a_first_hit_by_chance_is_put_right),
		TEST(noise_beyond_bearing_is_said),
		TEST(the_highest_share_that_can_be_reached_is_said),
		TEST(a_lock_that_sleeps_polls_most_with_some_think),
		TEST(a_lock_that_sleeps_has_a_highest_share_too),
		TEST(the_lowest_share_that_can_be_reached_is_said),
		TEST(a_baseline_without_polls_is_refused),
		TEST(windows_that_are_never_valid_are_said),
		TEST(a_host_that_is_busy_for_a_while_is_waited_for),
		TEST(invalid_windows_are_left_out),
		TEST(time_that_is_up_ends_the_search),
		TEST(the_same_seed_probes_the_same_places),
		TEST(what_was_asked_for_is_what_is_measured),
	};

	return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
