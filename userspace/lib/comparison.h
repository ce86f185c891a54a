/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the raw windows of a document to what its variants differ in. */
#ifndef SPINDELAY_COMPARISON_H
#define SPINDELAY_COMPARISON_H

#include "lib/document.h"

/**
 * comparisons_list() - which comparisons a document makes
 *
 * For every set but those of poll periods, each variant asked for against the
 * baseline: the whole; and where there is a padded one, or where the polls agree
 * without, the parts. Old ones are forgotten.
 *
 * Return: 0, or -1 if memory runs out.
 */
int comparisons_list(struct document *doc);

/**
 * comparisons_precise() - do those of a set need no more placements?
 * @set: index
 *
 * By stats_enough() for each, at the level of all comparisons of sets of one role at
 * once and the document's precision. comparisons_list() comes first.
 */
bool comparisons_precise(const struct document *doc, unsigned int set);

/**
 * summarise_comparisons() - a result for each comparison
 * summarise_equal_times() - one for each set of poll periods; comes first
 *
 * They look at nothing but the sets, the machine and the options in @doc. Rounds
 * are used where all their windows are valid.
 *
 * Return: 0, or -1 if memory runs out.
 */
int summarise_comparisons(struct document *doc);
int summarise_equal_times(struct document *doc);

/**
 * summarise_comparison() - one that need not be in the list
 * @c: its set, variants and part are given; the rest is filled in
 * @level: of its interval
 *
 * Return: 0, or -1 if memory runs out.
 */
int summarise_comparison(const struct document *doc, struct comparison *c,
			 double level);

/**
 * equal_time_of() - how well the polls of two variants agree
 *
 * Return: NULL where that was not measured.
 */
const struct equal_time *equal_time_of(const struct document *doc,
				       const struct spindelay_variant *a,
				       const struct spindelay_variant *b);

/* The polls of a part that could not be made equally long; NULL: they are. */
const struct equal_time *comparison_unmatched(const struct document *doc,
					      const struct comparison *c);

/* The comparison of this part of a whole; NULL if there is none. */
const struct comparison *comparison_part(const struct document *doc,
					 const struct comparison *whole,
					 enum part part);

#endif /* SPINDELAY_COMPARISON_H */
