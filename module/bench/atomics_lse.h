/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The atomics of the locks, with the instructions of FEAT_LSE (Armv8.1). The
 * kernel's own helpers are not used: they carry both forms, padded and patched,
 * and what is measured here should be one loop without a trace of the other.
 */
#ifndef SPINDELAY_BENCH_ATOMICS_H
#define SPINDELAY_BENCH_ATOMICS_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * spin_swap_acquire - store a word, return what it held, with acquire order
 * @word: the word
 * @value: its new value
 */
static __always_inline u32 spin_swap_acquire(u32 *word, u32 value)
{
	u32 old;

	asm volatile(".arch_extension lse\n\tswpa %w2, %w0, %1"
		     : "=r"(old), "+Q"(*word)
		     : "r"(value)
		     : "memory");
	return old;
}

/**
 * spin_fetch_add - add to a word, return what it held, with full order
 * @word: the word
 * @value: what to add
 */
static __always_inline u32 spin_fetch_add(u32 *word, u32 value)
{
	u32 old;

	asm volatile(".arch_extension lse\n\tldaddal %w2, %w0, %1"
		     : "=r"(old), "+Q"(*word)
		     : "r"(value)
		     : "memory");
	return old;
}

/**
 * spin_compare_swap - store a word if it holds what is expected, full order
 * @word: the word
 * @expected: what it must hold
 * @value: its new value
 *
 * Return: what it held; the store was made if that is @expected
 */
static __always_inline u32 spin_compare_swap(u32 *word, u32 expected, u32 value)
{
	asm volatile(".arch_extension lse\n\tcasal %w0, %w2, %1"
		     : "+r"(expected), "+Q"(*word)
		     : "r"(value)
		     : "memory");
	return expected;
}

/**
 * spin_swap_pointer - store a pointer, return what was there, with full order
 * @at: where
 * @value: its new value
 */
static __always_inline void *spin_swap_pointer(void **at, void *value)
{
	void *old;

	asm volatile(".arch_extension lse\n\tswpal %2, %0, %1"
		     : "=r"(old), "+Q"(*at)
		     : "r"(value)
		     : "memory");
	return old;
}

/**
 * spin_clear_pointer - store NULL where a pointer is, with full order
 * @at: where
 * @expected: what must be there
 *
 * Return: false, and nothing is stored, if something else is there
 */
static __always_inline bool spin_clear_pointer(void **at, void *expected)
{
	void *seen = expected;

	asm volatile(".arch_extension lse\n\tcasal %0, xzr, %1"
		     : "+r"(seen), "+Q"(*at)
		     :
		     : "memory");
	return seen == expected;
}

/**
 * spin_load_acquire - load a word with acquire order
 * @word: the word
 */
static __always_inline u32 spin_load_acquire(const u32 *word)
{
	u32 value;

	asm volatile("ldar %w0, %1" : "=r"(value) : "Q"(*word) : "memory");
	return value;
}

/**
 * spin_store_release - store a word with release order
 * @word: the word
 * @value: its new value
 */
static __always_inline void spin_store_release(u32 *word, u32 value)
{
	asm volatile("stlr %w1, %0" : "=Q"(*word) : "rZ"(value) : "memory");
}

/**
 * spin_store_pointer_release - store a pointer with release order
 * @at: where
 * @value: its new value
 */
static __always_inline void spin_store_pointer_release(void **at, void *value)
{
	asm volatile("stlr %1, %0" : "=Q"(*at) : "rZ"(value) : "memory");
}

/**
 * spin_fence - what stands before is seen before what stands behind, of all kinds
 */
static __always_inline void spin_fence(void)
{
	asm volatile("dmb ish" ::: "memory");
}

#endif /* SPINDELAY_BENCH_ATOMICS_H */
