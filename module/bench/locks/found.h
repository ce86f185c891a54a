/* SPDX-License-Identifier: GPL-2.0 */
/* What a spell of polls came to, in the locks that sleep between two of them. */
#ifndef SPINDELAY_BENCH_LOCKS_FOUND_H
#define SPINDELAY_BENCH_LOCKS_FOUND_H

/**
 * enum spin_found - what a waiter's polls came to
 * @SPIN_FREE: the lock looked free, or is taken, as the lock has it
 * @SPIN_BUSY: all polls are used up
 * @SPIN_ENDED: the window has ended
 */
enum spin_found {
	SPIN_FREE,
	SPIN_BUSY,
	SPIN_ENDED,
};

#endif /* SPINDELAY_BENCH_LOCKS_FOUND_H */
