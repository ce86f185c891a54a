/* SPDX-License-Identifier: GPL-2.0 */
/* Test and test-and-set: poll the word until it is free, then swap it. */
#ifndef SPINDELAY_BENCH_LOCKS_TTAS_H
#define SPINDELAY_BENCH_LOCKS_TTAS_H

#include "../poll.h"

struct spin_ttas {
	u32 word;
};

static inline void spin_ttas_init(void *lock, bool held)
{
	struct spin_ttas *l = lock;

	WRITE_ONCE(l->word, held);
}

static __always_inline bool spin_ttas_acquire(struct spin_context *c, u32 delay,
					      u32 form)
{
	struct spin_ttas *l = c->lock;

	for (;;) {
		if (unlikely(READ_ONCE(l->word)) &&
		    !spin_wait_while(c, delay, form, &l->word, 1))
			return false;
		if (likely(!spin_swap_acquire(&l->word, 1)))
			return true;
	}
}

static __always_inline void spin_ttas_release(struct spin_context *c)
{
	struct spin_ttas *l = c->lock;

	spin_store_release(&l->word, 0);
}

#endif /* SPINDELAY_BENCH_LOCKS_TTAS_H */
