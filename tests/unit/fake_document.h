/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Documents made by the fake backend. */
#ifndef SPINDELAY_FAKE_DOCUMENT_H
#define SPINDELAY_FAKE_DOCUMENT_H

#include "fake_backend.h"
#include "lib/document.h"

/* A fake in which every variant has the rate 0.001 and nothing is noisy. */
void fake_init(struct fake *fake, u64 seed);

/**
 * fake_compare() - a document of `compare` with one set, summarised
 * @nr_variants: sb, isb, nop, ... on two CPUs
 */
struct document *fake_compare(struct fake *fake, unsigned int nr_variants,
			      unsigned int placements, unsigned int rounds);

/* The same of `run`. */
struct document *fake_run(struct fake *fake, unsigned int nr_variants,
			  unsigned int placements, unsigned int rounds);

/* Of `compare`, between isb and its twin, in placements that swap the two. */
struct document *fake_compare_twins(struct fake *fake, unsigned int placements,
				    unsigned int rounds, u64 seed);

/* The same with another seed of the plan. */
struct document *fake_compare_seeded(struct fake *fake,
				     unsigned int nr_variants,
				     unsigned int placements,
				     unsigned int rounds, u64 seed);

/*
 * A document of `replay`, summarised: sb and isb on two CPUs, three repetitions
 * of 500 x @unit acquisitions of each, in its log as in the rounds.
 */
struct document *fake_replay(struct fake *fake, u32 unit);

/* A document of `cost` of one delay, summarised. */
struct document *fake_cost(struct fake *fake, u32 count);

/* The same of a delay that sleeps: held windows alone. */
struct document *fake_sleeping_cost(struct fake *fake);

#endif /* SPINDELAY_FAKE_DOCUMENT_H */
