// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/compiler.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/names.h"
#include "lib/selftest.h"
#include "lib/variant.h"

/* The work of the timed loops: contended, not saturated. */
#define HOLD_NS 200
#define THINK_NS 400
/* More of a delay than in another variant, so that it must be slower. */
#define CONTROL_COUNT 4
/* Placements of the broken lock beside those of the others, deadline or not. */
#define BROKEN_MORE_MIN 3
#define BROKEN_MORE 20
/* CPUs that are at work at once wait more often than once in so many times. */
#define ACQUISITIONS_PER_SPIN 100
/* Of these pairs of counter and clock the closest is taken. */
#define PAIR_ATTEMPTS 20
/* By how much the counter's frequency may be off. */
#define COUNTER_OFF 0.01
/* Windows are this much longer than asked at most, on average; none is shorter. */
#define WINDOW_LONGER 1.1
#define WINDOW_SHORTER 0.99
/* The engine flags a window that lasts this much longer than asked and a turn. */
#define LATE_NS 1000000

/* ---- what is run ---- */

static int out_of_memory(struct fault *fault)
{
	return fault_set(fault, STATUS_ERROR, "out of memory");
}

static int add_twins(struct document *doc, const u32 *cpus, unsigned int nr)
{
	struct spindelay_variant v[2] = { 0 };

	v[0].lock = SPIN_LOCK_ttas;
	v[0].delay = SPIN_DELAY_isb;
	v[0].count = 1;
	v[0].hold_ns = HOLD_NS;
	v[0].think_ns = THINK_NS;
	v[1] = v[0];
	variant_pair_twins(v, 2);
	return document_add_set(doc, v, 2, cpus, nr) ? 0 : -1;
}

static int add_control(struct document *doc, const u32 *cpus, unsigned int nr)
{
	struct spindelay_variant v[2] = { 0 };

	v[0].lock = SPIN_LOCK_pace;
	v[0].delay = SPIN_DELAY_isb;
	v[0].count = 1;
	v[1] = v[0];
	v[1].count = CONTROL_COUNT;
	return document_add_set(doc, v, 2, cpus, nr) ? 0 : -1;
}

/* The kernel's own lock is there in the kernel alone. */
static bool must_exclude(const struct lock_name *lock, bool user)
{
	return lock->traits & SPIN_EXCLUDES && lock->id != SPIN_LOCK_broken &&
	       !(user && lock->id == SPIN_LOCK_raw_spinlock);
}

/* All locks of the table that claim to exclude: those of a pair, or the rest. */
static int add_locks(struct document *doc, bool pair, const u32 *cpus,
		     unsigned int nr)
{
	struct spindelay_variant v[SPIN_LOCK_END] = { 0 };
	const struct lock_name *locks;
	unsigned int nr_variants = 0;
	size_t nr_locks;

	locks = lock_names(&nr_locks);
	for (size_t i = 0; i < nr_locks; i++) {
		if (!must_exclude(&locks[i], doc->user) ||
		    !(locks[i].traits & SPIN_PAIR) == pair)
			continue;
		v[nr_variants].lock = locks[i].id;
		v[nr_variants].delay = SPIN_DELAY_isb;
		variant_default_waits(&v[nr_variants]);
		v[nr_variants++].count = 1;
	}
	return document_add_set(doc, v, nr_variants, cpus, nr) ? 0 : -1;
}

static int add_broken(struct document *doc, const u32 *cpus, unsigned int nr)
{
	const struct spindelay_variant v = { .lock = SPIN_LOCK_broken,
					     .delay = SPIN_DELAY_isb,
					     .count = 1,
					     .hold_ns = HOLD_NS };

	return document_add_set(doc, &v, 1, cpus, nr) ? 0 : -1;
}

int selftest_add_sets(struct document *doc, const u32 *cpus, unsigned int few,
		      unsigned int most, struct fault *fault)
{
	if (add_twins(doc, cpus, few) || add_twins(doc, cpus, few) ||
	    add_control(doc, cpus, few) || add_locks(doc, false, cpus, most))
		return out_of_memory(fault);
	if (most > 1 &&
	    (add_broken(doc, cpus, most) || add_locks(doc, true, cpus, 2)))
		return out_of_memory(fault);
	return 0;
}

static bool same_sets(const struct document *a, const struct document *b)
{
	for (unsigned int s = 0; s < a->nr_sets; s++)
		if (a->sets[s].nr_cpus != b->sets[s].nr_cpus ||
		    a->sets[s].nr_variants != b->sets[s].nr_variants ||
		    memcmp(a->sets[s].variants, b->sets[s].variants,
			   a->sets[s].nr_variants *
				   sizeof(*a->sets[s].variants)))
			return false;
	return true;
}

bool selftest_check(const struct document *doc)
{
	struct document *own = document_new("selftest");
	struct fault fault;
	bool same = false;

	if (own)
		own->user = doc->user;
	if (own && doc->nr_sets > SELFTEST_LOCKS &&
	    !selftest_add_sets(own, doc->sets[SELFTEST_LOCKS].cpus,
			       doc->sets[SELFTEST_TWINS].nr_cpus,
			       doc->sets[SELFTEST_LOCKS].nr_cpus, &fault))
		same = own->nr_sets == doc->nr_sets && same_sets(own, doc);
	document_free(own);
	return same;
}

/* ---- what came back ---- */

static const struct set *get_set(const struct document *doc,
				 enum selftest_set index)
{
	return index < doc->nr_sets ? &doc->sets[index] : NULL;
}

static u64 set_lost(const struct set *set, unsigned int variant)
{
	u64 lost = 0;

	for (size_t i = 0; i < set->nr_windows; i++) {
		const struct spindelay_window *w = &set->windows[i].abi;

		if (w->variant == variant && w->counted < w->acquisitions)
			lost += w->acquisitions - w->counted;
	}
	return lost;
}

static u64 set_acquisitions(const struct set *set, unsigned int variant)
{
	u64 sum = 0;

	for (size_t i = 0; i < set->nr_windows; i++)
		if (set->windows[i].abi.variant == variant)
			sum += set->windows[i].abi.acquisitions;
	return sum;
}

static int measure_broken(struct measure *measure, struct document *doc,
			  struct fault *fault)
{
	for (int i = 0; i < BROKEN_MORE; i++) {
		if (doc->nr_sets <= SELFTEST_BROKEN ||
		    set_lost(&doc->sets[SELFTEST_BROKEN], 0) ||
		    (i >= BROKEN_MORE_MIN && now_ns() > measure->deadline))
			return 0;
		if (measure_placement(measure, doc, &doc->sets[SELFTEST_BROKEN],
				      fault))
			return -1;
	}
	return 0;
}

int selftest_measure(struct measure *measure, struct document *doc,
		     struct fault *fault)
{
	u64 start, longest = 0;

	for (unsigned int p = 0; p < doc->placements; p++) {
		start = now_ns();
		if (p && start + longest > measure->deadline)
			break;
		for (unsigned int s = 0; s < doc->nr_sets; s++)
			if (measure_placement(measure, doc, &doc->sets[s],
					      fault))
				return -1;
		if (now_ns() - start > longest)
			longest = now_ns() - start;
	}
	return measure_broken(measure, doc, fault);
}

/* Of a round of two: by variant, or by the order in which they ran. */
static double by_variant(const struct set *set, const struct window *round)
{
	unsigned int first = round[0].abi.variant ? 1 : 0;

	return log(window_throughput(set, &round[first]) /
		   window_throughput(set, &round[!first]));
}

static double by_order(const struct set *set, const struct window *round)
{
	return log(window_throughput(set, &round[0]) /
		   window_throughput(set, &round[1]));
}

/* The interval of a log ratio over placements, or of its rounds if they are few. */
static int log_ratio(const struct set *set,
		     double (*ratio)(const struct set *, const struct window *),
		     struct interval *log)
{
	size_t n = 0, first = 0, nr_medians = 0;
	double *d = calloc(set_rounds(set) + 1, sizeof(*d));
	double *medians = calloc(set->nr_placements + 1, sizeof(*medians));

	for (size_t r = 0, p = 0; d && medians && r < set_rounds(set); r++) {
		const struct window *round = &set->windows[2 * r];

		if (round_valid(set, r))
			d[n++] = ratio(set, round);
		if (r + 1 < set_rounds(set) && round[2].placement == p)
			continue;
		p++;
		if (n - first >= STATS_ROUNDS_MIN)
			medians[nr_medians++] =
				stats_median(d + first, n - first);
		first = n;
	}
	if (d && medians)
		*log = nr_medians >= STATS_PLACEMENTS_MIN ?
			       stats_t_interval(medians, nr_medians, 0.95) :
			       stats_placement(d, n, 0.95);
	free(medians);
	free(d);
	return d && medians ? 0 : -1;
}

/* ---- the checks ---- */

static void __printf(4, 5)
	add_check(struct document *doc, const char *name,
		  enum check_outcome outcome, const char *format, ...)
{
	struct check *check = &doc->checks[doc->nr_checks++];
	va_list args;

	check->name = name;
	check->outcome = outcome;
	va_start(args, format);
	vsnprintf(check->detail, sizeof(check->detail), format, args);
	va_end(args);
}

static int resolved(const struct interval *log)
{
	if (!interval_known(log))
		return 0;
	return (log->low > 0) - (log->high < 0);
}

/* Both resolve it in one direction, and neither thinks it small. */
static bool agree(const struct interval log[2])
{
	return resolved(&log[0]) && resolved(&log[0]) == resolved(&log[1]) &&
	       fabs(log[0].estimate) > SELFTEST_BIAS &&
	       fabs(log[1].estimate) > SELFTEST_BIAS;
}

/* How far from equal both may be. */
static double noise_floor(const struct interval log[2])
{
	double floor = 0;

	for (int i = 0; i < 2; i++) {
		floor = fmax(floor, fabs(log[i].low));
		floor = fmax(floor, fabs(log[i].high));
	}
	return expm1(floor);
}

static int two_ratios(const struct document *doc,
		      double (*ratio)(const struct set *,
				      const struct window *),
		      struct interval log[2])
{
	return log_ratio(&doc->sets[SELFTEST_TWINS], ratio, &log[0]) ||
			       log_ratio(&doc->sets[SELFTEST_TWINS_AGAIN],
					 ratio, &log[1]) ?
		       -1 :
		       0;
}

static int check_twins(struct document *doc)
{
	enum check_outcome outcome = CHECK_PASSED;
	struct interval log[2], ratio[2];
	const char *what = "";

	if (two_ratios(doc, by_variant, log))
		return -1;
	if (!interval_known(&log[0]) || !interval_known(&log[1])) {
		add_check(doc, "twins", CHECK_NOISY,
			  "too few valid rounds to compare identical loops");
		return 0;
	}
	if (agree(log)) {
		outcome = CHECK_NOISY;
		what = "identical loops differ, twice: ";
	} else if (noise_floor(log) > SELFTEST_NOISE &&
		   !doc->machine.hypervisor.emulated) {
		outcome = CHECK_NOISY;
		what = "identical loops scatter: ";
	}
	for (int i = 0; i < 2; i++)
		ratio[i] = interval_exp(log[i]);
	add_check(
		doc, "twins", outcome,
		"%s%.4f (%.4f to %.4f) and %.4f (%.4f to %.4f): noise floor %.2f %%",
		what, ratio[0].estimate, ratio[0].low, ratio[0].high,
		ratio[1].estimate, ratio[1].low, ratio[1].high,
		100 * noise_floor(log));
	return 0;
}

static int check_control(struct document *doc)
{
	struct interval log, ratio;

	if (log_ratio(&doc->sets[SELFTEST_CONTROL], by_variant, &log))
		return -1;
	ratio = interval_exp(log);
	if (!interval_known(&log))
		add_check(doc, "control", CHECK_NOISY,
			  "too few valid rounds to see four delays for one");
	else
		add_check(
			doc, "control",
			resolved(&log) > 0 ? CHECK_PASSED : CHECK_NOISY,
			"pace/isb is %.3f times as fast as pace/isb*%d (%.3f to %.3f)%s",
			ratio.estimate, CONTROL_COUNT, ratio.low, ratio.high,
			resolved(&log) > 0 ? "" : ", and must be faster");
	return 0;
}

/*
 * Where virtual CPUs take turns on a core, none ever finds the lock taken, and
 * nothing follows from a lock that is not broken then.
 */
static bool took_turns(const struct set *set, u64 acquisitions)
{
	u64 spins = 0;

	for (size_t i = 0; i < set->nr_windows; i++)
		for (unsigned int c = 0; c < set->nr_cpus; c++)
			spins += set->windows[i].records[c].spins;
	return spins * ACQUISITIONS_PER_SPIN <= acquisitions;
}

static void check_broken(struct document *doc)
{
	const struct set *set = get_set(doc, SELFTEST_BROKEN);
	u64 lost, all;

	if (!set) {
		add_check(doc, "broken", CHECK_SKIPPED,
			  "losing exclusion takes two CPUs");
		return;
	}
	lost = set_lost(set, 0);
	all = set_acquisitions(set, 0);
	if (!lost && took_turns(set, all)) {
		add_check(
			doc, "broken", CHECK_NOISY,
			"the CPUs hardly ever ran at once, so no lock was put to the test");
		return;
	}
	add_check(doc, "broken", lost ? CHECK_PASSED : CHECK_BROKEN,
		  "the broken lock %s: %llu of %llu acquisitions lost",
		  lost ? "is caught" : "was not caught",
		  (unsigned long long)lost, (unsigned long long)all);
}

/* What the locks of a set lost; the name of one that did, or that never ran. */
struct exclusion {
	unsigned int locks;
	u64 acquisitions;
	u64 lost;
	const char *loser;
	const char *idle;
};

static void add_exclusion(struct exclusion *sum, const struct set *set)
{
	for (unsigned int v = 0; set && v < set->nr_variants; v++) {
		const char *name = lock_by_id(set->variants[v].lock)->name;
		u64 lost = set_lost(set, v), all = set_acquisitions(set, v);

		sum->locks++;
		sum->lost += lost;
		sum->acquisitions += all;
		if (lost)
			sum->loser = name;
		if (!all)
			sum->idle = name;
	}
}

static void check_exclusion(struct document *doc)
{
	struct exclusion sum = { 0 };

	add_exclusion(&sum, get_set(doc, SELFTEST_LOCKS));
	add_exclusion(&sum, get_set(doc, SELFTEST_HANDOFF));
	if (sum.loser)
		add_check(doc, "exclusion", CHECK_BROKEN,
			  "%s let two CPUs in at once; %llu acquisitions lost",
			  sum.loser, (unsigned long long)sum.lost);
	else if (sum.idle)
		add_check(doc, "exclusion", CHECK_NOISY,
			  "no window of %s could be run", sum.idle);
	else
		add_check(doc, "exclusion", CHECK_PASSED,
			  "%u locks, %llu acquisitions, none lost", sum.locks,
			  (unsigned long long)sum.acquisitions);
}

/* ---- order ---- */

/* Each round has one window of each variant, one behind the other. */
static bool rounds_are_whole(const struct set *set)
{
	for (size_t r = 0; r < set_rounds(set); r++) {
		const struct window *w = &set->windows[r * set->nr_variants];
		u64 seen = 0;

		for (unsigned int i = 0; i < set->nr_variants; i++)
			seen |= 1ULL << w[i].abi.variant;
		if (seen != (1ULL << set->nr_variants) - 1)
			return false;
	}
	return set->nr_windows % set->nr_variants == 0;
}

/* How much more often variant 0 came first than variant 1. */
static long first_surplus(const struct set *set)
{
	long surplus = 0;

	for (size_t r = 0; r < set_rounds(set); r++)
		surplus += set->windows[2 * r].abi.variant ? -1 : 1;
	return labs(surplus);
}

/* As far as blocks of two rounds can be: one short in each placement. */
static bool balanced(const struct document *doc)
{
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		const struct set *set = &doc->sets[s];
		unsigned int odd = doc->rounds % 2 ? set->nr_placements : 0;

		if (!rounds_are_whole(set))
			return false;
		if (set->nr_variants == 2 && first_surplus(set) > odd)
			return false;
	}
	return true;
}

static int check_order(struct document *doc)
{
	struct interval log[2], ratio[2];

	if (!balanced(doc)) {
		add_check(
			doc, "order", CHECK_BROKEN,
			"the windows did not run as planned: variants come first unequally often");
		return 0;
	}
	if (two_ratios(doc, by_order, log))
		return -1;
	for (int i = 0; i < 2; i++)
		ratio[i] = interval_exp(log[i]);
	if (!interval_known(&log[0]) || !interval_known(&log[1]))
		add_check(doc, "order", CHECK_NOISY,
			  "too few valid rounds to compare first and second");
	else
		add_check(
			doc, "order", agree(log) ? CHECK_NOISY : CHECK_PASSED,
			"balanced; first over second %.4f (%.4f to %.4f) and %.4f (%.4f to %.4f)%s",
			ratio[0].estimate, ratio[0].low, ratio[0].high,
			ratio[1].estimate, ratio[1].low, ratio[1].high,
			agree(log) ? ", twice" : "");
	return 0;
}

/* ---- time ---- */

/* Does the counter of one CPU stand behind that of another, or go back? */
static bool goes_back(const struct set *set)
{
	u64 last = 0;

	for (size_t i = 0; i < set->nr_windows; i++) {
		const struct window *w = &set->windows[i];

		if (w->abi.invalid)
			continue;
		if (w->abi.start < last)
			return true;
		last = w->abi.start + w->abi.ticks;
		for (unsigned int c = 0; c < set->nr_cpus; c++)
			if (w->records[c].start > w->abi.ticks)
				return true;
	}
	return false;
}

static bool counter_goes_back(const struct document *doc)
{
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		if (goes_back(&doc->sets[s]))
			return true;
	return false;
}

/* By how much it is faster than it says, as a fraction; NAN if unknown. */
static double counter_error(const struct document *doc)
{
	const struct counter_pair *begin = &doc->clock[0];
	const struct counter_pair *end = &doc->clock[1];

	if (!begin->ticks || !end->ticks || end->ns <= begin->ns)
		return NAN;
	return (double)(end->ticks - begin->ticks) / doc->machine.counter_hz *
		       1e9 / (end->ns - begin->ns) -
	       1;
}

/* Lengths of the valid windows over what was asked for: median and shortest. */
static int window_lengths(const struct document *doc, double *median,
			  double *shortest)
{
	double asked = 1e-9 * doc->window_ns * doc->machine.counter_hz;
	size_t n = 0, nr_windows = 0;
	double *lengths;

	for (unsigned int s = 0; s < doc->nr_sets; s++)
		nr_windows += doc->sets[s].nr_windows;
	lengths = calloc(nr_windows + 1, sizeof(*lengths));
	if (!lengths)
		return -1;
	*shortest = INFINITY;
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		for (size_t i = 0; i < doc->sets[s].nr_windows; i++) {
			const struct window *w = &doc->sets[s].windows[i];

			if (w->abi.invalid)
				continue;
			lengths[n] = w->abi.ticks / asked;
			*shortest = fmin(*shortest, lengths[n++]);
		}
	}
	*median = stats_median(lengths, n);
	free(lengths);
	return 0;
}

static void frequency_text(double error, char *text, size_t size)
{
	if (isnan(error))
		snprintf(text, size, "counter not held against a clock");
	else
		snprintf(text, size, "counter off by %.4f %%", 100 * error);
}

static int check_timer(struct document *doc)
{
	double error = counter_error(doc), median, shortest;
	enum check_outcome outcome = CHECK_PASSED;
	char frequency[64];

	if (window_lengths(doc, &median, &shortest))
		return -1;
	if (counter_goes_back(doc)) {
		add_check(doc, "timer", CHECK_BROKEN,
			  "the counter goes back, or CPUs do not agree on it");
		return 0;
	}
	if (isnan(median)) {
		add_check(doc, "timer", CHECK_NOISY, "no valid window");
		return 0;
	}
	if (median > WINDOW_LONGER && !doc->machine.hypervisor.emulated)
		outcome = CHECK_NOISY;
	if (fabs(error) > COUNTER_OFF || shortest < WINDOW_SHORTER)
		outcome = CHECK_BROKEN;
	frequency_text(error, frequency, sizeof(frequency));
	add_check(doc, "timer", outcome,
		  "%s; windows of %.3f ms, shortest %.3f, asked %.3f",
		  frequency, 1e-6 * median * doc->window_ns,
		  1e-6 * shortest * doc->window_ns, 1e-6 * doc->window_ns);
	return 0;
}

struct counter_pair counter_pair_read(void)
{
	struct counter_pair best = { 0 };
#ifdef __aarch64__
	u64 closest = ~0ULL, before, ticks;
	struct timespec now;

	for (int i = 0; i < PAIR_ATTEMPTS; i++) {
		__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(before));
		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks));
		if (ticks - before >= closest)
			continue;
		closest = ticks - before;
		best.ticks = before + closest / 2;
		best.ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	}
#endif
	return best;
}

/* ---- the end of a window ---- */

struct endings {
	size_t windows;
	size_t unflagged;
	size_t rounds;
	size_t discarded;
	double longest_ns;
};

static void add_endings(struct endings *sum, const struct document *doc,
			const struct set *set)
{
	for (size_t i = 0; i < set->nr_windows; i++) {
		const struct spindelay_window *w = &set->windows[i].abi;
		double ns = w->ticks * 1e9 / doc->machine.counter_hz;

		sum->windows++;
		sum->longest_ns = fmax(sum->longest_ns, ns);
		sum->unflagged +=
			!w->invalid &&
			ns > doc->window_ns +
					(double)doc->window_ns /
						SPINDELAY_WORK_SHARE_MAX +
					LATE_NS;
	}
	sum->rounds += set_rounds(set);
	for (size_t r = 0; r < set_rounds(set); r++)
		sum->discarded += !round_valid(set, r);
}

static void check_stop(struct document *doc)
{
	struct endings sum = { 0 };
	bool noisy;

	for (unsigned int s = 0; s < doc->nr_sets; s++)
		add_endings(&sum, doc, &doc->sets[s]);
	noisy = doc->machine.hypervisor.emulated ?
			sum.discarded == sum.rounds :
			2 * sum.discarded > sum.rounds;
	if (sum.unflagged)
		add_check(
			doc, "stop", CHECK_BROKEN,
			"%zu of %zu windows did not stop in time and count as valid; longest %.1f ms",
			sum.unflagged, sum.windows, sum.longest_ns / 1e6);
	else
		add_check(
			doc, "stop", noisy ? CHECK_NOISY : CHECK_PASSED,
			"every window stopped in time or is flagged; %zu of %zu rounds discarded, longest window %.1f ms",
			sum.discarded, sum.rounds, sum.longest_ns / 1e6);
}

int selftest_judge(struct document *doc)
{
	doc->nr_checks = 0;
	if (check_twins(doc) || check_control(doc))
		return -1;
	check_broken(doc);
	check_exclusion(doc);
	if (check_order(doc) || check_timer(doc))
		return -1;
	check_stop(doc);
	return 0;
}

/* ---- what it comes to ---- */

static const struct check *first_check(const struct document *doc,
				       enum check_outcome outcome)
{
	for (unsigned int i = 0; i < doc->nr_checks; i++)
		if (doc->checks[i].outcome == outcome)
			return &doc->checks[i];
	return NULL;
}

enum status selftest_status(const struct document *doc)
{
	if (first_check(doc, CHECK_BROKEN))
		return STATUS_ERROR;
	return first_check(doc, CHECK_NOISY) ? STATUS_NOISY : STATUS_OK;
}
