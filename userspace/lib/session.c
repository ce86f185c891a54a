// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "lib/csv.h"
#include "lib/equal.h"
#include "lib/findings.h"
#include "lib/module.h"
#include "lib/outfile.h"
#include "lib/preset.h"
#include "lib/results.h"
#include "lib/session.h"
#include "lib/share.h"
#include "lib/variant.h"

/* One acquisition in 2^this is timed. */
#define SAMPLE_SHIFT 8

/* What a window takes beside itself, as a fraction: start, end, warm-up. */
#define WINDOW_OVERHEAD 1.25

/* Part of the time in which windows may begin: the rest is for what they say. */
#define MEASURING_PART 0.95

/* How long is gone on where no round was valid. */
#define GIVE_UP_PART 2

/* Part of the time that choosing think and padding may take. */
#define CALIBRATION_PART (1 / 3.0)

static int read_machine(struct session *session)
{
	struct machine_source source;

	machine_source_live(&source);
	machine_read(&source, &session->doc->machine);
	return 0;
}

static int begin(struct session *session, const char *command,
		 struct fault *fault)
{
	const struct options *o = &session->options;

	if ((o->json && outfile_check(o->json, fault)) ||
	    (o->csv && outfile_check(o->csv, fault)))
		return -1;
	session->doc = document_new(command);
	if (!session->doc)
		return fault_set(fault, STATUS_ERROR, "out of memory");
	session->doc->user = o->user;
	session->doc->seed = o->seed;
	session->doc->placements = o->placements;
	if (!o->placements_said || o->precision_said)
		session->doc->precision = o->precision / 100;
	if (session->doc->precision && !o->placements_said)
		session->doc->placements = PLAN_PLACEMENTS_MAX;
	session->doc->match = o->match;
	session->doc->window_ns = o->window_ns;
	session->doc->order = o->order;
	rng_seed(&session->measure.rng, o->seed);
	session->measure.sample_shift = SAMPLE_SHIFT;
	session->measure.node = o->node;
	return read_machine(session);
}

int session_begin(struct session *session, const char *command,
		  const struct command_line *line, int argc, char **argv,
		  struct fault *fault)
{
	if (options_parse(line, argc, argv, &session->options, fault))
		return -1;
	return begin(session, command, fault);
}

int session_again(struct session *session, const struct session *first,
		  bool user, struct fault *fault)
{
	session->options = first->options;
	session->options.user = user;
	session->measure.swap_copies = first->measure.swap_copies;
	return begin(session, first->doc->command, fault);
}

/* How its lock waits. What a variant does not use is zero. */
static void set_waits(const struct options *o, struct spindelay_variant *v)
{
	bool backs_off = v->lock == SPIN_LOCK_ttas_backoff;
	bool innodb = lock_has(v->lock, SPIN_INNODB);

	v->backoff_min = backs_off ? o->backoff_min : 0;
	v->backoff_max = backs_off ? o->backoff_max : 0;
	v->spin_wait_delay = innodb ? o->spin_wait_delay : 0;
	v->pause_multiplier = innodb ? o->pause_multiplier : 0;
	v->sync_spin_loops = innodb ? o->sync_spin_loops : 0;
	v->read_share = lock_has(v->lock, SPIN_SHARES) ? o->read_share : 0;
	v->backoff = v->lock == SPIN_LOCK_backoff ?
			     o->preset->backoff :
			     (struct spindelay_backoff){ 0 };
}

static void set_work(const struct options *o, struct spindelay_variant *v)
{
	v->hold_ns = o->hold_ns;
	v->think_ns = o->think_ns;
	v->jitter = o->jitter;
	v->lines = o->lines;
	set_waits(o, v);
	if (v->delay == SPIN_DELAY_wfet)
		v->wfet_ns = o->wfet_ns;
}

int session_add_variant(struct session *session, const char *text,
			struct fault *fault)
{
	struct spindelay_variant *v = &session->variants[session->nr_variants];

	if (session->nr_variants == SPINDELAY_VARIANTS_MAX)
		return fault_set(fault, STATUS_USAGE,
				 "more than %u variants at once",
				 SPINDELAY_VARIANTS_MAX);
	if (variant_parse(text, session->options.lock, v, fault))
		return -1;
	set_work(&session->options, v);
	session->nr_variants++;
	return 0;
}

void session_use_lock(struct session *session, unsigned int variant, u32 lock)
{
	struct spindelay_variant *v = &session->variants[variant];

	v->lock = lock;
	set_waits(&session->options, v);
}

static void hold_nothing_in_handoffs(struct session *session)
{
	if (session->options.hold_said)
		return;
	for (unsigned int i = 0; i < session->nr_variants; i++)
		if (!lock_has(session->variants[i].lock, SPIN_PAIR))
			return;
	for (unsigned int i = 0; i < session->nr_variants; i++)
		session->variants[i].hold_ns = 0;
}

int session_variants(struct session *session, const char *const *defaults,
		     unsigned int least, struct fault *fault)
{
	const struct options *o = &session->options;

	for (int i = 0; i < o->nr_args; i++)
		if (session_add_variant(session, o->args[i], fault))
			return -1;
	for (; !o->nr_args && defaults && *defaults; defaults++)
		if (session_add_variant(session, *defaults, fault))
			return -1;
	if (session->nr_variants < least)
		return fault_set(fault, STATUS_USAGE,
				 "%s needs at least %u variant%s, got %u",
				 session->doc->command, least,
				 least == 1 ? "" : "s", session->nr_variants);
	hold_nothing_in_handoffs(session);
	variant_pair_twins(session->variants, session->nr_variants);
	return 0;
}

bool session_has_pair(const struct session *session)
{
	for (unsigned int i = 0; i < session->nr_variants; i++)
		if (lock_has(session->variants[i].lock, SPIN_PAIR))
			return true;
	return false;
}

int session_check_pair(const struct session *session, unsigned int threads,
		       struct fault *fault)
{
	for (unsigned int i = 0; i < session->nr_variants; i++) {
		u32 lock = session->variants[i].lock;

		if (lock_has(lock, SPIN_PAIR) && threads != 2)
			return fault_set(
				fault, STATUS_USAGE,
				"%s is for exactly two CPUs, not %u: name two with --cpus, or say --threads 2",
				lock_by_id(lock)->name, threads);
	}
	return 0;
}

static int check_node(const struct session *session, struct fault *fault)
{
	const struct cpulist *nodes = &session->doc->machine.memory_nodes;
	s32 node = session->options.node;
	char have[128];

	if (node < 0 || cpulist_has(nodes, node))
		return 0;
	return fault_set(fault, STATUS_USAGE,
			 "--node: node %d has no memory; those that have: %s",
			 node, cpulist_format(nodes, have, sizeof(have)));
}

/* Threads of the tool can only be where it may be itself. */
static void keep_allowed(struct cpulist *list, unsigned int *usable)
{
	unsigned int nr = 0, kept = 0;
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (unsigned int i = 0; i < list->nr; i++) {
		const u32 cpu = list->cpu[i];

		if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &allowed))
			continue;
		kept += i < *usable;
		list->cpu[nr++] = cpu;
	}
	list->nr = nr;
	*usable = kept ?: nr;
}

int session_cpus(struct session *session, struct cpulist *list,
		 unsigned int *usable, struct fault *fault)
{
	const struct machine *m = &session->doc->machine;
	const struct options *o = &session->options;

	if (check_node(session, fault))
		return -1;
	if (o->cpus.nr) {
		*list = o->cpus;
		*usable = list->nr;
		if (cpulist_check(list, &m->present, &m->online, fault))
			return -1;
	} else {
		*usable = machine_default_cpus(m, list);
		if (o->user)
			keep_allowed(list, usable);
	}
	if (o->threads > list->nr)
		return fault_set(
			fault, STATUS_USAGE,
			"--threads: %u is out of range, 1 to %u (the CPUs %s)",
			o->threads, list->nr,
			o->user ? "that this process may run on" : "on line");
	order_cpus(o->order, m, list->cpu, *usable);
	order_cpus(o->order, m, list->cpu + *usable, list->nr - *usable);
	return 0;
}

void session_start_clock(struct session *session)
{
	struct measure *measure = &session->measure;
	const u64 start = now_ns();

	measure->deadline =
		start + MEASURING_PART * session->options.time * 1e9;
	measure->give_up = start + GIVE_UP_PART * session->options.time * 1e9;
	measure->calibrate_until =
		start + CALIBRATION_PART * session->options.time * 1e9;
	progress_begin(&measure->progress, 0, measure->deadline,
		       session->options.quiet);
}

int session_open(struct session *session, struct fault *fault)
{
	const struct backend_ops *ops =
		session->doc->user ? &backend_user : &backend_kernel;

	session->backend.ops = ops;
	if (ops->open(&session->backend, fault))
		return -1;
	if (ops->note)
		document_note(session->doc, "%s", ops->note);
	session->opened = true;
	session->measure.backend = &session->backend;
	session_start_clock(session);
	return session_check_delays(session, fault);
}

int session_check_delays(struct session *session, struct fault *fault)
{
	struct backend *backend = &session->backend;

	for (unsigned int i = 0; i < session->nr_variants; i++)
		if (backend->ops->check(backend, &session->variants[i], fault))
			return -1;
	return 0;
}

/* A load that nobody asked for by name may be left out, but not silently. */
static int share_of_set(struct session *session, unsigned int s,
			struct fault *fault)
{
	struct document *doc = session->doc;
	struct set *set = &doc->sets[s];
	const bool said = session->options.share;
	enum share_found found;
	char what[64];

	snprintf(what, sizeof(what),
		 "choosing think for a delay share of %g %%", 100 * set->share);
	progress_say(&session->measure.progress, what);
	found = share_choose(&session->measure, doc, set, set->share_variant,
			     set->share, fault);
	if (found == SHARE_MET)
		return 0;
	if (said || (found == SHARE_FAILED && fault->status != STATUS_NOISY))
		return -1;
	document_note(doc, "%s", fault->text);
	if (found != SHARE_NEAR)
		document_drop_set(doc, s);
	return 0;
}

int session_shares(struct session *session, struct fault *fault)
{
	struct document *doc = session->doc;

	/* From the last one on, since some may be dropped. */
	for (unsigned int s = doc->nr_sets; s--;)
		if (doc->sets[s].share && share_of_set(session, s, fault))
			return -1;
	return 0;
}

int session_equal(struct session *session, struct fault *fault)
{
	if (!(session->doc->match & MATCH_BIT(MATCH_TIME)))
		return 0;
	progress_say(&session->measure.progress,
		     "making the polls equally long");
	if (!equal_choose(&session->measure, session->doc, fault))
		return 0;
	/* What was asked for by name is an error, the rest is still an answer. */
	if (fault->status != STATUS_NOISY ||
	    !(session->doc->match & MATCH_BIT(MATCH_COUNT)))
		return -1;
	equal_give_up(session->doc);
	document_note(session->doc, "not compared at equal time: %s",
		      fault->text);
	return 0;
}

/* Is something searched for before the rounds begin? */
static bool calibrates(const struct document *doc)
{
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		if (doc->sets[s].share ||
		    doc->sets[s].nr_variants > doc->sets[s].nr_asked)
			return true;
	return false;
}

/* Placements that are run in any case. */
static unsigned int least_placements(const struct document *doc)
{
	if (doc->precision && doc->placements > STATS_PLACEMENTS_MIN)
		return STATS_PLACEMENTS_MIN;
	return doc->placements;
}

/* Seconds that one round in every set and placement takes. */
static double round_seconds(const struct document *doc)
{
	double windows = 0;

	for (unsigned int s = 0; s < doc->nr_sets; s++)
		windows += (double)doc->sets[s].nr_variants *
			   least_placements(doc);
	return windows * doc->window_ns * WINDOW_OVERHEAD / 1e9;
}

/* What a placement of every set takes. */
static u64 placement_bytes(const struct document *doc)
{
	u64 bytes = 0;

	for (unsigned int s = 0; s < doc->nr_sets; s++)
		bytes += plan_result_bytes((u64)doc->rounds *
						   doc->sets[s].nr_variants,
					   doc->sets[s].nr_cpus);
	return bytes;
}

static int fit_memory(struct session *session, struct fault *fault)
{
	struct document *doc = session->doc;
	const u64 bytes = placement_bytes(doc);

	if (bytes * least_placements(doc) > PLAN_BYTES_MAX)
		return fault_set(
			fault, STATUS_USAGE,
			"%u rounds in %u placements take %llu MiB of results; up to %llu are kept: fewer of one or the other",
			doc->rounds, least_placements(doc),
			(unsigned long long)(bytes * least_placements(doc)) >>
				20,
			PLAN_BYTES_MAX >> 20);
	if (bytes * doc->placements > PLAN_BYTES_MAX)
		doc->placements = PLAN_BYTES_MAX / bytes;
	return 0;
}

int session_fit(struct session *session, unsigned int rounds,
		struct fault *fault)
{
	struct document *doc = session->doc;
	double seconds = round_seconds(doc);
	double time = session->options.time;
	double fitting;

	if (calibrates(doc))
		time *= 1 - CALIBRATION_PART;
	fitting = time / seconds;
	doc->rounds = session->options.rounds;
	if (!doc->rounds)
		doc->rounds = fitting < rounds ? fitting : rounds;
	if (doc->rounds < STATS_ROUNDS_MIN && !session->options.rounds)
		return fault_set(
			fault, STATUS_USAGE,
			"--time: %g s is too short for %u rounds of all windows, which take about %.1f s%s",
			session->options.time, STATS_ROUNDS_MIN,
			seconds * STATS_ROUNDS_MIN *
				(session->options.time / time),
			doc->nr_sets > 1 ?
				"; one load (--think, --share) and --match count take less" :
				"");
	return fit_memory(session, fault);
}

int session_measure(struct session *session, struct fault *fault)
{
	struct measure *measure = &session->measure;
	int err;

	progress_begin(&measure->progress, measure_windows(session->doc),
		       measure->deadline, session->options.quiet);
	err = measure_all(measure, session->doc, fault);
	progress_end(&measure->progress);
	return err;
}

FILE *session_table(const struct session *session)
{
	const struct options *o = &session->options;

	if ((o->json && !strcmp(o->json, "-")) ||
	    (o->csv && !strcmp(o->csv, "-")))
		return NULL;
	return stdout;
}

static int write_json(const struct session *session, struct fault *fault)
{
	struct outfile file;
	bool failed;

	if (outfile_open(&file, session->options.json, fault))
		return -1;
	failed = results_write(session->doc, file.stream);
	if (outfile_close(&file, fault))
		return -1;
	return failed ? fault_set(fault, STATUS_ERROR,
				  "out of memory for the document") :
			0;
}

static int write_csv(const struct session *session, struct fault *fault)
{
	struct outfile file;

	if (outfile_open(&file, session->options.csv, fault))
		return -1;
	csv_write(session->doc, file.stream);
	return outfile_close(&file, fault);
}

int session_write(const struct session *session, struct fault *fault)
{
	if (session->options.json && write_json(session, fault))
		return -1;
	if (session->options.csv && write_csv(session, fault))
		return -1;
	return 0;
}

int session_findings(struct session *session, struct fault *fault)
{
	document_forget_findings(session->doc);
	if (findings_make(session->doc))
		return fault_set(fault, STATUS_ERROR, "out of memory");
	return 0;
}

int session_save(struct session *session, struct fault *fault)
{
	const char *json = session->options.json;

	if (!json || !strcmp(json, "-"))
		return 0;
	return session_findings(session, fault) ||
			       session_write(session, fault) ?
		       -1 :
		       0;
}

void session_end(struct session *session)
{
	progress_end(&session->measure.progress);
	if (session->opened)
		session->backend.ops->close(&session->backend);
	document_free(session->doc);
}
