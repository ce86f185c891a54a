/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_CSV_H
#define SPINDELAY_CSV_H

#include <stdio.h>

#include "lib/document.h"

/**
 * csv_write() - the windows of a document as a table for other programs
 *
 * A line of names, then a line for each window, its CPUs added up; of `cost
 * --dispatch`, which has no windows, a line for each time that a loop was run
 * with so many polls and with twice as many. Fields are numbers and names
 * without commas, so nothing is quoted.
 */
void csv_write(const struct document *doc, FILE *stream);

#endif /* SPINDELAY_CSV_H */
