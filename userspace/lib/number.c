// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "lib/number.h"

int parse_u64(const char *text, const char *what, u64 min, u64 max, u64 *out,
	      struct fault *fault)
{
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return fault_set(
			fault, STATUS_USAGE,
			"%s: '%s' is not a whole number from %llu to %llu",
			what, text, (unsigned long long)min,
			(unsigned long long)max);
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end)
		return fault_set(
			fault, STATUS_USAGE,
			"%s: '%s' is not a whole number from %llu to %llu",
			what, text, (unsigned long long)min,
			(unsigned long long)max);
	if (errno || value < min || value > max)
		return fault_set(fault, STATUS_USAGE,
				 "%s: %s is out of range, %llu to %llu", what,
				 text, (unsigned long long)min,
				 (unsigned long long)max);
	*out = value;
	return 0;
}

int parse_u32(const char *text, const char *what, u32 min, u32 max, u32 *out,
	      struct fault *fault)
{
	u64 value;

	if (parse_u64(text, what, min, max, &value, fault))
		return -1;
	*out = value;
	return 0;
}

int parse_real(const char *text, const char *what, double min, double max,
	       double *out, struct fault *fault)
{
	double value;
	char *end;

	/* No hexadecimal, no "inf", no "nan", no blanks. */
	if (!isdigit((unsigned char)text[0]) || tolower(text[1]) == 'x')
		return fault_set(fault, STATUS_USAGE,
				 "%s: '%s' is not a number from %g to %g", what,
				 text, min, max);
	value = strtod(text, &end);
	if (*end)
		return fault_set(fault, STATUS_USAGE,
				 "%s: '%s' is not a number from %g to %g", what,
				 text, min, max);
	if (!(value >= min && value <= max))
		return fault_set(fault, STATUS_USAGE,
				 "%s: %s is out of range, %g to %g", what, text,
				 min, max);
	*out = value;
	return 0;
}
