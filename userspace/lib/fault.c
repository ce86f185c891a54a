// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>

#include "lib/fault.h"

int fault_set(struct fault *fault, enum status status, const char *format, ...)
{
	va_list args;

	fault->status = status;
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	return -1;
}

int fault_report(const struct fault *fault)
{
	fprintf(stderr, "spindelay: %s\n", fault->text);
	return fault->status;
}
