// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The module's engine (module/engine.c) over again with threads. Between
 * windows they meet at a rendezvous where they may sleep; the last to arrive
 * gathers the window behind them and prepares the next one, while nobody else
 * is at work. What cannot be kept from happening here, being switched out, is
 * seen and makes a window invalid, unless it is of a lock that sleeps.
 *
 * A timer ends a window by a signal to the worker that set it, which stores the
 * flag between two instructions of its loop: a thread of its own would first
 * have to push a worker off its CPU, and a signal to another worker has to wait
 * for two CPUs where they are virtual.
 */
#include <errno.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/user_counters.h"
#include "lib/user_run.h"

/* Workers that are all awake come together within this, or not at all. */
#define START_NS 1000000
/* How often a start is tried: a busy machine may spoil some. */
#define START_ATTEMPTS 10
/* What a waiting worker spins before it sleeps. */
#define SPIN_BEFORE_SLEEP_NS 200000
/* What all sleep after a start that was missed. */
#define MISSED_SLEEP_US 500
/*
 * Until everyone has left, a window's end is signalled again, ever more rarely:
 * after the first pause, then after twice that and so on, up to the last one.
 */
#define STOP_PAUSE_NS 50000
#define STOP_PAUSE_NS_MAX 1000000

#define LOCK_SLOT_SIZE 256
#define LOCK_COUNTER_OFFSET 128
#define NODES_MAX 1024

/* The others are the C library's. */
#define STOP_SIGNAL SIGRTMIN

/**
 * struct user_worker - one CPU of a run, on the stack of its thread
 * @spin: the loop's side
 * @own_counter: exclusion counter where the lock does not exclude
 * @run: the run
 * @cpu: where it is bound
 * @index: its place among the plan's CPUs
 * @invalid: SPINDELAY_INVALID_* of the running window
 * @begin: when it entered its loop
 * @end: when it left
 * @bursts: bursts done
 * @burst_min: ticks of the shortest
 * @timer: ends the window if this worker is the last to come to its start
 * @pause: until it does so again, ns
 * @counters: this thread's counters
 * @counts: what they counted in the window
 * @node: memory for queue locks, on lines of its own: others write to it
 */
struct user_worker {
	struct spin_worker spin;
	u64 own_counter;
	struct user_run *run;
	u32 cpu;
	u32 index;
	u32 invalid;
	u64 begin;
	u64 end;
	u64 bursts;
	u64 burst_min;
	timer_t timer;
	u32 pause;
	struct user_counters counters;
	struct user_counts counts;
	u64 node[16] __aligned(128);
} __aligned(128);

/* What a thread is told when it is made. */
struct seat {
	struct user_run *run;
	u32 index;
	pthread_t thread;
	struct user_worker *worker;
};

/**
 * struct user_run - a plan being executed
 * @machine: this one
 * @plan: the plan, and below its arrays
 * @ready: [nr_variants], the variants made ready
 * @seats: [nr_cpus]
 * @pages: where lock memory is chosen from
 * @page_size: bytes of each
 * @lock: the lock
 * @counter: the exclusion counter, on a line of its own
 * @lines: a page that is written inside the lock
 * @mutex: of @turn
 * @turn: where workers sleep between windows
 * @missing: workers that are not at the rendezvous yet
 * @generation: rendezvous completed
 * @next: index of the window to run next; the running one is the one before
 * @attempts: starts of the running window that were missed
 * @finished: no further window
 * @error: why the run could not begin, a negative errno
 * @awake: workers that have come from the rendezvous
 * @start: where they come together
 * @t0: the window's start
 * @armer: whose timer ends the window
 * @armed: it is meant to; a signal that comes late means nothing
 * @ending: handlers of that signal that are under way
 * @stop: tells the loops, on a line that is only read while a window runs
 * @stop_line_end: nothing; begins the next line
 */
struct user_run {
	const struct user_machine *machine;
	struct spindelay_plan *plan;
	const u32 *cpus;
	const struct spindelay_variant *variants;
	const u32 *schedule;
	struct spindelay_window *windows;
	struct spindelay_record *records;
	u32 *hists;
	struct user_variant *ready;
	struct seat *seats;
	char *pages;
	size_t page_size;
	void *lock;
	u64 *counter;
	char *lines;

	pthread_mutex_t mutex;
	pthread_cond_t turn;
	u32 missing;
	u32 generation;
	u32 next;
	u32 attempts;
	bool finished;
	int error;

	u32 awake;
	struct spin_start start;
	u64 t0;
	struct user_worker *armer;
	u32 armed;
	u32 ending;

	u32 stop __aligned(128);
	u32 stop_line_end __aligned(128);
};

static u64 ticks(const struct user_run *run, u64 ns)
{
	return user_ticks(run->machine, ns);
}

static const struct user_variant *running_variant(const struct user_run *run)
{
	return &run->ready[run->schedule[run->next - 1]];
}

/* ---- the end of a window ---- */

static void set_timer(struct user_worker *w, long ns)
{
	const struct itimerspec when = { .it_value.tv_nsec = ns };

	timer_settime(w->timer, 0, &when, NULL);
}

static bool is_armed(const struct user_worker *w)
{
	return spin_load_acquire(&w->run->armed) && w->run->armer == w;
}

static void signal_again(struct user_worker *w)
{
	set_timer(w, w->pause);
	w->pause *= 2;
	if (w->pause > STOP_PAUSE_NS_MAX)
		w->pause = STOP_PAUSE_NS_MAX;
}

static void end_window(struct user_run *run)
{
	if (running_variant(run)->parks)
		spin_window_end(run->lock, &run->stop);
	else
		WRITE_ONCE(run->stop, 1);
	user_send_event();
}

/* One that was under way when the timer was disarmed comes far too early. */
static void window_ends(int number, siginfo_t *info, void *context)
{
	struct user_worker *w = info->si_value.sival_ptr;
	struct user_run *run = w->run;
	const int err = errno;

	(void)number;
	(void)context;
	spin_fetch_add(&run->ending, 1);
	spin_fence();
	if (is_armed(w) &&
	    spin_clock() - run->t0 >= ticks(run, run->plan->window_ns / 2)) {
		end_window(run);
		signal_again(w);
	}
	spin_fetch_add(&run->ending, -1);
	errno = err;
}

static void arm(struct user_worker *w)
{
	struct user_run *run = w->run;

	run->armer = w;
	w->pause = STOP_PAUSE_NS;
	spin_store_release(&run->armed, 1);
	set_timer(w, run->plan->window_ns);
}

/* First the word, then the timer, which a handler under way may set once more. */
static void disarm(struct user_run *run)
{
	const bool armed = READ_ONCE(run->armed);

	WRITE_ONCE(run->armed, 0);
	spin_fence();
	/* The armer waits here, too; another one may still be in its handler. */
	while (spin_load_acquire(&run->ending))
		sched_yield();
	if (armed)
		set_timer(run->armer, 0);
}

static int create_timer(struct user_worker *w)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = STOP_SIGNAL,
		.sigev_value.sival_ptr = w,
	};

	event._sigev_un._tid = gettid();
	return timer_create(CLOCK_MONOTONIC, &event, &w->timer) ? -errno : 0;
}

/* ---- the window, on each of its CPUs ---- */

static void run_bursts(struct user_worker *w, const struct user_variant *v)
{
	u64 since, took;

	if (!v->burst_allowed) {
		w->invalid |= SPINDELAY_INVALID_BURST;
		return;
	}
	while (!READ_ONCE(w->run->stop)) {
		since = spin_clock();
		v->run(&w->spin);
		took = spin_clock() - since;
		if (!w->bursts++ || took < w->burst_min)
			w->burst_min = took;
	}
}

/* The last to come sets the clock and the timer, the others wait for it. */
static bool window_starts(struct user_worker *w)
{
	struct user_run *run = w->run;

	if (sched_getcpu() != (int)w->cpu) {
		w->invalid |= SPINDELAY_INVALID_MOVED;
		spin_start_miss(&run->start);
		return false;
	}
	if (!spin_start_last(&run->start, run->plan->nr_cpus))
		return spin_start_wait(&run->start, ticks(run, START_NS));
	run->t0 = spin_clock();
	arm(w);
	spin_start_go(&run->start);
	return true;
}

static void worker_reset(struct user_worker *w, const struct user_variant *v)
{
	struct user_run *run = w->run;

	w->spin = (struct spin_worker){
		.work = v->work,
		.patience = v->patience,
		.lock = run->lock,
		.node = w->node,
		.lines = run->lines,
		.index = w->index,
		.random = w->index + 1,
		.counter = v->excludes ? run->counter : &w->own_counter,
		.stop = &run->stop,
		.waits.spins = spin_wait_phase(run->next, w->index),
	};
	memset(w->node, 0, sizeof(w->node));
	w->counts = (struct user_counts){ 0 };
	w->invalid = 0;
	w->begin = 0;
	w->end = 0;
	w->bursts = 0;
	w->burst_min = 0;
}

/* Wait until a word has a value, which is set with the mutex held: wake(). */
static void await(struct user_run *run, const u32 *word, u32 value)
{
	u64 since = spin_clock();

	while (spin_clock() - since < ticks(run, SPIN_BEFORE_SLEEP_NS)) {
		if (spin_load_acquire(word) == value)
			return;
		/* What else wants this CPU had better have it now. */
		sched_yield();
	}
	pthread_mutex_lock(&run->mutex);
	while (spin_load_acquire(word) != value)
		pthread_cond_wait(&run->turn, &run->mutex);
	pthread_mutex_unlock(&run->mutex);
}

static void wake(struct user_run *run, u32 *word, u32 value)
{
	pthread_mutex_lock(&run->mutex);
	spin_store_release(word, value);
	pthread_cond_broadcast(&run->turn);
	pthread_mutex_unlock(&run->mutex);
}

/* Nobody goes to the start, where all spin, before everybody is up. */
static void wait_all_awake(struct user_run *run)
{
	const u32 before = run->plan->nr_cpus - 1;

	/* One more than there are is the word to go. */
	if (spin_fetch_add(&run->awake, 1) == before)
		wake(run, &run->awake, before + 2);
	else
		await(run, &run->awake, before + 2);
}

static u64 switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void run_loop(struct user_worker *w, const struct user_variant *v)
{
	struct user_counts before = user_counters_read(&w->counters), after;

	w->begin = spin_clock();
	if (v->burst)
		run_bursts(w, v);
	else
		v->run(&w->spin);
	w->end = spin_clock();
	after = user_counters_read(&w->counters);
	w->counts.cycles = after.cycles - before.cycles;
	w->counts.instructions = after.instructions - before.instructions;
}

static void run_window(struct user_worker *w)
{
	const struct user_variant *v = running_variant(w->run);
	u64 before;

	worker_reset(w, v);
	wait_all_awake(w->run);
	before = switches();
	if (window_starts(w))
		run_loop(w, v);
	else
		w->invalid |= SPINDELAY_INVALID_START;
	if (sched_getcpu() != (int)w->cpu)
		w->invalid |= SPINDELAY_INVALID_MOVED;
	if (!v->parks && switches() != before)
		w->invalid |= SPINDELAY_INVALID_SWITCHED;
	if (w->invalid & SPINDELAY_INVALID_START)
		usleep(MISSED_SLEEP_US);
}

/* ---- between windows, on one CPU while the others wait ---- */

static void gather_record(const struct user_run *run,
			  const struct user_worker *w,
			  const struct user_variant *v,
			  struct spindelay_record *r)
{
	const struct spin_worker *s = &w->spin;

	r->acquisitions = s->acquisitions + w->bursts;
	r->polls = s->polls;
	r->delays = (v->pace ? s->acquisitions : s->polls) * v->work.count;
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

static void gather_worker(struct user_run *run, const struct user_worker *w,
			  const struct user_variant *v, u32 index)
{
	struct spindelay_window *window = &run->windows[index];
	u32 *hist = run->hists + (size_t)index * SPIN_HIST_BUCKETS;

	window->invalid |= w->invalid;
	if (w->invalid & SPINDELAY_INVALID_START)
		return;
	gather_record(run, w, v,
		      &run->records[(size_t)index * run->plan->nr_cpus +
				    w->index]);
	window->acquisitions += w->spin.acquisitions + w->bursts;
	if (w->end - run->t0 > window->ticks)
		window->ticks = w->end - run->t0;
	for (u32 i = 0; run->hists && i < SPIN_HIST_BUCKETS; i++)
		hist[i] += w->spin.hist[i];
}

/* What readers have counted, each for itself. */
static u64 shared_entries(const struct user_run *run)
{
	u64 sum = 0;

	for (u32 i = 0; i < run->plan->nr_cpus; i++)
		sum += run->seats[i].worker->spin.shared;
	return sum;
}

static void gather_window(struct user_run *run)
{
	const struct user_variant *v = running_variant(run);
	const u32 index = run->next - 1;
	struct spindelay_window *window = &run->windows[index];

	window->variant = run->schedule[index];
	window->start = run->t0;
	for (u32 i = 0; i < run->plan->nr_cpus; i++)
		gather_worker(run, run->seats[i].worker, v, index);
	window->counted = window->acquisitions;
	if (v->excludes && !v->burst)
		window->counted = *run->counter + shared_entries(run);
	if (user_window_is_late(run->machine, v, run->plan->window_ns,
				window->ticks))
		window->invalid |= SPINDELAY_INVALID_LATE;
}

static void prepare_window(struct user_run *run)
{
	const struct user_variant *v = running_variant(run);

	memset(run->lock, 0, LOCK_SLOT_SIZE);
	spin_lock_init_memory(v->lock, run->lock, v->held);
	*run->counter = 0;
	WRITE_ONCE(run->stop, 0);
	run->start = (struct spin_start){ 0 };
	WRITE_ONCE(run->awake, 0);
}

static int prepare_run(struct user_run *run)
{
	struct spindelay_plan *p = run->plan;
	int err = 0;

	p->chain_fs = user_calibrate_chain(run->machine, p->chain_fs);
	for (u32 i = 0; i < p->nr_variants && !err; i++)
		err = user_variant_prepare(run->machine, p, &run->variants[i],
					   run->lock, &run->ready[i]);
	return err;
}

/* Nothing was run, and the workers are where they belong: try it again. */
static bool start_again(struct user_run *run)
{
	u32 invalid = 0;

	for (u32 i = 0; i < run->plan->nr_cpus; i++)
		invalid |= run->seats[i].worker->invalid;
	return invalid & SPINDELAY_INVALID_START &&
	       !(invalid & SPINDELAY_INVALID_MOVED) &&
	       ++run->attempts < START_ATTEMPTS;
}

/* By the last to arrive, alone. */
static void turn_window(struct user_run *run)
{
	disarm(run);
	if (run->next && start_again(run)) {
		prepare_window(run);
		return;
	}
	if (run->next)
		gather_window(run);
	else if (!run->error)
		run->error = prepare_run(run);
	run->finished = run->error || run->next == run->plan->nr_windows;
	if (run->finished)
		return;
	run->next++;
	run->attempts = 0;
	prepare_window(run);
}

/* Everybody waits here for everybody. Return: false after the last window. */
static bool rendezvous(struct user_run *run)
{
	const u32 next = READ_ONCE(run->generation) + 1;

	if (spin_fetch_add(&run->missing, -1) != 1) {
		await(run, &run->generation, next);
		return !run->finished;
	}
	turn_window(run);
	WRITE_ONCE(run->missing, run->plan->nr_cpus);
	wake(run, &run->generation, next);
	return !run->finished;
}

/* Its stack is memory of the node that it runs on. */
static void *worker_main(void *argument)
{
	struct seat *seat = argument;
	struct user_run *run = seat->run;
	struct user_worker worker = {
		.run = run,
		.cpu = run->cpus[seat->index],
		.index = seat->index,
	};
	int err = create_timer(&worker);

	/* Seen at the first rendezvous, by whoever comes last. */
	if (err)
		WRITE_ONCE(run->error, err);
	user_counters_open(&worker.counters,
			   run->plan->flags & SPINDELAY_COUNT_CYCLES);
	/* Nobody looks at it any more after the last rendezvous. */
	/* cppcheck-suppress autoVariables */
	seat->worker = &worker;
	while (rendezvous(run))
		run_window(&worker);
	user_counters_close(&worker.counters);
	if (!err)
		timer_delete(worker.timer);
	return NULL;
}

/* ---- a run, from the caller's side ---- */

static int create_thread(struct user_run *run, struct seat *seat)
{
	pthread_attr_t attr;
	cpu_set_t cpu;
	int err;

	CPU_ZERO(&cpu);
	CPU_SET(run->cpus[seat->index], &cpu);
	pthread_attr_init(&attr);
	err = pthread_attr_setaffinity_np(&attr, sizeof(cpu), &cpu);
	if (!err)
		err = pthread_create(&seat->thread, &attr, worker_main, seat);
	pthread_attr_destroy(&attr);
	/* The CPU has gone since it was looked for. */
	return err == EINVAL ? -ENODEV : -err;
}

/* As many as there can be; the others are not waited for, nothing is run. */
static u32 create_threads(struct user_run *run)
{
	const u32 nr = run->plan->nr_cpus;
	int err = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		run->seats[i] = (struct seat){ .run = run, .index = i };
	for (i = 1; i < nr && !err; i++)
		err = create_thread(run, &run->seats[i]);
	if (!err)
		return nr;
	WRITE_ONCE(run->error, err);
	spin_fetch_add(&run->missing, -(nr - i + 1));
	return i - 1;
}

/* A shell may have left it blocked, and then no window would end. */
static void take_signal(struct sigaction *action, sigset_t *mask)
{
	const struct sigaction ours = { .sa_sigaction = window_ends,
					.sa_flags = SA_SIGINFO | SA_RESTART };
	sigset_t stop;

	sigemptyset(&stop);
	sigaddset(&stop, STOP_SIGNAL);
	sigaction(STOP_SIGNAL, &ours, action);
	pthread_sigmask(SIG_UNBLOCK, &stop, mask);
}

static void give_signal_back(const struct sigaction *action,
			     const sigset_t *mask)
{
	pthread_sigmask(SIG_SETMASK, mask, NULL);
	sigaction(STOP_SIGNAL, action, NULL);
}

static int execute(struct user_run *run)
{
	struct sigaction action;
	sigset_t mask;
	u32 nr;

	take_signal(&action, &mask);
	nr = create_threads(run);
	worker_main(&run->seats[0]);
	for (u32 i = 1; i < nr; i++)
		pthread_join(run->seats[i].thread, NULL);
	give_signal_back(&action, &mask);
	return run->error;
}

static int bind_memory(const struct user_run *run, size_t size)
{
	unsigned long nodes[NODES_MAX / (8 * sizeof(long))] = { 0 };
	const s32 node = run->plan->node;

	if (node < 0)
		return 0;
	if (node >= NODES_MAX)
		return -EINVAL;
	nodes[node / (8 * sizeof(long))] = 1UL << node % (8 * sizeof(long));
	if (!syscall(SYS_mbind, run->pages, size, MPOL_BIND, nodes,
		     NODES_MAX + 1, 0))
		return 0;
	/* A kernel that knows no nodes has that one. */
	return node ? -errno : 0;
}

/* Written to here, on the first CPU, so that it is on that one's node. */
static int take_memory(struct user_run *run)
{
	const struct spindelay_plan *p = run->plan;
	const size_t size = SPINDELAY_LOCK_PAGES * run->page_size;
	char *slot;
	int err;

	run->pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (run->pages == MAP_FAILED)
		return -ENOMEM;
	err = bind_memory(run, size);
	if (err)
		return err;
	memset(run->pages, 0, size);
	slot = run->pages + p->lock_page * run->page_size +
	       p->lock_slot * LOCK_SLOT_SIZE;
	run->lock = slot;
	run->counter = (u64 *)(slot + LOCK_COUNTER_OFFSET);
	run->lines = run->pages +
		     (p->lock_page + 1) % SPINDELAY_LOCK_PAGES * run->page_size;
	return 0;
}

static int run_here(struct user_run *run)
{
	struct spindelay_plan *p = run->plan;
	int err;

	run->pages = MAP_FAILED;
	run->ready = calloc(p->nr_variants, sizeof(*run->ready));
	run->seats = calloc(p->nr_cpus, sizeof(*run->seats));
	err = run->ready && run->seats ? take_memory(run) : -ENOMEM;
	if (!err)
		err = execute(run);
	if (run->pages != MAP_FAILED)
		munmap(run->pages, SPINDELAY_LOCK_PAGES * run->page_size);
	free(run->seats);
	free(run->ready);
	return err;
}

static void clear_results(const struct user_run *run)
{
	const size_t nr = run->plan->nr_windows;

	memset(run->windows, 0, nr * sizeof(*run->windows));
	memset(run->records, 0,
	       nr * run->plan->nr_cpus * sizeof(*run->records));
	if (run->hists)
		memset(run->hists, 0,
		       nr * SPIN_HIST_BUCKETS * sizeof(*run->hists));
}

int user_run(const struct user_machine *machine, struct spindelay_plan *plan)
{
	const u64 since = spin_clock();
	struct user_run run = {
		.machine = machine,
		.plan = plan,
		.cpus = (const void *)(uintptr_t)plan->cpus,
		.variants = (const void *)(uintptr_t)plan->variants,
		.schedule = (const void *)(uintptr_t)plan->schedule,
		.windows = (void *)(uintptr_t)plan->windows,
		.records = (void *)(uintptr_t)plan->records,
		.hists = (void *)(uintptr_t)plan->hists,
		.page_size = sysconf(_SC_PAGESIZE),
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.turn = PTHREAD_COND_INITIALIZER,
		.missing = plan->nr_cpus,
	};
	cpu_set_t before, first;
	int err;

	clear_results(&run);
	CPU_ZERO(&first);
	CPU_SET(run.cpus[0], &first);
	if (sched_getaffinity(0, sizeof(before), &before) ||
	    sched_setaffinity(0, sizeof(first), &first))
		return -ENODEV;
	err = run_here(&run);
	sched_setaffinity(0, sizeof(before), &before);
	if (err)
		return err;
	plan->counter_hz = machine->hz;
	plan->plan_ticks = spin_clock() - since;
	return 0;
}
