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
 */
struct progress {
	bool shown;
	u64 total;
	u64 done;
	u64 since;
};

/* A clock that only goes forward, ns. */
u64 now_ns(void);

void progress_begin(struct progress *progress, u64 total, bool quiet);

/* @windows more are done. */
void progress_add(struct progress *progress, u64 windows);

/* Wipe the line. */
void progress_end(struct progress *progress);

#endif /* SPINDELAY_PROGRESS_H */
