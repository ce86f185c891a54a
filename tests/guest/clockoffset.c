// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print by how many ns CLOCK_MONOTONIC_RAW is ahead of the counter, with which
 * windows are timed: both run at the counter's rate, so it stays the same. Of
 * some readings the one counts that nothing came between.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define READINGS 1000
#define NS_PER_S 1000000000ULL

static uint64_t counter(void)
{
	uint64_t ticks;

	asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

static uint64_t counter_hz(void)
{
	uint64_t hz;

	asm("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz;
}

int main(void)
{
	uint64_t before, after, shortest = UINT64_MAX;
	struct timespec now;
	double offset = 0;

	for (int i = 0; i < READINGS; i++) {
		before = counter();
		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		after = counter();
		if (after - before >= shortest)
			continue;
		shortest = after - before;
		offset = (double)now.tv_sec * NS_PER_S + now.tv_nsec -
			 (before + shortest / 2.0) * NS_PER_S / counter_hz();
	}
	printf("%.0f\n", offset);
	return 0;
}
