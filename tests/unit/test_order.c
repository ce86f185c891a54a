// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "lib/order.h"

static struct machine machine;

/* Node 0 has the even CPUs up to 6, node 1 the odd ones up to 5. */
static int setup(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof(machine));
	machine.nr_nodes = 2;
	machine.nodes[0].cpus = (struct cpulist){ 4, { 0, 2, 4, 6 } };
	machine.nodes[1].id = 4;
	machine.nodes[1].cpus = (struct cpulist){ 3, { 1, 3, 5 } };
	return 0;
}

static void expect(enum order order, const u32 *listed, const u32 *expected,
		   unsigned int nr)
{
	u32 cpus[8];

	memcpy(cpus, listed, nr * sizeof(*cpus));
	order_cpus(order, &machine, cpus, nr);
	assert_memory_equal(cpus, expected, nr * sizeof(*cpus));
}

static void listed_and_random_keep_the_list(void **state)
{
	static const u32 listed[] = { 5, 0, 3, 2, 1 };

	(void)state;
	expect(ORDER_LISTED, listed, listed, 5);
	expect(ORDER_RANDOM, listed, listed, 5);
}

static void by_node_fills_one_after_the_other(void **state)
{
	static const u32 listed[] = { 5, 0, 3, 6, 1, 2 };
	static const u32 expected[] = { 0, 6, 2, 5, 3, 1 };

	(void)state;
	expect(ORDER_NODE, listed, expected, 6);
}

static void spread_takes_turns(void **state)
{
	static const u32 listed[] = { 0, 2, 4, 6, 1, 3, 5 };
	static const u32 expected[] = { 0, 1, 2, 3, 4, 5, 6 };
	static const u32 backwards[] = { 6, 5, 4, 2, 0 };
	static const u32 turns[] = { 6, 5, 4, 2, 0 };

	(void)state;
	expect(ORDER_SPREAD, listed, expected, 7);
	expect(ORDER_SPREAD, backwards, turns, 5);
}

static void a_cpu_on_no_node_comes_last(void **state)
{
	static const u32 listed[] = { 9, 8, 1, 0, 2 };
	static const u32 by_node[] = { 0, 2, 1, 9, 8 };
	static const u32 spread[] = { 0, 1, 2, 9, 8 };

	(void)state;
	expect(ORDER_NODE, listed, by_node, 5);
	expect(ORDER_SPREAD, listed, spread, 5);
}

static void words_lead_back(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < ORDERS; i++)
		assert_int_equal(order_by_word(order_word(i)), i);
	assert_int_equal(order_by_word("nodes"), ORDERS);
	assert_int_equal(order_by_word(""), ORDERS);
}

#define TEST(function) cmocka_unit_test_setup(function, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(listed_and_random_keep_the_list),
		TEST(by_node_fills_one_after_the_other),
		TEST(spread_takes_turns),
		TEST(a_cpu_on_no_node_comes_last),
		TEST(words_lead_back),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
