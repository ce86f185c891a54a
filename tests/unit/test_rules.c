// SPDX-License-Identifier: GPL-2.0-or-later
/* What each lock promises beyond exclusion, step by step, in one thread. */
#include "unit.h"

/* The knob's delay is a hook: it counts, and can do what another CPU would. */
static void on_delay(void);
#define SPIN_KNOB(word, seen) on_delay()
#include "bench.h"

#define CONTEXTS 4
#define BUDGET 1000
/* Of locks that could sleep, but never do: a turn for each look. */
#define PATIENCE                                                        \
	{                                                               \
		.delay_max = 6, .multiplier = 50, .rounds = UINT32_MAX, \
		.preset = {                                             \
			.first = 1,                                     \
			.most = 1,                                      \
			.idle = 1,                                      \
			.weight = 1                                     \
		}                                                       \
	}

static _Alignas(128) u8 lock[256];
static _Alignas(128) u64 nodes[CONTEXTS][16];
static struct spin_waits waits;
static struct spin_parking parking;
static struct spin_context contexts[CONTEXTS];
static u32 stop;
static u64 delays;
static u64 act_at;
static void (*act)(void);

static void on_delay(void)
{
	if (++delays == act_at)
		act();
}

static int setup(void **state)
{
	(void)state;
	memset(lock, 0, sizeof(lock));
	memset(nodes, 0, sizeof(nodes));
	memset(&waits, 0, sizeof(waits));
	memset(&parking, 0, sizeof(parking));
	stop = 0;
	delays = 0;
	act_at = 0;
	for (u32 i = 0; i < CONTEXTS; i++)
		contexts[i] = (struct spin_context){ .lock = lock,
						     .node = nodes[i],
						     .stop = &stop,
						     .waits = &waits,
						     .parking = &parking,
						     .budget = BUDGET,
						     .left = BUDGET,
						     .count = 1,
						     .index = i,
						     .backoff_min = 1,
						     .backoff_max = 64,
						     .random = i + 1,
						     .patience = PATIENCE };
	return 0;
}

#define CODE(id, name, ...) \
	[id] = { spin_##name##_acquire, spin_##name##_release },
static bool acquire(u32 id, u32 context)
{
	static const struct spin_code codes[] = { SPIN_LOCKS(CODE) };

	return codes[id].acquire(&contexts[context], SPIN_DELAY_knob, SPIN_ONE);
}

#define EACH_LOCK(X) SPIN_LOCKS(X)

/* ---- giving up ---- */

static bool gives_up(u32 id, u32 context)
{
	stop = 1;
	return !acquire(id, context);
}

#define GIVE_UP(id, name, spelling, traits)                                 \
	if ((traits)&SPIN_POLLS) {                                          \
		setup(NULL);                                                \
		spin_lock_init_memory(id, lock, true);                      \
		assert_true(gives_up(id, 0));                               \
		if (delays != BUDGET || spin_polls(&contexts[0]) != BUDGET) \
			fail_msg("%s: %llu polls", spelling,                \
				 (unsigned long long)delays);               \
		assert_int_equal(waits.spins, 1);                           \
		assert_int_equal(waits.timed, 1);                           \
	}

static void a_held_lock_is_given_up_when_the_budget_is_used_up(void **state)
{
	(void)state;
	EACH_LOCK(GIVE_UP)
}

#define FREE_AT_ONCE(id, name, spelling, traits)               \
	if ((traits)&SPIN_POLLS) {                             \
		setup(NULL);                                   \
		spin_lock_init_memory(id, lock, false);        \
		stop = 1;                                      \
		if (!acquire(id, 0))                           \
			fail_msg("%s was not free", spelling); \
		assert_int_equal(delays, 0);                   \
		assert_int_equal(waits.spins, 0);              \
	}

static void a_free_lock_is_taken_without_a_poll(void **state)
{
	(void)state;
	EACH_LOCK(FREE_AT_ONCE)
}

/* ---- first come, first in ---- */

/* 0 is inside, 1 and 2 wait behind it: who gets in when 0 leaves? */
#define IN_TURN(name)                                                         \
	static void name##_leave(void)                                        \
	{                                                                     \
		spin_##name##_release(&contexts[0]);                          \
	}                                                                     \
	static void name##_lets_in_by_turn(void **state)                      \
	{                                                                     \
		(void)state;                                                  \
		spin_lock_init_memory(SPIN_LOCK_##name, lock, false);         \
		assert_true(acquire(SPIN_LOCK_##name, 0));                    \
		/* 1 queues and is kept waiting; its window ends. */          \
		assert_true(gives_up(SPIN_LOCK_##name, 1));                   \
		/* 0 leaves while 2 waits: it is 1's turn, so 2 stays out. */ \
		act = name##_leave;                                           \
		delays = 0;                                                   \
		act_at = BUDGET / 2;                                          \
		assert_true(gives_up(SPIN_LOCK_##name, 2));                   \
	}

IN_TURN(ticket)
IN_TURN(mcs)
IN_TURN(clh)

static void ttas_leave(void)
{
	spin_ttas_release(&contexts[0]);
}

/* The same steps, so that the test is known to tell the difference. */
static void ttas_lets_in_whoever_looks_first(void **state)
{
	(void)state;
	spin_lock_init_memory(SPIN_LOCK_ttas, lock, false);
	assert_true(acquire(SPIN_LOCK_ttas, 0));
	assert_true(gives_up(SPIN_LOCK_ttas, 1));
	act = ttas_leave;
	delays = 0;
	act_at = BUDGET / 2;
	assert_false(gives_up(SPIN_LOCK_ttas, 2));
	assert_int_equal(delays, BUDGET / 2);
}

/* ---- ticket ---- */

static void tickets_wrap_around(void **state)
{
	struct spin_ticket *l = (void *)lock;

	(void)state;
	l->next = -3U;
	l->serving = -3U;
	for (u32 i = 0; i < 8; i++) {
		assert_true(acquire(SPIN_LOCK_ticket, i % 2));
		assert_int_equal(contexts[i % 2].ticket, -3U + i);
		spin_ticket_release(&contexts[i % 2]);
	}
	assert_int_equal(delays, 0);
	assert_int_equal(l->next, 5);
	assert_int_equal(l->serving, 5);
}

static void wrap_leave(void)
{
	spin_ticket_release(&contexts[0]);
}

static void a_ticket_behind_the_wrap_waits(void **state)
{
	struct spin_ticket *l = (void *)lock;

	(void)state;
	l->next = -1U;
	l->serving = -1U;
	assert_true(acquire(SPIN_LOCK_ticket, 0));
	act = wrap_leave;
	act_at = 7;
	assert_true(acquire(SPIN_LOCK_ticket, 1));
	assert_int_equal(delays, 7);
	assert_int_equal(contexts[1].ticket, 0);
}

/* ---- the queues ---- */

static void mcs_is_empty_when_all_have_left(void **state)
{
	struct spin_mcs *l = (void *)lock;

	(void)state;
	spin_lock_init_memory(SPIN_LOCK_mcs, lock, false);
	for (u32 i = 0; i < 6; i++) {
		assert_true(acquire(SPIN_LOCK_mcs, i % CONTEXTS));
		spin_mcs_release(&contexts[i % CONTEXTS]);
		assert_null(l->tail);
	}
}

static void clh_takes_over_the_node_before(void **state)
{
	struct spin_clh *l = (void *)lock;

	(void)state;
	spin_lock_init_memory(SPIN_LOCK_clh, lock, false);
	assert_true(acquire(SPIN_LOCK_clh, 0));
	spin_clh_release(&contexts[0]);
	assert_ptr_equal(contexts[0].node, &l->first);
	assert_true(acquire(SPIN_LOCK_clh, 1));
	spin_clh_release(&contexts[1]);
	assert_ptr_equal(contexts[1].node, nodes[0]);
	assert_ptr_equal(l->tail, nodes[1]);
}

/* ---- handoff ---- */

static void handoff_alternates(void **state)
{
	(void)state;
	spin_lock_init_memory(SPIN_LOCK_handoff, lock, false);
	for (u32 i = 0; i < 7; i++) {
		setup(NULL);
		((struct spin_handoff *)lock)->turn = i % 2;
		/* It is not the other one's turn, however long it waits. */
		assert_true(gives_up(SPIN_LOCK_handoff, !(i % 2)));
		assert_true(acquire(SPIN_LOCK_handoff, i % 2));
		spin_handoff_release(&contexts[i % 2]);
		assert_int_equal(((struct spin_handoff *)lock)->turn, !(i % 2));
	}
}

/* ---- ttas-backoff ---- */

static void free_word(void)
{
	WRITE_ONCE(((struct spin_ttas_backoff *)lock)->word, 0);
}

/* Delays until a lock is taken that is freed in delay number @at. */
static u64 backed_off(u32 least, u32 most, u64 at)
{
	setup(NULL);
	spin_lock_init_memory(SPIN_LOCK_ttas_backoff, lock, true);
	contexts[0].budget = 100000;
	contexts[0].left = 100000;
	contexts[0].backoff_min = least;
	contexts[0].backoff_max = most;
	act = free_word;
	act_at = at;
	assert_true(acquire(SPIN_LOCK_ttas_backoff, 0));
	assert_int_equal(spin_polls(&contexts[0]), delays);
	return delays;
}

/* The delays before the first look that is behind delay number @at. */
static u64 next_look(u32 least, u32 most, u64 at)
{
	u64 looked = least, turns = least;

	while (looked < at) {
		turns = turns * 2 < most ? turns * 2 : most;
		looked += turns;
	}
	return looked;
}

static void back_off_doubles_up_to_its_bound(void **state)
{
	static const struct {
		u32 least, most;
	} bounds[] = {
		{ 1, 1 },   { 1, 2 },	 { 1, 64 },   { 3, 5 },	      { 5, 64 },
		{ 64, 64 }, { 1, 4096 }, { 7, 4095 }, { 4096, 4096 },
	};
	u64 got, expected;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++) {
		for (u64 at = 1; at < 20000; at += 1 + at / 3) {
			got = backed_off(bounds[i].least, bounds[i].most, at);
			expected =
				next_look(bounds[i].least, bounds[i].most, at);
			if (got != expected)
				fail_msg("%u:%u freed at %llu: %llu, not %llu",
					 bounds[i].least, bounds[i].most,
					 (unsigned long long)at,
					 (unsigned long long)got,
					 (unsigned long long)expected);
		}
	}
	/* By hand: looks behind 1, 3, 7, 15, 31 and then 16 more each. */
	assert_int_equal(backed_off(1, 16, 8), 15);
	assert_int_equal(backed_off(1, 16, 32), 47);
	assert_int_equal(backed_off(1, 16, 48), 63);
}

/* ---- jitter ---- */

static void random_numbers_are_spread_evenly(void **state)
{
	u32 random = 1, counts[8] = { 0 };

	(void)state;
	for (u32 i = 0; i < 80000; i++) {
		spin_random(&random);
		assert_int_not_equal(random, 0);
		counts[random >> 29]++;
	}
	for (u32 i = 0; i < 8; i++)
		assert_in_range(counts[i], 9700, 10300);
}

#define TEST(function) cmocka_unit_test_setup(function, setup)

/* Any spin of a window is as likely to be timed as another one: the first, too. */
static void the_first_spin_is_timed_as_often_as_any(void **state)
{
	const u32 windows = 4096;

	(void)state;
	for (u32 mask = 1; mask < 128; mask = 2 * mask + 1)
		for (u32 cpu = 0; cpu < 3; cpu++) {
			u32 timed = 0;

			for (u32 w = 1; w <= windows; w++)
				timed += !(spin_wait_phase(w, cpu) & mask);
			assert_in_range(timed * (mask + 1), windows * 3 / 4,
					windows * 5 / 4);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_spin_is_timed_as_often_as_any),
		TEST(a_held_lock_is_given_up_when_the_budget_is_used_up),
		TEST(a_free_lock_is_taken_without_a_poll),
		TEST(ticket_lets_in_by_turn),
		TEST(mcs_lets_in_by_turn),
		TEST(clh_lets_in_by_turn),
		TEST(ttas_lets_in_whoever_looks_first),
		TEST(tickets_wrap_around),
		TEST(a_ticket_behind_the_wrap_waits),
		TEST(mcs_is_empty_when_all_have_left),
		TEST(clh_takes_over_the_node_before),
		TEST(handoff_alternates),
		TEST(back_off_doubles_up_to_its_bound),
		TEST(random_numbers_are_spread_evenly),
	};

	return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
