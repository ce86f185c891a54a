// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the last one to come writes before it lets the others go, they read
 * afterwards: plain memory, so that the thread sanitizer sees whether the start
 * orders it. Ends with 66, the sanitizer's own, if there is a race.
 */
#include <pthread.h>
#include <string.h>

#include "bench.h"

#define THREADS 3
#define ROUNDS 200

static struct spin_start starts[ROUNDS];
static u64 plain[ROUNDS];

static void *worker(void *argument)
{
	u64 *sum = argument;

	for (unsigned int r = 0; r < ROUNDS; r++) {
		if (spin_start_last(&starts[r], THREADS)) {
			plain[r] = 1;
			spin_start_go(&starts[r]);
		} else {
			spin_start_wait(&starts[r], 1ULL << 62);
		}
		*sum += plain[r];
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	u64 sums[THREADS] = { 0 };

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, &sums[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return sums[0] + sums[1] + sums[2] != THREADS * ROUNDS;
}
