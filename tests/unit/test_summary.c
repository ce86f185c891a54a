// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <math.h>

#include "fake_document.h"
#include "lib/comparison.h"
#include "lib/summary.h"

static struct fake fake;
static struct document *doc;

static int setup(void **state)
{
	(void)state;
	fake_init(&fake, 11);
	doc = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	document_free(doc);
	return 0;
}

static void assert_near(double value, double expected, double relative)
{
	if (!(fabs(value - expected) <= relative * fabs(expected)))
		fail_msg("%.17g, expected %.17g", value, expected);
}

static void a_planted_ratio_is_found(void **state)
{
	const struct comparison *c;

	(void)state;
	fake.rate[0] = 0.0012;
	fake.noise = 0.02;
	doc = fake_compare(&fake, 2, 6, 50);
	assert_int_equal(doc->nr_comparisons, 1);
	c = &doc->comparisons[0];
	assert_near(c->ratio.estimate, 1.2, 0.01);
	assert_true(c->ratio.low < 1.2 && c->ratio.high > 1.2);
	assert_int_equal(c->resolved, RESOLVED_HIGHER);
	assert_int_equal(c->verdict, VERDICT_FASTER);
	assert_int_equal(c->placements, 6);
	assert_int_equal(c->rounds, 300);
	assert_string_equal(c->reason, "");
	assert_int_equal(summary_status(doc), STATUS_OK);
}

static void a_loss_is_slower(void **state)
{
	(void)state;
	fake.rate[0] = 0.0009;
	fake.noise = 0.02;
	doc = fake_compare(&fake, 2, 6, 50);
	assert_int_equal(doc->comparisons[0].resolved, RESOLVED_LOWER);
	assert_int_equal(doc->comparisons[0].verdict, VERDICT_SLOWER);
}

static void no_difference_is_none(void **state)
{
	const struct comparison *c;

	(void)state;
	fake.noise = 0.02;
	doc = fake_compare(&fake, 2, 6, 50);
	c = &doc->comparisons[0];
	assert_int_equal(c->resolved, RESOLVED_NONE);
	assert_int_equal(c->verdict, VERDICT_NONE);
	assert_near(c->minimum_detectable_effect,
		    expm1(1.65 * log(c->ratio.high / c->ratio.low) / 2), 1e-9);
}

static void drift_does_not_pass_for_a_difference(void **state)
{
	(void)state;
	fake.noise = 0.001;
	fake.drift = 0.001;
	doc = fake_compare(&fake, 2, 8, 50);
	assert_int_equal(doc->comparisons[0].resolved, RESOLVED_NONE);
}

static void each_is_compared_with_the_last(void **state)
{
	(void)state;
	fake.rate[1] = 0.002;
	fake.rate[3] = 0.004;
	fake.noise = 0.01;
	doc = fake_compare(&fake, 4, 6, 8);
	assert_int_equal(doc->nr_comparisons, 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(doc->comparisons[i].a, i);
		assert_int_equal(doc->comparisons[i].b, 3);
		assert_near(doc->comparisons[i].ratio.level, 1 - 0.05 / 3,
			    1e-12);
	}
	assert_near(doc->comparisons[0].ratio.estimate, 0.25, 0.05);
	assert_near(doc->comparisons[1].ratio.estimate, 0.5, 0.05);
}

static void emulated_is_never_judged(void **state)
{
	(void)state;
	fake.rate[0] = 0.0012;
	doc = fake_compare(&fake, 2, 6, 50);
	doc->machine.hypervisor.emulated = true;
	free(doc->comparisons);
	doc->comparisons = NULL;
	doc->nr_comparisons = 0;
	summarise_comparisons(doc);
	assert_int_equal(doc->comparisons[0].resolved, RESOLVED_HIGHER);
	assert_int_equal(doc->comparisons[0].verdict, VERDICT_NOT_JUDGED);
	assert_string_equal(doc->comparisons[0].reason, "this CPU is emulated");
	assert_int_equal(summary_status(doc), STATUS_OK);
}

static void few_placements_are_not_judged(void **state)
{
	(void)state;
	fake.rate[0] = 0.0012;
	fake.noise = 0.01;
	doc = fake_compare(&fake, 2, 1, 50);
	assert_int_equal(doc->comparisons[0].resolved, RESOLVED_HIGHER);
	assert_int_equal(doc->comparisons[0].verdict, VERDICT_NOT_JUDGED);
	assert_non_null(strstr(doc->comparisons[0].reason,
			       "one placement only"));
	assert_int_equal(summary_status(doc), STATUS_OK);
}

static void invalid_rounds_are_left_out_and_counted(void **state)
{
	const struct comparison *c;

	(void)state;
	fake.rate[0] = 0.0012;
	fake.noise = 0.01;
	fake.invalid_every = 10;
	doc = fake_compare(&fake, 2, 6, 50);
	c = &doc->comparisons[0];
	assert_in_range(c->discarded, 55, 65);
	assert_int_equal(c->discarded + c->rounds, 300);
	assert_int_equal(doc->discarded_rounds, c->discarded);
	assert_int_equal(doc->variants[0].windows, c->rounds);
	assert_int_equal(doc->variants[1].windows, c->rounds);
	assert_int_equal(c->verdict, VERDICT_FASTER);
}

static void too_few_valid_rounds_are_said(void **state)
{
	(void)state;
	fake.noise = 0.01;
	fake.invalid_every = 3;
	doc = fake_compare(&fake, 2, 6, 50);
	assert_int_equal(doc->comparisons[0].verdict, VERDICT_NOT_JUDGED);
	assert_non_null(strstr(doc->comparisons[0].reason, "too few"));
	assert_int_equal(summary_status(doc), STATUS_NOISY);
}

static void too_few_rounds_have_no_interval(void **state)
{
	(void)state;
	fake.noise = 0.01;
	doc = fake_compare(&fake, 2, 1, 5);
	assert_true(isnan(doc->comparisons[0].ratio.low));
	assert_false(isnan(doc->comparisons[0].ratio.estimate));
	assert_true(isnan(doc->comparisons[0].minimum_detectable_effect));
	assert_int_equal(summary_status(doc), STATUS_NOISY);
}

static void lost_exclusion_is_an_error(void **state)
{
	(void)state;
	fake.lose[1] = 3;
	doc = fake_compare(&fake, 2, 6, 10);
	assert_int_equal(doc->variants[0].lost, 0);
	assert_int_equal(doc->variants[1].lost, 3 * 60);
	assert_int_equal(summary_status(doc), STATUS_ERROR);
}

static void variants_have_the_planted_numbers(void **state)
{
	const struct variant_result *r;

	(void)state;
	doc = fake_compare(&fake, 2, 6, 10);
	r = &doc->variants[0];
	/* Two CPUs, 0.001 acquisitions a tick each, a tick is 1 ns. */
	assert_near(r->rate, 2e6, 1e-12);
	assert_near(r->ns_per_acquisition, 500, 1e-12);
	assert_near(r->polls_per_acquisition, 3, 1e-12);
	/* Half of the acquisitions wait 100 of their 1000 ticks. */
	assert_near(r->delay_share, 0.05, 1e-12);
	assert_near(r->hold_stretch, 1.5, 1e-12);
	assert_near(r->jain, 1, 1e-12);
	assert_near(r->min_over_max, 1, 1e-12);
	assert_near(r->wait_p50, 100, 0.0625);
	assert_near(r->wait_p999, 100, 0.0625);
	assert_near(r->wait_max, 100, 1e-12);
	assert_int_equal(r->windows, 60);
	assert_int_equal(r->cpus[1].cpu, 1);
	assert_int_equal(r->cpus[1].acquisitions, 60 * 2000);
	assert_near(r->cpus[1].rate, 1e6, 1e-12);
}

/* Their numbers anew, after the windows have been changed. */
static void variants_again(void)
{
	for (unsigned int v = 0; v < doc->nr_variants; v++)
		free(doc->variants[v].cpus);
	free(doc->variants);
	doc->variants = NULL;
	doc->nr_variants = 0;
	summarise_variants(doc);
}

static void less_than_half_of_the_windows_is_too_few(void **state)
{
	(void)state;
	doc = fake_compare(&fake, 1, 1, 20);
	assert_int_equal(summary_status(doc), STATUS_OK);
	for (int i = 0; i < 11; i++)
		doc->sets[0].windows[i].abi.invalid = SPINDELAY_INVALID_LATE;
	variants_again();
	assert_int_equal(doc->variants[0].windows, 9);
	assert_int_equal(summary_status(doc), STATUS_NOISY);
	doc->machine.hypervisor.emulated = true;
	assert_int_equal(summary_status(doc), STATUS_OK);
}

static void spins_of_a_cpu_that_timed_none_count_like_the_others(void **state)
{
	struct set *set;

	(void)state;
	doc = fake_compare(&fake, 2, 6, 10);
	set = &doc->sets[0];
	for (size_t i = 0; i < set->nr_windows; i++) {
		struct window *w = &set->windows[i];
		struct spindelay_record *r = w->records;

		/* Wherever CPU 1 started. */
		r += set->placements[w->placement].cpus[1] == 1;
		r->timed_spins = 0;
		r->timed_spin_ticks = 0;
	}
	variants_again();
	assert_near(doc->variants[0].delay_share, 0.05, 1e-12);
	assert_near(doc->variants[0].cpus[1].delay_share, 0.05, 1e-12);
}

/* The waits that are timed in one window are a hundred times as long. */
static const struct variant_result *interrupt_one_window(u64 timed)
{
	struct set *set = &doc->sets[0];
	const u32 variant = set->windows[7].abi.variant;

	for (size_t i = 0; i < 2 * set->nr_windows; i++) {
		struct spindelay_record *r = set->windows[i / 2].records;

		r[i % 2].timed_spins = timed;
		r[i % 2].timed_spin_ticks = 100 * timed;
	}
	set->windows[7].records[0].timed_spin_ticks = 1000000;
	variants_again();
	return &doc->variants[variant];
}

static void a_window_that_was_interrupted_has_no_part_in_the_share(void **state)
{
	(void)state;
	doc = fake_compare(&fake, 1, 6, 10);
	assert_near(interrupt_one_window(SHARE_TIMED_MIN)->delay_share, 0.05,
		    1e-12);
}

static void few_timed_waits_are_added_up(void **state)
{
	(void)state;
	doc = fake_compare(&fake, 1, 6, 10);
	assert_true(interrupt_one_window(SHARE_TIMED_MIN / 2 - 1)->delay_share >
		    0.5);
}

static void a_cost_is_the_difference_over_the_copies(void **state)
{
	(void)state;
	fake.ns_per_copy = 13.25;
	fake.poll_ns = 16;
	doc = fake_cost(&fake, 1);
	assert_int_equal(doc->nr_costs, 1);
	assert_near(doc->costs[0].back_to_back.estimate, 13.25, 1e-3);
	assert_near(doc->costs[0].back_to_back.low, 13.25, 1e-3);
	assert_near(doc->costs[0].poll_period.estimate, 16, 1e-3);
	assert_int_equal(doc->costs[0].rounds, 20);
	assert_true(isnan(doc->costs[0].cycles));
	assert_int_equal(summary_status(doc), STATUS_OK);
}

static void a_cost_without_valid_rounds_is_noisy(void **state)
{
	(void)state;
	fake.invalid_every = 1;
	doc = fake_cost(&fake, 1);
	assert_int_equal(doc->costs[0].rounds, 0);
	assert_int_equal(doc->discarded_rounds, 20);
	assert_int_equal(summary_status(doc), STATUS_NOISY);
}

static void a_delay_that_sleeps_has_a_poll_alone(void **state)
{
	(void)state;
	fake.poll_ns = 4000;
	fake.cycles_per_tick = 3;
	doc = fake_sleeping_cost(&fake);
	assert_true(isnan(doc->costs[0].back_to_back.estimate));
	assert_near(doc->costs[0].poll_period.estimate, 4000, 1e-3);
	assert_true(isnan(doc->costs[0].cycles));
	assert_near(doc->costs[0].poll_cycles, 12000, 1e-3);
	assert_int_equal(doc->costs[0].rounds, 20);
	assert_int_equal(summary_status(doc), STATUS_OK);
}

static void a_cost_in_cycles_is_that_of_the_windows(void **state)
{
	(void)state;
	fake.ns_per_copy = 13.25;
	fake.poll_ns = 16;
	fake.cycles_per_tick = 2.5;
	fake.instructions_per_tick = 0.5;
	doc = fake_cost(&fake, 1);
	assert_near(doc->costs[0].cycles, 13.25 * 2.5, 1e-3);
	assert_near(doc->costs[0].instructions, 13.25 * 0.5, 1e-3);
	assert_near(doc->costs[0].poll_cycles, 40, 1e-3);
	assert_near(doc->costs[0].poll_instructions, 8, 1e-3);
}

/* As if the clock had been faster in the windows of one role. */
static void a_cost_in_cycles_does_not_ask_for_the_frequency(void **state)
{
	double cycles;

	(void)state;
	fake.cycles_per_tick = 2.5;
	doc = fake_cost(&fake, 1);
	cycles = doc->costs[0].cycles;
	for (size_t i = 0; i < doc->sets[0].nr_windows; i += 2) {
		struct spindelay_record *r = doc->sets[0].windows[i].records;

		/* Half the time for the same cycles. */
		r->ticks /= 2;
		r->burst_min /= 2;
	}
	free(doc->costs);
	doc->nr_costs = 0;
	assert_int_equal(summarise_costs(doc), 0);
	assert_near(doc->costs[0].cycles, cycles, 1e-12);
}

static void counters_are_divided_by_acquisitions(void **state)
{
	const struct variant_result *r;

	(void)state;
	fake.cycles_per_tick = 2.5;
	fake.instructions_per_tick = 4;
	doc = fake_compare(&fake, 2, 6, 10);
	r = &doc->variants[0];
	/* 1000 ticks of a CPU for each. */
	assert_near(r->cycles, 2500, 1e-12);
	assert_near(r->instructions, 4000, 1e-12);
	assert_near(r->ghz, 2.5, 1e-12);
	assert_near(1 + doc->frequency_change, 1, 1e-6);
}

static void without_counters_there_is_nothing_to_say(void **state)
{
	(void)state;
	doc = fake_compare(&fake, 2, 6, 10);
	assert_true(isnan(doc->variants[0].cycles));
	assert_true(isnan(doc->variants[0].instructions));
	assert_true(isnan(doc->variants[0].ghz));
	assert_true(isnan(doc->frequency_change));
}

static void a_counter_that_was_taken_away_is_none(void **state)
{
	(void)state;
	fake.cycles_per_tick = 2;
	fake.instructions_per_tick = 2;
	doc = fake_compare(&fake, 2, 6, 10);
	for (size_t i = 0; i < 2; i++)
		if (doc->sets[0].windows[i].abi.variant == 1)
			doc->sets[0].windows[i].records[1].instructions = 0;
	variants_again();
	assert_near(doc->variants[1].cycles, 2000, 1e-9);
	assert_true(isnan(doc->variants[1].instructions));
	assert_near(doc->variants[0].instructions, 2000, 1e-9);
}

static void a_variant_at_another_frequency_is_seen(void **state)
{
	(void)state;
	fake.cycles_per_tick = 2;
	fake.speed[2] = 1.03;
	doc = fake_compare(&fake, 5, 6, 10);
	assert_near(doc->frequency_change, 0.03, 1e-3);
}

static void a_frequency_that_changes_with_time_is_seen(void **state)
{
	struct set *set;

	(void)state;
	fake.cycles_per_tick = 2;
	doc = fake_compare(&fake, 2, 6, 10);
	set = &doc->sets[0];
	for (size_t i = set->nr_windows * 3 / 4; i < set->nr_windows; i++)
		set->windows[i].records[0].cycles *= 0.9;
	variants_again();
	assert_true(doc->frequency_change > 0.1);
	/* A window now and then does not make a frequency. */
	for (size_t i = 0; i < set->nr_windows; i++)
		set->windows[i].records[0].cycles =
			2 * set->windows[i].records[0].ticks * (i % 5 ? 1 : 3);
	for (size_t i = 0; i < set->nr_windows; i++)
		set->windows[i].records[1].cycles =
			2 * set->windows[i].records[1].ticks;
	variants_again();
	assert_true(doc->frequency_change < 1e-6);
}

static void a_cpu_that_stands_by_has_no_frequency(void **state)
{
	(void)state;
	fake.cycles_per_tick = 2;
	fake.speed[1] = 0.3;
	doc = fake_compare(&fake, 2, 6, 10);
	assert_true(doc->frequency_change > 2);
	doc->sets[0].variants[1].delay = SPIN_DELAY_wfe;
	variants_again();
	assert_true(doc->frequency_change < 1e-6);
	doc->sets[0].variants[1].delay = SPIN_DELAY_wfet;
	variants_again();
	assert_true(doc->frequency_change < 1e-6);
	doc->sets[0].variants[1].delay = SPIN_DELAY_none;
	doc->sets[0].variants[1].lock = SPIN_LOCK_raw_spinlock;
	variants_again();
	assert_true(doc->frequency_change < 1e-6);
}

static void a_lock_that_waits_in_its_own_way_has_no_polls(void **state)
{
	(void)state;
	doc = fake_compare(&fake, 2, 6, 10);
	doc->sets[0].variants[1].lock = SPIN_LOCK_raw_spinlock;
	variants_again();
	assert_false(isnan(doc->variants[0].delay_share));
	assert_true(isnan(doc->variants[1].delay_share));
	assert_true(isnan(doc->variants[1].polls_per_acquisition));
	assert_true(isnan(doc->variants[1].cpus[0].delay_share));
	assert_near(doc->variants[1].rate, 2e6, 1e-12);
}

/* One CPU gets in once while the other one does a thousand times. */
static void starvation_is_visible(void **state)
{
	struct set *set;

	(void)state;
	doc = fake_compare(&fake, 2, 6, 10);
	set = &doc->sets[0];
	for (size_t i = 0; i < set->nr_windows; i++) {
		struct window *w = &set->windows[i];
		u32 starved = set->placements[w->placement].cpus[1] == 1;

		if (w->abi.variant)
			continue;
		w->records[starved].acquisitions = 2;
		w->records[starved].wait_max = 900000;
	}
	variants_again();
	assert_near(doc->variants[0].min_over_max, 0.001, 1e-9);
	assert_near(doc->variants[0].jain, 0.5, 0.01);
	assert_near(doc->variants[0].wait_max, 900000, 1e-12);
	assert_int_equal(doc->variants[0].cpus[1].acquisitions, 120);
	assert_near(doc->variants[0].cpus[1].wait_max_ns, 900000, 1e-12);
	assert_near(doc->variants[0].cpus[0].wait_max_ns, 100, 1e-12);
	assert_near(doc->variants[1].min_over_max, 1, 1e-12);
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_planted_ratio_is_found),
		TEST(a_loss_is_slower),
		TEST(no_difference_is_none),
		TEST(drift_does_not_pass_for_a_difference),
		TEST(each_is_compared_with_the_last),
		TEST(emulated_is_never_judged),
		TEST(few_placements_are_not_judged),
		TEST(invalid_rounds_are_left_out_and_counted),
		TEST(too_few_valid_rounds_are_said),
		TEST(too_few_rounds_have_no_interval),
		TEST(lost_exclusion_is_an_error),
		TEST(variants_have_the_planted_numbers),
		TEST(less_than_half_of_the_windows_is_too_few),
		TEST(spins_of_a_cpu_that_timed_none_count_like_the_others),
		TEST(a_window_that_was_interrupted_has_no_part_in_the_share),
		TEST(few_timed_waits_are_added_up),
		TEST(a_cost_is_the_difference_over_the_copies),
		TEST(a_delay_that_sleeps_has_a_poll_alone),
		TEST(a_cost_in_cycles_is_that_of_the_windows),
		TEST(a_cost_in_cycles_does_not_ask_for_the_frequency),
		TEST(counters_are_divided_by_acquisitions),
		TEST(without_counters_there_is_nothing_to_say),
		TEST(a_counter_that_was_taken_away_is_none),
		TEST(a_variant_at_another_frequency_is_seen),
		TEST(a_frequency_that_changes_with_time_is_seen),
		TEST(a_cpu_that_stands_by_has_no_frequency),
		TEST(a_lock_that_waits_in_its_own_way_has_no_polls),
		TEST(starvation_is_visible),
		TEST(a_cost_without_valid_rounds_is_noisy),
	};

	return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
