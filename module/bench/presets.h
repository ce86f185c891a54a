/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the lock `backoff` waits, in numbers, and whose numbers there are. Each
 * line of the table is an algorithm as its source describes it; lists of names,
 * in help and in messages, are made from it.
 */
#ifndef SPINDELAY_BENCH_PRESETS_H
#define SPINDELAY_BENCH_PRESETS_H

#include <linux/types.h>

/* For a nap that only a wake-up ends. */
#define SPIN_UNTIL_WOKEN ((u32)-1)

/**
 * struct spin_preset - how the lock `backoff` waits
 * @first: turns before the first look
 * @growth: percent by which they grow from one look to the next, ...
 * @step: ... and how many there are more, besides
 * @most: no more turns than this
 * @wrap: not 0: what is beyond @most, one less than a power of two, is cut off,
 *	so that turns begin again; 0: they stay there
 * @afresh: not 0: whoever loses a race for the lock begins at @first again
 * @idle: turns are relaxations from this one on, at least 1, ...
 * @weight: ... each of which stands for so many, at least 1; what is left over
 *	of a look's turns, less than @idle, is counted down and does nothing
 * @yield_from: with so many turns the CPU is offered to others before them; 0:
 *	never
 * @yield_less: and then there are so many fewer, at most @yield_from
 * @looks: so many looks come after turns, each later one after a nap; 0: there
 *	are no naps
 * @nap_us: how long one is, microseconds; 0: the CPU is offered to others;
 *	SPIN_UNTIL_WOKEN: until whoever leaves the lock wakes the sleeper
 */
struct spin_preset {
	u32 first;
	u32 growth;
	u32 step;
	u32 most;
	u32 wrap;
	u32 afresh;
	u32 idle;
	u32 weight;
	u32 yield_from;
	u32 yield_less;
	u32 looks;
	u32 nap_us;
};

/* clang-format off */
/*
 * X(spelling, source, numbers...), the first being what is used where none is
 * named.
 *
 * plock: pl_wait_unlock_long(), as it waits for a writer. jemalloc: its mutex,
 * malloc_mutex_lock_slow(), with the default of mutex_max_spin and one more,
 * since it counts after the try. jemalloc-spin: spin_adaptive(), with which it
 * waits for what is no mutex. folly: MicroSpinLock with its Sleeper.
 * folly-backoff: the same on arm64 since pull request 2391, where the pauses of
 * a wait come to 1, 2, 4 and so on up to 4096 at the looks; so many fewer than
 * those of the look before are half of them, which a weight of 2 says.
 */
#define SPIN_PRESETS(X)                                                           \
	X("plock", "HAProxy 2.7, include/import/plock.h",                         \
	  .growth = 50, .step = 2, .most = 0x3ffff, .wrap = 1, .afresh = 1,       \
	  .idle = 200, .weight = 10, .yield_from = 65536, .yield_less = 32768)    \
	X("jemalloc", "jemalloc 5.3, src/mutex.c",                                \
	  .first = 1, .most = 1, .idle = 1, .weight = 1, .looks = 601,            \
	  .nap_us = SPIN_UNTIL_WOKEN)                                             \
	X("jemalloc-spin", "jemalloc 5.3, include/jemalloc/internal/spin.h",      \
	  .first = 1, .growth = 100, .most = 16, .idle = 1, .weight = 1,          \
	  .looks = 5)                                                             \
	X("folly", "folly to 2025-02, folly/synchronization/detail/Sleeper.h",    \
	  .first = 1, .most = 1, .idle = 1, .weight = 1, .looks = 4000,           \
	  .nap_us = 500)                                                          \
	X("folly-backoff", "folly from 2025-03 on arm64, the same",               \
	  .first = 1, .growth = 100, .most = 4096, .idle = 1, .weight = 2,        \
	  .looks = 13, .nap_us = 500)
/* clang-format on */

/**
 * spin_preset_next - turns before the next look
 * @p: how it waits
 * @turns: those before the last one, at most @p->most
 *
 * Does not overflow within the bounds of the ABI.
 */
static inline u32 spin_preset_next(const struct spin_preset *p, u32 turns)
{
	turns += turns * p->growth / 100 + p->step;
	if (p->wrap)
		return turns & p->most;
	return turns < p->most ? turns : p->most;
}

#endif /* SPINDELAY_BENCH_PRESETS_H */
