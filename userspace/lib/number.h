/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_NUMBER_H
#define SPINDELAY_NUMBER_H

#include <linux/types.h>

#include "lib/fault.h"

/**
 * parse_u64() - a whole decimal number, nothing around it
 * @what: how the fault names it, "--threads"
 *
 * Return: 0, or -1 with a usage fault that holds the value and the range.
 */
int parse_u64(const char *text, const char *what, u64 min, u64 max, u64 *out,
	      struct fault *fault);

/* The same for 32 bits. */
int parse_u32(const char *text, const char *what, u32 min, u32 max, u32 *out,
	      struct fault *fault);

/* The same for a finite number with a fraction. */
int parse_real(const char *text, const char *what, double min, double max,
	       double *out, struct fault *fault);

#endif /* SPINDELAY_NUMBER_H */
