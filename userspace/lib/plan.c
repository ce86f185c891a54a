// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "lib/plan.h"
#include "lib/variant.h"

static u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

void plan_place(struct rng *rng, struct placement *place, const u32 *cpus,
		unsigned int nr_cpus, bool shuffle)
{
	place->page = rng_below(rng, SPINDELAY_LOCK_PAGES);
	place->slot = rng_below(rng, SPINDELAY_LOCK_SLOTS);
	memcpy(place->cpus, cpus, nr_cpus * sizeof(*cpus));
	if (shuffle)
		rng_shuffle(rng, place->cpus, nr_cpus);
}

unsigned int plan_block_rounds(unsigned int nr_variants)
{
	if (nr_variants < 2)
		return 1;
	return nr_variants % 2 ? 2 * nr_variants : nr_variants;
}

/*
 * Entry @position of line @line of a Williams square of @n letters: the first
 * line is 0, 1, n-1, 2, n-2 ...; each further line adds one, modulo n. An odd
 * @n needs the mirrored lines too.
 */
static u32 williams_entry(unsigned int n, unsigned int line,
			  unsigned int position)
{
	unsigned int step;

	if (line >= n)
		position = n - 1 - position;
	step = position % 2 ? (position + 1) / 2 : n - position / 2;
	return (step + line) % n;
}

static void fill_identity(u32 *values, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		values[i] = i;
}

void plan_order(struct rng *rng, unsigned int nr_variants, unsigned int rounds,
		u32 *order)
{
	u32 letters[SPINDELAY_VARIANTS_MAX], lines[2 * SPINDELAY_VARIANTS_MAX];
	unsigned int block = plan_block_rounds(nr_variants);

	fill_identity(letters, nr_variants);
	fill_identity(lines, block);
	for (unsigned int round = 0; round < rounds; round++) {
		unsigned int line = round % block;

		if (!line) {
			rng_shuffle(rng, letters, nr_variants);
			rng_shuffle(rng, lines, block);
		}
		for (unsigned int i = 0; i < nr_variants; i++)
			*order++ = letters[williams_entry(nr_variants,
							  lines[line], i)];
	}
}

u64 plan_result_bytes(u64 windows, unsigned int nr_cpus)
{
	return windows * (sizeof(struct spindelay_window) +
			  nr_cpus * sizeof(struct spindelay_record) +
			  SPINDELAY_HIST_BUCKETS * sizeof(u32));
}

unsigned int plan_rounds_per_call(unsigned int nr_variants,
				  unsigned int nr_cpus, u32 window_ns)
{
	u64 windows = SPINDELAY_WINDOWS_MAX;
	u64 rounds;

	windows = min_u64(windows, SPINDELAY_PLAN_NS_MAX / window_ns);
	windows = min_u64(windows, SPINDELAY_RESULT_BYTES_MAX /
					   plan_result_bytes(1, nr_cpus));
	rounds = windows / nr_variants;
	return rounds > PLAN_WARMUP_ROUNDS ? rounds - PLAN_WARMUP_ROUNDS : 0;
}

static int call_allocate(struct call *call, unsigned int nr_variants,
			 unsigned int nr_cpus, unsigned int nr_windows)
{
	call->variants = calloc(nr_variants, sizeof(*call->variants));
	call->cpus = calloc(nr_cpus, sizeof(*call->cpus));
	call->schedule = calloc(nr_windows, sizeof(*call->schedule));
	call->windows = calloc(nr_windows, sizeof(*call->windows));
	call->records =
		calloc((size_t)nr_windows * nr_cpus, sizeof(*call->records));
	call->hists = calloc((size_t)nr_windows * SPINDELAY_HIST_BUCKETS,
			     sizeof(*call->hists));
	return call->variants && call->cpus && call->schedule &&
			       call->windows && call->records && call->hists ?
		       0 :
		       -1;
}

static void call_fill(struct call *call, const struct call_shape *shape)
{
	struct spindelay_plan *plan = &call->plan;

	plan->size = sizeof(*plan);
	plan->abi = SPINDELAY_ABI;
	plan->flags = SPINDELAY_COUNT_CYCLES;
	plan->nr_cpus = shape->nr_cpus;
	plan->nr_variants = shape->nr_variants;
	plan->window_ns = shape->window_ns;
	plan->sample_shift = shape->sample_shift;
	plan->lock_page = shape->place->page;
	plan->lock_slot = shape->place->slot;
	plan->node = shape->place->node;
	plan->chain_fs = shape->chain_fs;
	plan->cpus = (u64)(unsigned long)call->cpus;
	plan->variants = (u64)(unsigned long)call->variants;
	plan->schedule = (u64)(unsigned long)call->schedule;
	plan->windows = (u64)(unsigned long)call->windows;
	plan->records = (u64)(unsigned long)call->records;
	plan->hists = (u64)(unsigned long)call->hists;
}

/* The same loop at its other address. */
static void swap_copies(struct spindelay_variant *variants, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (variant_has_twin(&variants[i]))
			variants[i].flags ^= SPINDELAY_TWIN;
}

int call_build(struct call *call, const struct call_shape *shape,
	       const u32 *order, unsigned int rounds, struct fault *fault)
{
	unsigned int nr = shape->nr_variants;
	unsigned int warmups = PLAN_WARMUP_ROUNDS * nr;
	unsigned int nr_windows = warmups + rounds * nr;

	memset(call, 0, sizeof(*call));
	if (call_allocate(call, nr, shape->nr_cpus, nr_windows)) {
		call_free(call);
		return fault_set(fault, STATUS_ERROR,
				 "out of memory for %u windows of %u CPUs",
				 nr_windows, shape->nr_cpus);
	}
	call->warmups = warmups;
	call->plan.nr_windows = nr_windows;
	call_fill(call, shape);
	memcpy(call->variants, shape->variants, nr * sizeof(*call->variants));
	if (shape->place->swapped)
		swap_copies(call->variants, nr);
	memcpy(call->cpus, shape->place->cpus,
	       shape->nr_cpus * sizeof(*call->cpus));
	for (unsigned int i = 0; i < warmups; i++)
		call->schedule[i] = i % nr;
	memcpy(call->schedule + warmups, order, rounds * nr * sizeof(*order));
	return 0;
}

void call_free(struct call *call)
{
	free(call->variants);
	free(call->cpus);
	free(call->schedule);
	free(call->windows);
	free(call->records);
	free(call->hists);
	memset(call, 0, sizeof(*call));
}
