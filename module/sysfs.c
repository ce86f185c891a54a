// SPDX-License-Identifier: GPL-2.0
/* The attributes of /sys/class/misc/spindelay; ABI describes each. */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "bench/delays.h"
#include "bench/locks.h"
#include "bench/presets.h"
#include "delay.h"
#include "device.h"
#include "engine.h"
#include "name.h"
#include "plan.h"

static ssize_t delay_show(struct device *dev, struct device_attribute *attr,
			  char *page)
{
	return delay_show_choice(page);
}

static ssize_t delay_store(struct device *dev, struct device_attribute *attr,
			   const char *text, size_t length)
{
	int err;

	/* It patches the text of the kernel: an inherited descriptor is not enough. */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	err = delay_choose(text, length);
	return err ? err : length;
}
static DEVICE_ATTR_RW(delay);

static ssize_t effective_show(struct device *dev, struct device_attribute *attr,
			      char *page)
{
	return delay_show_effective(page);
}
static DEVICE_ATTR_RO(effective);

static ssize_t delays_available_show(struct device *dev,
				     struct device_attribute *attr, char *page)
{
	return delay_show_available(page);
}
static DEVICE_ATTR_RO(delays_available);

static ssize_t test_delays_available_show(struct device *dev,
					  struct device_attribute *attr,
					  char *page)
{
	return delay_show_bench(page);
}
static DEVICE_ATTR_RO(test_delays_available);

static ssize_t test_locks_available_show(struct device *dev,
					 struct device_attribute *attr,
					 char *page)
{
	return plan_show_locks(page);
}
static DEVICE_ATTR_RO(test_locks_available);

static ssize_t abi_show(struct device *dev, struct device_attribute *attr,
			char *page)
{
	return sysfs_emit(page, "%d\n", SPINDELAY_ABI);
}
static DEVICE_ATTR_RO(abi);

/* ---- a plain run, for someone with only a shell ---- */

/* Windows that are run before those that count. */
#define WARMUP_WINDOWS 2

/**
 * struct shell_result - what the last run counted, in its valid windows
 * @known: there was one
 * @acquisitions: on all CPUs
 * @polls: on all CPUs
 * @delays: on all CPUs
 * @rate: acquisitions a second, on all CPUs together
 * @delay_share: time in the spin loop, thousandths of the CPUs' time
 * @min_over_max: least acquisitions of a CPU over most, thousandths
 * @wait_max_ns: longest timed wait
 * @lost: acquisitions while another CPU was inside, in any window
 * @windows_valid: windows that count
 * @windows_invalid: windows that were disturbed
 */
struct shell_result {
	bool known;
	u64 acquisitions;
	u64 polls;
	u64 delays;
	u64 rate;
	u64 delay_share;
	u64 min_over_max;
	u64 wait_max_ns;
	u64 lost;
	u64 windows_valid;
	u64 windows_invalid;
};

/**
 * struct shell - what the files say
 * @lock: protects all of it
 * @running: a run is on: nothing can be set, and there is no result
 * @test_lock: enum spin_lock_id
 * @test_delay: enum spin_delay_id
 * @test_count: executions per poll
 * @cpus: where; empty: the first two that are online
 * @hold_ns: work inside the lock
 * @think_ns: work outside
 * @window_us: length of a window
 * @windows: how many
 * @result: of the last run
 */
static struct shell {
	struct mutex lock; /* protects all of it */
	bool running;
	u32 test_lock;
	u32 test_delay;
	u32 test_count;
	struct cpumask cpus;
	u32 hold_ns;
	u32 think_ns;
	u32 window_us;
	u32 windows;
	struct shell_result result;
} shell = {
	.lock = __MUTEX_INITIALIZER(shell.lock),
	.test_lock = SPIN_LOCK_ttas,
	.test_delay = SPIN_DELAY_isb,
	.test_count = 1,
	.hold_ns = 200,
	.window_us = 2000,
	.windows = 100,
};

/* For as long as nothing runs. Return: 0 with the lock held, or -EBUSY. */
static int shell_enter(void)
{
	mutex_lock(&shell.lock);
	if (!shell.running)
		return 0;
	mutex_unlock(&shell.lock);
	return -EBUSY;
}

static int shell_set(u32 *field, u32 value)
{
	int err = shell_enter();

	if (err)
		return err;
	*field = value;
	mutex_unlock(&shell.lock);
	return 0;
}

static ssize_t test_lock_show(struct device *dev, struct device_attribute *attr,
			      char *page)
{
	return sysfs_emit(page, "%s\n",
			  plan_lock_name(READ_ONCE(shell.test_lock)));
}

static ssize_t test_lock_store(struct device *dev,
			       struct device_attribute *attr, const char *text,
			       size_t length)
{
	int id = plan_parse_lock(text, length);

	if (id >= 0)
		id = shell_set(&shell.test_lock, id);
	return id < 0 ? id : length;
}
static DEVICE_ATTR_RW(test_lock);

static ssize_t test_delay_show(struct device *dev,
			       struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%s\n",
			  delay_name(READ_ONCE(shell.test_delay)));
}

static ssize_t test_delay_store(struct device *dev,
				struct device_attribute *attr, const char *text,
				size_t length)
{
	int id = delay_parse(text, length);

	if (id >= 0)
		id = shell_set(&shell.test_delay, id);
	return id < 0 ? id : length;
}
static DEVICE_ATTR_RW(test_delay);

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr,
			 char *page)
{
	ssize_t length;

	mutex_lock(&shell.lock);
	length = sysfs_emit(page, "%*pbl\n", cpumask_pr_args(&shell.cpus));
	mutex_unlock(&shell.lock);
	return length;
}

static int parse_cpus(const char *text, size_t length, struct cpumask *cpus)
{
	int err;

	if (strnlen(text, length) != length)
		return -EINVAL;
	err = cpulist_parse(text, cpus);
	if (err)
		return -EINVAL;
	if (!cpumask_subset(cpus, cpu_online_mask))
		return -ENODEV;
	return cpumask_weight(cpus) > SPINDELAY_CPUS_MAX ? -E2BIG : 0;
}

static ssize_t cpus_store(struct device *dev, struct device_attribute *attr,
			  const char *text, size_t length)
{
	cpumask_var_t cpus;
	int err;

	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	err = parse_cpus(text, length, cpus);
	if (!err)
		err = shell_enter();
	if (!err) {
		cpumask_copy(&shell.cpus, cpus);
		mutex_unlock(&shell.lock);
	}
	free_cpumask_var(cpus);
	return err ? err : length;
}
static DEVICE_ATTR_RW(cpus);

/* A whole number within bounds: -EINVAL if it is none, -ERANGE beyond them. */
static ssize_t store_number(const char *text, size_t length, u32 *field,
			    u32 low, u32 high)
{
	u32 value;
	int err;

	if (strnlen(text, length) != length)
		return -EINVAL;
	err = kstrtou32(text, 10, &value);
	if (err)
		return err;
	if (value < low || value > high)
		return -ERANGE;
	err = shell_set(field, value);
	return err ? err : length;
}

#define SHELL_NUMBER(name, low, high)                                         \
	static ssize_t name##_show(struct device *dev,                        \
				   struct device_attribute *attr, char *page) \
	{                                                                     \
		return sysfs_emit(page, "%u\n", READ_ONCE(shell.name));       \
	}                                                                     \
	static ssize_t name##_store(struct device *dev,                       \
				    struct device_attribute *attr,            \
				    const char *text, size_t length)          \
	{                                                                     \
		return store_number(text, length, &shell.name, low, high);    \
	}                                                                     \
	static DEVICE_ATTR_RW(name)

#define SHELL_WORK_NS_MAX (SPINDELAY_WINDOW_NS_MAX / SPINDELAY_WORK_SHARE_MAX)
#define SHELL_WINDOWS_MAX                                         \
	((u32)(SPINDELAY_PLAN_NS_MAX / SPINDELAY_WINDOW_NS_MIN) - \
	 WARMUP_WINDOWS)

SHELL_NUMBER(test_count, 1, SPINDELAY_COUNT_MAX);
SHELL_NUMBER(hold_ns, 0, SHELL_WORK_NS_MAX);
SHELL_NUMBER(think_ns, 0, SHELL_WORK_NS_MAX);
SHELL_NUMBER(window_us, SPINDELAY_WINDOW_NS_MIN / 1000,
	     SPINDELAY_WINDOW_NS_MAX / 1000);
SHELL_NUMBER(windows, 1, min(SHELL_WINDOWS_MAX, SPINDELAY_WINDOWS_MAX - 2U));

static u32 first_two_online(struct cpumask *cpus)
{
	u32 cpu, nr = 0;

	for_each_online_cpu(cpu) {
		cpumask_set_cpu(cpu, cpus);
		if (++nr == 2)
			break;
	}
	return nr;
}

static void shell_plan(struct spindelay_plan *p, struct cpumask *cpus)
{
	cpumask_copy(cpus, &shell.cpus);
	*p = (struct spindelay_plan){
		.size = sizeof(*p),
		.abi = SPINDELAY_ABI,
		.nr_cpus = cpumask_weight(cpus) ?: first_two_online(cpus),
		.nr_variants = 1,
		.nr_windows = shell.windows + WARMUP_WINDOWS,
		.window_ns = shell.window_us * 1000,
		.sample_shift = 8,
		.node = -1,
	};
}

#define PRESET_NUMBERS(spelling, source, ...) { __VA_ARGS__ },
static const struct spindelay_backoff presets[] = {
	SPIN_PRESETS(PRESET_NUMBERS)
};

static int shell_inputs(struct engine_plan *plan, const struct cpumask *cpus)
{
	u32 cpu, i = 0;

	plan->cpus = kvcalloc(plan->p.nr_cpus, sizeof(u32), GFP_KERNEL);
	plan->variants = kvcalloc(1, sizeof(*plan->variants), GFP_KERNEL);
	plan->schedule = kvcalloc(plan->p.nr_windows, sizeof(u32), GFP_KERNEL);
	if (!plan->cpus || !plan->variants || !plan->schedule)
		return -ENOMEM;
	for_each_cpu(cpu, cpus)
		plan->cpus[i++] = cpu;
	*plan->variants = (struct spindelay_variant){
		.lock = shell.test_lock,
		.delay = shell.test_delay,
		.count = shell.test_count,
		.hold_ns = shell.hold_ns,
		.think_ns = shell.think_ns,
		.spin_wait_delay = SPINDELAY_SPIN_WAIT_DELAY_DEFAULT,
		.pause_multiplier = SPINDELAY_PAUSE_MULTIPLIER_DEFAULT,
		.sync_spin_loops =
			plan_lock_traits(shell.test_lock) & SPIN_INNODB ?
				SPINDELAY_SYNC_SPIN_LOOPS_DEFAULT :
				0,
		.read_share = SPINDELAY_READ_SHARE_DEFAULT,
		.backoff = presets[0],
	};
	return 0;
}

/* Acquisitions of a CPU in the valid windows, or its ticks there, ... */
struct shell_sums {
	u64 acquisitions;
	u64 ticks;
	u64 spins;
	u64 timed_spins;
	u64 timed_spin_ticks;
};

static struct shell_sums sum_cpu(const struct engine_plan *plan, u32 cpu,
				 struct shell_result *result)
{
	const struct spindelay_plan *p = &plan->p;
	struct shell_sums sums = {};
	const struct spindelay_record *r;
	u32 i;

	for (i = WARMUP_WINDOWS; i < p->nr_windows; i++) {
		if (plan->windows[i].invalid)
			continue;
		r = &plan->records[(size_t)i * p->nr_cpus + cpu];
		sums.acquisitions += r->acquisitions;
		sums.ticks += r->ticks;
		sums.spins += r->spins;
		sums.timed_spins += r->timed_spins;
		sums.timed_spin_ticks += r->timed_spin_ticks;
		result->polls += r->polls;
		result->delays += r->delays;
		result->wait_max_ns = max(result->wait_max_ns, r->wait_max);
	}
	return sums;
}

static void sum_windows(const struct engine_plan *plan,
			struct shell_result *result)
{
	u32 i;

	for (i = WARMUP_WINDOWS; i < plan->p.nr_windows; i++) {
		result->lost += plan->windows[i].acquisitions -
				plan->windows[i].counted;
		if (plan->windows[i].invalid)
			result->windows_invalid++;
		else
			result->windows_valid++;
	}
}

/* value * factor / divisor, 0 where there is nothing to divide by */
static u64 scaled(u64 value, u64 factor, u64 divisor)
{
	return divisor ? mul_u64_u64_div_u64(value, factor, divisor) : 0;
}

static struct shell_result sum_up(const struct engine_plan *plan)
{
	struct shell_result result = { .known = true };
	u64 least = U64_MAX, most = 0, ticks = 0, spin = 0;
	struct shell_sums cpu;
	u32 i;

	sum_windows(plan, &result);
	for (i = 0; i < plan->p.nr_cpus; i++) {
		cpu = sum_cpu(plan, i, &result);
		result.acquisitions += cpu.acquisitions;
		result.rate +=
			scaled(cpu.acquisitions, plan->p.counter_hz, cpu.ticks);
		least = min(least, cpu.acquisitions);
		most = max(most, cpu.acquisitions);
		ticks += cpu.ticks;
		spin += scaled(cpu.timed_spin_ticks, cpu.spins,
			       cpu.timed_spins);
	}
	result.delay_share = scaled(spin, 1000, ticks);
	result.min_over_max = scaled(least, 1000, most);
	result.wait_max_ns =
		scaled(result.wait_max_ns, NSEC_PER_SEC, plan->p.counter_hz);
	return result;
}

static int execute_shell_plan(struct engine_plan *plan)
{
	int err = plan_check_sizes(&plan->p);

	if (!err)
		err = plan_alloc_results(plan);
	if (!err)
		err = engine_claim();
	if (err)
		return err;
	err = engine_run(plan);
	engine_release();
	return err;
}

/* Take the settings, and from then on nothing can be set. */
static int shell_begin(struct engine_plan *plan)
{
	cpumask_var_t cpus;
	int err;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	err = shell_enter();
	if (!err) {
		shell_plan(&plan->p, cpus);
		err = shell_inputs(plan, cpus);
		shell.running = !err;
		shell.result.known = false;
		mutex_unlock(&shell.lock);
	}
	free_cpumask_var(cpus);
	return err;
}

static int shell_run(void)
{
	struct shell_result result = {};
	struct engine_plan plan = {};
	int err = shell_begin(&plan);

	if (!err) {
		err = execute_shell_plan(&plan);
		if (!err)
			result = sum_up(&plan);
		mutex_lock(&shell.lock);
		shell.result = result;
		shell.running = false;
		mutex_unlock(&shell.lock);
	}
	plan_free(&plan);
	return err;
}

static ssize_t run_store(struct device *dev, struct device_attribute *attr,
			 const char *text, size_t length)
{
	int err;

	if (!is_spelling(text, length, "1"))
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	err = shell_run();
	return err ? err : length;
}
static DEVICE_ATTR_WO(run);

static ssize_t show_result(char *page, const u64 *field, bool thousandths)
{
	ssize_t length = shell_enter();

	if (length)
		return length;
	if (!shell.result.known)
		length = -ENODATA;
	else if (thousandths)
		length = sysfs_emit(page, "%llu.%03llu\n", *field / 1000,
				    *field % 1000);
	else
		length = sysfs_emit(page, "%llu\n", *field);
	mutex_unlock(&shell.lock);
	return length;
}

#define SHELL_RESULT(name, thousandths)                                       \
	static ssize_t name##_show(struct device *dev,                        \
				   struct device_attribute *attr, char *page) \
	{                                                                     \
		return show_result(page, &shell.result.name, thousandths);    \
	}                                                                     \
	static DEVICE_ATTR_RO(name)

SHELL_RESULT(acquisitions, false);
SHELL_RESULT(polls, false);
SHELL_RESULT(delays, false);
SHELL_RESULT(rate, false);
SHELL_RESULT(delay_share, true);
SHELL_RESULT(min_over_max, true);
SHELL_RESULT(wait_max_ns, false);
SHELL_RESULT(lost, false);
SHELL_RESULT(windows_valid, false);
SHELL_RESULT(windows_invalid, false);

static struct attribute *result_attrs[] = {
	&dev_attr_acquisitions.attr,
	&dev_attr_polls.attr,
	&dev_attr_delays.attr,
	&dev_attr_rate.attr,
	&dev_attr_delay_share.attr,
	&dev_attr_min_over_max.attr,
	&dev_attr_wait_max_ns.attr,
	&dev_attr_lost.attr,
	&dev_attr_windows_valid.attr,
	&dev_attr_windows_invalid.attr,
	NULL,
};

static const struct attribute_group result_group = {
	.name = "result",
	.attrs = result_attrs,
};

static struct attribute *spindelay_attrs[] = {
	&dev_attr_delay.attr,
	&dev_attr_effective.attr,
	&dev_attr_delays_available.attr,
	&dev_attr_test_delays_available.attr,
	&dev_attr_test_locks_available.attr,
	&dev_attr_abi.attr,
	&dev_attr_test_lock.attr,
	&dev_attr_test_delay.attr,
	&dev_attr_test_count.attr,
	&dev_attr_cpus.attr,
	&dev_attr_hold_ns.attr,
	&dev_attr_think_ns.attr,
	&dev_attr_window_us.attr,
	&dev_attr_windows.attr,
	&dev_attr_run.attr,
	NULL,
};

static const struct attribute_group spindelay_group = {
	.attrs = spindelay_attrs,
};

const struct attribute_group *spindelay_groups[] = {
	&spindelay_group,
	&result_group,
	NULL,
};
