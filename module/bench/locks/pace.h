/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pseudo-lock: every acquisition executes the delay exactly once and waits
 * for nobody, so that the rate is a known function of the delay's cost.
 */
#ifndef SPINDELAY_BENCH_LOCKS_PACE_H
#define SPINDELAY_BENCH_LOCKS_PACE_H

#include "../poll.h"

struct spin_pace {
	u32 word;
};

static inline void spin_pace_init(void *lock, bool held __maybe_unused)
{
	struct spin_pace *l = lock;

	WRITE_ONCE(l->word, 0);
}

static __always_inline bool spin_pace_acquire(struct spin_context *c, u32 delay,
					      u32 form)
{
	struct spin_pace *l = c->lock;

	spin_poll_delay(c, delay, form, &l->word, 0);
	return true;
}

static __always_inline void
spin_pace_release(struct spin_context *c __maybe_unused)
{
}

#endif /* SPINDELAY_BENCH_LOCKS_PACE_H */
