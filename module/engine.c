// SPDX-License-Identifier: GPL-2.0
/*
 * The engine: takes a plan, runs its windows on kthreads that are bound to
 * their CPUs, and gathers what each of them counted.
 *
 * Between windows the workers meet at a rendezvous where they may sleep. The
 * last to arrive gathers the window behind them and prepares the next one,
 * while nobody else is at work; then all go on. Inside a window preemption is
 * off, but for locks that sleep, and interrupts are on. A timer on one of the
 * CPUs ends it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/topology.h>
#include <linux/wait.h>
#include <asm/arch_timer.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>

/* For the start barrier alone; the loops have tables of their own. */
#include "bench/atomics_llsc.h"
#include "bench/contend.h"
#include "compat.h"
#include "delay.h"
#include "engine.h"
#include "park.h"
#include "plan.h"
#include "pmu.h"

/* Polls between two looks at the stop flag take about this long. */
#define BUDGET_NS 20000
#define BUDGET_MAX 1024
/* Interrupts are off for no longer than this in a single burst. */
#define BURST_NS_MAX 2000000
/* A window that overruns by this much more than a turn takes was disturbed. */
#define LATE_NS 1000000
/* Workers that are all awake come together within this, or not at all. */
#define START_NS 1000000
/* How often a start is tried: a busy host or neighbour may spoil some. */
#define START_ATTEMPTS 10
/* What a waiting worker spins before it sleeps. */
#define SPIN_BEFORE_SLEEP_NS 200000
/* What all sleep after a start that was missed. */
#define MISSED_SLEEP_US 500
/*
 * Until everyone has left, a window's end is signalled again, ever more rarely:
 * after the first pause, then after twice that and so on, up to the last one.
 * Whoever is to leave does so between two signals, and a signal that takes as long
 * as the pause leaves it no time.
 */
#define STOP_PAUSE_NS 50000
#define STOP_PAUSE_NS_MAX 1000000
/* Placebo iterations in one calibration burst, and how many bursts. */
#define CALIBRATION_LOOPS 32768
#define CALIBRATION_BURSTS 8
#define PILOT_PASSES 3

#define LOCK_SLOT_SIZE 256
#define LOCK_COUNTER_OFFSET 128

static_assert(SPINDELAY_HIST_BUCKETS == SPIN_HIST_BUCKETS);
static_assert(SPINDELAY_BACKOFF_UNTIL_WOKEN == SPIN_UNTIL_WOKEN);
static_assert(SPINDELAY_LOCK_SLOTS * LOCK_SLOT_SIZE <= 4096);

/**
 * struct variant_state - a variant made ready for this system
 * @work: for the loops
 * @patience: for those of locks that sleep
 * @run: the compiled loop or burst
 * @lock: enum spin_lock_id
 * @delay: enum spin_delay_id
 * @traits: of its lock
 * @held: the lock is taken beforehand
 * @burst: @run is a burst
 * @burst_allowed: and it is short enough
 * @copies: delays in one repetition of the burst
 * @turn: what hold, think and a poll take at most, ticks: whoever has just
 *	begun them when the window ends finishes them
 */
struct variant_state {
	struct spin_work work;
	struct spin_patience patience;
	void (*run)(struct spin_worker *w);
	u32 lock;
	u32 delay;
	u32 traits;
	bool held;
	bool burst;
	bool burst_allowed;
	u32 copies;
	u64 turn;
};

/**
 * struct engine_worker - one CPU of a run
 * @spin: the loop's side
 * @own_counter: exclusion counter where the lock does not exclude
 * @run: the run
 * @task: the kthread
 * @cpu: where it is bound
 * @index: its place among the plan's CPUs
 * @invalid: SPINDELAY_INVALID_* of the running window
 * @hotplug: what the CPU's hotplug count was when the run began
 * @begin: when it entered its loop
 * @end: when it left
 * @bursts: bursts done
 * @burst_min: ticks of the shortest
 * @counters: this CPU's counters
 * @counts: what they counted in the window
 * @node: memory for queue locks, on lines of its own: others write to it
 *
 * On its own cache lines: written by its CPU alone while a window runs.
 */
struct engine_worker {
	struct spin_worker spin;
	u64 own_counter;
	struct run *run;
	struct task_struct *task;
	u32 cpu;
	u32 index;
	u32 invalid;
	u32 hotplug;
	u64 begin;
	u64 end;
	u64 bursts;
	u64 burst_min;
	struct cpu_counters counters;
	struct counter_values counts;
	u64 node[16] __aligned(128);
} __aligned(128);

/**
 * struct run - a plan being executed
 * @plan: the plan
 * @variants: [nr_variants]
 * @workers: [nr_cpus]
 * @pages: where lock memory is chosen from
 * @lock: the lock
 * @counter: the exclusion counter, on a line of its own
 * @lines: a page that is written inside the lock
 * @hz: ticks a second
 * @turn: where workers sleep between windows
 * @missing: workers that are not at the rendezvous yet
 * @generation: rendezvous completed
 * @next: index of the window to run next; the running one is the one before
 * @attempts: starts of the running window that were missed
 * @finished: no further window
 * @abort: the caller is gone, or has waited long enough
 * @error: why the run could not begin
 * @alive: workers that have not finished
 * @done: none has any more
 * @awake: workers that have come from the rendezvous
 * @inside: workers that have not left the window
 * @start: where they come together
 * @t0: the window's start
 * @knob: the knob's generation when the window was prepared
 * @timer: ends the window
 * @pause: until it is signalled again, ns
 * @stop: tells the loops, on a line that is only read while a window runs
 * @stop_line_end: nothing; begins the next line
 */
struct run {
	struct engine_plan *plan;
	struct variant_state *variants;
	struct engine_worker **workers;
	struct page *pages[SPINDELAY_LOCK_PAGES];
	void *lock;
	u64 *counter;
	char *lines;
	u32 hz;

	wait_queue_head_t turn;
	atomic_t missing;
	u32 generation;
	u32 next;
	u32 attempts;
	bool finished;
	bool abort;
	int error;
	atomic_t alive;
	struct completion done;

	atomic_t awake;
	atomic_t inside;
	struct spin_start start;
	u64 t0;
	u32 knob;
	struct hrtimer timer;
	u32 pause;

	u32 stop ____cacheline_aligned;
	u32 stop_line_end ____cacheline_aligned;
};

static unsigned long engine_claimed;
static enum cpuhp_state engine_hotplug_state;
/* Times that a CPU went or came: a window in which it changed is invalid. */
static DEFINE_PER_CPU(u32, hotplug_changes);

static u64 ns_to_ticks(const struct run *run, u64 ns)
{
	return div_u64(ns * run->hz, NSEC_PER_SEC);
}

static const struct spin_loops *loops(void)
{
	return cpus_have_cap(ARM64_HAS_LSE_ATOMICS) ? &spin_loops_lse :
						      &spin_loops_llsc;
}

/* ---- the window, on each of its CPUs ---- */

static struct variant_state *running_variant(const struct run *run)
{
	return &run->variants[run->plan->schedule[run->next - 1]];
}

static enum hrtimer_restart window_ends(struct hrtimer *timer)
{
	struct run *run = container_of(timer, struct run, timer);

	WRITE_ONCE(run->stop, 1);
	/* A waiter in WFE sees neither the store nor an interrupt of ours. */
	dsb(ishst);
	sev();
	if (running_variant(run)->traits & SPIN_PARKS) {
		spin_events_change(run->lock);
		park_end();
	}
	if (!atomic_read(&run->inside))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(run->pause));
	run->pause = min(2 * run->pause, (u32)STOP_PAUSE_NS_MAX);
	return HRTIMER_RESTART;
}

static void run_bursts(struct engine_worker *w, const struct variant_state *v)
{
	unsigned long flags;
	u64 since, ticks;

	if (!v->burst_allowed) {
		w->invalid |= SPINDELAY_INVALID_BURST;
		return;
	}
	while (!READ_ONCE(w->run->stop)) {
		local_irq_save(flags);
		since = spin_clock();
		v->run(&w->spin);
		ticks = spin_clock() - since;
		local_irq_restore(flags);
		if (!w->bursts++ || ticks < w->burst_min)
			w->burst_min = ticks;
	}
}

/* The last to come sets the clock and the timer, the others wait for it. */
static bool window_starts(struct engine_worker *w)
{
	struct run *run = w->run;
	const struct spindelay_plan *p = &run->plan->p;

	if (smp_processor_id() != w->cpu) {
		w->invalid |= SPINDELAY_INVALID_MOVED;
		spin_start_miss(&run->start);
		return false;
	}
	if (!spin_start_last(&run->start, p->nr_cpus))
		return spin_start_wait(&run->start, ns_to_ticks(run, START_NS));
	run->pause = STOP_PAUSE_NS;
	run->t0 = spin_clock();
	hrtimer_start(&run->timer, ns_to_ktime(p->window_ns),
		      HRTIMER_MODE_REL_PINNED_HARD);
	spin_start_go(&run->start);
	return true;
}

static void worker_reset(struct engine_worker *w, const struct variant_state *v)
{
	struct run *run = w->run;
	struct spin_worker *spin = &w->spin;

	*spin = (struct spin_worker){
		.work = v->work,
		.patience = v->patience,
		.lock = run->lock,
		.node = w->node,
		.lines = run->lines,
		.index = w->index,
		.random = w->index + 1,
		.counter = v->traits & SPIN_EXCLUDES ? run->counter :
						       &w->own_counter,
		.stop = &run->stop,
		.waits.spins = spin_wait_phase(run->next, w->index),
	};
	memset(w->node, 0, sizeof(w->node));
	w->counts = (struct counter_values){};
	w->invalid = 0;
	w->begin = 0;
	w->end = 0;
	w->bursts = 0;
	w->burst_min = 0;
}

static bool all_awake(const struct run *run)
{
	return atomic_read(&run->awake) == run->plan->p.nr_cpus;
}

/*
 * The start itself is made with preemption off, so nobody goes there before
 * everybody is up. Spin first, so that a prompt start needs no wake-up.
 */
static void wait_all_awake(struct run *run)
{
	u64 since = spin_clock();

	if (atomic_inc_return(&run->awake) == run->plan->p.nr_cpus) {
		wake_up_all(&run->turn);
		return;
	}
	while (spin_clock() - since < ns_to_ticks(run, SPIN_BEFORE_SLEEP_NS)) {
		if (all_awake(run))
			return;
		cond_resched();
		cpu_relax();
	}
	wait_event_idle(run->turn, all_awake(run));
}

/* What may sleep can also be preempted: that is a part of what it is. */
static void run_lock(struct engine_worker *w, const struct variant_state *v)
{
	if (!(v->traits & SPIN_PARKS)) {
		v->run(&w->spin);
		return;
	}
	preempt_enable();
	v->run(&w->spin);
	preempt_disable();
}

static void run_loop(struct engine_worker *w, const struct variant_state *v)
{
	struct counter_values before = counters_read(&w->counters), after;

	w->begin = spin_clock();
	if (v->burst)
		run_bursts(w, v);
	else
		run_lock(w, v);
	w->end = spin_clock();
	after = counters_read(&w->counters);
	w->counts.cycles = after.cycles - before.cycles;
	w->counts.instructions = after.instructions - before.instructions;
}

static void run_window(struct engine_worker *w)
{
	struct run *run = w->run;
	const struct variant_state *v = running_variant(run);
	unsigned long switches;

	worker_reset(w, v);
	wait_all_awake(run);
	preempt_disable();
	switches = current->nvcsw + current->nivcsw;
	if (window_starts(w))
		run_loop(w, v);
	else
		w->invalid |= SPINDELAY_INVALID_START;
	if (smp_processor_id() != w->cpu)
		w->invalid |= SPINDELAY_INVALID_MOVED;
	if (!(v->traits & SPIN_PARKS) &&
	    current->nvcsw + current->nivcsw != switches)
		w->invalid |= SPINDELAY_INVALID_SWITCHED;
	if (per_cpu(hotplug_changes, w->cpu) != w->hotplug)
		w->invalid |= SPINDELAY_INVALID_OFFLINE;
	atomic_dec(&run->inside);
	preempt_enable();
	/* Where the CPUs are virtual, sleepers are given one sooner. */
	if (w->invalid & SPINDELAY_INVALID_START)
		usleep_range(MISSED_SLEEP_US, 2 * MISSED_SLEEP_US);
}

/* ---- between windows, on one CPU while the others wait ---- */

static void gather_record(const struct run *run, const struct engine_worker *w,
			  const struct variant_state *v,
			  struct spindelay_record *r)
{
	const struct spin_worker *s = &w->spin;

	r->acquisitions = s->acquisitions + w->bursts;
	r->polls = s->polls;
	r->delays = s->polls * v->work.count;
	if (v->lock == SPIN_LOCK_pace)
		r->delays = s->acquisitions * v->work.count;
	if (v->burst)
		r->delays =
			w->bursts * v->work.burst * v->copies * v->work.count;
	r->start = w->begin - run->t0;
	r->ticks = w->end - w->begin;
	r->samples = s->samples;
	r->sampled_wait = s->sampled_wait;
	r->sampled_hold = s->sampled_hold;
	r->wait_max = s->wait_max;
	r->spins = s->waits.spins - spin_wait_phase(run->next, w->index);
	r->timed_spins = s->waits.timed;
	r->timed_spin_ticks = s->waits.ticks;
	r->burst_min = w->burst_min;
	r->parks = s->parking.parks;
	r->rounds = s->parking.rounds;
	r->yields = s->parking.yields;
	r->cycles = w->counts.cycles;
	r->instructions = w->counts.instructions;
}

static void gather_worker(struct run *run, const struct engine_worker *w,
			  u32 index, u32 cpu_index)
{
	struct engine_plan *plan = run->plan;
	struct spindelay_window *window = &plan->windows[index];
	u32 *hist = plan->hists + (size_t)index * SPIN_HIST_BUCKETS;
	u32 i;

	window->invalid |= w->invalid;
	if (w->invalid & SPINDELAY_INVALID_START)
		return;
	gather_record(run, w, &run->variants[window->variant],
		      &plan->records[(size_t)index * plan->p.nr_cpus +
				     cpu_index]);
	window->acquisitions += w->spin.acquisitions + w->bursts;
	window->ticks = max(window->ticks, w->end - run->t0);
	for (i = 0; i < SPIN_HIST_BUCKETS; i++)
		hist[i] += w->spin.hist[i];
}

/* Odd: it was being turned when the window was prepared. */
static bool knob_turned(const struct run *run)
{
	return run->knob & 1 || delay_generation() != run->knob;
}

static bool window_is_late(const struct run *run, const struct variant_state *v,
			   u64 ticks)
{
	u64 due = (u64)run->plan->p.window_ns + LATE_NS;

	return ticks > ns_to_ticks(run, due) + v->turn;
}

/* What readers have counted, each for itself. */
static u64 shared_entries(const struct run *run)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < run->plan->p.nr_cpus; i++)
		sum += run->workers[i]->spin.shared;
	return sum;
}

static void gather_window(struct run *run)
{
	struct engine_plan *plan = run->plan;
	u32 index = run->next - 1, i;
	struct spindelay_window *window = &plan->windows[index];
	const struct variant_state *v = running_variant(run);

	hrtimer_cancel(&run->timer);
	window->variant = plan->schedule[index];
	window->start = run->t0;
	for (i = 0; i < plan->p.nr_cpus; i++)
		gather_worker(run, run->workers[i], index, i);
	window->counted = window->acquisitions;
	if (v->traits & SPIN_EXCLUDES && !v->burst)
		window->counted = *run->counter + shared_entries(run);
	if (window_is_late(run, v, window->ticks))
		window->invalid |= SPINDELAY_INVALID_LATE;
	if (v->delay == SPIN_DELAY_knob && knob_turned(run))
		window->invalid |= SPINDELAY_INVALID_KNOB;
}

/* The rest is not run, and says why. */
static void give_up(struct run *run, u32 invalid)
{
	struct engine_plan *plan = run->plan;
	u32 i;

	for (i = run->next; i < plan->p.nr_windows; i++) {
		plan->windows[i].variant = plan->schedule[i];
		plan->windows[i].invalid = invalid;
	}
	run->finished = true;
}

static void prepare_window(struct run *run)
{
	const struct variant_state *v = running_variant(run);

	memset(run->lock, 0, LOCK_SLOT_SIZE);
	spin_lock_init_memory(v->lock, run->lock, v->held);
	*run->counter = 0;
	WRITE_ONCE(run->stop, 0);
	park_begin();
	run->start = (struct spin_start){};
	run->knob = delay_generation();
	atomic_set(&run->awake, 0);
	atomic_set(&run->inside, run->plan->p.nr_cpus);
}

/* ---- calibration, on one of the run's CPUs ---- */

static u64 time_chain(unsigned long n)
{
	unsigned long flags;
	u64 ticks;

	local_irq_save(flags);
	ticks = spin_clock();
	spin_chain(n);
	ticks = spin_clock() - ticks;
	local_irq_restore(flags);
	return ticks;
}

/*
 * Femtoseconds of one placebo iteration: the shortest of a few bursts. A value
 * from the caller is used instead, but within a factor of two, so that nobody
 * can ask for work without end.
 */
static u32 calibrate_chain(const struct run *run, u32 asked)
{
	u64 best = U64_MAX, fs;
	u32 measured, i;

	for (i = 0; i < CALIBRATION_BURSTS; i++)
		best = min(best, time_chain(CALIBRATION_LOOPS));
	/* ticks * 1e15 / hz / loops, without running over */
	fs = mul_u64_u64_div_u64(best, 1000000000ULL * (1000000 / 64), run->hz);
	fs = div_u64(fs, CALIBRATION_LOOPS / 64);
	measured = clamp_t(u64, fs, 1, U32_MAX / 2);
	if (!asked)
		return measured;
	return clamp(asked, max(measured / 2, 1U), measured * 2);
}

static unsigned long ns_to_chain(u32 ns, u32 chain_fs)
{
	return div_u64((u64)ns * 1000000 + chain_fs / 2, chain_fs);
}

static u64 wfet_limit(const struct run *run,
		      const struct spindelay_variant *variant)
{
	return ns_to_ticks(run, variant->wfet_ns ?: SPINDELAY_WFET_NS_DEFAULT);
}

/* Ticks that a burst function takes once: the shortest of a few. */
static u64 time_burst(struct run *run, const struct spindelay_variant *variant,
		      void (*burst)(struct spin_worker *))
{
	struct spin_worker *spin = &run->workers[0]->spin;
	unsigned long flags;
	u64 ticks, best = U64_MAX;
	u32 i;

	spin->lock = run->lock;
	spin->work.count = variant->count;
	spin->work.pad = variant->pad;
	spin->work.burst = 1;
	spin->work.limit = wfet_limit(run, variant);
	for (i = 0; i < PILOT_PASSES; i++) {
		local_irq_save(flags);
		ticks = spin_clock();
		burst(spin);
		ticks = spin_clock() - ticks;
		local_irq_restore(flags);
		best = min(best, ticks);
	}
	return best;
}

/* Ticks of @copies of a variant's delay, 1 or 16, less those of none at all. */
static u64 pilot(struct run *run, const struct spindelay_variant *variant,
		 u32 form, u32 copies)
{
	u32 column = copies == 1 ? 0 : 1;
	u64 with = time_burst(run, variant,
			      loops()->burst[variant->delay][form][column]);
	u64 without = time_burst(run, variant,
				 loops()->burst[SPIN_DELAY_none][SPIN_ONE][0]);

	return with > without ? with - without : 0;
}

static u32 variant_form(const struct spindelay_variant *variant)
{
	if (variant->pad)
		return SPIN_PADDED;
	return variant->count == 1 ? SPIN_ONE : SPIN_MANY;
}

static void choose_loop(struct variant_state *v,
			const struct spindelay_variant *variant)
{
	if (variant->flags & SPINDELAY_TWIN)
		v->run = loops()->twin[v->lock][v->delay];
	else
		v->run = loops()->contend[v->lock][v->delay]
					 [variant_form(variant)];
}

/* Single and double are judged alike, or only one of them would be run. */
static bool burst_is_short(struct run *run,
			   const struct spindelay_variant *variant, u64 once)
{
	u64 limit = ns_to_ticks(run, BURST_NS_MAX), copies;

	if (once * SPINDELAY_BURST_COPIES > limit)
		return false;
	copies = pilot(run, variant, variant_form(variant),
		       SPINDELAY_BURST_COPIES);
	return copies * variant->burst <= limit;
}

static void prepare_burst(struct run *run, struct variant_state *v,
			  const struct spindelay_variant *variant, u64 once)
{
	bool twice = variant->flags & SPINDELAY_BURST_DOUBLE;

	v->run = loops()->burst[variant->delay][variant_form(variant)]
			       [twice ? 2 : 1];
	v->burst = true;
	v->copies = SPINDELAY_BURST_COPIES << twice;
	v->work.burst = variant->burst;
	v->burst_allowed = burst_is_short(run, variant, once);
}

static u64 longest_turn(const struct run *run,
			const struct spindelay_variant *v, u64 poll)
{
	u64 think = div_u64((u64)v->think_ns * (100 + v->jitter), 100);

	return ns_to_ticks(run, v->hold_ns + think) + poll;
}

static u32 first_rounds(const struct spindelay_variant *variant)
{
	if (variant->lock == SPIN_LOCK_postgres_slock)
		return variant->sync_spin_loops ?:
			       SPINDELAY_SPINS_PER_DELAY_DEFAULT;
	return variant->sync_spin_loops;
}

static struct spin_preset preset_of(const struct spindelay_backoff *b)
{
	return (struct spin_preset){
		.first = b->first,
		.growth = b->growth,
		.step = b->step,
		.most = b->most,
		.wrap = b->wrap,
		.afresh = b->afresh,
		.idle = b->idle,
		.weight = b->weight,
		.yield_from = b->yield_from,
		.yield_less = b->yield_less,
		.looks = b->looks,
		.nap_us = b->nap_us,
	};
}

static int prepare_variant(struct run *run, u32 index)
{
	const struct spindelay_plan *p = &run->plan->p;
	const struct spindelay_variant *variant = &run->plan->variants[index];
	struct variant_state *v = &run->variants[index];
	u32 form = variant_form(variant);
	u64 once = 0;

	/* What sleeps looks at the stop flag whenever it wakes. */
	if (!delay_sleeps(variant->delay))
		once = pilot(run, variant, form, 1);
	if (once > ns_to_ticks(run, p->window_ns / SPINDELAY_WORK_SHARE_MAX))
		return -E2BIG;
	v->lock = variant->lock;
	v->delay = variant->delay;
	v->traits = plan_lock_traits(variant->lock);
	v->held = variant->flags & SPINDELAY_HELD;
	v->turn = longest_turn(run, variant, once);
	v->patience = (struct spin_patience){
		.delay_max = variant->spin_wait_delay,
		.multiplier = variant->pause_multiplier,
		.rounds = first_rounds(variant),
		.read_share = variant->read_share,
		.preset = preset_of(&variant->backoff),
	};
	choose_loop(v, variant);
	v->work = (struct spin_work){
		.count = variant->count,
		.pad = variant->pad,
		.period = 1U << p->sample_shift,
		.burst = 1,
		.hold = ns_to_chain(variant->hold_ns, p->chain_fs),
		.think = ns_to_chain(variant->think_ns, p->chain_fs),
		.nr_lines = variant->lines,
		.limit = wfet_limit(run, variant),
		.backoff_min =
			variant->backoff_min ?: SPINDELAY_BACKOFF_MIN_DEFAULT,
		.backoff_max =
			variant->backoff_max ?: SPINDELAY_BACKOFF_MAX_DEFAULT,
	};
	v->work.jitter = 2 * v->work.think * variant->jitter / 100;
	v->work.budget =
		clamp_t(u64, div64_u64(ns_to_ticks(run, BUDGET_NS), once + 1),
			1, BUDGET_MAX);
	if (delay_sleeps(variant->delay))
		v->work.budget = 1;
	if (variant->flags & SPINDELAY_BURST)
		prepare_burst(run, v, variant, once);
	return 0;
}

static int prepare_run(struct run *run)
{
	struct spindelay_plan *p = &run->plan->p;
	int err;
	u32 i;

	p->chain_fs = calibrate_chain(run, p->chain_fs);
	for (i = 0; i < p->nr_variants; i++) {
		err = prepare_variant(run, i);
		if (err)
			return err;
		/* Each is tried out, for some milliseconds at most. */
		cond_resched();
	}
	return 0;
}

/* ---- the rendezvous ---- */

/* Nothing was run, and the workers are where they belong: try it again. */
static bool start_again(struct run *run)
{
	u32 i, invalid = 0;

	for (i = 0; i < run->plan->p.nr_cpus; i++)
		invalid |= run->workers[i]->invalid;
	return invalid == SPINDELAY_INVALID_START &&
	       ++run->attempts < START_ATTEMPTS && !READ_ONCE(run->abort);
}

static void next_window(struct run *run)
{
	run->next++;
	run->attempts = 0;
	prepare_window(run);
}

/* By the last to arrive, alone. */
static void turn_window(struct run *run)
{
	if (run->next && start_again(run)) {
		prepare_window(run);
		return;
	}
	if (run->next)
		gather_window(run);
	else
		run->error = prepare_run(run);
	/* Once a CPU has gone its worker is elsewhere. */
	if (run->next && run->plan->windows[run->next - 1].invalid &
				 SPINDELAY_INVALID_OFFLINE)
		give_up(run, SPINDELAY_INVALID_OFFLINE);
	if (run->error || READ_ONCE(run->abort) ||
	    run->next == run->plan->p.nr_windows)
		run->finished = true;
	if (!run->finished)
		next_window(run);
}

static bool turned(const struct run *run, u32 generation)
{
	/* Pairs with the release in rendezvous(): the window is prepared. */
	return smp_load_acquire(&run->generation) != generation;
}

static void wait_turn(struct run *run, u32 generation)
{
	u64 since = spin_clock();

	while (spin_clock() - since < ns_to_ticks(run, SPIN_BEFORE_SLEEP_NS)) {
		if (turned(run, generation))
			return;
		cond_resched();
		cpu_relax();
	}
	wait_event_idle(run->turn, turned(run, generation));
}

/* Everybody waits here for everybody. Return: false after the last window. */
static bool rendezvous(struct run *run)
{
	u32 generation = READ_ONCE(run->generation);

	if (!atomic_dec_and_test(&run->missing)) {
		wait_turn(run, generation);
		return !run->finished;
	}
	turn_window(run);
	atomic_set(&run->missing, run->plan->p.nr_cpus);
	/* Pairs with the acquire in turned(). */
	smp_store_release(&run->generation, generation + 1);
	wake_up_all(&run->turn);
	return !run->finished;
}

static int worker_main(void *argument)
{
	struct engine_worker *w = argument;
	struct run *run = w->run;

	while (rendezvous(run)) {
		run_window(w);
		cond_resched();
	}
	if (atomic_dec_and_test(&run->alive))
		complete(&run->done);
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* ---- a run, from the caller's side ---- */

/*
 * Whoever waits for workers to end lets them do so on its own CPU: on theirs, a
 * real-time task may keep them from it for as long as it likes.
 */
static void bring_here(struct run *run)
{
	struct engine_worker *w;
	u32 i;

	/* Nor may this CPU go meanwhile. */
	cpus_read_lock();
	for (i = 0; i < run->plan->p.nr_cpus; i++) {
		w = run->workers[i];
		if (w && w->task)
			set_cpus_allowed_ptr(
				w->task, cpumask_of(raw_smp_processor_id()));
	}
	cpus_read_unlock();
}

static void free_workers(struct run *run)
{
	u32 i;

	if (!run->workers)
		return;
	bring_here(run);
	for (i = 0; i < run->plan->p.nr_cpus && run->workers[i]; i++) {
		if (run->workers[i]->task)
			kthread_stop(run->workers[i]->task);
	}
	for (i = 0; i < run->plan->p.nr_cpus && run->workers[i]; i++) {
		counters_close(&run->workers[i]->counters);
		kfree(run->workers[i]);
	}
	kvfree(run->workers);
}

static void free_run(struct run *run)
{
	u32 i;

	free_workers(run);
	for (i = 0; i < SPINDELAY_LOCK_PAGES; i++)
		if (run->pages[i])
			__free_page(run->pages[i]);
	kvfree(run->variants);
	kfree(run);
}

static int create_worker(struct run *run, u32 index)
{
	u32 cpu = run->plan->cpus[index];
	struct engine_worker *w;
	struct task_struct *task;

	w = kzalloc_node(sizeof(*w), GFP_KERNEL, cpu_to_node(cpu));
	if (!w)
		return -ENOMEM;
	run->workers[index] = w;
	w->run = run;
	w->cpu = cpu;
	w->index = index;
	if (run->plan->p.flags & SPINDELAY_COUNT_CYCLES)
		counters_open(&w->counters, cpu);
	w->hotplug = per_cpu(hotplug_changes, cpu);
	task = kthread_create_on_node(worker_main, w, cpu_to_node(cpu),
				      "spindelay/%u", cpu);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	w->task = task;
	return 0;
}

static int create_workers(struct run *run)
{
	u32 i, nr = run->plan->p.nr_cpus;
	int err = 0;

	run->workers = kvcalloc(nr, sizeof(*run->workers), GFP_KERNEL);
	if (!run->workers)
		return -ENOMEM;
	for (i = 0; i < nr && !err; i++)
		err = create_worker(run, i);
	return err;
}

static int alloc_lock(struct run *run)
{
	const struct spindelay_plan *p = &run->plan->p;
	int node = p->node < 0 ? cpu_to_node(run->plan->cpus[0]) : p->node;
	char *slot;
	u32 i;

	for (i = 0; i < SPINDELAY_LOCK_PAGES; i++) {
		run->pages[i] =
			alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO, 0);
		if (!run->pages[i])
			return -ENOMEM;
	}
	slot = page_address(run->pages[p->lock_page]);
	slot += p->lock_slot * LOCK_SLOT_SIZE;
	run->lock = slot;
	run->lines = page_address(run->pages[(p->lock_page + 1) %
					     SPINDELAY_LOCK_PAGES]);
	run->counter = (u64 *)(slot + LOCK_COUNTER_OFFSET);
	return 0;
}

static struct run *alloc_run(struct engine_plan *plan)
{
	struct run *run = kzalloc(sizeof(*run), GFP_KERNEL);

	if (!run)
		return NULL;
	run->plan = plan;
	run->hz = arch_timer_get_cntfrq();
	init_waitqueue_head(&run->turn);
	init_completion(&run->done);
	atomic_set(&run->missing, plan->p.nr_cpus);
	atomic_set(&run->alive, plan->p.nr_cpus);
	hrtimer_setup(&run->timer, window_ends, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	run->variants = kvcalloc(plan->p.nr_variants, sizeof(*run->variants),
				 GFP_KERNEL);
	if (!run->variants) {
		kfree(run);
		return NULL;
	}
	return run;
}

static unsigned long patience(const struct spindelay_plan *p)
{
	u64 ns = (u64)p->nr_windows * p->window_ns;
	u64 ms = SPINDELAY_PATIENCE_MS +
		 (u64)p->nr_windows * SPINDELAY_PATIENCE_WINDOW_MS;

	return nsecs_to_jiffies(ns + ms * NSEC_PER_MSEC);
}

/*
 * Start the workers and wait. A fatal signal ends the run within a window; so
 * does the end of patience, after which windows that were not run are invalid.
 */
static int execute(struct run *run)
{
	long left;
	u32 i;

	for (i = 0; i < run->plan->p.nr_cpus; i++)
		wake_up_process(run->workers[i]->task);
	left = wait_for_completion_killable_timeout(&run->done,
						    patience(&run->plan->p));
	if (left > 0)
		return run->error;
	WRITE_ONCE(run->abort, true);
	bring_here(run);
	wait_for_completion(&run->done);
	if (left)
		return -EINTR;
	give_up(run, SPINDELAY_INVALID_START);
	return run->error;
}

/**
 * engine_run - execute a plan
 * @plan: sizes checked, inputs filled, results allocated and zeroed; the caller
 *	holds the engine (engine_claim())
 *
 * Context: process; sleeps.
 *
 * Return: 0 with the results written; -EINTR if a fatal signal came, else
 * -EINVAL, -E2BIG, -ENODEV, -EOPNOTSUPP, -ENOMEM as SPINDELAY_IOC_RUN says
 */
int engine_run(struct engine_plan *plan)
{
	u64 since = spin_clock();
	struct run *run;
	int err;

	err = plan_check(plan);
	if (err)
		return err;
	run = alloc_run(plan);
	if (!run)
		return -ENOMEM;
	err = alloc_lock(run);
	if (!err)
		err = create_workers(run);
	if (!err)
		err = execute(run);
	plan->p.counter_hz = run->hz;
	free_run(run);
	plan->p.plan_ticks = spin_clock() - since;
	return err;
}

/**
 * engine_claim - become the engine's one user
 *
 * Return: 0 or -EBUSY
 */
int engine_claim(void)
{
	return test_and_set_bit_lock(0, &engine_claimed) ? -EBUSY : 0;
}

/**
 * engine_release - let the next one have the engine
 */
void engine_release(void)
{
	clear_bit_unlock(0, &engine_claimed);
}

static int count_hotplug(unsigned int cpu)
{
	per_cpu(hotplug_changes, cpu)++;
	return 0;
}

/**
 * engine_init - begin to watch CPUs go and come
 *
 * Return: 0 or what cpuhp_setup_state() says
 */
int engine_init(void)
{
	int state;

	park_init();
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					  "spindelay:online", count_hotplug,
					  count_hotplug);

	if (state < 0)
		return state;
	engine_hotplug_state = state;
	return 0;
}

/**
 * engine_exit - undo engine_init(); no run is on
 */
void engine_exit(void)
{
	cpuhp_remove_state_nocalls(engine_hotplug_state);
}
