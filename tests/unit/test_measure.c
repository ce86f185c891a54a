// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <errno.h>

#include "fake_document.h"
#include "lib/comparison.h"
#include "lib/measure.h"
#include "lib/pilot.h"

static struct fake fake;
static struct document *doc;
static struct backend backend = { .ops = &fake_backend, .priv = &fake };
static struct measure measure;
static struct fault fault;

static int setup(void **state)
{
	static const struct spindelay_variant variants[] = {
		{ .lock = SPIN_LOCK_ttas, .delay = SPIN_DELAY_sb, .count = 1 },
		{ .lock = SPIN_LOCK_ttas, .delay = SPIN_DELAY_isb, .count = 1 },
	};
	static const u32 cpus[] = { 0, 1 };

	(void)state;
	fake_init(&fake, 1);
	doc = document_new("compare");
	doc->placements = 3;
	doc->rounds = 10;
	doc->window_ns = 2000000;
	document_add_set(doc, variants, 2, cpus, 2);
	memset(&measure, 0, sizeof(measure));
	measure.backend = &backend;
	measure.sample_shift = 5;
	measure.node = -1;
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

static void one_call_a_placement(void **state)
{
	(void)state;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	assert_int_equal(fake.calls, 3);
	assert_int_equal(doc->sets[0].nr_placements, 3);
	assert_int_equal(doc->sets[0].nr_windows, 3 * 10 * 2);
	assert_int_equal(doc->machine.counter_hz, FAKE_COUNTER_HZ);
}

static void warm_ups_are_dropped(void **state)
{
	const struct window *w;

	(void)state;
	measure_all(&measure, doc, &fault);
	assert_int_equal(fake.windows, 3 * (10 + PLAN_WARMUP_ROUNDS) * 2);
	/* The fake numbers its windows by their start. */
	w = doc->sets[0].windows;
	assert_int_equal(w[0].abi.start, 1000 * PLAN_WARMUP_ROUNDS * 2);
	assert_int_equal(w[20].abi.start,
			 1000 * (20 + 2 * PLAN_WARMUP_ROUNDS * 2));
}

static void windows_know_their_round(void **state)
{
	const struct window *w;

	(void)state;
	measure_all(&measure, doc, &fault);
	w = doc->sets[0].windows;
	for (unsigned int i = 0; i < 60; i++) {
		assert_int_equal(w[i].placement, i / 20);
		assert_int_equal(w[i].round, i % 20 / 2);
	}
}

static void long_placements_are_split(void **state)
{
	const struct window *w;

	(void)state;
	doc->placements = 1;
	doc->rounds = 1200;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	assert_int_equal(fake.calls, 3);
	assert_int_equal(doc->sets[0].nr_windows, 2400);
	w = doc->sets[0].windows;
	for (unsigned int i = 0; i < 2400; i++)
		assert_int_equal(w[i].round, i / 2);
	/* All in the same place. */
	assert_int_equal(fake.pages[0], fake.pages[1]);
	assert_int_equal(fake.pages[0], fake.pages[2]);
}

static void the_chain_is_measured_once(void **state)
{
	(void)state;
	measure_all(&measure, doc, &fault);
	assert_int_equal(fake.chain_fs[0], 0);
	assert_int_equal(fake.chain_fs[1], FAKE_CHAIN_FS);
	assert_int_equal(fake.chain_fs[2], FAKE_CHAIN_FS);
	assert_int_equal(doc->chain_fs, FAKE_CHAIN_FS);
}

static void the_first_placement_is_always_run(void **state)
{
	(void)state;
	measure.deadline = 0;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	assert_int_equal(doc->sets[0].nr_placements, 1);
}

static void a_placement_without_a_valid_round_does_not_count(void **state)
{
	(void)state;
	measure.deadline = 0;
	fake.invalid_every = 1;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	assert_int_equal(doc->sets[0].nr_placements, 3);
}

static void a_host_that_stays_busy_is_given_up(void **state)
{
	(void)state;
	measure.deadline = 0;
	measure.give_up = 1;
	fake.invalid_every = 1;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	assert_int_equal(doc->sets[0].nr_placements, 1);
}

static void errors_become_sentences(void **state)
{
	static const struct {
		int err;
		enum status status;
		const char *word;
	} cases[] = {
		{ -ENODEV, STATUS_ERROR, "offline" },
		{ -EOPNOTSUPP, STATUS_UNSUPPORTED, "cannot execute" },
		{ -EBUSY, STATUS_ERROR, "busy" },
		{ -EPERM, STATUS_ERROR, "root" },
		{ -EINVAL, STATUS_ERROR, "of one build" },
		{ -E2BIG, STATUS_USAGE,
		  "of a window, 500 us: lower its count" },
		{ -ENOMEM, STATUS_ERROR, "memory" },
	};

	(void)state;
	doc->placements = ARRAY_SIZE(cases);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake.fail = cases[i].err;
		assert_int_equal(measure_all(&measure, doc, &fault), -1);
		assert_fault(&fault, cases[i].status, cases[i].word);
	}
}

static void the_longest_poll_is_named(void **state)
{
	(void)state;
	doc->sets[0].variants[1].count = 4000;
	fake.fail = -E2BIG;
	assert_int_equal(measure_all(&measure, doc, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "isb*4000: one poll", "--window",
		     "20 ms");
	doc->sets[0].variants[0].pad = 60000;
	assert_int_equal(measure_all(&measure, doc, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "sb+chain*60000: one poll");
}

static void an_order_that_was_asked_for_is_kept(void **state)
{
	const struct placement *place;
	unsigned int turned = 0;

	(void)state;
	doc->placements = 20;
	doc->order = ORDER_LISTED;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	for (unsigned int i = 0; i < 20; i++) {
		place = &doc->sets[0].placements[i];
		assert_int_equal(place->cpus[0], 0);
		assert_int_equal(place->cpus[1], 1);
	}
	doc->order = ORDER_RANDOM;
	doc->placements = 40;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	for (unsigned int i = 20; i < 40; i++)
		turned += doc->sets[0].placements[i].cpus[0] == 1;
	assert_in_range(turned, 3, 17);
}

static void precision_ends_a_set(void **state)
{
	unsigned int nr;

	(void)state;
	doc->placements = PLAN_PLACEMENTS_MAX;
	doc->precision = 0.02;
	fake.noise = 0.02;
	fake.placement_noise = 0.02;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	nr = doc->sets[0].nr_placements;
	assert_in_range(nr, STATS_PLACEMENTS_MIN + 1, PLAN_PLACEMENTS_MAX - 1);
	assert_true(comparisons_precise(doc, 0));
	/* Twice as precise takes more. */
	doc->precision = 0.01;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	assert_in_range(doc->sets[0].nr_placements, nr + 10,
			PLAN_PLACEMENTS_MAX - 1);
}

static void each_set_ends_by_itself(void **state)
{
	static const struct spindelay_variant variants[] = {
		{ .lock = SPIN_LOCK_pace, .delay = SPIN_DELAY_sb, .count = 1 },
		{ .lock = SPIN_LOCK_pace, .delay = SPIN_DELAY_isb, .count = 1 },
	};
	static const u32 cpus[] = { 0 };

	(void)state;
	document_add_set(doc, variants, 2, cpus, 1);
	doc->placements = PLAN_PLACEMENTS_MAX;
	doc->precision = 0.02;
	/* Those of pace are of one CPU and quiet. */
	fake.noise = 0.02;
	fake.placement_noise = 0.03;
	fake.quiet_lock = SPIN_LOCK_pace;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	assert_true(doc->sets[1].nr_placements < doc->sets[0].nr_placements);
	assert_true(comparisons_precise(doc, 0));
}

static void precision_that_is_not_reached_ends_with_the_time(void **state)
{
	(void)state;
	doc->placements = PLAN_PLACEMENTS_MAX;
	doc->precision = 0.02;
	measure.deadline = 0;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	assert_int_equal(doc->sets[0].nr_placements, 1);
}

static void poll_periods_are_not_run_again(void **state)
{
	static const u32 cpus[] = { 0 };

	(void)state;
	document_add_set(doc, doc->sets[0].variants, 2, cpus, 1);
	doc->sets[1].role = SET_PERIODS;
	assert_int_equal(measure_windows(doc), 3 * 10 * 2);
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	assert_int_equal(doc->sets[0].nr_placements, 3);
	assert_int_equal(doc->sets[1].nr_placements, 0);
}

static void what_fits_no_call_is_refused(void **state)
{
	struct spindelay_variant variants[64] = { 0 };
	const u32 cpu = 0;

	(void)state;
	document_add_set(doc, variants, 64, &cpu, 1);
	doc->window_ns = 20000000;
	assert_int_equal(measure_all(&measure, doc, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "64 variants", "20000 us", "2000 ms",
		     "8192 windows");
}

static void the_pilot_finds_bursts_of_20_us(void **state)
{
	static const double costs[] = { 0.05, 0.4, 7, 100, 5000 };
	const struct spindelay_variant v = { .delay = SPIN_DELAY_isb,
					     .count = 1 };
	double ns;
	u32 burst;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(costs); i++) {
		fake.ns_per_copy = costs[i];
		assert_int_equal(pilot_bursts(&measure, doc, &v, 1, 0, &burst,
					      &fault),
				 0);
		ns = burst * costs[i] * SPINDELAY_BURST_COPIES;
		if (costs[i] * SPINDELAY_BURST_COPIES > PILOT_BURST_NS)
			assert_int_equal(burst, 1);
		else if (ns < 0.9 * PILOT_BURST_NS || ns > PILOT_BURST_NS)
			fail_msg("%g ns a copy: a burst of %g ns", costs[i],
				 ns);
	}
}

static void the_pilot_stays_within_the_bounds(void **state)
{
	(void)state;
	assert_int_equal(pilot_next_burst(SPINDELAY_BURST_MAX, 0, 25000000),
			 SPINDELAY_BURST_MAX);
	assert_int_equal(pilot_next_burst(1, 1ULL << 40, 25000000), 1);
	assert_int_equal(pilot_next_burst(1, 0, 1000000000), 64);
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_call_a_placement),
		TEST(warm_ups_are_dropped),
		TEST(windows_know_their_round),
		TEST(long_placements_are_split),
		TEST(the_chain_is_measured_once),
		TEST(the_first_placement_is_always_run),
		TEST(a_placement_without_a_valid_round_does_not_count),
		TEST(a_host_that_stays_busy_is_given_up),
		TEST(errors_become_sentences),
		TEST(the_longest_poll_is_named),
		TEST(an_order_that_was_asked_for_is_kept),
		TEST(precision_ends_a_set),
		TEST(each_set_ends_by_itself),
		TEST(precision_that_is_not_reached_ends_with_the_time),
		TEST(poll_periods_are_not_run_again),
		TEST(what_fits_no_call_is_refused),
		TEST(the_pilot_finds_bursts_of_20_us),
		TEST(the_pilot_stays_within_the_bounds),
	};

	return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
