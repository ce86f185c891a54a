// SPDX-License-Identifier: GPL-2.0-or-later
/* report: what result files say, made anew from their windows. */
#include "cmd/cmd.h"
#include "lib/findings.h"
#include "lib/outfile.h"
#include "lib/results.h"
#include "lib/session.h"
#include "lib/sidebyside.h"
#include "lib/summary.h"

#define CHANGED_MAX 768

static const struct command_line command_line = {
	.args = "FILE...",
	.summary =
		"Make the numbers of JSON files anew from their windows and print them; those of several files side by side. Needs no privilege and no module.",
	.sets = OPTIONS_JSON | OPTIONS_CSV,
};

static int check_files(const struct options *o, struct fault *fault)
{
	if (!o->nr_args)
		return fault_set(fault, STATUS_USAGE,
				 "report needs a file that --json has written");
	if (o->nr_args > SIDE_FILES_MAX)
		return fault_set(fault, STATUS_USAGE,
				 "%d files are out of range, 1 to %d",
				 o->nr_args, SIDE_FILES_MAX);
	if (o->nr_args > 1 && (o->json || o->csv))
		return fault_set(
			fault, STATUS_USAGE,
			"--json and --csv write one document, so report must be given one file, not %d",
			o->nr_args);
	if ((o->json && outfile_check(o->json, fault)) ||
	    (o->csv && outfile_check(o->csv, fault)))
		return -1;
	return 0;
}

/* A document, and what is to be said if it contradicts its windows. */
static struct document *load(const char *path, enum status *status,
			     struct fault *fault)
{
	char changed[CHANGED_MAX];
	struct document *doc =
		results_load(path, changed, sizeof(changed), fault);

	if (!doc)
		return NULL;
	*status = findings_status(doc);
	if (changed[0]) {
		fprintf(stderr, "spindelay: %s\n", changed);
		*status = STATUS_ERROR;
	}
	return doc;
}

static int report_one(struct session *session, enum status *status,
		      struct fault *fault)
{
	session->doc = load(session->options.args[0], status, fault);
	if (!session->doc)
		return -1;
	findings_print(session->doc, session_table(session));
	return session_write(session, fault);
}

static int report_several(const struct options *o, enum status *status,
			  struct fault *fault)
{
	struct document *docs[SIDE_FILES_MAX] = { NULL };
	struct side_file files[SIDE_FILES_MAX];
	enum status one;
	int err = 0;

	for (int i = 0; i < o->nr_args && !err; i++) {
		docs[i] = load(o->args[i], &one, fault);
		files[i].path = o->args[i];
		files[i].doc = docs[i];
		if (!docs[i]) {
			err = -1;
			break;
		}
		*status = status_worse(*status, one);
		document_forget_windows(docs[i]);
	}
	if (!err)
		err = side_by_side(files, o->nr_args, stdout, fault);
	for (int i = 0; i < o->nr_args; i++)
		document_free(docs[i]);
	return err;
}

static int report(struct session *session, int argc, char **argv,
		  enum status *status, struct fault *fault)
{
	struct options *o = &session->options;

	if (options_parse(&command_line, argc, argv, o, fault) ||
	    check_files(o, fault))
		return -1;
	if (o->nr_args > 1)
		return report_several(o, status, fault);
	return report_one(session, status, fault);
}

int cmd_report(int argc, char **argv)
{
	enum status status = STATUS_OK;
	struct session session = { 0 };
	struct fault fault = { 0 };

	options_defaults(&session.options);
	if (report(&session, argc, argv, &status, &fault))
		status = fault_report(&fault);
	session_end(&session);
	return status;
}
