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
/* Probes around the think that was found, each in places of its own. */
#define SHARE_SETTLE 5

/* What a search came to. */
enum share_found {
	SHARE_FAILED = -1,
	SHARE_MET,
	SHARE_NEAR,
	SHARE_OUT_OF_REACH,
};

/**
 * share_choose() - choose the think of a set's variants
 * @set: every variant of it gets the same think_ns; its @share is set
 * @baseline: index of the variant whose delay share is looked at
 * @share: 0..1
 *
 * The delay share falls as think grows, from what it is without any: a search
 * between there and SPINDELAY_WORK_SHARE_MAX's part of a window, by
 * interpolation where that gets on and else by halves of the logarithm. All
 * its probes are in the same places, which come from the document's seed. From the
 * think that was found SHARE_SETTLE more, in other places, move to the one that
 * is chosen. What a probe says is the median of its windows.
 *
 * Return: SHARE_MET; else there is a fault. SHARE_NEAR: it was not met within
 * SHARE_TOLERANCE, in SHARE_STEPS or by @measure's calibrate_until; the think
 * that came closest is chosen. SHARE_OUT_OF_REACH: the fault has the highest or
 * lowest share that can be reached. SHARE_FAILED: nothing could be measured, or the
 * baseline has no polls that are counted.
 */
enum share_found share_choose(struct measure *measure, struct document *doc,
			      struct set *set, unsigned int baseline,
			      double share, struct fault *fault);

#endif /* SPINDELAY_SHARE_H */
