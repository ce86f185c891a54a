// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "lib/pilot.h"

#define PILOT_STEPS 4
/* A guess from a few ticks may be far off: never jump further than this. */
#define PILOT_STEP_MAX 64

u32 pilot_next_burst(u32 burst, u64 ticks, u32 counter_hz)
{
	double ns = (ticks ? ticks : 1) * 1e9 / counter_hz;
	double factor = PILOT_BURST_NS / ns;
	double next;

	if (factor > PILOT_STEP_MAX)
		factor = PILOT_STEP_MAX;
	next = burst * factor;
	if (next < 1)
		return 1;
	return next < SPINDELAY_BURST_MAX ? next : SPINDELAY_BURST_MAX;
}

static int step(struct measure *measure, struct document *doc,
		const struct call_shape *shape, const u32 *order, u32 *bursts,
		struct fault *fault)
{
	const struct spindelay_record *record;
	struct call call;
	int err;

	if (call_build(&call, shape, order, 1, fault))
		return -1;
	err = measure_call(measure, doc, &call, fault);
	for (u32 i = 0; !err && i < shape->nr_variants; i++) {
		record = &call.records[call.warmups + i];
		bursts[i] = pilot_next_burst(bursts[i], record->burst_min,
					     doc->machine.counter_hz);
	}
	call_free(&call);
	return err;
}

int pilot_bursts(struct measure *measure, struct document *doc,
		 const struct spindelay_variant *variants,
		 unsigned int nr_variants, u32 cpu, u32 *bursts,
		 struct fault *fault)
{
	struct spindelay_variant v[SPINDELAY_VARIANTS_MAX];
	struct placement place = { .node = measure->node, .cpus = &cpu };
	struct call_shape shape = {
		.variants = v,
		.nr_variants = nr_variants,
		.place = &place,
		.nr_cpus = 1,
		.window_ns = doc->window_ns,
		.sample_shift = measure->sample_shift,
	};
	u32 order[SPINDELAY_VARIANTS_MAX];

	for (unsigned int i = 0; i < nr_variants; i++) {
		order[i] = i;
		bursts[i] = 1;
	}
	for (unsigned int n = 0; n < PILOT_STEPS; n++) {
		for (unsigned int i = 0; i < nr_variants; i++) {
			v[i] = variants[i];
			v[i].hold_ns = 0;
			v[i].think_ns = 0;
			v[i].flags = SPINDELAY_BURST;
			v[i].burst = bursts[i];
		}
		shape.chain_fs = doc->chain_fs;
		if (step(measure, doc, &shape, order, bursts, fault))
			return -1;
	}
	return 0;
}
