// SPDX-License-Identifier: GPL-2.0-or-later
/* PostgreSQL's spinlock against PostgreSQL's arithmetic, in one thread. */
#include "unit.h"

/* The knob's delay is a hook: it counts, and can do what another CPU would. */
static void on_delay(void);
#define SPIN_KNOB(word, seen) on_delay()
#include "bench.h"

static _Alignas(128) u8 memory[256];
static struct spin_waits waits;
static struct spin_parking parking;
static struct spin_context context;
static u32 stop;
static u64 delays;
static u64 free_at;

static void on_delay(void)
{
	if (++delays == free_at)
		((struct spin_postgres_slock *)memory)->word = 0;
}

static void prepare(u32 spins)
{
	memset(memory, 0, sizeof(memory));
	memset(&waits, 0, sizeof(waits));
	memset(&parking, 0, sizeof(parking));
	stop = 0;
	delays = 0;
	free_at = 0;
	context = (struct spin_context){ .lock = memory,
					 .stop = &stop,
					 .waits = &waits,
					 .parking = &parking,
					 .budget = UINT32_MAX,
					 .left = UINT32_MAX,
					 .count = 1,
					 .random = 1,
					 .patience.rounds = spins };
}

static bool acquire(void)
{
	return spin_postgres_slock_acquire(&context, SPIN_DELAY_knob, SPIN_ONE);
}

/* As many delays as looks that fail, whatever was learnt. */
static void it_looks_so_often_before_it_sleeps(void **state)
{
	static const u32 spins[] = { 1, 10, 100, 999, 1000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spins); i++) {
		prepare(spins[i]);
		spin_postgres_slock_init(memory, true);
		stop = 1;
		assert_false(acquire());
		assert_int_equal(delays, spins[i]);
		assert_int_equal(spin_polls(&context), spins[i]);
		assert_int_equal(parking.parks, 0);
		assert_int_equal(waits.spins, 1);
	}
}

/* Freed while it sleeps it is taken at the look behind, and that is learnt. */
static void it_sleeps_and_looks_on(void **state)
{
	(void)state;
	prepare(100);
	spin_postgres_slock_init(memory, true);
	free_at = 250;
	assert_true(acquire());
	assert_int_equal(delays, 250);
	assert_int_equal(parking.parks, 2);
	assert_int_equal(context.patience.rounds, 99);
}

static void it_learns_from_what_did_not_sleep(void **state)
{
	static const u32 learnt[] = { 200, 300, 400, 500,  600,
				      700, 800, 900, 1000, 1000 };

	(void)state;
	prepare(100);
	for (size_t i = 0; i < ARRAY_SIZE(learnt); i++) {
		spin_postgres_slock_init(memory, true);
		delays = 0;
		free_at = 50;
		assert_true(acquire());
		assert_int_equal(delays, 50);
		assert_int_equal(context.patience.rounds, learnt[i]);
	}
	/* What is free at once teaches nothing. */
	prepare(100);
	assert_true(acquire());
	assert_int_equal(context.patience.rounds, 100);
}

static void what_is_learnt_stays_in_its_bounds(void **state)
{
	(void)state;
	assert_int_equal(spin_postgres_learn(10, true), 10);
	assert_int_equal(spin_postgres_learn(11, true), 10);
	assert_int_equal(spin_postgres_learn(1000, true), 999);
	assert_int_equal(spin_postgres_learn(10, false), 110);
	assert_int_equal(spin_postgres_learn(899, false), 999);
	assert_int_equal(spin_postgres_learn(901, false), 1000);
	assert_int_equal(spin_postgres_learn(1000, false), 1000);
	/* More than can be learnt is kept: of a lock that nobody frees. */
	assert_int_equal(spin_postgres_learn(UINT32_MAX, false), UINT32_MAX);
}

/* Longer by a random part of itself, up to a second, then from the start. */
static void sleeps_grow_and_begin_again(void **state)
{
	u32 random = 12345, us = SPIN_POSTGRES_NAP_MIN_US, next, again = 0;
	double growth = 0, grown = 0;

	(void)state;
	for (u32 i = 0; i < 100000; i++) {
		next = spin_postgres_next_nap(us, &random);
		assert_in_range(next, SPIN_POSTGRES_NAP_MIN_US,
				SPIN_POSTGRES_NAP_MAX_US);
		if (next == SPIN_POSTGRES_NAP_MIN_US && us > next) {
			/* Only where doubling could have gone beyond. */
			assert_true(us > SPIN_POSTGRES_NAP_MAX_US / 2);
			again++;
		} else {
			assert_true(next >= us && next <= 2 * us + 1);
			growth += (double)next / us - 1;
			grown++;
		}
		us = next;
	}
	assert_true(again > 1000);
	/* Half on average, less what went beyond. */
	assert_true(growth / grown > 0.4 && growth / grown < 0.5);
}

static void the_end_of_a_window_ends_a_sleep(void **state)
{
	(void)state;
	prepare(10);
	spin_postgres_slock_init(memory, true);
	spin_window_end(memory, &stop);
	/* A sleep on the flag for a second, were the flag not there. */
	assert_false(spin_nap(&context, 1000000));
	assert_int_equal(parking.parks, 0);
	spin_park(&stop, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_looks_so_often_before_it_sleeps),
		cmocka_unit_test(it_sleeps_and_looks_on),
		cmocka_unit_test(it_learns_from_what_did_not_sleep),
		cmocka_unit_test(what_is_learnt_stays_in_its_bounds),
		cmocka_unit_test(sleeps_grow_and_begin_again),
		cmocka_unit_test(the_end_of_a_window_ends_a_sleep),
	};

	return cmocka_run_group_tests_name("postgres", tests, NULL, NULL);
}
