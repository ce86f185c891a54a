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

static void show_until(const struct progress *progress)
{
	u64 now = now_ns();

	fprintf(stderr, "\r\033[K%llu windows, at most %.0f s left",
		(unsigned long long)progress->done,
		now < progress->until ? (progress->until - now) / 1e9 : 0);
	fflush(stderr);
}

static void show(const struct progress *progress)
{
	double spent = (now_ns() - progress->since) / 1e9;
	double left = 0;

	if (!progress->shown)
		return;
	if (progress->until)
		return show_until(progress);
	if (progress->done)
		left = spent / progress->done *
		       (progress->total - progress->done);
	fprintf(stderr, "\r\033[K%llu of %llu %s, %.0f s left",
		(unsigned long long)progress->done,
		(unsigned long long)progress->total,
		progress->unit ? progress->unit : "windows", left);
	fflush(stderr);
}

void progress_begin(struct progress *progress, u64 total, u64 until, bool quiet)
{
	progress->shown = !quiet && isatty(STDERR_FILENO);
	progress->total = total;
	progress->done = 0;
	progress->since = now_ns();
	progress->unit = NULL;
	progress->until = total ? 0 : until;
}

void progress_say(struct progress *progress, const char *what)
{
	if (!progress->shown)
		return;
	fprintf(stderr, "\r\033[K%s", what);
	fflush(stderr);
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
