/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How InnoDB waits, as far as its mutex and its rw-lock have it in common. A
 * round is a look that finds the lock taken, and ut_delay() of a random number
 * below innodb_spin_wait_delay: this times innodb_spin_wait_pause_multiplier
 * relaxations. After innodb_sync_spin_loops rounds a waiter gives way to others
 * and then sleeps until whoever leaves signals an event. (MySQL 8.0:
 * storage/innobase/include/ut0ut.h, ib0mutex.h, sync0rw.cc.)
 *
 * A relaxation is what a poll is in the other locks, and is counted as one.
 */
#ifndef SPINDELAY_BENCH_LOCKS_INNODB_H
#define SPINDELAY_BENCH_LOCKS_INNODB_H

#include "found.h"
#include "sleep.h"

/**
 * spin_ut_delay - the delay of one round
 * @c: the loop
 * @delay: enum spin_delay_id, constant
 * @form: enum spin_form, constant
 * @word: the lock word
 * @seen: its value at the last look
 *
 * Return: false if the window has ended
 */
static __always_inline bool spin_ut_delay(struct spin_context *c, u32 delay,
					  u32 form, const u32 *word, u32 seen)
{
	u32 factor =
		((u64)c->patience.delay_max * spin_random(&c->random)) >> 32;
	u32 turns = factor * c->patience.multiplier;

	c->parking->rounds++;
	/* Rounds that are all empty use up no budget. */
	if (unlikely(!turns))
		return c->patience.delay_max > 1 || !READ_ONCE(*c->stop);
	spin_align_loop();
	do {
		if (unlikely(!spin_turn(c, delay, form, word, seen)))
			return false;
	} while (--turns);
	return true;
}

#endif /* SPINDELAY_BENCH_LOCKS_INNODB_H */
