// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "fake_document.h"
#include "lib/csv.h"

static unsigned int commas(const char *line)
{
	unsigned int n = 0;

	for (; *line && *line != '\n'; line++)
		n += *line == ',';
	return n;
}

static char *written(const struct document *doc)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	csv_write(doc, stream);
	fclose(stream);
	return text;
}

static void every_window_has_a_line(void **state)
{
	unsigned int lines = 0, columns;
	struct document *doc;
	struct fake fake;
	char *text;

	(void)state;
	fake_init(&fake, 1);
	doc = fake_compare(&fake, 2, 2, 10);
	text = written(doc);
	columns = commas(text);
	for (char *at = text; *at; at = strchr(at, '\n') + 1, lines++)
		assert_int_equal(commas(at), columns);
	assert_int_equal(lines, 1 + 2 * 10 * 2);
	free(text);
	document_free(doc);
}

static void cpus_are_added_up(void **state)
{
	struct document *doc;
	struct fake fake;
	char *text, *line;

	(void)state;
	fake_init(&fake, 1);
	doc = fake_compare(&fake, 1, 1, 6);
	text = written(doc);
	line = strchr(text, '\n') + 1;
	*strchr(line, '\n') = '\0';
	assert_string_equal(
		line,
		"0,0,0,ttas,sb,1,0,200,0,2,0,0,0,2000000,4000,4000,12000,12000,250,25000,75000,100,2000,200,20000,0,2000000");
	free(text);
	document_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_window_has_a_line),
		cmocka_unit_test(cpus_are_added_up),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
