/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_FAULT_H
#define SPINDELAY_FAULT_H

#include <linux/compiler.h>

#include "lib/status.h"

#define FAULT_TEXT_MAX 512

/**
 * struct fault - why something was not done
 * @status: what the tool exits with
 * @text: one sentence that names the offending value, without a newline
 */
struct fault {
	enum status status;
	char text[FAULT_TEXT_MAX];
};

/**
 * fault_set() - fill in a fault
 *
 * Return: -1 always, so that a caller can return it in turn.
 */
int fault_set(struct fault *fault, enum status status, const char *format, ...)
	__printf(3, 4);

/* Say it on standard error; returns the exit status. */
int fault_report(const struct fault *fault);

#endif /* SPINDELAY_FAULT_H */
