// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/table.h"

#define GAP 2
/* Letters that are left of what stands before a cut. */
#define SHORTEST_HEAD 1

static char *next_cell(struct table *table)
{
	size_t n = table->nr_cells;
	void *cells = table->cells;

	if (!(n & (n - 1))) {
		cells = realloc(cells, (n ? 2 * n : 1) * TABLE_CELL_MAX);
		if (!cells)
			return NULL;
		table->cells = cells;
	}
	table->nr_cells++;
	return table->cells[n];
}

void table_begin(struct table *table, const char *titles)
{
	memset(table, 0, sizeof(*table));
	for (;;) {
		size_t len = strcspn(titles, "|");
		bool left = titles[0] == '<';

		table->align[table->nr_columns++] =
			left ? TABLE_LEFT : TABLE_RIGHT;
		table_cell(table, "%.*s", (int)(len - left), titles + left);
		titles += len;
		if (!*titles++ || table->nr_columns == TABLE_COLUMNS_MAX)
			return;
	}
}

void table_cell(struct table *table, const char *format, ...)
{
	char *cell = next_cell(table);
	va_list args;

	if (!cell)
		return;
	va_start(args, format);
	vsnprintf(cell, TABLE_CELL_MAX, format, args);
	va_end(args);
}

void table_number(struct table *table, double value, int decimals)
{
	/* What would be shown as -0.0 is zero. */
	if (fabs(value) * pow(10, decimals) < 0.5)
		value = 0;
	if (isnan(value))
		table_cell(table, "-");
	else
		table_cell(table, "%.*f", decimals, value);
}

static void measure_columns(const struct table *table, size_t *width)
{
	for (size_t i = 0; i < table->nr_cells; i++) {
		size_t len = strlen(table->cells[i]);
		size_t column = i % table->nr_columns;

		if (len > width[column])
			width[column] = len;
	}
}

static size_t line_width(const struct table *table, const size_t *width)
{
	size_t sum = GAP * (table->nr_columns - 1);

	for (unsigned int c = 0; c < table->nr_columns; c++)
		sum += width[c];
	return sum;
}

/* Take from the widest column on the left side until the line fits. */
static void fit_columns(const struct table *table, size_t *width)
{
	while (line_width(table, width) > TABLE_WIDTH) {
		unsigned int widest = 0;

		for (unsigned int c = 0; c < table->nr_columns; c++)
			if (table->align[c] == TABLE_LEFT &&
			    width[c] > width[widest])
				widest = c;
		if (width[widest] < 4)
			return;
		width[widest]--;
	}
}

/* Of "lock/delay" the lock is cut, where that is enough: the delay tells lines apart. */
static void print_cut(const char *cell, size_t width, FILE *stream)
{
	const char *tail = strchr(cell, '/');
	size_t len = tail ? strlen(tail) : 0;

	if (len + SHORTEST_HEAD + 1 > width)
		len = 0;
	fprintf(stream, "%.*s~%s", (int)(width - len - 1), cell,
		len ? tail : "");
}

static void print_cell(const char *cell, size_t width, enum table_align align,
		       bool last, FILE *stream)
{
	if (strlen(cell) > width)
		print_cut(cell, width, stream);
	else if (align == TABLE_RIGHT)
		fprintf(stream, "%*s", (int)width, cell);
	else if (last)
		fputs(cell, stream);
	else
		fprintf(stream, "%-*s", (int)width, cell);
	fputs(last ? "\n" : "  ", stream);
}

void table_print(struct table *table, FILE *stream)
{
	size_t width[TABLE_COLUMNS_MAX] = { 0 };

	measure_columns(table, width);
	fit_columns(table, width);
	for (size_t i = 0; i < table->nr_cells; i++) {
		size_t column = i % table->nr_columns;

		print_cell(table->cells[i], width[column], table->align[column],
			   column + 1 == table->nr_columns, stream);
	}
	free(table->cells);
	memset(table, 0, sizeof(*table));
}

void print_wrapped(FILE *stream, const char *text)
{
	while (strlen(text) > TABLE_WIDTH) {
		size_t len = TABLE_WIDTH;

		while (len && text[len] != ' ')
			len--;
		if (!len)
			len = strcspn(text, " ");
		fprintf(stream, "%.*s\n", (int)len, text);
		text += len + strspn(text + len, " ");
	}
	fprintf(stream, "%s\n", text);
}
