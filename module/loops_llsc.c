// SPDX-License-Identifier: GPL-2.0
/* The loops for CPUs without FEAT_LSE. */
#include "bench/atomics_llsc.h"
#include "spin_delay.h"

#define SPIN_KNOB(word, seen) spin_delay_on(word, seen)
#define SPIN_LOOP(name) spindelay_##name##_llsc
#define SPIN_LOOPS spin_loops_llsc
#include "bench/loops.h"
