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

#endif /* SPINDELAY_UNIT_BENCH_H */
