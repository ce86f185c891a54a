/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test and test-and-set with exponential back-off: after a look that found the
 * lock taken, and after a lost race for it, delay for a number of turns that
 * doubles up to a bound. A turn is what a poll is in the other locks, and is
 * counted as one.
 */
#ifndef SPINDELAY_BENCH_LOCKS_TTAS_BACKOFF_H
#define SPINDELAY_BENCH_LOCKS_TTAS_BACKOFF_H

#include "../poll.h"

struct spin_ttas_backoff {
	u32 word;
};

static inline void spin_ttas_backoff_init(void *lock, bool held)
{
	struct spin_ttas_backoff *l = lock;

	WRITE_ONCE(l->word, held);
}

/* Return: false if the window ended first. */
static __always_inline bool spin_back_off(struct spin_context *c, u32 delay,
					  u32 form, const u32 *word, u32 turns)
{
	if (unlikely(!spin_turn(c, delay, form, word, 1)))
		return false;
	spin_align_loop();
	while (--turns)
		if (unlikely(!spin_turn(c, delay, form, word, 1)))
			return false;
	return true;
}

static __always_inline bool
spin_ttas_backoff_wait(struct spin_context *c, u32 delay, u32 form, u32 *word)
{
	u32 turns = c->backoff_min;

	for (;;) {
		if (!spin_back_off(c, delay, form, word, turns))
			return false;
		turns = turns <= c->backoff_max / 2 ? turns * 2 :
						      c->backoff_max;
		if (!READ_ONCE(*word) && !spin_swap_acquire(word, 1))
			return true;
	}
}

static __always_inline bool spin_ttas_backoff_acquire(struct spin_context *c,
						      u32 delay, u32 form)
{
	struct spin_ttas_backoff *l = c->lock;
	u64 since;
	bool mine;

	if (likely(!READ_ONCE(l->word)) &&
	    likely(!spin_swap_acquire(&l->word, 1)))
		return true;
	since = spin_wait_begin(c);
	mine = spin_ttas_backoff_wait(c, delay, form, &l->word);
	spin_wait_end(c, since);
	return mine;
}

static __always_inline void spin_ttas_backoff_release(struct spin_context *c)
{
	struct spin_ttas_backoff *l = c->lock;

	spin_store_release(&l->word, 0);
}

#endif /* SPINDELAY_BENCH_LOCKS_TTAS_BACKOFF_H */
