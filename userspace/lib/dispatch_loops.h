/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spin loops of an application, for each way to choose their delay. */
#ifndef SPINDELAY_DISPATCH_LOOPS_H
#define SPINDELAY_DISPATCH_LOOPS_H

#include "lib/document.h"

/**
 * dispatch_loop - a loop of @polls turns with a delay in each
 * @polls: how many, at least 1
 * @word: DISPATCH_POLL looks at it in each turn and ends early once it is 0
 */
typedef void dispatch_loop_fn(unsigned long polls, const int *word);

/* By loop and way: with SB where spin_delay() executes that here, else ISB. */
dispatch_loop_fn *dispatch_loop_of(enum dispatch_way way,
				   enum dispatch_loop loop);

#endif /* SPINDELAY_DISPATCH_LOOPS_H */
