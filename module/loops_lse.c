// SPDX-License-Identifier: GPL-2.0
/* The loops for CPUs with FEAT_LSE. */
#include "bench/atomics_lse.h"
#include "spin_delay.h"

#define SPIN_KNOB(word, seen) spin_delay_on(word, seen)
#define SPIN_LOOP(name) spindelay_##name
#define SPIN_LOOPS spin_loops_lse
#include "bench/loops.h"
