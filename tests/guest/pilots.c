// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plan with as much to find out before its one window as a plan can have: as
 * many variants as there may be, each a burst that is nearly too long to be run.
 * Ends with 0 if it ran. The bursts are as long as that where an instruction
 * takes 1 ns.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "uapi/spindelay.h"
#include "bench/delays.h"
#include "bench/locks.h"

/* Sixteen of it take just less than 2 ms. */
#define PAD 40000

int main(void)
{
	static struct spindelay_variant variants[SPINDELAY_VARIANTS_MAX];
	static struct spindelay_window window;
	static struct spindelay_record record;
	uint32_t cpu = 0, schedule = 0;
	struct spindelay_plan plan = {
		.size = sizeof(plan),
		.abi = SPINDELAY_ABI,
		.nr_cpus = 1,
		.nr_variants = SPINDELAY_VARIANTS_MAX,
		.nr_windows = 1,
		.window_ns = SPINDELAY_WINDOW_NS_MAX,
		.sample_shift = 8,
		.node = -1,
		.cpus = (uintptr_t)&cpu,
		.variants = (uintptr_t)variants,
		.schedule = (uintptr_t)&schedule,
		.windows = (uintptr_t)&window,
		.records = (uintptr_t)&record,
	};
	int device = open("/dev/spindelay", O_RDWR), i;

	for (i = 0; i < SPINDELAY_VARIANTS_MAX; i++)
		variants[i] = (struct spindelay_variant){
			.lock = SPIN_LOCK_ttas,
			.delay = SPIN_DELAY_nop,
			.count = 1,
			.pad = PAD,
			.flags = SPINDELAY_BURST,
			.burst = 1,
		};
	if (device < 0 || ioctl(device, SPINDELAY_IOC_RUN, &plan)) {
		perror("pilots");
		return 2;
	}
	printf("# plan of %llu us, window invalid %#x\n",
	       (unsigned long long)(plan.plan_ticks * 1000000 /
				    plan.counter_hz),
	       window.invalid);
	return 0;
}
