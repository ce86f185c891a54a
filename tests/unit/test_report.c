// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <math.h>

#include "fake_document.h"
#include "lib/report.h"
#include "lib/summary.h"
#include "lib/table.h"

static char *text;
static size_t size;
static FILE *stream;

static int setup(void **state)
{
	(void)state;
	stream = open_memstream(&text, &size);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fclose(stream);
	free(text);
	return 0;
}

/* No line is wider than a terminal or ends in a blank. */
static void check_lines(void)
{
	fflush(stream);
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		if (len > TABLE_WIDTH)
			fail_msg("%zu columns: %.*s", len, (int)len, line);
		if (len && line[len - 1] == ' ')
			fail_msg("a blank ends: '%.*s'", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

static void columns_line_up(void **state)
{
	struct table table;

	(void)state;
	table_begin(&table, "<name|value|<note");
	table_cell(&table, "a");
	table_number(&table, -0.04, 1);
	table_cell(&table, "x");
	table_cell(&table, "longer");
	table_number(&table, NAN, 1);
	table_cell(&table, "yy");
	table_print(&table, stream);
	fflush(stream);
	assert_string_equal(text, "name    value  note\n"
				  "a         0.0  x\n"
				  "longer      -  yy\n");
}

static void wide_cells_are_cut(void **state)
{
	struct table table;

	(void)state;
	table_begin(&table, "<one|<two|three");
	table_cell(&table, "%s", "0123456789012345678901234567890123456789");
	table_cell(&table, "%s", "0123456789012345678901234567890123456789");
	table_cell(&table, "12345678");
	table_print(&table, stream);
	check_lines();
	assert_non_null(strchr(text, '~'));
}

static void a_variant_keeps_its_delay(void **state)
{
	static const char filler[] = "01234567890123456789";
	struct table table;

	(void)state;
	table_begin(&table, "<variant|one|two|three");
	for (int i = 0; i < 3; i++) {
		table_cell(&table, "%s",
			   i < 2 ? (i ? "innodb-mutex/isb" :
					"innodb-mutex/sb") :
				   "ttas/isb+chain*48");
		for (int n = 0; n < 3; n++)
			table_cell(&table, "%s", filler);
	}
	table_print(&table, stream);
	check_lines();
	assert_non_null(strstr(text, "innodb-mut~/sb"));
	assert_non_null(strstr(text, "innodb-mu~/isb"));
	assert_non_null(strstr(text, "ttas/isb+chai~"));
}

/* As narrow as a column of names becomes beside wide numbers. */
static void one_letter_of_the_lock_is_enough(void **state)
{
	static const char filler[] = "0123456789012345678901";
	struct table table;

	(void)state;
	table_begin(&table, "<v|one|two|three");
	for (int i = 0; i < 2; i++) {
		table_cell(&table, "%s",
			   i ? "innodb-mutex/isb" : "innodb-mutex/nop");
		for (int n = 0; n < 3; n++)
			table_cell(&table, "%s%s", filler, n ? "" : "ab");
	}
	table_print(&table, stream);
	check_lines();
	assert_non_null(strstr(text, "i~/nop"));
	assert_non_null(strstr(text, "i~/isb"));
}

static void sentences_are_wrapped(void **state)
{
	static const char words[] =
		"no line of these words is too wide, and none is lost: averyverylongword";

	(void)state;
	for (int i = 0; i < 40; i++)
		print_wrapped(stream, words + i);
	check_lines();
	assert_non_null(strstr(text, "averyverylongword\n"));
}

/* The widest that there can be: every cell at its largest. */
static struct document *huge_document(unsigned int variants)
{
	struct document *doc;
	struct fake fake;

	fake_init(&fake, 5);
	fake.noise = 0.3;
	doc = fake_compare(&fake, variants, 6, 12);
	for (unsigned int v = 0; v < variants; v++) {
		struct spindelay_variant *variant = &doc->sets[0].variants[v];

		variant->count = SPINDELAY_COUNT_MAX;
		variant->pad = SPINDELAY_PAD_MAX;
		variant->hold_ns = 10000000;
		variant->jitter = 100;
		variant->lines = 64;
		if (v < 2)
			variant->lock = v ? SPIN_LOCK_raw_spinlock :
					    SPIN_LOCK_ttas_backoff;
		doc->variants[v].cycles = 1e8;
		doc->variants[v].instructions = 1e8;
		doc->variants[v].ghz = 3.5;
		variant->delay = SPIN_DELAY_dsb_isb;
		doc->variants[v].rate = 1e9;
		doc->variants[v].ns_per_acquisition = 99999999.9;
		doc->variants[v].polls_per_acquisition = 9999999.99;
		doc->variants[v].wait_max = 1e9;
		doc->variants[v].cpus[0].acquisitions = 99999999999;
		doc->variants[v].cpus[0].polls = 99999999999;
	}
	doc->discarded_rounds = 100000;
	strcpy(doc->machine.warnings[doc->machine.nr_warnings++],
	       "something that takes quite some words to say, more than fit into a line");
	return doc;
}

static void no_line_is_wider_than_80(void **state)
{
	struct document *doc = huge_document(4);

	(void)state;
	report_sentences(doc, stream);
	report_comparisons(doc, stream);
	report_variants(doc, stream);
	report_waits(doc, stream);
	report_counters(doc, stream);
	report_shares(doc, stream);
	report_notes(doc, stream);
	report_cpus(doc, stream);
	report_footer(doc, stream);
	check_lines();
	document_free(doc);
}

static void what_was_asked_of_the_share_is_said(void **state)
{
	struct document *doc;
	struct fake fake;

	(void)state;
	fake_init(&fake, 5);
	doc = fake_compare(&fake, 2, 6, 12);
	report_shares(doc, stream);
	fflush(stream);
	assert_string_equal(text, "");
	doc->sets[0].share = 0.06;
	doc->sets[0].share_variant = 1;
	doc->sets[0].variants[1].think_ns = 1234;
	report_shares(doc, stream);
	fflush(stream);
	assert_non_null(strstr(text, "think of 1234 ns"));
	assert_non_null(strstr(text, "ttas/isb"));
	assert_non_null(strstr(text, "5.0 %; 6 %"));
	assert_null(strstr(text, "missed"));
	doc->sets[0].share = 0.08;
	report_shares(doc, stream);
	fflush(stream);
	assert_non_null(strstr(text, "missed"));
	document_free(doc);
}

static void a_handover_and_an_own_wait_are_explained(void **state)
{
	struct document *doc;
	struct fake fake;

	(void)state;
	fake_init(&fake, 5);
	doc = fake_compare(&fake, 3, 6, 12);
	doc->sets[0].variants[0].lock = SPIN_LOCK_handoff;
	doc->sets[0].variants[0].hold_ns = 0;
	doc->sets[0].variants[1].lock = SPIN_LOCK_raw_spinlock;
	report_notes(doc, stream);
	report_cpus(doc, stream);
	fflush(stream);
	assert_non_null(strstr(text, "handoff/sb: 500.0 ns per handover.\n"));
	assert_non_null(strstr(text, "raw-spinlock/isb: raw-spinlock waits"));
	assert_non_null(strstr(text, "isb is not used"));
	document_free(doc);
}

static void a_changed_frequency_is_a_warning(void **state)
{
	struct document *doc;
	struct fake fake;

	(void)state;
	fake_init(&fake, 5);
	fake.cycles_per_tick = 2;
	fake.speed[1] = 1.009;
	doc = fake_compare(&fake, 2, 6, 12);
	report_footer(doc, stream);
	fflush(stream);
	assert_null(strstr(text, "frequency"));
	document_free(doc);
	fake.speed[1] = 1.02;
	doc = fake_compare(&fake, 2, 6, 12);
	report_footer(doc, stream);
	fflush(stream);
	assert_non_null(strstr(text, "frequency changed"));
	assert_non_null(strstr(text, "2.0 %"));
	document_free(doc);
}

static void counters_that_are_not_there_are_a_dash(void **state)
{
	struct document *doc;
	struct fake fake;

	(void)state;
	fake_init(&fake, 5);
	doc = fake_compare(&fake, 1, 1, 6);
	report_counters(doc, stream);
	fflush(stream);
	assert_non_null(strstr(text, "-                  -    -\n"));
	document_free(doc);
}

static void a_sleeping_cost_is_a_dash_and_a_note(void **state)
{
	struct document *doc;
	struct fake fake;

	(void)state;
	fake_init(&fake, 5);
	doc = fake_sleeping_cost(&fake);
	report_costs(doc, stream);
	report_notes(doc, stream);
	check_lines();
	assert_non_null(strstr(text, "wfe          -"));
	assert_non_null(strstr(text, "wfe sleeps until"));
	document_free(doc);
}

static void costs_fit_too(void **state)
{
	struct document *doc;
	struct fake fake;

	(void)state;
	fake_init(&fake, 5);
	fake.ns_per_copy = 12345.678;
	fake.poll_ns = 99999;
	doc = fake_cost(&fake, 4096);
	doc->costs[0].variant.pad = 65536;
	report_costs(doc, stream);
	check_lines();
	document_free(doc);
}

static void the_first_line_is_the_answer(void **state)
{
	struct document *doc;
	struct fake fake;

	(void)state;
	fake_init(&fake, 5);
	fake.rate[0] = 0.0012;
	fake.noise = 0.001;
	doc = fake_compare(&fake, 2, 6, 50);
	report_sentences(doc, stream);
	check_lines();
	assert_int_equal(
		strncmp(text,
			"sb gives 20.0 % more throughput than isb (95 % interval",
			50),
		0);
	document_free(doc);
}

static void no_difference_says_what_would_have_been_seen(void **state)
{
	struct document *doc;
	struct fake fake;

	(void)state;
	fake_init(&fake, 8);
	fake.noise = 0.01;
	doc = fake_compare(&fake, 2, 6, 50);
	report_sentences(doc, stream);
	fflush(stream);
	assert_int_equal(strncmp(text, "No difference resolved", 22), 0);
	assert_non_null(strstr(text, "would have been seen"));
	document_free(doc);
}

static void an_emulated_cpu_proves_nothing(void **state)
{
	struct document *doc;
	struct fake fake;

	(void)state;
	fake_init(&fake, 5);
	doc = fake_compare(&fake, 2, 1, 6);
	report_footer(doc, stream);
	fflush(stream);
	assert_null(strstr(text, "emulated"));
	assert_null(strstr(text, "--user"));
	doc->user = true;
	doc->machine.hypervisor.emulated = true;
	report_footer(doc, stream);
	fflush(stream);
	assert_non_null(strstr(
		text,
		"This CPU is emulated; these timings prove nothing about hardware.\n"));
	assert_non_null(strstr(text, "--user"));
	document_free(doc);
}

static void waits_below_two_ticks_are_bounds(void **state)
{
	struct document *doc;
	struct fake fake;

	(void)state;
	fake_init(&fake, 5);
	doc = fake_compare(&fake, 1, 1, 6);
	doc->machine.counter_hz = 25000000;
	doc->variants[0].wait_p50 = 40;
	doc->variants[0].wait_p99 = 80;
	report_waits(doc, stream);
	fflush(stream);
	assert_non_null(strstr(text, "< 80    80"));
	document_free(doc);
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(columns_line_up),
		TEST(wide_cells_are_cut),
		TEST(a_variant_keeps_its_delay),
		TEST(one_letter_of_the_lock_is_enough),
		TEST(sentences_are_wrapped),
		TEST(no_line_is_wider_than_80),
		TEST(what_was_asked_of_the_share_is_said),
		TEST(a_handover_and_an_own_wait_are_explained),
		TEST(a_changed_frequency_is_a_warning),
		TEST(counters_that_are_not_there_are_a_dash),
		TEST(a_sleeping_cost_is_a_dash_and_a_note),
		TEST(costs_fit_too),
		TEST(the_first_line_is_the_answer),
		TEST(no_difference_says_what_would_have_been_seen),
		TEST(an_emulated_cpu_proves_nothing),
		TEST(waits_below_two_ticks_are_bounds),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
