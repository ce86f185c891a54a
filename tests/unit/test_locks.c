// SPDX-License-Identifier: GPL-2.0-or-later
/* The loops of the bench, every lock x delay x form, with real threads. */
#include "unit.h"

#include <pthread.h>
#include <unistd.h>

#include "bench.h"
#include "lib/names.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define SPIN_LOOP(name) loop_##name
#define SPIN_LOOPS loops_c11
#include "bench/loops.h"

#define THREADS_MAX 4
#define WINDOW_US 3000
#define PERIOD 16
#define LINES 3
/* So few that the locks that sleep do. */
#define ROUNDS 2
/* Beside the forms. */
#define SPIN_TWIN SPIN_FORMS

/* A window: what its threads share, each on lines of its own. */
struct window {
	_Alignas(128) u8 lock[256];
	_Alignas(128) u64 counter;
	_Alignas(128) u32 lines[LINES + 1][SPIN_LINE_SIZE / sizeof(u32)];
	_Alignas(128) u32 stop;
	_Alignas(128) struct spin_start start;
	u32 nr;
	void (*loop)(struct spin_worker *worker);
};

struct thread {
	_Alignas(128) u8 node[256];
	u64 own_counter;
	struct spin_worker worker;
	struct window *window;
	pthread_t id;
};

static struct thread threads[THREADS_MAX];

static void *thread_run(void *argument)
{
	struct thread *thread = argument;
	struct window *window = thread->window;

	if (spin_start_last(&window->start, window->nr))
		spin_start_go(&window->start);
	else
		spin_start_wait(&window->start, 1ULL << 62);
	window->loop(&thread->worker);
	return NULL;
}

static void prepare(struct window *window, struct thread *thread,
		    const struct lock_name *lock, bool held)
{
	memset(thread, 0, sizeof(*thread));
	thread->window = window;
	thread->worker.lock = window->lock;
	thread->worker.node = thread->node;
	thread->worker.lines = (char *)window->lines;
	thread->worker.index = thread - threads;
	thread->worker.random = thread - threads + 1;
	thread->worker.stop = &window->stop;
	thread->worker.counter = lock->traits & SPIN_EXCLUDES ?
					 &window->counter :
					 &thread->own_counter;
	thread->worker.work = (struct spin_work){ .count = 2,
						  .pad = 3,
						  .budget = 64,
						  .period = PERIOD,
						  .burst = 3,
						  .hold = 20,
						  .think = 5,
						  .jitter = 9,
						  .nr_lines = LINES,
						  .backoff_min = 1,
						  .backoff_max = 8 };
	thread->worker.patience =
		(struct spin_patience){ .delay_max = 6,
					.multiplier = 3,
					.rounds = held ? UINT32_MAX : ROUNDS,
					.preset = UNIT_SLEEPY_PRESET };
	if (held)
		thread->worker.patience.preset.looks = 0;
}

/* Run a window; returns acquisitions of all threads. */
static u64 run(struct window *window, const struct lock_name *lock, u32 delay,
	       u32 form, u32 nr, bool held)
{
	u64 sum = 0;

	memset(window, 0, sizeof(*window));
	window->nr = nr;
	window->loop = form == SPIN_TWIN ?
			       loops_c11.twin[lock->id][delay] :
			       loops_c11.contend[lock->id][delay][form];
	spin_lock_init_memory(lock->id, window->lock, held);
	for (u32 i = 0; i < nr; i++)
		prepare(window, &threads[i], lock, held);
	for (u32 i = 0; i < nr; i++)
		pthread_create(&threads[i].id, NULL, thread_run, &threads[i]);
	/* A busy machine may take long to bring them together. */
	while (spin_load_acquire(&window->start.state) != SPIN_GONE)
		usleep(100);
	usleep(WINDOW_US);
	if (lock->traits & SPIN_PARKS)
		spin_window_end(window->lock, &window->stop);
	else
		WRITE_ONCE(window->stop, 1);
	for (u32 i = 0; i < nr; i++) {
		pthread_join(threads[i].id, NULL);
		sum += threads[i].worker.acquisitions;
	}
	return sum;
}

static bool excludes(const struct lock_name *lock)
{
	return (lock->traits & SPIN_EXCLUDES) && lock->id != SPIN_LOCK_broken;
}

static bool fits(const struct lock_name *lock, u32 nr)
{
	return !(lock->traits & SPIN_PAIR) || nr == 2;
}

static void no_acquisition_is_lost(void **state)
{
	const struct lock_name *locks;
	struct window window;
	size_t nr_locks;
	u64 sum;

	(void)state;
	locks = lock_names(&nr_locks);
	for (size_t l = 0; l < nr_locks; l++) {
		if (!excludes(&locks[l]))
			continue;
		for (u32 nr = 1; nr <= THREADS_MAX; nr++) {
			if (!fits(&locks[l], nr))
				continue;
			sum = run(&window, &locks[l], nr % SPIN_DELAY_END,
				  nr % SPIN_FORMS, nr, false);
			assert_true(sum > 0);
			assert_int_equal(window.counter, sum);
			/* Written under the lock, so none is lost there. */
			for (u32 i = 0; i < LINES; i++)
				assert_int_equal(window.lines[i][0], (u32)sum);
			assert_int_equal(window.lines[LINES][0], 0);
		}
	}
}

static void every_compiled_loop_runs_and_stops(void **state)
{
	const struct lock_name *locks;
	struct window window;
	size_t nr_locks;
	u64 sum;

	(void)state;
	locks = lock_names(&nr_locks);
	for (size_t l = 0; l < nr_locks; l++) {
		for (u32 d = 0; d < SPIN_DELAY_END; d++) {
			for (u32 f = 0; f <= SPIN_TWIN; f++) {
				sum = run(&window, &locks[l], d, f, 2, false);
				assert_true(sum > 0);
				if (excludes(&locks[l]))
					assert_int_equal(window.counter, sum);
			}
		}
	}
}

static void the_broken_lock_is_caught(void **state)
{
	const struct lock_name *broken = lock_by_id(SPIN_LOCK_broken);
	struct window window;

	(void)state;
	for (int i = 0; i < 2000; i++)
		if (run(&window, broken, SPIN_DELAY_nop, SPIN_ONE, 2, false) >
		    window.counter)
			return;
	fail_msg("2000 windows without a lost count");
}

static void a_lock_that_does_not_exclude_counts_for_itself(void **state)
{
	struct window window;
	u64 sum;

	(void)state;
	sum = run(&window, lock_by_id(SPIN_LOCK_nolock), SPIN_DELAY_nop,
		  SPIN_ONE, 2, false);
	assert_int_equal(window.counter, 0);
	assert_int_equal(threads[0].own_counter + threads[1].own_counter, sum);
}

static void samples_are_one_in_the_period(void **state)
{
	struct window window;
	const struct spin_worker *w = &threads[0].worker;
	u64 hits = 0;

	(void)state;
	run(&window, lock_by_id(SPIN_LOCK_ttas), SPIN_DELAY_nop, SPIN_ONE, 1,
	    false);
	for (u32 b = 0; b < SPIN_HIST_BUCKETS; b++)
		hits += w->hist[b];
	assert_int_equal(hits, w->samples);
	assert_int_equal(w->samples, w->acquisitions / PERIOD);
	assert_true(w->wait_max <= w->sampled_wait);
	/* Alone, nobody ever polls. */
	assert_int_equal(w->polls, 0);
	assert_int_equal(w->waits.timed, w->waits.spins / PERIOD);
}

/* Both threads polled, which a busy machine may not let them do at once. */
static bool held_polls(const struct lock_name *lock)
{
	struct window window;

	for (int i = 0; i < 200; i++) {
		assert_int_equal(run(&window, lock, SPIN_DELAY_yield, SPIN_ONE,
				     2, true),
				 0);
		/* Given up only where the budget of 64 has run out. */
		assert_int_equal(threads[0].worker.polls % 64, 0);
		if (threads[0].worker.polls > 64 &&
		    threads[1].worker.polls > 64)
			return true;
	}
	return false;
}

static void a_held_lock_is_polled_to_the_end(void **state)
{
	const struct lock_name *locks;
	size_t nr_locks;

	(void)state;
	locks = lock_names(&nr_locks);
	for (size_t l = 0; l < nr_locks; l++)
		if (locks[l].traits & SPIN_POLLS)
			assert_true(held_polls(&locks[l]));
}

static void bursts_of_every_delay_run(void **state)
{
	struct spin_worker worker = { 0 };
	u32 word = 0;

	(void)state;
	worker.lock = &word;
	worker.work.count = 2;
	worker.work.pad = 3;
	worker.work.burst = 5;
	for (u32 d = 0; d < SPIN_DELAY_END; d++)
		for (u32 f = 0; f < SPIN_FORMS; f++)
			for (u32 c = 0; c < 3; c++)
				loops_c11.burst[d][f][c](&worker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_acquisition_is_lost),
		cmocka_unit_test(every_compiled_loop_runs_and_stops),
		cmocka_unit_test(the_broken_lock_is_caught),
		cmocka_unit_test(
			a_lock_that_does_not_exclude_counts_for_itself),
		cmocka_unit_test(samples_are_one_in_the_period),
		cmocka_unit_test(a_held_lock_is_polled_to_the_end),
		cmocka_unit_test(bursts_of_every_delay_run),
	};

	return cmocka_run_group_tests_name("locks", tests, NULL, NULL);
}
