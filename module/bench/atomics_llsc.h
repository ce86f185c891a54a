/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The atomics of the locks for CPUs without FEAT_LSE: load and store
 * exclusive. The same names as in atomics_lse.h, which describes them.
 */
#ifndef SPINDELAY_BENCH_ATOMICS_H
#define SPINDELAY_BENCH_ATOMICS_H

#include <linux/compiler.h>
#include <linux/types.h>

static __always_inline u32 spin_swap_acquire(u32 *word, u32 value)
{
	u32 old, failed;

	asm volatile("1:	ldaxr	%w0, %2\n"
		     "	stxr	%w1, %w3, %2\n"
		     "	cbnz	%w1, 1b"
		     : "=&r"(old), "=&r"(failed), "+Q"(*word)
		     : "r"(value)
		     : "memory");
	return old;
}

static __always_inline u32 spin_fetch_add(u32 *word, u32 value)
{
	u32 old, sum, failed;

	asm volatile("1:	ldaxr	%w0, %3\n"
		     "	add	%w1, %w0, %w4\n"
		     "	stlxr	%w2, %w1, %3\n"
		     "	cbnz	%w2, 1b"
		     : "=&r"(old), "=&r"(sum), "=&r"(failed), "+Q"(*word)
		     : "r"(value)
		     : "memory");
	return old;
}

static __always_inline u32 spin_compare_swap(u32 *word, u32 expected, u32 value)
{
	u32 old, failed;

	asm volatile("1:	ldaxr	%w0, %2\n"
		     "	cmp	%w0, %w3\n"
		     "	b.ne	2f\n"
		     "	stlxr	%w1, %w4, %2\n"
		     "	cbnz	%w1, 1b\n"
		     "2:"
		     : "=&r"(old), "=&r"(failed), "+Q"(*word)
		     : "r"(expected), "r"(value)
		     : "memory", "cc");
	return old;
}

static __always_inline void *spin_swap_pointer(void **at, void *value)
{
	void *old;
	u32 failed;

	asm volatile("1:	ldaxr	%0, %2\n"
		     "	stlxr	%w1, %3, %2\n"
		     "	cbnz	%w1, 1b"
		     : "=&r"(old), "=&r"(failed), "+Q"(*at)
		     : "r"(value)
		     : "memory");
	return old;
}

static __always_inline bool spin_clear_pointer(void **at, void *expected)
{
	void *seen;
	u32 failed;

	asm volatile("1:	ldaxr	%0, %2\n"
		     "	cmp	%0, %3\n"
		     "	b.ne	2f\n"
		     "	stlxr	%w1, xzr, %2\n"
		     "	cbnz	%w1, 1b\n"
		     "2:"
		     : "=&r"(seen), "=&r"(failed), "+Q"(*at)
		     : "r"(expected)
		     : "memory", "cc");
	return seen == expected;
}

static __always_inline u32 spin_load_acquire(const u32 *word)
{
	u32 value;

	asm volatile("ldar %w0, %1" : "=r"(value) : "Q"(*word) : "memory");
	return value;
}

static __always_inline void spin_store_release(u32 *word, u32 value)
{
	asm volatile("stlr %w1, %0" : "=Q"(*word) : "rZ"(value) : "memory");
}

static __always_inline void spin_store_pointer_release(void **at, void *value)
{
	asm volatile("stlr %1, %0" : "=Q"(*at) : "rZ"(value) : "memory");
}

static __always_inline void spin_fence(void)
{
	asm volatile("dmb ish" ::: "memory");
}

#endif /* SPINDELAY_BENCH_ATOMICS_H */
