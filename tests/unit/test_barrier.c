// SPDX-License-Identifier: GPL-2.0-or-later
/* The start of a window: everybody waits, and one sets it up. */
#include "unit.h"

#include <pthread.h>
#include <unistd.h>

#include "bench.h"

#define THREADS_MAX 4
#define ROUNDS 50
#define FOREVER (1ULL << 62)

static struct spin_start start;
static u32 nr, arrived, lasts, early, began;
static u64 limit;
static pthread_barrier_t between;

static void come_together(u32 index)
{
	bool go;

	/* One of them is late, another one each time. */
	if (index == arrived % nr)
		usleep(200);
	__atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
	if (spin_start_last(&start, nr)) {
		__atomic_fetch_add(&lasts, 1, __ATOMIC_SEQ_CST);
		spin_start_go(&start);
		go = true;
	} else {
		go = spin_start_wait(&start, limit);
	}
	if (go)
		__atomic_fetch_add(&began, 1, __ATOMIC_SEQ_CST);
	if (go && __atomic_load_n(&arrived, __ATOMIC_SEQ_CST) % nr)
		__atomic_fetch_add(&early, 1, __ATOMIC_SEQ_CST);
}

static void *worker(void *argument)
{
	u32 index = (uintptr_t)argument;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		come_together(index);
		/* Nobody is in the start while it is made ready again. */
		if (pthread_barrier_wait(&between) ==
		    PTHREAD_BARRIER_SERIAL_THREAD)
			memset(&start, 0, sizeof(start));
		pthread_barrier_wait(&between);
	}
	return NULL;
}

static void run(u32 threads)
{
	pthread_t thread[THREADS_MAX];

	nr = threads;
	arrived = 0;
	lasts = 0;
	early = 0;
	began = 0;
	limit = FOREVER;
	memset(&start, 0, sizeof(start));
	pthread_barrier_init(&between, NULL, threads);
	for (u32 i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, worker, (void *)(uintptr_t)i);
	for (u32 i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&between);
}

static void nobody_goes_before_the_last_has_come(void **state)
{
	(void)state;
	for (u32 threads = 2; threads <= THREADS_MAX; threads++) {
		run(threads);
		assert_int_equal(early, 0);
		assert_int_equal(began, threads * ROUNDS);
	}
}

static void exactly_one_is_the_last(void **state)
{
	(void)state;
	for (u32 threads = 1; threads <= THREADS_MAX; threads++) {
		run(threads);
		assert_int_equal(lasts, ROUNDS);
	}
}

static void who_waits_too_long_calls_it_off_for_all(void **state)
{
	(void)state;
	memset(&start, 0, sizeof(start));
	assert_false(spin_start_last(&start, 2));
	assert_false(spin_start_wait(&start, 1000));
	/* The last one comes too late. */
	assert_false(spin_start_last(&start, 2));
	assert_false(spin_start_wait(&start, FOREVER));
}

static void what_has_begun_cannot_be_called_off(void **state)
{
	(void)state;
	memset(&start, 0, sizeof(start));
	assert_true(spin_start_last(&start, 1));
	spin_start_miss(&start);
	spin_start_go(&start);
	assert_true(spin_start_wait(&start, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_goes_before_the_last_has_come),
		cmocka_unit_test(exactly_one_is_the_last),
		cmocka_unit_test(who_waits_too_long_calls_it_off_for_all),
		cmocka_unit_test(what_has_begun_cannot_be_called_off),
	};

	return cmocka_run_group_tests_name("barrier", tests, NULL, NULL);
}
