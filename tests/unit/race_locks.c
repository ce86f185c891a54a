// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that share plain memory under a lock, for the thread sanitizer: it
 * sees whether acquire and release order what happens in between.
 *
 *	race_locks LOCK
 *
 * Ends with 66, the sanitizer's own, if there is a race.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define THREADS 3
#define TURNS 3000

static _Alignas(128) u8 memory[256];
static u64 shared;
static u32 lock;
static u32 never;

static bool acquire(struct spin_context *c)
{
#define ACQUIRE_CASE(id, name, ...) \
	case id:                    \
		return spin_##name##_acquire(c, SPIN_DELAY_yield, SPIN_ONE);
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

static void *worker(void *argument)
{
	struct spin_waits waits = { .mask = 15 };
	struct spin_context c = { .lock = memory,
				  .waits = &waits,
				  .node = argument,
				  .stop = &never,
				  .budget = 100,
				  .left = 100,
				  .count = 1 };

	for (unsigned int i = 0; i < TURNS; i++) {
		if (!acquire(&c))
			abort();
		shared++;
		release(&c);
	}
	return NULL;
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
	static _Alignas(128) u8 nodes[THREADS][256];
	pthread_t threads[THREADS];
	int id = argc == 2 ? find_lock(argv[1]) : -1;

	if (id < 0)
		return 2;
	lock = id;
	spin_lock_init_memory(lock, memory, false);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, nodes[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return shared != (u64)THREADS * TURNS;
}
