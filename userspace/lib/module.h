/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module's files below /sys/class/misc/spindelay. */
#ifndef SPINDELAY_MODULE_H
#define SPINDELAY_MODULE_H

#include <linux/types.h>

#include "lib/fault.h"

/**
 * module_check() - is the module there, and the one that this tool is for?
 *
 * Return: 0, or -1 and a fault: not loaded is STATUS_UNSUPPORTED, another
 * version STATUS_ERROR.
 */
int module_check(struct fault *fault);

/**
 * module_missing() - the fault for a module that is not loaded
 * @root: where /sys is, "" for the real one: it says there whether the kernel
 *	loads only modules that are signed
 *
 * Return: -1
 */
int module_missing(const char *root, struct fault *fault);

/* First line of one of its files; -1 and a fault if it cannot be read. */
int module_read(const char *file, char *text, size_t size, struct fault *fault);

/* Write one of its files; 0 or a negative errno. */
int module_write(const char *file, const char *text);

/**
 * module_delay_missing() - the fault for a delay that this system cannot run
 *
 * Return: -1
 */
int module_delay_missing(const char *delay, struct fault *fault);

#endif /* SPINDELAY_MODULE_H */
