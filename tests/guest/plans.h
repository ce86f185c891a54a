/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A good plan, and what spoils it: for the tests of the module and of whatever
 * else carries out plans, which must answer alike.
 */
#ifndef SPINDELAY_TEST_PLANS_H
#define SPINDELAY_TEST_PLANS_H

#include <errno.h>
#include <stdint.h>

#include "uapi/spindelay.h"
#include "bench/delays.h"
#include "bench/locks.h"
#include "bench/presets.h"

#define CPUS 2
#define WINDOWS 4
#define WINDOW_NS 1000000
#define TWIN SPINDELAY_TWIN

/* A plan with its arrays, good as made by good_plan(); each test spoils it. */
struct fixture {
	struct spindelay_plan plan;
	uint32_t cpus[CPUS];
	struct spindelay_variant variants[2];
	uint32_t schedule[WINDOWS];
	struct spindelay_window windows[WINDOWS];
	struct spindelay_record records[WINDOWS][CPUS];
	uint32_t hists[WINDOWS][SPINDELAY_HIST_BUCKETS];
};

/* Two that can be executed. */
#ifdef __aarch64__
#define GOOD_DELAY SPIN_DELAY_isb
#else
#define GOOD_DELAY SPIN_DELAY_yield
#endif

static inline void good_plan(struct fixture *f)
{
	*f = (struct fixture){
		.plan = {
			.size = sizeof(f->plan),
			.abi = SPINDELAY_ABI,
			.nr_cpus = CPUS,
			.nr_variants = 2,
			.nr_windows = WINDOWS,
			.window_ns = WINDOW_NS,
			.sample_shift = 6,
			.node = -1,
			.cpus = (uintptr_t)f->cpus,
			.variants = (uintptr_t)f->variants,
			.schedule = (uintptr_t)f->schedule,
			.windows = (uintptr_t)f->windows,
			.records = (uintptr_t)f->records,
			.hists = (uintptr_t)f->hists,
		},
		.cpus = { 0, 1 },
		.variants = {
			{ .lock = SPIN_LOCK_ttas, .delay = GOOD_DELAY,
			  .count = 1, .hold_ns = 200 },
			{ .lock = SPIN_LOCK_ttas, .delay = SPIN_DELAY_nop,
			  .count = 2, .hold_ns = 200 },
		},
		.schedule = { 0, 1, 1, 0 },
	};
}

/* The numbers that the lock backoff can wait by, in the order of the table. */
#define GOOD_BACKOFF(spelling, source, ...) { __VA_ARGS__ },
static const struct spindelay_backoff good_backoffs[]
	__attribute__((unused)) = { SPIN_PRESETS(GOOD_BACKOFF) };
#define GOOD_BACKOFFS (sizeof(good_backoffs) / sizeof(good_backoffs[0]))

/* Of the first of them, with one number changed. */
#define BACKOFF(field, value)                      \
	(f.variants[0].lock = SPIN_LOCK_backoff,   \
	 f.variants[0].backoff = good_backoffs[0], \
	 f.variants[0].backoff.field = (value))

/* X(what, answer, how the good plan is spoilt) */
#define BAD_PLANS(X)                                                         \
	X("another size", -EINVAL, f.plan.size--)                            \
	X("another version", -EINVAL, f.plan.abi++)                          \
	X("flags", -EINVAL, f.plan.flags = 2)                                \
	X("a reserved field", -EINVAL, f.plan.reserved[3] = 1)               \
	X("the small reserved field", -EINVAL, f.plan.reserved0 = 1)         \
	X("no CPU", -EINVAL, f.plan.nr_cpus = 0)                             \
	X("no variant", -EINVAL, f.plan.nr_variants = 0)                     \
	X("no window", -EINVAL, f.plan.nr_windows = 0)                       \
	X("too many CPUs", -E2BIG, f.plan.nr_cpus = SPINDELAY_CPUS_MAX + 1)  \
	X("as many CPUs as overflow a size", -E2BIG, f.plan.nr_cpus = ~0U)   \
	X("too many variants", -E2BIG,                                       \
	  f.plan.nr_variants = SPINDELAY_VARIANTS_MAX + 1)                   \
	X("as many variants as overflow a size", -E2BIG,                     \
	  f.plan.nr_variants = ~0U)                                          \
	X("too many windows", -E2BIG,                                        \
	  f.plan.nr_windows = SPINDELAY_WINDOWS_MAX + 1)                     \
	X("as many windows as overflow a size", -E2BIG,                      \
	  f.plan.nr_windows = ~0U)                                           \
	X("more than two seconds", -E2BIG,                                   \
	  (f.plan.nr_windows = 101, f.plan.window_ns = 20000000))            \
	X("more results than memory is given to", -E2BIG,                    \
	  (f.plan.nr_windows = 8192, f.plan.nr_cpus = 512,                   \
	   f.plan.window_ns = SPINDELAY_WINDOW_NS_MIN))                      \
	X("a window too short", -EINVAL,                                     \
	  f.plan.window_ns = SPINDELAY_WINDOW_NS_MIN - 1)                    \
	X("a window too long", -E2BIG,                                       \
	  f.plan.window_ns = SPINDELAY_WINDOW_NS_MAX + 1)                    \
	X("no sample period", -EINVAL, f.plan.sample_shift = 0)              \
	X("a sample period too long", -E2BIG, f.plan.sample_shift = 17)      \
	X("a lock page that is not there", -EINVAL,                          \
	  f.plan.lock_page = SPINDELAY_LOCK_PAGES)                           \
	X("a lock slot that is not there", -EINVAL,                          \
	  f.plan.lock_slot = SPINDELAY_LOCK_SLOTS)                           \
	X("a node that is not there", -EINVAL, f.plan.node = 63)             \
	X("a node below -1", -EINVAL, f.plan.node = -2)                      \
	X("a node beyond any", -EINVAL, f.plan.node = 0x7fffffff)            \
	X("an absent CPU", -ENODEV, f.cpus[1] = 511)                         \
	X("a CPU beyond any", -ENODEV, f.cpus[1] = ~0U)                      \
	X("a CPU twice", -EINVAL, f.cpus[1] = 0)                             \
	X("a lock that is not there", -EINVAL,                               \
	  f.variants[1].lock = SPIN_LOCK_END)                                \
	X("a delay that is not there", -EINVAL,                              \
	  f.variants[1].delay = SPIN_DELAY_END)                              \
	X("count 0", -EINVAL, f.variants[0].count = 0)                       \
	X("a count too high", -E2BIG,                                        \
	  f.variants[0].count = SPINDELAY_COUNT_MAX + 1)                     \
	X("a padding too high", -E2BIG,                                      \
	  f.variants[0].pad = SPINDELAY_PAD_MAX + 1)                         \
	X("more work than a part of a window", -E2BIG,                       \
	  f.variants[0].hold_ns = WINDOW_NS / SPINDELAY_WORK_SHARE_MAX + 1)  \
	X("work that overflows", -E2BIG,                                     \
	  (f.variants[0].hold_ns = ~0U, f.variants[0].think_ns = ~0U))       \
	X("a variant's reserved field", -EINVAL,                             \
	  f.variants[1].reserved[2] = 1)                                     \
	X("unknown variant flags", -EINVAL, f.variants[1].flags = 1 << 4)    \
	X("a burst of none", -EINVAL, f.variants[1].flags = SPINDELAY_BURST) \
	X("a burst too long", -E2BIG,                                        \
	  (f.variants[1].flags = SPINDELAY_BURST,                            \
	   f.variants[1].burst = SPINDELAY_BURST_MAX + 1))                   \
	X("a burst without its flag", -EINVAL, f.variants[1].burst = 1)      \
	X("a double that is no burst", -EINVAL,                              \
	  f.variants[1].flags = SPINDELAY_BURST_DOUBLE)                      \
	X("a twin of count 2", -EINVAL, f.variants[1].flags = TWIN)          \
	X("a padded twin", -EINVAL,                                          \
	  (f.variants[0].flags = TWIN, f.variants[0].pad = 1))               \
	X("a twin of a burst", -EINVAL,                                      \
	  (f.variants[0].flags = TWIN | SPINDELAY_BURST,                     \
	   f.variants[0].burst = 1))                                         \
	X("a held lock that has no poll", -EINVAL,                           \
	  (f.variants[1].flags = SPINDELAY_HELD,                             \
	   f.variants[1].lock = SPIN_LOCK_nolock))                           \
	X("a burst of a delay that sleeps", -EINVAL,                         \
	  (f.variants[1].flags = SPINDELAY_BURST, f.variants[1].burst = 1,   \
	   f.variants[1].delay = SPIN_DELAY_wfe))                            \
	X("jitter of more than all", -E2BIG, f.variants[0].jitter = 101)     \
	X("too many lines", -E2BIG,                                          \
	  f.variants[0].lines = SPINDELAY_LINES_MAX + 1)                     \
	X("too long a back-off", -E2BIG,                                     \
	  f.variants[0].backoff_max = SPINDELAY_BACKOFF_MAX + 1)             \
	X("a back-off that begins above its end", -EINVAL,                   \
	  (f.variants[0].backoff_min = 3, f.variants[0].backoff_max = 2))    \
	X("too long a wfet", -E2BIG,                                         \
	  f.variants[0].wfet_ns = SPINDELAY_WFET_NS_MAX + 1)                 \
	X("InnoDB's mutex without a multiplier", -EINVAL,                    \
	  (f.variants[0].lock = SPIN_LOCK_innodb_mutex))                     \
	X("too large a multiplier", -E2BIG,                                  \
	  (f.variants[0].lock = SPIN_LOCK_innodb_mutex,                      \
	   f.variants[0].pause_multiplier = 101))                            \
	X("too long a delay of InnoDB's", -E2BIG,                            \
	  (f.variants[0].lock = SPIN_LOCK_innodb_mutex,                      \
	   f.variants[0].pause_multiplier = 1,                               \
	   f.variants[0].spin_wait_delay = 6001))                            \
	X("more readers than all", -E2BIG,                                   \
	  (f.variants[0].lock = SPIN_LOCK_innodb_rwlock,                     \
	   f.variants[0].pause_multiplier = 1,                               \
	   f.variants[0].read_share = 101))                                  \
	X("that, and a back-off upside down, which is looked at first",      \
	  -EINVAL,                                                           \
	  (f.variants[0].read_share = 101, f.variants[0].backoff_min = 9,    \
	   f.variants[0].backoff_max = 8))                                   \
	X("backoff without its numbers", -EINVAL,                            \
	  f.variants[0].lock = SPIN_LOCK_backoff)                            \
	X("more turns than a back-off may have", -E2BIG,                     \
	  BACKOFF(most, SPINDELAY_BACKOFF_TURNS_MAX + 1))                    \
	X("larger a step than that", -E2BIG,                                 \
	  BACKOFF(step, SPINDELAY_BACKOFF_TURNS_MAX + 1))                    \
	X("a relaxation for more turns than that", -E2BIG,                   \
	  BACKOFF(weight, SPINDELAY_BACKOFF_TURNS_MAX + 1))                  \
	X("a back-off that grows too fast", -E2BIG,                          \
	  BACKOFF(growth, SPINDELAY_BACKOFF_GROWTH_MAX + 1))                 \
	X("a back-off that idles too long", -E2BIG,                          \
	  BACKOFF(idle, SPINDELAY_BACKOFF_IDLE_MAX + 1))                     \
	X("too long a nap", -E2BIG,                                          \
	  BACKOFF(nap_us, SPINDELAY_BACKOFF_NAP_US_MAX + 1))                 \
	X("a relaxation from turn 0 on", -EINVAL, BACKOFF(idle, 0))          \
	X("a relaxation for no turn", -EINVAL, BACKOFF(weight, 0))           \
	X("more turns at first than there may be", -EINVAL,                  \
	  (BACKOFF(wrap, 0), f.variants[0].backoff.most = 9,                 \
	   f.variants[0].backoff.first = 10))                                \
	X("a cut at what is no power of two", -EINVAL, BACKOFF(most, 9))     \
	X("a cut that is neither", -EINVAL, BACKOFF(wrap, 2))                \
	X("a race that is neither", -EINVAL, BACKOFF(afresh, 2))             \
	X("fewer turns than none", -EINVAL, BACKOFF(yield_less, 65537))      \
	X("handoff on one CPU", -EINVAL,                                     \
	  (f.plan.nr_cpus = 1, f.variants[0].lock = SPIN_LOCK_handoff))      \
	X("the kernel's spinlock held", -EINVAL,                             \
	  (f.variants[0].lock = SPIN_LOCK_raw_spinlock,                      \
	   f.variants[0].flags = SPINDELAY_HELD))                            \
	X("an index beyond the variants", -EINVAL, f.schedule[3] = 2)

/* The same for a caller that is not trusted. */
#define BAD_ADDRESSES(X)                                             \
	X("CPUs at a bad address", -EFAULT, f.plan.cpus = 8)         \
	X("variants at a bad address", -EFAULT, f.plan.variants = 8) \
	X("a schedule at a kernel address", -EFAULT,                 \
	  f.plan.schedule = 0xffff800080000000ULL)                   \
	X("windows at a bad address", -EFAULT, f.plan.windows = 8)   \
	X("records at a bad address", -EFAULT, f.plan.records = 0)   \
	X("records at a kernel address", -EFAULT,                    \
	  f.plan.records = 0xffff800080000000ULL)                    \
	X("histograms at a bad address", -EFAULT, f.plan.hists = 8)

#endif /* SPINDELAY_TEST_PLANS_H */
