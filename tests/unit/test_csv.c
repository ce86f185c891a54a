// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "fake_document.h"
#include "lib/csv.h"
#include "lib/preset.h"

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

static void late_columns_stand_last(void **state)
{
	const struct preset *preset;
	struct spindelay_variant *v;
	struct document *doc;
	struct fault fault;
	struct fake fake;
	char *text, *line;

	(void)state;
	fake_init(&fake, 1);
	fake.cycles_per_tick = 3;
	fake.instructions_per_tick = 2;
	doc = fake_compare(&fake, 1, 1, 6);
	v = &doc->sets[0].variants[0];
	v->jitter = 5;
	v->lines = 6;
	v->backoff_min = 7;
	v->backoff_max = 8;
	v->wfet_ns = 9;
	v->spin_wait_delay = 10;
	v->pause_multiplier = 11;
	v->sync_spin_loops = 12;
	v->read_share = 17;
	v->lock = SPIN_LOCK_backoff;
	assert_int_equal(preset_parse("folly", &preset, &fault), 0);
	v->backoff = preset->backoff;
	doc->sets[0].windows[0].records[0].rounds = 13;
	doc->sets[0].windows[0].records[1].rounds = 1;
	doc->sets[0].windows[0].records[0].yields = 15;
	doc->sets[0].windows[0].records[1].parks = 16;
	text = written(doc);
	line = strchr(text, '\n');
	*line++ = '\0';
	assert_non_null(strstr(
		text,
		",rate,jitter,lines,backoff_min,backoff_max,wfet_ns,cycles,instructions"
		",spin_wait_delay,pause_multiplier,sync_spin_loops,rounds,yields"
		",parks,read_share,preset"));
	*strchr(line, '\n') = '\0';
	/* Two CPUs of 2000000 ticks each. */
	assert_non_null(strstr(
		line,
		",2000000,5,6,7,8,9,12000000,8000000,10,11,12,14,15,16,17,folly"));
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
		"0,0,0,ttas,sb,1,0,200,0,2,0,0,0,2000000,4000,4000,12000,12000,250,25000,75000,100,2000,200,20000,0,2000000,0,0,0,0,0,0,0,0,0,0,0,0,0,0,");
	free(text);
	document_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_window_has_a_line),
		cmocka_unit_test(late_columns_stand_last),
		cmocka_unit_test(cpus_are_added_up),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
