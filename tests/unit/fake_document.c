// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fake_document.h"
#include "lib/measure.h"
#include "lib/variant.h"
#include "lib/names.h"
#include "lib/comparison.h"
#include "lib/findings.h"
#include "lib/replay.h"
#include "lib/summary.h"

void fake_init(struct fake *fake, u64 seed)
{
	memset(fake, 0, sizeof(*fake));
	for (unsigned int v = 0; v < SPINDELAY_VARIANTS_MAX; v++)
		fake->rate[v] = 0.001;
	fake->ns_per_copy = 10;
	fake->poll_ns = 20;
	rng_seed(&fake->rng, seed);
}

static struct document *new_document(const char *command)
{
	struct document *doc = document_new(command);

	strcpy(doc->machine.cpu, "Neoverse V2 r0p1");
	strcpy(doc->machine.kernel, "6.12");
	strcpy(doc->machine.governor, "performance");
	strcpy(doc->machine.hypervisor.name, "none");
	doc->machine.midr = 0x410fd4f1;
	doc->machine.page_size = 4096;
	doc->machine.nr_nodes = 1;
	doc->machine.online = (struct cpulist){ 2, { 0, 1 } };
	doc->window_ns = 2000000;
	doc->seed = 7;
	return doc;
}

static void measure(struct fake *fake, struct document *doc, bool swap_copies)
{
	struct backend backend = { .ops = &fake_backend, .priv = fake };
	struct measure measure = { .backend = &backend,
				   .sample_shift = 4,
				   .node = -1,
				   .swap_copies = swap_copies,
				   .deadline = UINT64_MAX };
	struct fault fault;

	rng_seed(&measure.rng, doc->seed);
	if (measure_all(&measure, doc, &fault))
		abort();
}

static struct document *contend(struct fake *fake, const char *command,
				unsigned int nr_variants,
				unsigned int placements, unsigned int rounds,
				u64 seed)
{
	static const u32 delays[] = { SPIN_DELAY_sb, SPIN_DELAY_isb,
				      SPIN_DELAY_nop, SPIN_DELAY_yield,
				      SPIN_DELAY_none };
	struct document *doc = new_document(command);
	struct spindelay_variant variants[5] = { 0 };
	const u32 cpus[] = { 0, 1 };

	for (unsigned int i = 0; i < nr_variants; i++) {
		variants[i].lock = SPIN_LOCK_ttas;
		variants[i].delay = delays[i];
		variants[i].count = 1;
		variants[i].hold_ns = 200;
	}
	doc->seed = seed;
	doc->placements = placements;
	doc->rounds = rounds;
	document_add_set(doc, variants, nr_variants, cpus, 2);
	measure(fake, doc, false);
	if (summarise_variants(doc))
		abort();
	return doc;
}

struct document *fake_run(struct fake *fake, unsigned int nr_variants,
			  unsigned int placements, unsigned int rounds)
{
	return contend(fake, "run", nr_variants, placements, rounds, 7);
}

struct document *fake_compare_seeded(struct fake *fake,
				     unsigned int nr_variants,
				     unsigned int placements,
				     unsigned int rounds, u64 seed)
{
	struct document *doc =
		contend(fake, "compare", nr_variants, placements, rounds, seed);

	if (summarise_comparisons(doc))
		abort();
	return doc;
}

struct document *fake_compare_twins(struct fake *fake, unsigned int placements,
				    unsigned int rounds, u64 seed)
{
	const struct spindelay_variant isb = {
		.lock = SPIN_LOCK_ttas,
		.delay = SPIN_DELAY_isb,
		.count = 1,
	};
	struct spindelay_variant variants[2] = { isb, isb };
	struct document *doc = new_document("compare");
	const u32 cpus[] = { 0, 1 };

	variant_pair_twins(variants, 2);
	doc->seed = seed;
	doc->placements = placements;
	doc->rounds = rounds;
	document_add_set(doc, variants, 2, cpus, 2);
	measure(fake, doc, true);
	if (summarise_variants(doc) || summarise_comparisons(doc))
		abort();
	return doc;
}

struct document *fake_compare(struct fake *fake, unsigned int nr_variants,
			      unsigned int placements, unsigned int rounds)
{
	return fake_compare_seeded(fake, nr_variants, placements, rounds, 7);
}

static void repeat(struct measure *measure, struct document *doc,
		   unsigned int variant)
{
	const struct set *rounds = &doc->sets[0];
	struct set *set = document_add_set(doc, &rounds->variants[variant], 1,
					   rounds->cpus, rounds->nr_cpus);
	struct fault fault;

	set->role = SET_REPETITIONS;
	for (u32 i = 0; i < doc->replay.asked; i++)
		if (replay_repeat(measure, doc, set, &fault))
			abort();
}

struct document *fake_replay(struct fake *fake, u32 unit)
{
	struct backend backend = { .ops = &fake_backend, .priv = fake };
	struct measure measure = { .backend = &backend,
				   .sample_shift = 4,
				   .node = -1,
				   .deadline = UINT64_MAX };
	struct document *doc = contend(fake, "replay", 2, 6, 12, 7);
	const double first = fake->rate[0];

	doc->replay = (struct replay){
		.work = 500, .unit = unit, .warmup = 1, .asked = 3
	};
	strcpy(doc->replay.name, "fake");
	rng_seed(&measure.rng, doc->seed);
	for (unsigned int v = 0; v < 2; v++) {
		fake->rate[0] = v ? fake->rate[v] : first;
		repeat(&measure, doc, v);
	}
	fake->rate[0] = first;
	document_forget_findings(doc);
	if (findings_make(doc))
		abort();
	return doc;
}

static struct document *finish_cost(struct fake *fake, struct document *doc,
				    const struct spindelay_variant *variants,
				    unsigned int nr)
{
	const u32 cpu = 0;

	doc->placements = 1;
	doc->rounds = 20;
	document_add_set(doc, variants, nr, &cpu, 1);
	measure(fake, doc, false);
	if (summarise_costs(doc))
		abort();
	return doc;
}

struct document *fake_sleeping_cost(struct fake *fake)
{
	const struct spindelay_variant held = { .lock = SPIN_LOCK_ttas,
						.delay = SPIN_DELAY_wfe,
						.count = 1,
						.flags = SPINDELAY_HELD };

	return finish_cost(fake, new_document("cost"), &held, 1);
}

struct document *fake_cost(struct fake *fake, u32 count)
{
	struct document *doc = new_document("cost");
	struct spindelay_variant variants[COST_VARIANTS] = { 0 };

	for (unsigned int i = 0; i < COST_VARIANTS; i++) {
		variants[i].lock = SPIN_LOCK_ttas;
		variants[i].delay = SPIN_DELAY_isb;
		variants[i].count = count;
		variants[i].flags = SPINDELAY_BURST;
		variants[i].burst = 100;
	}
	variants[COST_DOUBLE].flags |= SPINDELAY_BURST_DOUBLE;
	variants[COST_HELD].flags = SPINDELAY_HELD;
	variants[COST_HELD].burst = 0;
	return finish_cost(fake, doc, variants, COST_VARIANTS);
}
