/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test starts with. */
#ifndef SPINDELAY_UNIT_H
#define SPINDELAY_UNIT_H

#include <linux/array_size.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fault.h"

/* The fault's text holds all of these words; the last one is NULL. */
#define assert_fault(fault, expected, ...)               \
	check_fault(fault, expected, __FILE__, __LINE__, \
		    (const char *const[]){ __VA_ARGS__, NULL })

static inline void check_fault(const struct fault *fault, enum status expected,
			       const char *file, int line,
			       const char *const *words)
{
	_assert_int_equal(fault->status, expected, file, line);
	for (; *words; words++) {
		if (strstr(fault->text, *words))
			continue;
		print_error("'%s' does not say '%s'\n", fault->text, *words);
		_fail(file, line);
	}
}

#endif /* SPINDELAY_UNIT_H */
