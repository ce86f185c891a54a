// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How to use spindelay/spin_delay.h: a spinlock, two threads that contend for
 * it, and a count that is right only if it locks. C and C++.
 *
 *	cc -O2 spin.c -lpthread
 */
#include <pthread.h>
#include <stdio.h>

#include <spindelay/spin_delay.h>

#define THREADS 2
#define TURNS 200000

static int all_there;
static int lock_word;
static unsigned long count;

static void lock(void)
{
	while (__atomic_exchange_n(&lock_word, 1, __ATOMIC_ACQUIRE))
		while (__atomic_load_n(&lock_word, __ATOMIC_RELAXED))
			spin_delay();
}

static void unlock(void)
{
	__atomic_store_n(&lock_word, 0, __ATOMIC_RELEASE);
}

static void *take_turns(void *unused)
{
	unsigned long seen;
	int turn;

	while (!__atomic_load_n(&all_there, __ATOMIC_ACQUIRE))
		spin_delay();
	for (turn = 0; turn < TURNS; turn++) {
		lock();
		/* Not at once, so that it comes to light if it doesn't lock. */
		seen = count;
		spin_delay();
		count = seen + 1;
		unlock();
	}
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, take_turns, NULL)) {
			fprintf(stderr, "spin: A thread could not be made.\n");
			return 1;
		}
	}
	__atomic_store_n(&all_there, 1, __ATOMIC_RELEASE);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);

	printf("delay: %s\n", spin_delay_name());
	printf("turns: %lu of %d\n", count, THREADS * TURNS);
	return count != THREADS * TURNS;
}
