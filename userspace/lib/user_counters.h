/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cycles and instructions of a thread in user space, from perf events. */
#ifndef SPINDELAY_USER_COUNTERS_H
#define SPINDELAY_USER_COUNTERS_H

#include <linux/types.h>

/**
 * struct user_counts - what a thread has counted
 * @cycles: CPU cycles, 0: not counted
 * @instructions: instructions, 0: not counted
 */
struct user_counts {
	u64 cycles;
	u64 instructions;
};

/**
 * struct user_counters - the counters of one thread
 * @cycles: descriptor that both are read from, -1: nothing is counted
 * @instructions: descriptor, -1: not counted
 */
struct user_counters {
	int cycles;
	int instructions;
};

/* Take counters for the calling thread; what cannot be had is not counted. */
void user_counters_open(struct user_counters *counters, bool wanted);

/* Counts since they were opened; differences are what counts. */
struct user_counts user_counters_read(const struct user_counters *counters);

void user_counters_close(struct user_counters *counters);

#endif /* SPINDELAY_USER_COUNTERS_H */
