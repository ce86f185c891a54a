// SPDX-License-Identifier: GPL-2.0-or-later
/* What choosing a delay costs: the arithmetic, and that the loops turn. */
#include "unit.h"

#include <math.h>
#include <sched.h>

#include "lib/csv.h"
#include "lib/dispatch_cost.h"
#include "lib/dispatch_loops.h"
#include "lib/findings.h"
#include "lib/results.h"
#include "scratch.h"

#define ROUNDS 21
#define POLLS 1000

static struct document *doc;
static struct fault fault;

static int setup(void **state)
{
	(void)state;
	memset(&fault, 0, sizeof(fault));
	doc = document_new(DISPATCH_COMMAND);
	strcpy(doc->machine.hypervisor.name, "none");
	doc->machine.online = (struct cpulist){ 2, { 0, 1 } };
	doc->rounds = ROUNDS;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	document_free(doc);
	return 0;
}

/* A run costs @fixed beside its polls, and each poll 3, 4, 5 ... */
static void plant(struct dispatch_round *rounds, unsigned int cost, u64 fixed)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		for (unsigned int n = 0; n < 2; n++) {
			rounds[i].instructions[n] =
				fixed + (n + 1) * POLLS * cost;
			rounds[i].ns[n] = 2 * rounds[i].instructions[n];
		}
		/* An interrupt now and then. */
		if (i % 5 == 0)
			rounds[i].ns[i % 2] += 100000;
	}
}

static void plant_all(void)
{
	struct dispatch *d = &doc->dispatch;

	strcpy(d->delay, "sb");
	d->polls = POLLS;
	d->nr_rounds = ROUNDS;
	for (unsigned int i = 0; i < DISPATCH_WAYS * DISPATCH_LOOPS; i++) {
		struct dispatch_round **cell =
			&d->rounds[i / DISPATCH_LOOPS][i % DISPATCH_LOOPS];

		*cell = calloc(ROUNDS, sizeof(**cell));
		plant(*cell, 3 + i, 500);
	}
}

static void a_poll_costs_what_twice_as_many_take_more(void **state)
{
	const struct dispatch_cost *c;

	(void)state;
	plant_all();
	assert_int_equal(findings_make(doc), 0);
	for (unsigned int i = 0; i < DISPATCH_WAYS * DISPATCH_LOOPS; i++) {
		c = &doc->dispatch
			     .costs[i / DISPATCH_LOOPS][i % DISPATCH_LOOPS];
		assert_true(c->instructions == 3 + i);
		assert_true(c->ns.estimate == 2 * (3 + i));
		assert_true(c->ns.low <= c->ns.estimate);
		assert_true(c->ns.high >= c->ns.estimate);
	}
	assert_int_equal(findings_status(doc), STATUS_OK);
}

static void what_was_not_counted_is_not_told(void **state)
{
	(void)state;
	plant_all();
	doc->dispatch.rounds[DISPATCH_LAZY][DISPATCH_POLL][7].instructions[1] =
		0;
	assert_int_equal(findings_make(doc), 0);
	assert_true(isnan(doc->dispatch.costs[DISPATCH_LAZY][DISPATCH_POLL]
				  .instructions));
	assert_false(isnan(doc->dispatch.costs[DISPATCH_LAZY][DISPATCH_COUNT]
				   .instructions));
}

static void few_rounds_are_too_few(void **state)
{
	(void)state;
	plant_all();
	doc->dispatch.nr_rounds = 4;
	assert_int_equal(findings_make(doc), 0);
	assert_int_equal(findings_status(doc), STATUS_NOISY);
}

static void ways_stand_beside_what_is_compiled_in(void **state)
{
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	(void)state;
	plant_all();
	assert_int_equal(findings_make(doc), 0);
	findings_print(doc, stream);
	fclose(stream);
	assert_non_null(strstr(text, "executes sb"));
	assert_non_null(strstr(
		text, "poll   compiled in                  3.00     6.00"));
	assert_non_null(strstr(
		text, "count  flag set before main         6.00    12.00"));
	assert_non_null(strstr(text, "18.00    12.00\n"));
	free(text);
}

static void a_file_says_the_same(void **state)
{
	char path[128], changed[768];
	struct document *again;
	FILE *stream;

	(void)state;
	plant_all();
	assert_int_equal(findings_make(doc), 0);
	snprintf(path, sizeof(path), "%s/d.json", scratch_make());
	stream = fopen(path, "w");
	assert_int_equal(results_write(doc, stream), 0);
	fclose(stream);
	again = results_load(path, changed, sizeof(changed), &fault);
	if (!again)
		fail_msg("%s", fault.text);
	assert_string_equal(changed, "");
	assert_true(again->dispatch.costs[2][1].instructions ==
		    doc->dispatch.costs[2][1].instructions);
	document_free(again);
	scratch_remove();
}

static char *csv(void)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	csv_write(doc, stream);
	fclose(stream);
	return text;
}

static void every_run_is_a_line_of_csv(void **state)
{
	unsigned int lines = 0;
	char *text, *at;

	(void)state;
	plant_all();
	doc->dispatch.cpu = 1;
	text = csv();
	/* The lazy static in the loop that polls: 3 + 6 instructions. */
	assert_non_null(strstr(
		text,
		"\n1,poll,lazy static,sb,1,1000,9500,19000,18500,37000\n"));
	assert_non_null(strstr(text, "\n20,count,compiled in,sb,1,1000,"));
	for (at = text; *at; at = strchr(at, '\n') + 1, lines++)
		;
	assert_int_equal(lines, 1 + DISPATCH_WAYS * DISPATCH_LOOPS * ROUNDS);
	*strchr(text, '\n') = '\0';
	assert_string_equal(
		text,
		"round,loop,chosen_by,delay,cpu,polls,instructions,ns,instructions_twice,ns_twice");
	free(text);
}

static void a_name_brings_no_column_with_it(void **state)
{
	char *text;

	(void)state;
	plant_all();
	strcpy(doc->dispatch.delay, "s,\"b\n");
	text = csv();
	assert_non_null(strstr(text, ",compiled in,s??b?,0,1000,"));
	free(text);
}

static void the_loops_turn_and_end(void **state)
{
	const int held = 1, free_word = 0;

	(void)state;
	for (unsigned int i = 0; i < DISPATCH_WAYS * DISPATCH_LOOPS; i++) {
		dispatch_loop_fn *loop = dispatch_loop_of(i / DISPATCH_LOOPS,
							  i % DISPATCH_LOOPS);

		assert_non_null(loop);
		loop(1, &held);
		loop(100, &held);
	}
	/* Or it would still be at it when the universe ends. */
	dispatch_loop_of(DISPATCH_LAZY, DISPATCH_POLL)(-1UL, &free_word);
}

static void measuring_fills_every_round(void **state)
{
	const struct dispatch *d = &doc->dispatch;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1);
	doc->rounds = 3;
	assert_int_equal(dispatch_measure(doc, sched_getcpu(), &rng, &fault),
			 0);
	assert_int_equal(d->nr_rounds, 3);
	for (unsigned int i = 0; i < DISPATCH_WAYS * DISPATCH_LOOPS * 3; i++) {
		const struct dispatch_round *r =
			&d->rounds[i / 3 / DISPATCH_LOOPS]
				  [i / 3 % DISPATCH_LOOPS][i % 3];

		assert_true(r->ns[0] && r->ns[1]);
	}
}

static void a_cpu_that_is_not_there_is_refused(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1);
	assert_int_equal(dispatch_measure(doc, CPULIST_MAX - 1, &rng, &fault),
			 -1);
	assert_fault(&fault, STATUS_ERROR, "CPU", "--cpus");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_poll_costs_what_twice_as_many_take_more),
		TEST(what_was_not_counted_is_not_told),
		TEST(few_rounds_are_too_few),
		TEST(ways_stand_beside_what_is_compiled_in),
		TEST(a_file_says_the_same),
		TEST(every_run_is_a_line_of_csv),
		TEST(a_name_brings_no_column_with_it),
		TEST(the_loops_turn_and_end),
		TEST(measuring_fills_every_round),
		TEST(a_cpu_that_is_not_there_is_refused),
	};

	return cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);
}
