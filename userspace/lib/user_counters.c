// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/user_counters.h"

/* Of the calling thread, in user space alone, which needs no privilege. */
static int open_event(u64 config, int group)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.pinned = group < 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, group,
		       PERF_FLAG_FD_CLOEXEC);
}

void user_counters_open(struct user_counters *counters, bool wanted)
{
	counters->cycles = -1;
	counters->instructions = -1;
	if (wanted)
		counters->cycles = open_event(PERF_COUNT_HW_CPU_CYCLES, -1);
	if (counters->cycles >= 0)
		counters->instructions = open_event(PERF_COUNT_HW_INSTRUCTIONS,
						    counters->cycles);
}

struct user_counts user_counters_read(const struct user_counters *counters)
{
	struct {
		u64 nr;
		struct user_counts counts;
	} group = { 0 };

	/* Somebody else's counters may have left none: then there is no data. */
	if (counters->cycles < 0 ||
	    read(counters->cycles, &group, sizeof(group)) <= 0)
		return (struct user_counts){ 0 };
	return group.counts;
}

void user_counters_close(struct user_counters *counters)
{
	if (counters->instructions >= 0)
		close(counters->instructions);
	if (counters->cycles >= 0)
		close(counters->cycles);
}
