// SPDX-License-Identifier: GPL-2.0
/*
 * What a kernel that looks for bugs must find: "insmod spindelay_trip.ko
 * fault=NAME" commits one bug. Never load it on a machine that matters.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>

#define OBJECT_SIZE 100
/* Longer than the limits that tests/guest/trip/run sets. */
#define STUCK_MS 8000
#define LEAKS 16
#define RACE_MS 2000

static char *fault = "";
module_param(fault, charp, 0);
MODULE_PARM_DESC(fault, "the bug to commit; tests/guest/trip/run lists them");

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(sleeping_lock);
static DEFINE_RAW_SPINLOCK(spinning_lock);
static int few[4];

/* A number of which the compiler knows nothing. */
static int opaque(int number)
{
	OPTIMIZER_HIDE_VAR(number);
	return number;
}

static void out_of_bounds(void)
{
	char *object = kmalloc(OBJECT_SIZE, GFP_KERNEL);

	if (!object)
		return;
	WRITE_ONCE(object[opaque(OBJECT_SIZE)], 1);
	kfree(object);
}

static void use_after_free(void)
{
	char *object = kmalloc(OBJECT_SIZE, GFP_KERNEL);
	char *stale = object;

	OPTIMIZER_HIDE_VAR(stale);
	kfree(object);
	if (stale)
		WRITE_ONCE(stale[0], 1);
}

static void bad_index(void)
{
	pr_debug("%d\n", READ_ONCE(few[opaque(ARRAY_SIZE(few))]));
	WRITE_ONCE(few[0], few[opaque(ARRAY_SIZE(few))]);
}

static void bad_shift(void)
{
	WRITE_ONCE(few[0], 1 << opaque(40));
}

/* Several, because some stale register or stack slot may still hold one. */
static void leak(void)
{
	int i;

	for (i = 0; i < LEAKS; i++) {
		char *object = kmalloc(OBJECT_SIZE, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(object);
	}
}

static void sleep_in_atomic(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

static void preemptible_cpu(void)
{
	WRITE_ONCE(few[0], smp_processor_id());
}

static void nothing(struct timer_list *timer)
{
}

/* The memory of a timer that runs is given back. */
static void active_object(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, nothing, 0);
	mod_timer(timer, jiffies + 3600 * HZ);
	kfree(timer);
}

static void bad_list(void)
{
	LIST_HEAD(list);
	LIST_HEAD(entry);

	list_add(&entry, &list);
	list_add(&entry, &list);
}

static void lock_order(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

/* On PREEMPT_RT the inner lock sleeps. */
static void lock_nesting(void)
{
	raw_spin_lock(&spinning_lock);
	spin_lock(&sleeping_lock);
	spin_unlock(&sleeping_lock);
	raw_spin_unlock(&spinning_lock);
}

static void no_preemption(void)
{
	preempt_disable();
	mdelay(STUCK_MS);
	preempt_enable();
}

static void no_interrupts(void)
{
	local_irq_disable();
	mdelay(2 * STUCK_MS);
	local_irq_enable();
}

static void no_quiescence(void)
{
	rcu_read_lock();
	mdelay(STUCK_MS);
	rcu_read_unlock();
}

static void no_wakeup(void)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_timeout(msecs_to_jiffies(STUCK_MS));
}

static int race(void *unused)
{
	while (!kthread_should_stop()) {
		few[1]++;
		cond_resched();
	}
	return 0;
}

static void racing_writes(void)
{
	struct task_struct *racers[2];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(racers); i++)
		racers[i] = kthread_run(race, NULL, "race/%zu", i);
	msleep(RACE_MS);
	for (i = 0; i < ARRAY_SIZE(racers); i++)
		if (!IS_ERR(racers[i]))
			kthread_stop(racers[i]);
}

static void wrong_type(void)
{
	void (*call)(int *number) = (void *)nothing;

	OPTIMIZER_HIDE_VAR(call);
	call(few);
}

static const struct {
	const char *name;
	void (*commit)(void);
} faults[] = {
	{ "out-of-bounds", out_of_bounds },
	{ "use-after-free", use_after_free },
	{ "bad-index", bad_index },
	{ "bad-shift", bad_shift },
	{ "leak", leak },
	{ "sleep-in-atomic", sleep_in_atomic },
	{ "preemptible-cpu", preemptible_cpu },
	{ "active-object", active_object },
	{ "bad-list", bad_list },
	{ "lock-order", lock_order },
	{ "lock-nesting", lock_nesting },
	{ "no-preemption", no_preemption },
	{ "no-interrupts", no_interrupts },
	{ "no-quiescence", no_quiescence },
	{ "no-wakeup", no_wakeup },
	{ "data-race", racing_writes },
	{ "wrong-type", wrong_type },
};

static int __init trip_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (!strcmp(fault, faults[i].name)) {
			faults[i].commit();
			return 0;
		}
	}
	pr_err("fault=%s: no such fault\n", fault);
	return -EINVAL;
}
module_init(trip_init);

static void __exit trip_exit(void)
{
}
module_exit(trip_exit);

MODULE_DESCRIPTION("Bugs on purpose, for kernels that look for bugs");
MODULE_LICENSE("GPL");
