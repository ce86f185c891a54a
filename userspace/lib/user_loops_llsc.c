// SPDX-License-Identifier: GPL-2.0-or-later
/* The loops in threads of the tool, for CPUs without FEAT_LSE. */
#ifdef __aarch64__
#include "bench/atomics_llsc.h"

#include "lib/user_loops.h"

#define SPIN_LOOP(name) spindelay_##name##_llsc
#define SPIN_LOOPS spin_loops_llsc
#include "bench/loops.h"
#endif
