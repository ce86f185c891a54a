/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol of MySQL pull request 611: all repetitions of one variant, then
 * all of the next; each is a fixed amount of work and is timed.
 *
 * The work of a repetition is a number of acquisitions, replay_acquisitions(),
 * that all workers share: whoever is faster does more of it, as with a common
 * counter from which each draws its next one. There is no such counter, which would
 * be a second contended line beside the lock's. A repetition is as many
 * windows of the engine, one behind the other in one place and without the time
 * between them, as it takes until the acquisitions of all CPUs together are at least
 * the work. Its time is the sum of the windows' times multiplied by work over
 * acquisitions: by a little less than 1, because the last window ends a little
 * too late. An invalid window counts for neither sum; how many there were is
 * kept.
 *
 * "real" is that time, by CNTVCT from a window's common start until the last CPU
 * has left it. "user" and "sys" are the times of all CPUs from entering the loop
 * to leaving it: the engine's workers never leave the kernel, so that user
 * is 0 and sys is all of it. In a lock that sleeps it holds the sleep, too.
 */
#ifndef SPINDELAY_REPLAY_H
#define SPINDELAY_REPLAY_H

#include <stdio.h>

#include "lib/measure.h"
#include "lib/table.h"

/* Bounds of what can be asked for. */
#define REPLAY_REPETITIONS_MAX PLAN_PLACEMENTS_MAX
#define REPLAY_SLEEP_MAX 3600
#define REPLAY_WORK_MAX 1000000
#define REPLAY_UNIT_MAX 1000000000
/* Of the baseline: what is shorter a log of hundredths cannot tell. */
#define REPLAY_SECONDS_MIN 0.05
#define REPLAY_SECONDS_MAX 600

/* Acquisitions of a repetition. */
u64 replay_acquisitions(const struct replay *replay);

/**
 * replay_calibrate() - choose acquisitions per unit of work, or check them
 * @set: its baseline is run for a moment
 * @doc: its replay.work is set; its replay.unit is set or, where 0, chosen
 * @seconds: what a repetition of the baseline should take
 *
 * Return: 0, or -1 and a fault: nothing could be measured, or the work that was
 * asked for would take less than REPLAY_SECONDS_MIN or more than
 * REPLAY_SECONDS_MAX.
 */
int replay_calibrate(struct measure *measure, struct document *doc,
		     const struct set *set, double seconds,
		     struct fault *fault);

/**
 * replay_warm_up() - a repetition of which nothing is kept
 * replay_repeat() - one that becomes a window of the set, in a placement of its own
 * @set: of role SET_REPETITIONS
 *
 * Fresh threads, the lock in another place each time.
 *
 * Return: 0, or -1 and a fault.
 */
int replay_warm_up(struct measure *measure, struct document *doc,
		   const struct set *set, struct fault *fault);
int replay_repeat(struct measure *measure, struct document *doc,
		  struct set *set, struct fault *fault);

/* The times of one repetition: window @window of set @set. */
struct repetition replay_times(const struct document *doc, unsigned int set,
			       size_t window);

/* Times of all repetitions; -1 if memory runs out. */
int summarise_replay(struct document *doc);

/* Are these the sets of a replay, be it one that was broken off? */
bool replay_check(const struct document *doc);

/**
 * struct replay_mean - what the script would make of one log
 * @repetitions: lines of it
 * @real: mean of its first column; NAN if there are no lines
 * @user: of the second
 * @sys: of the third
 * @sd: standard deviation of @real; NAN of fewer than two
 * @least: shortest
 * @most: longest
 */
struct replay_mean {
	unsigned int repetitions;
	double real;
	double user;
	double sys;
	double sd;
	double least;
	double most;
};

/**
 * replay_mean() - of one set's repetitions
 *
 * Of the figures as they stand in the log, added up in its order, so that
 * awk '{ sum += $1 } END { print sum / NR }' comes to the same @real.
 */
struct replay_mean replay_mean(const struct document *doc, unsigned int set);

/* Delay share of one set's repetitions; NAN if it is not known. */
double replay_delay_share(const struct document *doc, unsigned int set);

/* As the script's awk prints a number. */
#define REPLAY_AWK "%.6g"

/* The next cell, with a mean as awk prints it; "-" for NAN. */
void replay_mean_cell(struct table *table, double mean);

/* The logs and what they come to; what the script cannot say is elsewhere. */
void replay_print(const struct document *doc, FILE *stream);

#endif /* SPINDELAY_REPLAY_H */
