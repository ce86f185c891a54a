/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_STATUS_H
#define SPINDELAY_STATUS_H

/**
 * enum status - exit status of the tool, part of its contract
 * @STATUS_OK: done
 * @STATUS_ERROR: it could have worked here and did not
 * @STATUS_USAGE: the command line asks for something that does not exist
 * @STATUS_NOISY: measured, but too noisy or too few valid rounds
 * @STATUS_UNSUPPORTED: not supported here: a delay that this system cannot
 *	execute, or no module
 */
enum status {
	STATUS_OK = 0,
	STATUS_ERROR = 1,
	STATUS_USAGE = 2,
	STATUS_NOISY = 3,
	STATUS_UNSUPPORTED = 4,
};

/* What two answers come to: an error counts for more than noise. */
static inline enum status status_worse(enum status a, enum status b)
{
	if (a == STATUS_ERROR || b == STATUS_ERROR)
		return STATUS_ERROR;
	return a == STATUS_OK ? b : a;
}

#endif /* SPINDELAY_STATUS_H */
