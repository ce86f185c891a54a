// SPDX-License-Identifier: GPL-2.0-or-later
/* selftest: can this machine, with this module, be trusted with a comparison? */
#include "cmd/cmd.h"
#include "lib/findings.h"
#include "lib/selftest.h"
#include "lib/session.h"

/* No placement is begun that would end behind it. */
#define SELFTEST_SECONDS 30

static const struct command_line command_line = {
	.args = "",
	.summary =
		"Compare identical loops, see that a difference shows and that a broken lock is caught, check every lock's exclusion, the order of windows, the timer and the end of windows; then say whether this machine can be trusted.",
	.sets = OPTIONS_WHERE | OPTIONS_THREADS | OPTIONS_WINDOWS |
		OPTIONS_JSON | OPTIONS_CSV | OPTIONS_QUIET,
};

/* Timings on a few CPUs; exclusion on as many as a comparison would take. */
static int add_sets(struct session *session, struct fault *fault)
{
	const struct options *o = &session->options;
	u32 threads[MACHINE_THREADS_MAX];
	struct cpulist list;
	unsigned int usable, few, most;

	if (o->nr_args)
		return fault_set(
			fault, STATUS_USAGE,
			"selftest compares variants of its own: '%.64s' is one too many",
			o->args[0]);
	if (session_cpus(session, &list, &usable, fault))
		return -1;
	most = machine_default_threads(&session->doc->machine, &list, usable,
				       threads);
	few = threads[0];
	most = threads[most - 1];
	if (o->threads || o->cpus.nr) {
		few = o->threads ? o->threads : list.nr;
		most = few;
	}
	if (most > SPINDELAY_CPUS_MAX)
		return fault_set(fault, STATUS_USAGE,
				 "%u CPUs are out of range, 1 to %u", most,
				 SPINDELAY_CPUS_MAX);
	return selftest_add_sets(session->doc, list.cpu, few, most, fault);
}

static int measure(struct session *session, struct fault *fault)
{
	struct measure *measure = &session->measure;
	int err;

	progress_begin(&measure->progress, measure_windows(session->doc),
		       measure->deadline, session->options.quiet);
	session->doc->clock[0] = counter_pair_read();
	err = selftest_measure(measure, session->doc, fault);
	progress_end(&measure->progress);
	if (err)
		return -1;
	session->doc->clock[1] = counter_pair_read();
	if (findings_make(session->doc))
		return fault_set(fault, STATUS_ERROR, "out of memory");
	return 0;
}

static int selftest(struct session *session, int argc, char **argv,
		    struct fault *fault)
{
	if (session_begin(session, "selftest", &command_line, argc, argv,
			  fault) ||
	    add_sets(session, fault) ||
	    session_fit(session, SELFTEST_ROUNDS, fault) ||
	    session_open(session, fault) || measure(session, fault))
		return -1;
	findings_print(session->doc, session_table(session));
	return session_write(session, fault);
}

int cmd_selftest(int argc, char **argv)
{
	struct session session = { 0 };
	struct fault fault = { 0 };
	int status;

	options_defaults(&session.options);
	/* As compare does: it is compare that is tried. */
	session.measure.swap_copies = true;
	session.options.time = SELFTEST_SECONDS;
	session.options.placements = SELFTEST_PLACEMENTS;
	/* As many as that. */
	session.options.precision = 0;
	if (selftest(&session, argc, argv, &fault))
		status = fault_report(&fault);
	else
		status = findings_status(session.doc);
	session_end(&session);
	return status;
}
