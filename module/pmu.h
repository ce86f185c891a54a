/* SPDX-License-Identifier: GPL-2.0 */
/* Cycles and instructions of a CPU, where it has counters for them. */
#ifndef SPINDELAY_PMU_H
#define SPINDELAY_PMU_H

#include <linux/types.h>

struct perf_event;

/**
 * struct cpu_counters - the counters of one CPU
 * @cycles: NULL if there is none
 * @instructions: NULL if there is none
 */
struct cpu_counters {
	struct perf_event *cycles;
	struct perf_event *instructions;
};

/**
 * struct counter_values - what they say
 * @cycles: 0 if not counted
 * @instructions: 0 if not counted
 */
struct counter_values {
	u64 cycles;
	u64 instructions;
};

void counters_open(struct cpu_counters *counters, unsigned int cpu);
void counters_close(struct cpu_counters *counters);
struct counter_values counters_read(const struct cpu_counters *counters);

#endif /* SPINDELAY_PMU_H */
