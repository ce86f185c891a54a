// SPDX-License-Identifier: GPL-2.0-or-later
/* compare: variants against the last one named, in the same rounds. */
#include "cmd/cmd.h"
#include "lib/equal.h"
#include "lib/findings.h"
#include "lib/loads.h"
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
	    loads_add_sets(session, fault) || reserve(session, fault) ||
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
	session.measure.swap_copies = true;
	session.options.match = MATCH_BOTH;
	session.options.precision = COMPARE_PRECISION;
	if (compare(&session, argc, argv, &fault))
		status = fault_report(&fault);
	else
		status = findings_status(session.doc);
	session_end(&session);
	return status;
}
