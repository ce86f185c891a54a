// SPDX-License-Identifier: GPL-2.0
/* Cycles and instructions of a CPU, through the kernel's perf events. */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include "compat.h"
#include "pmu.h"

static struct perf_event *open_event(unsigned int cpu, u64 config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.pinned = 1,
		.exclude_user = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	return IS_ERR(event) ? NULL : event;
}

/**
 * counters_open - take counters of a CPU; what cannot be had is not counted
 * @counters: where they go
 * @cpu: the CPU, online
 */
void counters_open(struct cpu_counters *counters, unsigned int cpu)
{
	counters->cycles = open_event(cpu, PERF_COUNT_HW_CPU_CYCLES);
	counters->instructions = open_event(cpu, PERF_COUNT_HW_INSTRUCTIONS);
}

/**
 * counters_close - give them back
 * @counters: as counters_open() left it, or zeroed
 */
void counters_close(struct cpu_counters *counters)
{
	if (counters->cycles)
		perf_event_release_kernel(counters->cycles);
	if (counters->instructions)
		perf_event_release_kernel(counters->instructions);
}

/* Somebody else's pinned events may have left none for ours. */
static u64 read_event(struct perf_event *event)
{
	if (!event || READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE ||
	    READ_ONCE(event->oncpu) != smp_processor_id())
		return 0;
	event->pmu->read(event);
	return local64_read(&event->count);
}

/**
 * counters_read - read the counters of this CPU
 * @counters: the counters
 *
 * Context: on their CPU, with preemption off.
 *
 * Return: counts since they were opened; differences are what counts
 */
struct counter_values counters_read(const struct cpu_counters *counters)
{
	struct counter_values counts;
	unsigned long flags;

	local_irq_save(flags);
	counts.cycles = read_event(counters->cycles);
	counts.instructions = read_event(counters->instructions);
	local_irq_restore(flags);
	return counts;
}
