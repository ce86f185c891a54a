// SPDX-License-Identifier: GPL-2.0-or-later
/* What a sweep makes of rates that are planted. */
#include "unit.h"

#include "fake_document.h"
#include "lib/findings.h"
#include "lib/measure.h"
#include "lib/sweep.h"

#define SETTINGS 4

static struct fake fake;
static struct document *doc;
static char text[1024];

static const struct spindelay_variant settings[SETTINGS] = {
	{ .lock = SPIN_LOCK_ttas, .delay = SPIN_DELAY_sb, .count = 1 },
	{ .lock = SPIN_LOCK_ttas, .delay = SPIN_DELAY_sb, .count = 50 },
	{ .lock = SPIN_LOCK_ttas, .delay = SPIN_DELAY_wfe, .count = 1 },
	{ .lock = SPIN_LOCK_ttas, .delay = SPIN_DELAY_isb, .count = 1 },
};

static int setup(void **state)
{
	static const u32 cpus[] = { 0, 1 };

	(void)state;
	fake_init(&fake, 9);
	fake.noise = 0.002;
	doc = document_new("sweep");
	strcpy(doc->machine.hypervisor.name, "none");
	doc->placements = 6;
	doc->rounds = 12;
	doc->window_ns = 2000000;
	assert_non_null(document_add_set(doc, settings, SETTINGS, cpus, 2));
	assert_non_null(document_add_set(doc, settings, SETTINGS, cpus, 1));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	document_free(doc);
	return 0;
}

static void measure(void)
{
	struct backend backend = { .ops = &fake_backend, .priv = &fake };
	struct measure measure = { .backend = &backend,
				   .sample_shift = 4,
				   .node = -1,
				   .deadline = UINT64_MAX };
	struct fault fault;

	rng_seed(&measure.rng, 3);
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
	document_forget_findings(doc);
	assert_int_equal(findings_make(doc), 0);
}

/* The winner, at so much more than the default, in as many cells as there are. */
static void confirm(double gain, double other_gain)
{
	const struct spindelay_variant pair[] = { settings[doc->winner],
						  settings[SETTINGS - 1] };
	static const u32 cpus[] = { 0, 1 };
	const double gains[] = { gain, other_gain };

	for (unsigned int i = 0; i < 2; i++) {
		document_add_set(doc, pair, 2, cpus, 2);
		doc->sets[doc->nr_sets - 1].role = SET_CONFIRM;
		fake.rate[0] = 0.001 * (1 + gains[i]);
		fake.rate[1] = 0.001;
		measure();
	}
}

static void the_best_and_its_like_are_found(void **state)
{
	(void)state;
	fake.rate[0] = 0.0012;
	fake.rate[1] = 0.0011;
	fake.rate[2] = 0.0012;
	measure();
	assert_int_equal(doc->nr_cells, 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(doc->cells[i].set, i);
		assert_true(doc->cells[i].best == 0 || doc->cells[i].best == 2);
		assert_int_equal(doc->cells[i].tied,
				 1 << (2 - doc->cells[i].best));
	}
	assert_true(doc->winner == 0 || doc->winner == 2);
}

static void where_nothing_is_better_the_default_wins(void **state)
{
	(void)state;
	for (unsigned int v = 0; v + 1 < SETTINGS; v++)
		fake.rate[v] = 0.0008;
	measure();
	assert_int_equal(doc->cells[0].best, SETTINGS - 1);
	assert_int_equal(doc->cells[0].tied, 0);
	assert_int_equal(doc->winner, SETTINGS - 1);
	assert_int_equal(sweep_advice(doc, text, sizeof(text)), ADVICE_LEAVE);
	assert_non_null(strstr(text, "nothing did better"));
}

static void what_is_confirmed_is_advised(void **state)
{
	(void)state;
	fake.rate[0] = 0.0012;
	measure();
	confirm(0.2, 0.1);
	assert_int_equal(sweep_advice(doc, text, sizeof(text)), ADVICE_SET);
	assert_non_null(strstr(text, "Set sb (knob: sb; "));
	assert_non_null(strstr(text, "innodb_spin_wait_pause_multiplier=1;"));
	assert_non_null(strstr(
		text, "-XX:OnSpinWaitInst=sb -XX:OnSpinWaitInstCount=1)"));
	assert_non_null(strstr(text, "in 2 of 2 loads"));
}

static void a_count_is_translated(void **state)
{
	(void)state;
	fake.rate[1] = 0.0012;
	measure();
	confirm(0.2, 0);
	assert_int_equal(sweep_advice(doc, text, sizeof(text)), ADVICE_SET);
	/* 50 / 2.5 */
	assert_non_null(strstr(text, "innodb_spin_wait_pause_multiplier=20;"));
	assert_non_null(strstr(text, "OnSpinWaitInstCount=50)"));
	assert_non_null(strstr(text, "in 1 of 2 loads"));
}

static void what_java_does_not_know_has_no_value(void **state)
{
	(void)state;
	fake.rate[2] = 0.0012;
	measure();
	confirm(0.2, 0.2);
	sweep_advice(doc, text, sizeof(text));
	assert_non_null(strstr(text, "Set wfe (knob: no value; "));
	assert_non_null(strstr(text, "OpenJDK: no value"));
}

static void luck_is_not_advised(void **state)
{
	(void)state;
	fake.rate[0] = 0.0012;
	measure();
	confirm(0, 0);
	assert_int_equal(sweep_advice(doc, text, sizeof(text)), ADVICE_LEAVE);
	assert_non_null(strstr(text, "no difference above"));
}

static void what_differs_by_load_depends(void **state)
{
	(void)state;
	fake.rate[0] = 0.0012;
	measure();
	confirm(0.2, -0.2);
	assert_int_equal(sweep_advice(doc, text, sizeof(text)), ADVICE_DEPENDS);
	assert_non_null(strstr(text, "faster than the default in 1 of 2"));
	assert_non_null(strstr(text, "slower in 1"));
}

static void the_winner_has_a_level_of_its_own(void **state)
{
	(void)state;
	fake.rate[0] = 0.0012;
	measure();
	confirm(0.2, 0.2);
	assert_int_equal(doc->nr_comparisons, 2 * (SETTINGS - 1) + 2);
	assert_true(doc->comparisons[0].ratio.level ==
		    1 - 0.05 / (2 * (SETTINGS - 1)));
	assert_true(doc->comparisons[2 * (SETTINGS - 1)].ratio.level ==
		    1 - 0.05 / 2);
}

static void an_emulated_cpu_gets_no_advice(void **state)
{
	(void)state;
	doc->machine.hypervisor.emulated = true;
	fake.rate[0] = 0.0012;
	measure();
	confirm(0.2, 0.2);
	assert_int_equal(sweep_advice(doc, text, sizeof(text)),
			 ADVICE_WITHHELD);
	assert_null(strstr(text, "=sb"));
}

static void half_a_sweep_gets_no_advice(void **state)
{
	(void)state;
	fake.rate[0] = 0.0012;
	measure();
	assert_true(sweep_complete(doc));
	set_forget_placements(&doc->sets[1]);
	document_forget_findings(doc);
	assert_int_equal(findings_make(doc), 0);
	assert_false(sweep_complete(doc));
	assert_int_equal(doc->nr_cells, 1);
	assert_int_equal(sweep_advice(doc, text, sizeof(text)),
			 ADVICE_WITHHELD);
	assert_non_null(strstr(text, "not all was measured"));
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_best_and_its_like_are_found),
		TEST(where_nothing_is_better_the_default_wins),
		TEST(what_is_confirmed_is_advised),
		TEST(a_count_is_translated),
		TEST(what_java_does_not_know_has_no_value),
		TEST(luck_is_not_advised),
		TEST(what_differs_by_load_depends),
		TEST(the_winner_has_a_level_of_its_own),
		TEST(an_emulated_cpu_gets_no_advice),
		TEST(half_a_sweep_gets_no_advice),
	};

	return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
