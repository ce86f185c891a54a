/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long must think be for a given delay share? */
#ifndef SPINDELAY_SHARE_H
#define SPINDELAY_SHARE_H

#include "lib/measure.h"

/* How near the share has to come to what was asked for. */
#define SHARE_TOLERANCE 0.01
/* Probes at most; each is SHARE_PLACEMENTS short plans. */
#define SHARE_STEPS 24
#define SHARE_PLACEMENTS 2
#define SHARE_WINDOWS 8

/**
 * share_choose() - choose the think of a set's variants
 * @set: every variant of it gets the same think_ns; its @share is set
 * @baseline: index of the variant whose delay share is looked at
 * @share: 0..1
 *
 * The delay share falls as think grows, from what it is without any: a search
 * between there and SPINDELAY_WORK_SHARE_MAX's part of a window, by
 * interpolation where that gets on and else by halves of the logarithm. All
 * probes are in the same places, which come from the document's seed.
 *
 * Return: 0, or -1 and a fault. STATUS_USAGE: the baseline has no polls that
 * are counted. STATUS_ERROR: out of reach, with the highest or lowest share that
 * can be reached. STATUS_NOISY: it was not met within SHARE_TOLERANCE.
 */
int share_choose(struct measure *measure, struct document *doc, struct set *set,
		 unsigned int baseline, double share, struct fault *fault);

#endif /* SPINDELAY_SHARE_H */
