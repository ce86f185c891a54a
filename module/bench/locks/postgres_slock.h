/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PostgreSQL's spinlock, as it is on arm64: look, then test and set; a delay
 * after each look that fails; after spins_per_delay of them sleep, for 1 ms at
 * first and then longer by a random part of itself, beyond 1 s for 1 ms again.
 * Each CPU learns how many looks are worth it: 100 more after an acquisition
 * without a sleep, one less after one with. (PostgreSQL 16:
 * src/backend/storage/lmgr/s_lock.c.) It learns anew in each window.
 *
 * PostgreSQL gives up, with a panic, after 1000 sleeps; a window ends before.
 */
#ifndef SPINDELAY_BENCH_LOCKS_POSTGRES_SLOCK_H
#define SPINDELAY_BENCH_LOCKS_POSTGRES_SLOCK_H

#include "found.h"
#include "sleep.h"

#define SPIN_POSTGRES_SPINS_MIN 10
#define SPIN_POSTGRES_SPINS_MAX 1000
#define SPIN_POSTGRES_NAP_MIN_US 1000
#define SPIN_POSTGRES_NAP_MAX_US 1000000

struct spin_postgres_slock {
	u32 word;
	u32 own_line[15];
	u32 event[2];
};

static inline void spin_postgres_slock_init(void *lock, bool held)
{
	struct spin_postgres_slock *l = lock;

	WRITE_ONCE(l->word, held);
}

/**
 * spin_postgres_next_nap - how long to sleep after a sleep
 * @us: how long that was
 * @random: state of the random numbers
 *
 * Return: microseconds
 */
static __always_inline u32 spin_postgres_next_nap(u32 us, u32 *random)
{
	us += ((u64)us * spin_random(random) + (1U << 31)) >> 32;
	return us > SPIN_POSTGRES_NAP_MAX_US ? SPIN_POSTGRES_NAP_MIN_US : us;
}

/**
 * spin_postgres_learn - how many looks are worth it after an acquisition
 * @spins: how many were before
 * @slept: it took a sleep
 */
static __always_inline u32 spin_postgres_learn(u32 spins, bool slept)
{
	if (slept)
		return spins > SPIN_POSTGRES_SPINS_MIN ? spins - 1 : spins;
	if (spins >= SPIN_POSTGRES_SPINS_MAX)
		return spins;
	return spins + 100 < SPIN_POSTGRES_SPINS_MAX ? spins + 100 :
						       SPIN_POSTGRES_SPINS_MAX;
}

static __always_inline enum spin_found
spin_postgres_spins(struct spin_context *c, u32 delay, u32 form, u32 *word)
{
	u32 left = c->patience.rounds;

	spin_align_loop();
	do {
		if (!READ_ONCE(*word) && !spin_swap_acquire(word, 1))
			return SPIN_FREE;
		if (unlikely(!spin_turn(c, delay, form, word, 1)))
			return SPIN_ENDED;
	} while (--left);
	return SPIN_BUSY;
}

static __always_inline bool
spin_postgres_slock_wait(struct spin_context *c, u32 delay, u32 form, u32 *word)
{
	enum spin_found found;
	u32 nap = 0;
	u64 since;

	for (;;) {
		since = spin_wait_begin(c);
		found = spin_postgres_spins(c, delay, form, word);
		spin_wait_end(c, since);
		if (found != SPIN_BUSY)
			break;
		nap = nap ? spin_postgres_next_nap(nap, &c->random) :
			    SPIN_POSTGRES_NAP_MIN_US;
		if (!spin_nap(c, nap))
			return false;
	}
	c->patience.rounds = spin_postgres_learn(c->patience.rounds, nap);
	return found == SPIN_FREE;
}

static __always_inline bool spin_postgres_slock_acquire(struct spin_context *c,
							u32 delay, u32 form)
{
	struct spin_postgres_slock *l = c->lock;

	return likely(!spin_swap_acquire(&l->word, 1)) ||
	       spin_postgres_slock_wait(c, delay, form, &l->word);
}

static __always_inline void spin_postgres_slock_release(struct spin_context *c)
{
	struct spin_postgres_slock *l = c->lock;

	spin_store_release(&l->word, 0);
}

#endif /* SPINDELAY_BENCH_LOCKS_POSTGRES_SLOCK_H */
