// SPDX-License-Identifier: GPL-2.0
/* What a plan may ask for: every field, at its bounds and beyond them. */
#include <kunit/test.h>
#include <linux/limits.h>

#include "../../../module/bench/presets.h"
#include "../../../module/plan.c"

#define WORK_NS_MAX (SPINDELAY_WINDOW_NS_MAX / SPINDELAY_WORK_SHARE_MAX)

/* ---- the plan's own numbers ---- */

static struct spindelay_plan good_plan(void)
{
	return (struct spindelay_plan){
		.size = sizeof(struct spindelay_plan),
		.abi = SPINDELAY_ABI,
		.nr_cpus = 2,
		.nr_variants = 1,
		.nr_windows = 1,
		.window_ns = SPINDELAY_WINDOW_NS_MIN,
		.sample_shift = 1,
		.node = -1,
	};
}

/* A good plan or variant whose u32 at the offset has this value instead. */
struct row {
	u32 lock;
	const char *field;
	size_t offset;
	u32 value;
	int answer;
};

static void set_field(void *what, const struct row *row)
{
	memcpy((char *)what + row->offset, &row->value, sizeof(row->value));
}

static const char *answer_name(int answer)
{
	switch (answer) {
	case 0:
		return "taken";
	case -EINVAL:
		return "EINVAL";
	case -E2BIG:
		return "E2BIG";
	case -ENODEV:
		return "ENODEV";
	default:
		return "?";
	}
}

static void describe_size(const struct row *row, char *description)
{
	snprintf(description, KUNIT_PARAM_DESC_SIZE, "%s %u: %s", row->field,
		 row->value, answer_name(row->answer));
}

static const struct row sizes[] = {
#define SIZE(field, value, answer)                                        \
	{                                                                 \
		0, #field, offsetof(struct spindelay_plan, field), value, \
			answer                                            \
	}
	SIZE(size, sizeof(struct spindelay_plan), 0),
	SIZE(size, sizeof(struct spindelay_plan) - 1, -EINVAL),
	SIZE(size, sizeof(struct spindelay_plan) + 1, -EINVAL),
	SIZE(size, 0, -EINVAL),
	SIZE(abi, SPINDELAY_ABI - 1, -EINVAL),
	SIZE(abi, SPINDELAY_ABI + 1, -EINVAL),
	SIZE(flags, SPINDELAY_COUNT_CYCLES, 0),
	SIZE(flags, SPINDELAY_COUNT_CYCLES << 1, -EINVAL),
	SIZE(flags, 1U << 31, -EINVAL),
	SIZE(nr_cpus, 0, -EINVAL),
	SIZE(nr_cpus, 1, 0),
	SIZE(nr_cpus, SPINDELAY_CPUS_MAX, 0),
	SIZE(nr_cpus, SPINDELAY_CPUS_MAX + 1, -E2BIG),
	SIZE(nr_cpus, U32_MAX, -E2BIG),
	SIZE(nr_variants, 0, -EINVAL),
	SIZE(nr_variants, SPINDELAY_VARIANTS_MAX, 0),
	SIZE(nr_variants, SPINDELAY_VARIANTS_MAX + 1, -E2BIG),
	SIZE(nr_variants, U32_MAX, -E2BIG),
	SIZE(nr_windows, 0, -EINVAL),
	SIZE(nr_windows, SPINDELAY_WINDOWS_MAX, 0),
	SIZE(nr_windows, SPINDELAY_WINDOWS_MAX + 1, -E2BIG),
	SIZE(nr_windows, U32_MAX, -E2BIG),
	SIZE(window_ns, 0, -EINVAL),
	SIZE(window_ns, SPINDELAY_WINDOW_NS_MIN - 1, -EINVAL),
	SIZE(window_ns, SPINDELAY_WINDOW_NS_MIN, 0),
	SIZE(window_ns, SPINDELAY_WINDOW_NS_MAX, 0),
	SIZE(window_ns, SPINDELAY_WINDOW_NS_MAX + 1, -E2BIG),
	SIZE(window_ns, U32_MAX, -E2BIG),
	SIZE(sample_shift, 0, -EINVAL),
	SIZE(sample_shift, SPINDELAY_SAMPLE_SHIFT_MAX, 0),
	SIZE(sample_shift, SPINDELAY_SAMPLE_SHIFT_MAX + 1, -E2BIG),
	SIZE(sample_shift, U32_MAX, -E2BIG),
	SIZE(lock_page, SPINDELAY_LOCK_PAGES - 1, 0),
	SIZE(lock_page, SPINDELAY_LOCK_PAGES, -EINVAL),
	SIZE(lock_page, U32_MAX, -EINVAL),
	SIZE(lock_slot, SPINDELAY_LOCK_SLOTS - 1, 0),
	SIZE(lock_slot, SPINDELAY_LOCK_SLOTS, -EINVAL),
	SIZE(lock_slot, U32_MAX, -EINVAL),
	SIZE(chain_fs, U32_MAX, 0),
	SIZE(counter_hz, U32_MAX, 0),
	SIZE(reserved0, 1, -EINVAL),
	SIZE(reserved[0], 1, -EINVAL),
	SIZE(reserved[3], 1U << 31, -EINVAL),
};

KUNIT_ARRAY_PARAM(sizes, sizes, describe_size);

static void test_size(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct spindelay_plan p = good_plan();

	set_field(&p, row);
	KUNIT_EXPECT_EQ(test, plan_check_sizes(&p), row->answer);
}

static void test_plan_time(struct kunit *test)
{
	struct spindelay_plan p = good_plan();

	p.window_ns = SPINDELAY_WINDOW_NS_MAX;
	p.nr_windows = SPINDELAY_PLAN_NS_MAX / SPINDELAY_WINDOW_NS_MAX;
	KUNIT_EXPECT_EQ(test, plan_check_sizes(&p), 0);
	p.nr_windows++;
	KUNIT_EXPECT_EQ(test, plan_check_sizes(&p), -E2BIG);
	/* As 32 bits this product is less than a window. */
	p.window_ns = 1U << 20;
	p.nr_windows = 1U << 12;
	KUNIT_EXPECT_EQ(test, plan_check_sizes(&p), -E2BIG);
}

/* The most CPUs whose results still fit, and one more. */
static void test_result_bytes(struct kunit *test)
{
	struct spindelay_plan p = good_plan();
	u32 bytes = SPINDELAY_RESULT_BYTES_MAX / SPINDELAY_WINDOWS_MAX;

	bytes -= sizeof(struct spindelay_window) +
		 SPINDELAY_HIST_BUCKETS * sizeof(u32);
	p.nr_windows = SPINDELAY_WINDOWS_MAX;
	p.nr_cpus = bytes / sizeof(struct spindelay_record);
	KUNIT_EXPECT_EQ(test, plan_check_sizes(&p), 0);
	p.nr_cpus++;
	KUNIT_EXPECT_EQ(test, plan_check_sizes(&p), -E2BIG);
}

/* ---- variants ---- */

/* Of two CPUs, with the longest windows. */
static struct spindelay_plan roomy_plan(void)
{
	struct spindelay_plan p = good_plan();

	p.window_ns = SPINDELAY_WINDOW_NS_MAX;
	return p;
}

static struct spindelay_variant good_variant(u32 lock)
{
	return (struct spindelay_variant){
		.lock = lock,
		.delay = SPIN_DELAY_nop,
		.count = 1,
		.pause_multiplier = SPINDELAY_PAUSE_MULTIPLIER_DEFAULT,
		.backoff = {
			.first = 1,
			.growth = 100,
			.most = 1023,
			.idle = 1,
			.weight = 1,
		},
	};
}

static const struct row variants[] = {
#define OF(lock, field, value, answer)                                    \
	{                                                                 \
		SPIN_LOCK_##lock, #field,                                 \
			offsetof(struct spindelay_variant, field), value, \
			answer                                            \
	}
#define ANY(field, value, answer) OF(ttas, field, value, answer)
	ANY(lock, SPIN_LOCK_END, -EINVAL),
	ANY(lock, U32_MAX, -EINVAL),
	ANY(delay, SPIN_DELAY_END, -EINVAL),
	ANY(delay, U32_MAX, -EINVAL),
	ANY(count, 0, -EINVAL),
	ANY(count, SPINDELAY_COUNT_MAX, 0),
	ANY(count, SPINDELAY_COUNT_MAX + 1, -E2BIG),
	ANY(count, U32_MAX, -E2BIG),
	ANY(pad, SPINDELAY_PAD_MAX, 0),
	ANY(pad, SPINDELAY_PAD_MAX + 1, -E2BIG),
	ANY(pad, U32_MAX, -E2BIG),
	ANY(hold_ns, WORK_NS_MAX, 0),
	ANY(hold_ns, WORK_NS_MAX + 1, -E2BIG),
	ANY(hold_ns, U32_MAX, -E2BIG),
	ANY(think_ns, WORK_NS_MAX, 0),
	ANY(think_ns, WORK_NS_MAX + 1, -E2BIG),
	ANY(think_ns, U32_MAX, -E2BIG),
	ANY(flags, SPINDELAY_TWIN << 1, -EINVAL),
	ANY(flags, 1U << 31, -EINVAL),
	ANY(burst, 1, -EINVAL),
	ANY(jitter, SPINDELAY_JITTER_MAX, 0),
	ANY(jitter, SPINDELAY_JITTER_MAX + 1, -E2BIG),
	ANY(jitter, U32_MAX, -E2BIG),
	ANY(lines, SPINDELAY_LINES_MAX, 0),
	ANY(lines, SPINDELAY_LINES_MAX + 1, -E2BIG),
	ANY(lines, U32_MAX, -E2BIG),
	ANY(backoff_min, SPINDELAY_BACKOFF_MAX_DEFAULT, 0),
	ANY(backoff_min, SPINDELAY_BACKOFF_MAX_DEFAULT + 1, -EINVAL),
	ANY(backoff_max, 1, 0),
	ANY(backoff_max, SPINDELAY_BACKOFF_MAX, 0),
	ANY(backoff_max, SPINDELAY_BACKOFF_MAX + 1, -E2BIG),
	ANY(backoff_max, U32_MAX, -E2BIG),
	ANY(wfet_ns, SPINDELAY_WFET_NS_MAX, 0),
	ANY(wfet_ns, SPINDELAY_WFET_NS_MAX + 1, -E2BIG),
	ANY(wfet_ns, U32_MAX, -E2BIG),
	ANY(read_share, SPINDELAY_READ_SHARE_MAX, 0),
	ANY(read_share, SPINDELAY_READ_SHARE_MAX + 1, -E2BIG),
	ANY(read_share, U32_MAX, -E2BIG),
	ANY(reserved[0], 1, -EINVAL),
	ANY(reserved[6], 1U << 31, -EINVAL),
	/* Only InnoDB's locks look at these, ... */
	ANY(pause_multiplier, 0, 0),
	ANY(pause_multiplier, U32_MAX, 0),
	ANY(spin_wait_delay, U32_MAX, 0),
	OF(innodb_mutex, pause_multiplier, 0, -EINVAL),
	OF(innodb_mutex, pause_multiplier, SPINDELAY_PAUSE_MULTIPLIER_MIN, 0),
	OF(innodb_mutex, pause_multiplier, SPINDELAY_PAUSE_MULTIPLIER_MAX, 0),
	OF(innodb_mutex, pause_multiplier, SPINDELAY_PAUSE_MULTIPLIER_MAX + 1,
	   -E2BIG),
	OF(innodb_rwlock, pause_multiplier, 0, -EINVAL),
	OF(innodb_mutex, spin_wait_delay, 0, 0),
	OF(innodb_mutex, spin_wait_delay, SPINDELAY_SPIN_WAIT_DELAY_MAX, 0),
	OF(innodb_mutex, spin_wait_delay, SPINDELAY_SPIN_WAIT_DELAY_MAX + 1,
	   -E2BIG),
	OF(innodb_mutex, sync_spin_loops, U32_MAX, 0),
	OF(postgres_slock, sync_spin_loops, U32_MAX, 0),
	/* ... and only the lock backoff at these. */
	ANY(backoff.idle, 0, 0),
	ANY(backoff.most, U32_MAX, 0),
	OF(backoff, backoff.first, 0, 0),
	OF(backoff, backoff.first, 1023, 0),
	OF(backoff, backoff.first, 1024, -EINVAL),
	OF(backoff, backoff.growth, SPINDELAY_BACKOFF_GROWTH_MAX, 0),
	OF(backoff, backoff.growth, SPINDELAY_BACKOFF_GROWTH_MAX + 1, -E2BIG),
	OF(backoff, backoff.step, SPINDELAY_BACKOFF_TURNS_MAX, 0),
	OF(backoff, backoff.step, SPINDELAY_BACKOFF_TURNS_MAX + 1, -E2BIG),
	OF(backoff, backoff.most, 0, -EINVAL),
	OF(backoff, backoff.most, SPINDELAY_BACKOFF_TURNS_MAX, 0),
	OF(backoff, backoff.most, SPINDELAY_BACKOFF_TURNS_MAX + 1, -E2BIG),
	OF(backoff, backoff.wrap, 1, 0),
	OF(backoff, backoff.wrap, 2, -EINVAL),
	OF(backoff, backoff.afresh, 1, 0),
	OF(backoff, backoff.afresh, 2, -EINVAL),
	OF(backoff, backoff.idle, 0, -EINVAL),
	OF(backoff, backoff.idle, SPINDELAY_BACKOFF_IDLE_MAX, 0),
	OF(backoff, backoff.idle, SPINDELAY_BACKOFF_IDLE_MAX + 1, -E2BIG),
	OF(backoff, backoff.weight, 0, -EINVAL),
	OF(backoff, backoff.weight, SPINDELAY_BACKOFF_TURNS_MAX, 0),
	OF(backoff, backoff.weight, SPINDELAY_BACKOFF_TURNS_MAX + 1, -E2BIG),
	OF(backoff, backoff.yield_from, U32_MAX, 0),
	OF(backoff, backoff.yield_less, 1, -EINVAL),
	OF(backoff, backoff.looks, U32_MAX, 0),
	OF(backoff, backoff.nap_us, SPINDELAY_BACKOFF_NAP_US_MAX, 0),
	OF(backoff, backoff.nap_us, SPINDELAY_BACKOFF_NAP_US_MAX + 1, -E2BIG),
	OF(backoff, backoff.nap_us, SPINDELAY_BACKOFF_UNTIL_WOKEN - 1, -E2BIG),
	OF(backoff, backoff.nap_us, SPINDELAY_BACKOFF_UNTIL_WOKEN, 0),
};

static void describe_variant(const struct row *row, char *description)
{
	snprintf(description, KUNIT_PARAM_DESC_SIZE, "%s, %s %u: %s",
		 plan_lock_name(row->lock), row->field, row->value,
		 answer_name(row->answer));
}

KUNIT_ARRAY_PARAM(variants, variants, describe_variant);

static void test_variant(struct kunit *test)
{
	const struct row *row = test->param_value;
	const struct spindelay_plan p = roomy_plan();
	struct spindelay_variant v = good_variant(row->lock);

	KUNIT_ASSERT_EQ(test, check_variant(&p, &v), 0);
	set_field(&v, row);
	KUNIT_EXPECT_EQ(test, check_variant(&p, &v), row->answer);
}

static void test_every_lock_and_delay(struct kunit *test)
{
	const struct spindelay_plan p = roomy_plan();
	struct spindelay_variant v;
	u32 lock, delay;

	for (lock = 0; lock < SPIN_LOCK_END; lock++) {
		v = good_variant(lock);
		for (delay = 0; delay < SPIN_DELAY_END; delay++) {
			v.delay = delay;
			KUNIT_EXPECT_EQ_MSG(test, check_variant(&p, &v),
					    delay_supported(delay) ?
						    0 :
						    -EOPNOTSUPP,
					    "%s/%s", plan_lock_name(lock),
					    delay_name(delay));
		}
	}
}

/* Each alone is allowed. */
static void test_work_together(struct kunit *test)
{
	const struct spindelay_plan p = roomy_plan();
	struct spindelay_variant v = good_variant(SPIN_LOCK_ttas);

	v.hold_ns = 1;
	v.think_ns = WORK_NS_MAX - 1;
	KUNIT_EXPECT_EQ(test, check_variant(&p, &v), 0);
	v.think_ns++;
	KUNIT_EXPECT_EQ(test, check_variant(&p, &v), -E2BIG);
	/* As 32 bits this sum is nothing. */
	v.hold_ns = U32_MAX;
	v.think_ns = 1;
	KUNIT_EXPECT_EQ(test, check_variant(&p, &v), -E2BIG);
}

static void test_backoff_pairs(struct kunit *test)
{
	const struct spindelay_plan p = roomy_plan();
	struct spindelay_variant v = good_variant(SPIN_LOCK_backoff);

	v.backoff.wrap = 1;
	v.backoff.most = 1022;
	KUNIT_EXPECT_EQ(test, check_variant(&p, &v), -EINVAL);
	v.backoff.wrap = 0;
	KUNIT_EXPECT_EQ(test, check_variant(&p, &v), 0);
	v.backoff.yield_from = 7;
	v.backoff.yield_less = 7;
	KUNIT_EXPECT_EQ(test, check_variant(&p, &v), 0);
	v.backoff.yield_less = 8;
	KUNIT_EXPECT_EQ(test, check_variant(&p, &v), -EINVAL);
}

#define PRESET_NUMBERS(spelling, source, ...) { __VA_ARGS__ },

static void test_presets(struct kunit *test)
{
	static const struct spindelay_backoff presets[] = {
		SPIN_PRESETS(PRESET_NUMBERS)
	};
	const struct spindelay_plan p = roomy_plan();
	struct spindelay_variant v = good_variant(SPIN_LOCK_backoff);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(presets); i++) {
		v.backoff = presets[i];
		KUNIT_EXPECT_EQ_MSG(test, check_variant(&p, &v), 0,
				    "preset %zu", i);
	}
	v.backoff = (struct spindelay_backoff){};
	KUNIT_EXPECT_EQ(test, check_variant(&p, &v), -EINVAL);
}

/* What flags go with. */
static const struct flags_row {
	const char *what;
	int answer;
	u32 lock;
	u32 delay;
	u32 flags;
	u32 burst;
	u32 count;
	u32 pad;
	u32 nr_cpus;
} flags_rows[] = {
#define BURST SPINDELAY_BURST
#define DOUBLE SPINDELAY_BURST_DOUBLE
#define HELD SPINDELAY_HELD
#define TWIN SPINDELAY_TWIN
#define FLAGS(what, answer, lock, delay, flags, burst, count, pad, nr_cpus) \
	{                                                                   \
		what, answer, SPIN_LOCK_##lock, SPIN_DELAY_##delay, flags,  \
			burst, count, pad, nr_cpus                          \
	}
	FLAGS("a burst", 0, ttas, nop, BURST, 1, 1, 0, 2),
	FLAGS("the longest burst", 0, ttas, nop, BURST, SPINDELAY_BURST_MAX, 1,
	      0, 2),
	FLAGS("a burst too long", -E2BIG, ttas, nop, BURST,
	      SPINDELAY_BURST_MAX + 1, 1, 0, 2),
	FLAGS("a burst of none", -EINVAL, ttas, nop, BURST, 0, 1, 0, 2),
	FLAGS("a double burst", 0, ttas, nop, BURST | DOUBLE, 1, 1, 0, 2),
	FLAGS("double without burst", -EINVAL, ttas, nop, DOUBLE, 0, 1, 0, 2),
	FLAGS("a burst of many, padded", 0, ttas, nop, BURST, 1, 2, 1, 2),
	FLAGS("a burst that sleeps", -EINVAL, ttas, wfe, BURST, 1, 1, 0, 2),
	FLAGS("a burst, held", -EINVAL, ttas, nop, BURST | HELD, 1, 1, 0, 2),
	FLAGS("a burst's twin", -EINVAL, ttas, nop, BURST | TWIN, 1, 1, 0, 2),
	FLAGS("a twin", 0, ttas, nop, TWIN, 0, 1, 0, 2),
	FLAGS("a twin of count 2", -EINVAL, ttas, nop, TWIN, 0, 2, 0, 2),
	FLAGS("a padded twin", -EINVAL, ttas, nop, TWIN, 0, 1, 1, 2),
	FLAGS("a twin, held", 0, ttas, nop, TWIN | HELD, 0, 1, 0, 2),
	FLAGS("ttas, held", 0, ttas, nop, HELD, 0, 1, 0, 2),
	FLAGS("nolock, held", -EINVAL, nolock, nop, HELD, 0, 1, 0, 2),
	FLAGS("pace, held", -EINVAL, pace, nop, HELD, 0, 1, 0, 2),
	FLAGS("raw-spinlock, held", -EINVAL, raw_spinlock, nop, HELD, 0, 1, 0,
	      2),
	FLAGS("handoff with one CPU", -EINVAL, handoff, nop, 0, 0, 1, 0, 1),
	FLAGS("handoff with two CPUs", 0, handoff, nop, 0, 0, 1, 0, 2),
	FLAGS("handoff with three CPUs", -EINVAL, handoff, nop, 0, 0, 1, 0, 3),
	FLAGS("handoff's burst", 0, handoff, nop, BURST, 1, 1, 0, 1),
};

static void describe_flags(const struct flags_row *row, char *description)
{
	snprintf(description, KUNIT_PARAM_DESC_SIZE, "%s: %s", row->what,
		 answer_name(row->answer));
}

KUNIT_ARRAY_PARAM(flags, flags_rows, describe_flags);

static void test_flags(struct kunit *test)
{
	const struct flags_row *row = test->param_value;
	struct spindelay_plan p = roomy_plan();
	struct spindelay_variant v = good_variant(row->lock);

	p.nr_cpus = row->nr_cpus;
	v.delay = row->delay;
	v.flags = row->flags;
	v.burst = row->burst;
	v.count = row->count;
	v.pad = row->pad;
	KUNIT_EXPECT_EQ(test, check_variant(&p, &v), row->answer);
}

/* ---- the whole ---- */

struct whole {
	struct engine_plan plan;
	u32 cpus[2];
	struct spindelay_variant variants[2];
	u32 schedule[2];
};

/* On one CPU, which is the one that runs the test. */
static struct whole *good_whole(struct kunit *test)
{
	struct whole *whole = kunit_kzalloc(test, sizeof(*whole), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, whole);
	whole->plan = (struct engine_plan){
		.p = good_plan(),
		.cpus = whole->cpus,
		.variants = whole->variants,
		.schedule = whole->schedule,
	};
	whole->plan.p.nr_cpus = 1;
	whole->plan.p.nr_variants = 2;
	whole->plan.p.nr_windows = 2;
	whole->cpus[0] = raw_smp_processor_id();
	whole->variants[0] = good_variant(SPIN_LOCK_ttas);
	whole->variants[1] = good_variant(SPIN_LOCK_mcs);
	whole->schedule[1] = 1;
	KUNIT_ASSERT_EQ(test, plan_check(&whole->plan), 0);
	return whole;
}

static void test_cpus(struct kunit *test)
{
	struct whole *whole = good_whole(test);
	u32 here = whole->cpus[0];

	whole->cpus[0] = nr_cpu_ids;
	KUNIT_EXPECT_EQ(test, plan_check(&whole->plan), -ENODEV);
	whole->cpus[0] = U32_MAX;
	KUNIT_EXPECT_EQ(test, plan_check(&whole->plan), -ENODEV);
	whole->cpus[0] = here;
	whole->cpus[1] = here;
	KUNIT_EXPECT_EQ(test, plan_check(&whole->plan), 0);
	whole->plan.p.nr_cpus = 2;
	KUNIT_EXPECT_EQ(test, plan_check(&whole->plan), -EINVAL);
	whole->cpus[1] = U32_MAX;
	KUNIT_EXPECT_EQ(test, plan_check(&whole->plan), -ENODEV);
}

static void test_schedule(struct kunit *test)
{
	struct whole *whole = good_whole(test);

	whole->schedule[1] = 2;
	KUNIT_EXPECT_EQ(test, plan_check(&whole->plan), -EINVAL);
	whole->schedule[1] = U32_MAX;
	KUNIT_EXPECT_EQ(test, plan_check(&whole->plan), -EINVAL);
	whole->plan.p.nr_windows = 1;
	KUNIT_EXPECT_EQ(test, plan_check(&whole->plan), 0);
}

/* Also one that no window runs. */
static void test_every_variant(struct kunit *test)
{
	struct whole *whole = good_whole(test);

	whole->schedule[1] = 0;
	whole->variants[1].count = SPINDELAY_COUNT_MAX + 1;
	KUNIT_EXPECT_EQ(test, plan_check(&whole->plan), -E2BIG);
	whole->variants[0].count = 0;
	KUNIT_EXPECT_EQ(test, plan_check(&whole->plan), -EINVAL);
}

static void test_node(struct kunit *test)
{
	static const int bad[] = { INT_MIN, -2, MAX_NUMNODES, INT_MAX };
	struct whole *whole = good_whole(test);
	size_t i;

	whole->plan.p.node = first_memory_node;
	KUNIT_EXPECT_EQ(test, plan_check(&whole->plan), 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		whole->plan.p.node = bad[i];
		KUNIT_EXPECT_EQ_MSG(test, plan_check(&whole->plan), -EINVAL,
				    "node %d", bad[i]);
	}
	if (node_state(MAX_NUMNODES - 1, N_MEMORY))
		return;
	whole->plan.p.node = MAX_NUMNODES - 1;
	KUNIT_EXPECT_EQ(test, plan_check(&whole->plan), -EINVAL);
}

/* To the last byte, which is what KASAN looks at. */
static void test_results(struct kunit *test)
{
	struct engine_plan plan = { .p = good_plan() };
	u32 windows = 3, cpus = 2;

	plan.p.nr_windows = windows;
	plan.p.nr_cpus = cpus;
	KUNIT_ASSERT_EQ(test, plan_alloc_results(&plan), 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(plan.windows, 0,
					   windows * sizeof(*plan.windows)));
	KUNIT_EXPECT_NULL(test,
			  memchr_inv(plan.records, 0,
				     windows * cpus * sizeof(*plan.records)));
	KUNIT_EXPECT_NULL(test, memchr_inv(plan.hists, 0,
					   windows * SPINDELAY_HIST_BUCKETS *
						   sizeof(*plan.hists)));
	plan_free(&plan);
}

static void test_lock_names(struct kunit *test)
{
	const char *name;
	u32 lock;

	for (lock = 0; lock < SPIN_LOCK_END; lock++) {
		name = plan_lock_name(lock);
		KUNIT_EXPECT_EQ_MSG(test, plan_parse_lock(name, strlen(name)),
				    (int)lock, "%s", name);
	}
	KUNIT_EXPECT_EQ(test, plan_parse_lock("mcs\n", 4), SPIN_LOCK_mcs);
	KUNIT_EXPECT_EQ(test, plan_parse_lock("mcs\n\n", 5), -EINVAL);
	KUNIT_EXPECT_EQ(test, plan_parse_lock("mcs", 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, plan_parse_lock("", 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, plan_parse_lock("bogus", 5), -EINVAL);
}

static struct kunit_case plan_cases[] = {
	KUNIT_CASE_PARAM(test_size, sizes_gen_params),
	KUNIT_CASE(test_plan_time),
	KUNIT_CASE(test_result_bytes),
	KUNIT_CASE_PARAM(test_variant, variants_gen_params),
	KUNIT_CASE_PARAM(test_flags, flags_gen_params),
	KUNIT_CASE(test_every_lock_and_delay),
	KUNIT_CASE(test_work_together),
	KUNIT_CASE(test_backoff_pairs),
	KUNIT_CASE(test_presets),
	KUNIT_CASE(test_cpus),
	KUNIT_CASE(test_schedule),
	KUNIT_CASE(test_every_variant),
	KUNIT_CASE(test_node),
	KUNIT_CASE(test_results),
	KUNIT_CASE(test_lock_names),
	{}
};

static struct kunit_suite plan_suite = {
	.name = "spindelay_plan",
	.test_cases = plan_cases,
};

kunit_test_suite(plan_suite);
