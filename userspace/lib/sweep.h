/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the windows of a sweep to what should be set, if anything. */
#ifndef SPINDELAY_SWEEP_H
#define SPINDELAY_SWEEP_H

#include "lib/document.h"

/**
 * summarise_sweep() - the best setting of each cell, and of all
 *
 * A cell is a set of role SET_ROUNDS. Its best variant is the one with the highest
 * throughput against the default; those whose interval against the best one, at
 * the level of all of the cell at once, holds no difference cannot be told from
 * it. The winner is the variant with the highest mean log ratio to the default
 * over all cells that were measured; what it is worth say the sets of role
 * SET_CONFIRM alone, which were measured after it was chosen.
 *
 * summarise_comparisons() comes first. Return: 0, or -1 if memory runs out.
 */
int summarise_sweep(struct document *doc);

/* Are all cells measured, and the winner once more? */
bool sweep_complete(const struct document *doc);

/* Is a set measured in as many placements as it was to be? */
bool sweep_set_complete(const struct document *doc, const struct set *set);

/**
 * sweep_advice() - what to do
 * @text: one sentence or some
 * @size: of @text
 *
 * ADVICE_SET: the winner was faster than the default in some confirmation and
 * slower in none. ADVICE_LEAVE: nothing was resolved, or the default itself won.
 * ADVICE_DEPENDS: faster here and slower there. ADVICE_WITHHELD: this CPU is
 * emulated, or not all was measured.
 */
enum advice {
	ADVICE_SET,
	ADVICE_LEAVE,
	ADVICE_DEPENDS,
	ADVICE_WITHHELD,
};

enum advice sweep_advice(const struct document *doc, char *text, size_t size);

const char *advice_word(enum advice advice);

#endif /* SPINDELAY_SWEEP_H */
