/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own spinlock, for comparison. It waits as it always does; the
 * delay has no part in it and polls are not counted.
 */
#ifndef SPINDELAY_BENCH_LOCKS_RAW_SPINLOCK_H
#define SPINDELAY_BENCH_LOCKS_RAW_SPINLOCK_H

#include <linux/spinlock.h>

#include "../poll.h"

static inline void spin_raw_spinlock_init(void *lock, bool held __maybe_unused)
{
	raw_spin_lock_init((raw_spinlock_t *)lock);
}

static __always_inline bool spin_raw_spinlock_acquire(struct spin_context *c,
						      u32 delay __maybe_unused,
						      u32 form __maybe_unused)
{
	raw_spin_lock((raw_spinlock_t *)c->lock);
	__release((raw_spinlock_t *)c->lock);
	return true;
}

static __always_inline void spin_raw_spinlock_release(struct spin_context *c)
{
	__acquire((raw_spinlock_t *)c->lock);
	raw_spin_unlock((raw_spinlock_t *)c->lock);
}

#endif /* SPINDELAY_BENCH_LOCKS_RAW_SPINLOCK_H */
