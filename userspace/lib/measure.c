// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/comparison.h"
#include "lib/measure.h"
#include "lib/summary.h"
#include "lib/variant.h"

/* The longest of the plan's polls, as far as counts tell. */
static const struct spindelay_variant *
longest_poll(const struct spindelay_plan *plan)
{
	const struct spindelay_variant *v =
		(const void *)(uintptr_t)plan->variants;
	const struct spindelay_variant *longest = v;

	for (u32 i = 1; i < plan->nr_variants; i++)
		if (v[i].count + v[i].pad > longest->count + longest->pad)
			longest = &v[i];
	return longest;
}

/* All else that can be too large has been checked before. */
static int long_poll(const struct spindelay_plan *plan, struct fault *fault)
{
	char name[VARIANT_TEXT_MAX];

	return fault_set(
		fault, STATUS_USAGE,
		"%s: one poll takes longer than 1/%d of a window, %u us: lower its count or its padding, or take a longer --window (up to %g ms)",
		variant_delay_format(longest_poll(plan), name),
		SPINDELAY_WORK_SHARE_MAX,
		plan->window_ns / SPINDELAY_WORK_SHARE_MAX / 1000,
		SPINDELAY_WINDOW_NS_MAX / 1e6);
}

/* What the threads of the tool can answer, and the module cannot. */
static int user_fault(int err, struct fault *fault)
{
	switch (err) {
	case -ENODEV:
		return fault_set(
			fault, STATUS_ERROR,
			"a CPU of the run went offline, or this process may not run on it: name others with --cpus");
	case -EOPNOTSUPP:
		return fault_set(
			fault, STATUS_UNSUPPORTED,
			"user threads on this machine cannot execute one of the delays or locks");
	case -EAGAIN:
		return fault_set(
			fault, STATUS_ERROR,
			"no more threads or timers can be had: raise the limits of this user (ulimit -u, ulimit -i)");
	default:
		return fault_set(fault, STATUS_ERROR,
				 "the plan could not be run in threads: %s",
				 strerror(-err));
	}
}

static int run_fault(int err, const struct spindelay_plan *plan, bool user,
		     struct fault *fault)
{
	if (user && err != -E2BIG)
		return user_fault(err, fault);

	switch (err) {
	case -ENODEV:
		return fault_set(fault, STATUS_ERROR,
				 "a CPU of the run went offline");
	case -EOPNOTSUPP:
		return fault_set(
			fault, STATUS_UNSUPPORTED,
			"the module says that this system cannot execute one of the delays");
	case -EBUSY:
		return fault_set(fault, STATUS_ERROR,
				 "the module is busy with another run");
	case -EPERM:
		return fault_set(
			fault, STATUS_ERROR,
			"no permission to run: this takes CAP_SYS_ADMIN, so run it as root");
	case -E2BIG:
		return long_poll(plan, fault);
	case -EINVAL:
		return fault_set(
			fault, STATUS_ERROR,
			"the module does not understand the plan: install and load module and tool of one build");
	default:
		return fault_set(fault, STATUS_ERROR,
				 "the module could not run the plan: %s",
				 strerror(-err));
	}
}

static int out_of_memory(struct fault *fault)
{
	return fault_set(fault, STATUS_ERROR, "out of memory for results");
}

/* Take over what a call brought, without its warm-up. */
static int keep_windows(const struct call *call, struct set *set,
			unsigned int first_round, struct fault *fault)
{
	unsigned int nr_cpus = set->nr_cpus;
	struct window *window;

	for (u32 i = call->warmups; i < call->plan.nr_windows; i++) {
		window = set_add_window(set);
		if (!window)
			return out_of_memory(fault);
		window->placement = set->nr_placements - 1;
		window->round =
			first_round + (i - call->warmups) / set->nr_variants;
		window->abi = call->windows[i];
		memcpy(window->records, call->records + (size_t)i * nr_cpus,
		       nr_cpus * sizeof(*window->records));
		memcpy(window->hist,
		       call->hists + (size_t)i * SPINDELAY_HIST_BUCKETS,
		       SPINDELAY_HIST_BUCKETS * sizeof(*window->hist));
	}
	return 0;
}

int measure_call(struct measure *measure, struct document *doc,
		 struct call *call, struct fault *fault)
{
	int err = measure->backend->ops->run(measure->backend, &call->plan);

	if (err)
		return run_fault(err, &call->plan, doc->user, fault);
	doc->chain_fs = call->plan.chain_fs;
	doc->machine.counter_hz = call->plan.counter_hz;
	return 0;
}

static int run_rounds(struct measure *measure, struct document *doc,
		      struct set *set, const u32 *order, unsigned int first,
		      unsigned int rounds, struct fault *fault)
{
	const struct call_shape shape = {
		.variants = set->variants,
		.nr_variants = set->nr_variants,
		.place = &set->placements[set->nr_placements - 1],
		.nr_cpus = set->nr_cpus,
		.window_ns = doc->window_ns,
		.sample_shift = measure->sample_shift,
		.chain_fs = doc->chain_fs,
	};
	struct call call;
	int err;

	if (call_build(&call, &shape, order + (size_t)first * set->nr_variants,
		       rounds, fault))
		return -1;
	err = measure_call(measure, doc, &call, fault);
	if (!err)
		err = keep_windows(&call, set, first, fault);
	call_free(&call);
	return err;
}

static int run_order(struct measure *measure, struct document *doc,
		     struct set *set, const u32 *order, struct fault *fault)
{
	unsigned int most = plan_rounds_per_call(set->nr_variants, set->nr_cpus,
						 doc->window_ns);
	unsigned int rounds;

	if (!most)
		return fault_set(
			fault, STATUS_USAGE,
			"a round of %u variants on %u CPUs with windows of %u us does not fit into one call of %llu ms, %u windows and %u bytes",
			set->nr_variants, set->nr_cpus, doc->window_ns / 1000,
			SPINDELAY_PLAN_NS_MAX / 1000000, SPINDELAY_WINDOWS_MAX,
			SPINDELAY_RESULT_BYTES_MAX);
	for (unsigned int first = 0; first < doc->rounds; first += rounds) {
		/* --time caps: what has been measured by then is the result. */
		if (first && now_ns() > measure->deadline)
			break;
		rounds = doc->rounds - first;
		if (rounds > most)
			rounds = most;
		if (run_rounds(measure, doc, set, order, first, rounds, fault))
			return -1;
		progress_add(&measure->progress,
			     (u64)rounds * set->nr_variants);
	}
	return 0;
}

static bool swap_next(struct measure *measure, const struct set *set)
{
	if (!measure->swap_copies)
		return false;
	if (set->nr_placements < 2)
		return rng_below(&measure->rng, 2);
	return !set->placements[set->nr_placements - 2].swapped;
}

int measure_placement(struct measure *measure, struct document *doc,
		      struct set *set, struct fault *fault)
{
	struct placement *place = set_add_placement(set);
	u32 *order;
	int err;

	order = calloc((size_t)doc->rounds * set->nr_variants, sizeof(*order));
	if (!place || !order) {
		free(order);
		return out_of_memory(fault);
	}
	place->node = measure->node;
	place->swapped = swap_next(measure, set);
	plan_place(&measure->rng, place, set->cpus, set->nr_cpus,
		   doc->order == ORDER_RANDOM);
	plan_order(&measure->rng, set->nr_variants, doc->rounds, order);
	err = run_order(measure, doc, set, order, fault);
	free(order);
	return err;
}

/* A placement of which nothing can be used answers nothing. */
static bool all_have_rounds(const struct document *doc)
{
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		if (!set_has_valid_round(&doc->sets[s]))
			return false;
	return true;
}

static bool set_done(const struct document *doc, unsigned int set)
{
	if (!set_is_compared(&doc->sets[set]))
		return true;
	if (doc->sets[set].nr_placements >= doc->placements)
		return true;
	return doc->precision &&
	       doc->sets[set].nr_placements >= STATS_PLACEMENTS_MIN &&
	       comparisons_precise(doc, set);
}

/* Each set is run at least once, whatever comes of it. */
static bool given_up(const struct measure *measure, const struct set *set,
		     u64 now)
{
	return measure->give_up && now > measure->give_up && set->nr_placements;
}

/* One more placement of each set that needs it. */
static int measure_turn(struct measure *measure, struct document *doc,
			u64 *longest, bool *more, struct fault *fault)
{
	u64 start;

	*more = false;
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		if (set_done(doc, s))
			continue;
		start = now_ns();
		if (start + *longest > measure->deadline &&
		    (all_have_rounds(doc) ||
		     given_up(measure, &doc->sets[s], start))) {
			*more = false;
			return 0;
		}
		if (measure_placement(measure, doc, &doc->sets[s], fault))
			return -1;
		*more = true;
		if (now_ns() - start > *longest)
			*longest = now_ns() - start;
	}
	return 0;
}

int measure_all(struct measure *measure, struct document *doc,
		struct fault *fault)
{
	u64 longest = 0;
	bool more = true;

	if (doc->precision &&
	    (summarise_equal_times(doc) || comparisons_list(doc)))
		return out_of_memory(fault);
	while (more)
		if (measure_turn(measure, doc, &longest, &more, fault))
			return -1;
	return 0;
}

u64 measure_windows(const struct document *doc)
{
	u64 windows = 0;

	for (unsigned int s = 0; !doc->precision && s < doc->nr_sets; s++)
		if (set_is_compared(&doc->sets[s]))
			windows += (u64)doc->placements * doc->rounds *
				   doc->sets[s].nr_variants;
	return windows;
}
