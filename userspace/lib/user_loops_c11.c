// SPDX-License-Identifier: GPL-2.0-or-later
/* The loops in threads of the tool on a machine that is not arm64. */
#ifndef __aarch64__
#include "lib/user_loops.h"

#define SPIN_LOOP(name) spindelay_##name##_c11
#define SPIN_LOOPS spin_loops_c11
#include "bench/loops.h"
#endif
