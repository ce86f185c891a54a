// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay: the benchmark of MySQL pull request 611, as it was done: all repetitions
 * of one variant, then all of the next, a log for each. And beside it, from
 * the same load, what that could not say.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "lib/equal.h"
#include "lib/findings.h"
#include "lib/loads.h"
#include "lib/replay.h"
#include "lib/replay_log.h"
#include "lib/session.h"

/* Of variants that name none. */
#define REPLAY_LOCK SPIN_LOCK_innodb_mutex
/* Percent of the samples that the pull request saw in ut_delay with ISB. */
#define REPLAY_SHARE 19
#define REPLAY_WARMUP 5
#define REPLAY_REPETITIONS 50
#define REPLAY_SLEEP 5
/* Seconds that a repetition of the baseline takes. */
#define REPLAY_SECONDS 1

/* With --quick. */
#define QUICK_WARMUP 1
#define QUICK_REPETITIONS 10
#define QUICK_SLEEP 0
#define QUICK_SECONDS 0.5
#define QUICK_TIME 25

/* Of the paired rounds: as those of compare. */
#define REPLAY_ROUNDS 50
#define REPLAY_PRECISION 2

static const struct command_line command_line = {
	.args = "[VARIANT VARIANT...]",
	.summary =
		"Replay the benchmark of MySQL pull request 611: all repetitions of each variant in turn (sb isb), each the same number of acquisitions, with a log of their times and its mean; then compare the variants in paired rounds. The last one is the baseline: its delay share is what --share chooses think for (19). --time caps the rounds alone.",
	.sets = OPTIONS_WHERE | OPTIONS_LOCK | OPTIONS_WINDOWS |
		OPTIONS_CONTEND | OPTIONS_MATCH | OPTIONS_REPLAY |
		OPTIONS_JSON | OPTIONS_CSV | OPTIONS_QUIET,
};

static const char *const default_variants[] = { "sb", "isb", NULL };

/* ---- what is asked for ---- */

static void fill_in(struct options *o)
{
	struct replay_options *r = &o->replay;

	if (r->warmup == OPTION_UNSAID)
		r->warmup = r->quick ? QUICK_WARMUP : REPLAY_WARMUP;
	if (!r->repetitions)
		r->repetitions =
			r->quick ? QUICK_REPETITIONS : REPLAY_REPETITIONS;
	if (r->sleep < 0)
		r->sleep = r->quick ? QUICK_SLEEP : REPLAY_SLEEP;
	if (r->quick && !o->time_said)
		o->time = QUICK_TIME;
}

static void take_over(struct session *session)
{
	const struct replay_options *r = &session->options.replay;
	struct document *doc = session->doc;

	doc->replay.work = r->work;
	doc->replay.unit = r->unit;
	doc->replay.warmup = r->warmup;
	doc->replay.asked = r->repetitions;
	doc->replay.sleep = r->sleep;
	snprintf(doc->replay.name, sizeof(doc->replay.name), "%s", r->name);
	/* At equal time, too; never that alone. */
	if (doc->match & MATCH_BIT(MATCH_TIME))
		doc->match = MATCH_BOTH;
}

static unsigned int choose_threads(const struct session *session,
				   const struct cpulist *list,
				   unsigned int usable)
{
	const struct options *o = &session->options;
	u32 threads[MACHINE_THREADS_MAX];
	unsigned int nr;

	if (o->threads)
		return o->threads;
	if (o->cpus.nr)
		return list->nr;
	if (session_has_pair(session))
		return usable < 2 ? usable : 2;
	nr = machine_default_threads(&session->doc->machine, list, usable,
				     threads);
	return threads[nr - 1];
}

/* The pull request's, where there is anybody to wait for. */
static double choose_share(const struct session *session, unsigned int threads)
{
	const struct options *o = &session->options;
	const u32 lock = session->variants[session->nr_variants - 1].lock;

	if (o->share)
		return o->share / 100;
	if (o->think_said || threads < 2 || !lock_has(lock, SPIN_POLLS) ||
	    lock_has(lock, SPIN_PAIR))
		return 0;
	return REPLAY_SHARE / 100.0;
}

static int add_rounds(struct session *session, const struct cpulist *list,
		      unsigned int threads, double share, struct fault *fault)
{
	struct set *set =
		document_add_set(session->doc, session->variants,
				 session->nr_variants, list->cpu, threads);

	if (!set)
		return fault_set(fault, STATUS_ERROR, "out of memory");
	loads_set_share(session, set, share, set_baseline(set));
	return session->doc->match & MATCH_BIT(MATCH_TIME) ?
		       equal_reserve(session->doc, fault) :
		       0;
}

/* A share that nobody asked for by name may be out of reach. */
static int choose_load(struct session *session, const struct cpulist *list,
		       unsigned int threads, struct fault *fault)
{
	if (session_shares(session, fault))
		return -1;
	if (session->doc->nr_sets)
		return 0;
	return add_rounds(session, list, threads, 0, fault);
}

static int plan(struct session *session, int argc, char **argv,
		struct fault *fault)
{
	const struct options *o = &session->options;
	struct cpulist list;
	unsigned int usable, threads;

	if (session_begin(session, "replay", &command_line, argc, argv, fault))
		return -1;
	fill_in(&session->options);
	take_over(session);
	if (session_variants(session, default_variants, 2, fault) ||
	    session_cpus(session, &list, &usable, fault) ||
	    replay_log_check(o->replay.name, session->variants,
			     session->nr_variants, o->replay.force, fault))
		return -1;
	threads = choose_threads(session, &list, usable);
	if (threads > SPINDELAY_CPUS_MAX)
		return fault_set(fault, STATUS_USAGE,
				 "%u CPUs are out of range, 1 to %u", threads,
				 SPINDELAY_CPUS_MAX);
	return session_check_pair(session, threads, fault) ||
			       add_rounds(session, &list, threads,
					  choose_share(session, threads),
					  fault) ||
			       session_fit(session, REPLAY_ROUNDS, fault) ||
			       session_open(session, fault) ||
			       choose_load(session, &list, threads, fault) ||
			       session_equal(session, fault) ?
		       -1 :
		       0;
}

/* ---- the protocol ---- */

/**
 * struct log - the log of a variant
 * @path: its name
 * @fd: -1 until it has a line
 */
struct log {
	char path[REPLAY_LOG_PATH_MAX];
	int fd;
};

static void sleep_for(double seconds)
{
	struct timespec left = { .tv_sec = seconds };

	left.tv_nsec = (seconds - left.tv_sec) * 1e9;
	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static int warm_up(struct session *session, const struct set *set,
		   struct fault *fault)
{
	for (u32 i = 0; i < session->doc->replay.warmup; i++) {
		if (replay_warm_up(&session->measure, session->doc, set, fault))
			return -1;
		progress_add(&session->measure.progress, 1);
		sleep_for(session->doc->replay.sleep);
	}
	return 0;
}

/* A log begins with its first line, so that none is left empty. */
static int log_times(const struct session *session, struct log *log,
		     const struct repetition *times, struct fault *fault)
{
	if (log->fd < 0)
		log->fd = replay_log_open(log->path,
					  session->options.replay.force, fault);
	return log->fd < 0 ? -1 :
			     replay_log_add(log->fd, log->path, times, fault);
}

static int repeat_once(struct session *session, unsigned int s, struct log *log,
		       struct fault *fault)
{
	struct document *doc = session->doc;
	struct repetition times;
	int err;

	if (replay_repeat(&session->measure, doc, &doc->sets[s], fault))
		return -1;
	times = replay_times(doc, s, doc->sets[s].nr_windows - 1);
	err = log_times(session, log, &times, fault);
	/* A log that cannot be written is no reason to lose the document. */
	if (session_save(session, fault) || err)
		return -1;
	progress_add(&session->measure.progress, 1);
	sleep_for(doc->replay.sleep);
	return 0;
}

static int repeat_all(struct session *session, unsigned int s, struct log *log,
		      struct fault *fault)
{
	sleep_for(session->doc->replay.sleep);
	if (warm_up(session, &session->doc->sets[s], fault))
		return -1;
	for (u32 i = 0; i < session->doc->replay.asked; i++)
		if (repeat_once(session, s, log, fault))
			return -1;
	return 0;
}

/* One variant's repetitions, with the load of the rounds. */
static int replay_variant(struct session *session, unsigned int index,
			  struct fault *fault)
{
	struct document *doc = session->doc;
	const struct set *rounds = &doc->sets[0];
	const struct spindelay_variant variant = rounds->variants[index];
	struct log log = { .fd = -1 };
	struct set *set;
	int err;

	replay_log_path(doc->replay.name, rounds->variants, rounds->nr_asked,
			index, log.path);
	set = document_add_set(doc, &variant, 1, rounds->cpus, rounds->nr_cpus);
	if (!set)
		return fault_set(fault, STATUS_ERROR, "out of memory");
	set->role = SET_REPETITIONS;
	err = repeat_all(session, doc->nr_sets - 1, &log, fault);
	if (log.fd >= 0)
		close(log.fd);
	return err;
}

static void say_work(const struct session *session)
{
	const struct replay *replay = &session->doc->replay;

	if (!session->options.quiet)
		fprintf(stderr,
			"spindelay: a repetition is %u x %u acquisitions\n",
			replay->work, replay->unit);
}

static int replay_all(struct session *session, struct fault *fault)
{
	struct document *doc = session->doc;
	const unsigned int nr = session->nr_variants;
	const double seconds =
		session->options.replay.quick ? QUICK_SECONDS : REPLAY_SECONDS;

	if (replay_calibrate(&session->measure, doc, &doc->sets[0], seconds,
			     fault))
		return -1;
	progress_end(&session->measure.progress);
	say_work(session);
	progress_begin(&session->measure.progress,
		       (u64)nr * (doc->replay.warmup + doc->replay.asked), 0,
		       session->options.quiet);
	session->measure.progress.unit = "repetitions";
	for (unsigned int i = 0; i < nr; i++)
		if (replay_variant(session, i, fault))
			return -1;
	return 0;
}

static int replay(struct session *session, int argc, char **argv,
		  struct fault *fault)
{
	if (plan(session, argc, argv, fault) || replay_all(session, fault))
		return -1;
	session_start_clock(session);
	if (session_measure(session, fault) || session_findings(session, fault))
		return -1;
	findings_print(session->doc, session_table(session));
	return session_write(session, fault);
}

int cmd_replay(int argc, char **argv)
{
	struct session session = { 0 };
	struct fault fault = { 0 };
	int status;

	options_defaults(&session.options);
	session.measure.swap_copies = true;
	session.options.lock = REPLAY_LOCK;
	session.options.precision = REPLAY_PRECISION;
	if (replay(&session, argc, argv, &fault))
		status = fault_report(&fault);
	else
		status = findings_status(session.doc);
	session_end(&session);
	return status;
}
