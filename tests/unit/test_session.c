// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <sched.h>

#include "fake_document.h"
#include "lib/loads.h"
#include "lib/names.h"
#include "lib/preset.h"
#include "lib/session.h"

static const struct command_line everything = { "", "", ~0U };

static struct session session;
static struct fault fault;
static char *arguments[SPINDELAY_VARIANTS_MAX + 1];

static int setup(void **state)
{
	(void)state;
	memset(&session, 0, sizeof(session));
	options_defaults(&session.options);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	session_end(&session);
	return 0;
}

/* Begin with some options and some arguments behind them. */
static void begin(char *option, int nr_args)
{
	char *argv[3] = { "spindelay test", option };

	assert_int_equal(session_begin(&session, "compare", &everything,
				       option ? 2 : 1, argv, &fault),
			 0);
	session.options.args = arguments;
	session.options.nr_args = nr_args;
}

static void add_set(unsigned int nr_cpus)
{
	struct spindelay_variant variants[2] = { 0 };
	u32 cpus[SPINDELAY_CPUS_MAX] = { 0 };

	assert_non_null(document_add_set(session.doc, variants, 2, cpus,
					 nr_cpus));
}

static void variants_get_the_work_of_the_options(void **state)
{
	(void)state;
	begin("--think=300", 2);
	arguments[0] = "sb*2";
	arguments[1] = "pace/isb";
	assert_int_equal(session_variants(&session, NULL, 2, &fault), 0);
	assert_int_equal(session.nr_variants, 2);
	assert_int_equal(session.variants[0].lock, SPIN_LOCK_ttas);
	assert_int_equal(session.variants[1].lock, SPIN_LOCK_pace);
	assert_int_equal(session.variants[1].hold_ns, 200);
	assert_int_equal(session.variants[1].think_ns, 300);
}

/* As in a container that has a part of the machine. */
static void user_threads_stay_where_the_tool_may_be(void **state)
{
	cpu_set_t before, one;
	struct cpulist list;
	unsigned int usable;

	(void)state;
	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	begin("--user", 0);
	assert_int_equal(session_cpus(&session, &list, &usable, &fault), 0);
	sched_setaffinity(0, sizeof(before), &before);
	assert_int_equal(list.nr, 1);
	assert_int_equal(usable, 1);
	assert_true(CPU_ISSET(list.cpu[0], &one));
}

static void what_a_variant_does_not_use_stays_zero(void **state)
{
	const struct spindelay_variant *v = session.variants;

	(void)state;
	begin("--jitter=30", 3);
	session.options.lines = 4;
	session.options.backoff_min = 2;
	session.options.backoff_max = 32;
	session.options.wfet_ns = 777;
	arguments[0] = "sb";
	arguments[1] = "ttas-backoff/isb";
	arguments[2] = "innodb-rwlock/wfet";
	assert_int_equal(session_variants(&session, NULL, 1, &fault), 0);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(v[i].jitter, 30);
		assert_int_equal(v[i].lines, 4);
		assert_int_equal(v[i].backoff_min, i == 1 ? 2 : 0);
		assert_int_equal(v[i].backoff_max, i == 1 ? 32 : 0);
		assert_int_equal(v[i].wfet_ns, i == 2 ? 777 : 0);
		assert_int_equal(v[i].spin_wait_delay, i == 2 ? 6 : 0);
		assert_int_equal(v[i].pause_multiplier, i == 2 ? 50 : 0);
		assert_int_equal(v[i].sync_spin_loops, i == 2 ? 30 : 0);
		assert_int_equal(v[i].read_share, i == 2 ? 90 : 0);
	}
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(v[i].backoff.weight, 0);
	/* Of another lock than the one it was said with, as a sweep has it. */
	session.options.sync_spin_loops = 7;
	session_use_lock(&session, 1, SPIN_LOCK_innodb_mutex);
	assert_int_equal(v[1].backoff_max, 0);
	assert_int_equal(v[1].pause_multiplier, 50);
	assert_int_equal(v[1].sync_spin_loops, 7);
	assert_int_equal(v[1].read_share, 0);
	session_use_lock(&session, 1, SPIN_LOCK_ttas_backoff);
	assert_int_equal(v[1].backoff_max, 32);
	assert_int_equal(v[1].pause_multiplier, 0);
	session_use_lock(&session, 1, SPIN_LOCK_backoff);
	assert_string_equal(preset_name(&v[1].backoff), "plock");
	assert_int_equal(v[1].backoff_max, 0);
	session_use_lock(&session, 1, SPIN_LOCK_ttas);
	assert_int_equal(v[1].backoff.weight, 0);
}

static void a_handoff_holds_nothing_unless_asked_to(void **state)
{
	(void)state;
	begin(NULL, 2);
	arguments[0] = "handoff/sb";
	arguments[1] = "handoff/isb";
	assert_int_equal(session_variants(&session, NULL, 1, &fault), 0);
	assert_int_equal(session.variants[0].hold_ns, 0);
	assert_int_equal(session.variants[1].hold_ns, 0);
	teardown(NULL);
	setup(NULL);
	begin("--hold=30", 1);
	assert_int_equal(session_variants(&session, NULL, 1, &fault), 0);
	assert_int_equal(session.variants[0].hold_ns, 30);
	teardown(NULL);
	setup(NULL);
	/* Beside another lock both do the same work. */
	begin(NULL, 2);
	arguments[1] = "ttas/isb";
	assert_int_equal(session_variants(&session, NULL, 1, &fault), 0);
	assert_int_equal(session.variants[0].hold_ns, 200);
	assert_int_equal(session.variants[1].hold_ns, 200);
}

static void a_pair_takes_two(void **state)
{
	(void)state;
	begin(NULL, 2);
	arguments[0] = "ttas/sb";
	arguments[1] = "handoff/isb";
	assert_int_equal(session_variants(&session, NULL, 1, &fault), 0);
	assert_true(session_has_pair(&session));
	assert_int_equal(session_check_pair(&session, 2, &fault), 0);
	assert_int_equal(session_check_pair(&session, 1, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "handoff", "exactly two", "not 1");
	assert_int_equal(session_check_pair(&session, 3, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "exactly two", "not 3");
	session.variants[1].lock = SPIN_LOCK_mcs;
	assert_false(session_has_pair(&session));
	assert_int_equal(session_check_pair(&session, 3, &fault), 0);
}

static void the_order_is_for_the_usable_ones_first(void **state)
{
	static const u32 expected[] = { 1, 5, 2, 6, 3, 7, 0, 4 };
	static struct cpulist list;
	struct machine *m;
	unsigned int usable;

	(void)state;
	begin("--order=spread", 0);
	m = &session.doc->machine;
	m->nr_nodes = 2;
	m->nodes[0].cpus = (struct cpulist){ 4, { 0, 1, 2, 3 } };
	m->nodes[1].cpus = (struct cpulist){ 4, { 4, 5, 6, 7 } };
	assert_int_equal(session_cpus(&session, &list, &usable, &fault), 0);
	/* One of each node is left to the rest of the machine. */
	assert_int_equal(usable, 6);
	assert_memory_equal(list.cpu, expected, sizeof(expected));
	assert_int_equal(session.doc->order, ORDER_SPREAD);
}

static void a_share_has_think_that_varies(void **state)
{
	struct set *set;

	(void)state;
	begin(NULL, 0);
	add_set(2);
	set = &session.doc->sets[0];
	loads_set_share(&session, set, 0, 1);
	assert_int_equal(set->variants[0].jitter, 0);
	loads_set_share(&session, set, 0.2, 1);
	assert_true(set->share == 0.2);
	assert_int_equal(set->share_variant, 1);
	assert_int_equal(set->variants[0].jitter, LOADS_JITTER);
	assert_int_equal(set->variants[1].jitter, LOADS_JITTER);
	/* Unless it was said by how much. */
	session.options.jitter_said = true;
	add_set(2);
	set = &session.doc->sets[1];
	loads_set_share(&session, set, 0.2, 1);
	assert_int_equal(set->variants[0].jitter, 0);
}

static void a_load_that_a_busy_host_hides_is_left_out(void **state)
{
	static struct fake fake;
	struct set *set;

	(void)state;
	begin(NULL, 0);
	fake_init(&fake, 1);
	fake.invalid_every = 1;
	session.backend =
		(struct backend){ .ops = &fake_backend, .priv = &fake };
	session.measure.backend = &session.backend;
	session.doc->window_ns = 2000000;
	for (unsigned int s = 0; s < 2; s++) {
		add_set(2);
		set = &session.doc->sets[s];
		for (unsigned int i = 0; i < 2; i++)
			set->variants[i] = (struct spindelay_variant){
				.lock = SPIN_LOCK_ttas,
				.delay = SPIN_DELAY_isb,
				.count = 1,
			};
	}
	loads_set_share(&session, &session.doc->sets[0], 0.2, 1);
	assert_int_equal(session_shares(&session, &fault), 0);
	assert_int_equal(session.doc->nr_sets, 1);
	assert_true(session.doc->sets[0].share == 0);
	assert_int_equal(session.doc->nr_notes, 1);
	assert_non_null(strstr(session.doc->notes[0], "no valid window"));
	/* Not one that was asked for. */
	loads_set_share(&session, &session.doc->sets[0], 0.2, 1);
	session.options.share = 20;
	assert_int_equal(session_shares(&session, &fault), -1);
	assert_fault(&fault, STATUS_NOISY, "no valid window");
}

static void defaults_are_for_no_arguments_only(void **state)
{
	static const char *const defaults[] = { "sb", "isb", NULL };

	(void)state;
	begin("--lock=pace", 0);
	assert_int_equal(session_variants(&session, defaults, 2, &fault), 0);
	assert_int_equal(session.nr_variants, 2);
	assert_int_equal(session.variants[0].lock, SPIN_LOCK_pace);
	session.nr_variants = 0;
	session.options.nr_args = 1;
	arguments[0] = "nop";
	assert_int_equal(session_variants(&session, defaults, 2, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "at least 2", "got 1");
}

static void too_many_variants_are_refused(void **state)
{
	(void)state;
	begin(NULL, SPINDELAY_VARIANTS_MAX + 1);
	for (int i = 0; i <= SPINDELAY_VARIANTS_MAX; i++)
		arguments[i] = "nop";
	assert_int_equal(session_variants(&session, NULL, 1, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "64");
}

static void rounds_fit_into_the_time(void **state)
{
	(void)state;
	begin("--time=1", 0);
	add_set(2);
	/* A round in 6 placements takes 24 ms and a quarter for the rest. */
	assert_int_equal(session_fit(&session, 50, &fault), 0);
	assert_int_equal(session.doc->rounds, 33);
	session.options.time = 60;
	assert_int_equal(session_fit(&session, 50, &fault), 0);
	assert_int_equal(session.doc->rounds, 50);
}

static void rounds_that_were_asked_for_are_kept(void **state)
{
	(void)state;
	begin("--rounds=77", 0);
	add_set(2);
	session.options.time = 0.1;
	assert_int_equal(session_fit(&session, 50, &fault), 0);
	assert_int_equal(session.doc->rounds, 77);
}

static void time_for_too_few_rounds_is_refused(void **state)
{
	(void)state;
	begin("--time=0.1", 0);
	add_set(2);
	assert_int_equal(session_fit(&session, 50, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "0.1 s", "6 rounds", "0.2 s");
}

static void results_that_take_too_much_memory_are_refused(void **state)
{
	(void)state;
	begin("--rounds=10000", 0);
	add_set(SPINDELAY_CPUS_MAX);
	assert_int_equal(session_fit(&session, 50, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "10000 rounds", "8532 MiB",
		     "up to 1024");
}

static void a_node_without_memory_is_named(void **state)
{
	static struct cpulist list;
	unsigned int usable;

	(void)state;
	begin("--node=77", 0);
	assert_int_equal(session_cpus(&session, &list, &usable, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "77", "have: 0");
}

static void more_threads_than_cpus_are_refused(void **state)
{
	static struct cpulist list;
	unsigned int usable;

	(void)state;
	begin("--threads=512", 0);
	session.doc->machine.nodes[0].cpus.nr = 1;
	session.doc->machine.nr_nodes = 1;
	assert_int_equal(session_cpus(&session, &list, &usable, &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "512", "1 to 1");
}

static void tables_give_way_to_the_document(void **state)
{
	(void)state;
	begin("--json=-", 0);
	assert_null(session_table(&session));
	session.options.json = "x";
	assert_ptr_equal(session_table(&session), stdout);
	session.options.csv = "-";
	assert_null(session_table(&session));
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(variants_get_the_work_of_the_options),
		TEST(what_a_variant_does_not_use_stays_zero),
		TEST(a_handoff_holds_nothing_unless_asked_to),
		TEST(a_pair_takes_two),
		TEST(the_order_is_for_the_usable_ones_first),
		TEST(a_share_has_think_that_varies),
		TEST(a_load_that_a_busy_host_hides_is_left_out),
		TEST(defaults_are_for_no_arguments_only),
		TEST(too_many_variants_are_refused),
		TEST(rounds_fit_into_the_time),
		TEST(rounds_that_were_asked_for_are_kept),
		TEST(user_threads_stay_where_the_tool_may_be),
		TEST(time_for_too_few_rounds_is_refused),
		TEST(results_that_take_too_much_memory_are_refused),
		TEST(a_node_without_memory_is_named),
		TEST(more_threads_than_cpus_are_refused),
		TEST(tables_give_way_to_the_document),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
