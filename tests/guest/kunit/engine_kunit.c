// SPDX-License-Identifier: GPL-2.0
/*
 * The engine beside its windows: calibration, what is made of a variant, and
 * what is made of what was counted. The clock is the test's own and stands
 * still but for what the test's loops take, so that every number is exact.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <kunit/test.h>
#include <linux/limits.h>

#include "../../../module/bench/atomics_llsc.h"
#include "../../../module/bench/contend.h"

static u64 now;
/* Ticks that one run of the placebo takes, in turns. */
static u64 chain_ticks[8];
static u32 chain_runs;

static void chain_takes(unsigned long n)
{
	now += chain_ticks[chain_runs++ % ARRAY_SIZE(chain_ticks)];
}

#define spin_clock() now
#define spin_chain(n) chain_takes(n)
#include "../../../module/engine.c"

/* ---- what the engine is linked with: loops that take known times ---- */

/* Of a burst function, and of each copy of its delay. */
#define OVERHEAD 7
static u64 copy_ticks;

static void take(const struct spin_worker *w, u32 copies)
{
	now += OVERHEAD + copies * copy_ticks * w->work.count;
}

static void burst_none(struct spin_worker *w)
{
	take(w, 0);
}

static void burst_1(struct spin_worker *w)
{
	take(w, 1);
}

static void burst_16(struct spin_worker *w)
{
	take(w, 16);
}

static void burst_32(struct spin_worker *w)
{
	take(w, 32);
}

static void contend_one(struct spin_worker *w)
{
}

static void contend_many(struct spin_worker *w)
{
}

static void contend_padded(struct spin_worker *w)
{
}

static void contend_twin(struct spin_worker *w)
{
}

/* Of ttas with isb. */
#define LOOPS                                                                  \
	{                                                                      \
		.contend[SPIN_LOCK_ttas][SPIN_DELAY_isb] = { contend_one,      \
							     contend_many,     \
							     contend_padded }, \
		.twin[SPIN_LOCK_ttas][SPIN_DELAY_isb] = contend_twin,          \
		.burst[SPIN_DELAY_none] = { { burst_none } },                  \
		.burst[SPIN_DELAY_isb] = { { burst_1, burst_16, burst_32 },    \
					   { burst_1, burst_16, burst_32 },    \
					   { burst_1, burst_16, burst_32 } },  \
	}

const struct spin_loops spin_loops_lse = LOOPS;
const struct spin_loops spin_loops_llsc = LOOPS;

void park_init(void)
{
}

void park_begin(void)
{
}

void park_end(void)
{
}

void counters_open(struct cpu_counters *counters, unsigned int cpu)
{
}

void counters_close(struct cpu_counters *counters)
{
}

struct counter_values counters_read(const struct cpu_counters *counters)
{
	return (struct counter_values){};
}

/* ---- a run of two CPUs that nobody carries out ---- */

#define CPUS 2
#define WINDOWS 2
/* A tick is a nanosecond. */
#define HZ_OF_TEST 1000000000
#define CHAIN_FS 2000000
#define WINDOW_NS 2000000

struct fixture {
	struct engine_plan plan;
	u32 cpus[CPUS];
	struct spindelay_variant variants[1];
	u32 schedule[WINDOWS];
	struct spindelay_window windows[WINDOWS];
	struct spindelay_record records[WINDOWS * CPUS];
	u32 hists[WINDOWS * SPINDELAY_HIST_BUCKETS];
	struct run *run;
};

static void point_at_arrays(struct fixture *f)
{
	f->plan.cpus = f->cpus;
	f->plan.variants = f->variants;
	f->plan.schedule = f->schedule;
	f->plan.windows = f->windows;
	f->plan.records = f->records;
	f->plan.hists = f->hists;
}

static struct engine_worker *new_worker(struct kunit *test, struct run *run,
					u32 index)
{
	struct engine_worker *w = kzalloc(sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->run = run;
	w->index = index;
	return w;
}

static int engine_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	test->priv = f;
	f->plan.p = (struct spindelay_plan){
		.nr_cpus = CPUS,
		.nr_variants = 1,
		.nr_windows = WINDOWS,
		.window_ns = WINDOW_NS,
		.sample_shift = 6,
		.node = -1,
		.chain_fs = CHAIN_FS,
	};
	f->variants[0] = (struct spindelay_variant){
		.lock = SPIN_LOCK_ttas,
		.delay = SPIN_DELAY_isb,
		.count = 1,
	};
	point_at_arrays(f);
	f->run = alloc_run(&f->plan);
	KUNIT_ASSERT_NOT_NULL(test, f->run);
	f->run->hz = HZ_OF_TEST;
	f->run->workers = kvcalloc(CPUS, sizeof(*f->run->workers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f->run->workers);
	for (i = 0; i < CPUS; i++)
		f->run->workers[i] = new_worker(test, f->run, i);
	KUNIT_ASSERT_EQ(test, alloc_lock(f->run), 0);
	now = 0;
	chain_runs = 0;
	copy_ticks = 10;
	return 0;
}

static void engine_test_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (f && f->run)
		free_run(f->run);
}

/* ---- calibration ---- */

static void test_ticks(struct kunit *test)
{
	static const struct {
		u32 hz;
		u64 ns;
		u64 ticks;
	} rows[] = {
		{ 1000000000, 0, 0 },
		{ 1000000000, 1, 1 },
		{ 62500000, 15, 0 },
		{ 62500000, 16, 1 },
		{ 62500000, 1000, 62 },
		{ 24000000, 20000, 480 },
		{ 1000000, SPINDELAY_WINDOW_NS_MAX, 20000 },
		{ 1000000000, SPINDELAY_PLAN_NS_MAX, 2000000000 },
		{ U32_MAX, SPINDELAY_PLAN_NS_MAX, 8589934590 },
	};
	struct fixture *f = test->priv;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		f->run->hz = rows[i].hz;
		KUNIT_EXPECT_EQ_MSG(test, ns_to_ticks(f->run, rows[i].ns),
				    rows[i].ticks, "%u Hz, %llu ns", rows[i].hz,
				    rows[i].ns);
	}
}

static void chain_always_takes(u64 ticks)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(chain_ticks); i++)
		chain_ticks[i] = ticks;
}

static const struct chain_row {
	u32 hz;
	u64 ticks;
	u32 asked;
	u32 fs;
} chain_rows[] = {
	{ 1000000000, 32768, 0, 1000000 },
	{ 62500000, 2048, 0, 1000000 },
	{ 62500000, 1024, 0, 500000 },
	{ 24000000, 3, 0, 3814 },
	/* The slowest and fastest that there may be. */
	{ 1000000000, 0, 0, 1 },
	{ 1000000, 32768000, 0, U32_MAX / 2 },
	{ 1000000000, 10000000, 0, 305175781 },
	{ 1000000000, 1ULL << 40, 0, U32_MAX / 2 },
	/* What the caller says, within a factor of two. */
	{ 1000000000, 32768, 1, 500000 },
	{ 1000000000, 32768, 499999, 500000 },
	{ 1000000000, 32768, 500001, 500001 },
	{ 1000000000, 32768, 1999999, 1999999 },
	{ 1000000000, 32768, 2000001, 2000000 },
	{ 1000000000, 32768, U32_MAX, 2000000 },
	{ 1000000000, 0, 1, 1 },
	{ 1000000000, 0, 3, 2 },
	{ 1000000, 32768000, U32_MAX, U32_MAX - 1 },
};

static void describe_chain(const struct chain_row *row, char *description)
{
	snprintf(description, KUNIT_PARAM_DESC_SIZE,
		 "%llu ticks at %u Hz, asked for %u: %u fs", row->ticks,
		 row->hz, row->asked, row->fs);
}

KUNIT_ARRAY_PARAM(chain, chain_rows, describe_chain);

static void test_calibration(struct kunit *test)
{
	const struct chain_row *row = test->param_value;
	struct fixture *f = test->priv;

	f->run->hz = row->hz;
	chain_always_takes(row->ticks);
	KUNIT_EXPECT_EQ(test, calibrate_chain(f->run, row->asked), row->fs);
}

static void test_calibration_takes_the_shortest(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 shortest;

	for (shortest = 0; shortest < ARRAY_SIZE(chain_ticks); shortest++) {
		chain_always_takes(1000000);
		chain_ticks[shortest] = 32768;
		chain_runs = 0;
		KUNIT_EXPECT_EQ_MSG(test, calibrate_chain(f->run, 0), 1000000,
				    "burst %u", shortest);
	}
}

static void test_ns_to_chain(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ns_to_chain(0, 1000000), 0);
	KUNIT_EXPECT_EQ(test, ns_to_chain(200, 1000000), 200);
	KUNIT_EXPECT_EQ(test, ns_to_chain(200, 400000), 500);
	/* To the nearest. */
	KUNIT_EXPECT_EQ(test, ns_to_chain(1, 2000001), 0);
	KUNIT_EXPECT_EQ(test, ns_to_chain(1, 2000000), 1);
	KUNIT_EXPECT_EQ(test, ns_to_chain(U32_MAX, 1), 4294967295000000);
}

/* ---- what is made of a variant ---- */

static void test_prepared_work(struct kunit *test)
{
	struct fixture *f = test->priv;
	const struct spin_work *work = &f->run->variants[0].work;

	f->variants[0].hold_ns = 200;
	f->variants[0].think_ns = 1000;
	f->variants[0].jitter = 50;
	f->variants[0].lines = 3;
	KUNIT_ASSERT_EQ(test, prepare_variant(f->run, 0), 0);
	KUNIT_EXPECT_EQ(test, work->count, 1);
	KUNIT_EXPECT_EQ(test, work->period, 64);
	KUNIT_EXPECT_EQ(test, work->hold, 100);
	KUNIT_EXPECT_EQ(test, work->think, 500);
	KUNIT_EXPECT_EQ(test, work->jitter, 500);
	KUNIT_EXPECT_EQ(test, work->nr_lines, 3);
	KUNIT_EXPECT_EQ(test, work->limit, SPINDELAY_WFET_NS_DEFAULT);
	KUNIT_EXPECT_EQ(test, work->backoff_min, SPINDELAY_BACKOFF_MIN_DEFAULT);
	KUNIT_EXPECT_EQ(test, work->backoff_max, SPINDELAY_BACKOFF_MAX_DEFAULT);
	/* hold, the longest think, one poll */
	KUNIT_EXPECT_EQ(test, f->run->variants[0].turn, 200 + 1500 + 10);
}

/* Between two looks at the stop flag there are 20 us of polls. */
static void test_budget(struct kunit *test)
{
	static const struct {
		u64 poll;
		u32 budget;
	} rows[] = {
		{ 0, 1024 }, { 10, 1024 }, { 99, 200 },
		{ 9999, 2 }, { 10000, 1 }, { 400000, 1 },
	};
	struct fixture *f = test->priv;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		copy_ticks = rows[i].poll;
		KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
		KUNIT_EXPECT_EQ_MSG(test, f->run->variants[0].work.budget,
				    rows[i].budget, "a poll of %llu ns",
				    rows[i].poll);
	}
}

static void test_longest_poll(struct kunit *test)
{
	struct fixture *f = test->priv;

	copy_ticks = WINDOW_NS / SPINDELAY_WORK_SHARE_MAX;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	copy_ticks++;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), -E2BIG);
	copy_ticks = WINDOW_NS / SPINDELAY_WORK_SHARE_MAX / 2;
	f->variants[0].count = 2;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	f->variants[0].count = 3;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), -E2BIG);
	KUNIT_EXPECT_EQ(test, prepare_run(f->run), -E2BIG);
}

/* Whose length is nobody's to know: it is asked after each of its polls. */
static void test_sleeping_delay(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->variants[0].delay = SPIN_DELAY_wfe;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	KUNIT_EXPECT_EQ(test, f->run->variants[0].work.budget, 1);
	KUNIT_EXPECT_EQ(test, now, 0);
}

static void test_loops(struct kunit *test)
{
	struct fixture *f = test->priv;
	const struct variant_state *v = &f->run->variants[0];

	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	KUNIT_EXPECT_PTR_EQ(test, v->run, &contend_one);
	f->variants[0].flags = SPINDELAY_TWIN;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	KUNIT_EXPECT_PTR_EQ(test, v->run, &contend_twin);
	f->variants[0].flags = 0;
	f->variants[0].count = 2;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	KUNIT_EXPECT_PTR_EQ(test, v->run, &contend_many);
	f->variants[0].pad = 1;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	KUNIT_EXPECT_PTR_EQ(test, v->run, &contend_padded);
	KUNIT_EXPECT_FALSE(test, v->burst);
}

static void test_burst(struct kunit *test)
{
	struct fixture *f = test->priv;
	const struct variant_state *v = &f->run->variants[0];

	f->variants[0].flags = SPINDELAY_BURST;
	f->variants[0].burst = 3;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	KUNIT_EXPECT_PTR_EQ(test, v->run, &burst_16);
	KUNIT_EXPECT_TRUE(test, v->burst);
	KUNIT_EXPECT_EQ(test, v->copies, 16);
	KUNIT_EXPECT_EQ(test, v->work.burst, 3);
	f->variants[0].flags |= SPINDELAY_BURST_DOUBLE;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	KUNIT_EXPECT_PTR_EQ(test, v->run, &burst_32);
	KUNIT_EXPECT_EQ(test, v->copies, 32);
}

/* Interrupts are off for 2 ms at most, or twice as long in a double one. */
static void test_longest_burst(struct kunit *test)
{
	struct fixture *f = test->priv;
	const struct variant_state *v = &f->run->variants[0];

	copy_ticks = 125;
	f->variants[0].flags = SPINDELAY_BURST;
	f->variants[0].burst = BURST_NS_MAX / (16 * 125);
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	KUNIT_EXPECT_TRUE(test, v->burst_allowed);
	f->variants[0].flags |= SPINDELAY_BURST_DOUBLE;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	KUNIT_EXPECT_TRUE(test, v->burst_allowed);
	f->variants[0].burst++;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	KUNIT_EXPECT_FALSE(test, v->burst_allowed);
	f->variants[0].flags = SPINDELAY_BURST;
	KUNIT_EXPECT_EQ(test, prepare_variant(f->run, 0), 0);
	KUNIT_EXPECT_FALSE(test, v->burst_allowed);
}

static void test_first_rounds(struct kunit *test)
{
	struct spindelay_variant v = { .lock = SPIN_LOCK_innodb_mutex };

	KUNIT_EXPECT_EQ(test, first_rounds(&v), 0);
	v.lock = SPIN_LOCK_postgres_slock;
	KUNIT_EXPECT_EQ(test, first_rounds(&v),
			SPINDELAY_SPINS_PER_DELAY_DEFAULT);
	v.sync_spin_loops = 5;
	KUNIT_EXPECT_EQ(test, first_rounds(&v), 5);
}

/* ---- what is made of what was counted ---- */

static struct engine_worker *counted_worker(struct fixture *f)
{
	struct engine_worker *w = f->run->workers[1];

	f->run->next = 1;
	f->run->t0 = 1000;
	w->begin = 1011;
	w->end = 3000;
	w->burst_min = 12;
	w->counts = (struct counter_values){ .cycles = 13, .instructions = 14 };
	w->spin.acquisitions = 15;
	w->spin.polls = 16;
	w->spin.samples = 17;
	w->spin.sampled_wait = 18;
	w->spin.sampled_hold = 19;
	w->spin.wait_max = 20;
	w->spin.waits.spins = spin_wait_phase(1, 1) + 21;
	w->spin.waits.timed = 22;
	w->spin.waits.ticks = 23;
	w->spin.parking = (struct spin_parking){ .rounds = 24,
						 .yields = 25,
						 .parks = 26 };
	return w;
}

static void test_record(struct kunit *test)
{
	struct fixture *f = test->priv;
	const struct engine_worker *w = counted_worker(f);
	const struct variant_state v = { .lock = SPIN_LOCK_ttas,
					 .work.count = 3 };
	const struct spindelay_record wanted = {
		.acquisitions = 15,
		.polls = 16,
		.delays = 48,
		.start = 11,
		.ticks = 1989,
		.samples = 17,
		.sampled_wait = 18,
		.sampled_hold = 19,
		.wait_max = 20,
		.spins = 21,
		.timed_spins = 22,
		.timed_spin_ticks = 23,
		.burst_min = 12,
		.parks = 26,
		.cycles = 13,
		.instructions = 14,
		.rounds = 24,
		.yields = 25,
	};
	struct spindelay_record r;

	memset(&r, 0xff, sizeof(r));
	gather_record(f->run, w, &v, &r);
	KUNIT_EXPECT_MEMEQ(test, &r, &wanted, sizeof(r));
}

static void test_delays_of_pace(struct kunit *test)
{
	struct fixture *f = test->priv;
	const struct variant_state v = { .lock = SPIN_LOCK_pace,
					 .work.count = 3 };
	struct spindelay_record r;

	gather_record(f->run, counted_worker(f), &v, &r);
	KUNIT_EXPECT_EQ(test, r.delays, 15 * 3);
}

static void test_delays_of_bursts(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct engine_worker *w = counted_worker(f);
	const struct variant_state v = {
		.lock = SPIN_LOCK_pace,
		.burst = true,
		.copies = 16,
		.work = { .count = 3, .burst = 5 },
	};
	struct spindelay_record r;

	w->spin.acquisitions = 0;
	w->bursts = 1U << 31;
	gather_record(f->run, w, &v, &r);
	KUNIT_EXPECT_EQ(test, r.acquisitions, 1U << 31);
	KUNIT_EXPECT_EQ(test, r.delays, (1ULL << 31) * 5 * 16 * 3);
}

/* Window 0, in which both CPUs have counted something. */
static struct spindelay_window *gathered(struct fixture *f)
{
	struct run *run = f->run;
	u32 i;

	prepare_variant(run, 0);
	run->next = 1;
	run->t0 = 1000;
	run->knob = delay_generation();
	for (i = 0; i < CPUS; i++) {
		run->workers[i]->begin = 1000;
		run->workers[i]->end = 1000 + WINDOW_NS - i;
		run->workers[i]->spin.acquisitions = 40 + i;
		run->workers[i]->spin.hist[i] = 2;
		run->workers[i]->spin.hist[SPIN_HIST_BUCKETS - 1] = 3 + i;
	}
	*run->counter = 81;
	gather_window(run);
	return &f->windows[0];
}

static void test_window(struct kunit *test)
{
	struct fixture *f = test->priv;
	const struct spindelay_window *window = gathered(f);

	KUNIT_EXPECT_EQ(test, window->invalid, 0);
	KUNIT_EXPECT_EQ(test, window->start, 1000);
	KUNIT_EXPECT_EQ(test, window->ticks, WINDOW_NS);
	KUNIT_EXPECT_EQ(test, window->acquisitions, 81);
	KUNIT_EXPECT_EQ(test, window->counted, 81);
	KUNIT_EXPECT_EQ(test, f->records[0].acquisitions, 40);
	KUNIT_EXPECT_EQ(test, f->records[1].acquisitions, 41);
	KUNIT_EXPECT_EQ(test, f->hists[0], 2);
	KUNIT_EXPECT_EQ(test, f->hists[1], 2);
	KUNIT_EXPECT_EQ(test, f->hists[SPIN_HIST_BUCKETS - 1], 7);
	/* Nothing of the next window's. */
	KUNIT_EXPECT_NULL(test,
			  memchr_inv(&f->windows[1], 0, sizeof(f->windows[1])));
	KUNIT_EXPECT_NULL(test, memchr_inv(&f->records[CPUS], 0,
					   CPUS * sizeof(f->records[0])));
	KUNIT_EXPECT_NULL(test, memchr_inv(&f->hists[SPIN_HIST_BUCKETS], 0,
					   SPIN_HIST_BUCKETS * sizeof(u32)));
}

static void test_second_window(struct kunit *test)
{
	struct fixture *f = test->priv;

	gathered(f);
	f->run->next = 2;
	gather_window(f->run);
	KUNIT_EXPECT_EQ(test, f->windows[1].acquisitions, 81);
	KUNIT_EXPECT_EQ(test, f->records[2].acquisitions, 40);
	KUNIT_EXPECT_EQ(test, f->records[3].acquisitions, 41);
	KUNIT_EXPECT_EQ(test, f->hists[2 * SPIN_HIST_BUCKETS - 1], 7);
}

static void test_lost_exclusion(struct kunit *test)
{
	struct fixture *f = test->priv;

	gathered(f);
	*f->run->counter = 79;
	f->windows[0] = (struct spindelay_window){};
	gather_window(f->run);
	KUNIT_EXPECT_EQ(test, f->windows[0].counted, 79);
	/* Readers count for themselves, ... */
	f->run->workers[1]->spin.shared = 2;
	f->windows[0] = (struct spindelay_window){};
	gather_window(f->run);
	KUNIT_EXPECT_EQ(test, f->windows[0].counted, 81);
	/* ... and what does not exclude loses nothing. */
	*f->run->counter = 0;
	f->run->variants[0].traits = 0;
	f->windows[0] = (struct spindelay_window){};
	gather_window(f->run);
	KUNIT_EXPECT_EQ(test, f->windows[0].counted, 81);
}

static void test_invalid_worker(struct kunit *test)
{
	struct fixture *f = test->priv;

	gathered(f);
	f->windows[0] = (struct spindelay_window){};
	f->run->workers[0]->invalid = SPINDELAY_INVALID_MOVED;
	f->run->workers[1]->invalid = SPINDELAY_INVALID_SWITCHED;
	gather_window(f->run);
	KUNIT_EXPECT_EQ(test, f->windows[0].invalid,
			SPINDELAY_INVALID_MOVED | SPINDELAY_INVALID_SWITCHED);
	KUNIT_EXPECT_EQ(test, f->windows[0].acquisitions, 81);
}

/* One that never started has the times and counts of some earlier window. */
static void test_missed_start(struct kunit *test)
{
	struct fixture *f = test->priv;

	gathered(f);
	f->windows[0] = (struct spindelay_window){};
	memset(f->records, 0, sizeof(f->records));
	f->run->workers[0]->invalid = SPINDELAY_INVALID_START;
	f->run->workers[1]->invalid = SPINDELAY_INVALID_START;
	*f->run->counter = 0;
	gather_window(f->run);
	KUNIT_EXPECT_EQ(test, f->windows[0].invalid, SPINDELAY_INVALID_START);
	KUNIT_EXPECT_EQ(test, f->windows[0].ticks, 0);
	KUNIT_EXPECT_EQ(test, f->windows[0].acquisitions, 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(f->records, 0, sizeof(f->records)));
}

static void test_late_window(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct variant_state v = { .turn = 5 };
	u64 due = WINDOW_NS + LATE_NS + 5;

	KUNIT_EXPECT_FALSE(test, window_is_late(f->run, &v, due));
	KUNIT_EXPECT_TRUE(test, window_is_late(f->run, &v, due + 1));
	gathered(f);
	f->run->variants[0].turn = 5;
	f->run->workers[1]->end = f->run->t0 + due + 1;
	gather_window(f->run);
	KUNIT_EXPECT_EQ(test, f->windows[0].invalid, SPINDELAY_INVALID_LATE);
	KUNIT_EXPECT_EQ(test, f->windows[0].ticks, due + 1);
}

static void test_knob_in_window(struct kunit *test)
{
	struct fixture *f = test->priv;

	gathered(f);
	KUNIT_ASSERT_EQ(test, delay_choose("isb", 3), 0);
	/* Only the knob's own delay follows it. */
	gather_window(f->run);
	KUNIT_EXPECT_EQ(test, f->windows[0].invalid, 0);
	f->run->variants[0].delay = SPIN_DELAY_knob;
	gather_window(f->run);
	KUNIT_EXPECT_EQ(test, f->windows[0].invalid, SPINDELAY_INVALID_KNOB);
	f->windows[0].invalid = 0;
	f->run->knob = delay_generation();
	gather_window(f->run);
	KUNIT_EXPECT_EQ(test, f->windows[0].invalid, 0);
	/* It was being turned when the window was prepared. */
	f->run->knob |= 1;
	KUNIT_EXPECT_TRUE(test, knob_turned(f->run));
}

static void test_gone_cpu(struct kunit *test)
{
	struct fixture *f = test->priv;

	gathered(f);
	f->run->workers[1]->invalid = SPINDELAY_INVALID_OFFLINE;
	turn_window(f->run);
	KUNIT_EXPECT_TRUE(test, f->run->finished);
	KUNIT_EXPECT_EQ(test, f->windows[0].invalid, SPINDELAY_INVALID_OFFLINE);
	KUNIT_EXPECT_EQ(test, f->windows[1].invalid, SPINDELAY_INVALID_OFFLINE);
	KUNIT_EXPECT_EQ(test, f->windows[1].acquisitions, 0);
}

/* ---- from window to window ---- */

static void test_windows_in_order(struct kunit *test)
{
	struct fixture *f = test->priv;

	chain_always_takes(32768);
	turn_window(f->run);
	KUNIT_EXPECT_EQ(test, f->run->next, 1);
	KUNIT_EXPECT_EQ(test, f->plan.p.chain_fs, CHAIN_FS);
	turn_window(f->run);
	KUNIT_EXPECT_EQ(test, f->run->next, 2);
	KUNIT_EXPECT_FALSE(test, f->run->finished);
	turn_window(f->run);
	KUNIT_EXPECT_EQ(test, f->run->next, 2);
	KUNIT_EXPECT_TRUE(test, f->run->finished);
}

static void test_starts_again(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	turn_window(f->run);
	f->run->workers[0]->invalid = SPINDELAY_INVALID_START;
	f->run->workers[1]->invalid = SPINDELAY_INVALID_START;
	for (i = 1; i < START_ATTEMPTS; i++) {
		turn_window(f->run);
		KUNIT_EXPECT_EQ(test, f->run->next, 1);
	}
	KUNIT_EXPECT_EQ(test, f->windows[0].invalid, 0);
	turn_window(f->run);
	KUNIT_EXPECT_EQ(test, f->run->next, 2);
	KUNIT_EXPECT_EQ(test, f->windows[0].invalid, SPINDELAY_INVALID_START);
	KUNIT_EXPECT_EQ(test, f->run->attempts, 0);
}

static void test_no_start_for_the_moved(struct kunit *test)
{
	struct fixture *f = test->priv;

	turn_window(f->run);
	f->run->workers[0]->invalid =
		SPINDELAY_INVALID_START | SPINDELAY_INVALID_MOVED;
	f->run->workers[1]->invalid = SPINDELAY_INVALID_START;
	turn_window(f->run);
	KUNIT_EXPECT_EQ(test, f->run->next, 2);
	KUNIT_EXPECT_EQ(test, f->windows[0].invalid,
			SPINDELAY_INVALID_START | SPINDELAY_INVALID_MOVED);
}

static void test_abort(struct kunit *test)
{
	struct fixture *f = test->priv;

	turn_window(f->run);
	f->run->abort = true;
	f->run->workers[0]->invalid = SPINDELAY_INVALID_START;
	f->run->workers[1]->invalid = SPINDELAY_INVALID_START;
	turn_window(f->run);
	KUNIT_EXPECT_TRUE(test, f->run->finished);
	KUNIT_EXPECT_EQ(test, f->run->next, 1);
}

static void test_run_that_cannot_begin(struct kunit *test)
{
	struct fixture *f = test->priv;

	copy_ticks = WINDOW_NS;
	turn_window(f->run);
	KUNIT_EXPECT_TRUE(test, f->run->finished);
	KUNIT_EXPECT_EQ(test, f->run->error, -E2BIG);
	KUNIT_EXPECT_EQ(test, f->run->next, 0);
}

/* Of some window before, nothing is left. */
static void test_prepared_window(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct run *run = f->run;

	prepare_variant(run, 0);
	run->next = 1;
	run->stop = 1;
	run->start = (struct spin_start){ 5, 5 };
	memset(run->lock, 0xff, LOCK_SLOT_SIZE);
	*run->counter = 99;
	prepare_window(run);
	KUNIT_EXPECT_NULL(test, memchr_inv(run->lock, 0, LOCK_SLOT_SIZE));
	KUNIT_EXPECT_EQ(test, *run->counter, 0);
	KUNIT_EXPECT_EQ(test, run->stop, 0);
	KUNIT_EXPECT_EQ(test, run->start.ready, 0);
	KUNIT_EXPECT_EQ(test, run->start.state, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&run->awake), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&run->inside), CPUS);
	KUNIT_EXPECT_EQ(test, run->knob, delay_generation());
}

static void test_one_owner(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, engine_claim(), 0);
	KUNIT_EXPECT_EQ(test, engine_claim(), -EBUSY);
	engine_release();
	KUNIT_EXPECT_EQ(test, engine_claim(), 0);
	engine_release();
}

static struct kunit_case engine_cases[] = {
	KUNIT_CASE(test_ticks),
	KUNIT_CASE_PARAM(test_calibration, chain_gen_params),
	KUNIT_CASE(test_calibration_takes_the_shortest),
	KUNIT_CASE(test_ns_to_chain),
	KUNIT_CASE(test_prepared_work),
	KUNIT_CASE(test_budget),
	KUNIT_CASE(test_longest_poll),
	KUNIT_CASE(test_sleeping_delay),
	KUNIT_CASE(test_loops),
	KUNIT_CASE(test_burst),
	KUNIT_CASE(test_longest_burst),
	KUNIT_CASE(test_first_rounds),
	KUNIT_CASE(test_record),
	KUNIT_CASE(test_delays_of_pace),
	KUNIT_CASE(test_delays_of_bursts),
	KUNIT_CASE(test_window),
	KUNIT_CASE(test_second_window),
	KUNIT_CASE(test_lost_exclusion),
	KUNIT_CASE(test_invalid_worker),
	KUNIT_CASE(test_missed_start),
	KUNIT_CASE(test_late_window),
	KUNIT_CASE(test_knob_in_window),
	KUNIT_CASE(test_gone_cpu),
	KUNIT_CASE(test_windows_in_order),
	KUNIT_CASE(test_starts_again),
	KUNIT_CASE(test_no_start_for_the_moved),
	KUNIT_CASE(test_abort),
	KUNIT_CASE(test_run_that_cannot_begin),
	KUNIT_CASE(test_prepared_window),
	KUNIT_CASE(test_one_owner),
	{}
};

static struct kunit_suite engine_suite = {
	.name = "spindelay_engine",
	.init = engine_test_init,
	.exit = engine_test_exit,
	.test_cases = engine_cases,
};

kunit_test_suite(engine_suite);
