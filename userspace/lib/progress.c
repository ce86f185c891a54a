// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "lib/progress.h"

u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void show(const struct progress *progress)
{
	double spent = (now_ns() - progress->since) / 1e9;
	double left = 0;

	if (!progress->shown)
		return;
	if (progress->done)
		left = spent / progress->done *
		       (progress->total - progress->done);
	fprintf(stderr, "\r\033[K%llu of %llu windows, %.0f s left",
		(unsigned long long)progress->done,
		(unsigned long long)progress->total, left);
	fflush(stderr);
}

void progress_begin(struct progress *progress, u64 total, bool quiet)
{
	progress->shown = !quiet && isatty(STDERR_FILENO);
	progress->total = total;
	progress->done = 0;
	progress->since = now_ns();
}

void progress_add(struct progress *progress, u64 windows)
{
	progress->done += windows;
	if (progress->done > progress->total)
		progress->total = progress->done;
	show(progress);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
