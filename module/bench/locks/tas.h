/* SPDX-License-Identifier: GPL-2.0 */
/* Test and set: try to swap the word, again after each delay. */
#ifndef SPINDELAY_BENCH_LOCKS_TAS_H
#define SPINDELAY_BENCH_LOCKS_TAS_H

#include "../poll.h"

struct spin_tas {
	u32 word;
};

static inline void spin_tas_init(void *lock, bool held)
{
	struct spin_tas *l = lock;

	WRITE_ONCE(l->word, held);
}

/* The swap is the look, so this lock has a poll loop of its own. */
static __always_inline bool spin_tas_poll(struct spin_context *c, u32 delay,
					  u32 form, u32 *word)
{
	/* The caller has just looked; the loop begins with the next look. */
	if (unlikely(!spin_turn(c, delay, form, word, 1)))
		return false;
	spin_align_loop();
	for (;;) {
		if (!spin_swap_acquire(word, 1))
			return true;
		if (unlikely(!spin_turn(c, delay, form, word, 1)))
			return false;
	}
}

static __always_inline bool spin_tas_acquire(struct spin_context *c, u32 delay,
					     u32 form)
{
	struct spin_tas *l = c->lock;
	u64 since;
	bool mine;

	if (likely(!spin_swap_acquire(&l->word, 1)))
		return true;
	since = spin_wait_begin(c);
	mine = spin_tas_poll(c, delay, form, &l->word);
	spin_wait_end(c, since);
	return mine;
}

static __always_inline void spin_tas_release(struct spin_context *c)
{
	struct spin_tas *l = c->lock;

	spin_store_release(&l->word, 0);
}

#endif /* SPINDELAY_BENCH_LOCKS_TAS_H */
