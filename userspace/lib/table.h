/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables for people: columns as wide as they must be, lines of 80 at most. */
#ifndef SPINDELAY_TABLE_H
#define SPINDELAY_TABLE_H

#include <linux/compiler.h>
#include <stdbool.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX 12
#define TABLE_CELL_MAX 48
#define TABLE_WIDTH 80

enum table_align {
	TABLE_LEFT,
	TABLE_RIGHT
};

/**
 * struct table - a table that is being filled
 * @nr_columns: entries of @align
 * @align: of each column; the first line of cells is its titles
 * @cells: line after line
 * @nr_cells: how many
 */
struct table {
	unsigned int nr_columns;
	enum table_align align[TABLE_COLUMNS_MAX];
	char (*cells)[TABLE_CELL_MAX];
	size_t nr_cells;
};

/**
 * table_begin() - a table with these titles
 * @titles: separated by '|'; a title that begins with '<' is a column aligned
 *	to the left, without the '<'
 */
void table_begin(struct table *table, const char *titles);

/* The next cell, from left to right, line after line. */
void table_cell(struct table *table, const char *format, ...) __printf(2, 3);

/* A number with @decimals, or "-" for NAN. */
void table_number(struct table *table, double value, int decimals);

/**
 * table_print() - write the table and free it
 *
 * Where its lines would be longer than TABLE_WIDTH, the widest column on the
 * left side is cut, with a '~' at the cut: at the end, or before a '/' whose
 * rest fits.
 */
void table_print(struct table *table, FILE *stream);

/* Break @text into lines of TABLE_WIDTH at blanks. */
void print_wrapped(FILE *stream, const char *text);

#endif /* SPINDELAY_TABLE_H */
