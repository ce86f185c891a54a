// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "lib/document.h"
#include "lib/names.h"
#include "lib/options.h"
#include "lib/preset.h"
#include "uapi/spindelay.h"

static const struct command_line everything = { "", "", ~0U };

static struct options options;
static struct fault fault;

static int parse(char *first, char *second)
{
	char *argv[4] = { "spindelay test", first, second };

	options_defaults(&options);
	memset(&fault, 0, sizeof(fault));
	return options_parse(&everything, second ? 3 : 2, argv, &options,
			     &fault);
}

static void defaults_are_those_of_the_contract(void **state)
{
	(void)state;
	options_defaults(&options);
	assert_int_equal(options.lock, SPIN_LOCK_ttas);
	assert_int_equal(options.hold_ns, 200);
	assert_int_equal(options.think_ns, 0);
	assert_int_equal(options.window_ns, 2000000);
	assert_int_equal(options.placements, 6);
	assert_int_equal(options.node, -1);
	assert_true(options.time == 60);
	assert_int_equal(options.order, ORDER_RANDOM);
	assert_true(options.share == 0);
	assert_int_equal(options.jitter, 0);
	assert_int_equal(options.lines, 0);
	assert_int_equal(options.backoff_min, SPINDELAY_BACKOFF_MIN_DEFAULT);
	assert_int_equal(options.backoff_max, SPINDELAY_BACKOFF_MAX_DEFAULT);
	assert_int_equal(options.wfet_ns, SPINDELAY_WFET_NS_DEFAULT);
	assert_false(options.hold_said || options.think_said);
}

static void reads_each_option(void **state)
{
	(void)state;
	assert_int_equal(parse("--cpus=1,0", "--threads=2"), 0);
	assert_int_equal(options.cpus.cpu[0], 1);
	assert_int_equal(options.threads, 2);
	assert_int_equal(parse("--lock=pace", "--hold=10"), 0);
	assert_int_equal(options.lock, SPIN_LOCK_pace);
	assert_int_equal(options.hold_ns, 10);
	assert_true(options.hold_said);
	assert_int_equal(parse("--jitter=100", "--lines=64"), 0);
	assert_int_equal(options.jitter, 100);
	assert_int_equal(options.lines, 64);
	assert_int_equal(parse("--jitter=0", "--lines=0"), 0);
	assert_int_equal(parse("--backoff=3:4096", "--wfet=100000"), 0);
	assert_int_equal(options.backoff_min, 3);
	assert_int_equal(options.backoff_max, 4096);
	assert_int_equal(options.wfet_ns, 100000);
	assert_int_equal(parse("--backoff=9:9", "--wfet=1"), 0);
	assert_int_equal(parse("--spin-wait-delay=0", "--sync-spin-loops=0"),
			 0);
	assert_int_equal(options.spin_wait_delay, 0);
	assert_int_equal(options.pause_multiplier, 50);
	assert_int_equal(options.sync_spin_loops, 0);
	assert_int_equal(parse("--spin-wait-delay=6000",
			       "--sync-spin-loops=4294967295"),
			 0);
	assert_int_equal(options.spin_wait_delay, 6000);
	assert_int_equal(options.sync_spin_loops, 4294967295U);
	assert_int_equal(options.read_share, 90);
	assert_int_equal(parse("--pause-multiplier=1", "--read-share=0"), 0);
	assert_int_equal(options.read_share, 0);
	assert_int_equal(options.pause_multiplier, 1);
	assert_int_equal(options.spin_wait_delay, 6);
	assert_int_equal(options.sync_spin_loops, 30);
	assert_int_equal(parse("--pause-multiplier=100", "--quiet"), 0);
	assert_string_equal(options.preset->name, "plock");
	assert_int_equal(parse("--preset=jemalloc", "--quiet"), 0);
	assert_string_equal(options.preset->name, "jemalloc");
	assert_int_equal(options.preset->backoff.looks, 601);
	assert_int_equal(parse("--preset=folly", "--quiet"), 0);
	assert_int_equal(options.preset->backoff.nap_us, 500);
	assert_int_equal(parse("--share=19.5", "--order=spread"), 0);
	assert_true(options.share == 19.5);
	assert_int_equal(options.order, ORDER_SPREAD);
	assert_int_equal(parse("--order=listed", "--share=1"), 0);
	assert_int_equal(options.order, ORDER_LISTED);
	assert_int_equal(parse("--order=node", "--share=99"), 0);
	assert_int_equal(options.order, ORDER_NODE);
	assert_int_equal(parse("--think=30", "--node=0"), 0);
	assert_true(options.think_said);
	assert_int_equal(options.think_ns, 30);
	assert_int_equal(options.node, 0);
	assert_int_equal(parse("--window=0.2", "--rounds=7"), 0);
	assert_int_equal(options.window_ns, 200000);
	assert_int_equal(options.rounds, 7);
	assert_int_equal(parse("--placements=9", "--time=1.5"), 0);
	assert_int_equal(options.placements, 9);
	assert_true(options.time == 1.5);
	assert_int_equal(parse("--seed=9007199254740991", "--match=count"), 0);
	assert_int_equal(options.seed, 9007199254740991);
	assert_int_equal(parse("--json=a", "--csv=-"), 0);
	assert_string_equal(options.json, "a");
	assert_string_equal(options.csv, "-");
	assert_int_equal(parse("--quiet", NULL), 0);
	assert_true(options.quiet);
}

static void names_the_value_and_the_range(void **state)
{
	static const struct {
		char *text;
		const char *words[3];
	} cases[] = {
		{ "--threads=0", { "--threads", "0", "1 to 512" } },
		{ "--threads=513", { "--threads", "513", "1 to 512" } },
		{ "--hold=5000001", { "--hold", "5000001", "0 to 5000000" } },
		{ "--think=-1", { "--think", "-1", "0 to 5000000" } },
		{ "--window=0.1", { "--window", "0.1", "0.2 to 20" } },
		{ "--window=21", { "--window", "21", "0.2 to 20" } },
		{ "--window=nan", { "--window", "nan", "0.2 to 20" } },
		{ "--window=0x2", { "--window", "0x2", "0.2 to 20" } },
		{ "--rounds=0", { "--rounds", "0", "1 to 10000" } },
		{ "--rounds=10001", { "--rounds", "10001", "1 to 10000" } },
		{ "--placements=0", { "--placements", "0", "1 to 256" } },
		{ "--placements=257", { "--placements", "257", "1 to 256" } },
		{ "--time=0", { "--time", "0", "0.1 to 86400" } },
		{ "--time=1e9", { "--time", "1e9", "0.1 to 86400" } },
		{ "--time=inf", { "--time", "inf", "0.1 to 86400" } },
		{ "--seed=9007199254740992",
		  { "--seed", "9007199254740992", "0 to 9007199254740991" } },
		{ "--node=x", { "--node", "x", "0 to" } },
		{ "--lock=none", { "none", "ttas", "broken" } },
		{ "--jitter=101", { "--jitter", "101", "0 to 100" } },
		{ "--jitter=-1", { "--jitter", "-1", "0 to 100" } },
		{ "--lines=65", { "--lines", "65", "0 to 64" } },
		{ "--lines=", { "--lines", "''", "0 to 64" } },
		{ "--wfet=0", { "--wfet", "0", "1 to 100000" } },
		{ "--wfet=100001", { "--wfet", "100001", "1 to 100000" } },
		{ "--spin-wait-delay=6001",
		  { "--spin-wait-delay", "6001", "0 to 6000" } },
		{ "--pause-multiplier=0",
		  { "--pause-multiplier", "0", "1 to 100" } },
		{ "--pause-multiplier=101",
		  { "--pause-multiplier", "101", "1 to 100" } },
		{ "--sync-spin-loops=4294967296",
		  { "--sync-spin-loops", "4294967296", "0 to 4294967295" } },
		{ "--read-share=101", { "--read-share", "101", "0 to 100" } },
		{ "--preset=plocks",
		  { "--preset", "plocks",
		    "plock jemalloc jemalloc-spin folly" } },
		{ "--preset=", { "--preset", "''", "plock" } },
		{ "--sync-spin-loops=-1",
		  { "--sync-spin-loops", "'-1'", "0 to 4294967295" } },
		{ "--backoff=0:4", { "--backoff", "0", "1 to 4096" } },
		{ "--backoff=1:4097", { "--backoff", "4097", "1 to 4096" } },
		{ "--backoff=8:4", { "--backoff", "8", "1 to 4" } },
		{ "--backoff=8", { "--backoff", "'8'", "MIN:MAX" } },
		{ "--backoff=:8", { "--backoff", "''", "1 to 4096" } },
		{ "--backoff=8:", { "--backoff", "''", "1 to 4096" } },
		{ "--backoff=1:2:3", { "--backoff", "2:3", "1 to 4096" } },
		{ "--backoff=99999999999999999999999999999999999999:1",
		  { "--backoff", "999999", "MIN:MAX" } },
		{ "--order=random", { "--order", "random", "listed node" } },
		{ "--order=nodes", { "--order", "nodes", "node spread" } },
		{ "--share=0", { "--share", "0", "1 to 99" } },
		{ "--share=100", { "--share", "100", "1 to 99" } },
		{ "--share=99.5", { "--share", "99.5", "1 to 99" } },
		{ "--share=-5", { "--share", "-5", "1 to 99" } },
		{ "--share=19%", { "--share", "19%", "1 to 99" } },
		{ "--match=size", { "--match", "size", "count" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!parse(cases[i].text, NULL))
			fail_msg("took '%s'", cases[i].text);
		assert_fault(&fault, STATUS_USAGE, cases[i].words[0],
			     cases[i].words[1], cases[i].words[2]);
	}
}

static void work_may_take_a_quarter_of_a_window(void **state)
{
	(void)state;
	assert_int_equal(parse("--hold=500000", NULL), 0);
	assert_int_equal(parse("--hold=499999", "--think=2"), -1);
	assert_fault(&fault, STATUS_USAGE, "500001", "0 to 500000");
}

static void share_and_think_exclude_each_other(void **state)
{
	(void)state;
	assert_int_equal(parse("--share=20", "--think=0"), -1);
	assert_fault(&fault, STATUS_USAGE, "--share", "--think");
	assert_int_equal(parse("--think=10", "--share=20"), -1);
}

static void threads_fit_into_the_cpus(void **state)
{
	(void)state;
	assert_int_equal(parse("--cpus=0-1", "--threads=3"), -1);
	assert_fault(&fault, STATUS_USAGE, "3", "1 to 2");
}

static void standard_output_is_for_one(void **state)
{
	(void)state;
	assert_int_equal(parse("--json=-", "--csv=-"), -1);
	assert_fault(&fault, STATUS_USAGE, "standard output");
}

static void what_is_made_equal_is_a_word(void **state)
{
	(void)state;
	assert_int_equal(options.match, MATCH_BIT(MATCH_COUNT));
	assert_int_equal(parse("--match=time", NULL), 0);
	assert_int_equal(options.match, MATCH_BIT(MATCH_TIME));
	assert_int_equal(parse("--match=both", NULL), 0);
	assert_int_equal(options.match, MATCH_BOTH);
	assert_int_equal(parse("--match=length", NULL), -1);
	assert_fault(&fault, STATUS_USAGE, "length", "count time both");
}

static void the_backend_is_a_word(void **state)
{
	(void)state;
	assert_int_equal(parse("--user", NULL), 0);
	assert_true(options.user && !options.both);
	assert_int_equal(parse("--backend=user", NULL), 0);
	assert_true(options.user && !options.both);
	assert_int_equal(parse("--user", "--backend=kernel"), 0);
	assert_false(options.user || options.both);
	assert_int_equal(parse("--user", "--backend=both"), 0);
	assert_true(options.both && !options.user);
	assert_int_equal(parse("--backend=module", NULL), -1);
	assert_fault(&fault, STATUS_USAGE, "--backend", "'module'", "both");
	/* One file cannot hold two documents. */
	assert_int_equal(parse("--backend=both", "--json=-"), -1);
	assert_fault(&fault, STATUS_USAGE, "--backend both", "report");
	assert_int_equal(parse("--backend=both", "--csv=-"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_those_of_the_contract),
		cmocka_unit_test(reads_each_option),
		cmocka_unit_test(names_the_value_and_the_range),
		cmocka_unit_test(work_may_take_a_quarter_of_a_window),
		cmocka_unit_test(share_and_think_exclude_each_other),
		cmocka_unit_test(threads_fit_into_the_cpus),
		cmocka_unit_test(standard_output_is_for_one),
		cmocka_unit_test(what_is_made_equal_is_a_word),
		cmocka_unit_test(the_backend_is_a_word),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
