/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ways in which locks sleep, each with its account. None of them outlasts
 * the window: see park.h.
 */
#ifndef SPINDELAY_BENCH_LOCKS_SLEEP_H
#define SPINDELAY_BENCH_LOCKS_SLEEP_H

#include "../park.h"
#include "../poll.h"

/**
 * spin_give_way - the CPU is others', if there are any
 * @c: the loop
 */
static __always_inline void spin_give_way(struct spin_context *c)
{
	c->parking->yields++;
	spin_yield();
}

/**
 * spin_await - sleep until an event is signalled, or the window has ended
 * @c: the loop
 * @event: the event
 * @seen: what it was before the lock was last tried
 *
 * Return: false if the window has ended
 */
static __always_inline bool spin_await(struct spin_context *c, const u32 *event,
				       u32 seen)
{
	/* Whoever ends the window stores the flag first, then the event. */
	if (READ_ONCE(*c->stop))
		return false;
	c->parking->parks++;
	spin_park(event, seen, 0);
	return !READ_ONCE(*c->stop);
}

/**
 * spin_signal - wake all who await an event
 * @event: the event
 */
static __always_inline void spin_signal(u32 *event)
{
	spin_fetch_add(event, 1);
	spin_wake(event);
}

/**
 * spin_nap - sleep for a time
 * @c: the loop
 * @us: microseconds, at least 1
 *
 * Return: false if the window has ended, which ends the sleep as well
 */
static __always_inline bool spin_nap(struct spin_context *c, u32 us)
{
	if (READ_ONCE(*c->stop))
		return false;
	c->parking->parks++;
	spin_park(c->stop, 0, us);
	return !READ_ONCE(*c->stop);
}

#endif /* SPINDELAY_BENCH_LOCKS_SLEEP_H */
