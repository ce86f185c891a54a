// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that share plain memory under a lock, for the thread sanitizer: it
 * sees whether acquire and release order what happens in between.
 *
 *	race_locks LOCK THREADS HOLD
 *
 * First a number of turns that all of them finish, then turns until the window
 * ends, when whoever waits has to give up. HOLD is placebo iterations inside,
 * with a yield, so that the others meet a taken lock. Ends with 66, the
 * sanitizer's own, if there is a race, with 1 if two were inside at once.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* There may be more threads than CPUs: a poll lets the others run. */
#define SPIN_KNOB(word, seen) sched_yield()
#include "bench.h"

#define THREADS_MAX 16
#define ACQUISITIONS 800
#define WINDOW_US 3000
/* Of whoever is stuck, so that the test ends. */
#define SECONDS 60

static _Alignas(128) u8 memory[256];
static _Alignas(128) u8 nodes[THREADS_MAX][256];
static pthread_barrier_t begin;
static u64 shared;
static u64 taken;
static u64 read_only;
static __thread u64 seen;
static u32 lock;
static u32 nr_threads;
static u64 hold;
static u32 stop;
static bool stops;

static bool acquire(struct spin_context *c)
{
#define ACQUIRE_CASE(id, name, ...) \
	case id:                    \
		return spin_##name##_acquire(c, SPIN_DELAY_knob, SPIN_ONE);
	switch (lock) {
		SPIN_LOCKS(ACQUIRE_CASE)
	}
	return false;
}

static void release(struct spin_context *c)
{
#define RELEASE_CASE(id, name, ...)       \
	case id:                          \
		spin_##name##_release(c); \
		break;
	switch (lock) {
		SPIN_LOCKS(RELEASE_CASE)
	}
}

static void inside(const struct spin_context *c)
{
	/* A reader reads what a writer writes. */
	if (c->shared)
		seen += shared;
	else
		shared++;
	if (!hold)
		return;
	spin_chain(hold);
	sched_yield();
}

static u64 take_turns(struct spin_context *c)
{
	const u64 turns = stops ? ~0ULL : ACQUISITIONS / nr_threads;
	u64 n, readers = 0;

	for (n = 0; n < turns && !(stops && READ_ONCE(stop)); n++) {
		if (!acquire(c))
			break;
		inside(c);
		readers += c->shared;
		release(c);
	}
	__atomic_fetch_add(&read_only, readers, __ATOMIC_RELAXED);
	if (!stops && n != turns)
		abort();
	return n;
}

static void *worker(void *argument)
{
	struct spin_waits waits = { .mask = 15 };
	struct spin_parking parking = { 0 };
	const u32 index = (u8(*)[256])argument - nodes;
	struct spin_context c = { .lock = memory,
				  .waits = &waits,
				  .parking = &parking,
				  .node = argument,
				  .stop = &stop,
				  .budget = 7,
				  .left = 7,
				  .count = 1,
				  .index = index,
				  .backoff_min = 1,
				  .backoff_max = 8,
				  .random = index + 1,
				  .patience.delay_max = 6,
				  .patience.multiplier = 2,
				  .patience.rounds = 3,
				  .patience.read_share = 60,
				  .patience.preset = UNIT_SLEEPY_PRESET };

	pthread_barrier_wait(&begin);
	__atomic_fetch_add(&taken, take_turns(&c), __ATOMIC_RELAXED);
	return NULL;
}

#define LOCK_TRAITS(id, name, spelling, traits) [id] = traits,
static const u32 traits[] = { SPIN_LOCKS(LOCK_TRAITS) };

/* Return: whether nobody's turn was lost. */
static bool run(void)
{
	pthread_t threads[THREADS_MAX];

	shared = 0;
	taken = 0;
	read_only = 0;
	stop = 0;
	memset(memory, 0, sizeof(memory));
	memset(nodes, 0, sizeof(nodes));
	spin_lock_init_memory(lock, memory, false);
	for (u32 i = 0; i < nr_threads; i++)
		pthread_create(&threads[i], NULL, worker, nodes[i]);
	pthread_barrier_wait(&begin);
	if (stops) {
		usleep(WINDOW_US);
		if (traits[lock] & SPIN_PARKS)
			spin_window_end(memory, &stop);
		else
			WRITE_ONCE(stop, 1);
	}
	for (u32 i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	return shared + read_only == taken;
}

#define LOCK_SPELLING(id, name, spelling, ...) [id] = spelling,
static const char *const spellings[] = { SPIN_LOCKS(LOCK_SPELLING) };

static int find_lock(const char *name)
{
	for (int id = 0; id < SPIN_LOCK_END; id++)
		if (!strcmp(spellings[id], name))
			return id;
	return -1;
}

int main(int argc, char **argv)
{
	int id = argc == 4 ? find_lock(argv[1]) : -1;

	if (id < 0)
		return 2;
	lock = id;
	nr_threads = atoi(argv[2]);
	hold = atoi(argv[3]);
	if (nr_threads < 2 || nr_threads > THREADS_MAX)
		return 2;
	alarm(SECONDS);
	pthread_barrier_init(&begin, NULL, nr_threads + 1);
	if (!run())
		return 1;
	stops = true;
	return !run();
}
