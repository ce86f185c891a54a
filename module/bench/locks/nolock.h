/* SPDX-License-Identifier: GPL-2.0 */
/* No lock at all: what is left is the loop itself. */
#ifndef SPINDELAY_BENCH_LOCKS_NOLOCK_H
#define SPINDELAY_BENCH_LOCKS_NOLOCK_H

#include "../poll.h"

static inline void spin_nolock_init(void *lock __maybe_unused,
				    bool held __maybe_unused)
{
}

static __always_inline bool
spin_nolock_acquire(struct spin_context *c __maybe_unused,
		    u32 delay __maybe_unused, u32 form __maybe_unused)
{
	return true;
}

static __always_inline void
spin_nolock_release(struct spin_context *c __maybe_unused)
{
}

#endif /* SPINDELAY_BENCH_LOCKS_NOLOCK_H */
