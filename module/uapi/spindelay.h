/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The border between the spindelay module and its users: one ioctl on
 * /dev/spindelay that takes a plan of windows and returns what was counted in
 * each of them.
 *
 * Times that end in _ns are nanoseconds as asked for; times in ticks are
 * CNTVCT_EL0 differences, struct spindelay_plan.counter_hz ticks a second.
 * User addresses travel as __u64, so the layout is the same for every caller.
 */
#ifndef _UAPI_SPINDELAY_H
#define _UAPI_SPINDELAY_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Changes whenever a struct or the meaning of a field does. */
#define SPINDELAY_ABI 4

/* Bounds, each checked before anything is started (beyond one: E2BIG). */
#define SPINDELAY_CPUS_MAX 512
#define SPINDELAY_VARIANTS_MAX 64
#define SPINDELAY_WINDOWS_MAX 8192
#define SPINDELAY_WINDOW_NS_MIN 200000
#define SPINDELAY_WINDOW_NS_MAX 20000000
#define SPINDELAY_PLAN_NS_MAX 2000000000ULL
#define SPINDELAY_COUNT_MAX 4096
#define SPINDELAY_PAD_MAX 65536
#define SPINDELAY_BURST_MAX 65536
#define SPINDELAY_JITTER_MAX 100
#define SPINDELAY_LINES_MAX 64
#define SPINDELAY_BACKOFF_MAX 4096
#define SPINDELAY_WFET_NS_MAX 100000
/* MySQL's: innodb_spin_wait_delay, innodb_spin_wait_pause_multiplier. */
#define SPINDELAY_SPIN_WAIT_DELAY_MAX 6000
#define SPINDELAY_PAUSE_MULTIPLIER_MIN 1
#define SPINDELAY_PAUSE_MULTIPLIER_MAX 100
#define SPINDELAY_READ_SHARE_MAX 100
/* The lock backoff: turns, percent, turns that are only counted, naps. */
#define SPINDELAY_BACKOFF_TURNS_MAX 1048576
#define SPINDELAY_BACKOFF_GROWTH_MAX 1000
#define SPINDELAY_BACKOFF_IDLE_MAX 1024
#define SPINDELAY_BACKOFF_NAP_US_MAX 1000000
/* A nap that is no nap: until whoever leaves the lock wakes the sleeper. */
#define SPINDELAY_BACKOFF_UNTIL_WOKEN 0xffffffffU
/*
 * The part of a window that hold_ns + think_ns of a variant may be at most, a
 * quarter: work is not cut short when the window ends. The same for one poll.
 */
#define SPINDELAY_WORK_SHARE_MAX 4
#define SPINDELAY_SAMPLE_SHIFT_MAX 16
/* How much longer than its windows a plan may take, and for each of them. */
#define SPINDELAY_PATIENCE_MS 10000
#define SPINDELAY_PATIENCE_WINDOW_MS 20
/* Memory that the results of one plan may take in the kernel. */
#define SPINDELAY_RESULT_BYTES_MAX (64U << 20)

/* Pages that lock memory is chosen from, and places for a lock in each. */
#define SPINDELAY_LOCK_PAGES 16
#define SPINDELAY_LOCK_SLOTS 16

/* What a variant gets that leaves these at 0. */
#define SPINDELAY_BACKOFF_MIN_DEFAULT 1
#define SPINDELAY_BACKOFF_MAX_DEFAULT 64
#define SPINDELAY_WFET_NS_DEFAULT 1000
/* MySQL's defaults. The kernel puts in none of these: 0 is 0. */
#define SPINDELAY_SPIN_WAIT_DELAY_DEFAULT 6
#define SPINDELAY_PAUSE_MULTIPLIER_DEFAULT 50
#define SPINDELAY_SYNC_SPIN_LOOPS_DEFAULT 30
/* PostgreSQL's, where it learns from; the kernel does put this one in. */
#define SPINDELAY_SPINS_PER_DELAY_DEFAULT 100
/* Ours. */
#define SPINDELAY_READ_SHARE_DEFAULT 90

/* Buckets of a wait histogram: see bench/hist.h for their limits. */
#define SPINDELAY_HIST_BUCKETS 192

/**
 * enum spindelay_variant_flags - what a window does instead of a plain run
 * @SPINDELAY_HELD: the lock word is set before the window and nobody frees it,
 *	so that every CPU polls to the end; polls per time is the poll period.
 *	A lock that sleeps does so after its rounds here, too: ask for many.
 *	Only for a lock that has a poll (else -EINVAL).
 * @SPINDELAY_BURST: no lock; each CPU executes the delay back to back,
 *	SPINDELAY_BURST_COPIES copies times @burst repetitions at once, with
 *	interrupts off, as often as the window lasts.
 * @SPINDELAY_BURST_DOUBLE: with SPINDELAY_BURST: twice as many copies in each
 *	repetition. Double less single is the delay alone: what a repetition
 *	costs beside its copies is in both.
 * @SPINDELAY_TWIN: run the second compiled copy of the loop: the same text at
 *	another address. What differs between a variant and its twin is noise, or
 *	owed to where the code lies. There is one of each lock and delay where
 *	@count is 1 and @pad 0, and none of bursts (else -EINVAL).
 */
enum spindelay_variant_flags {
	SPINDELAY_HELD = 1 << 0,
	SPINDELAY_BURST = 1 << 1,
	SPINDELAY_BURST_DOUBLE = 1 << 2,
	SPINDELAY_TWIN = 1 << 3,
};

#define SPINDELAY_BURST_COPIES 16

/**
 * struct spindelay_backoff - how the lock backoff waits
 * @first: turns before the first look, 0..@most
 * @growth: percent by which they grow from one look to the next,
 *	0..SPINDELAY_BACKOFF_GROWTH_MAX, ...
 * @step: ... and how many there are more, 0..SPINDELAY_BACKOFF_TURNS_MAX
 * @most: the most turns, 0..SPINDELAY_BACKOFF_TURNS_MAX
 * @wrap: 1: what is beyond @most, one less than a power of two, is cut off; 0:
 *	turns stay at @most
 * @afresh: 1: whoever loses a race for the lock begins at @first again; 0: not
 * @idle: turns are polls' delays from this one on,
 *	1..SPINDELAY_BACKOFF_IDLE_MAX, ...
 * @weight: ... each standing for so many, 1..SPINDELAY_BACKOFF_TURNS_MAX; what is
 *	left over of a look's turns is counted down
 * @yield_from: with so many turns the CPU is offered to others before; 0: never
 * @yield_less: and there are so many fewer then, 0..@yield_from
 * @looks: so many looks come after turns, each later one after a nap; 0: all do
 * @nap_us: how long, up to SPINDELAY_BACKOFF_NAP_US_MAX; 0: the CPU is offered to
 *	others; SPINDELAY_BACKOFF_UNTIL_WOKEN
 *
 * What is beyond a bound is -E2BIG, else -EINVAL; so all zeroes are the latter.
 */
struct spindelay_backoff {
	__u32 first;
	__u32 growth;
	__u32 step;
	__u32 most;
	__u32 wrap;
	__u32 afresh;
	__u32 idle;
	__u32 weight;
	__u32 yield_from;
	__u32 yield_less;
	__u32 looks;
	__u32 nap_us;
};

/**
 * struct spindelay_variant - one thing being compared
 * @lock: id of a lock, from SPIN_LOCKS of bench/locks.h
 * @delay: id of a delay, from SPIN_DELAYS of bench/delays.h
 * @count: executions of the delay per poll, 1..SPINDELAY_COUNT_MAX
 * @pad: placebo (chain) iterations behind them per poll, 0..SPINDELAY_PAD_MAX
 * @hold_ns: work inside the lock
 * @think_ns: work outside the lock
 * @flags: bits of enum spindelay_variant_flags
 * @burst: with SPINDELAY_BURST, repetitions in one burst,
 *	1..SPINDELAY_BURST_MAX; else 0
 * @jitter: percent by which each think time varies, evenly around @think_ns,
 *	0..SPINDELAY_JITTER_MAX; 0: not at all
 * @lines: cache lines that are written inside the lock, shared by all CPUs,
 *	0..SPINDELAY_LINES_MAX
 * @backoff_min: ttas-backoff: polls' worth of delay before the second look,
 *	1..@backoff_max; doubled after each look. 0: the default.
 * @backoff_max: ttas-backoff: the most of it, up to SPINDELAY_BACKOFF_MAX;
 *	0: the default
 * @wfet_ns: the wfet delay's time limit, 1..SPINDELAY_WFET_NS_MAX; 0: the
 *	default
 * @spin_wait_delay: InnoDB's locks: a round of the wait delays for a random
 *	number of times below this, 0..SPINDELAY_SPIN_WAIT_DELAY_MAX, ...
 * @pause_multiplier: ... times this polls, SPINDELAY_PAUSE_MULTIPLIER_MIN..MAX
 *	(0, which other locks leave it at: -EINVAL)
 * @sync_spin_loops: InnoDB's locks: rounds before it yields and then sleeps; any
 *	number: the end of the window ends them as well. postgres-slock: the
 *	polls that it begins with before it sleeps, 0: the default
 * @read_share: innodb-rwlock: percent of the acquisitions that are readers',
 *	each drawn at random, 0..SPINDELAY_READ_SHARE_MAX
 * @backoff: the lock backoff: how it waits; other locks do not look at it
 * @reserved: zero
 */
struct spindelay_variant {
	__u32 lock;
	__u32 delay;
	__u32 count;
	__u32 pad;
	__u32 hold_ns;
	__u32 think_ns;
	__u32 flags;
	__u32 burst;
	__u32 jitter;
	__u32 lines;
	__u32 backoff_min;
	__u32 backoff_max;
	__u32 wfet_ns;
	__u32 spin_wait_delay;
	__u32 pause_multiplier;
	__u32 sync_spin_loops;
	__u32 read_share;
	struct spindelay_backoff backoff;
	__u32 reserved[7];
};

/**
 * enum spindelay_plan_flags - what is wanted beside the windows
 * @SPINDELAY_COUNT_CYCLES: count CPU cycles and instructions in each window, on
 *	each CPU, where it has a PMU with counters free; else they stay 0
 */
enum spindelay_plan_flags {
	SPINDELAY_COUNT_CYCLES = 1 << 0,
};

/**
 * enum spindelay_invalid - why a window must not be used
 * @SPINDELAY_INVALID_OFFLINE: a CPU of the plan went offline or came back
 * @SPINDELAY_INVALID_MOVED: a worker was not on its CPU
 * @SPINDELAY_INVALID_SWITCHED: a worker was switched out inside the window, and
 *	its lock is none that sleeps
 * @SPINDELAY_INVALID_LATE: the window lasted longer than asked by 1 ms, and by
 *	what the variant's hold, longest think and a poll take, because those are
 *	finished
 * @SPINDELAY_INVALID_KNOB: the knob was turned in a window of the knob delay
 * @SPINDELAY_INVALID_START: the workers did not come together at the start, or
 *	not in as long as a plan may take; nothing was run
 * @SPINDELAY_INVALID_BURST: a single burst would have kept interrupts off for
 *	longer than 2 ms (a double one: 4 ms); it was not run
 */
enum spindelay_invalid {
	SPINDELAY_INVALID_OFFLINE = 1 << 0,
	SPINDELAY_INVALID_MOVED = 1 << 1,
	SPINDELAY_INVALID_SWITCHED = 1 << 2,
	SPINDELAY_INVALID_LATE = 1 << 3,
	SPINDELAY_INVALID_KNOB = 1 << 4,
	SPINDELAY_INVALID_START = 1 << 5,
	SPINDELAY_INVALID_BURST = 1 << 6,
};

/**
 * struct spindelay_window - one window, all its CPUs together
 * @start: CNTVCT at the common start
 * @ticks: from there until the last CPU left its loop
 * @invalid: SPINDELAY_INVALID_* bits; 0: usable
 * @variant: index into the plan's variants
 * @acquisitions: sum over the CPUs
 * @counted: what the counter behind the lock says. Less than @acquisitions:
 *	two CPUs were inside at once, mutual exclusion was lost. Readers
 *	count for themselves that no writer left meanwhile. Equal by
 *	definition for a lock that does not claim to exclude (nolock, pace).
 */
struct spindelay_window {
	__u64 start;
	__u64 ticks;
	__u32 invalid;
	__u32 variant;
	__u64 acquisitions;
	__u64 counted;
	__u64 reserved[3];
};

/**
 * struct spindelay_record - one CPU in one window
 * @acquisitions: times that the lock was taken; in a burst window, bursts done
 * @polls: turns of the wait loop
 * @delays: executions of the delay (polls times count; ttas-backoff: what its
 *	back-off came to; backoff: without the turns that are only counted;
 *	InnoDB's locks: what ut_delay() came to; pace: acquisitions times count;
 *	burst: copies executed)
 * @start: ticks from the window's start to this CPU's entry into its loop
 * @ticks: from there until it left
 * @samples: acquisitions that were timed
 * @sampled_wait: ticks of those, from asking to having
 * @sampled_hold: ticks inside the lock of the timed acquisitions
 * @wait_max: longest timed wait, ticks
 * @spins: times that a wait loop was entered
 * @timed_spins: those that were timed, from their first poll on
 * @timed_spin_ticks: ticks of those; spins * timed_spin_ticks / timed_spins is
 *	the time that was spent polling
 * @burst_min: shortest burst, ticks; 0 if none
 * @parks: times that a worker slept for the lock (0: the lock never sleeps)
 * @cycles: CPU cycles of the window, 0: not counted
 * @instructions: instructions of the window, 0: not counted
 * @rounds: InnoDB's locks: looks that found the lock taken, each with its delay
 * @yields: times that a worker offered its CPU to others
 */
struct spindelay_record {
	__u64 acquisitions;
	__u64 polls;
	__u64 delays;
	__u64 start;
	__u64 ticks;
	__u64 samples;
	__u64 sampled_wait;
	__u64 sampled_hold;
	__u64 wait_max;
	__u64 spins;
	__u64 timed_spins;
	__u64 timed_spin_ticks;
	__u64 burst_min;
	__u64 parks;
	__u64 cycles;
	__u64 instructions;
	__u64 rounds;
	__u64 yields;
};

/**
 * struct spindelay_plan - the windows of one placement, in their order
 * @size: sizeof(struct spindelay_plan), else -EINVAL
 * @abi: SPINDELAY_ABI, else -EINVAL
 * @flags: SPINDELAY_COUNT_CYCLES
 * @nr_cpus: entries of @cpus, 1..SPINDELAY_CPUS_MAX
 * @nr_variants: entries of @variants, 1..SPINDELAY_VARIANTS_MAX
 * @nr_windows: entries of @schedule, 1..SPINDELAY_WINDOWS_MAX
 * @window_ns: length of each window, SPINDELAY_WINDOW_NS_MIN..MAX
 * @sample_shift: one acquisition in 2^sample_shift is timed, and of the waits
 *	sixteen times as many, 1..SPINDELAY_SAMPLE_SHIFT_MAX
 * @lock_page: which of the pages holds the lock, 0..SPINDELAY_LOCK_PAGES - 1
 * @lock_slot: where in that page, 0..SPINDELAY_LOCK_SLOTS - 1
 * @node: NUMA node of the lock's memory, -1: that of the first CPU
 * @chain_fs: femtoseconds of one chain iteration, from which hold and think
 *	are turned into loop counts. In: 0 has the kernel measure it.
 *	Out: the value used.
 * @cpus: address of __u32[nr_cpus]: online, distinct, in start order
 * @variants: address of struct spindelay_variant[nr_variants]
 * @schedule: address of __u32[nr_windows]: an index into @variants for each
 * @windows: address of struct spindelay_window[nr_windows], written
 * @records: address of struct spindelay_record[nr_windows][nr_cpus], written
 * @hists: address of __u32[nr_windows][SPINDELAY_HIST_BUCKETS], written: the
 *	timed waits of all CPUs; 0: not wanted
 * @counter_hz: out: ticks a second of CNTVCT_EL0
 * @reserved0: zero
 * @plan_ticks: out: ticks from the call's start to its end
 * @reserved: zero
 *
 * The call returns 0 with every output written, or a negative error with none
 * of them of any use: -EINTR (a signal that kills the caller; the run ended
 * within one window), -EINVAL, -E2BIG, -EFAULT, -ENOMEM, -EBUSY, -EPERM,
 * -ENODEV (a CPU that is not online), -EOPNOTSUPP (a delay that this system
 * cannot execute).
 *
 * Where others keep one of its CPUs for themselves, a plan is given up: when it has
 * taken longer than its windows by SPINDELAY_PATIENCE_MS, and by
 * SPINDELAY_PATIENCE_WINDOW_MS for each of them, the call returns 0 with the rest
 * of them marked as SPINDELAY_INVALID_START.
 */
struct spindelay_plan {
	__u32 size;
	__u32 abi;
	__u32 flags;
	__u32 nr_cpus;
	__u32 nr_variants;
	__u32 nr_windows;
	__u32 window_ns;
	__u32 sample_shift;
	__u32 lock_page;
	__u32 lock_slot;
	__s32 node;
	__u32 chain_fs;
	__u64 cpus;
	__u64 variants;
	__u64 schedule;
	__u64 windows;
	__u64 records;
	__u64 hists;
	__u32 counter_hz;
	__u32 reserved0;
	__u64 plan_ticks;
	__u64 reserved[4];
};

#define SPINDELAY_IOC_RUN _IOWR(0xD5, 1, struct spindelay_plan)

#endif /* _UAPI_SPINDELAY_H */
