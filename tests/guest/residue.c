// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether what a plan gets back holds anything but what was written for it. One
 * plan contends and leaves its counts in memory that the kernel gives back; the
 * next one, of the same size, has windows in which nothing is run. Ends with 0
 * if those are as empty as they must be.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "plans.h"

#define TIMES 50
#define INVALID_BITS (2 * SPINDELAY_INVALID_BURST - 1)

static bool is_zero(const void *bytes, size_t nr)
{
	const char *byte = bytes;

	while (nr && !*byte++)
		nr--;
	return !nr;
}

static bool window_is_empty(const struct spindelay_window *w)
{
	return w->invalid && !(w->invalid & ~INVALID_BITS) &&
	       !w->acquisitions && !w->counted &&
	       is_zero(w->reserved, sizeof(w->reserved));
}

static bool record_is_empty(struct spindelay_record r)
{
	r.start = 0;
	r.ticks = 0;
	return is_zero(&r, sizeof(r));
}

/* Whether the plan is what was sent, but for what is an output of it. */
static bool plan_is_same(struct fixture *f)
{
	struct spindelay_plan plan = f->plan;

	good_plan(f);
	plan.chain_fs = f->plan.chain_fs;
	plan.counter_hz = f->plan.counter_hz;
	plan.plan_ticks = f->plan.plan_ticks;
	return !memcmp(&plan, &f->plan, sizeof(plan));
}

static bool is_empty(struct fixture *f)
{
	int i, cpu;

	for (i = 0; i < WINDOWS; i++) {
		if (!window_is_empty(&f->windows[i]))
			return false;
		for (cpu = 0; cpu < CPUS; cpu++)
			if (!record_is_empty(f->records[i][cpu]))
				return false;
	}
	return is_zero(f->hists, sizeof(f->hists));
}

static int run_contended(int device, struct fixture *f)
{
	good_plan(f);
	return ioctl(device, SPINDELAY_IOC_RUN, &f->plan);
}

/* Bursts that are too long to be run. */
static int run_nothing(int device, struct fixture *f)
{
	int i;

	good_plan(f);
	for (i = 0; i < 2; i++) {
		f->variants[i].flags = SPINDELAY_BURST;
		f->variants[i].burst = SPINDELAY_BURST_MAX;
		f->variants[i].count = SPINDELAY_COUNT_MAX;
	}
	memset(f->windows, 0xff, sizeof(f->windows));
	memset(f->records, 0xff, sizeof(f->records));
	memset(f->hists, 0xff, sizeof(f->hists));
	return ioctl(device, SPINDELAY_IOC_RUN, &f->plan);
}

int main(void)
{
	int device = open("/dev/spindelay", O_RDWR);
	struct fixture f;
	int i;

	for (i = 0; i < TIMES; i++) {
		if (run_contended(device, &f) || run_nothing(device, &f)) {
			perror("residue");
			return 2;
		}
		if (!is_empty(&f) || !plan_is_same(&f)) {
			printf("# something is left, at plan %d\n", i);
			return 1;
		}
	}
	return 0;
}
