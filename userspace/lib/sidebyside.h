/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several documents in the same tables, and what sets them apart. */
#ifndef SPINDELAY_SIDEBYSIDE_H
#define SPINDELAY_SIDEBYSIDE_H

#include <stdio.h>

#include "lib/document.h"

/* Bounds of what one screen, or a few, can show. */
#define SIDE_FILES_MAX 16
#define SIDE_ITEMS_MAX 512

/**
 * struct side_file - one of the documents
 * @path: as it was named
 * @doc: with its numbers; its windows are not looked at
 */
struct side_file {
	const char *path;
	const struct document *doc;
};

/**
 * side_by_side() - print what the documents have in common, a line a file
 *
 * Logs of a replay, comparisons, variants and costs, each where all of the
 * documents have some: so a `run` goes with a `compare`, and a `cost` with
 * another one alone. The lines of one log, comparison, variant or cost stand
 * together; a file that has it not has no line there. Behind the tables stands
 * one sentence for each difference of machine, load or windows that matters; the
 * seed is none.
 *
 * Return: 0, or -1 and a fault where there is nothing in common.
 */
int side_by_side(const struct side_file *files, unsigned int nr, FILE *stream,
		 struct fault *fault);

#endif /* SPINDELAY_SIDEBYSIDE_H */
