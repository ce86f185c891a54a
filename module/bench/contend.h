/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One window: the start that all CPUs make together, the loop that each of
 * them runs, and the account it keeps. Include one of the atomics_*.h first.
 */
#ifndef SPINDELAY_BENCH_CONTEND_H
#define SPINDELAY_BENCH_CONTEND_H

#include "clock.h"
#include "delays.h"
#include "hist.h"
#include "locks.h"
#include "poll.h"
#include "locks/backoff.h"
#include "locks/broken.h"
#include "locks/clh.h"
#include "locks/handoff.h"
#include "locks/innodb_mutex.h"
#include "locks/innodb_rwlock.h"
#include "locks/mcs.h"
#include "locks/nolock.h"
#include "locks/pace.h"
#include "locks/postgres_slock.h"
#include "locks/raw_spinlock.h"
#include "locks/tas.h"
#include "locks/ticket.h"
#include "locks/ttas.h"
#include "locks/ttas_backoff.h"

/**
 * struct spin_work - what a window's loop is told, the same for all its CPUs
 * @count: executions of the delay per poll, at least 1
 * @pad: placebo iterations per poll
 * @budget: polls between two looks at the stop flag, at least 1
 * @period: acquisitions of which one is timed: a power of two, at least 2
 * @burst: repetitions in one burst, at least 1
 * @hold: placebo iterations inside the lock
 * @think: placebo iterations outside, on average
 * @jitter: how far apart the shortest and the longest think are, iterations
 * @nr_lines: cache lines written inside the lock
 * @limit: time limit of a delay that has one, ticks
 * @backoff_min: turns of the first back-off, at least 1
 * @backoff_max: the most, at least @backoff_min
 */
struct spin_work {
	u32 count;
	u32 pad;
	u32 budget;
	u32 period;
	u32 burst;
	unsigned long hold;
	unsigned long think;
	unsigned long jitter;
	u32 nr_lines;
	u64 limit;
	u32 backoff_min;
	u32 backoff_max;
};

/* What a lock draws while it waits is not what think draws from the same seed. */
#define SPIN_RANDOM_WAITS 0x9e3779b9

/* Distance of the lines that are written inside the lock, bytes. */
#define SPIN_LINE_SIZE 64

/**
 * struct spin_worker - one CPU's loop, as it enters and leaves a window
 * @work: what to do
 * @lock: the lock's memory
 * @node: this CPU's own memory for a queue lock, aligned, zeroed
 * @lines: what is written inside the lock, @work.nr_lines * SPIN_LINE_SIZE bytes
 * @index: this CPU's number in the window, from 0
 * @random: where its random numbers begin, not 0 nor SPIN_RANDOM_WAITS
 * @counter: the word that is only changed by whoever is inside: shared by all
 *	CPUs of a lock that excludes, else this CPU's own
 * @stop: not zero once the window has ended
 * @acquisitions: times that the lock was taken
 * @polls: turns of the wait loop
 * @samples: acquisitions that were timed
 * @sampled_wait: ticks of those, from asking to having
 * @sampled_hold: ticks inside the lock, of those
 * @wait_max: the longest of the waits
 * @waits: account of the times that it polled
 * @hist: the timed waits
 * @patience: how a lock that sleeps waits before it does
 * @parking: account of such a lock
 * @shared: times inside as a reader in which no writer left, so that the
 *	counter and these together are the acquisitions of a lock that excludes
 *
 * What only locks that sleep use is at the end, so that the loops of the others
 * are the same instructions as without it.
 */
struct spin_worker {
	struct spin_work work;
	void *lock;
	void *node;
	char *lines;
	u32 index;
	u32 random;
	u64 *counter;
	const u32 *stop;
	u64 acquisitions;
	u64 polls;
	u64 samples;
	u64 sampled_wait;
	u64 sampled_hold;
	u64 wait_max;
	struct spin_waits waits;
	u32 hist[SPIN_HIST_BUCKETS];
	struct spin_patience patience;
	struct spin_parking parking;
	u64 shared;
};

enum spin_start_state {
	SPIN_FORMING,
	SPIN_GOING,
	SPIN_GONE,
	SPIN_MISSED
};

/**
 * struct spin_start - where the CPUs of a window come together
 * @ready: CPUs that are here
 * @state: enum spin_start_state
 *
 * Zeroed before each window, when nobody is in it.
 */
struct spin_start {
	u32 ready;
	u32 state;
};

/**
 * spin_start_last - come to the start
 * @s: the start
 * @nr: CPUs that are expected
 *
 * Return: true for exactly one CPU, the last of @nr: it sets the window up and
 * calls spin_start_go(), which the others wait for in spin_start_wait(). False
 * for the last one too if the start was missed.
 */
static inline bool spin_start_last(struct spin_start *s, u32 nr)
{
	return spin_fetch_add(&s->ready, 1) == nr - 1 &&
	       spin_compare_swap(&s->state, SPIN_FORMING, SPIN_GOING) ==
		       SPIN_FORMING;
}

/**
 * spin_start_go - let everybody begin
 * @s: the start
 */
static inline void spin_start_go(struct spin_start *s)
{
	spin_store_release(&s->state, SPIN_GONE);
}

/**
 * spin_start_miss - call the window off, unless it has begun
 * @s: the start
 */
static inline void spin_start_miss(struct spin_start *s)
{
	spin_compare_swap(&s->state, SPIN_FORMING, SPIN_MISSED);
}

/**
 * spin_start_wait - wait for the last CPU
 * @s: the start
 * @limit: how long to wait, ticks; beyond it the window is called off for all
 *
 * Return: true if the window has begun, false if it was called off
 */
static inline bool spin_start_wait(struct spin_start *s, u64 limit)
{
	u64 since = spin_clock();
	u32 state;

	for (;;) {
		state = spin_load_acquire(&s->state);
		if (state == SPIN_GONE || state == SPIN_MISSED)
			return state == SPIN_GONE;
		if (spin_clock() - since > limit)
			spin_start_miss(s);
	}
}

/**
 * struct spin_code - a lock's code
 * @acquire: take it; false if the window has ended
 * @release: give it back
 *
 * A constant where it is used, so that both are inlined: nothing is chosen, and
 * nothing called, at run time.
 */
struct spin_code {
	bool (*acquire)(struct spin_context *c, u32 delay, u32 form);
	void (*release)(struct spin_context *c);
};

#define SPIN_CODE(name) \
	((struct spin_code){ spin_##name##_acquire, spin_##name##_release })

/**
 * spin_lock_init - make a lock's memory ready for a window
 * @lock: enum spin_lock_id
 * @memory: a cache line or two, aligned, zeroed
 * @held: leave it taken, by nobody, so that everyone polls
 */
static inline void spin_lock_init_memory(u32 lock, void *memory, bool held)
{
#define SPIN_INIT_CASE(id, name, ...)             \
	case id:                                  \
		spin_##name##_init(memory, held); \
		break;
	switch (lock) {
		SPIN_LOCKS(SPIN_INIT_CASE)
	}
#undef SPIN_INIT_CASE
}

/**
 * struct spin_job - what a CPU does inside and outside of the lock
 * @counter: the exclusion counter
 * @busy: not 0 if there is anything to do inside
 * @hold: placebo iterations inside
 * @nr_lines: lines to write there
 * @lines: where
 * @think: placebo iterations outside
 * @jitter: how far apart the shortest and the longest think are
 * @random: state of the random numbers
 *
 * One test each for inside and outside: what is not asked for costs nothing
 * beside it.
 */
struct spin_job {
	u64 *counter;
	unsigned long busy;
	unsigned long hold;
	u32 nr_lines;
	char *lines;
	unsigned long think;
	unsigned long jitter;
	u32 random;
};

static __always_inline void spin_write_lines(const struct spin_job *job)
{
	u32 i;

	for (i = 0; i < job->nr_lines; i++) {
		u32 *line = (u32 *)(job->lines + i * SPIN_LINE_SIZE);

		WRITE_ONCE(*line, READ_ONCE(*line) + 1);
	}
}

/*
 * The critical section. The counter is read at the entry and written at the
 * exit: two CPUs that are inside at any one time lose a count.
 */
static __always_inline void spin_inside(const struct spin_job *job)
{
	u64 seen = READ_ONCE(*job->counter);

	if (job->busy) {
		spin_chain(job->hold);
		spin_write_lines(job);
	}
	WRITE_ONCE(*job->counter, seen + 1);
}

/* Of a reader, who changes nothing and sees no change. */
static __always_inline void spin_inside_shared(struct spin_worker *w,
					       const struct spin_job *job)
{
	u64 seen = READ_ONCE(*job->counter);
	u32 i;

	if (job->busy) {
		spin_chain(job->hold);
		for (i = 0; i < job->nr_lines; i++)
			READ_ONCE(*(u32 *)(job->lines + i * SPIN_LINE_SIZE));
	}
	w->shared += READ_ONCE(*job->counter) == seen;
}

/* Of every lock that does not share without a trace of the other. */
static __always_inline void contend_inside(struct spin_worker *w,
					   const struct spin_context *c,
					   u32 lock, const struct spin_job *job)
{
	if (lock == SPIN_LOCK_innodb_rwlock && c->shared)
		spin_inside_shared(w, job);
	else
		spin_inside(job);
}

/* Evenly from think - jitter / 2 to think + jitter / 2. */
static __always_inline void spin_think(struct spin_job *job)
{
	unsigned long n = job->think;

	if (!n)
		return;
	if (job->jitter)
		n += (((job->jitter + 1) * (u64)spin_random(&job->random)) >>
		      32) -
		     job->jitter / 2;
	spin_chain(n);
}

static __always_inline void spin_sample(struct spin_worker *w, u64 asked,
					u64 had, u64 left)
{
	u64 wait = had - asked;

	w->samples++;
	w->sampled_wait += wait;
	w->sampled_hold += left - had;
	if (wait > w->wait_max)
		w->wait_max = wait;
	w->hist[spin_hist_bucket(wait)]++;
}

/* One timed acquisition. Return: false if the window ended in its wait. */
static __always_inline bool spin_timed(struct spin_worker *w,
				       struct spin_context *c, u32 lock,
				       const struct spin_code code, u32 delay,
				       u32 form, const struct spin_job *job)
{
	u64 asked, had, left;

	asked = spin_clock();
	if (!code.acquire(c, delay, form))
		return false;
	had = spin_clock();
	contend_inside(w, c, lock, job);
	left = spin_clock();
	code.release(c);
	spin_sample(w, asked, had, left);
	return true;
}

static __always_inline struct spin_context
contend_context(struct spin_worker *w)
{
	return (struct spin_context){
		.lock = w->lock,
		.node = w->node,
		.stop = w->stop,
		.waits = &w->waits,
		.budget = w->work.budget,
		.left = w->work.budget,
		.count = w->work.count,
		.pad = w->work.pad,
		.limit = w->work.limit,
		.index = w->index,
		.backoff_min = w->work.backoff_min,
		.backoff_max = w->work.backoff_max,
		.random = w->random ^ SPIN_RANDOM_WAITS,
		.patience = w->patience,
		.parking = &w->parking,
	};
}

static __always_inline struct spin_job contend_job(const struct spin_worker *w)
{
	return (struct spin_job){
		.counter = w->counter,
		.busy = w->work.hold | w->work.nr_lines,
		.hold = w->work.hold,
		.nr_lines = w->work.nr_lines,
		.lines = w->lines,
		.think = w->work.think,
		.jitter = w->work.jitter,
		.random = w->random,
	};
}

/**
 * spin_contend - one CPU's loop, until the window ends
 * @w: the worker
 * @lock: enum spin_lock_id, constant
 * @code: that lock's code, constant
 * @delay: enum spin_delay_id, constant
 * @form: enum spin_form, constant
 *
 * The inner loop's one counter counts acquisitions and finds the one that is
 * timed. With hold and think zero an acquisition costs nine instructions beside
 * the lock: three for the counter, one each to skip the work inside and outside,
 * two to read the stop flag, two to count.
 */
static __always_inline void spin_contend(struct spin_worker *w, u32 lock,
					 const struct spin_code code, u32 delay,
					 u32 form)
{
	struct spin_context c = contend_context(w);
	struct spin_job job = contend_job(w);
	const u32 period = w->work.period - 1;
	u64 done = 0;
	u32 n;

	w->waits.mask = period / SPIN_WAITS_PER_ACQUISITION;
	for (;;) {
		n = period;
		do {
			if (unlikely(!code.acquire(&c, delay, form)))
				goto out;
			contend_inside(w, &c, lock, &job);
			code.release(&c);
			spin_think(&job);
			n--;
			asm volatile("" : "+r"(n));
			if (unlikely(!n))
				goto timed;
		} while (likely(!READ_ONCE(*c.stop)));
		goto out;
timed:
		done += period;
		n = period;
		if (!spin_timed(w, &c, lock, code, delay, form, &job))
			goto out;
		spin_think(&job);
		/* With the shortest period nobody looks at the flag above. */
		if (unlikely(READ_ONCE(*c.stop)))
			goto out;
	}
out:
	w->acquisitions = done + (period - n) + w->samples;
	w->polls = spin_polls(&c);
}

/**
 * spin_burst - the delay back to back
 * @w: the worker
 * @delay: enum spin_delay_id, constant
 * @form: enum spin_form, constant
 * @copies: copies in one repetition, constant: 1, 16 or 32
 *
 * With the copies laid out one behind the other, the difference between 32 and
 * 16 is sixteen delays and nothing else.
 */
static __always_inline void spin_burst(const struct spin_worker *w, u32 delay,
				       u32 form, u32 copies)
{
	const struct spin_context c = {
		.count = w->work.count,
		.pad = w->work.pad,
		.limit = w->work.limit,
	};
	const u32 *word = w->lock;
	u32 n = w->work.burst;

#define SPIN_COPY spin_poll_delay(&c, delay, form, word, 0)
#define SPIN_4_COPIES      \
	do {               \
		SPIN_COPY; \
		SPIN_COPY; \
		SPIN_COPY; \
		SPIN_COPY; \
	} while (0)
#define SPIN_16_COPIES         \
	do {                   \
		SPIN_4_COPIES; \
		SPIN_4_COPIES; \
		SPIN_4_COPIES; \
		SPIN_4_COPIES; \
	} while (0)
	do {
		if (copies == 1)
			SPIN_COPY;
		if (copies >= 16)
			SPIN_16_COPIES;
		if (copies >= 32)
			SPIN_16_COPIES;
	} while (--n);
#undef SPIN_16_COPIES
#undef SPIN_4_COPIES
#undef SPIN_COPY
}

/**
 * struct spin_loops - the compiled loops, chosen from once a window
 * @contend: by lock, delay and form
 * @twin: by lock and delay: form one once more
 * @burst: by delay, form and copies: 1, 16, 32
 */
struct spin_loops {
	void (*contend[SPIN_LOCK_END][SPIN_DELAY_END]
		      [SPIN_FORMS])(struct spin_worker *w);
	void (*twin[SPIN_LOCK_END][SPIN_DELAY_END])(struct spin_worker *w);
	void (*burst[SPIN_DELAY_END][SPIN_FORMS][3])(struct spin_worker *w);
};

extern const struct spin_loops spin_loops_lse;
extern const struct spin_loops spin_loops_llsc;

#endif /* SPINDELAY_BENCH_CONTEND_H */
