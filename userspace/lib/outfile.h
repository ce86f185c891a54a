/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are there whole or not at all. */
#ifndef SPINDELAY_OUTFILE_H
#define SPINDELAY_OUTFILE_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/fault.h"

/**
 * struct outfile - a file that is being written
 * @stream: write here
 * @path: what it will be called
 * @draft: what it is called until then; "" where it is written in place: a
 *	device, a pipe, "-" for standard output
 * @signals: of the time before, when none were held back
 */
struct outfile {
	FILE *stream;
	char path[PATH_MAX];
	char draft[PATH_MAX];
	sigset_t signals;
};

/**
 * outfile_check() - could this file be written?
 *
 * Found out before a measurement is spent on it, leaving nothing behind.
 *
 * Return: 0, or -1 and a fault.
 */
int outfile_check(const char *path, struct fault *fault);

/* Begin. Signals that end the tool are held back until it is closed. */
int outfile_open(struct outfile *file, const char *path, struct fault *fault);

/* Finish: under its name if all of it could be written, else not at all. */
int outfile_close(struct outfile *file, struct fault *fault);

#endif /* SPINDELAY_OUTFILE_H */
