/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which windows are run, in what order, where, in how many calls. */
#ifndef SPINDELAY_PLAN_H
#define SPINDELAY_PLAN_H

#include <linux/types.h>

#include "lib/fault.h"
#include "lib/rng.h"
#include "uapi/spindelay.h"

/* Bounds of the tool, for options and for files that are read back. */
#define PLAN_ROUNDS_MAX 10000
#define PLAN_PLACEMENTS_MAX 256
/* Memory that all results together may take in the tool. */
#define PLAN_BYTES_MAX (1024ULL * 1024 * 1024)

/* Rounds that begin each call and are thrown away. */
#define PLAN_WARMUP_ROUNDS 2

/**
 * struct placement - where the lock and the loops are and who starts first
 * @page: of the lock, 0..SPINDELAY_LOCK_PAGES - 1
 * @slot: in that page, 0..SPINDELAY_LOCK_SLOTS - 1
 * @node: NUMA node of the memory, -1: that of the first CPU
 * @swapped: each variant that has a twin runs as that, and twins as their first
 * @cpus: the CPUs of the set, in start order
 */
struct placement {
	u32 page;
	u32 slot;
	s32 node;
	bool swapped;
	u32 *cpus;
};

/**
 * plan_place() - a random placement
 * @place: its @node and @swapped are kept; its @cpus has room for @nr_cpus
 * @cpus: in their order
 * @shuffle: put them into a random one
 */
void plan_place(struct rng *rng, struct placement *place, const u32 *cpus,
		unsigned int nr_cpus, bool shuffle);

/**
 * plan_order() - a balanced random order of windows
 * @nr_variants: from 1
 * @rounds: rounds; each has one window of each variant
 * @order: filled in, @rounds * @nr_variants indices of variants
 *
 * Two variants: blocks of two rounds, AB BA or BA AB at random. More: blocks
 * of a Williams square (Williams 1949: each variant follows each other one
 * equally often) with its letters and its lines in random order. The last
 * block is cut where it does not fit.
 */
void plan_order(struct rng *rng, unsigned int nr_variants, unsigned int rounds,
		u32 *order);

/* Rounds of a whole block of plan_order(). */
unsigned int plan_block_rounds(unsigned int nr_variants);

/**
 * plan_rounds_per_call() - rounds that fit into one call beside its warm-up
 *
 * Limits: SPINDELAY_PLAN_NS_MAX, SPINDELAY_WINDOWS_MAX and
 * SPINDELAY_RESULT_BYTES_MAX.
 *
 * Return: 0 if not even one fits.
 */
unsigned int plan_rounds_per_call(unsigned int nr_variants,
				  unsigned int nr_cpus, u32 window_ns);

/* Bytes that the results of so many windows take. */
u64 plan_result_bytes(u64 windows, unsigned int nr_cpus);

/**
 * struct call - the memory of one call of the engine
 * @plan: what the engine reads; points to the arrays below
 * @warmups: windows at the head of the schedule that are not wanted
 */
struct call {
	struct spindelay_plan plan;
	unsigned int warmups;
	struct spindelay_variant *variants;
	u32 *cpus;
	u32 *schedule;
	struct spindelay_window *windows;
	struct spindelay_record *records;
	u32 *hists;
};

/**
 * struct call_shape - what a call is made of
 * @variants: the variants
 * @nr_variants: how many
 * @place: where
 * @nr_cpus: CPUs of @place
 * @window_ns: length of a window
 * @sample_shift: one acquisition in 2^sample_shift is timed
 * @chain_fs: as in struct spindelay_plan
 */
struct call_shape {
	const struct spindelay_variant *variants;
	unsigned int nr_variants;
	const struct placement *place;
	unsigned int nr_cpus;
	u32 window_ns;
	u32 sample_shift;
	u32 chain_fs;
};

/**
 * call_build() - a call with a warm-up and then the windows of @order
 * @order: @rounds * nr_variants indices, a part of what plan_order() made
 *
 * Return: 0, or -1 and a fault if memory runs out.
 */
int call_build(struct call *call, const struct call_shape *shape,
	       const u32 *order, unsigned int rounds, struct fault *fault);

void call_free(struct call *call);

#endif /* SPINDELAY_PLAN_H */
