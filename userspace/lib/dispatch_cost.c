// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/dispatch_cost.h"
#include "lib/dispatch_loops.h"
#include "lib/report.h"
#include "lib/table.h"
#include <spindelay/spin_delay.h>

/* Short beside the time from one timer interrupt to the next. */
#define POLLS 20000
#define NR_CELLS (DISPATCH_WAYS * DISPATCH_LOOPS)

const char *dispatch_loop_word(enum dispatch_loop loop)
{
	static const char *const words[] = {
		[DISPATCH_POLL] = "poll",
		[DISPATCH_COUNT] = "count",
	};

	return words[loop];
}

const char *dispatch_way_word(enum dispatch_way way)
{
	static const char *const words[] = {
		[DISPATCH_COMPILED] = "compiled in",
		[DISPATCH_FLAG] = "flag set before main",
		[DISPATCH_RELOAD] = "flag read each time",
		[DISPATCH_LAZY] = "lazy static",
	};

	return words[way];
}

/* ---- measuring ---- */

/* Instructions of this thread in user space; -1 where that is not to be had. */
static int open_counter(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

static u64 read_counter(int counter)
{
	u64 value;

	if (counter < 0 || read(counter, &value, sizeof(value)) <= 0)
		return 0;
	return value;
}

static u64 clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void run_loop(dispatch_loop_fn *loop, int counter,
		     struct dispatch_round *round)
{
	static const int held = 1;

	for (unsigned int i = 0; i < 2; i++) {
		u64 instructions = read_counter(counter);
		u64 since = clock_ns();

		loop((i + 1) * POLLS, &held);
		round->ns[i] = clock_ns() - since;
		round->instructions[i] = read_counter(counter) - instructions;
	}
}

static void run_round(struct dispatch *d, u32 round, int counter,
		      struct rng *rng)
{
	u32 order[NR_CELLS];

	for (u32 i = 0; i < NR_CELLS; i++)
		order[i] = i;
	rng_shuffle(rng, order, NR_CELLS);
	for (u32 i = 0; i < NR_CELLS; i++) {
		const enum dispatch_way way = order[i] / DISPATCH_LOOPS;
		const enum dispatch_loop loop = order[i] % DISPATCH_LOOPS;

		run_loop(dispatch_loop_of(way, loop), counter,
			 &d->rounds[way][loop][round]);
	}
}

static int stay_on(u32 cpu, struct fault *fault)
{
	const size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	int err;

	if (!set)
		return fault_set(fault, STATUS_ERROR, "out of memory");
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	err = sched_setaffinity(0, size, set) ? errno : 0;
	CPU_FREE(set);
	if (!err)
		return 0;
	return fault_set(fault, STATUS_ERROR,
			 "cannot run on CPU %u: %s: name another with --cpus",
			 cpu, strerror(err));
}

static int allocate(struct dispatch *d, u32 rounds)
{
	d->nr_rounds = rounds;
	for (u32 i = 0; i < NR_CELLS; i++) {
		struct dispatch_round *cell = calloc(rounds, sizeof(*cell));

		d->rounds[i / DISPATCH_LOOPS][i % DISPATCH_LOOPS] = cell;
		if (!cell)
			return -1;
	}
	return 0;
}

int dispatch_measure(struct document *doc, u32 cpu, struct rng *rng,
		     struct fault *fault)
{
	struct dispatch *d = &doc->dispatch;
	int counter;

	d->cpu = cpu;
	d->polls = POLLS;
	snprintf(d->delay, sizeof(d->delay), "%s", spin_delay_name());
	if (allocate(d, doc->rounds))
		return fault_set(fault, STATUS_ERROR, "out of memory");
	if (stay_on(cpu, fault))
		return -1;
	counter = open_counter();
	/* The first one warms up, and is written over. */
	run_round(d, 0, counter, rng);
	for (u32 i = 0; i < doc->rounds; i++)
		run_round(d, i, counter, rng);
	if (counter >= 0)
		close(counter);
	return 0;
}

/* ---- what it comes to ---- */

static void summarise_cell(const struct dispatch *d, enum dispatch_way way,
			   enum dispatch_loop loop, double *ns,
			   double *instructions, struct dispatch_cost *cost)
{
	bool counted = true;

	for (u32 i = 0; i < d->nr_rounds; i++) {
		const struct dispatch_round *r = &d->rounds[way][loop][i];

		ns[i] = ((double)r->ns[1] - r->ns[0]) / d->polls;
		instructions[i] =
			((double)r->instructions[1] - r->instructions[0]) /
			d->polls;
		counted &= r->instructions[0] && r->instructions[1];
	}
	cost->ns = stats_sign_interval(ns, d->nr_rounds, 0.95);
	cost->instructions =
		counted ? stats_median(instructions, d->nr_rounds) : NAN;
}

int summarise_dispatch(struct document *doc)
{
	struct dispatch *d = &doc->dispatch;
	double *values = calloc(2 * (size_t)d->nr_rounds, sizeof(*values));

	if (!values)
		return -1;
	for (u32 i = 0; i < NR_CELLS; i++) {
		const enum dispatch_way way = i / DISPATCH_LOOPS;
		const enum dispatch_loop loop = i % DISPATCH_LOOPS;

		summarise_cell(d, way, loop, values, values + d->nr_rounds,
			       &d->costs[way][loop]);
	}
	free(values);
	return 0;
}

bool dispatch_check(const struct document *doc)
{
	return doc->dispatch.nr_rounds && !doc->nr_sets;
}

enum status dispatch_status(const struct document *doc)
{
	for (u32 i = 0; i < NR_CELLS; i++)
		if (!interval_known(&doc->dispatch
					     .costs[i / DISPATCH_LOOPS]
						   [i % DISPATCH_LOOPS]
					     .ns))
			return STATUS_NOISY;
	return STATUS_OK;
}

/* ---- for people ---- */

static void print_table(const struct dispatch *d, FILE *stream)
{
	struct table table;

	table_begin(&table,
		    "<loop|<chosen by|instr. each|ns each|low|high|ns more");
	for (u32 i = 0; i < NR_CELLS; i++) {
		const enum dispatch_loop loop = i / DISPATCH_WAYS;
		const enum dispatch_way way = i % DISPATCH_WAYS;
		const struct dispatch_cost *c = &d->costs[way][loop];

		table_cell(&table, "%s", dispatch_loop_word(loop));
		table_cell(&table, "%s", dispatch_way_word(way));
		table_number(&table, c->instructions, 2);
		table_number(&table, c->ns.estimate, 2);
		table_number(&table, c->ns.low, 2);
		table_number(&table, c->ns.high, 2);
		table_number(&table,
			     c->ns.estimate - d->costs[DISPATCH_COMPILED][loop]
						      .ns.estimate,
			     2);
	}
	table_print(&table, stream);
}

void dispatch_print(const struct document *doc, FILE *stream)
{
	const struct dispatch *d = &doc->dispatch;
	char text[512];

	if (!stream)
		return;
	snprintf(
		text, sizeof(text),
		"Every one of these executes %s and differs in how that is chosen: poll is a loop that looks at a word and counts, count one that only counts, as InnoDB's ut_delay().",
		d->delay);
	print_wrapped(stream, text);
	fputc('\n', stream);
	print_table(d, stream);
	fputc('\n', stream);
	snprintf(
		text, sizeof(text),
		"%s, kernel %s, CPU %u, user space. %u rounds of %u and %u polls, seed %llu.",
		doc->machine.cpu, doc->machine.kernel, d->cpu, d->nr_rounds,
		d->polls, 2 * d->polls, (unsigned long long)doc->seed);
	print_wrapped(stream, text);
	report_warnings(doc, stream);
}
