// SPDX-License-Identifier: GPL-2.0-or-later
/* compare: variants against the last one named, in the same rounds. */
#include <linux/array_size.h>

#include "cmd/cmd.h"
#include "lib/equal.h"
#include "lib/findings.h"
#include "lib/names.h"
#include "lib/session.h"
#include "lib/summary.h"
#include "lib/variant.h"

#define COMPARE_ROUNDS 50
/* Percent; see --precision. */
#define COMPARE_PRECISION 2

static const struct command_line command_line = {
	.args = "[VARIANT VARIANT...]",
	.summary =
		"Compare the throughput of each variant with that of the last one (sb isb). --share is that of the last.",
	.sets = OPTIONS_WHERE | OPTIONS_LOCK | OPTIONS_WINDOWS |
		OPTIONS_CONTEND | OPTIONS_MATCH | OPTIONS_JSON | OPTIONS_CSV |
		OPTIONS_QUIET,
};

static const char *const default_variants[] = { "sb", "isb", NULL };

/* Delay shares of the baseline; 0: no think, saturated. */
static const double default_shares[] = { 0.05, 0.2, 0 };

static int add_load(struct session *session, const struct cpulist *list,
		    unsigned int threads, double share, struct fault *fault)
{
	struct set *set =
		document_add_set(session->doc, session->variants,
				 session->nr_variants, list->cpu, threads);

	if (!set)
		return fault_set(fault, STATUS_ERROR, "out of memory");
	set->share = share;
	set->share_variant = set_baseline(set);
	return 0;
}

/* One load if it was said which, or if there is nobody to wait for. */
static bool one_load(const struct session *session, unsigned int threads)
{
	const struct options *o = &session->options;
	const u32 lock = session->variants[session->nr_variants - 1].lock;

	return o->think_said || o->share || threads < 2 ||
	       !lock_has(lock, SPIN_POLLS) || lock_has(lock, SPIN_PAIR);
}

static int add_set(struct session *session, const struct cpulist *list,
		   unsigned int threads, struct fault *fault)
{
	if (threads > SPINDELAY_CPUS_MAX)
		return fault_set(fault, STATUS_USAGE,
				 "%u CPUs are out of range, 1 to %u", threads,
				 SPINDELAY_CPUS_MAX);
	if (session_check_pair(session, threads, fault))
		return -1;
	if (one_load(session, threads))
		return add_load(session, list, threads,
				session->options.share / 100, fault);
	for (size_t i = 0; i < ARRAY_SIZE(default_shares); i++)
		if (add_load(session, list, threads, default_shares[i], fault))
			return -1;
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

/* Room for what equal time will pad. */
static int reserve(struct session *session, struct fault *fault)
{
	const struct spindelay_variant *v = session->variants;
	const unsigned int base = session->nr_variants - 1;
	char name_a[VARIANT_TEXT_MAX], name_b[VARIANT_TEXT_MAX];

	if (!(session->doc->match & MATCH_BIT(MATCH_TIME)))
		return 0;
	for (unsigned int a = 0;
	     a < base && session->doc->match == MATCH_BIT(MATCH_TIME); a++) {
		const char *why = equal_refusal(&v[a], &v[base]);

		if (why)
			return fault_set(
				fault, STATUS_USAGE,
				"--match time: %s and %s cannot be compared at equal time: %s",
				variant_format(&v[a], name_a),
				variant_format(&v[base], name_b), why);
	}
	return equal_reserve(session->doc, fault);
}

static int compare(struct session *session, int argc, char **argv,
		   struct fault *fault)
{
	if (session_begin(session, "compare", &command_line, argc, argv,
			  fault) ||
	    session_variants(session, default_variants, 2, fault) ||
	    add_sets(session, fault) || reserve(session, fault) ||
	    session_fit(session, COMPARE_ROUNDS, fault) ||
	    session_open(session, fault) || session_shares(session, fault) ||
	    session_equal(session, fault) || session_measure(session, fault))
		return -1;
	if (findings_make(session->doc))
		return fault_set(fault, STATUS_ERROR, "out of memory");
	findings_print(session->doc, session_table(session));
	return session_write(session, fault);
}

int cmd_compare(int argc, char **argv)
{
	struct session session = { 0 };
	struct fault fault = { 0 };
	int status;

	options_defaults(&session.options);
	session.options.match = MATCH_BOTH;
	session.options.precision = COMPARE_PRECISION;
	if (compare(&session, argc, argv, &fault))
		status = fault_report(&fault);
	else
		status = summary_status(session.doc);
	session_end(&session);
	return status;
}
