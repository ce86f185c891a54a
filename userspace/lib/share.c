// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/names.h"
#include "lib/record.h"
#include "lib/share.h"
#include "lib/stats.h"
#include "lib/summary.h"
#include "lib/variant.h"

/* Tries without a valid window that a probe is given even when time is over. */
#define ATTEMPTS 5
/* Part of the bracket, in logarithms, that a step leaves at either end. */
#define MARGIN 0.1
/* Of a lock that sleeps: the first think, at least, and from one to the next. */
#define CLIMB_FROM_NS 100
#define CLIMB_STEP 2
/* How far one probe may point away from its think, in logarithms. */
#define FARTHEST 0.5

/**
 * struct search - where a share is looked for
 * @measure: how
 * @doc: for which document
 * @set: on which CPUs
 * @variant: the baseline, with the think of the next probe
 * @share: what is looked for
 * @most: the share without any think, or the highest that was found instead
 * @low: think that gives a higher share, ns
 * @at_low: that share
 * @high: think that gives a lower one, ns
 * @at_high: that share
 * @best: think that came closest
 * @at_best: its share
 */
struct search {
	struct measure *measure;
	struct document *doc;
	const struct set *set;
	struct spindelay_variant variant;
	double share;
	double most;
	u32 low;
	double at_low;
	u32 high;
	double at_high;
	u32 best;
	double at_best;
};

/**
 * struct sum - what the windows of one probe tell
 * @shares: of each window
 * @nr_shares: windows in which it is known
 * @timed: waits that were timed
 * @spin: ticks in the spin loop
 * @ticks: ticks
 */
struct sum {
	double shares[SHARE_PLACEMENTS * SHARE_WINDOWS];
	size_t nr_shares;
	u64 timed;
	double spin;
	double ticks;
};

static void add_window(struct sum *sum, const struct spindelay_record *cpus,
		       u32 nr)
{
	double *share = &sum->shares[sum->nr_shares];

	*share = summary_window_share(cpus, nr);
	sum->nr_shares += !isnan(*share);
	for (u32 i = 0; i < nr; i++) {
		sum->timed += cpus[i].timed_spins;
		sum->ticks += cpus[i].ticks;
	}
}

static void add_call(struct sum *sum, const struct call *call)
{
	struct spindelay_record cpus[SPINDELAY_CPUS_MAX] = { 0 };
	const u32 nr = call->plan.nr_cpus;

	for (u32 w = call->warmups; w < call->plan.nr_windows; w++) {
		const struct spindelay_record *record = &call->records[w * nr];

		if (call->windows[w].invalid)
			continue;
		add_window(sum, record, nr);
		for (u32 i = 0; i < nr; i++)
			record_add(&cpus[i], &record[i]);
	}
	sum->spin += summary_spin_ticks(cpus, nr);
}

/* The windows of one placement, added to what the earlier ones brought. */
static int probe_placement(struct search *search, struct rng *rng,
			   struct sum *sum, struct fault *fault)
{
	static const u32 order[SHARE_WINDOWS];
	const struct set *set = search->set;
	u32 cpus[SPINDELAY_CPUS_MAX];
	struct placement place = { .node = search->measure->node,
				   .cpus = cpus };
	const struct call_shape shape = {
		.variants = &search->variant,
		.nr_variants = 1,
		.place = &place,
		.nr_cpus = set->nr_cpus,
		.window_ns = search->doc->window_ns,
		.sample_shift = search->measure->sample_shift,
		.chain_fs = search->doc->chain_fs,
	};
	struct call call;
	int err;

	plan_place(rng, &place, set->cpus, set->nr_cpus,
		   search->doc->order == ORDER_RANDOM);
	if (call_build(&call, &shape, order, SHARE_WINDOWS, fault))
		return -1;
	err = measure_call(search->measure, search->doc, &call, fault);
	if (!err)
		add_call(sum, &call);
	call_free(&call);
	return err;
}

/* The delay share with a think, in the places that come from @places. */
static int probe_at(struct search *search, u32 think, u64 places, double *share,
		    struct fault *fault)
{
	struct sum sum;
	struct rng rng;
	unsigned int n = 0;

	search->variant.think_ns = think;
	do {
		if (n >= ATTEMPTS &&
		    now_ns() > search->measure->calibrate_until)
			return fault_set(
				fault, STATUS_NOISY,
				"--share: no valid window in %u tries with a think of %u ns, so %g %% cannot be looked for",
				n, think, 100 * search->share);
		n++;
		memset(&sum, 0, sizeof(sum));
		rng_seed(&rng, places);
		for (unsigned int p = 0; p < SHARE_PLACEMENTS; p++)
			if (probe_placement(search, &rng, &sum, fault))
				return -1;
	} while (!sum.ticks);
	*share = summary_delay_share(sum.shares, sum.nr_shares, sum.timed,
				     sum.spin / sum.ticks);
	return 0;
}

/* Each probe of the search is in the same places. */
static int probe(struct search *search, u32 think, double *share,
		 struct fault *fault)
{
	if (probe_at(search, think, search->doc->seed, share, fault))
		return -1;
	if (fabs(*share - search->share) <
	    fabs(search->at_best - search->share)) {
		search->best = think;
		search->at_best = *share;
	}
	return 0;
}

static enum share_found out_of_reach(const struct search *search,
				     const char *which, double limit,
				     struct fault *fault)
{
	char name[VARIANT_TEXT_MAX];

	fault_set(
		fault, STATUS_ERROR,
		"--share: %g %% is out of reach: the %s delay share of %s on %u CPU%s is %.1f %%, with a think of %u ns",
		100 * search->share, which,
		variant_format(&search->variant, name), search->set->nr_cpus,
		search->set->nr_cpus == 1 ? "" : "s", 100 * limit,
		search->variant.think_ns);
	return SHARE_OUT_OF_REACH;
}

/*
 * Waiters of a lock that sleeps do not poll meanwhile: without any think they may
 * be asleep most of the time, and poll more where they are left some room.
 */
static int climb(struct search *search, struct fault *fault)
{
	u32 think = fmax(search->variant.hold_ns, CLIMB_FROM_NS) / CLIMB_STEP;
	double share;

	if (!lock_has(search->variant.lock, SPIN_PARKS))
		return 0;
	for (; search->most < search->share && think < search->high &&
	       now_ns() < search->measure->calibrate_until;
	     think *= CLIMB_STEP) {
		if (probe(search, think, &share, fault))
			return -1;
		if (share <= search->most)
			continue;
		search->most = share;
		search->low = think;
		search->at_low = share;
	}
	search->variant.think_ns = search->low;
	return 0;
}

/* Both ends of what can be asked for. */
static enum share_found probe_ends(struct search *search, struct fault *fault)
{
	const struct spindelay_variant *v = &search->variant;

	search->low = 0;
	search->high =
		search->doc->window_ns / SPINDELAY_WORK_SHARE_MAX - v->hold_ns;
	if (probe(search, search->low, &search->at_low, fault))
		return SHARE_FAILED;
	search->most = search->at_low;
	if (search->at_low < search->share - SHARE_TOLERANCE &&
	    climb(search, fault))
		return SHARE_FAILED;
	if (search->at_low < search->share - SHARE_TOLERANCE)
		return out_of_reach(search, "highest", search->at_low, fault);
	if (fabs(search->at_best - search->share) <= SHARE_TOLERANCE)
		return SHARE_MET;
	if (probe(search, search->high, &search->at_high, fault))
		return SHARE_FAILED;
	if (search->at_high > search->share + SHARE_TOLERANCE)
		return out_of_reach(search, "lowest", search->at_high, fault);
	return SHARE_MET;
}

/*
 * The next think to try: interpolated in the logarithm of think every other
 * time, and halved in between, so that a crooked curve cannot hold it up.
 */
static u32 next_think(const struct search *search, unsigned int step)
{
	double low = log1p(search->low), high = log1p(search->high);
	double part = 0.5;

	if (step % 2 && search->at_low > search->at_high)
		part = (search->at_low - search->share) /
		       (search->at_low - search->at_high);
	part = fmin(fmax(part, MARGIN), 1 - MARGIN);
	return lround(expm1(low + part * (high - low)));
}

/* Noise may have led astray: open what has closed without a hit. */
static void open_again(struct search *search)
{
	const u32 most = search->doc->window_ns / SPINDELAY_WORK_SHARE_MAX -
			 search->variant.hold_ns;

	if (search->high - search->low > 1 + search->low / 100)
		return;
	search->low /= 2;
	search->high = search->high > most / 2 ? most : 2 * search->high;
	search->at_low = search->share;
	search->at_high = search->share;
}

static enum share_found narrow(struct search *search, struct fault *fault)
{
	unsigned int step;
	u32 think;
	double share;

	for (step = 1; step <= SHARE_STEPS; step++) {
		if (fabs(search->at_best - search->share) <= SHARE_TOLERANCE ||
		    now_ns() > search->measure->calibrate_until)
			break;
		think = next_think(search, step);
		if (probe(search, think, &share, fault))
			return SHARE_FAILED;
		if (share > search->share) {
			search->low = think;
			search->at_low = share;
		} else {
			search->high = think;
			search->at_high = share;
		}
		open_again(search);
	}
	if (fabs(search->at_best - search->share) <= SHARE_TOLERANCE)
		return SHARE_MET;
	fault_set(
		fault, STATUS_NOISY,
		"--share: %g %% was not met within %g %% in %u steps; the closest was %.1f %%, with a think of %u ns",
		100 * search->share, 100 * SHARE_TOLERANCE, step - 1,
		100 * search->at_best, search->best);
	return SHARE_NEAR;
}

/*
 * What the share falls by with the logarithm of think: as between the ends that
 * the search came to, but at least as that of a lock of which the rest of the
 * time is work. Two CPUs that take turns have a much steeper one.
 */
static double slope(const struct search *search)
{
	double rest = search->share * (1 - search->share / search->most);
	double between = (search->at_low - search->at_high) /
			 (log1p(search->high) - log1p(search->low));

	return fmax(rest, between);
}

/* The think that a probe points to, a logarithm. */
static double towards(const struct search *search, u32 think, double share)
{
	double off = share - search->share, by = slope(search);

	if (!(by > 0))
		return log1p(think);
	return log1p(think) + fmin(fmax(off / by, -FARTHEST), FARTHEST);
}

/*
 * The search ends with the first probe that comes near, and that may be chance. So
 * look again, in places of their own, and take the middle of what they point to.
 */
static int settle(struct search *search, struct fault *fault)
{
	const u32 most = search->doc->window_ns / SPINDELAY_WORK_SHARE_MAX -
			 search->variant.hold_ns;
	double thinks[SHARE_SETTLE], share, think;

	for (unsigned int n = 0; n < SHARE_SETTLE; n++) {
		if (now_ns() > search->measure->calibrate_until)
			return 0;
		if (probe_at(search, search->best, search->doc->seed + 1 + n,
			     &share, fault))
			return -1;
		thinks[n] = towards(search, search->best, share);
		think = expm1(stats_median(thinks, n + 1));
		search->best = lround(fmin(fmax(think, 0), most));
	}
	return 0;
}

static void take_over(const struct search *search, struct set *set,
		      unsigned int baseline)
{
	set->share = search->share;
	set->share_variant = baseline;
	for (unsigned int i = 0; i < set->nr_variants; i++)
		set->variants[i].think_ns = search->best;
}

enum share_found share_choose(struct measure *measure, struct document *doc,
			      struct set *set, unsigned int baseline,
			      double share, struct fault *fault)
{
	struct search search = {
		.measure = measure,
		.doc = doc,
		.set = set,
		.variant = set->variants[baseline],
		.share = share,
		.at_best = INFINITY,
	};
	char name[VARIANT_TEXT_MAX];
	enum share_found found;

	if (!lock_has(search.variant.lock, SPIN_POLLS)) {
		fault_set(
			fault, STATUS_USAGE,
			"--share: %s has no polls that are counted, so no delay share",
			variant_format(&search.variant, name));
		return SHARE_FAILED;
	}
	found = probe_ends(&search, fault);
	if (found == SHARE_MET)
		found = narrow(&search, fault);
	if (found == SHARE_MET && settle(&search, fault))
		found = SHARE_FAILED;
	if (found == SHARE_MET || found == SHARE_NEAR)
		take_over(&search, set, baseline);
	return found;
}
