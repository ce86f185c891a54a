/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Polls of one length: how much placebo does the shorter delay need? */
#ifndef SPINDELAY_EQUAL_H
#define SPINDELAY_EQUAL_H

#include "lib/measure.h"

/* Rounds of held windows in each placement that a poll period is taken from. */
#define EQUAL_ROUNDS 16
/* Placements that are added where one does not tell whether they agree, in all. */
#define EQUAL_MORE 48
/* Paddings that are tried at most. */
#define EQUAL_STEPS 12

/**
 * equal_refusal() - why two variants cannot be made equally long
 *
 * Return: a clause for people, or NULL where they can.
 */
const char *equal_refusal(const struct spindelay_variant *a,
			  const struct spindelay_variant *b);

/**
 * equal_reserve() - room for the padded variants of all sets
 *
 * One for each variant asked for that can be made as long as the baseline, or the
 * baseline as long as it. What cannot, and is not the same, is noted.
 *
 * Return: 0, or -1 and a fault.
 */
int equal_reserve(struct document *doc, struct fault *fault);

/**
 * equal_choose() - choose the paddings of all sets
 * @measure: its random numbers are not used
 *
 * The period of a poll is that of the lock's own wait loop on a word that nobody
 * frees, on the first CPU; of pace, which polls nothing, that of its loop. Whichever
 * is shorter gets more placebo until the periods agree within EQUAL_TOLERANCE, and
 * are known well enough to say so: where windows vary, rounds are added until the
 * interval lies on one side of the tolerance or EQUAL_MORE is used up. The last
 * windows stay in the document as a set of role SET_PERIODS; where there is nothing
 * to pad, the padded variant is dropped again.
 *
 * Return: 0, also where they cannot be made to agree; -1 and a fault.
 */
int equal_choose(struct measure *measure, struct document *doc,
		 struct fault *fault);

/* Take all of it back: no padded variants, no poll periods. */
void equal_give_up(struct document *doc);

#endif /* SPINDELAY_EQUAL_H */
