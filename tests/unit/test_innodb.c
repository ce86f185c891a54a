// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * InnoDB's locks against InnoDB's arithmetic, in one thread, and that nobody
 * who sleeps is forgotten, in more threads than there are CPUs.
 */
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

/* The knob's delay is a hook: it counts, and can do what another CPU would. */
static void on_delay(void);
#define SPIN_KNOB(word, seen) on_delay()
#include "bench.h"
#include "sleepers.h"

static _Alignas(128) u8 memory[256];
static struct spin_waits waits;
static struct spin_parking parking;
static struct spin_context context;
static u32 stop;
static __thread u64 delays;
static __thread u64 act_at;
static __thread void (*act)(void);

static void on_delay(void)
{
	if (++delays == act_at)
		act();
}

/* A budget that is never used up: what ends a wait is the lock's own doing. */
static void prepare(u32 seed, u32 delay_max, u32 multiplier, u32 rounds)
{
	memset(memory, 0, sizeof(memory));
	memset(&waits, 0, sizeof(waits));
	memset(&parking, 0, sizeof(parking));
	stop = 0;
	delays = 0;
	act_at = 0;
	context = (struct spin_context){ .lock = memory,
					 .stop = &stop,
					 .waits = &waits,
					 .parking = &parking,
					 .budget = UINT32_MAX,
					 .left = UINT32_MAX,
					 .count = 1,
					 .random = seed,
					 .patience.delay_max = delay_max,
					 .patience.multiplier = multiplier,
					 .patience.rounds = rounds };
}

/* The stream in words of its own: the factor of each round. */
static u32 factor(u32 *state, u32 delay_max)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return ((u64)*state * delay_max) / (1ULL << 32);
}

static u64 delays_of(u32 seed, u32 delay_max, u32 multiplier, u32 rounds)
{
	u64 sum = 0;

	while (rounds--)
		sum += factor(&seed, delay_max) * (u64)multiplier;
	return sum;
}

/* ---- the mutex ---- */

static bool mutex_acquire(void)
{
	return spin_innodb_mutex_acquire(&context, SPIN_DELAY_knob, SPIN_ONE);
}

/* One who waits until it would sleep, which the end of the window forbids. */
static void wait_out(u32 seed, u32 delay_max, u32 multiplier, u32 rounds)
{
	prepare(seed, delay_max, multiplier, rounds);
	spin_innodb_mutex_init(memory, true);
	stop = 1;
	assert_false(mutex_acquire());
}

static void a_fixed_stream_gives_the_exact_number_of_delays(void **state)
{
	static const u32 maxima[] = { 2, 3, 6, 7, 100, 6000 };
	static const u32 multipliers[] = { 1, 50, 100 };
	u64 expected;

	(void)state;
	for (size_t d = 0; d < ARRAY_SIZE(maxima); d++) {
		for (size_t m = 0; m < ARRAY_SIZE(multipliers); m++) {
			for (u32 seed = 1; seed < 20; seed += 6) {
				wait_out(seed * 2654435761U, maxima[d],
					 multipliers[m], 30);
				expected =
					delays_of(seed * 2654435761U, maxima[d],
						  multipliers[m], 30);
				assert_int_equal(delays, expected);
				assert_int_equal(spin_polls(&context), delays);
				assert_int_equal(parking.rounds, 30);
				assert_int_equal(parking.yields, 1);
				assert_int_equal(parking.parks, 0);
				assert_int_equal(waits.spins, 1);
			}
		}
	}
}

/* As computed elsewhere: the factors of the first CPU at the default settings. */
static void the_first_rounds_are_known(void **state)
{
	static const u32 known[] = { 1, 5, 5, 0, 2, 5, 3, 5, 5, 0, 3, 3 };
	u64 sum = 0;

	(void)state;
	for (u32 rounds = 1; rounds <= ARRAY_SIZE(known); rounds++) {
		sum += known[rounds - 1] * 50;
		wait_out(1 ^ SPIN_RANDOM_WAITS, 6, 50, rounds);
		assert_int_equal(delays, sum);
	}
}

/* The factor is below spin_wait_delay, each value as often as any other. */
static void factors_are_even_and_below_the_setting(void **state)
{
	u32 counts[6] = { 0 };

	(void)state;
	prepare(12345, 6, 1, 30);
	for (int i = 0; i < 60000; i++) {
		delays = 0;
		assert_true(spin_ut_delay(&context, SPIN_DELAY_knob, SPIN_ONE,
					  (u32 *)memory, 0));
		assert_true(delays < 6);
		counts[delays]++;
	}
	for (int i = 0; i < 6; i++)
		assert_in_range(counts[i], 9600, 10400);
}

/* A setting of 0, or of 1 which leaves 0, is no delay; it ends all the same. */
static void rounds_without_a_delay_end_with_the_window(void **state)
{
	(void)state;
	for (u32 delay_max = 0; delay_max < 2; delay_max++) {
		prepare(1, delay_max, 50, UINT32_MAX);
		spin_innodb_mutex_init(memory, true);
		stop = 1;
		assert_false(mutex_acquire());
		assert_int_equal(delays, 0);
		assert_int_equal(parking.rounds, 1);
	}
}

/* InnoDB's loop looks and delays once before it counts. */
static void no_rounds_are_one(void **state)
{
	(void)state;
	wait_out(77, 6, 50, 0);
	assert_int_equal(parking.rounds, 1);
	assert_int_equal(parking.yields, 1);
	assert_int_equal(delays, delays_of(77, 6, 50, 1));
}

static void mutex_free(void)
{
	WRITE_ONCE(((struct spin_innodb_mutex *)memory)->word, 0);
}

/* Freed in the middle of a round it is found free at the next look. */
static void a_lock_that_is_freed_is_taken_at_the_next_look(void **state)
{
	u64 looked;
	u32 rounds;

	(void)state;
	for (u64 at = 1; at < 5000; at += 1 + at / 5) {
		prepare(99, 6, 50, 1000);
		spin_innodb_mutex_init(memory, true);
		act = mutex_free;
		act_at = at;
		assert_true(mutex_acquire());
		for (rounds = 0, looked = 0; looked < at; rounds++)
			looked = delays_of(99, 6, 50, rounds + 1);
		assert_int_equal(delays, looked);
		assert_int_equal(parking.rounds, rounds);
		assert_int_equal(parking.yields, 0);
	}
}

/* Who leaves signals an event if somebody waits, and only then. */
static void who_leaves_signals_once(void **state)
{
	struct spin_innodb_mutex *l = (void *)memory;

	(void)state;
	prepare(1, 6, 50, 30);
	assert_true(mutex_acquire());
	spin_innodb_mutex_release(&context);
	assert_int_equal(l->event, 0);
	assert_true(mutex_acquire());
	l->waiters = 1;
	spin_innodb_mutex_release(&context);
	assert_int_equal(l->event, 1);
	assert_int_equal(l->waiters, 0);
	/* Whoever has read the event before does not sleep any more. */
	spin_park(&l->event, 0, 0);
}

/* A waiter that is about to sleep when the window ends does not either. */
static void the_end_of_a_window_changes_every_event(void **state)
{
	struct spin_events *e = (void *)memory;

	(void)state;
	prepare(1, 6, 50, 30);
	spin_window_end(memory, &stop);
	assert_int_equal(stop, 1);
	assert_int_equal(e->event[0], 1);
	assert_int_equal(e->event[1], 1);
	assert_ptr_equal(&((struct spin_innodb_mutex *)e)->event, &e->event[0]);
	assert_ptr_equal(&((struct spin_innodb_rwlock *)e)->event,
			 &e->event[0]);
	assert_ptr_equal(&((struct spin_innodb_rwlock *)e)->readers_left,
			 &e->event[1]);
}

/* ---- the rw-lock ---- */

static bool rwlock_acquire(void)
{
	return spin_innodb_rwlock_acquire(&context, SPIN_DELAY_knob, SPIN_ONE);
}

static void prepare_rwlock(u32 word, u32 seed, u32 rounds, u32 read_share)
{
	prepare(seed, 6, 50, rounds);
	context.patience.read_share = read_share;
	((struct spin_innodb_rwlock *)memory)->word = word;
}

/* Delays behind the one random number that chooses between reader and writer. */
static u64 delays_behind_choice(u32 seed, u32 rounds)
{
	factor(&seed, 1);
	return delays_of(seed, 6, 50, rounds);
}

/* While a writer is inside, readers and writers poll alike. */
static void a_writer_inside_is_polled_for_exactly(void **state)
{
	(void)state;
	for (u32 share = 0; share <= 100; share += 100) {
		for (u32 rounds = 0; rounds < 40; rounds += 3) {
			prepare_rwlock(0, 4711, rounds, share);
			stop = 1;
			assert_false(rwlock_acquire());
			assert_int_equal(context.shared, share == 100);
			assert_int_equal(delays,
					 delays_behind_choice(4711, rounds));
			assert_int_equal(parking.rounds, rounds);
			assert_int_equal(parking.yields, 1);
			assert_int_equal(parking.parks, 0);
		}
	}
}

/* InnoDB delays before it counts there, so once more; and does not yield. */
static void readers_inside_are_polled_for_exactly(void **state)
{
	struct spin_innodb_rwlock *l = (void *)memory;

	(void)state;
	for (u32 rounds = 0; rounds < 40; rounds += 3) {
		prepare_rwlock(SPIN_INNODB_WRITER - 2, 815, rounds, 0);
		stop = 1;
		assert_false(rwlock_acquire());
		assert_int_equal(l->word, (u32)-2);
		assert_int_equal(delays, delays_behind_choice(815, rounds + 1));
		assert_int_equal(parking.rounds, rounds + 1);
		assert_int_equal(parking.yields, 0);
	}
}

static void one_reader_leaves(void)
{
	struct spin_context reader = context;

	reader.shared = true;
	spin_innodb_rwlock_release(&reader);
}

static void the_last_reader_lets_the_writer_in(void **state)
{
	struct spin_innodb_rwlock *l = (void *)memory;

	(void)state;
	prepare_rwlock(SPIN_INNODB_WRITER - 2, 816, 1000, 0);
	one_reader_leaves();
	assert_int_equal(l->readers_left, 0);
	act = one_reader_leaves;
	act_at = 300;
	assert_true(rwlock_acquire());
	assert_true(delays >= 300 && delays < 300 + 250);
	assert_int_equal(l->word, 0);
	assert_int_equal(l->readers_left, 1);
	spin_innodb_rwlock_release(&context);
	assert_int_equal(l->word, SPIN_INNODB_WRITER);
}

static void readers_come_in_together(void **state)
{
	struct spin_innodb_rwlock *l = (void *)memory;

	(void)state;
	prepare_rwlock(SPIN_INNODB_WRITER, 1, 5, 100);
	for (u32 i = 1; i < 5; i++) {
		assert_true(rwlock_acquire());
		assert_int_equal(l->word, SPIN_INNODB_WRITER - i);
	}
	assert_int_equal(delays, 0);
}

/* Of 100000 acquisitions, within four standard deviations. */
static void readers_are_as_many_as_asked(void **state)
{
	static const u32 shares[] = { 0, 1, 50, 90, 100 };
	u32 readers;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		prepare_rwlock(SPIN_INNODB_WRITER, 3, 5, shares[i]);
		readers = 0;
		for (int k = 0; k < 100000; k++) {
			assert_true(rwlock_acquire());
			readers += context.shared;
			spin_innodb_rwlock_release(&context);
		}
		assert_in_range(readers + 640, 1000 * shares[i],
				1000 * shares[i] + 1280);
		if (shares[i] % 100 == 0)
			assert_int_equal(readers, 1000 * shares[i]);
	}
}

/* ---- threads ---- */

/* Waiters that hardly poll and so sleep whenever they can. */
static struct spin_patience sleepy(u32 rounds, u32 read_share)
{
	return (struct spin_patience){ .delay_max = 2,
				       .multiplier = 1,
				       .rounds = rounds,
				       .read_share = read_share };
}

static u32 lock;

static bool take(struct thread *t)
{
	if (lock == SPIN_LOCK_innodb_rwlock)
		return spin_innodb_rwlock_acquire(&t->c, SPIN_DELAY_nop,
						  SPIN_ONE);
	return spin_innodb_mutex_acquire(&t->c, SPIN_DELAY_nop, SPIN_ONE);
}

static void leave(struct thread *t)
{
	if (lock == SPIN_LOCK_innodb_rwlock)
		spin_innodb_rwlock_release(&t->c);
	else
		spin_innodb_mutex_release(&t->c);
}

/*
 * Now and then whoever is inside loses the CPU, so that the others come to wait.
 * A writer leaves an odd number for that time, which a reader must not see.
 */
static void *take_turns(void *argument)
{
	struct thread *t = argument;
	u64 seen;

	while (t->taken < t->turns && take(t)) {
		seen = READ_ONCE(shared.inside);
		if (!t->c.shared)
			WRITE_ONCE(shared.inside, seen + 1);
		WRITE_ONCE(t->taken, t->taken + 1);
		if (t->taken % 512 == 0)
			sched_yield();
		if (t->c.shared)
			t->disturbed +=
				seen % 2 || READ_ONCE(shared.inside) != seen;
		else
			WRITE_ONCE(shared.inside, seen + 2);
		t->writes += !t->c.shared;
		leave(t);
	}
	return NULL;
}

static void all_get_their_turns(u32 id, u32 readers)
{
	const u64 turns = (is_full() ? 10000000 : 1000000) / THREADS;
	const struct spin_patience patience = sleepy(0, readers);
	u64 writes = 0;

	memset(&shared, 0, sizeof(shared));
	lock = id;
	spin_lock_init_memory(lock, shared.lock, false);
	begin(take_turns, THREADS, &patience, turns);
	end(THREADS);
	for (u32 i = 0; i < THREADS; i++) {
		assert_int_equal(threads[i].taken, turns);
		assert_int_equal(threads[i].disturbed, 0);
		writes += threads[i].writes;
	}
	assert_int_equal(shared.inside, 2 * writes);
	assert_true(sum_parks() > THREADS);
}

static void no_wake_up_is_lost(void **state)
{
	(void)state;
	all_get_their_turns(SPIN_LOCK_innodb_mutex, 0);
}

static void no_reader_or_writer_is_forgotten(void **state)
{
	(void)state;
	all_get_their_turns(SPIN_LOCK_innodb_rwlock, 50);
}

/*
 * Whoever is inside leaves at the moment at which the other one has said that
 * it waits: it may be about to sleep, or asleep. Nobody comes later to wake it.
 */
static void *leave_when_awaited(void *argument)
{
	struct spin_innodb_mutex *l = (void *)shared.lock;
	struct thread *t = argument;
	u64 spin;

	while (t->taken < t->turns && take(t)) {
		shared.inside++;
		WRITE_ONCE(t->taken, t->taken + 1);
		WRITE_ONCE(shared.turn, !t->c.index);
		/* Until the other one waits, or has had all its turns. */
		for (spin = 0; !READ_ONCE(l->waiters) &&
			       READ_ONCE(threads[!t->c.index].taken) < t->turns;
		     spin++)
			if (spin % 64 == 63)
				sched_yield();
		/* Somewhere between its flag and its sleep, or beyond. */
		spin_chain(t->taken % 64 * (t->taken % 64));
		spin_innodb_mutex_release(&t->c);
		while (spin_load_acquire(&shared.turn) != t->c.index &&
		       READ_ONCE(threads[!t->c.index].taken) < t->turns)
			sched_yield();
	}
	return NULL;
}

static void who_is_about_to_sleep_is_woken(void **state)
{
	const u64 turns = is_full() ? 200000 : 5000;
	const struct spin_patience patience = sleepy(0, 0);

	(void)state;
	memset(&shared, 0, sizeof(shared));
	lock = SPIN_LOCK_innodb_mutex;
	spin_innodb_mutex_init(shared.lock, false);
	begin(leave_when_awaited, 2, &patience, turns);
	end(2);
	assert_int_equal(shared.inside, 2 * turns);
	assert_true(sum_parks() > turns / 100);
}

/* Nobody frees the lock; all sleep; the window ends. */
static void the_end_of_a_window_wakes_all(void **state)
{
	const struct spin_patience patience = sleepy(1, 50);

	(void)state;
	for (int i = 0; i < 60; i++) {
		memset(&shared, 0, sizeof(shared));
		lock = i % 2 ? SPIN_LOCK_innodb_mutex : SPIN_LOCK_innodb_rwlock;
		spin_lock_init_memory(lock, shared.lock, true);
		begin(take_turns, THREADS, &patience, 1);
		/* At random moments, at last when all are asleep. */
		while (i >= 30 && sum_parks() < THREADS)
			sched_yield();
		spin_window_end(shared.lock, &shared.stop);
		end(THREADS);
		assert_int_equal(shared.inside, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_fixed_stream_gives_the_exact_number_of_delays),
		cmocka_unit_test(the_first_rounds_are_known),
		cmocka_unit_test(factors_are_even_and_below_the_setting),
		cmocka_unit_test(rounds_without_a_delay_end_with_the_window),
		cmocka_unit_test(no_rounds_are_one),
		cmocka_unit_test(
			a_lock_that_is_freed_is_taken_at_the_next_look),
		cmocka_unit_test(who_leaves_signals_once),
		cmocka_unit_test(the_end_of_a_window_changes_every_event),
		cmocka_unit_test(a_writer_inside_is_polled_for_exactly),
		cmocka_unit_test(readers_inside_are_polled_for_exactly),
		cmocka_unit_test(the_last_reader_lets_the_writer_in),
		cmocka_unit_test(readers_come_in_together),
		cmocka_unit_test(readers_are_as_many_as_asked),
		cmocka_unit_test(no_wake_up_is_lost),
		cmocka_unit_test(no_reader_or_writer_is_forgotten),
		cmocka_unit_test(who_is_about_to_sleep_is_woken),
		cmocka_unit_test(the_end_of_a_window_wakes_all),
	};

	return cmocka_run_group_tests_name("innodb", tests, NULL, NULL);
}
