// SPDX-License-Identifier: GPL-2.0-or-later
/* sweep: which delay, how often per poll, on how many CPUs, under which load? */
#include <linux/array_size.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/findings.h"
#include "lib/loads.h"
#include "lib/module.h"
#include "lib/results.h"
#include "lib/session.h"
#include "lib/summary.h"
#include "lib/sweep.h"
#include "lib/variant.h"

#define SWEEP_ROUNDS 12
#define SWEEP_TIME 600
/* Two variants, so they take no longer than a cell. */
#define CONFIRM_ROUNDS 50
/* The seed of a cell's plan, so that one that is resumed is the same. */
#define CELL_SEED 1000003

static const struct command_line command_line = {
	.args = "[DELAY[*COUNT]...]",
	.summary =
		"Measure every delay at every count, on some numbers of CPUs and under some loads, and say what to set. The last one named is the default that the others must beat (isb). With --json FILE it is written after each cell, and --resume FILE goes on with it.",
	.sets = OPTIONS_WHERE | OPTIONS_LOCK | OPTIONS_WINDOWS |
		OPTIONS_CONTEND | OPTIONS_SWEEP | OPTIONS_JSON | OPTIONS_CSV |
		OPTIONS_QUIET,
};

static const char *const default_delays[] = { "yield", "sb", "isb", NULL };

/* ---- what is swept ---- */

static int add_counted(struct session *session, const char *delay, u32 count,
		       struct fault *fault)
{
	char text[VARIANT_TEXT_MAX];

	snprintf(text, sizeof(text), "%s*%u", delay, count);
	return session_add_variant(session, text, fault);
}

/* One that names its count is taken as it is, the last one once at 1. */
static int add_delay(struct session *session, const char *text, bool last,
		     struct fault *fault)
{
	const struct options *o = &session->options;

	if (strchr(text, '/'))
		return fault_set(
			fault, STATUS_USAGE,
			"'%.64s': a sweep takes delays; its locks are those of --locks or --lock",
			text);
	for (unsigned int i = 0; i < o->nr_counts && !strchr(text, '*'); i++)
		if (!(last && o->counts[i] == 1) &&
		    add_counted(session, text, o->counts[i], fault))
			return -1;
	if (last || strchr(text, '*'))
		return session_add_variant(session, text, fault);
	return 0;
}

static int add_delays(struct session *session, struct fault *fault)
{
	const struct options *o = &session->options;
	const struct delay_name *name;

	for (int i = 0; i < o->nr_args; i++)
		if (add_delay(session, o->args[i], i + 1 == o->nr_args, fault))
			return -1;
	for (size_t i = 0; !o->nr_args && default_delays[i]; i++) {
		name = delay_by_name(default_delays[i],
				     strlen(default_delays[i]));
		if (session->backend.ops->can_execute(&session->backend,
						      name) &&
		    add_delay(session, name->name, !default_delays[i + 1],
			      fault))
			return -1;
	}
	if (session->nr_variants < 2)
		return fault_set(fault, STATUS_USAGE,
				 "sweep needs at least 2 settings, got %u",
				 session->nr_variants);
	return session_check_delays(session, fault);
}

static int add_lock(struct session *session, u32 lock, struct fault *fault)
{
	for (unsigned int i = 0; i < session->nr_variants; i++)
		session_use_lock(session, i, lock);
	return loads_add_sets(session, fault);
}

static int add_locks(struct session *session, struct fault *fault)
{
	const struct options *o = &session->options;

	for (unsigned int i = 0; i < o->nr_locks; i++)
		if (add_lock(session, o->locks[i], fault))
			return -1;
	if (!o->nr_locks)
		return add_lock(session, o->lock, fault);
	return 0;
}

static int plan(struct session *session, int argc, char **argv,
		struct fault *fault)
{
	if (session_begin(session, "sweep", &command_line, argc, argv, fault))
		return -1;
	if (session->options.resume)
		return 0;
	if (session_open(session, fault) || add_delays(session, fault) ||
	    add_locks(session, fault) ||
	    session_fit(session, SWEEP_ROUNDS, fault) ||
	    session_shares(session, fault))
		return -1;
	return 0;
}

/* ---- what has begun is gone on with ---- */

static int check_machine(const struct machine *then, const struct machine *now,
			 struct fault *fault)
{
	if (then->midr == now->midr && !strcmp(then->kernel, now->kernel) &&
	    !strcmp(then->hypervisor.name, now->hypervisor.name))
		return 0;
	return fault_set(
		fault, STATUS_ERROR,
		"--resume: it was begun on %s, kernel %s (%s), and this is %s, kernel %s (%s): begin anew",
		then->cpu, then->kernel, then->hypervisor.name, now->cpu,
		now->kernel, now->hypervisor.name);
}

/* What is not whole is measured again. */
static void drop_unfinished(struct document *doc)
{
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		if (!sweep_set_complete(doc, &doc->sets[s]))
			set_forget_placements(&doc->sets[s]);
}

static int take_over(struct session *session, struct document *doc,
		     struct fault *fault)
{
	if (strcmp(doc->command, "sweep"))
		return fault_set(fault, STATUS_ERROR,
				 "--resume: %.200s is of %s, not of sweep",
				 session->options.resume, doc->command);
	if (check_machine(&doc->machine, &session->doc->machine, fault))
		return -1;
	document_forget_findings(doc);
	drop_unfinished(doc);
	return 0;
}

static int resume(struct session *session, struct fault *fault)
{
	struct options *o = &session->options;
	struct document *doc;
	char changed[768];

	if (o->nr_args)
		return fault_set(
			fault, STATUS_USAGE,
			"--resume takes everything from the file, so name no delays");
	doc = results_load(o->resume, changed, sizeof(changed), fault);
	if (!doc)
		return -1;
	if (changed[0] || take_over(session, doc, fault)) {
		document_free(doc);
		return changed[0] ?
			       fault_set(fault, STATUS_ERROR, "%s", changed) :
			       -1;
	}
	document_free(session->doc);
	session->doc = doc;
	o->window_ns = doc->window_ns;
	if (!o->json)
		o->json = o->resume;
	return session_open(session, fault);
}

/* ---- measuring ---- */

/* Does the machine execute what is in a file? */
static int check_sets(struct session *session, struct fault *fault)
{
	const struct set *set = &session->doc->sets[0];

	for (unsigned int i = 0; i < set->nr_variants; i++)
		session->variants[i] = set->variants[i];
	session->nr_variants = set->nr_variants;
	return session_check_delays(session, fault);
}

static bool time_is_up(const struct session *session)
{
	return now_ns() > session->measure.deadline;
}

static int measure_set(struct session *session, unsigned int s,
		       struct fault *fault)
{
	struct document *doc = session->doc;

	rng_seed(&session->measure.rng, doc->seed + CELL_SEED * (s + 1ULL));
	while (!sweep_set_complete(doc, &doc->sets[s])) {
		if (measure_placement(&session->measure, doc, &doc->sets[s],
				      fault))
			return -1;
		if (time_is_up(session))
			break;
	}
	/* What the time did not suffice for is begun anew when resumed. */
	if (!sweep_set_complete(doc, &doc->sets[s]))
		set_forget_placements(&doc->sets[s]);
	return session_save(session, fault);
}

static int measure_sets(struct session *session, enum set_role role,
			struct fault *fault)
{
	struct document *doc = session->doc;

	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		if (doc->sets[s].role != role ||
		    sweep_set_complete(doc, &doc->sets[s]) ||
		    time_is_up(session))
			continue;
		if (measure_set(session, s, fault))
			return -1;
	}
	return 0;
}

/* The winner against the default, where they are two. */
static int add_confirmations(struct session *session, struct fault *fault)
{
	struct document *doc = session->doc;
	const unsigned int cells = doc->nr_sets;
	const unsigned int base = set_baseline(&doc->sets[0]);
	struct set *set;

	if (doc->winner == base || doc->sets[cells - 1].role == SET_CONFIRM)
		return 0;
	for (unsigned int s = 0; s < cells; s++) {
		const struct set *cell = &doc->sets[s];
		const struct spindelay_variant pair[] = {
			cell->variants[doc->winner],
			cell->variants[base],
		};

		set = document_add_set(doc, pair, 2, cell->cpus, cell->nr_cpus);
		if (!set)
			return fault_set(fault, STATUS_ERROR, "out of memory");
		set->role = SET_CONFIRM;
		set->share = doc->sets[s].share;
		set->share_variant = 1;
	}
	return 0;
}

static u64 windows_left(const struct document *doc)
{
	u64 windows = 0;

	for (unsigned int s = 0; s < doc->nr_sets; s++)
		if (!sweep_set_complete(doc, &doc->sets[s]))
			windows += (u64)doc->placements * doc->rounds *
				   doc->sets[s].nr_variants;
	return windows;
}

static int measure(struct session *session, struct fault *fault)
{
	struct document *doc = session->doc;
	struct progress *progress = &session->measure.progress;

	progress_begin(progress, windows_left(doc), 0, session->options.quiet);
	if (measure_sets(session, SET_ROUNDS, fault) ||
	    session_findings(session, fault))
		return -1;
	if (time_is_up(session))
		return 0;
	if (add_confirmations(session, fault))
		return -1;
	progress_begin(progress, windows_left(doc), 0, session->options.quiet);
	return measure_sets(session, SET_CONFIRM, fault) ||
			       session_findings(session, fault) ?
		       -1 :
		       0;
}

static int sweep(struct session *session, int argc, char **argv,
		 struct fault *fault)
{
	if (plan(session, argc, argv, fault) ||
	    (session->options.resume &&
	     (resume(session, fault) || check_sets(session, fault))) ||
	    measure(session, fault))
		return -1;
	progress_end(&session->measure.progress);
	findings_print(session->doc, session_table(session));
	return session_write(session, fault);
}

int cmd_sweep(int argc, char **argv)
{
	struct session session = { 0 };
	struct fault fault = { 0 };
	int status;

	options_defaults(&session.options);
	session.measure.swap_copies = true;
	session.options.time = SWEEP_TIME;
	if (sweep(&session, argc, argv, &fault))
		status = fault_report(&fault);
	else
		status = findings_status(session.doc);
	session_end(&session);
	return status;
}
