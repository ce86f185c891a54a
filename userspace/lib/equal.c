// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "lib/comparison.h"
#include "lib/equal.h"
#include "lib/names.h"
#include "lib/variant.h"

/* The search's random numbers are its own, so that a seed repeats a plan. */
#define EQUAL_SEED 0x657175616cULL

/* Tries with too few valid windows that polls are given even when time is over. */
#define ATTEMPTS 8

/**
 * struct fit - a pair whose polls are made equally long
 * @measure: how
 * @doc: for which document
 * @cpus: where the polls are timed
 * @nr_cpus: how many
 * @a: index of the variant that is compared
 * @b: index of the baseline
 * @of: the shorter one of the two
 * @longer: the other one
 * @pad: placebo that @of has in addition
 * @ns_per_pad: what one more of it costs, ns
 * @more: placements that may still be added
 */
struct fit {
	struct measure *measure;
	struct document *doc;
	const u32 *cpus;
	unsigned int nr_cpus;
	unsigned int a;
	unsigned int b;
	unsigned int of;
	unsigned int longer;
	u32 pad;
	double ns_per_pad;
	unsigned int more;
};

static bool has_period(const struct spindelay_variant *v)
{
	return v->lock == SPIN_LOCK_pace || lock_has(v->lock, SPIN_POLLS);
}

const char *equal_refusal(const struct spindelay_variant *a,
			  const struct spindelay_variant *b)
{
	if (a->lock != b->lock)
		return "they are delays of different locks";
	if (!has_period(a))
		return "the lock executes no delay of ours";
	if (delay_has(a->delay, SPIN_SLEEPS) ||
	    delay_has(b->delay, SPIN_SLEEPS))
		return "a delay that sleeps is as long as it is left asleep";
	return NULL;
}

static int reserve_in_set(struct set *set, struct fault *fault)
{
	const unsigned int base = set_baseline(set);
	struct spindelay_variant padded;

	for (unsigned int a = 0; a < base; a++) {
		if (variant_same_poll(&set->variants[a],
				      &set->variants[base]) ||
		    equal_refusal(&set->variants[a], &set->variants[base]))
			continue;
		if (set->nr_variants == SPINDELAY_VARIANTS_MAX)
			return fault_set(
				fault, STATUS_USAGE,
				"more than %u variants at once, with those padded for equal time: fewer of them, or --match count",
				SPINDELAY_VARIANTS_MAX);
		padded = set->variants[a];
		padded.flags &= ~SPINDELAY_TWIN;
		padded.pad += padded.pad < SPINDELAY_PAD_MAX;
		if (set_add_padding(set, &padded, (struct padding){ a, a }))
			return fault_set(fault, STATUS_ERROR, "out of memory");
	}
	return 0;
}

static void note_refusals(struct document *doc)
{
	const struct set *set = &doc->sets[0];
	const struct spindelay_variant *b = &set->variants[set_baseline(set)];
	char name_a[VARIANT_TEXT_MAX], name_b[VARIANT_TEXT_MAX];

	for (unsigned int a = 0; a < set_baseline(set); a++) {
		const char *why = equal_refusal(&set->variants[a], b);

		if (why)
			document_note(
				doc,
				"%s and %s are not compared at equal time: %s",
				variant_format(&set->variants[a], name_a),
				variant_format(b, name_b), why);
	}
}

int equal_reserve(struct document *doc, struct fault *fault)
{
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		if (reserve_in_set(&doc->sets[s], fault))
			return -1;
	note_refusals(doc);
	return 0;
}

static struct spindelay_variant poll_of(const struct spindelay_variant *v,
					u32 pad)
{
	struct spindelay_variant poll = {
		.lock = v->lock,
		.delay = v->delay,
		.count = v->count,
		.pad = v->pad + pad,
		.spin_wait_delay = v->spin_wait_delay,
		.pause_multiplier = v->pause_multiplier,
		.read_share = v->read_share,
		.backoff = v->backoff,
	};

	if (lock_has(v->lock, SPIN_POLLS))
		variant_hold(&poll);
	return poll;
}

static int run_placement(struct fit *fit, struct set *set, struct fault *fault)
{
	struct document *doc = fit->doc;
	const unsigned int rounds = doc->rounds;
	int err;

	doc->rounds = EQUAL_ROUNDS;
	err = measure_placement(fit->measure, doc, set, fault);
	doc->rounds = rounds;
	if (err)
		return -1;
	if (summarise_equal_times(doc))
		return fault_set(fault, STATUS_ERROR, "out of memory");
	return 0;
}

/* Might they agree as well as not, by what has been seen? */
static bool undecided(const struct equal_time *e)
{
	double off = fabs(fabs(e->mismatch) - EQUAL_TOLERANCE);

	return e->rounds >= STATS_ROUNDS_MIN && !(off > e->unsure);
}

/* Run the two polls in turns; the set that says how long they are comes last. */
static int run_polls(struct fit *fit, u32 pad, struct equal_time *found,
		     struct fault *fault)
{
	struct document *doc = fit->doc;
	const struct spindelay_variant *v = doc->sets[0].variants;
	const struct spindelay_variant polls[] = {
		poll_of(&v[fit->of], pad),
		poll_of(&v[fit->longer], 0),
	};
	struct set *set;

	set = document_add_set(doc, polls, 2, fit->cpus, fit->nr_cpus);
	if (!set)
		return fault_set(fault, STATUS_ERROR, "out of memory");
	set->role = SET_PERIODS;
	do {
		if (run_placement(fit, set, fault))
			return -1;
		*found = doc->equal_times[doc->nr_equal_times - 1];
	} while (undecided(found) && fit->more && fit->more--);
	return 0;
}

/* Those windows have said what they had to. */
static void forget_polls(struct fit *fit)
{
	document_drop_set(fit->doc, fit->doc->nr_sets - 1);
	fit->doc->nr_equal_times--;
}

/* The same until enough of it can be used. */
static int time_polls(struct fit *fit, u32 pad, struct equal_time *found,
		      struct fault *fault)
{
	unsigned int n = 0;

	do {
		if (run_polls(fit, pad, found, fault))
			return -1;
		if (found->rounds >= STATS_ROUNDS_MIN)
			return 0;
		forget_polls(fit);
	} while (++n < ATTEMPTS || now_ns() < fit->measure->calibrate_until);
	return fault_set(
		fault, STATUS_NOISY,
		"too few valid windows of polls in %u tries, so they cannot be made equally long; --match count does without",
		n);
}

static u32 next_pad(const struct fit *fit, const struct equal_time *now)
{
	const u32 most =
		SPINDELAY_PAD_MAX - fit->doc->sets[0].variants[fit->of].pad;
	/* From the rounds' ratios, which slow rounds do not spoil. */
	double gap = -now->mismatch * now->longer.estimate;
	double pad = round(fit->pad + gap / fit->ns_per_pad);

	return fmin(fmax(pad, 1), most);
}

/* What one more costs, from what the last step changed. */
static void learn_slope(struct fit *fit, u32 pad, double before, double after)
{
	double slope = (after - before) / ((double)pad - fit->pad);
	double usual = fit->doc->chain_fs / 1e6;

	/* From no padding at all to some is another loop. */
	if (fit->pad && pad != fit->pad && slope > usual / 2 &&
	    slope < 2 * usual)
		fit->ns_per_pad = slope;
}

/* From polls without padding on, until they agree or nothing gets better. */
static int search(struct fit *fit, struct equal_time *now, struct fault *fault)
{
	struct equal_time before;
	u32 pad;

	for (unsigned int step = 0; step < EQUAL_STEPS; step++) {
		before = *now;
		pad = next_pad(fit, now);
		if (pad == fit->pad)
			return 0;
		forget_polls(fit);
		if (time_polls(fit, pad, now, fault))
			return -1;
		learn_slope(fit, pad, before.padded.estimate,
			    now->padded.estimate);
		fit->pad = pad;
		if (now->matched)
			return 0;
	}
	return 0;
}

static void swap(struct fit *fit)
{
	unsigned int of = fit->of;

	fit->of = fit->longer;
	fit->longer = of;
}

static int choose_pad(struct fit *fit, struct fault *fault)
{
	struct equal_time now;

	fit->of = fit->a;
	fit->longer = fit->b;
	if (time_polls(fit, 0, &now, fault))
		return -1;
	if (now.matched)
		return 0;
	if (now.mismatch > 0) {
		swap(fit);
		forget_polls(fit);
		if (time_polls(fit, 0, &now, fault))
			return -1;
	}
	fit->ns_per_pad = fit->doc->chain_fs / 1e6;
	return search(fit, &now, fault);
}

/* Of every set, the padded variant that @fit is for; 0 if there is none. */
static unsigned int reserved(const struct set *set, unsigned int a)
{
	for (unsigned int p = set->nr_asked; p < set->nr_variants; p++)
		if (set->paddings[p - set->nr_asked].against == a)
			return p;
	return 0;
}

static void put_pad(const struct fit *fit)
{
	for (unsigned int s = 0; s < fit->doc->nr_sets; s++) {
		struct set *set = &fit->doc->sets[s];
		unsigned int p = reserved(set, fit->a);

		if (!p)
			continue;
		if (!fit->pad) {
			set_drop_padding(set, p);
			continue;
		}
		set->paddings[p - set->nr_asked].of = fit->of;
		set->variants[p] = set->variants[fit->of];
		set->variants[p].flags &= ~SPINDELAY_TWIN;
		set->variants[p].pad += fit->pad;
	}
}

static int choose_all(struct measure *measure, struct document *doc,
		      struct fault *fault)
{
	const unsigned int base = set_baseline(&doc->sets[0]);

	for (unsigned int a = 0; a < base; a++) {
		const struct set *set = &doc->sets[0];
		struct fit fit = {
			.measure = measure,
			.doc = doc,
			.a = a,
			.b = base,
			.more = EQUAL_MORE,
			.cpus = set->cpus,
			.nr_cpus = lock_has(set->variants[a].lock, SPIN_PAIR) ?
					   2 :
					   1,
		};

		if (!reserved(set, a))
			continue;
		if (choose_pad(&fit, fault))
			return -1;
		put_pad(&fit);
	}
	return 0;
}

int equal_choose(struct measure *measure, struct document *doc,
		 struct fault *fault)
{
	const struct rng rng = measure->rng;
	int err;

	rng_seed(&measure->rng, doc->seed ^ EQUAL_SEED);
	err = choose_all(measure, doc, fault);
	measure->rng = rng;
	return err;
}

void equal_give_up(struct document *doc)
{
	for (unsigned int s = doc->nr_sets; s--;) {
		struct set *set = &doc->sets[s];

		if (set->role == SET_PERIODS) {
			document_drop_set(doc, s);
			continue;
		}
		while (set->nr_variants > set->nr_asked)
			set_drop_padding(set, set->nr_variants - 1);
	}
	doc->nr_equal_times = 0;
}
