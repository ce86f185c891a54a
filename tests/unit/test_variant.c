// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "lib/names.h"
#include "lib/variant.h"

static void reads_every_form(void **state)
{
	static const struct {
		const char *text;
		u32 lock, delay, count, pad;
	} cases[] = {
		{ "sb", SPIN_LOCK_ttas, SPIN_DELAY_sb, 1, 0 },
		{ "isb*4", SPIN_LOCK_ttas, SPIN_DELAY_isb, 4, 0 },
		{ "pace/sb*2", SPIN_LOCK_pace, SPIN_DELAY_sb, 2, 0 },
		{ "sb+chain*20", SPIN_LOCK_ttas, SPIN_DELAY_sb, 1, 20 },
		{ "nolock/dsb-isb*4096+chain*65536", SPIN_LOCK_nolock,
		  SPIN_DELAY_dsb_isb, 4096, 65536 },
		{ "chain*7", SPIN_LOCK_ttas, SPIN_DELAY_chain, 7, 0 },
		{ "none+chain*5", SPIN_LOCK_ttas, SPIN_DELAY_none, 1, 5 },
		{ "ttas-backoff/wfet*2", SPIN_LOCK_ttas_backoff,
		  SPIN_DELAY_wfet, 2, 0 },
		{ "raw-spinlock/none", SPIN_LOCK_raw_spinlock, SPIN_DELAY_none,
		  1, 0 },
	};
	struct spindelay_variant v;
	struct fault fault;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(variant_parse(cases[i].text, SPIN_LOCK_ttas,
					       &v, &fault),
				 0);
		assert_int_equal(v.lock, cases[i].lock);
		assert_int_equal(v.delay, cases[i].delay);
		assert_int_equal(v.count, cases[i].count);
		assert_int_equal(v.pad, cases[i].pad);
	}
}

static void leaves_the_rest_zero(void **state)
{
	struct spindelay_variant expected = { .lock = 3,
					      .delay = 4,
					      .count = 1 };
	struct spindelay_variant v;
	struct fault fault;

	(void)state;
	memset(&v, 0xff, sizeof(v));
	variant_parse("ttas/sb", 0, &v, &fault);
	assert_memory_equal(&v, &expected, sizeof(v));
}

static void reads_every_name_of_the_tables(void **state)
{
	const struct delay_name *delays;
	const struct lock_name *locks;
	struct spindelay_variant v;
	struct fault fault;
	char text[64];
	size_t nr_delays, nr_locks;

	(void)state;
	delays = delay_names(&nr_delays);
	locks = lock_names(&nr_locks);
	assert_int_equal(nr_delays, SPIN_DELAY_END);
	assert_int_equal(nr_locks, SPIN_LOCK_END);
	for (size_t d = 0; d < nr_delays; d++) {
		for (size_t l = 0; l < nr_locks; l++) {
			snprintf(text, sizeof(text), "%s/%s*3+chain*9",
				 locks[l].name, delays[d].name);
			assert_int_equal(variant_parse(text, 0, &v, &fault), 0);
			assert_int_equal(v.delay, delays[d].id);
			assert_int_equal(v.lock, locks[l].id);
		}
	}
}

static void names_the_value_and_the_range(void **state)
{
	static const struct {
		const char *text, *value, *range;
	} cases[] = {
		{ "sb*0", "0", "1 to 4096" },
		{ "chain*0", "0", "1 to 4096" },
		{ "none+chain*0", "0", "1 to 65536" },
		{ "sb*4097", "4097", "1 to 4096" },
		{ "sb*-1", "-1", "1 to 4096" },
		{ "sb*", "''", "1 to 4096" },
		{ "sb*2x", "2x", "1 to 4096" },
		{ "sb*99999999999999999999", "99999", "1 to 4096" },
		{ "sb*4294967297", "4294967297", "1 to 4096" },
		{ "sb+chain*0", "0", "1 to 65536" },
		{ "sb+chain*65537", "65537", "1 to 65536" },
		{ "sb+chain", "+chain", "1 to 65536" },
		{ "sb+isb*2", "+isb*2", "1 to 65536" },
		{ "sb+chain*2+chain*2", "2+chain*2", "1 to 65536" },
	};
	struct spindelay_variant v;
	struct fault fault;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!variant_parse(cases[i].text, 0, &v, &fault))
			fail_msg("took '%s'", cases[i].text);
		assert_fault(&fault, STATUS_USAGE, cases[i].value,
			     cases[i].range);
	}
}

static void lists_the_valid_names(void **state)
{
	static const char *const bad[] = { "",	   "SB",  "sbx",
					   "s",	   "sb ", " sb",
					   "auto", "*2",  "+chain*2" };
	struct spindelay_variant v;
	struct fault fault;
	char list[NAMES_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!variant_parse(bad[i], 0, &v, &fault))
			fail_msg("took '%s'", bad[i]);
		assert_fault(&fault, STATUS_USAGE, delay_name_list(list));
	}
	assert_int_equal(variant_parse("mutex/sb", 0, &v, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "'mutex'", lock_name_list(list));
	assert_int_equal(variant_parse("/sb", 0, &v, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, lock_name_list(list));
}

static void writes_what_it_reads(void **state)
{
	static const char *const texts[] = { "ttas/sb", "pace/isb*4",
					     "nolock/dsb-isb*4096+chain*65536",
					     "ttas/none+chain*1" };
	struct spindelay_variant v;
	struct fault fault;
	char text[VARIANT_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		variant_parse(texts[i], 0, &v, &fault);
		assert_string_equal(variant_format(&v, text), texts[i]);
		assert_string_equal(variant_delay_format(&v, text),
				    strchr(texts[i], '/') + 1);
	}
}

static void a_twin_has_an_apostrophe(void **state)
{
	const struct spindelay_variant twin = { .lock = SPIN_LOCK_ticket,
						.delay = SPIN_DELAY_isb,
						.count = 1,
						.flags = SPINDELAY_TWIN };
	struct spindelay_variant v;
	struct fault fault;
	char text[VARIANT_TEXT_MAX];

	(void)state;
	assert_string_equal(variant_format(&twin, text), "ticket/isb'");
	assert_string_equal(variant_delay_format(&twin, text), "isb'");
	/* To be read, not to be typed. */
	assert_int_equal(variant_parse("isb'", 0, &v, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "unknown delay 'isb''");
}

static void every_second_of_the_same_is_a_twin(void **state)
{
	static const struct {
		const char *text;
		bool twin;
	} named[] = {
		{ "isb", false },	 { "sb", false },
		{ "isb", true },	 { "pace/isb", false },
		{ "isb", false },	 { "isb", true },
		{ "isb*2", false },	 { "isb*2", false },
		{ "pace/isb", true },	 { "sb+chain*3", false },
		{ "sb", true },		 { "sb+chain*3", false },
		{ "sb+chain*4", false },
	};
	struct spindelay_variant v[ARRAY_SIZE(named)];
	struct fault fault;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		variant_parse(named[i].text, 0, &v[i], &fault);
	variant_pair_twins(v, ARRAY_SIZE(named));
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		assert_int_equal(v[i].flags,
				 named[i].twin ? SPINDELAY_TWIN : 0);
}

static void knob_list_has_auto_and_no_chain(void **state)
{
	char list[NAMES_TEXT_MAX];

	(void)state;
	knob_name_list(list);
	assert_true(word_in_list("auto", list));
	assert_true(word_in_list("dsb-isb", list));
	assert_false(word_in_list("chain", list));
	assert_false(word_in_list("dsb", list));
	assert_false(word_in_list("", list));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_form),
		cmocka_unit_test(leaves_the_rest_zero),
		cmocka_unit_test(reads_every_name_of_the_tables),
		cmocka_unit_test(names_the_value_and_the_range),
		cmocka_unit_test(lists_the_valid_names),
		cmocka_unit_test(writes_what_it_reads),
		cmocka_unit_test(a_twin_has_an_apostrophe),
		cmocka_unit_test(every_second_of_the_same_is_a_twin),
		cmocka_unit_test(knob_list_has_auto_and_no_chain),
	};

	return cmocka_run_group_tests_name("variant", tests, NULL, NULL);
}
