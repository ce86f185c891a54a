/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_PROGRESS_H
#define SPINDELAY_PROGRESS_H

#include <linux/types.h>

/**
 * struct progress - the line with the time left
 * @shown: standard error is a terminal and nobody asked for quiet
 * @total: windows to run
 * @done: windows run
 * @since: when it began, ns
 * @unit: what is counted, where it is not windows
 * @until: when it ends at the latest, of now_ns(), where the windows that are
 *	needed are not known; 0: they are
 */
struct progress {
	bool shown;
	u64 total;
	u64 done;
	u64 since;
	const char *unit;
	u64 until;
};

/* A clock that only goes forward, ns. */
u64 now_ns(void);

/* @total: windows; 0: as many as it takes until @until. */
void progress_begin(struct progress *progress, u64 total, u64 until,
		    bool quiet);

/* What is done before windows are counted. */
void progress_say(struct progress *progress, const char *what);

/* @windows more are done. */
void progress_add(struct progress *progress, u64 windows);

/* Wipe the line. */
void progress_end(struct progress *progress);

#endif /* SPINDELAY_PROGRESS_H */
