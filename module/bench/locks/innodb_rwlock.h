/* SPDX-License-Identifier: GPL-2.0 */
/*
 * InnoDB's rw-lock, without its third mode. One word counts down: 1 for each
 * reader, a large number for the writer. A writer takes that off while readers
 * are still inside, so that no more come in, and waits for them on an event of
 * its own. All else is polled for as the mutex is, by readers and writers
 * alike. (MySQL 8.0: storage/innobase/sync/sync0rw.cc, include/sync0rw.ic.)
 */
#ifndef SPINDELAY_BENCH_LOCKS_INNODB_RWLOCK_H
#define SPINDELAY_BENCH_LOCKS_INNODB_RWLOCK_H

#include "innodb.h"

/* What a writer takes off; without one the word is above 0. */
#define SPIN_INNODB_WRITER 0x20000000

struct spin_innodb_rwlock {
	u32 word;
	u32 waiters;
	u32 own_line[14];
	u32 event;
	u32 readers_left;
};

static inline void spin_innodb_rwlock_init(void *lock, bool held)
{
	struct spin_innodb_rwlock *l = lock;

	WRITE_ONCE(l->word, held ? 0 : SPIN_INNODB_WRITER);
	WRITE_ONCE(l->waiters, 0);
}

static __always_inline bool spin_innodb_rwlock_try(u32 *word, u32 amount)
{
	u32 seen = READ_ONCE(*word), now;

	while ((s32)seen > 0) {
		now = spin_compare_swap(word, seen, seen - amount);
		if (likely(now == seen))
			return true;
		seen = now;
	}
	return false;
}

/* Return: SPIN_BUSY if @left is used up, even if it has just become free. */
static __always_inline enum spin_found
spin_innodb_rwlock_rounds(struct spin_context *c, u32 delay, u32 form,
			  const u32 *word, u32 *left)
{
	u32 seen;

	for (; *left; --*left) {
		seen = READ_ONCE(*word);
		if ((s32)seen > 0)
			return SPIN_FREE;
		if (!spin_ut_delay(c, delay, form, word, seen))
			return SPIN_ENDED;
	}
	return SPIN_BUSY;
}

/* Take @amount off the word once nobody's writing. */
static __always_inline bool
spin_innodb_rwlock_wait(struct spin_context *c, u32 delay, u32 form,
			struct spin_innodb_rwlock *l, u32 amount)
{
	u32 left = c->patience.rounds, seen;
	enum spin_found found;
	u64 since;

	for (;;) {
		since = spin_wait_begin(c);
		found = spin_innodb_rwlock_rounds(c, delay, form, &l->word,
						  &left);
		spin_wait_end(c, since);
		if (found == SPIN_ENDED)
			return false;
		if (found == SPIN_BUSY)
			spin_give_way(c);
		seen = spin_load_acquire(&l->event);
		if (found == SPIN_BUSY) {
			WRITE_ONCE(l->waiters, 1);
			spin_fence();
		}
		if (spin_innodb_rwlock_try(&l->word, amount))
			return true;
		if (found == SPIN_FREE)
			continue;
		if (!spin_await(c, &l->event, seen))
			return false;
		left = c->patience.rounds;
	}
}

/* The writer is in, readers are too: each round delays before it looks. */
static __always_inline enum spin_found
spin_innodb_rwlock_outwait(struct spin_context *c, u32 delay, u32 form,
			   const u32 *word)
{
	u32 left = c->patience.rounds, seen;

	for (;;) {
		seen = READ_ONCE(*word);
		if ((s32)seen >= 0)
			return SPIN_FREE;
		if (!spin_ut_delay(c, delay, form, word, seen))
			return SPIN_ENDED;
		if (!left--)
			return SPIN_BUSY;
	}
}

static __always_inline bool
spin_innodb_rwlock_drain(struct spin_context *c, u32 delay, u32 form,
			 struct spin_innodb_rwlock *l)
{
	enum spin_found found;
	u64 since;
	u32 seen;

	for (;;) {
		since = spin_wait_begin(c);
		found = spin_innodb_rwlock_outwait(c, delay, form, &l->word);
		spin_wait_end(c, since);
		if (found == SPIN_ENDED)
			return false;
		/* Behind what the readers did. */
		if (found == SPIN_FREE)
			return !spin_load_acquire(&l->word);
		seen = spin_load_acquire(&l->readers_left);
		if ((s32)spin_load_acquire(&l->word) >= 0)
			return true;
		if (!spin_await(c, &l->readers_left, seen))
			return false;
	}
}

static __always_inline bool spin_innodb_rwlock_acquire(struct spin_context *c,
						       u32 delay, u32 form)
{
	struct spin_innodb_rwlock *l = c->lock;
	u32 amount;

	c->shared = (u64)spin_random(&c->random) * 100 >> 32 <
		    c->patience.read_share;
	amount = c->shared ? 1 : SPIN_INNODB_WRITER;
	if (unlikely(!spin_innodb_rwlock_try(&l->word, amount)) &&
	    !spin_innodb_rwlock_wait(c, delay, form, l, amount))
		return false;
	if (c->shared || likely(!spin_load_acquire(&l->word)))
		return true;
	return spin_innodb_rwlock_drain(c, delay, form, l);
}

static __always_inline void spin_innodb_rwlock_release(struct spin_context *c)
{
	struct spin_innodb_rwlock *l = c->lock;

	if (c->shared) {
		/* The last reader before a writer that is waiting for it. */
		if (unlikely(spin_fetch_add(&l->word, 1) == (u32)-1))
			spin_signal(&l->readers_left);
		return;
	}
	spin_fetch_add(&l->word, SPIN_INNODB_WRITER);
	spin_fence();
	if (likely(!READ_ONCE(l->waiters)))
		return;
	WRITE_ONCE(l->waiters, 0);
	spin_signal(&l->event);
}

#endif /* SPINDELAY_BENCH_LOCKS_INNODB_RWLOCK_H */
