// SPDX-License-Identifier: GPL-2.0-or-later
/* Each check of selftest, passed by a good machine and failed by a bad one. */
#include "unit.h"

#include <limits.h>

#include "fake_document.h"
#include "lib/findings.h"
#include "lib/names.h"
#include "lib/results.h"
#include "lib/selftest.h"
#include "scratch.h"

#define PLACEMENTS 6

static struct fake fake;
static struct backend backend = { .ops = &fake_backend, .priv = &fake };
static struct measure measure;
static struct document *doc;
static struct fault fault;
static char *text;

/* A machine without fault: a broken lock that breaks, locks that do not. */
static int setup(void **state)
{
	static const u32 cpus[] = { 0, 1 };

	(void)state;
	fake_init(&fake, 1);
	fake.noise = 0.01;
	fake.gap = 100000;
	fake.pace_cost = 1;
	fake.lose_lock[SPIN_LOCK_broken] = 5;
	doc = document_new("selftest");
	doc->placements = PLACEMENTS;
	doc->rounds = 20;
	doc->window_ns = 2000000;
	memset(&measure, 0, sizeof(measure));
	measure.backend = &backend;
	measure.sample_shift = 5;
	measure.node = -1;
	measure.swap_copies = true;
	measure.deadline = UINT64_MAX;
	rng_seed(&measure.rng, 1);
	doc->clock[0] = (struct counter_pair){ 1000, 5000 };
	doc->clock[1] = (struct counter_pair){ 1000 + FAKE_COUNTER_HZ,
					       5000 + 1000000000 };
	assert_int_equal(selftest_add_sets(doc, cpus, 2, 2, &fault), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	document_free(doc);
	free(text);
	text = NULL;
	return 0;
}

static enum status run(void)
{
	size_t size;
	FILE *stream;

	assert_int_equal(selftest_measure(&measure, doc, &fault), 0);
	assert_int_equal(selftest_judge(doc), 0);
	stream = open_memstream(&text, &size);
	selftest_print(doc, stream);
	fclose(stream);
	for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
		assert_true(strcspn(at, "\n") <= 80);
	return selftest_status(doc);
}

static const struct check *check(const char *name)
{
	for (unsigned int i = 0; i < doc->nr_checks; i++)
		if (!strcmp(doc->checks[i].name, name))
			return &doc->checks[i];
	fail_msg("no check %s", name);
	return NULL;
}

/* @name alone has not passed; its detail says @word. */
static void assert_only(const char *name, enum check_outcome outcome,
			const char *word)
{
	for (unsigned int i = 0; i < doc->nr_checks; i++)
		if (strcmp(doc->checks[i].name, name))
			assert_int_equal(doc->checks[i].outcome, CHECK_PASSED);
	assert_int_equal(check(name)->outcome, outcome);
	if (!strstr(check(name)->detail, word))
		fail_msg("'%s' does not say '%s'", check(name)->detail, word);
}

static void a_good_machine_passes(void **state)
{
	(void)state;
	assert_int_equal(run(), STATUS_OK);
	assert_int_equal(doc->nr_checks, 7);
	assert_only("twins", CHECK_PASSED, "noise floor");
	assert_true(!strncmp(text, "This machine can be trusted", 27));
	assert_null(strstr(text, "not ok"));
}

static void an_emulated_one_proves_nothing(void **state)
{
	(void)state;
	doc->machine.hypervisor.emulated = true;
	fake.noise = 2;
	assert_int_equal(run(), STATUS_OK);
	assert_non_null(strstr(text, "prove nothing about"));
	assert_null(strstr(text, "trusted"));
}

/* One in twenty is resolved alone; two of two in one direction never are. */
static void noise_does_not_cry_wolf(void **state)
{
	unsigned int failed = 0;

	for (u64 seed = 1; seed <= 100; seed++) {
		teardown(state);
		setup(state);
		doc->rounds = 8;
		fake.placement_noise = 0.01;
		rng_seed(&fake.rng, seed);
		rng_seed(&measure.rng, seed);
		failed += run() != STATUS_OK;
	}
	assert_in_range(failed, 0, 1);
}

static void twins_that_differ_are_noise(void **state)
{
	(void)state;
	fake.second_gain = 0.03;
	assert_int_equal(run(), STATUS_NOISY);
	assert_only("twins", CHECK_NOISY, "identical loops differ, twice");
	assert_non_null(strstr(text, "too noisy"));
}

static void what_one_copy_of_a_loop_has_over_the_other_cancels(void **state)
{
	(void)state;
	fake.noise = 0.001;
	fake.twin_gain = 0.03;
	assert_int_equal(run(), STATUS_OK);
	assert_int_equal(check("twins")->outcome, CHECK_PASSED);
}

static void a_small_difference_of_twins_is_none(void **state)
{
	(void)state;
	fake.noise = 0.001;
	fake.second_gain = 0.008;
	assert_int_equal(run(), STATUS_OK);
	assert_only("twins", CHECK_PASSED, "noise floor 0.8");
}

/* The twin's windows of one of the two sets. */
static void speed_up(enum selftest_set index, double factor)
{
	const struct set *set = &doc->sets[index];

	for (size_t i = 0; i < set->nr_windows; i++)
		for (unsigned int c = 0; c < set->nr_cpus; c++)
			if (set->windows[i].abi.variant)
				set->windows[i].records[c].acquisitions *=
					factor;
}

static void what_is_not_resolved_twice_is_no_difference(void **state)
{
	(void)state;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	speed_up(SELFTEST_TWINS, 1.03);
	assert_int_equal(selftest_judge(doc), 0);
	assert_only("twins", CHECK_PASSED, "noise floor 3.");
	/* Nor is what goes one way first and then the other. */
	speed_up(SELFTEST_TWINS_AGAIN, 0.97);
	assert_int_equal(selftest_judge(doc), 0);
	assert_only("twins", CHECK_PASSED, "noise floor 3.");
	speed_up(SELFTEST_TWINS_AGAIN, 1.03 / 0.97);
	assert_int_equal(selftest_judge(doc), 0);
	assert_only("twins", CHECK_NOISY, "twice");
}

static void twins_that_scatter_are_noise(void **state)
{
	(void)state;
	fake.placement_noise = 0.2;
	assert_int_equal(run(), STATUS_NOISY);
	assert_only("twins", CHECK_NOISY, "identical loops scatter");
}

static void a_difference_must_show(void **state)
{
	(void)state;
	fake.pace_cost = 0;
	assert_int_equal(run(), STATUS_NOISY);
	assert_only("control", CHECK_NOISY, "must be faster");
}

static void a_difference_the_wrong_way_does_not_count(void **state)
{
	(void)state;
	fake.pace_cost = -0.1;
	assert_int_equal(run(), STATUS_NOISY);
	assert_only("control", CHECK_NOISY, "must be faster");
}

static void a_broken_lock_that_holds_is_an_error(void **state)
{
	const struct set *set = &doc->sets[SELFTEST_BROKEN];

	(void)state;
	fake.lose_lock[SPIN_LOCK_broken] = 0;
	assert_int_equal(run(), STATUS_ERROR);
	assert_only("broken", CHECK_BROKEN, "was not caught");
	/* Not before it was tried often. */
	assert_true(set->nr_placements > PLACEMENTS);
	assert_non_null(strstr(text, "Something is broken"));
}

static void cpus_that_take_turns_test_no_lock(void **state)
{
	const struct set *set;

	(void)state;
	fake.lose_lock[SPIN_LOCK_broken] = 0;
	assert_int_equal(run(), STATUS_ERROR);
	set = &doc->sets[SELFTEST_BROKEN];
	for (size_t i = 0; i < set->nr_windows; i++)
		for (unsigned int c = 0; c < set->nr_cpus; c++)
			set->windows[i].records[c].spins = 5;
	assert_int_equal(selftest_judge(doc), 0);
	assert_only("broken", CHECK_NOISY, "hardly ever ran at once");
}

static void the_deadline_does_not_spare_the_broken_lock(void **state)
{
	(void)state;
	fake.lose_lock[SPIN_LOCK_broken] = 0;
	measure.deadline = 0;
	assert_int_equal(run(), STATUS_ERROR);
	assert_int_equal(doc->sets[SELFTEST_BROKEN].nr_placements, 1 + 3);
}

static void the_deadline_ends_it_without_a_valid_round(void **state)
{
	(void)state;
	measure.deadline = 0;
	fake.invalid_every = 1;
	assert_int_equal(run(), STATUS_NOISY);
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		assert_int_equal(doc->sets[s].nr_placements, 1);
}

static void a_broken_lock_that_was_caught_is_let_go(void **state)
{
	(void)state;
	run();
	assert_int_equal(doc->sets[SELFTEST_BROKEN].nr_placements, PLACEMENTS);
}

static void every_lock_that_loses_is_an_error(void **state)
{
	const struct lock_name *locks;
	size_t nr;
	unsigned int tried = 0;

	locks = lock_names(&nr);
	for (size_t i = 0; i < nr; i++) {
		if (!(locks[i].traits & SPIN_EXCLUDES) ||
		    locks[i].id == SPIN_LOCK_broken)
			continue;
		teardown(state);
		setup(state);
		fake.lose_lock[locks[i].id] = 1;
		assert_int_equal(run(), STATUS_ERROR);
		assert_int_equal(check("exclusion")->outcome, CHECK_BROKEN);
		assert_non_null(strstr(check("exclusion")->detail,
				       locks[i].name));
		tried++;
	}
	/* All but nolock, pace and broken. */
	assert_int_equal(tried, nr - 3);
}

static void a_lock_that_never_ran_is_not_passed(void **state)
{
	(void)state;
	fake.idle_lock = SPIN_LOCK_mcs;
	assert_int_equal(run(), STATUS_NOISY);
	assert_int_equal(check("exclusion")->outcome, CHECK_NOISY);
	assert_non_null(strstr(check("exclusion")->detail, "mcs"));
}

static void a_rate_by_position_is_noise(void **state)
{
	(void)state;
	fake.position_gain = 0.03;
	assert_int_equal(run(), STATUS_NOISY);
	assert_only("order", CHECK_NOISY, "twice");
}

static void windows_that_did_not_run_as_planned_are_an_error(void **state)
{
	const struct set *set = &doc->sets[SELFTEST_TWINS];

	(void)state;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	for (size_t i = 0; i < set->nr_windows; i++)
		set->windows[i].abi.variant = i % 2;
	assert_int_equal(selftest_judge(doc), 0);
	assert_only("order", CHECK_BROKEN, "as planned");
	set->windows[0].abi.variant = set->windows[1].abi.variant;
	assert_int_equal(selftest_judge(doc), 0);
	assert_int_equal(check("order")->outcome, CHECK_BROKEN);
}

static void a_counter_of_another_frequency_is_an_error(void **state)
{
	(void)state;
	doc->clock[1].ticks += FAKE_COUNTER_HZ / 50;
	assert_int_equal(run(), STATUS_ERROR);
	assert_only("timer", CHECK_BROKEN, "off by 2.0000 %");
}

static void a_counter_that_goes_back_is_an_error(void **state)
{
	(void)state;
	fake.back_every = 50;
	assert_int_equal(run(), STATUS_ERROR);
	assert_only("timer", CHECK_BROKEN, "goes back");
}

static void cpus_whose_counters_differ_are_an_error(void **state)
{
	(void)state;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	doc->sets[SELFTEST_LOCKS].windows[3].records[1].start = -100ULL;
	assert_int_equal(selftest_judge(doc), 0);
	assert_only("timer", CHECK_BROKEN, "do not agree");
}

static void a_counter_that_cannot_be_read_is_said(void **state)
{
	(void)state;
	doc->clock[0].ticks = 0;
	doc->clock[1].ticks = 0;
	assert_int_equal(run(), STATUS_OK);
	assert_only("timer", CHECK_PASSED, "not held against a clock");
}

static void windows_that_end_early_are_an_error(void **state)
{
	(void)state;
	fake.overrun = -100000;
	assert_int_equal(run(), STATUS_ERROR);
	assert_only("timer", CHECK_BROKEN, "windows of 1.900 ms");
}

static void windows_that_never_stop_are_an_error(void **state)
{
	(void)state;
	fake.overrun = 1600000;
	assert_int_equal(run(), STATUS_ERROR);
	assert_int_equal(check("stop")->outcome, CHECK_BROKEN);
	assert_int_equal(check("timer")->outcome, CHECK_NOISY);
}

static void too_many_discarded_rounds_are_noise(void **state)
{
	(void)state;
	fake.invalid_every = 2;
	assert_int_equal(run(), STATUS_NOISY);
	assert_int_equal(check("stop")->outcome, CHECK_NOISY);
	assert_non_null(strstr(text, "isolcpus"));
}

static void without_a_valid_round_nothing_passes(void **state)
{
	(void)state;
	doc->machine.hypervisor.emulated = true;
	measure.deadline = 0;
	fake.invalid_every = 1;
	assert_int_equal(run(), STATUS_NOISY);
	assert_int_equal(check("twins")->outcome, CHECK_NOISY);
	assert_int_equal(check("control")->outcome, CHECK_NOISY);
	assert_int_equal(check("order")->outcome, CHECK_NOISY);
	assert_int_equal(check("timer")->outcome, CHECK_NOISY);
	assert_int_equal(check("stop")->outcome, CHECK_NOISY);
}

static void one_cpu_skips_what_takes_two(void **state)
{
	const u32 cpu = 0;

	document_free(doc);
	doc = document_new("selftest");
	doc->placements = PLACEMENTS;
	doc->rounds = 20;
	doc->window_ns = 2000000;
	(void)state;
	assert_int_equal(selftest_add_sets(doc, &cpu, 1, 1, &fault), 0);
	assert_int_equal(run(), STATUS_OK);
	assert_only("broken", CHECK_SKIPPED, "two CPUs");
	assert_non_null(strstr(text, "on one CPU; contention was"));
}

static void a_file_of_it_says_the_same(void **state)
{
	char changed[768] = "", path[PATH_MAX];
	struct document *again;
	FILE *stream;

	(void)state;
	strcpy(doc->machine.cpu, "Neoverse V2 r0p1");
	strcpy(doc->machine.kernel, "6.12");
	doc->machine.online = (struct cpulist){ 2, { 0, 1 } };
	doc->machine.nr_nodes = 1;
	run();
	document_forget_findings(doc);
	assert_int_equal(findings_make(doc), 0);
	snprintf(path, sizeof(path), "%s/selftest.json", scratch_make());
	stream = fopen(path, "w");
	assert_int_equal(results_write(doc, stream), 0);
	fclose(stream);
	again = results_load(path, changed, sizeof(changed), &fault);
	if (!again)
		fail_msg("%s", fault.text);
	assert_string_equal(changed, "");
	assert_int_equal(again->nr_checks, doc->nr_checks);
	for (unsigned int i = 0; i < doc->nr_checks; i++)
		assert_string_equal(again->checks[i].detail,
				    doc->checks[i].detail);
	/* Its sets are told by their places, so they must be in them. */
	again->sets[SELFTEST_CONTROL].variants[1].count = 1;
	assert_false(selftest_check(again));
	document_free(again);
	scratch_remove();
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_good_machine_passes),
		TEST(an_emulated_one_proves_nothing),
		TEST(noise_does_not_cry_wolf),
		TEST(twins_that_differ_are_noise),
		TEST(what_one_copy_of_a_loop_has_over_the_other_cancels),
		TEST(a_small_difference_of_twins_is_none),
		TEST(what_is_not_resolved_twice_is_no_difference),
		TEST(twins_that_scatter_are_noise),
		TEST(a_difference_must_show),
		TEST(a_difference_the_wrong_way_does_not_count),
		TEST(a_broken_lock_that_holds_is_an_error),
		TEST(cpus_that_take_turns_test_no_lock),
		TEST(the_deadline_does_not_spare_the_broken_lock),
		TEST(the_deadline_ends_it_without_a_valid_round),
		TEST(a_broken_lock_that_was_caught_is_let_go),
		TEST(every_lock_that_loses_is_an_error),
		TEST(a_lock_that_never_ran_is_not_passed),
		TEST(a_rate_by_position_is_noise),
		TEST(windows_that_did_not_run_as_planned_are_an_error),
		TEST(a_counter_of_another_frequency_is_an_error),
		TEST(a_counter_that_goes_back_is_an_error),
		TEST(cpus_whose_counters_differ_are_an_error),
		TEST(a_counter_that_cannot_be_read_is_said),
		TEST(windows_that_end_early_are_an_error),
		TEST(windows_that_never_stop_are_an_error),
		TEST(too_many_discarded_rounds_are_noise),
		TEST(without_a_valid_round_nothing_passes),
		TEST(one_cpu_skips_what_takes_two),
		TEST(a_file_of_it_says_the_same),
	};

	return cmocka_run_group_tests_name("selftest", tests, NULL, NULL);
}
