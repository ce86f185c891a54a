/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each measuring command makes of its windows and prints of it: one table,
 * so that the command and whoever reads its file again say the same.
 */
#ifndef SPINDELAY_FINDINGS_H
#define SPINDELAY_FINDINGS_H

#include <stdio.h>

#include "lib/document.h"
#include "lib/status.h"

/**
 * findings_check() - are these windows that the document's command has?
 * @why: filled in if not
 * @size: of @why
 *
 * Return: 0 or -1
 */
int findings_check(const struct document *doc, char *why, size_t size);

/* Make the numbers, once; -1 if memory runs out. */
int findings_make(struct document *doc);

/* What the numbers let the tool exit with. */
enum status findings_status(const struct document *doc);

/**
 * findings_print() - sentences and tables
 * @stream: NULL: the document itself goes to standard output, and only what
 *	nobody may miss is said, on standard error
 */
void findings_print(const struct document *doc, FILE *stream);

#endif /* SPINDELAY_FINDINGS_H */
