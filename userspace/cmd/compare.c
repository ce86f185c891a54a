// SPDX-License-Identifier: GPL-2.0-or-later
/* compare: variants against the last one named, in the same rounds. */
#include "cmd/cmd.h"
#include "lib/report.h"
#include "lib/session.h"
#include "lib/summary.h"

#define COMPARE_ROUNDS 50

static const struct command_line command_line = {
	.args = "[VARIANT VARIANT...]",
	.summary =
		"Compare the throughput of each variant with that of the last one (sb isb). --share is that of the last.",
	.sets = OPTIONS_WHERE | OPTIONS_LOCK | OPTIONS_WINDOWS |
		OPTIONS_CONTEND | OPTIONS_MATCH | OPTIONS_JSON | OPTIONS_CSV |
		OPTIONS_QUIET,
};

static const char *const default_variants[] = { "sb", "isb", NULL };

static int add_set(struct session *session, const struct cpulist *list,
		   unsigned int threads, struct fault *fault)
{
	if (threads > SPINDELAY_CPUS_MAX)
		return fault_set(fault, STATUS_USAGE,
				 "%u CPUs are out of range, 1 to %u", threads,
				 SPINDELAY_CPUS_MAX);
	if (session_check_pair(session, threads, fault))
		return -1;
	if (!document_add_set(session->doc, session->variants,
			      session->nr_variants, list->cpu, threads))
		return fault_set(fault, STATUS_ERROR, "out of memory");
	return 0;
}

static int add_default_sets(struct session *session, const struct cpulist *list,
			    unsigned int usable, struct fault *fault)
{
	u32 threads[MACHINE_THREADS_MAX];
	unsigned int nr = machine_default_threads(&session->doc->machine, list,
						  usable, threads);

	for (unsigned int i = 0; i < nr; i++)
		if (add_set(session, list, threads[i], fault))
			return -1;
	return 0;
}

static int add_sets(struct session *session, struct fault *fault)
{
	const struct options *o = &session->options;
	struct cpulist list;
	unsigned int usable;

	if (session_cpus(session, &list, &usable, fault))
		return -1;
	if (o->threads)
		return add_set(session, &list, o->threads, fault);
	if (o->cpus.nr)
		return add_set(session, &list, list.nr, fault);
	if (session_has_pair(session))
		return add_set(session, &list, usable < 2 ? usable : 2, fault);
	return add_default_sets(session, &list, usable, fault);
}

static void print(const struct document *doc, FILE *stream)
{
	report_lost(doc, stream ? stream : stderr);
	if (!stream)
		return;
	report_sentences(doc, stream);
	report_shares(doc, stream);
	fputc('\n', stream);
	report_comparisons(doc, stream);
	fputc('\n', stream);
	report_variants(doc, stream);
	report_notes(doc, stream);
	fputc('\n', stream);
	report_footer(doc, stream);
}

static int compare(struct session *session, int argc, char **argv,
		   struct fault *fault)
{
	if (session_begin(session, "compare", &command_line, argc, argv,
			  fault) ||
	    session_variants(session, default_variants, 2, fault) ||
	    add_sets(session, fault) ||
	    session_fit(session, COMPARE_ROUNDS, fault) ||
	    session_open(session, fault) ||
	    session_share(session, session->nr_variants - 1, fault) ||
	    session_measure(session, fault))
		return -1;
	if (summarise_variants(session->doc) ||
	    summarise_comparisons(session->doc))
		return fault_set(fault, STATUS_ERROR, "out of memory");
	print(session->doc, session_table(session));
	return session_write(session, fault);
}

int cmd_compare(int argc, char **argv)
{
	struct session session = { 0 };
	struct fault fault = { 0 };
	int status;

	options_defaults(&session.options);
	if (compare(&session, argc, argv, &fault))
		status = fault_report(&fault);
	else
		status = summary_status(session.doc);
	session_end(&session);
	return status;
}
