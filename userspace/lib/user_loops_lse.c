// SPDX-License-Identifier: GPL-2.0-or-later
/* The loops in threads of the tool, for CPUs with FEAT_LSE. */
#ifdef __aarch64__
#include "bench/atomics_lse.h"

#include "lib/user_loops.h"

#define SPIN_LOOP(name) spindelay_##name
#define SPIN_LOOPS spin_loops_lse
#include "bench/loops.h"
#endif
