/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the raw windows of a document to its numbers. */
#ifndef SPINDELAY_SUMMARY_H
#define SPINDELAY_SUMMARY_H

#include "lib/document.h"

/* Flags of the windows of a set of `cost`, in the order of its variants. */
enum cost_variant {
	COST_SINGLE,
	COST_DOUBLE,
	COST_HELD,
	COST_VARIANTS,
};

/**
 * summarise_variants() - a result for each variant of each set, but those of poll
 *	periods
 * summarise_costs() - a cost for each set: COST_VARIANTS variants, or COST_HELD
 *	alone
 *
 * They look at nothing but the sets, the machine and the counter of @doc, so
 * that whoever has those comes to the same numbers. Rounds are used where all
 * their windows are valid. For comparisons see lib/comparison.h.
 *
 * Return: 0, or -1 if memory runs out.
 */
int summarise_variants(struct document *doc);
int summarise_costs(struct document *doc);

/**
 * summary_spin_ticks() - time spent polling, all of a lock's CPUs together
 * @cpus: added up over windows, one for each of @nr CPUs
 *
 * Return: ticks; NAN if they waited and nothing was timed
 */
double summary_spin_ticks(const struct spindelay_record *cpus, unsigned int nr);

/* Timed waits in a window, on average, for its share to say something by itself. */
#define SHARE_TIMED_MIN 8

/**
 * summary_window_share() - part of the CPUs' time that one window's polling took
 * @cpus: one for each of @nr CPUs
 *
 * Return: 0..1; NAN if they waited and nothing was timed
 */
double summary_window_share(const struct spindelay_record *cpus,
			    unsigned int nr);

/**
 * summary_delay_share() - the delay share that many windows tell of
 * @shares: of each of @n windows, none of them NAN
 * @timed: waits that were timed in all of them
 * @pooled: the share that the sums over all windows give
 *
 * The median of the windows, because one in which whoever held the lock was
 * interrupted may have timed a few waits that stand for a hundred times as much;
 * but where a window has timed less than SHARE_TIMED_MIN waits the middle of
 * them is not their mean, and the sums are truer.
 */
double summary_delay_share(const double *shares, size_t n, u64 timed,
			   double pooled);

/* Is there a round all of whose windows can be used? */
bool set_has_valid_round(const struct set *set);

/* Do the windows of a set of `cost` hold bursts? Not of a delay that sleeps. */
bool cost_has_bursts(const struct set *set);

/**
 * summary_status() - what the numbers let the tool exit with
 *
 * STATUS_ERROR if a lock lost mutual exclusion; STATUS_NOISY if too few rounds
 * were valid for what was asked, or less than half of a variant's windows; else
 * STATUS_OK. On an emulated CPU nothing is
 * judged, so there rounds are too few only where there are none.
 */
enum status summary_status(const struct document *doc);

#endif /* SPINDELAY_SUMMARY_H */
