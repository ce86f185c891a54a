// SPDX-License-Identifier: GPL-2.0-or-later
/* The same choices as the module's engine makes, module/engine.c. */
#include <errno.h>
#include <stdint.h>

#include "lib/names.h"
#include "lib/user_variant.h"

/* Polls between two looks at the stop flag take about this long. */
#define BUDGET_NS 20000
#define BUDGET_MAX 1024
/* A single burst is no longer than this. */
#define BURST_NS_MAX 2000000
/* Placebo iterations in one calibration burst, and how many bursts. */
#define CALIBRATION_LOOPS 32768
#define CALIBRATION_BURSTS 8
#define PILOT_PASSES 3

_Static_assert(SPINDELAY_BACKOFF_UNTIL_WOKEN == SPIN_UNTIL_WOKEN,
	       "the ABI and the lock mean the same");

static u64 time_chain(unsigned long n)
{
	u64 since = spin_clock();

	spin_chain(n);
	return spin_clock() - since;
}

/* The shortest of a few bursts was not interrupted. */
static u32 measure_chain(const struct user_machine *machine)
{
	u64 best = UINT64_MAX, ticks;
	double fs;

	for (int i = 0; i < CALIBRATION_BURSTS; i++) {
		ticks = time_chain(CALIBRATION_LOOPS);
		if (ticks < best)
			best = ticks;
	}
	fs = best * 1e15 / machine->hz / CALIBRATION_LOOPS;
	if (fs > UINT32_MAX / 2)
		return UINT32_MAX / 2;
	return fs < 1 ? 1 : fs;
}

u32 user_calibrate_chain(const struct user_machine *machine, u32 asked)
{
	u32 measured = measure_chain(machine);

	if (!asked)
		return measured;
	if (asked < measured / 2)
		return measured / 2;
	return asked > measured * 2 ? measured * 2 : asked;
}

static unsigned long ns_to_chain(u32 ns, u32 chain_fs)
{
	return ((u64)ns * 1000000 + chain_fs / 2) / chain_fs;
}

static u32 form_of(const struct spindelay_variant *variant)
{
	if (variant->pad)
		return SPIN_PADDED;
	return variant->count == 1 ? SPIN_ONE : SPIN_MANY;
}

static u64 wfet_limit(const struct user_machine *machine,
		      const struct spindelay_variant *variant)
{
	return user_ticks(machine,
			  variant->wfet_ns ?: SPINDELAY_WFET_NS_DEFAULT);
}

/* Ticks that a burst function takes once: the shortest of a few. */
static u64 time_burst(void (*burst)(struct spin_worker *),
		      struct spin_worker *worker)
{
	u64 best = UINT64_MAX, ticks;

	for (int i = 0; i < PILOT_PASSES; i++) {
		ticks = spin_clock();
		burst(worker);
		ticks = spin_clock() - ticks;
		if (ticks < best)
			best = ticks;
	}
	return best;
}

/* Ticks of @copies of a variant's delay, 1 or 16, less those of none at all. */
static u64 pilot(const struct user_machine *machine,
		 const struct spindelay_variant *variant, void *word,
		 u32 copies)
{
	struct spin_worker worker = {
		.lock = word,
		.work = { .count = variant->count,
			  .pad = variant->pad,
			  .burst = 1,
			  .limit = wfet_limit(machine, variant) },
	};
	const u32 form = form_of(variant);
	u64 with = time_burst(machine->loops
				      ->burst[variant->delay][form][copies > 1],
			      &worker);
	u64 without =
		time_burst(machine->loops->burst[SPIN_DELAY_none][SPIN_ONE][0],
			   &worker);

	return with > without ? with - without : 0;
}

/* Single and double are judged alike, or only one of them would be run. */
static bool burst_is_short(const struct user_machine *machine,
			   const struct spindelay_variant *variant, void *word,
			   u64 once)
{
	u64 limit = user_ticks(machine, BURST_NS_MAX);

	if (once * SPINDELAY_BURST_COPIES > limit)
		return false;
	return pilot(machine, variant, word, SPINDELAY_BURST_COPIES) *
		       variant->burst <=
	       limit;
}

static void prepare_burst(const struct user_machine *machine,
			  const struct spindelay_variant *variant, void *word,
			  u64 once, struct user_variant *ready)
{
	bool twice = variant->flags & SPINDELAY_BURST_DOUBLE;

	ready->run = machine->loops->burst[variant->delay][form_of(variant)]
					  [twice ? 2 : 1];
	ready->burst = true;
	ready->copies = SPINDELAY_BURST_COPIES << twice;
	ready->work.burst = variant->burst;
	ready->burst_allowed = burst_is_short(machine, variant, word, once);
}

static u32 first_rounds(const struct spindelay_variant *v)
{
	if (v->lock == SPIN_LOCK_postgres_slock)
		return v->sync_spin_loops ?: SPINDELAY_SPINS_PER_DELAY_DEFAULT;
	return v->sync_spin_loops;
}

static struct spin_preset preset_of(const struct spindelay_backoff *b)
{
	return (struct spin_preset){
		.first = b->first,
		.growth = b->growth,
		.step = b->step,
		.most = b->most,
		.wrap = b->wrap,
		.afresh = b->afresh,
		.idle = b->idle,
		.weight = b->weight,
		.yield_from = b->yield_from,
		.yield_less = b->yield_less,
		.looks = b->looks,
		.nap_us = b->nap_us,
	};
}

static void prepare_loop(const struct user_machine *machine,
			 const struct spindelay_variant *v,
			 struct user_variant *ready)
{
	const struct spin_loops *loops = machine->loops;

	*ready = (struct user_variant){
		.lock = v->lock,
		.excludes = lock_has(v->lock, SPIN_EXCLUDES),
		.parks = lock_has(v->lock, SPIN_PARKS) &&
			 !(v->flags & SPINDELAY_BURST),
		.held = v->flags & SPINDELAY_HELD,
		.pace = v->lock == SPIN_LOCK_pace,
		.run = v->flags & SPINDELAY_TWIN ?
			       loops->twin[v->lock][v->delay] :
			       loops->contend[v->lock][v->delay][form_of(v)],
		.patience = { .delay_max = v->spin_wait_delay,
			      .multiplier = v->pause_multiplier,
			      .rounds = first_rounds(v),
			      .read_share = v->read_share,
			      .preset = preset_of(&v->backoff) },
	};
}

static void prepare_work(const struct user_machine *machine,
			 const struct spindelay_plan *plan,
			 const struct spindelay_variant *v, u64 once,
			 struct spin_work *work)
{
	u64 budget = user_ticks(machine, BUDGET_NS) / (once + 1);

	*work = (struct spin_work){
		.count = v->count,
		.pad = v->pad,
		.budget = budget > BUDGET_MAX ? BUDGET_MAX :
			  budget	      ?:
						1,
		.period = 1U << plan->sample_shift,
		.burst = 1,
		.hold = ns_to_chain(v->hold_ns, plan->chain_fs),
		.think = ns_to_chain(v->think_ns, plan->chain_fs),
		.nr_lines = v->lines,
		.limit = wfet_limit(machine, v),
		.backoff_min = v->backoff_min ?: SPINDELAY_BACKOFF_MIN_DEFAULT,
		.backoff_max = v->backoff_max ?: SPINDELAY_BACKOFF_MAX_DEFAULT,
	};
	work->jitter = 2 * work->think * v->jitter / 100;
	if (delay_has(v->delay, SPIN_SLEEPS))
		work->budget = 1;
}

static u64 longest_turn(const struct user_machine *machine,
			const struct spindelay_variant *v, u64 poll)
{
	u64 think = (u64)v->think_ns * (100 + v->jitter) / 100;

	return user_ticks(machine, v->hold_ns + think) + poll;
}

int user_variant_prepare(const struct user_machine *machine,
			 const struct spindelay_plan *plan,
			 const struct spindelay_variant *variant, void *word,
			 struct user_variant *ready)
{
	u64 once = 0;

	/* What sleeps looks at the stop flag whenever it wakes. */
	if (!delay_has(variant->delay, SPIN_SLEEPS))
		once = pilot(machine, variant, word, 1);
	if (once >
	    user_ticks(machine, plan->window_ns / SPINDELAY_WORK_SHARE_MAX))
		return -E2BIG;
	prepare_loop(machine, variant, ready);
	ready->turn = longest_turn(machine, variant, once);
	prepare_work(machine, plan, variant, once, &ready->work);
	if (variant->flags & SPINDELAY_BURST)
		prepare_burst(machine, variant, word, once, ready);
	return 0;
}
