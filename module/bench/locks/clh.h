/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CLH lock: a queue of waiters, each polling the word of the one before it and
 * taking that node for its own next turn. (Craig, 1993; Landin and Hagersten,
 * 1994.)
 */
#ifndef SPINDELAY_BENCH_LOCKS_CLH_H
#define SPINDELAY_BENCH_LOCKS_CLH_H

#include "../poll.h"

struct spin_clh_node {
	u32 busy;
};

struct spin_clh {
	void *tail;
	void *own_line[7];
	struct spin_clh_node first;
};

static inline void spin_clh_init(void *lock, bool held)
{
	struct spin_clh *l = lock;

	WRITE_ONCE(l->first.busy, held);
	WRITE_ONCE(l->tail, &l->first);
}

static __always_inline bool spin_clh_acquire(struct spin_context *c, u32 delay,
					     u32 form)
{
	struct spin_clh *l = c->lock;
	struct spin_clh_node *node = c->node;

	WRITE_ONCE(node->busy, 1);
	c->before = spin_swap_pointer(&l->tail, node);
	node = c->before;
	while (unlikely(spin_load_acquire(&node->busy)))
		if (!spin_wait_while(c, delay, form, &node->busy, 1))
			return false;
	return true;
}

static __always_inline void spin_clh_release(struct spin_context *c)
{
	struct spin_clh_node *node = c->node;

	spin_store_release(&node->busy, 0);
	c->node = c->before;
}

#endif /* SPINDELAY_BENCH_LOCKS_CLH_H */
