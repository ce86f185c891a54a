// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "fake_document.h"
#include "lib/findings.h"
#include "lib/sidebyside.h"
#include "lib/table.h"

static struct fake fake;
static char *text;
static size_t size;
static FILE *stream;
static struct fault fault;

static int set_up(void **state)
{
	(void)state;
	text = NULL;
	stream = open_memstream(&text, &size);
	return stream ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	fclose(stream);
	free(text);
	return 0;
}

static struct document *compare(u64 seed, double gain)
{
	fake_init(&fake, seed);
	fake.noise = 0.01;
	fake.rate[0] = 0.001 * gain;
	return fake_compare(&fake, 2, 6, 12);
}

/* Print two of them, with these names; both are freed. */
static int print_two(const char *name, struct document *doc,
		     const char *other_name, struct document *other)
{
	const struct side_file files[] = { { name, doc },
					   { other_name, other } };
	int err = side_by_side(files, 2, stream, &fault);

	fflush(stream);
	document_free(doc);
	document_free(other);
	return err;
}

static void expect(const char *wanted)
{
	if (!strstr(text, wanted))
		fail_msg("'%s' is not in:\n%s", wanted, text);
}

static unsigned int count(const char *what)
{
	unsigned int found = 0;

	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
		found++;
	return found;
}

static void a_comparison_of_each_file_is_a_line(void **state)
{
	(void)state;
	assert_int_equal(print_two("/x/before.json", compare(1, 1.05),
				   "/x/after.json", compare(2, 0.9)),
			 0);
	expect("a        b    CPUs  load       file       a/b");
	expect("ttas/sb  isb     2  saturated  before  1.04");
	expect("ttas/sb  isb     2  saturated  after   0.8");
	assert_int_equal(count("ttas/sb      2  saturated  "), 2);
	expect("No difference of machine, load or windows that matters.\n");
}

static void what_one_file_lacks_has_no_line_of_it(void **state)
{
	struct document *other;

	(void)state;
	fake_init(&fake, 3);
	other = fake_compare(&fake, 3, 6, 6);
	assert_int_equal(print_two("two.json", compare(1, 1), "three.json",
				   other),
			 0);
	/* sb against isb, and sb against nop, which is the last of three. */
	assert_int_equal(count("ttas/sb   isb "), 1);
	assert_int_equal(count("ttas/sb  "), 2 + 2);
	assert_int_equal(count("ttas/nop"), 1);
}

static void the_same_variant_twice_is_matched_in_order(void **state)
{
	struct document *doc = compare(1, 1.5), *other = compare(2, 1.5);

	(void)state;
	doc->sets[0].variants[1] = doc->sets[0].variants[0];
	other->sets[0].variants[1] = other->sets[0].variants[0];
	assert_int_equal(print_two("a.json", doc, "b.json", other), 0);
	assert_int_equal(count("ttas/sb     2  saturated  a"), 2);
	assert_int_equal(count("ttas/sb     2  saturated  b"), 2);
	/* The fast one of both, then the slow one of both. */
	assert_true(strstr(strstr(text, "variant"), "  b ") <
		    strstr(text, "  a     20"));
}

static void a_run_goes_with_a_compare(void **state)
{
	struct document *run;

	(void)state;
	fake_init(&fake, 4);
	run = fake_run(&fake, 2, 6, 12);
	assert_int_equal(print_two("r.json", run, "c.json", compare(1, 1)), 0);
	assert_null(strstr(text, "a/b"));
	assert_int_equal(count("ttas/sb "), 2);
}

static void a_cost_goes_with_another_cost_alone(void **state)
{
	struct document *cost, *other;

	(void)state;
	fake_init(&fake, 4);
	fake.ns_per_copy = 7.5;
	cost = fake_cost(&fake, 2);
	fake.ns_per_copy = 9.5;
	other = fake_cost(&fake, 2);
	assert_int_equal(print_two("c.json", cost, "d.json", other), 0);
	expect("isb*2  c       7.500");
	expect("isb*2  d       9.500");
	cost = fake_cost(&fake, 2);
	assert_int_equal(print_two("c.json", cost, "x.json", compare(1, 1)),
			 -1);
	assert_fault(&fault, STATUS_ERROR, "c.json", "'cost'", "x.json",
		     "'compare'");
}

static struct document *replay(u32 unit, double sb)
{
	fake_init(&fake, 5);
	fake.rate[0] = 0.001 * sb;
	return fake_replay(&fake, unit);
}

static void a_replay_has_its_logs_in_a_table(void **state)
{
	(void)state;
	assert_int_equal(print_two("a.json", replay(2000, 1.25), "b.json",
				   replay(4000, 0.8)),
			 0);
	expect("log of    CPUs  load       file  lines  real, s  CPU, s  sd %     k/s  delay %");
	expect("ttas/sb      2  saturated  a         3      0.4     0.8   0.0  2500.0");
	expect("ttas/sb      2  saturated  b         3     1.25     2.5   0.0  1600.0");
	expect("ttas/isb     2  saturated  a         3      0.5       1   0.0  2000.0");
	expect("ttas/isb     2  saturated  b         3        1       2   0.0  2000.0");
	expect("ttas/sb  isb     2  saturated  a     1.2500");
	/* In the table of logs and in that of variants. */
	assert_int_equal(count("\nttas/isb     2"), 4);
	expect("Difference in repetitions: 500 x 2000 acquisitions, 1 to warm up, 0 s of sleep\n"
	       "(a); 500 x 4000 acquisitions, 1 to warm up, 0 s of sleep (b).\n");
	assert_int_equal(count("Difference in"), 1);
}

static void a_log_has_the_load_of_the_rounds(void **state)
{
	struct document *docs[] = { replay(2000, 1), replay(2000, 1) };

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		docs[i]->sets[0].share = 0.19;
		for (unsigned int s = 0; s < docs[i]->nr_sets; s++)
			docs[i]->sets[s].variants[0].think_ns = 100 + i;
	}
	print_two("a", docs[0], "b", docs[1]);
	expect("ttas/sb      2  share 19 %  a         3  ");
	expect("ttas/sb      2  share 19 %  b         3  ");
	expect("No difference of machine, load or windows that matters.\n");
}

/* One was broken off before its second log, and the other is a compare. */
static void what_a_replay_lacks_has_no_line(void **state)
{
	struct document *cut = replay(2000, 1);

	(void)state;
	document_drop_set(cut, 2);
	document_forget_findings(cut);
	assert_int_equal(findings_make(cut), 0);
	print_two("cut", cut, "whole", replay(2000, 1));
	assert_int_equal(count("  cut  "), 1 + 1 + 2);
	assert_int_equal(count("  whole  "), 2 + 1 + 2);
	print_two("r", replay(2000, 1), "c", compare(1, 1));
	assert_null(strstr(strstr(text, "  r  "), "log of"));
	expect("Difference in repetitions: 500 x 2000 acquisitions");
	expect("none (c).\n");
}

static void names_are_as_short_as_they_can_be(void **state)
{
	(void)state;
	print_two("/data/n1/c.json", compare(1, 1), "/data/v2/c.json",
		  compare(2, 1));
	expect(" n1/c ");
	expect(" v2/c ");
	print_two("a", compare(1, 1),
		  "a_name_of_so_many_characters_that_its_end_must_do.json",
		  compare(2, 1));
	expect(" ~rs_that_its_end_must_do ");
	print_two("\033[2J", compare(1, 1), "b", compare(2, 1));
	expect(" ?[2J ");
}

static void change_machine(struct document *doc)
{
	struct machine *m = &doc->machine;

	strcpy(m->cpu, "Neoverse N1 r3p1");
	m->midr = 0x413fd0c1;
	m->has_lse = true;
	strcpy(m->kernel, "6.1");
	m->page_size = 65536;
	strcpy(m->hypervisor.name, "kvm");
	m->hypervisor.emulated = true;
	strcpy(m->governor, "powersave");
	strcpy(m->isolated, "1-3");
	strcpy(m->nohz_full, "2");
	m->online.nr = 1;
	m->counter_hz = 25000000;
}

static void change_load(struct document *doc)
{
	struct set *set = &doc->sets[0];

	doc->window_ns = 1000000;
	doc->order = ORDER_NODE;
	doc->seed = 99;
	doc->user = true;
	set->cpus[1] = 7;
	for (unsigned int v = 0; v < set->nr_variants; v++) {
		set->variants[v].hold_ns = 300;
		set->variants[v].jitter = 10;
		set->variants[v].lines = 4;
		set->variants[v].think_ns = 1234;
	}
}

static void each_difference_that_matters_is_a_sentence(void **state)
{
	static const char *const wanted[] = {
		"Difference in backend: kernel (a); user (b).\n",
		"Difference in CPU: Neoverse V2 r0p1, MIDR 0x410fd4f1 (a);",
		"Difference in capabilities: ",
		"Difference in kernel: 6.12 (a); 6.1 (b).\n",
		"Difference in page size: 4096 bytes (a); 65536 bytes (b).\n",
		"Difference in hypervisor: none (a); kvm, emulated (b).\n",
		"Difference in governor: performance (a); powersave (b).\n",
		"Difference in isolated CPUs: none (a); 1-3 (b).\n",
		"Difference in nohz_full CPUs: none (a); 2 (b).\n",
		"Difference in CPUs on line: 0-1 (a); 0 (b).\n",
		"Difference in CPUs used: 0-1 (a); 0,7 (b).\n",
		"Difference in order of the CPUs: ",
		"Difference in counter: ",
		"Difference in window: 2 ms (a); 1 ms (b).\n",
		"Difference in placements: 6 (a); 1 (b).\n",
		"Difference in hold, ns: 200 (a); 300 (b).\n",
		"Difference in think, ns: 0 (a); 1234 (b).\n",
		"Difference in jitter, %: 0 (a); 10 (b).\n",
		"Difference in lines written: 0 (a); 4 (b).\n",
		"prove nothing about hardware: b.\n",
	};
	struct document *other;

	(void)state;
	fake_init(&fake, 4);
	other = fake_compare(&fake, 2, 1, 12);
	change_machine(other);
	change_load(other);
	print_two("a", compare(1, 1), "b", other);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		expect(wanted[i]);
	assert_int_equal(count("Difference in"), ARRAY_SIZE(wanted) - 1);
}

static void a_think_that_a_share_chose_is_no_difference(void **state)
{
	struct document *doc = compare(1, 1), *other = compare(2, 1);

	(void)state;
	doc->sets[0].share = 0.05;
	other->sets[0].share = 0.05;
	doc->sets[0].variants[0].think_ns = 1000;
	doc->sets[0].variants[1].think_ns = 1000;
	other->sets[0].variants[0].think_ns = 1100;
	other->sets[0].variants[1].think_ns = 1100;
	print_two("a", doc, "b", other);
	expect("share 5 %  a ");
	expect("share 5 %  b ");
	expect("No difference");
}

static void lost_exclusion_is_not_left_out(void **state)
{
	struct document *doc = compare(1, 1);

	(void)state;
	doc->variants[1].lost = 3;
	print_two("a", doc, "b", compare(2, 1));
	expect("lost mutual exclusion in: a.\n");
}

static void as_many_as_there_can_be_fit_into_80(void **state)
{
	struct side_file files[SIDE_FILES_MAX];
	struct document *docs[SIDE_FILES_MAX];
	char *line, *rest;

	(void)state;
	for (unsigned int i = 0; i < SIDE_FILES_MAX; i++) {
		docs[i] = compare(i + 1, 1);
		memset(docs[i]->machine.kernel, 'a' + i, 90);
		docs[i]->sets[0].variants[0].count = SPINDELAY_COUNT_MAX;
		docs[i]->sets[0].variants[0].pad = SPINDELAY_PAD_MAX;
		files[i].path = "a/long/folder/and/then/a/name";
		files[i].doc = docs[i];
	}
	assert_int_equal(side_by_side(files, SIDE_FILES_MAX, stream, &fault),
			 0);
	fflush(stream);
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (strlen(line) > TABLE_WIDTH && strchr(line, ' '))
			fail_msg("wide: %s", line);
	for (unsigned int i = 0; i < SIDE_FILES_MAX; i++)
		document_free(docs[i]);
}

static void too_many_results_are_refused(void **state)
{
	struct document *doc = compare(1, 1);
	unsigned int nr = doc->nr_comparisons;
	const struct side_file files[] = { { "many.json", doc },
					   { "many.json", doc } };

	(void)state;
	doc->nr_comparisons = SIDE_ITEMS_MAX + 1;
	assert_int_equal(side_by_side(files, 2, stream, &fault), -1);
	assert_fault(&fault, STATUS_ERROR, "many.json", "512");
	doc->nr_comparisons = nr;
	document_free(doc);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_comparison_of_each_file_is_a_line),
		TEST(what_one_file_lacks_has_no_line_of_it),
		TEST(the_same_variant_twice_is_matched_in_order),
		TEST(a_run_goes_with_a_compare),
		TEST(a_cost_goes_with_another_cost_alone),
		TEST(a_replay_has_its_logs_in_a_table),
		TEST(a_log_has_the_load_of_the_rounds),
		TEST(what_a_replay_lacks_has_no_line),
		TEST(names_are_as_short_as_they_can_be),
		TEST(each_difference_that_matters_is_a_sentence),
		TEST(a_think_that_a_share_chose_is_no_difference),
		TEST(lost_exclusion_is_not_left_out),
		TEST(as_many_as_there_can_be_fit_into_80),
		TEST(too_many_results_are_refused),
	};

	return cmocka_run_group_tests_name("sidebyside", tests, NULL, NULL);
}
