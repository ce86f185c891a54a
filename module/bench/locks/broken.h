/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A lock that does not exclude: the look and the store are two steps, and
 * whoever looks in between gets in as well. It ships so that everybody can see
 * the exclusion check catch it.
 */
#ifndef SPINDELAY_BENCH_LOCKS_BROKEN_H
#define SPINDELAY_BENCH_LOCKS_BROKEN_H

#include "../poll.h"

struct spin_broken {
	u32 word;
};

static inline void spin_broken_init(void *lock, bool held)
{
	struct spin_broken *l = lock;

	WRITE_ONCE(l->word, held);
}

static __always_inline bool spin_broken_acquire(struct spin_context *c,
						u32 delay, u32 form)
{
	struct spin_broken *l = c->lock;

	if (unlikely(READ_ONCE(l->word)) &&
	    !spin_wait_while(c, delay, form, &l->word, 1))
		return false;
	WRITE_ONCE(l->word, 1);
	return true;
}

static __always_inline void spin_broken_release(struct spin_context *c)
{
	struct spin_broken *l = c->lock;

	WRITE_ONCE(l->word, 0);
}

#endif /* SPINDELAY_BENCH_LOCKS_BROKEN_H */
