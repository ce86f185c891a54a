/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often does what the tool states hold, of data whose truth is known? */
#ifndef SPINDELAY_SIMULATION_H
#define SPINDELAY_SIMULATION_H

#include <stdbool.h>

/* How the log ratios of rounds scatter about the truth; sd about 1. */
enum scatter {
	/* Independent. */
	SCATTER_NORMAL,
	/* One round in five is disturbed, in one direction only. */
	SCATTER_ONE_SIDED,
	/* Autocorrelated: first order, one half. */
	SCATTER_CORRELATED,
	/* Placements differ from each other by as much as rounds do. */
	SCATTER_PLACEMENTS,
	NR_SCATTERS,
};

extern const char *const scatter_names[NR_SCATTERS];

/**
 * struct simulation - comparisons, each made of windows by the tool's own code
 * @scatter: of the rounds
 * @placements: of each comparison; 0: as many as stats_enough() asks for,
 *	SIMULATION_PLACEMENTS_MAX at most
 * @wanted: half-width for stats_enough(), in sds of the placements' medians
 * @runs: comparisons with a planted ratio, and as many with none
 * @seed: of the first
 */
struct simulation {
	enum scatter scatter;
	unsigned int placements;
	double wanted;
	unsigned int runs;
	unsigned int seed;
};

#define SIMULATION_PLACEMENTS_MAX 40
#define SIMULATION_ROUNDS 50
#define SIMULATION_STOP_MAX 120

/**
 * struct outcome - what came of it
 * @coverage: part of the intervals that hold the planted ratio
 * @rejections: part of the comparisons without a difference that resolved one
 * @placements: mean
 */
struct outcome {
	double coverage;
	double rejections;
	double placements;
};

struct outcome simulate(const struct simulation *simulation);

/**
 * simulate_stopping() - stats_enough() alone, of normal medians of sd 1
 * @m: comparisons at once, for the level
 * @wanted: half-width, as a log ratio
 * @most: placements, up to SIMULATION_STOP_MAX
 *
 * Return: how often the t interval misses, over how often it should. Of each
 * run it is the probability, given its sd, that counts: that takes a thirtieth
 * of the runs.
 */
double simulate_stopping(unsigned int m, double wanted, unsigned int most,
			 unsigned int runs, unsigned int seed);

#endif /* SPINDELAY_SIMULATION_H */
