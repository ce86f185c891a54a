// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a plan costs outside its windows: the time of the whole call less the
 * time of its windows, for 100 windows of 2 ms. Prints microseconds, for the
 * plan and for each of its windows: the median of PLANS (9) plans.
 *
 *	plancost CPUS [PLANS]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "uapi/spindelay.h"
#include "bench/delays.h"
#include "bench/locks.h"

#define WINDOWS 100
#define PLANS 9
#define PLANS_MAX 99

static struct spindelay_window windows[WINDOWS];
static struct spindelay_record records[WINDOWS * SPINDELAY_CPUS_MAX];
static uint32_t schedule[WINDOWS], cpus[SPINDELAY_CPUS_MAX];

static double outside_us(int device, unsigned int nr_cpus)
{
	struct spindelay_variant variant = {
		.lock = SPIN_LOCK_ttas,
		.delay = SPIN_DELAY_isb,
		.count = 1,
		.hold_ns = 200,
	};
	struct spindelay_plan plan = {
		.size = sizeof(plan),
		.abi = SPINDELAY_ABI,
		.nr_cpus = nr_cpus,
		.nr_variants = 1,
		.nr_windows = WINDOWS,
		.window_ns = 2000000,
		.sample_shift = 6,
		.node = -1,
		.cpus = (uintptr_t)cpus,
		.variants = (uintptr_t)&variant,
		.schedule = (uintptr_t)schedule,
		.windows = (uintptr_t)windows,
		.records = (uintptr_t)records,
	};
	uint64_t inside = 0;
	int i;

	if (ioctl(device, SPINDELAY_IOC_RUN, &plan)) {
		fprintf(stderr, "plancost: %s\n", strerror(errno));
		exit(1);
	}
	for (i = 0; i < WINDOWS; i++)
		inside += windows[i].ticks;
	return (plan.plan_ticks - inside) * 1e6 / plan.counter_hz;
}

static int ascending(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return (d > 0) - (d < 0);
}

int main(int argc, char **argv)
{
	int device = open("/dev/spindelay", O_RDWR);
	unsigned int i, nr_cpus = argc > 1 ? atoi(argv[1]) : 0;
	unsigned int plans = argc > 2 ? atoi(argv[2]) : PLANS;
	double us[PLANS_MAX];

	if (device < 0 || !nr_cpus || nr_cpus > SPINDELAY_CPUS_MAX || !plans ||
	    plans > PLANS_MAX) {
		fprintf(stderr,
			"usage: plancost CPUS [PLANS], as root, with the module loaded\n");
		return 2;
	}
	for (i = 0; i < nr_cpus; i++)
		cpus[i] = i;
	for (i = 0; i < plans; i++)
		us[i] = outside_us(device, nr_cpus);
	qsort(us, plans, sizeof(*us), ascending);
	printf("%.0f %.0f\n", us[plans / 2], us[plans / 2] / WINDOWS);
	return 0;
}
