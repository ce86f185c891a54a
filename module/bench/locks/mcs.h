/* SPDX-License-Identifier: GPL-2.0 */
/*
 * MCS lock: a queue of waiters, each polling a word of its own, which the one
 * before it sets free. (Mellor-Crummey and Scott, ACM TOCS 9(1), 1991.)
 */
#ifndef SPINDELAY_BENCH_LOCKS_MCS_H
#define SPINDELAY_BENCH_LOCKS_MCS_H

#include "../poll.h"

struct spin_mcs_node {
	struct spin_mcs_node *next;
	u32 wait;
};

struct spin_mcs {
	void *tail;
	/* Stands for an owner that never leaves. */
	struct spin_mcs_node nobody;
};

static inline void spin_mcs_init(void *lock, bool held)
{
	struct spin_mcs *l = lock;

	WRITE_ONCE(l->nobody.next, NULL);
	WRITE_ONCE(l->tail, held ? &l->nobody : NULL);
}

static __always_inline bool spin_mcs_acquire(struct spin_context *c, u32 delay,
					     u32 form)
{
	struct spin_mcs *l = c->lock;
	struct spin_mcs_node *node = c->node;
	struct spin_mcs_node *before;

	WRITE_ONCE(node->next, NULL);
	before = spin_swap_pointer(&l->tail, node);
	if (likely(!before))
		return true;
	WRITE_ONCE(node->wait, 1);
	spin_store_pointer_release((void **)&before->next, node);
	while (spin_load_acquire(&node->wait))
		if (!spin_wait_while(c, delay, form, &node->wait, 1))
			return false;
	return true;
}

static __always_inline void spin_mcs_release(struct spin_context *c)
{
	struct spin_mcs *l = c->lock;
	struct spin_mcs_node *node = c->node;
	struct spin_mcs_node *next = READ_ONCE(node->next);

	if (likely(!next)) {
		if (likely(spin_clear_pointer(&l->tail, node)))
			return;
		/* Who swapped the tail is about to say who it is. */
		while (!(next = READ_ONCE(node->next)))
			;
	}
	spin_store_release(&next->wait, 0);
}

#endif /* SPINDELAY_BENCH_LOCKS_MCS_H */
