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
 */
#ifndef SPINDELAY_RESULTS_H
#define SPINDELAY_RESULTS_H

#include <stdio.h>

#include "lib/document.h"

/* Write all of it; -1 if memory runs out. Errors of @stream stay in it. */
int results_write(const struct document *doc, FILE *stream);

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

#endif /* SPINDELAY_RESULTS_H */
