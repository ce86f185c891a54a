/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Can this machine be trusted with a comparison? What is run, and what it says. */
#ifndef SPINDELAY_SELFTEST_H
#define SPINDELAY_SELFTEST_H

#include <stdio.h>

#include "lib/document.h"
#include "lib/measure.h"
#include "lib/status.h"

/*
 * Many short placements, so that --time can cut them and what identical loops
 * differ by from place to place shows: rounds in whole blocks of two.
 */
#define SELFTEST_PLACEMENTS 12
#define SELFTEST_ROUNDS 16

/*
 * A difference between identical loops, or between first and second in a round,
 * is held against the machine only if two repeats resolve it in one direction
 * and both put it beyond this. A single interval of 95 % is wrong once in 20
 * times; two such in one direction, once in 800.
 */
#define SELFTEST_BIAS 0.01
/* How far apart identical loops may as well be, for anything to be seen. */
#define SELFTEST_NOISE 0.05

/* The sets of a selftest's document; without a second CPU, the first four. */
enum selftest_set {
	SELFTEST_TWINS,
	SELFTEST_TWINS_AGAIN,
	SELFTEST_CONTROL,
	SELFTEST_LOCKS,
	SELFTEST_BROKEN,
	SELFTEST_HANDOFF,
	SELFTEST_SETS
};

/* The moment that it is. */
struct counter_pair counter_pair_read(void);

/**
 * selftest_add_sets() - what a selftest runs
 * @cpus: @most of them
 * @few: on how many of them the timings are made
 * @most: on how many of them locks must exclude
 *
 * Return: 0, or -1 and a fault.
 */
int selftest_add_sets(struct document *doc, const u32 *cpus, unsigned int few,
		      unsigned int most, struct fault *fault);

/**
 * selftest_measure() - run the sets, then the broken lock until it is caught
 * @measure: its deadline ends both, but each set is run once at least
 *
 * Unlike measure_all() it does not go on until each set has a valid round: that
 * there is none is an answer. The broken lock need not fail in each window, so
 * it gets more placements, up to a fixed number.
 *
 * Return: 0, or -1 and a fault.
 */
int selftest_measure(struct measure *measure, struct document *doc,
		     struct fault *fault);

/* Are the sets of a document, whose CPUs are given, those of a selftest? */
bool selftest_check(const struct document *doc);

/**
 * selftest_judge() - fill in the checks of a document
 * @doc: its sets have been run, and its clock has been read before and after
 *
 * Return: 0, or -1 if memory runs out.
 */
int selftest_judge(struct document *doc);

/* STATUS_ERROR if something is broken, STATUS_NOISY, or STATUS_OK. */
enum status selftest_status(const struct document *doc);

/* The conclusion, a line for each check, and what to change. */
void selftest_print(const struct document *doc, FILE *stream);

#endif /* SPINDELAY_SELFTEST_H */
