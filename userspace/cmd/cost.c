// SPDX-License-Identifier: GPL-2.0-or-later
/* cost: what one execution of a delay costs, and one poll with it. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/dispatch_cost.h"
#include "lib/findings.h"
#include "lib/module.h"
#include "lib/pilot.h"
#include "lib/session.h"
#include "lib/summary.h"
#include "lib/variant.h"

#define COST_ROUNDS 20
#define COST_DISPATCH_ROUNDS 100
#define COST_WINDOW_NS 1000000

static const struct command_line command_line = {
	.args = "[DELAY[*COUNT]...]",
	.summary =
		"Measure what delays cost on one CPU: back to back, and as a poll of a held lock. Without a name: all that this machine can execute.",
	.sets = OPTIONS_WHERE | OPTIONS_LOCK | OPTIONS_WINDOWS |
		OPTIONS_DISPATCH | OPTIONS_JSON | OPTIONS_CSV | OPTIONS_QUIET,
};

static int check_lock(u32 id, struct fault *fault)
{
	const struct lock_name *lock = lock_by_id(id);

	if (lock->traits & SPIN_PAIR)
		return fault_set(
			fault, STATUS_USAGE,
			"%s is for exactly two CPUs, and cost measures on one; take another lock",
			lock->name);
	if (lock->traits & SPIN_POLLS)
		return 0;
	return fault_set(fault, STATUS_USAGE,
			 "%s has no poll to measure; take another lock",
			 lock->name);
}

static int check_locks(const struct session *session, struct fault *fault)
{
	for (unsigned int i = 0; i < session->nr_variants; i++)
		if (check_lock(session->variants[i].lock, fault))
			return -1;
	return check_lock(session->options.lock, fault);
}

/* All delays that can be executed here, where none was named. */
static int add_all_delays(struct session *session, struct fault *fault)
{
	const struct delay_name *delays;
	struct backend *backend = &session->backend;
	size_t nr;

	if (session->nr_variants)
		return 0;
	delays = delay_names(&nr);
	for (size_t i = 0; i < nr; i++) {
		if (!backend->ops->can_execute(backend, &delays[i]))
			continue;
		if (session_add_variant(session, delays[i].name, fault))
			return -1;
	}
	return 0;
}

static int add_set(struct session *session,
		   const struct spindelay_variant *variant, u32 cpu, u32 burst,
		   struct fault *fault)
{
	bool sleeps = delay_has(variant->delay, SPIN_SLEEPS);
	struct spindelay_variant v[COST_VARIANTS];
	unsigned int first = sleeps ? COST_HELD : 0;

	for (unsigned int i = 0; i < COST_VARIANTS; i++) {
		v[i] = *variant;
		v[i].burst = burst;
		v[i].flags = SPINDELAY_BURST;
	}
	v[COST_DOUBLE].flags |= SPINDELAY_BURST_DOUBLE;
	v[COST_HELD].flags = 0;
	variant_hold(&v[COST_HELD]);
	v[COST_HELD].burst = 0;
	if (!document_add_set(session->doc, v + first, COST_VARIANTS - first,
			      &cpu, 1))
		return fault_set(fault, STATUS_ERROR, "out of memory");
	return 0;
}

/* Bursts of those that can be executed back to back; 0 for the others. */
static int find_bursts(struct session *session, u32 cpu, u32 *bursts,
		       struct fault *fault)
{
	struct spindelay_variant awake[SPINDELAY_VARIANTS_MAX];
	u32 found[SPINDELAY_VARIANTS_MAX];
	unsigned int nr = 0;

	for (unsigned int i = 0; i < session->nr_variants; i++)
		if (!delay_has(session->variants[i].delay, SPIN_SLEEPS))
			awake[nr++] = session->variants[i];
	if (nr && pilot_bursts(&session->measure, session->doc, awake, nr, cpu,
			       found, fault))
		return -1;
	nr = 0;
	for (unsigned int i = 0; i < session->nr_variants; i++)
		bursts[i] = delay_has(session->variants[i].delay, SPIN_SLEEPS) ?
				    0 :
				    found[nr++];
	return 0;
}

static int add_sets(struct session *session, u32 cpu, struct fault *fault)
{
	u32 bursts[SPINDELAY_VARIANTS_MAX];

	if (find_bursts(session, cpu, bursts, fault))
		return -1;
	for (unsigned int i = 0; i < session->nr_variants; i++)
		if (add_set(session, &session->variants[i], cpu, bursts[i],
			    fault))
			return -1;
	return 0;
}

static int finish(struct session *session, struct fault *fault)
{
	if (findings_make(session->doc))
		return fault_set(fault, STATUS_ERROR, "out of memory");
	findings_print(session->doc, session_table(session));
	return session_write(session, fault);
}

static int dispatch(struct session *session, const struct cpulist *list,
		    struct fault *fault)
{
	const struct options *o = &session->options;
	struct document *doc = session->doc;

	if (o->nr_args)
		return fault_set(
			fault, STATUS_USAGE,
			"--dispatch takes no delays: it measures what spin_delay() of an application executes here");
	strcpy(doc->command, DISPATCH_COMMAND);
	doc->rounds = o->rounds ? o->rounds : COST_DISPATCH_ROUNDS;
	if (dispatch_measure(doc, list->cpu[0], &session->measure.rng, fault))
		return -1;
	return finish(session, fault);
}

static int cost(struct session *session, int argc, char **argv,
		struct fault *fault)
{
	struct cpulist list;
	unsigned int usable;

	if (session_begin(session, "cost", &command_line, argc, argv, fault) ||
	    session_cpus(session, &list, &usable, fault))
		return -1;
	if (session->options.dispatch)
		return dispatch(session, &list, fault);
	if (session_variants(session, NULL, 0, fault) ||
	    check_locks(session, fault) || session_open(session, fault))
		return -1;
	if (add_all_delays(session, fault) ||
	    add_sets(session, list.cpu[0], fault) ||
	    session_fit(session, COST_ROUNDS, fault) ||
	    session_measure(session, fault))
		return -1;
	return finish(session, fault);
}

int cmd_cost(int argc, char **argv)
{
	struct session session = { 0 };
	struct fault fault = { 0 };
	int status;

	options_defaults(&session.options);
	session.options.window_ns = COST_WINDOW_NS;
	session.options.placements = 1;
	session.options.hold_ns = 0;
	if (cost(&session, argc, argv, &fault))
		status = fault_report(&fault);
	else
		status = findings_status(session.doc);
	session_end(&session);
	return status;
}
