/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that sleep for a lock, and whoever waits for them to end: for the
 * tests of locks that do. Include bench.h first.
 */
#ifndef SPINDELAY_TEST_SLEEPERS_H
#define SPINDELAY_TEST_SLEEPERS_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Nobody gets in for so long: a sleeper has been forgotten. */
#define SECONDS 60
#define THREADS 8

/**
 * struct shared - what threads share, each part on lines of its own
 * @lock: the lock
 * @inside: who is there: plain, so that two at once lose a count
 * @stop: the window has ended
 * @turn: whose turn it is, of two
 */
static struct shared {
	_Alignas(128) u8 lock[256];
	_Alignas(128) u64 inside;
	_Alignas(128) u32 stop;
	_Alignas(128) u32 turn;
} shared;

/**
 * struct thread - one of them
 * @turns: times that it should get in
 * @taken: times that it has got in
 * @writes: of those, as a writer
 * @disturbed: as a reader, while there was a writer
 */
struct thread {
	_Alignas(128) struct spin_context c;
	struct spin_waits waits;
	struct spin_parking parking;
	u64 turns;
	u64 taken;
	u64 writes;
	u64 disturbed;
	pthread_t id;
};

static struct thread threads[THREADS];

static bool is_full(void)
{
	const char *full = getenv("FULL");

	return full && !strcmp(full, "1");
}

static void prepare_thread(struct thread *t,
			   const struct spin_patience *patience, u64 turns)
{
	t->turns = turns;
	t->c = (struct spin_context){ .lock = shared.lock,
				      .stop = &shared.stop,
				      .waits = &t->waits,
				      .parking = &t->parking,
				      .budget = 64,
				      .left = 64,
				      .count = 1,
				      .index = t - threads,
				      .random = t - threads + 1,
				      .patience = *patience };
}

static void begin(void *(*run)(void *), u32 nr,
		  const struct spin_patience *patience, u64 turns)
{
	memset(threads, 0, sizeof(threads));
	for (u32 i = 0; i < nr; i++)
		prepare_thread(&threads[i], patience, turns);
	for (u32 i = 0; i < nr; i++)
		pthread_create(&threads[i].id, NULL, run, &threads[i]);
}

static u64 sum_parks(void)
{
	u64 sum = 0;

	for (u32 i = 0; i < THREADS; i++)
		sum += READ_ONCE(threads[i].parking.parks);
	return sum;
}

static u64 sum_taken(void)
{
	u64 sum = 0;

	for (u32 i = 0; i < THREADS; i++)
		sum += READ_ONCE(threads[i].taken);
	return sum;
}

/* Return: false if it has not ended, and nobody has got in any more either. */
static bool ended(struct thread *t)
{
	struct timespec until;
	u64 taken;

	do {
		taken = sum_taken();
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += SECONDS;
		if (!pthread_timedjoin_np(t->id, NULL, &until))
			return true;
	} while (sum_taken() != taken);
	return false;
}

static void end(u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (!ended(&threads[i]))
			fail_msg("thread %u sleeps and nobody wakes it", i);
}

#endif /* SPINDELAY_TEST_SLEEPERS_H */
