// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "lib/cpulist.h"

static struct cpulist list;

static void takes_ranges_and_keeps_their_order(void **state)
{
	static const u32 expected[] = { 7, 0, 1, 2, 3 };
	struct fault fault;

	(void)state;
	assert_int_equal(cpulist_parse("7,0-3", &list, &fault), 0);
	assert_int_equal(list.nr, ARRAY_SIZE(expected));
	assert_memory_equal(list.cpu, expected, sizeof(expected));
}

static void takes_the_largest_cpu(void **state)
{
	struct fault fault;

	(void)state;
	assert_int_equal(cpulist_parse("4095", &list, &fault), 0);
	assert_int_equal(list.cpu[0], CPULIST_MAX - 1);
}

static void refuses_what_is_not_a_list(void **state)
{
	static const char *const bad[] = {
		"a",	 "-1",	"1-",  "1,,2", ",1", "1,",  " 1",   "1 ", "3-1",
		"1-2-3", "0x1", "1;2", "1.5",  "+1", "all", "1-,2", "\n",
	};
	struct fault fault;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!cpulist_parse(bad[i], &list, &fault))
			fail_msg("took '%s'", bad[i]);
		assert_fault(&fault, STATUS_USAGE, bad[i], "0-3,7");
	}
}

static void refuses_an_empty_list(void **state)
{
	struct fault fault;

	(void)state;
	assert_int_equal(cpulist_parse("", &list, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "empty");
}

static void refuses_a_cpu_twice(void **state)
{
	struct fault fault;

	(void)state;
	assert_int_equal(cpulist_parse("0-3,2", &list, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "CPU 2", "twice");
}

static void refuses_a_cpu_beyond_any_machine(void **state)
{
	static const char *const bad[] = { "4096", "0-4096",
					   "99999999999999999999" };
	struct fault fault;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(cpulist_parse(bad[i], &list, &fault), -1);
		assert_fault(&fault, STATUS_USAGE, bad[i], "0 to 4095");
	}
}

static void names_the_cpu_that_is_not_usable(void **state)
{
	const struct cpulist present = { .nr = 4, .cpu = { 0, 1, 2, 3 } };
	const struct cpulist online = { .nr = 3, .cpu = { 0, 1, 3 } };
	struct fault fault;

	(void)state;
	cpulist_parse("0,3", &list, &fault);
	assert_int_equal(cpulist_check(&list, &present, &online, &fault), 0);
	cpulist_parse("0-2", &list, &fault);
	assert_int_equal(cpulist_check(&list, &present, &online, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "CPU 2 is offline", "0-1,3");
	cpulist_parse("0,9", &list, &fault);
	assert_int_equal(cpulist_check(&list, &present, &online, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "CPU 9 is absent", "0-3");
}

static void writes_what_it_reads(void **state)
{
	static const char *const texts[] = { "0", "0-3", "0-3,7", "7,0-3,5",
					     "3,2,1" };
	struct fault fault;
	char text[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		cpulist_parse(texts[i], &list, &fault);
		assert_string_equal(cpulist_format(&list, text, sizeof(text)),
				    texts[i]);
	}
}

static void writes_no_further_than_its_room(void **state)
{
	struct fault fault;
	char text[8];

	(void)state;
	cpulist_parse("100,200,300,400", &list, &fault);
	cpulist_format(&list, text, sizeof(text));
	assert_true(strlen(text) < sizeof(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_ranges_and_keeps_their_order),
		cmocka_unit_test(takes_the_largest_cpu),
		cmocka_unit_test(refuses_what_is_not_a_list),
		cmocka_unit_test(refuses_an_empty_list),
		cmocka_unit_test(refuses_a_cpu_twice),
		cmocka_unit_test(refuses_a_cpu_beyond_any_machine),
		cmocka_unit_test(names_the_cpu_that_is_not_usable),
		cmocka_unit_test(writes_what_it_reads),
		cmocka_unit_test(writes_no_further_than_its_room),
	};

	return cmocka_run_group_tests_name("cpulist", tests, NULL, NULL);
}
