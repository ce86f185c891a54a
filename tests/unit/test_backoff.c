// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lock backoff against the arithmetic of those whose numbers it waits by, in
 * one thread, and that nobody who sleeps is forgotten, in more threads than CPUs.
 */
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

/* The knob's delay is a hook: it counts, and can do what another CPU would. */
static void on_delay(void);
#define SPIN_KNOB(word, seen) on_delay()
/* Between a look and the try there is no delay; a race is lost here. */
#include "bench/atomics_c11.h"
static u32 races;
static inline u32 raced_compare_swap(u32 *word, u32 expected, u32 value)
{
	if (races && *word == expected) {
		races--;
		*word = value;
	}
	return spin_compare_swap(word, expected, value);
}

#define spin_compare_swap raced_compare_swap
/* Nor between saying that somebody sleeps and sleeping: who is inside leaves. */
static void (*after_swap)(void);
static inline u32 left_swap_acquire(u32 *word, u32 value)
{
	u32 old = spin_swap_acquire(word, value);

	if (after_swap)
		after_swap();
	return old;
}

#define spin_swap_acquire left_swap_acquire
#include "bench.h"
#include "lib/preset.h"
#include "sleepers.h"

#define LOOKS 100

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

static struct spin_backoff *lock_word(void)
{
	return (void *)memory;
}

static const struct spin_preset *preset_of(const char *name)
{
	const struct preset *preset;
	struct fault fault;
	size_t nr;

	assert_int_equal(preset_parse(name, &preset, &fault), 0);
	return &unit_presets[preset - presets(&nr)];
}

/* A lock that nobody frees, and a budget that is never used up. */
static void prepare(const struct spin_preset *preset)
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
					 .patience.preset = *preset };
	spin_backoff_init(memory, true);
}

static bool acquire(void)
{
	return spin_backoff_acquire(&context, SPIN_DELAY_knob, SPIN_ONE);
}

static void leave(void)
{
	spin_backoff_release(&context);
}

static void end_window(void)
{
	WRITE_ONCE(stop, 1);
}

/* Delays before each of the first looks, yields among them; until it sleeps. */
static u32 spells(const struct spin_preset *p, u32 nr, u64 *relaxations,
		  u32 *idle, bool *yields)
{
	struct spin_spell s = spin_spell_of(p, p->first);
	u32 i;

	for (i = 0; i < nr && (!p->looks || i < p->looks); i++) {
		relaxations[i] = s.relaxations;
		idle[i] = s.idle;
		yields[i] = s.yields;
		s = spin_spell_of(p, spin_preset_next(p, s.turns));
	}
	return i;
}

/* Looks fail while @word is taken: as many delays as the first @looks come to. */
static u64 delays_until(const struct spin_preset *preset, u32 looks)
{
	struct spin_preset p = *preset;

	/* What comes after so many looks is the end of the window. */
	p.looks = looks;
	p.nap_us = 1;
	prepare(&p);
	/* Seen by the nap. */
	stop = 1;
	assert_false(acquire());
	assert_int_equal(spin_polls(&context), delays);
	assert_int_equal(waits.spins, 1);
	return delays;
}

/* ---- plock ---- */

/* The loop as its source describes it, in words of its own. */
static void plock_looks(u32 nr, u64 *relaxations, u32 *idle, bool *yields)
{
	u32 m = 0, loops;

	for (u32 i = 0; i < nr; i++) {
		loops = m;
		yields[i] = loops >= 65536;
		if (yields[i])
			loops -= 32768;
		for (relaxations[i] = 0; loops >= 200; loops -= 10)
			relaxations[i]++;
		idle[i] = loops;
		m = (m + m / 2 + 2) % 262144;
	}
}

static void plock_grows_by_half_and_wraps(void **state)
{
	static const u32 known[] = { 0,	   0,	 0,	0,     0,    0,
				     0,	   0,	 0,	0,     1,    12,
				     28,   51,	 87,	140,   220,  340,
				     520,  789,	 1194,	1801,  2711, 4077,
				     6125, 5920, 10529, 17442, 4873, 4043 };
	const struct spin_preset *p = preset_of("plock");
	u64 relaxations[10000], expected[10000];
	u32 idle[10000], expected_idle[10000], at_most = 0;
	bool yields[10000], expected_yields[10000];

	(void)state;
	assert_int_equal(spells(p, 10000, relaxations, idle, yields), 10000);
	plock_looks(10000, expected, expected_idle, expected_yields);
	for (u32 i = 0; i < 10000; i++) {
		assert_int_equal(relaxations[i], expected[i]);
		assert_int_equal(idle[i], expected_idle[i]);
		assert_int_equal(yields[i], expected_yields[i]);
		if (i < ARRAY_SIZE(known))
			assert_int_equal(relaxations[i], known[i]);
		if (relaxations[i] > at_most)
			at_most = relaxations[i];
	}
	/* 262143 turns less 32768, of which 200 and then each ten are one. */
	assert_in_range(at_most, 20000, (262143 - 32768 - 200) / 10 + 1);
}

/* Ended by a delay: those before are the looks', and the next look is none. */
static void plock_ends_within_its_turns(void **state)
{
	u64 relaxations[30], sum = 0;
	bool yields[30];
	u32 idle[30];
	u64 yielded = 0;

	(void)state;
	spells(preset_of("plock"), 30, relaxations, idle, yields);
	for (u32 i = 0; i < 30; i++) {
		prepare(preset_of("plock"));
		context.budget = 1;
		context.left = 1;
		yielded += yields[i];
		act = end_window;
		act_at = sum + (relaxations[i] + 1) / 2;
		sum += relaxations[i];
		if (!relaxations[i])
			continue;
		assert_false(acquire());
		assert_int_equal(delays, act_at);
		assert_int_equal(spin_polls(&context), delays);
		assert_int_equal(parking.yields, yielded);
		assert_int_equal(parking.parks, 0);
	}
	assert_true(yielded > 3);
}

/* Freed among the turns before a look it is taken at that look, not before. */
static void what_is_freed_is_taken_at_the_next_look(void **state)
{
	u64 relaxations[30], sum = 0;
	bool yields[30];
	u32 idle[30];

	(void)state;
	spells(preset_of("plock"), 30, relaxations, idle, yields);
	for (u32 i = 0; i < 30; i++) {
		prepare(preset_of("plock"));
		act = leave;
		act_at = sum + 1;
		sum += relaxations[i];
		if (!relaxations[i])
			continue;
		assert_true(acquire());
		assert_int_equal(delays, sum);
		assert_int_equal(lock_word()->word, 1);
	}
}

/* Its first looks come without a relaxation, which use up no budget. */
static void looks_without_a_relaxation_end_with_the_window(void **state)
{
	const struct spin_preset none = { .idle = 1, .weight = 1 };
	const struct spin_preset few = {
		.first = 100, .most = 100, .idle = 200, .weight = 10
	};

	(void)state;
	prepare(preset_of("plock"));
	stop = 1;
	assert_false(acquire());
	assert_int_equal(delays, 0);
	prepare(&none);
	stop = 1;
	assert_false(acquire());
	prepare(&few);
	stop = 1;
	assert_false(acquire());
	assert_int_equal(delays, 0);
}

/* ---- jemalloc ---- */

static void jemalloc_looks_601_times_and_sleeps(void **state)
{
	(void)state;
	for (u32 looks = 1; looks <= 601; looks += 100) {
		assert_int_equal(delays_until(preset_of("jemalloc"), looks),
				 looks);
		assert_int_equal(parking.parks, 0);
	}
	/* The window ends behind them, and the word says that it waits. */
	prepare(preset_of("jemalloc"));
	stop = 1;
	assert_false(acquire());
	assert_int_equal(delays, 601);
	assert_int_equal(lock_word()->word, 2);
	assert_int_equal(parking.parks, 0);
	assert_int_equal(parking.yields, 0);
	/* Freed before the last of them it is taken there. */
	prepare(preset_of("jemalloc"));
	act = leave;
	act_at = 601;
	assert_true(acquire());
	assert_int_equal(lock_word()->word, 1);
}

static void jemalloc_spin_doubles_to_16_and_yields(void **state)
{
	static const u64 sums[] = { 1, 3, 7, 15, 31 };
	u64 relaxations[LOOKS];
	bool yields[LOOKS];
	u32 idle[LOOKS];

	(void)state;
	for (u32 looks = 1; looks <= ARRAY_SIZE(sums); looks++)
		assert_int_equal(delays_until(preset_of("jemalloc-spin"),
					      looks),
				 sums[looks - 1]);
	assert_int_equal(spells(preset_of("jemalloc-spin"), LOOKS, relaxations,
				idle, yields),
			 5);
	prepare(preset_of("jemalloc-spin"));
	stop = 1;
	assert_false(acquire());
	assert_int_equal(delays, 31);
	assert_int_equal(parking.yields, 1);
	assert_int_equal(parking.parks, 0);
}

/* ---- folly ---- */

static void folly_looks_4000_times_and_naps(void **state)
{
	(void)state;
	for (u32 looks = 1; looks <= 4000; looks += 1333)
		assert_int_equal(delays_until(preset_of("folly"), looks),
				 looks);
	prepare(preset_of("folly"));
	stop = 1;
	assert_false(acquire());
	assert_int_equal(delays, 4000);
	assert_int_equal(parking.parks, 0);
	assert_int_equal(lock_word()->word, 1);
}

/* Pauses until a count that doubles, at least one of them before each look. */
static void folly_backoff_doubles_what_has_been_paused(void **state)
{
	u32 paused = 0, looks = 0;

	(void)state;
	for (u32 target = 1; target <= 4096; target *= 2) {
		do
			paused++;
		while (paused < target);
		looks++;
		assert_int_equal(delays_until(preset_of("folly-backoff"),
					      looks),
				 paused);
	}
	assert_int_equal(paused, 4096);
	prepare(preset_of("folly-backoff"));
	stop = 1;
	assert_false(acquire());
	assert_int_equal(delays, 4096);
}

/* ---- what all have in common ---- */

static void naps_have_an_end_and_a_look(void **state)
{
	struct spin_preset p = *preset_of("folly");
	u32 ended = 1;

	(void)state;
	prepare(&p);
	/* A sleep on the flag for a second, were the flag not there. */
	spin_window_end(memory, &stop);
	assert_false(spin_nap(&context, 1000000));
	assert_int_equal(parking.parks, 0);
	/* A nap that ends, and a look behind it at a lock that is free. */
	prepare(&p);
	spin_backoff_init(memory, false);
	assert_true(spin_backoff_doze(&context, &lock_word()->word));
	assert_int_equal(parking.parks, 1);
	assert_int_equal(lock_word()->word, 1);
	/* Of one that is not, the window's end is the end. */
	context.stop = &ended;
	assert_false(spin_backoff_doze(&context, &lock_word()->word));
	context.patience.preset.nap_us = 0;
	assert_false(spin_backoff_doze(&context, &lock_word()->word));
	assert_int_equal(parking.parks, 1);
}

/* After 1, 2 and 4 the lock is free, but another one gets it; then more looks. */
static u64 delays_with_a_race(u32 afresh)
{
	const struct spin_preset p = { .first = 1,
				       .growth = 100,
				       .most = 1024,
				       .afresh = afresh,
				       .idle = 1,
				       .weight = 1,
				       .looks = 5,
				       .nap_us = 1 };

	prepare(&p);
	stop = 1;
	act = leave;
	act_at = 7;
	races = 1;
	assert_false(acquire());
	assert_int_equal(races, 0);
	return delays;
}

static void who_loses_a_race_begins_afresh_where_it_says_so(void **state)
{
	(void)state;
	assert_int_equal(delays_with_a_race(0), 7 + 8 + 16);
	assert_int_equal(delays_with_a_race(1), 7 + 1 + 2 + 4);
	assert_true(preset_of("plock")->afresh);
	assert_false(preset_of("folly")->afresh);
	assert_false(preset_of("jemalloc")->afresh);
}

static void turns_stay_within_their_bounds(void **state)
{
	struct spin_preset p = { .growth = SPINDELAY_BACKOFF_GROWTH_MAX,
				 .step = SPINDELAY_BACKOFF_TURNS_MAX,
				 .most = SPINDELAY_BACKOFF_TURNS_MAX,
				 .idle = 1,
				 .weight = 1 };
	u32 turns = 0;

	(void)state;
	/* The largest that there can be do not overflow. */
	turns = spin_preset_next(&p, SPINDELAY_BACKOFF_TURNS_MAX);
	assert_int_equal(turns, SPINDELAY_BACKOFF_TURNS_MAX);
	p.most--;
	p.wrap = 1;
	turns = spin_preset_next(&p, SPINDELAY_BACKOFF_TURNS_MAX - 1);
	/* 11 of them and one more turn each, less whole ones. */
	assert_int_equal(turns, (11ULL * (SPINDELAY_BACKOFF_TURNS_MAX - 1)) %
					SPINDELAY_BACKOFF_TURNS_MAX);
	p = *preset_of("plock");
	for (u32 i = 0; i < 10000; i++) {
		assert_true(turns <= SPINDELAY_BACKOFF_TURNS_MAX);
		turns = spin_preset_next(&p, turns % (p.most + 1));
		assert_true(turns <= p.most);
		assert_true(spin_spell_of(&p, turns).idle < p.idle);
	}
}

/* What cost nothing before anybody slept still does, and one is woken else. */
static void who_leaves_signals_where_somebody_sleeps(void **state)
{
	(void)state;
	prepare(preset_of("jemalloc"));
	leave();
	assert_int_equal(lock_word()->word, 0);
	assert_int_equal(lock_word()->event[0], 0);
	lock_word()->word = 2;
	leave();
	assert_int_equal(lock_word()->word, 0);
	assert_int_equal(lock_word()->event[0], 1);
	/* Nobody sleeps until woken for one that only naps. */
	prepare(preset_of("folly"));
	leave();
	assert_int_equal(lock_word()->word, 0);
	assert_int_equal(lock_word()->event[0], 0);
}

static void leave_once(void)
{
	after_swap = NULL;
	leave();
}

/* Woken before it sleeps, it does not. */
static void a_wake_up_before_the_sleep_is_not_lost(void **state)
{
	(void)state;
	prepare(preset_of("jemalloc"));
	after_swap = leave_once;
	assert_true(acquire());
	assert_int_equal(lock_word()->event[0], 1);
	assert_int_equal(lock_word()->word, 2);
	assert_int_equal(parking.parks, 1);
}

static void its_events_are_where_a_window_looks_for_them(void **state)
{
	struct spin_events *e = (void *)memory;

	(void)state;
	assert_ptr_equal(&lock_word()->event[0], &e->event[0]);
	assert_ptr_equal(&lock_word()->event[1], &e->event[1]);
}

static void every_preset_is_found_and_has_a_source(void **state)
{
	const struct preset *all, *found;
	struct spindelay_backoff other;
	char text[PRESETS_TEXT_MAX];
	struct fault fault;
	size_t nr;

	(void)state;
	all = presets(&nr);
	assert_ptr_equal(all, preset_default());
	assert_int_equal(nr, ARRAY_SIZE(unit_presets));
	assert_true(strlen(preset_sources(text)) < PRESETS_TEXT_MAX - 1);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(preset_parse(all[i].name, &found, &fault), 0);
		assert_ptr_equal(found, &all[i]);
		assert_string_equal(preset_name(&all[i].backoff), all[i].name);
		assert_non_null(strstr(text, all[i].source));
		other = all[i].backoff;
		other.looks += 7;
		assert_string_equal(preset_name(&other), "other");
	}
}

/* ---- threads ---- */

static bool take(struct thread *t)
{
	return spin_backoff_acquire(&t->c, SPIN_DELAY_nop, SPIN_ONE);
}

/* Now and then whoever is inside loses the CPU, so that the others wait. */
static void *take_turns(void *argument)
{
	struct thread *t = argument;
	u64 seen;

	while (t->taken < t->turns && take(t)) {
		seen = READ_ONCE(shared.inside);
		WRITE_ONCE(t->taken, t->taken + 1);
		if (t->taken % 512 == 0)
			sched_yield();
		WRITE_ONCE(shared.inside, seen + 1);
		spin_backoff_release(&t->c);
	}
	return NULL;
}

static void all_get_their_turns(const struct spin_preset *preset, u64 turns)
{
	const struct spin_patience patience = { .preset = *preset };

	memset(&shared, 0, sizeof(shared));
	begin(take_turns, THREADS, &patience, turns / THREADS);
	end(THREADS);
	for (u32 i = 0; i < THREADS; i++)
		assert_int_equal(threads[i].taken, turns / THREADS);
	assert_int_equal(shared.inside, turns / THREADS * THREADS);
}

/* Waiters that hardly look and so sleep whenever they can. */
static void no_wake_up_is_lost(void **state)
{
	struct spin_preset sleepy = *preset_of("jemalloc");

	(void)state;
	sleepy.looks = 1;
	all_get_their_turns(&sleepy, is_full() ? 10000000 : 1000000);
	assert_true(sum_parks() > THREADS);
}

static void every_preset_excludes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unit_presets); i++)
		all_get_their_turns(&unit_presets[i], 100000);
}

/*
 * Whoever is inside leaves at the moment at which the other one has said that
 * it waits: it may be about to sleep, or asleep. Nobody comes later to wake it.
 */
static void *leave_when_awaited(void *argument)
{
	struct spin_backoff *l = (void *)shared.lock;
	struct thread *t = argument;
	u64 spin;

	while (t->taken < t->turns && take(t)) {
		shared.inside++;
		WRITE_ONCE(t->taken, t->taken + 1);
		WRITE_ONCE(shared.turn, !t->c.index);
		/* Until the other one waits, or has had all its turns. */
		for (spin = 0; READ_ONCE(l->word) != SPIN_BACKOFF_AWAITED &&
			       READ_ONCE(threads[!t->c.index].taken) < t->turns;
		     spin++)
			if (spin % 64 == 63)
				sched_yield();
		/* Somewhere between its swap and its sleep, or beyond. */
		spin_chain(t->taken % 64 * (t->taken % 64));
		spin_backoff_release(&t->c);
		while (spin_load_acquire(&shared.turn) != t->c.index &&
		       READ_ONCE(threads[!t->c.index].taken) < t->turns)
			sched_yield();
	}
	return NULL;
}

static void who_is_about_to_sleep_is_woken(void **state)
{
	const u64 turns = is_full() ? 200000 : 5000;
	struct spin_patience sleepy = { .preset = *preset_of("jemalloc") };

	(void)state;
	sleepy.preset.looks = 1;
	memset(&shared, 0, sizeof(shared));
	begin(leave_when_awaited, 2, &sleepy, turns);
	end(2);
	assert_int_equal(shared.inside, 2 * turns);
	assert_true(sum_parks() > turns / 100);
}

/* Nobody frees the lock; all wait as they do; the window ends. */
static void the_end_of_a_window_ends_every_wait(void **state)
{
	struct spin_patience patience = { 0 };
	struct spin_preset *preset = &patience.preset;

	(void)state;
	for (u32 i = 0; i < 20 * ARRAY_SIZE(unit_presets); i++) {
		*preset = unit_presets[i % ARRAY_SIZE(unit_presets)];
		/* Some nap for so long that only the end can end it. */
		if (preset->looks)
			preset->looks = 1 + i % 20;
		if (preset->nap_us && preset->nap_us != SPIN_UNTIL_WOKEN)
			preset->nap_us = 1000000 * SECONDS;
		memset(&shared, 0, sizeof(shared));
		spin_backoff_init(shared.lock, true);
		begin(take_turns, THREADS, &patience, 1);
		/* At random moments, at last when all are asleep. */
		while (i >= 10 * ARRAY_SIZE(unit_presets) && preset->nap_us &&
		       sum_parks() < THREADS)
			sched_yield();
		spin_window_end(shared.lock, &shared.stop);
		end(THREADS);
		assert_int_equal(shared.inside, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plock_grows_by_half_and_wraps),
		cmocka_unit_test(plock_ends_within_its_turns),
		cmocka_unit_test(what_is_freed_is_taken_at_the_next_look),
		cmocka_unit_test(
			looks_without_a_relaxation_end_with_the_window),
		cmocka_unit_test(jemalloc_looks_601_times_and_sleeps),
		cmocka_unit_test(jemalloc_spin_doubles_to_16_and_yields),
		cmocka_unit_test(folly_looks_4000_times_and_naps),
		cmocka_unit_test(folly_backoff_doubles_what_has_been_paused),
		cmocka_unit_test(naps_have_an_end_and_a_look),
		cmocka_unit_test(
			who_loses_a_race_begins_afresh_where_it_says_so),
		cmocka_unit_test(turns_stay_within_their_bounds),
		cmocka_unit_test(who_leaves_signals_where_somebody_sleeps),
		cmocka_unit_test(a_wake_up_before_the_sleep_is_not_lost),
		cmocka_unit_test(its_events_are_where_a_window_looks_for_them),
		cmocka_unit_test(every_preset_is_found_and_has_a_source),
		cmocka_unit_test(no_wake_up_is_lost),
		cmocka_unit_test(every_preset_excludes),
		cmocka_unit_test(who_is_about_to_sleep_is_woken),
		cmocka_unit_test(the_end_of_a_window_ends_every_wait),
	};

	/* Of whoever is stuck, so that the test ends. */
	alarm(10 * SECONDS);
	return cmocka_run_group_tests_name("backoff", tests, NULL, NULL);
}
