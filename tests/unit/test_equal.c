// SPDX-License-Identifier: GPL-2.0-or-later
/* Padding until polls are equally long, against periods that are planted. */
#include "unit.h"

#include <math.h>

#include "fake_document.h"
#include "lib/comparison.h"
#include "lib/equal.h"

static struct fake fake;
static struct document *doc;
static struct backend backend = { .ops = &fake_backend, .priv = &fake };
static struct measure measure;
static struct fault fault;

static const struct spindelay_variant sb = { .lock = SPIN_LOCK_ttas,
					     .delay = SPIN_DELAY_sb,
					     .count = 1,
					     .hold_ns = 200,
					     .think_ns = 30 };
static const struct spindelay_variant isb = { .lock = SPIN_LOCK_ttas,
					      .delay = SPIN_DELAY_isb,
					      .count = 1,
					      .hold_ns = 200,
					      .think_ns = 30 };

static int setup(void **state)
{
	(void)state;
	fake_init(&fake, 5);
	fake.poll_ns = 4;
	fake.delay_ns[SPIN_DELAY_sb] = 30;
	fake.delay_ns[SPIN_DELAY_isb] = 100;
	fake.pad_ns = 0.5;
	doc = document_new("compare");
	doc->placements = 6;
	doc->rounds = 12;
	doc->window_ns = 2000000;
	doc->seed = 7;
	doc->match = MATCH_BOTH;
	memset(&measure, 0, sizeof(measure));
	memset(&fault, 0, sizeof(fault));
	measure.backend = &backend;
	measure.sample_shift = 4;
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

static struct set *add(const struct spindelay_variant *a,
		       const struct spindelay_variant *b)
{
	const struct spindelay_variant variants[] = { *a, *b };
	static const u32 cpus[] = { 0, 1 };

	return document_add_set(doc, variants, 2, cpus, 2);
}

static void choose(void)
{
	assert_int_equal(equal_reserve(doc, &fault), 0);
	if (equal_choose(&measure, doc, &fault))
		fail_msg("%s", fault.text);
}

/* The planted period of a poll. */
static double period(const struct spindelay_variant *v)
{
	double ns = fake.poll_ns + v->count * fake.delay_ns[v->delay];

	return v->pad ? ns + fake.padded_loop_ns + v->pad * fake.pad_ns : ns;
}

static void assert_equally_long(const struct spindelay_variant *a,
				const struct spindelay_variant *b)
{
	double mismatch = period(a) / period(b) - 1;

	if (fabs(mismatch) > EQUAL_TOLERANCE)
		fail_msg("they differ by %.2f %%", 100 * mismatch);
}

static void the_shorter_delay_is_padded(void **state)
{
	const struct set *set;

	(void)state;
	add(&sb, &isb);
	choose();
	set = &doc->sets[0];
	assert_int_equal(set->nr_asked, 2);
	assert_int_equal(set->nr_variants, 3);
	assert_int_equal(set->paddings[0].of, 0);
	assert_int_equal(set->variants[2].delay, SPIN_DELAY_sb);
	assert_int_equal(set->variants[2].think_ns, 30);
	assert_int_equal(set->variants[2].hold_ns, 200);
	assert_equally_long(&set->variants[2], &set->variants[1]);
}

static void the_baseline_is_padded_where_it_is_shorter(void **state)
{
	const struct set *set;

	(void)state;
	add(&isb, &sb);
	choose();
	set = &doc->sets[0];
	assert_int_equal(set->paddings[0].against, 0);
	assert_int_equal(set->paddings[0].of, 1);
	assert_int_equal(set->variants[2].delay, SPIN_DELAY_sb);
	assert_equally_long(&set->variants[2], &set->variants[0]);
}

static void what_the_loop_costs_besides_is_found_out(void **state)
{
	(void)state;
	fake.padded_loop_ns = 9;
	/* Not what a turn was said to cost. */
	fake.pad_ns = 0.8;
	add(&sb, &isb);
	choose();
	assert_equally_long(&doc->sets[0].variants[2],
			    &doc->sets[0].variants[1]);
}

/* A match by chance would be off by several percent. */
static void windows_that_vary_are_looked_at_longer(void **state)
{
	(void)state;
	fake.poll_noise = 0.05;
	for (u64 seed = 1; seed <= 10; seed++) {
		rng_seed(&fake.rng, seed);
		add(&sb, &isb);
		choose();
		assert_true(doc->equal_times[0].matched);
		if (fabs(period(&doc->sets[0].variants[2]) / 104 - 1) > 0.02)
			fail_msg("seed %d: %g ns", (int)seed,
				 period(&doc->sets[0].variants[2]));
		teardown(NULL);
		doc = document_new("compare");
		doc->placements = 6;
		doc->rounds = 12;
		doc->window_ns = 2000000;
		doc->match = MATCH_BOTH;
		doc->seed = seed;
	}
}

static void windows_that_do_not_vary_are_looked_at_once(void **state)
{
	(void)state;
	add(&sb, &isb);
	choose();
	assert_int_equal(set_rounds(&doc->sets[1]), EQUAL_ROUNDS);
}

static void polls_of_one_length_need_none(void **state)
{
	(void)state;
	fake.delay_ns[SPIN_DELAY_sb] = 100.5;
	add(&sb, &isb);
	choose();
	assert_int_equal(doc->sets[0].nr_variants, 2);
	assert_int_equal(comparisons_list(doc), 0);
	/* The whole, and that it is the instruction's. */
	assert_int_equal(doc->nr_comparisons, 2);
	assert_int_equal(doc->comparisons[1].part, PART_INSTRUCTION);
	assert_int_equal(doc->comparisons[1].whole, 0);
}

static void what_cannot_be_matched_is_not_judged(void **state)
{
	const struct comparison *c;

	(void)state;
	/* One turn of the placebo is too much, and there is none shorter. */
	fake.pad_ns = 40;
	fake.padded_loop_ns = 60;
	add(&sb, &isb);
	choose();
	assert_int_equal(doc->nr_equal_times, 1);
	assert_false(doc->equal_times[0].matched);
	doc->placements = 6;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	assert_int_equal(summarise_comparisons(doc), 0);
	c = comparison_part(doc, &doc->comparisons[0], PART_INSTRUCTION);
	assert_int_equal(c->verdict, VERDICT_NOT_JUDGED);
	assert_non_null(strstr(c->reason, "poll periods differ by"));
	assert_int_not_equal(doc->comparisons[0].verdict, VERDICT_NOT_JUDGED);
}

static void every_load_gets_the_same_padding(void **state)
{
	(void)state;
	add(&sb, &isb);
	add(&sb, &isb);
	doc->sets[1].variants[0].think_ns = 777;
	doc->sets[1].variants[1].think_ns = 777;
	choose();
	assert_int_equal(doc->sets[0].variants[2].pad,
			 doc->sets[1].variants[2].pad);
	assert_int_equal(doc->sets[1].variants[2].think_ns, 777);
	assert_int_equal(doc->nr_equal_times, 1);
	assert_int_equal(doc->nr_sets, 3);
	assert_int_equal(doc->sets[2].role, SET_PERIODS);
}

static void the_plan_does_not_depend_on_the_search(void **state)
{
	struct rng before = measure.rng;

	(void)state;
	add(&sb, &isb);
	choose();
	assert_memory_equal(&before, &measure.rng, sizeof(before));
	assert_int_equal(doc->rounds, 12);
}

static void a_host_that_is_busy_for_a_while_is_waited_for(void **state)
{
	(void)state;
	add(&sb, &isb);
	measure.calibrate_until = UINT64_MAX;
	fake.invalid_calls = 100;
	choose();
	assert_true(fake.calls > 100);
	assert_true(doc->equal_times[0].rounds >= STATS_ROUNDS_MIN);
}

static void what_cannot_be_timed_is_taken_back(void **state)
{
	(void)state;
	add(&sb, &isb);
	add(&sb, &isb);
	assert_int_equal(equal_reserve(doc, &fault), 0);
	fake.invalid_every = 1;
	assert_int_equal(equal_choose(&measure, doc, &fault), -1);
	assert_fault(&fault, STATUS_NOISY, "too few valid windows",
		     "--match count");
	equal_give_up(doc);
	assert_int_equal(doc->nr_sets, 2);
	assert_int_equal(doc->sets[0].nr_variants, 2);
	assert_int_equal(doc->sets[1].nr_variants, 2);
	assert_int_equal(comparisons_list(doc), 0);
	assert_int_equal(doc->nr_comparisons, 2);
}

static void what_has_no_length_is_said(void **state)
{
	struct spindelay_variant wfe = sb, ticket = isb;

	(void)state;
	wfe.delay = SPIN_DELAY_wfe;
	ticket.lock = SPIN_LOCK_ticket;
	assert_null(equal_refusal(&sb, &isb));
	assert_non_null(strstr(equal_refusal(&wfe, &isb), "sleeps"));
	assert_non_null(strstr(equal_refusal(&sb, &ticket), "locks"));
	wfe.lock = SPIN_LOCK_raw_spinlock;
	ticket.lock = SPIN_LOCK_raw_spinlock;
	assert_non_null(strstr(equal_refusal(&wfe, &ticket), "no delay"));
	wfe.lock = SPIN_LOCK_ttas;
	add(&wfe, &isb);
	choose();
	assert_int_equal(doc->sets[0].nr_variants, 2);
	assert_int_equal(doc->nr_sets, 1);
	assert_non_null(strstr(doc->notes[0], "ttas/wfe and ttas/isb"));
}

static void twice_the_same_has_nothing_to_pad(void **state)
{
	(void)state;
	add(&isb, &isb);
	choose();
	assert_int_equal(doc->sets[0].nr_variants, 2);
	assert_int_equal(doc->nr_notes, 0);
	assert_int_equal(comparisons_list(doc), 0);
	assert_int_equal(doc->nr_comparisons, 1);
	doc->match = MATCH_BIT(MATCH_TIME);
	assert_int_equal(comparisons_list(doc), 0);
	assert_int_equal(doc->nr_comparisons, 1);
	assert_int_equal(doc->comparisons[0].part, PART_INSTRUCTION);
}

/* Rates of the three: sb, isb, and sb made as long as isb. */
static const struct comparison *split(double a, double b, double padded)
{
	add(&sb, &isb);
	choose();
	fake.rate[0] = a;
	fake.rate[1] = b;
	fake.rate[2] = padded;
	fake.noise = 0.001;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	assert_int_equal(summarise_comparisons(doc), 0);
	assert_int_equal(doc->nr_comparisons, 3);
	return doc->comparisons;
}

static void a_gain_that_is_the_length_is_said_to_be(void **state)
{
	const struct comparison *c = split(0.0012, 0.001, 0.001);

	(void)state;
	assert_int_equal(c[0].part, PART_WHOLE);
	assert_int_equal(c[0].match, MATCH_COUNT);
	assert_int_equal(c[0].resolved, RESOLVED_HIGHER);
	assert_int_equal(c[1].part, PART_LENGTH);
	assert_int_equal(c[1].match, MATCH_TIME);
	assert_int_equal(c[1].resolved, RESOLVED_HIGHER);
	assert_int_equal(c[2].part, PART_INSTRUCTION);
	assert_int_equal(c[2].resolved, RESOLVED_NONE);
	assert_true(c[0].ratio.level == 1 - 0.05 / 3);
}

static void a_gain_that_is_the_instruction_is_said_to_be(void **state)
{
	const struct comparison *c = split(0.0012, 0.001, 0.0012);

	(void)state;
	assert_int_equal(c[1].resolved, RESOLVED_NONE);
	assert_int_equal(c[2].resolved, RESOLVED_HIGHER);
	assert_true(fabs(c[2].ratio.estimate - 1.2) < 0.01);
}

static void the_parts_of_a_longer_one_change_sides(void **state)
{
	(void)state;
	add(&isb, &sb);
	choose();
	assert_int_equal(comparisons_list(doc), 0);
	assert_int_equal(doc->nr_comparisons, 3);
	/* ln(isb/sb) = ln(isb/sb+pad) + ln(sb+pad/sb) */
	assert_int_equal(doc->comparisons[1].part, PART_LENGTH);
	assert_int_equal(doc->comparisons[1].a, 2);
	assert_int_equal(doc->comparisons[1].b, 1);
	assert_int_equal(doc->comparisons[2].part, PART_INSTRUCTION);
	assert_int_equal(doc->comparisons[2].a, 0);
	assert_int_equal(doc->comparisons[2].b, 2);
}

static void equal_time_alone_compares_the_instruction(void **state)
{
	(void)state;
	doc->match = MATCH_BIT(MATCH_TIME);
	add(&sb, &isb);
	choose();
	assert_int_equal(comparisons_list(doc), 0);
	assert_int_equal(doc->nr_comparisons, 1);
	assert_int_equal(doc->comparisons[0].part, PART_INSTRUCTION);
	assert_int_equal(doc->comparisons[0].a, 2);
	assert_int_equal(doc->comparisons[0].b, 1);
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_shorter_delay_is_padded),
		TEST(the_baseline_is_padded_where_it_is_shorter),
		TEST(what_the_loop_costs_besides_is_found_out),
		TEST(windows_that_vary_are_looked_at_longer),
		TEST(windows_that_do_not_vary_are_looked_at_once),
		TEST(polls_of_one_length_need_none),
		TEST(what_cannot_be_matched_is_not_judged),
		TEST(every_load_gets_the_same_padding),
		TEST(the_plan_does_not_depend_on_the_search),
		TEST(a_host_that_is_busy_for_a_while_is_waited_for),
		TEST(what_cannot_be_timed_is_taken_back),
		TEST(what_has_no_length_is_said),
		TEST(twice_the_same_has_nothing_to_pad),
		TEST(a_gain_that_is_the_length_is_said_to_be),
		TEST(a_gain_that_is_the_instruction_is_said_to_be),
		TEST(the_parts_of_a_longer_one_change_sides),
		TEST(equal_time_alone_compares_the_instruction),
	};

	return cmocka_run_group_tests_name("equal", tests, NULL, NULL);
}
