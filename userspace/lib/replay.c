// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/record.h"
#include "lib/replay.h"
#include "lib/replay_log.h"
#include "lib/table.h"
#include "lib/variant.h"

/* Windows of a call that finds out how many it takes. */
#define FIRST_WINDOWS 16
/* What the pilot runs, valid or not, ns. */
#define PILOT_NS 250000000
/* Invalid windows before it is said that there are too many of them. */
#define LEFT_OUT_MAX 5000
/* And so many times the valid ones. */
#define LEFT_OUT_TIMES 19

u64 replay_acquisitions(const struct replay *replay)
{
	return (u64)replay->work * replay->unit;
}

/* ---- running ---- */

/**
 * struct job - one variant in one place, until so much is done
 * @variant: which
 * @place: where
 * @nr_cpus: on how many
 * @acquisitions: how much
 * @sum: the windows so far
 */
struct job {
	const struct spindelay_variant *variant;
	const struct placement *place;
	unsigned int nr_cpus;
	u64 acquisitions;
	struct window sum;
};

static void add_waits(u32 *sum, const u32 *hist)
{
	for (unsigned int b = 0; b < SPINDELAY_HIST_BUCKETS; b++)
		sum[b] = hist[b] < UINT32_MAX - sum[b] ? sum[b] + hist[b] :
							 UINT32_MAX;
}

static void add_window(struct job *job, const struct call *call, u32 index)
{
	const struct spindelay_record *record =
		call->records + (size_t)index * job->nr_cpus;
	const struct spindelay_window *window = &call->windows[index];
	struct window *sum = &job->sum;

	if (window->invalid) {
		sum->left_out++;
		return;
	}
	if (!sum->summed++)
		sum->abi.start = window->start;
	sum->abi.ticks += window->ticks;
	sum->abi.acquisitions += window->acquisitions;
	sum->abi.counted += window->counted;
	for (unsigned int i = 0; i < job->nr_cpus; i++)
		record_add(&sum->records[i], &record[i]);
	add_waits(sum->hist,
		  call->hists + (size_t)index * SPINDELAY_HIST_BUCKETS);
}

static bool job_done(const struct job *job)
{
	return job->sum.abi.acquisitions >= job->acquisitions;
}

/* What a call brings beyond the work is thrown away. */
static int run_windows(struct measure *measure, struct document *doc,
		       struct job *job, unsigned int windows,
		       struct fault *fault)
{
	const struct call_shape shape = {
		.variants = job->variant,
		.nr_variants = 1,
		.place = job->place,
		.nr_cpus = job->nr_cpus,
		.window_ns = doc->window_ns,
		.sample_shift = measure->sample_shift,
		.chain_fs = doc->chain_fs,
	};
	u32 *order = calloc(windows, sizeof(*order));
	struct call call;
	int err;

	if (!order || call_build(&call, &shape, order, windows, fault)) {
		free(order);
		return fault_set(fault, STATUS_ERROR, "out of memory");
	}
	free(order);
	err = measure_call(measure, doc, &call, fault);
	for (u32 i = call.warmups; !err && i < call.plan.nr_windows; i++)
		if (!job_done(job))
			add_window(job, &call, i);
	call_free(&call);
	return err;
}

/* As many as are still needed, by those so far, and as fit into one call. */
static unsigned int next_windows(const struct document *doc,
				 const struct job *job)
{
	const unsigned int most =
		plan_rounds_per_call(1, job->nr_cpus, doc->window_ns);
	const struct window *sum = &job->sum;
	double wanted = FIRST_WINDOWS;

	if (sum->abi.acquisitions)
		wanted = (double)(job->acquisitions - sum->abi.acquisitions) *
				 sum->summed / sum->abi.acquisitions +
			 1;
	return wanted < most ? wanted : most;
}

static int check_progress(const struct job *job, struct fault *fault)
{
	const struct window *sum = &job->sum;
	char name[VARIANT_TEXT_MAX];

	variant_format(job->variant, name);
	if (sum->summed && !sum->abi.acquisitions)
		return fault_set(
			fault, STATUS_ERROR,
			"%s: nobody got the lock in %u windows, so the work would never be done",
			name, sum->summed);
	if (sum->left_out > LEFT_OUT_MAX &&
	    sum->left_out > LEFT_OUT_TIMES * sum->summed)
		return fault_set(
			fault, STATUS_NOISY,
			"%s: %u of %u windows were invalid: the machine is too busy with something else",
			name, sum->left_out, sum->left_out + sum->summed);
	return 0;
}

static int run_job(struct measure *measure, struct document *doc,
		   struct job *job, struct fault *fault)
{
	while (!job_done(job))
		if (run_windows(measure, doc, job, next_windows(doc, job),
				fault) ||
		    check_progress(job, fault))
			return -1;
	return 0;
}

static void job_end(struct job *job)
{
	free(job->sum.records);
	free(job->sum.hist);
}

static int job_begin(struct job *job, const struct set *set,
		     const struct placement *place, u64 acquisitions,
		     struct fault *fault)
{
	*job = (struct job){
		.variant = &set->variants[set_baseline(set)],
		.place = place,
		.nr_cpus = set->nr_cpus,
		.acquisitions = acquisitions,
		.sum.records = calloc(set->nr_cpus, sizeof(*job->sum.records)),
		.sum.hist =
			calloc(SPINDELAY_HIST_BUCKETS, sizeof(*job->sum.hist)),
	};
	if (job->sum.records && job->sum.hist)
		return 0;
	job_end(job);
	return fault_set(fault, STATUS_ERROR, "out of memory");
}

static void choose_place(struct measure *measure, const struct document *doc,
			 const struct set *set, struct placement *place,
			 u32 *cpus)
{
	*place = (struct placement){
		.node = measure->node,
		.swapped = measure->swap_copies && rng_below(&measure->rng, 2),
		.cpus = cpus,
	};
	plan_place(&measure->rng, place, set->cpus, set->nr_cpus,
		   doc->order == ORDER_RANDOM);
}

/* One repetition in a new place; the caller frees the job's memory. */
static int repeat(struct measure *measure, struct document *doc,
		  const struct set *set, struct placement *place, u32 *cpus,
		  struct job *job, struct fault *fault)
{
	choose_place(measure, doc, set, place, cpus);
	if (job_begin(job, set, place, replay_acquisitions(&doc->replay),
		      fault))
		return -1;
	if (!run_job(measure, doc, job, fault))
		return 0;
	job_end(job);
	return -1;
}

int replay_warm_up(struct measure *measure, struct document *doc,
		   const struct set *set, struct fault *fault)
{
	u32 cpus[SPINDELAY_CPUS_MAX];
	struct placement place;
	struct job job;

	if (repeat(measure, doc, set, &place, cpus, &job, fault))
		return -1;
	job_end(&job);
	return 0;
}

/* Only what is whole becomes part of the set. */
static int keep(struct set *set, const struct placement *place,
		const struct window *sum)
{
	struct placement *kept = set_add_placement(set);
	struct window *window = kept ? set_add_window(set) : NULL;

	if (!window)
		return -1;
	kept->page = place->page;
	kept->slot = place->slot;
	kept->node = place->node;
	kept->swapped = place->swapped;
	memcpy(kept->cpus, place->cpus, set->nr_cpus * sizeof(*kept->cpus));
	memcpy(window->records, sum->records,
	       set->nr_cpus * sizeof(*sum->records));
	memcpy(window->hist, sum->hist,
	       SPINDELAY_HIST_BUCKETS * sizeof(*sum->hist));
	window->placement = set->nr_placements - 1;
	window->abi = sum->abi;
	window->summed = sum->summed;
	window->left_out = sum->left_out;
	return 0;
}

int replay_repeat(struct measure *measure, struct document *doc,
		  struct set *set, struct fault *fault)
{
	u32 cpus[SPINDELAY_CPUS_MAX];
	struct placement place;
	struct job job;
	int err;

	if (repeat(measure, doc, set, &place, cpus, &job, fault))
		return -1;
	err = keep(set, &place, &job.sum);
	job_end(&job);
	return err ? fault_set(fault, STATUS_ERROR, "out of memory") : 0;
}

/* ---- how much work ---- */

static double ticks_to_s(const struct document *doc, double ticks)
{
	return ticks / doc->machine.counter_hz;
}

/* Acquisitions a second of a set's baseline; 0 and a fault. */
static double pilot_rate(struct measure *measure, struct document *doc,
			 const struct set *set, struct fault *fault)
{
	u32 cpus[SPINDELAY_CPUS_MAX];
	unsigned int windows =
		plan_rounds_per_call(1, set->nr_cpus, doc->window_ns);
	struct placement place;
	struct job job;
	double rate = 0;

	if (windows > PILOT_NS / doc->window_ns)
		windows = PILOT_NS / doc->window_ns;
	choose_place(measure, doc, set, &place, cpus);
	if (job_begin(&job, set, &place, UINT64_MAX, fault))
		return 0;
	while (!job.sum.summed)
		if (run_windows(measure, doc, &job, windows, fault) ||
		    check_progress(&job, fault))
			break;
	if (job.sum.abi.acquisitions)
		rate = job.sum.abi.acquisitions /
		       ticks_to_s(doc, job.sum.abi.ticks);
	job_end(&job);
	return rate;
}

int replay_calibrate(struct measure *measure, struct document *doc,
		     const struct set *set, double seconds, struct fault *fault)
{
	struct replay *replay = &doc->replay;
	double rate = pilot_rate(measure, doc, set, fault), unit, takes;

	if (!rate)
		return -1;
	unit = rate * seconds / replay->work;
	if (!replay->unit)
		replay->unit = unit < 1 ? 1 : fmin(unit, REPLAY_UNIT_MAX);
	takes = replay_acquisitions(replay) / rate;
	if (takes >= REPLAY_SECONDS_MIN && takes <= REPLAY_SECONDS_MAX)
		return 0;
	return fault_set(
		fault, STATUS_USAGE,
		"--work %u and --unit %u: %llu acquisitions take about %.3g s here, and a repetition should take %g to %d: take a unit of about %.0f",
		replay->work, replay->unit,
		(unsigned long long)replay_acquisitions(replay), takes,
		REPLAY_SECONDS_MIN, REPLAY_SECONDS_MAX, fmax(unit, 1));
}

/* ---- what it comes to ---- */

struct repetition replay_times(const struct document *doc, unsigned int set,
			       size_t index)
{
	const struct window *window = &doc->sets[set].windows[index];
	struct repetition times = { .set = set, .window = index };
	double part, cpu = 0;

	part = (double)replay_acquisitions(&doc->replay) /
	       window->abi.acquisitions;
	for (unsigned int i = 0; i < doc->sets[set].nr_cpus; i++)
		cpu += ticks_to_s(doc, window->records[i].ticks);
	times.real = part * ticks_to_s(doc, window->abi.ticks);
	if (doc->user)
		times.user = part * cpu;
	else
		times.sys = part * cpu;
	return times;
}

int summarise_replay(struct document *doc)
{
	struct replay *replay = &doc->replay;
	size_t total = 0;

	for (unsigned int s = 0; s < doc->nr_sets; s++)
		total += doc->sets[s].nr_windows;
	replay->nr_repetitions = 0;
	replay->repetitions = calloc(total + 1, sizeof(*replay->repetitions));
	if (!replay->repetitions)
		return -1;
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		for (size_t i = 0; doc->sets[s].role == SET_REPETITIONS &&
				   i < doc->sets[s].nr_windows;
		     i++)
			replay->repetitions[replay->nr_repetitions++] =
				replay_times(doc, s, i);
	return 0;
}

/* A variant of the rounds, in one window for each placement, all with work. */
static bool is_repetitions(const struct set *set,
			   const struct spindelay_variant *variant)
{
	if (set->nr_variants != 1 ||
	    memcmp(set->variants, variant, sizeof(*variant)) ||
	    set->nr_windows != set->nr_placements)
		return false;
	for (size_t i = 0; i < set->nr_windows; i++) {
		const struct window *w = &set->windows[i];

		if (w->placement != i || !w->summed || !w->abi.acquisitions)
			return false;
	}
	return true;
}

bool replay_check(const struct document *doc)
{
	const struct set *rounds = doc->sets;
	unsigned int variant = 0;

	if (!doc->replay.work || !doc->replay.unit ||
	    rounds->role != SET_ROUNDS)
		return false;
	for (unsigned int s = 1; s < doc->nr_sets; s++) {
		const struct set *set = &doc->sets[s];

		if (set->role == SET_PERIODS)
			continue;
		if (set->role != SET_REPETITIONS ||
		    variant == rounds->nr_asked ||
		    !is_repetitions(set, &rounds->variants[variant++]))
			return false;
	}
	return true;
}

/* A time as it stands in the log. */
static double logged(double seconds)
{
	char text[64];

	snprintf(text, sizeof(text), "%.2f", seconds);
	return strtod(text, NULL);
}

static void add_repetition(struct replay_mean *mean,
			   const struct repetition *times)
{
	const double real = logged(times->real);

	mean->real += real;
	mean->user += logged(times->user);
	mean->sys += logged(times->sys);
	mean->least = mean->repetitions ? fmin(mean->least, real) : real;
	mean->most = mean->repetitions ? fmax(mean->most, real) : real;
	mean->repetitions++;
}

static double spread(const struct document *doc, unsigned int set,
		     const struct replay_mean *mean)
{
	double sum = 0;

	for (unsigned int i = 0; i < doc->replay.nr_repetitions; i++) {
		const struct repetition *r = &doc->replay.repetitions[i];

		if (r->set == set)
			sum += pow(logged(r->real) - mean->real, 2);
	}
	return mean->repetitions > 1 ? sqrt(sum / (mean->repetitions - 1)) :
				       NAN;
}

struct replay_mean replay_mean(const struct document *doc, unsigned int set)
{
	struct replay_mean mean = { 0 };

	for (unsigned int i = 0; i < doc->replay.nr_repetitions; i++)
		if (doc->replay.repetitions[i].set == set)
			add_repetition(&mean, &doc->replay.repetitions[i]);
	mean.real = mean.repetitions ? mean.real / mean.repetitions : NAN;
	mean.user = mean.repetitions ? mean.user / mean.repetitions : NAN;
	mean.sys = mean.repetitions ? mean.sys / mean.repetitions : NAN;
	mean.sd = spread(doc, set, &mean);
	return mean;
}

/* ---- for people ---- */

/* Which of the rounds' variants a set repeats: they follow each other. */
static unsigned int repeated_variant(const struct document *doc,
				     unsigned int set)
{
	unsigned int variant = 0;

	for (unsigned int s = 1; s < set; s++)
		variant += doc->sets[s].role == SET_REPETITIONS;
	return variant;
}

static void log_name(const struct document *doc, unsigned int set, char *path)
{
	const struct set *rounds = &doc->sets[0];

	replay_log_path(doc->replay.name, rounds->variants, rounds->nr_asked,
			repeated_variant(doc, set), path);
}

double replay_delay_share(const struct document *doc, unsigned int set)
{
	for (unsigned int i = 0; i < doc->nr_variants; i++)
		if (doc->variants[i].set == set)
			return doc->variants[i].delay_share;
	return NAN;
}

void replay_mean_cell(struct table *table, double value)
{
	if (isnan(value))
		table_cell(table, "-");
	else
		table_cell(table, REPLAY_AWK, value);
}

static void log_line(const struct document *doc, unsigned int set,
		     struct table *table)
{
	const struct replay_mean mean = replay_mean(doc, set);
	char path[REPLAY_LOG_PATH_MAX];

	log_name(doc, set, path);
	table_cell(table, "%s", path);
	table_cell(table, "%u", mean.repetitions);
	replay_mean_cell(table, mean.real);
	replay_mean_cell(table, mean.user);
	replay_mean_cell(table, mean.sys);
	table_number(table, 100 * mean.sd / mean.real, 1);
	table_number(table, mean.least, 2);
	table_number(table, mean.most, 2);
	table_number(table, 100 * replay_delay_share(doc, set), 1);
}

static void print_work(const struct document *doc, FILE *stream)
{
	const struct replay *replay = &doc->replay;
	const struct set *set = &doc->sets[0];
	char name[VARIANT_TEXT_MAX], text[512];

	snprintf(
		text, sizeof(text),
		"A repetition is %u x %u = %llu acquisitions by %u CPU%s (--unit %u). Of each variant %u to warm up and %u in its log, then of the next, the last one %s; %g s of sleep after each.",
		replay->work, replay->unit,
		(unsigned long long)replay_acquisitions(replay), set->nr_cpus,
		set->nr_cpus == 1 ? "" : "s together", replay->unit,
		replay->warmup, replay->asked,
		variant_format(&set->variants[set_baseline(set)], name),
		replay->sleep);
	print_wrapped(stream, text);
}

static void print_logs(const struct document *doc, FILE *stream)
{
	struct table table;

	table_begin(&table,
		    "<log|lines|real, s|user|sys|sd %|least|most|delay %");
	for (unsigned int s = 1; s < doc->nr_sets; s++)
		if (doc->sets[s].role == SET_REPETITIONS)
			log_line(doc, s, &table);
	table_print(&table, stream);
}

/* What the script's two means say, and that they say it without an interval. */
static void mean_sentence(const struct document *doc, unsigned int set,
			  unsigned int last, FILE *stream)
{
	const struct replay_mean a = replay_mean(doc, set);
	const struct replay_mean b = replay_mean(doc, last);
	char name_a[VARIANT_TEXT_MAX], name_b[VARIANT_TEXT_MAX], text[512];

	variant_format(doc->sets[set].variants, name_a);
	variant_format(doc->sets[last].variants, name_b);
	snprintf(
		text, sizeof(text),
		"By the means alone %s takes %+.1f %% time against %s: as the script says it, with no interval, and with whatever else changed from one log to the other.",
		name_a, 100 * (a.real / b.real - 1), name_b);
	print_wrapped(stream, text);
}

/* The set that repeats the baseline; 0 if that was not reached. */
static unsigned int baseline_set(const struct document *doc)
{
	const unsigned int last = doc->nr_sets - 1;

	if (!last || doc->sets[last].role != SET_REPETITIONS ||
	    !doc->sets[last].nr_windows ||
	    repeated_variant(doc, last) != set_baseline(&doc->sets[0]))
		return 0;
	return last;
}

static u64 windows_left_out(const struct document *doc)
{
	u64 left_out = 0;

	for (unsigned int s = 1; s < doc->nr_sets; s++)
		for (size_t i = 0; i < doc->sets[s].nr_windows; i++)
			left_out += doc->sets[s].windows[i].left_out;
	return left_out;
}

void replay_print(const struct document *doc, FILE *stream)
{
	const unsigned int last = baseline_set(doc);

	print_work(doc, stream);
	fputc('\n', stream);
	print_logs(doc, stream);
	fprintf(stream, "Invalid windows left out of the repetitions: %llu.\n",
		(unsigned long long)windows_left_out(doc));
	for (unsigned int s = 1; s < last; s++)
		if (doc->sets[s].role == SET_REPETITIONS)
			mean_sentence(doc, s, last, stream);
	fputs("\nPaired, in turns of a window each:\n", stream);
}
