/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The atomics of the locks through the compiler, for user threads on any
 * machine: what a thread sanitizer can see. The same names as in
 * atomics_lse.h, which describes them.
 */
#ifndef SPINDELAY_BENCH_ATOMICS_H
#define SPINDELAY_BENCH_ATOMICS_H

#include <linux/compiler.h>
#include <linux/types.h>

static __always_inline u32 spin_swap_acquire(u32 *word, u32 value)
{
	return __atomic_exchange_n(word, value, __ATOMIC_ACQUIRE);
}

static __always_inline u32 spin_fetch_add(u32 *word, u32 value)
{
	return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
}

static __always_inline u32 spin_compare_swap(u32 *word, u32 expected, u32 value)
{
	__atomic_compare_exchange_n(word, &expected, value, false,
				    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return expected;
}

static __always_inline void *spin_swap_pointer(void **at, void *value)
{
	return __atomic_exchange_n(at, value, __ATOMIC_ACQ_REL);
}

static __always_inline bool spin_clear_pointer(void **at, void *expected)
{
	return __atomic_compare_exchange_n(at, &expected, NULL, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static __always_inline u32 spin_load_acquire(const u32 *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static __always_inline void spin_store_release(u32 *word, u32 value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static __always_inline void spin_store_pointer_release(void **at, void *value)
{
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
}

/* Not __atomic_thread_fence(): the thread sanitizer does not take it. */
static __always_inline void spin_fence(void)
{
	__sync_synchronize();
}

#endif /* SPINDELAY_BENCH_ATOMICS_H */
