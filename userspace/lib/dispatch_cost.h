/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an application pays for choosing its delay at run time: the same
 * instruction in the same loop, chosen in different ways.
 */
#ifndef SPINDELAY_DISPATCH_COST_H
#define SPINDELAY_DISPATCH_COST_H

#include <stdio.h>

#include "lib/document.h"
#include "lib/fault.h"
#include "lib/rng.h"
#include "lib/status.h"

#define DISPATCH_COMMAND "cost --dispatch"
#define DISPATCH_ROUNDS_MAX 10000

/* "poll", "count"; "compiled in", "flag in a register" and so on. */
const char *dispatch_loop_word(enum dispatch_loop loop);
const char *dispatch_way_word(enum dispatch_way way);

/**
 * dispatch_measure() - run the loops of all ways in turn, in each round in a random
 *	order, on one CPU
 * @doc: its @rounds says how many rounds; its @dispatch is filled in
 * @cpu: where; the calling thread stays there
 *
 * Each loop is run with so many polls and with twice as many: the difference
 * holds nothing but polls. Times are of CLOCK_MONOTONIC_RAW; instructions are
 * counted in user space by perf_event_open() where the system lets us.
 *
 * Return: 0, or -1 and a fault.
 */
int dispatch_measure(struct document *doc, u32 cpu, struct rng *rng,
		     struct fault *fault);

/* Medians over the rounds, with the sign test's interval; -1: no memory. */
int summarise_dispatch(struct document *doc);

bool dispatch_check(const struct document *doc);
enum status dispatch_status(const struct document *doc);
void dispatch_print(const struct document *doc, FILE *stream);

#endif /* SPINDELAY_DISPATCH_COST_H */
