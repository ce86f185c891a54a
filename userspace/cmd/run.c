// SPDX-License-Identifier: GPL-2.0-or-later
/* run: what one or several variants do, side by side, without a comparison. */
#include "cmd/cmd.h"
#include "lib/findings.h"
#include "lib/loads.h"
#include "lib/session.h"
#include "lib/summary.h"

#define RUN_ROUNDS 50
#define RUN_THREADS 2

static const struct command_line command_line = {
	.args = "VARIANT...",
	.summary =
		"Run lock loops with these delays and print rates, fairness and waits. --share is that of the first.",
	.sets = OPTIONS_WHERE | OPTIONS_LOCK | OPTIONS_WINDOWS |
		OPTIONS_CONTEND | OPTIONS_JSON | OPTIONS_CSV | OPTIONS_QUIET,
};

/* Two CPUs unless told how many, or which. */
static unsigned int choose_threads(const struct options *o,
				   const struct cpulist *list,
				   unsigned int usable)
{
	if (o->threads)
		return o->threads;
	if (o->cpus.nr)
		return list->nr;
	return usable < RUN_THREADS ? usable : RUN_THREADS;
}

static int add_set(struct session *session, struct fault *fault)
{
	struct cpulist list;
	unsigned int usable, threads;
	struct set *set;

	if (session_cpus(session, &list, &usable, fault))
		return -1;
	threads = choose_threads(&session->options, &list, usable);
	if (threads > SPINDELAY_CPUS_MAX)
		return fault_set(fault, STATUS_USAGE,
				 "%u CPUs are out of range, 1 to %u", threads,
				 SPINDELAY_CPUS_MAX);
	if (session_check_pair(session, threads, fault))
		return -1;
	set = document_add_set(session->doc, session->variants,
			       session->nr_variants, list.cpu, threads);
	if (!set)
		return fault_set(fault, STATUS_ERROR, "out of memory");
	loads_set_share(session, set, session->options.share / 100, 0);
	return 0;
}

static int run(struct session *session, int argc, char **argv,
	       struct fault *fault)
{
	if (session_begin(session, "run", &command_line, argc, argv, fault) ||
	    session_variants(session, NULL, 1, fault) ||
	    add_set(session, fault) ||
	    session_fit(session, RUN_ROUNDS, fault) ||
	    session_open(session, fault) || session_shares(session, fault) ||
	    session_measure(session, fault))
		return -1;
	if (findings_make(session->doc))
		return fault_set(fault, STATUS_ERROR, "out of memory");
	findings_print(session->doc, session_table(session));
	return session_write(session, fault);
}

int cmd_run(int argc, char **argv)
{
	struct session session = { 0 };
	struct fault fault = { 0 };
	int status;

	options_defaults(&session.options);
	if (run(&session, argc, argv, &fault))
		status = fault_report(&fault);
	else
		status = findings_status(session.doc);
	session_end(&session);
	return status;
}
