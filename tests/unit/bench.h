/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bench's headers, for threads: atomics by the compiler. */
#ifndef SPINDELAY_UNIT_BENCH_H
#define SPINDELAY_UNIT_BENCH_H

/* Each lock takes the same arguments, whether it needs them or not. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "bench/atomics_c11.h"
#include "bench/contend.h"
#pragma GCC diagnostic pop

/* The numbers of each preset, in the order of the table. */
#define UNIT_PRESET(spelling, source, ...) { __VA_ARGS__ },
static const struct spin_preset unit_presets[]
	__attribute__((unused)) = { SPIN_PRESETS(UNIT_PRESET) };

/* As jemalloc's mutex, but it sleeps after so few looks. */
#define UNIT_SLEEPY_PRESET                                                 \
	{                                                                  \
		.first = 1, .most = 1, .idle = 1, .weight = 1, .looks = 3, \
		.nap_us = SPIN_UNTIL_WOKEN                                 \
	}

#endif /* SPINDELAY_UNIT_BENCH_H */
