/* SPDX-License-Identifier: GPL-2.0 */
/*
 * InnoDB's mutex, its TTASEventMutex: try; then rounds of looks and delays;
 * then yield, say that somebody waits, try four times more, sleep. Whoever
 * leaves wakes all sleepers, who begin again. (MySQL 8.0:
 * storage/innobase/include/ib0mutex.h.)
 */
#ifndef SPINDELAY_BENCH_LOCKS_INNODB_MUTEX_H
#define SPINDELAY_BENCH_LOCKS_INNODB_MUTEX_H

#include "innodb.h"

/* Times that the lock is tried once more before the sleep. */
#define SPIN_INNODB_LAST_TRIES 4

struct spin_innodb_mutex {
	u32 word;
	u32 waiters;
	u32 own_line[14];
	u32 event;
};

static inline void spin_innodb_mutex_init(void *lock, bool held)
{
	struct spin_innodb_mutex *l = lock;

	WRITE_ONCE(l->word, held);
	WRITE_ONCE(l->waiters, 0);
}

/* What is left of the rounds is in @left, at least 1. */
static __always_inline enum spin_found
spin_innodb_mutex_rounds(struct spin_context *c, u32 delay, u32 form,
			 const u32 *word, u32 *left)
{
	do {
		if (!READ_ONCE(*word))
			return SPIN_FREE;
		if (!spin_ut_delay(c, delay, form, word, 1))
			return SPIN_ENDED;
	} while (--*left);
	return SPIN_BUSY;
}

/*
 * Sleep, unless one of the last tries gets the lock. The event is read before
 * the flag is set: who clears the flag after that signals later still.
 */
static __always_inline enum spin_found
spin_innodb_mutex_sleep(struct spin_context *c, struct spin_innodb_mutex *l)
{
	u32 seen = spin_load_acquire(&l->event);
	u32 tries = SPIN_INNODB_LAST_TRIES;

	WRITE_ONCE(l->waiters, 1);
	spin_fence();
	do {
		if (!spin_swap_acquire(&l->word, 1))
			return SPIN_FREE;
	} while (--tries);
	return spin_await(c, &l->event, seen) ? SPIN_BUSY : SPIN_ENDED;
}

static __always_inline bool spin_innodb_mutex_wait(struct spin_context *c,
						   u32 delay, u32 form,
						   struct spin_innodb_mutex *l)
{
	u32 left = c->patience.rounds ? c->patience.rounds : 1;
	enum spin_found found;
	u64 since;

	for (;;) {
		since = spin_wait_begin(c);
		found = spin_innodb_mutex_rounds(c, delay, form, &l->word,
						 &left);
		spin_wait_end(c, since);
		if (found == SPIN_FREE && !spin_swap_acquire(&l->word, 1))
			return true;
		if (found == SPIN_FREE)
			continue;
		if (found == SPIN_ENDED)
			return false;
		spin_give_way(c);
		found = spin_innodb_mutex_sleep(c, l);
		if (found != SPIN_BUSY)
			return found == SPIN_FREE;
		left = c->patience.rounds ? c->patience.rounds : 1;
	}
}

static __always_inline bool spin_innodb_mutex_acquire(struct spin_context *c,
						      u32 delay, u32 form)
{
	struct spin_innodb_mutex *l = c->lock;

	if (likely(!spin_swap_acquire(&l->word, 1)))
		return true;
	return spin_innodb_mutex_wait(c, delay, form, l);
}

static __always_inline void spin_innodb_mutex_release(struct spin_context *c)
{
	struct spin_innodb_mutex *l = c->lock;

	spin_store_release(&l->word, 0);
	/* Who sets the flag after this look tries the lock after that. */
	spin_fence();
	if (likely(!READ_ONCE(l->waiters)))
		return;
	WRITE_ONCE(l->waiters, 0);
	spin_signal(&l->event);
}

#endif /* SPINDELAY_BENCH_LOCKS_INNODB_MUTEX_H */
