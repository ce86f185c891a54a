/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long must a burst be? */
#ifndef SPINDELAY_PILOT_H
#define SPINDELAY_PILOT_H

#include "lib/measure.h"

/* What a burst should last: many counter ticks, few interrupts held up. */
#define PILOT_BURST_NS 20000

/**
 * pilot_bursts() - repetitions that make a burst of each variant long enough
 * @doc: its window_ns is used; its counter and chain are learnt
 * @variants: @nr_variants of them, up to SPINDELAY_VARIANTS_MAX
 * @bursts: filled in, 1..SPINDELAY_BURST_MAX each
 *
 * Bursts of one repetition are shorter than a tick of many a counter, so it
 * takes some steps to get there.
 *
 * Return: 0, or -1 and a fault.
 */
int pilot_bursts(struct measure *measure, struct document *doc,
		 const struct spindelay_variant *variants,
		 unsigned int nr_variants, u32 cpu, u32 *bursts,
		 struct fault *fault);

/* The next guess after @burst repetitions took @ticks. */
u32 pilot_next_burst(u32 burst, u64 ticks, u32 counter_hz);

#endif /* SPINDELAY_PILOT_H */
