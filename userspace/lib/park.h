/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether threads can sleep for a lock here; the locks' side is bench/park.h. */
#ifndef SPINDELAY_LIB_PARK_H
#define SPINDELAY_LIB_PARK_H

#include <stdbool.h>

/* Not where the system has no futex, or a sandbox refuses it. */
bool park_is_possible(void);

#endif /* SPINDELAY_LIB_PARK_H */
