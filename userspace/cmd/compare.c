// SPDX-License-Identifier: GPL-2.0-or-later
/* compare: variants against the last one named, in the same rounds. */
#include "cmd/cmd.h"
#include "lib/equal.h"
#include "lib/findings.h"
#include "lib/loads.h"
#include "lib/session.h"
#include "lib/sidebyside.h"
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

static int prepare(struct session *session, struct fault *fault)
{
	if (session_variants(session, default_variants, 2, fault) ||
	    loads_add_sets(session, fault) || reserve(session, fault) ||
	    session_fit(session, COMPARE_ROUNDS, fault))
		return -1;
	return session_open(session, fault);
}

static int measure(struct session *session, struct fault *fault)
{
	if (session_shares(session, fault) || session_equal(session, fault) ||
	    session_measure(session, fault))
		return -1;
	if (findings_make(session->doc))
		return fault_set(fault, STATUS_ERROR, "out of memory");
	return 0;
}

static int compare_one(struct session *session, enum status *status,
		       struct fault *fault)
{
	if (prepare(session, fault) || measure(session, fault))
		return -1;
	findings_print(session->doc, session_table(session));
	*status = findings_status(session->doc);
	return session_write(session, fault);
}

/* Both are ready before the first begins: what is missing is said at once. */
static int measure_both(struct session *kernel, struct session *user,
			struct fault *fault)
{
	kernel->options.time /= 2;
	if (session_again(user, kernel, true, fault) || prepare(user, fault) ||
	    prepare(kernel, fault) || measure(kernel, fault))
		return -1;
	fputs("In the module:\n\n", stdout);
	findings_print(kernel->doc, stdout);
	fflush(stdout);
	session_start_clock(user);
	return measure(user, fault);
}

static int compare_both(struct session *session, enum status *status,
			struct fault *fault)
{
	struct session user = { 0 };
	struct side_file sides[] = { { .path = "kernel" }, { .path = "user" } };
	int err = measure_both(session, &user, fault);

	if (!err) {
		fputs("\nIn user threads:\n\n", stdout);
		findings_print(user.doc, stdout);
		fputs("\nSide by side:\n\n", stdout);
		sides[0].doc = session->doc;
		sides[1].doc = user.doc;
		err = side_by_side(sides, 2, stdout, fault);
		*status = status_worse(findings_status(session->doc),
				       findings_status(user.doc));
	}
	session_end(&user);
	return err;
}

static int compare(struct session *session, int argc, char **argv,
		   enum status *status, struct fault *fault)
{
	if (session_begin(session, "compare", &command_line, argc, argv, fault))
		return -1;
	if (session->options.both)
		return compare_both(session, status, fault);
	return compare_one(session, status, fault);
}

int cmd_compare(int argc, char **argv)
{
	struct session session = { 0 };
	enum status status = STATUS_OK;
	struct fault fault = { 0 };

	options_defaults(&session.options);
	session.measure.swap_copies = true;
	session.options.match = MATCH_BOTH;
	session.options.precision = COMPARE_PRECISION;
	if (compare(&session, argc, argv, &status, &fault))
		status = fault_report(&fault);
	session_end(&session);
	return status;
}
