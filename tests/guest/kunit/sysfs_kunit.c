// SPDX-License-Identifier: GPL-2.0
/* The stores of the files in sysfs, and the sums of a run by hand. */
#include <kunit/test.h>
#include <linux/limits.h>

#include "../../../module/sysfs.c"

typedef ssize_t (*store_t)(struct device *dev, struct device_attribute *attr,
			   const char *text, size_t length);

static ssize_t store(store_t file, const char *text)
{
	return file(NULL, NULL, text, strlen(text));
}

static struct shell before;

static int sysfs_test_init(struct kunit *test)
{
	memcpy(&before, &shell, sizeof(shell));
	return 0;
}

static void sysfs_test_exit(struct kunit *test)
{
	memcpy(&shell, &before, sizeof(shell));
}

/* ---- the stores ---- */

/* What was taken is all of it, newline and all: else the rest comes again. */
static void test_knob_store(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, store(delay_store, "isb"), 3);
	KUNIT_EXPECT_EQ(test, store(delay_store, "dsb-isb\n"), 8);
	KUNIT_EXPECT_EQ(test, store(delay_store, "auto\n"), 5);
	KUNIT_EXPECT_EQ(test, store(delay_store, ""), -EINVAL);
	KUNIT_EXPECT_EQ(test, store(delay_store, "\n"), -EINVAL);
	KUNIT_EXPECT_EQ(test, store(delay_store, "bogus\n"), -EINVAL);
	KUNIT_EXPECT_EQ(test, store(delay_store, "wfe\n"), -EINVAL);
}

static void test_name_stores(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, store(test_lock_store, "mcs\n"), 4);
	KUNIT_EXPECT_EQ(test, shell.test_lock, SPIN_LOCK_mcs);
	KUNIT_EXPECT_EQ(test, store(test_lock_store, "bogus\n"), -EINVAL);
	KUNIT_EXPECT_EQ(test, shell.test_lock, SPIN_LOCK_mcs);
	KUNIT_EXPECT_EQ(test, store(test_delay_store, "wfe\n"), 4);
	KUNIT_EXPECT_EQ(test, shell.test_delay, SPIN_DELAY_wfe);
	KUNIT_EXPECT_EQ(test, store(test_delay_store, "auto\n"), -EINVAL);
	KUNIT_EXPECT_EQ(test, shell.test_delay, SPIN_DELAY_wfe);
}

static const struct number_row {
	const char *name;
	store_t file;
	const u32 *field;
	u32 low;
	u32 high;
} numbers[] = {
#define NUMBER(name, low, high)                             \
	{                                                   \
#name, name##_store, &shell.name, low, high \
	}
	NUMBER(test_count, 1, 4096),  NUMBER(hold_ns, 0, 5000000),
	NUMBER(think_ns, 0, 5000000), NUMBER(window_us, 200, 20000),
	NUMBER(windows, 1, 8190),
};

static void describe_number(const struct number_row *row, char *description)
{
	strscpy(description, row->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(numbers, numbers, describe_number);

static ssize_t store_value(store_t file, u32 value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", value);
	return store(file, text) == strlen(text) ? 0 : store(file, text);
}

static void test_number_bounds(struct kunit *test)
{
	const struct number_row *row = test->param_value;

	KUNIT_EXPECT_EQ(test, store_value(row->file, row->low), 0);
	KUNIT_EXPECT_EQ(test, *row->field, row->low);
	KUNIT_EXPECT_EQ(test, store_value(row->file, row->high), 0);
	KUNIT_EXPECT_EQ(test, *row->field, row->high);
	KUNIT_EXPECT_EQ(test, store_value(row->file, row->high + 1), -ERANGE);
	KUNIT_EXPECT_EQ(test, store_value(row->file, U32_MAX), -ERANGE);
	if (row->low)
		KUNIT_EXPECT_EQ(test, store_value(row->file, row->low - 1),
				-ERANGE);
	KUNIT_EXPECT_EQ(test, *row->field, row->high);
}

static void test_number_texts(struct kunit *test)
{
	static const struct {
		const char *text;
		ssize_t answer;
	} rows[] = {
		{ "7", 1 },
		{ "7\n", 2 },
		{ "+7", 2 },
		{ "007", 3 },
		{ "", -EINVAL },
		{ "\n", -EINVAL },
		{ "7\n\n", -EINVAL },
		{ " 7", -EINVAL },
		{ "7 ", -EINVAL },
		{ "0x7", -EINVAL },
		{ "-7", -EINVAL },
		{ "7.0", -EINVAL },
		{ "seven", -EINVAL },
		{ "4294967296", -ERANGE },
		{ "18446744073709551623", -ERANGE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, store(hold_ns_store, rows[i].text),
				    rows[i].answer, "'%s'", rows[i].text);
	KUNIT_EXPECT_EQ(test, hold_ns_store(NULL, NULL, "7\0", 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, shell.hold_ns, 7);
}

static void test_cpus_store(struct kunit *test)
{
	char text[16];

	KUNIT_EXPECT_EQ(test, store(cpus_store, "0\n"), 2);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&shell.cpus, cpumask_of(0)));
	snprintf(text, sizeof(text), "%u\n", nr_cpu_ids);
	KUNIT_EXPECT_LT(test, store(cpus_store, text), 0);
	KUNIT_EXPECT_EQ(test, store(cpus_store, "0-\n"), -EINVAL);
	KUNIT_EXPECT_EQ(test, store(cpus_store, "one\n"), -EINVAL);
	KUNIT_EXPECT_EQ(test, cpus_store(NULL, NULL, "0\0", 2), -EINVAL);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&shell.cpus, cpumask_of(0)));
	/* None: the first two. */
	KUNIT_EXPECT_EQ(test, store(cpus_store, "\n"), 1);
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&shell.cpus));
}

static void test_nothing_is_set_while_it_runs(struct kunit *test)
{
	shell.running = true;
	KUNIT_EXPECT_EQ(test, store(test_lock_store, "mcs"), -EBUSY);
	KUNIT_EXPECT_EQ(test, store(test_delay_store, "isb"), -EBUSY);
	KUNIT_EXPECT_EQ(test, store(hold_ns_store, "1"), -EBUSY);
	KUNIT_EXPECT_EQ(test, store(cpus_store, "0"), -EBUSY);
	shell.running = false;
	KUNIT_EXPECT_EQ(test, shell.test_lock, SPIN_LOCK_ttas);
	KUNIT_EXPECT_EQ(test, shell.hold_ns, 200);
	/* The knob may be turned at any time. */
	KUNIT_EXPECT_EQ(test, store(delay_store, "auto"), 4);
}

static void test_run_store(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, store(run_store, "0"), -EINVAL);
	KUNIT_EXPECT_EQ(test, store(run_store, "11"), -EINVAL);
	KUNIT_EXPECT_EQ(test, store(run_store, ""), -EINVAL);
	shell.running = true;
	KUNIT_EXPECT_EQ(test, store(run_store, "1"), -EBUSY);
}

/* ---- the plan that the files make ---- */

/* The highest that each file takes are within the plan's own bounds. */
static void test_plan_at_bounds(struct kunit *test)
{
	struct spindelay_plan p;
	cpumask_var_t cpus;

	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&cpus, GFP_KERNEL));
	shell.windows = SPINDELAY_WINDOWS_MAX - WARMUP_WINDOWS;
	shell.window_us = SPINDELAY_WINDOW_NS_MIN / 1000;
	shell_plan(&p, cpus);
	KUNIT_EXPECT_EQ(test, plan_check_sizes(&p), 0);
	shell.windows = SPINDELAY_PLAN_NS_MAX / SPINDELAY_WINDOW_NS_MAX - 2;
	shell.window_us = SPINDELAY_WINDOW_NS_MAX / 1000;
	shell_plan(&p, cpus);
	KUNIT_EXPECT_EQ(test, plan_check_sizes(&p), 0);
	shell.windows++;
	shell_plan(&p, cpus);
	KUNIT_EXPECT_EQ(test, plan_check_sizes(&p), -E2BIG);
	free_cpumask_var(cpus);
}

/* ---- the sums ---- */

#define CPUS 2
#define WINDOWS (WARMUP_WINDOWS + 3)

struct answer {
	struct engine_plan plan;
	struct spindelay_window windows[WINDOWS];
	struct spindelay_record records[WINDOWS * CPUS];
};

/* CPU 0 counts 100 in a window, CPU 1 half as many, both in a millisecond. */
static struct answer *known_answer(struct kunit *test)
{
	struct answer *a = kunit_kzalloc(test, sizeof(*a), GFP_KERNEL);
	u32 i, cpu;

	KUNIT_ASSERT_NOT_NULL(test, a);
	a->plan.windows = a->windows;
	a->plan.records = a->records;
	a->plan.p.nr_windows = WINDOWS;
	a->plan.p.nr_cpus = CPUS;
	a->plan.p.counter_hz = 1000000000;
	for (i = 0; i < WINDOWS; i++) {
		a->windows[i].acquisitions = 150;
		a->windows[i].counted = 150;
		for (cpu = 0; cpu < CPUS; cpu++)
			a->records[i * CPUS + cpu] = (struct spindelay_record){
				.acquisitions = cpu ? 50 : 100,
				.polls = 10,
				.delays = 20,
				.ticks = 1000000,
				.wait_max = 400 + i,
				.spins = 64,
				.timed_spins = 16,
				.timed_spin_ticks = 25000,
			};
	}
	return a;
}

static void test_sums(struct kunit *test)
{
	struct answer *a = known_answer(test);
	struct shell_result r = sum_up(&a->plan);

	KUNIT_EXPECT_TRUE(test, r.known);
	KUNIT_EXPECT_EQ(test, r.windows_valid, 3);
	KUNIT_EXPECT_EQ(test, r.windows_invalid, 0);
	KUNIT_EXPECT_EQ(test, r.acquisitions, 450);
	KUNIT_EXPECT_EQ(test, r.polls, 60);
	KUNIT_EXPECT_EQ(test, r.delays, 120);
	KUNIT_EXPECT_EQ(test, r.rate, 150000);
	/* 64 waits of 25000 / 16 ticks in 1000000 */
	KUNIT_EXPECT_EQ(test, r.delay_share, 100);
	KUNIT_EXPECT_EQ(test, r.min_over_max, 500);
	KUNIT_EXPECT_EQ(test, r.wait_max_ns, 400 + WINDOWS - 1);
	KUNIT_EXPECT_EQ(test, r.lost, 0);
}

static void test_sums_of_another_counter(struct kunit *test)
{
	struct answer *a = known_answer(test);
	struct shell_result r;

	a->plan.p.counter_hz = 62500000;
	r = sum_up(&a->plan);
	KUNIT_EXPECT_EQ(test, r.rate, 9375);
	KUNIT_EXPECT_EQ(test, r.wait_max_ns, 404 * 16);
	KUNIT_EXPECT_EQ(test, r.delay_share, 100);
}

static void test_invalid_windows(struct kunit *test)
{
	struct answer *a = known_answer(test);
	struct shell_result r;

	a->windows[WINDOWS - 1].invalid = SPINDELAY_INVALID_LATE;
	a->windows[0].invalid = SPINDELAY_INVALID_LATE;
	r = sum_up(&a->plan);
	KUNIT_EXPECT_EQ(test, r.windows_valid, 2);
	KUNIT_EXPECT_EQ(test, r.windows_invalid, 1);
	KUNIT_EXPECT_EQ(test, r.acquisitions, 300);
	KUNIT_EXPECT_EQ(test, r.rate, 150000);
	KUNIT_EXPECT_EQ(test, r.wait_max_ns, 400 + WINDOWS - 2);
}

/* Also where the window does not count. */
static void test_lost_acquisitions(struct kunit *test)
{
	struct answer *a = known_answer(test);

	a->windows[WARMUP_WINDOWS].counted = 149;
	a->windows[WINDOWS - 1].counted = 140;
	a->windows[WINDOWS - 1].invalid = SPINDELAY_INVALID_LATE;
	KUNIT_EXPECT_EQ(test, sum_up(&a->plan).lost, 11);
}

static void test_nothing_to_divide(struct kunit *test)
{
	struct answer *a = known_answer(test);
	struct shell_result r;
	u32 i;

	for (i = 0; i < WINDOWS; i++)
		a->windows[i].invalid = SPINDELAY_INVALID_START;
	r = sum_up(&a->plan);
	KUNIT_EXPECT_EQ(test, r.windows_valid, 0);
	KUNIT_EXPECT_EQ(test, r.windows_invalid, 3);
	KUNIT_EXPECT_EQ(test, r.acquisitions, 0);
	KUNIT_EXPECT_EQ(test, r.rate, 0);
	KUNIT_EXPECT_EQ(test, r.delay_share, 0);
	KUNIT_EXPECT_EQ(test, r.min_over_max, 0);
	KUNIT_EXPECT_EQ(test, r.wait_max_ns, 0);
}

static void test_shown_results(struct kunit *test)
{
	char *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	shell.result = (struct shell_result){ .delay_share = 1042 };
	KUNIT_EXPECT_EQ(test, delay_share_show(NULL, NULL, page), -ENODATA);
	shell.result.known = true;
	KUNIT_EXPECT_EQ(test, delay_share_show(NULL, NULL, page), 6);
	KUNIT_EXPECT_STREQ(test, page, "1.042\n");
	shell.result.rate = U64_MAX;
	KUNIT_EXPECT_EQ(test, rate_show(NULL, NULL, page), 21);
	KUNIT_EXPECT_STREQ(test, page, "18446744073709551615\n");
	shell.running = true;
	KUNIT_EXPECT_EQ(test, rate_show(NULL, NULL, page), -EBUSY);
}

static struct kunit_case sysfs_cases[] = {
	KUNIT_CASE(test_knob_store),
	KUNIT_CASE(test_name_stores),
	KUNIT_CASE_PARAM(test_number_bounds, numbers_gen_params),
	KUNIT_CASE(test_number_texts),
	KUNIT_CASE(test_cpus_store),
	KUNIT_CASE(test_nothing_is_set_while_it_runs),
	KUNIT_CASE(test_run_store),
	KUNIT_CASE(test_plan_at_bounds),
	KUNIT_CASE(test_sums),
	KUNIT_CASE(test_sums_of_another_counter),
	KUNIT_CASE(test_invalid_windows),
	KUNIT_CASE(test_lost_acquisitions),
	KUNIT_CASE(test_nothing_to_divide),
	KUNIT_CASE(test_shown_results),
	{}
};

static struct kunit_suite sysfs_suite = {
	.name = "spindelay_sysfs",
	.init = sysfs_test_init,
	.exit = sysfs_test_exit,
	.test_cases = sysfs_cases,
};

kunit_test_suite(sysfs_suite);
