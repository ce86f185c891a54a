/* SPDX-License-Identifier: GPL-2.0 */
/* Ticket lock: draw a number, wait until it is served. First come, first in. */
#ifndef SPINDELAY_BENCH_LOCKS_TICKET_H
#define SPINDELAY_BENCH_LOCKS_TICKET_H

#include "../poll.h"

struct spin_ticket {
	u32 next;
	u32 serving;
};

static inline void spin_ticket_init(void *lock, bool held)
{
	struct spin_ticket *l = lock;

	WRITE_ONCE(l->next, held);
	WRITE_ONCE(l->serving, 0);
}

static __always_inline bool spin_ticket_acquire(struct spin_context *c,
						u32 delay, u32 form)
{
	struct spin_ticket *l = c->lock;

	c->ticket = spin_fetch_add(&l->next, 1);
	while (unlikely(spin_load_acquire(&l->serving) != c->ticket))
		if (!spin_wait_until(c, delay, form, &l->serving, c->ticket))
			return false;
	return true;
}

static __always_inline void spin_ticket_release(struct spin_context *c)
{
	struct spin_ticket *l = c->lock;

	spin_store_release(&l->serving, c->ticket + 1);
}

#endif /* SPINDELAY_BENCH_LOCKS_TICKET_H */
