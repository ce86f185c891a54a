/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps that all measuring commands share. */
#ifndef SPINDELAY_SESSION_H
#define SPINDELAY_SESSION_H

#include <stdio.h>

#include "lib/measure.h"
#include "lib/options.h"

/**
 * struct session - one command at work
 * @options: what was asked for
 * @doc: what will be said
 * @backend: what carries out plans
 * @opened: @backend is open
 * @measure: how
 * @variants: what the command line names
 * @nr_variants: how many
 */
struct session {
	struct options options;
	struct document *doc;
	struct backend backend;
	bool opened;
	struct measure measure;
	struct spindelay_variant variants[SPINDELAY_VARIANTS_MAX];
	unsigned int nr_variants;
};

/**
 * session_begin() - the command line, the machine, the files to write
 * @command: name of the command
 * @session: its @options hold the defaults
 *
 * Return: 0, or -1 and a fault; session_end() is due either way.
 */
int session_begin(struct session *session, const char *command,
		  const struct command_line *line, int argc, char **argv,
		  struct fault *fault);

/**
 * session_again() - a further session with the options of the first
 * @first: has begun
 * @user: but in threads of the tool, or not
 *
 * Return: as session_begin()
 */
int session_again(struct session *session, const struct session *first,
		  bool user, struct fault *fault);

/**
 * session_variants() - read the variants of the command line
 * @defaults: taken where there are none, ended by NULL; may be NULL
 * @least: fewer are a usage fault
 *
 * Hold, think and the like are those of the options. Where all locks are
 * handoffs, nothing is held unless it was asked for: the handing over is what is
 * measured. What is named twice is an A/A comparison, variant_pair_twins().
 */
int session_variants(struct session *session, const char *const *defaults,
		     unsigned int least, struct fault *fault);

/* One more variant, as it is typed, with the work of the options. */
int session_add_variant(struct session *session, const char *text,
			struct fault *fault);

/* Give the variant with this index another lock, and what the options say of it. */
void session_use_lock(struct session *session, unsigned int variant, u32 lock);

/**
 * session_cpus() - the CPUs that may be used, checked
 * @list: those named, or the machine's without the spare ones up front
 * @usable: how many of @list are not spare
 */
int session_cpus(struct session *session, struct cpulist *list,
		 unsigned int *usable, struct fault *fault);

/*
 * Open the backend and ask it whether it can execute the variants. The time of
 * --time runs from here.
 */
int session_open(struct session *session, struct fault *fault);

/* Have the time of --time run from here. */
void session_start_clock(struct session *session);

/* The last step of it, for variants that are named later. */
int session_check_delays(struct session *session, struct fault *fault);

/**
 * session_fit() - choose rounds where they were not said, check bounds
 * @rounds: default
 *
 * As many rounds as fit into --time beside the searches, at most the default.
 * The sets must be there, with room for what is padded.
 */
int session_fit(struct session *session, unsigned int rounds,
		struct fault *fault);

/**
 * session_check_pair() - are @threads CPUs right for the locks named?
 *
 * Return: 0, or -1 and a usage fault for a lock of two CPUs.
 */
int session_check_pair(const struct session *session, unsigned int threads,
		       struct fault *fault);

/* Is one of the variants' locks for two CPUs only? */
bool session_has_pair(const struct session *session);

/**
 * session_shares() - choose the think of every set that has a share
 *
 * A share that --share asked for and that is not met is a fault; of the others a
 * note says what was reached, and a set whose share is out of reach, or for which
 * no window was valid, is dropped.
 * The backend must be open and the sets must be there.
 */
int session_shares(struct session *session, struct fault *fault);

/* Choose the paddings of all sets, if --match asks for equal time. */
int session_equal(struct session *session, struct fault *fault);

/* Have all sets run, with progress. */
int session_measure(struct session *session, struct fault *fault);

/* Where tables go; NULL if the document goes to standard output. */
FILE *session_table(const struct session *session);

/* Write what --json and --csv ask for. */
int session_write(const struct session *session, struct fault *fault);

/* Make the document's findings anew from all windows that there are. */
int session_findings(struct session *session, struct fault *fault);

/**
 * session_save() - write what has been measured so far
 *
 * Called behind each part of a long measurement: whatever ends the tool leaves a
 * whole file with the parts until then. Standard output gets it at the end alone.
 */
int session_save(struct session *session, struct fault *fault);

void session_end(struct session *session);

#endif /* SPINDELAY_SESSION_H */
