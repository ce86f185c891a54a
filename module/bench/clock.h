/* SPDX-License-Identifier: GPL-2.0 */
/* The clock of the bench: the counter that every CPU of the system shares. */
#ifndef SPINDELAY_BENCH_CLOCK_H
#define SPINDELAY_BENCH_CLOCK_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * spin_clock - the time now
 *
 * On arm64 the virtual counter behind an ISB, so that what stands before the
 * call is not timed as part of what follows. Never in a poll loop.
 *
 * Return: ticks; CNTFRQ_EL0 (arm64) or the TSC's rate (x86-64) to the second
 */
static __always_inline u64 spin_clock(void)
{
#ifdef __aarch64__
	u64 ticks;

	asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
#else
	u32 low, high;

	asm volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return ((u64)high << 32) | low;
#endif
}

#endif /* SPINDELAY_BENCH_CLOCK_H */
