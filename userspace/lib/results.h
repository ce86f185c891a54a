/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A document as JSON, there and back.
 *
 * Beside what people read, a file holds what the numbers are made of:
 *
 *  sets            for each: role; cpus; variants, those asked for first;
 *                  paddings of the others; placements, each with page, slot,
 *                  node and its CPUs in start order
 *  record_columns  names of the numbers of one CPU in one window
 *  windows         in the order in which they ran: set, placement, round,
 *                  variant (of the set), invalid, start, ticks, acquisitions,
 *                  counted; cpus: an array of record_columns for each CPU of
 *                  the placement, in its order, zeros at the end left out;
 *                  waits: [bucket, hits] of the wait histogram
 *
 * A number that is not known is null.
 *
 * Files come from anywhere, so reading is strict, and bounded in memory and
 * time whatever the file: windows are read one at a time, as many as
 * PLAN_BYTES_MAX lets a measurement have, and what stands in front of them may
 * not be longer than any measurement makes it. "windows" must come after
 * "sets", as the writer has it (and as sorted keys would).
 */
#ifndef SPINDELAY_RESULTS_H
#define SPINDELAY_RESULTS_H

#include <stdio.h>

#include "lib/document.h"

struct json_t;

/*
 * A file that is larger than this is not read. The longest text of a window is
 * less than five times what it takes in memory, and PLAN_BYTES_MAX of that are
 * the most that is ever measured.
 */
#define RESULTS_FILE_MAX (5 * PLAN_BYTES_MAX)

/* Write all of it; -1 if memory runs out. Errors of @stream stay in it. */
int results_write(const struct document *doc, FILE *stream);

/* The same without the windows: a smaller, whole JSON object. */
int results_write_head(const struct document *doc, FILE *stream);

/**
 * results_read() - read the machine and the sets back
 * @stream: from its beginning
 * @name: how the fault names it
 *
 * Not the numbers made of them: see lib/summary.h.
 *
 * Return: a document, or NULL and a fault.
 */
struct document *results_read(FILE *stream, const char *name,
			      struct fault *fault);

/**
 * results_read_stored() - the same, and what the file says beside the windows
 * @stored: a reference to drop: the file without its windows; NULL if it could
 *	not be read
 */
struct document *results_read_stored(FILE *stream, const char *name,
				     struct json_t **stored,
				     struct fault *fault);

/**
 * results_differ() - does a file say something else than its windows?
 * @doc: what was read, its numbers made anew
 * @stored: what results_read_stored() left
 * @where: filled in: the place and both values
 * @size: of @where
 *
 * Numbers are compared by value, to the last digit. What only one of them has
 * is no difference, so that other versions may have more or less to say; but
 * arrays must be of one length.
 *
 * Return: 1, 0, or -1 if memory runs out.
 */
int results_differ(const struct document *doc, const struct json_t *stored,
		   char *where, size_t size);

/**
 * results_load() - open a file, read it, make its numbers anew
 * @path: a regular file, or "-" for standard input
 * @changed: filled in: "", or a sentence on how the file's own numbers differ
 * @size: of @changed
 *
 * Return: a document, or NULL and a fault.
 */
struct document *results_load(const char *path, char *changed, size_t size,
			      struct fault *fault);

#endif /* SPINDELAY_RESULTS_H */
