/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two CPUs that hand one word to and fro: the rate is that of handing over, so
 * half its inverse is the latency from one CPU to the other and what the delay
 * adds to it.
 */
#ifndef SPINDELAY_BENCH_LOCKS_HANDOFF_H
#define SPINDELAY_BENCH_LOCKS_HANDOFF_H

#include "../poll.h"

struct spin_handoff {
	u32 turn;
};

#define SPIN_HANDOFF_NOBODY 2

static inline void spin_handoff_init(void *lock, bool held)
{
	struct spin_handoff *l = lock;

	WRITE_ONCE(l->turn, held ? SPIN_HANDOFF_NOBODY : 0);
}

static __always_inline bool spin_handoff_acquire(struct spin_context *c,
						 u32 delay, u32 form)
{
	struct spin_handoff *l = c->lock;

	while (spin_load_acquire(&l->turn) != c->index)
		if (!spin_wait_until(c, delay, form, &l->turn, c->index))
			return false;
	return true;
}

static __always_inline void spin_handoff_release(struct spin_context *c)
{
	struct spin_handoff *l = c->lock;

	spin_store_release(&l->turn, !c->index);
}

#endif /* SPINDELAY_BENCH_LOCKS_HANDOFF_H */
