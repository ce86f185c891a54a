/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Having the sets of a document run. */
#ifndef SPINDELAY_MEASURE_H
#define SPINDELAY_MEASURE_H

#include "lib/backend.h"
#include "lib/document.h"
#include "lib/progress.h"
#include "lib/rng.h"

/**
 * struct measure - how to run
 * @backend: opened
 * @rng: seeded
 * @progress: begun
 * @sample_shift: one acquisition in 2^sample_shift is timed
 * @node: NUMA node of the lock's memory, -1: that of the first CPU
 * @swap_copies: from one placement of a set to the next each loop and its twin
 *	change places, so that where the code lies cancels; the first is random
 * @calibrate_until: of now_ns(); searches end by then with what they have
 * @deadline: of now_ns(); no placement is begun that would end behind it, unless
 *	a set has no valid round as yet
 * @give_up: of now_ns(); behind it none is begun even then; 0: never
 */
struct measure {
	struct backend *backend;
	struct rng rng;
	struct progress progress;
	u32 sample_shift;
	s32 node;
	bool swap_copies;
	u64 calibrate_until;
	u64 deadline;
	u64 give_up;
};

/**
 * measure_call() - carry out one call
 * @doc: learns the counter's frequency and the length of a chain iteration
 *
 * Return: 0, or -1 and a fault in words.
 */
int measure_call(struct measure *measure, struct document *doc,
		 struct call *call, struct fault *fault);

/**
 * measure_placement() - run all rounds of one new placement of a set
 * @doc: its rounds and window_ns say what; its chain_fs, once known, is used
 *	in every call, so that hold and think are the same loops throughout
 *
 * Return: 0, or -1 and a fault.
 */
int measure_placement(struct measure *measure, struct document *doc,
		      struct set *set, struct fault *fault);

/**
 * measure_all() - run the placements of all sets, in turns
 *
 * As many as the document says, or with a precision: of each set at least
 * STATS_PLACEMENTS_MIN and then until its comparisons are precise. Sets of poll
 * periods and of repetitions have run already.
 *
 * Return: 0, even if the deadline cut it short; -1 and a fault.
 */
int measure_all(struct measure *measure, struct document *doc,
		struct fault *fault);

/* Windows that measure_all() will run, without those of warm-ups; 0: not known. */
u64 measure_windows(const struct document *doc);

#endif /* SPINDELAY_MEASURE_H */
