// SPDX-License-Identifier: GPL-2.0
/*
 * Sleep for the locks that do: bench/park.h in the kernel. The queues are
 * simple wait queues, so that the timer that ends a window can wake sleepers
 * with interrupts off, on PREEMPT_RT too. There is one run at a time, so there
 * is one set of queues.
 */
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/swait.h>

#include "bench/atomics_llsc.h"
#include "bench/park.h"
#include "park.h"

#define PARK_QUEUES 4

/* Neighbouring words have queues of their own. */
static struct swait_queue_head queues[PARK_QUEUES];
/* The window is ending: whoever wakes, wakes the next. */
static bool ending;

static struct swait_queue_head *queue_of(const u32 *word)
{
	return &queues[(unsigned long)word / sizeof(*word) % PARK_QUEUES];
}

void spin_park(const u32 *word, u32 seen, u32 us)
{
	struct swait_queue_head *queue = queue_of(word);
	ktime_t limit = ktime_add_us(ktime_get(), us);
	DECLARE_SWAITQUEUE(wait);

	for (;;) {
		prepare_to_swait_exclusive(queue, &wait, TASK_IDLE);
		if (READ_ONCE(*word) != seen)
			break;
		if (!schedule_hrtimeout(us ? &limit : NULL, HRTIMER_MODE_ABS))
			break;
	}
	finish_swait(queue, &wait);
	if (READ_ONCE(ending))
		swake_up_one(queue);
}

void spin_wake(const u32 *word)
{
	swake_up_all(queue_of(word));
}

/*
 * Not yield(), which would step back behind tasks that have less of a claim:
 * there is one worker on a CPU, and it owes the lock to none of the others.
 */
void spin_yield(void)
{
	schedule();
}

/**
 * park_begin - a window begins, nobody is parked
 */
void park_begin(void)
{
	WRITE_ONCE(ending, false);
}

/**
 * park_end - a window ends: wake those whose word has been changed
 *
 * Wakes one of each queue, who wakes the next: in an interrupt there should be
 * no more to do on a machine with many CPUs. To be called again until nobody is
 * inside any more.
 *
 * Context: any, also a hard interrupt on PREEMPT_RT.
 */
void park_end(void)
{
	u32 i;

	WRITE_ONCE(ending, true);
	for (i = 0; i < PARK_QUEUES; i++)
		swake_up_one(&queues[i]);
}

/**
 * park_init - make the queues
 */
void park_init(void)
{
	u32 i;

	for (i = 0; i < PARK_QUEUES; i++)
		init_swait_queue_head(&queues[i]);
}
