/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every lock's wait is made of: the state that the loop of one CPU keeps
 * in registers, one poll, and the budget that counts and bounds polls.
 */
#ifndef SPINDELAY_BENCH_POLL_H
#define SPINDELAY_BENCH_POLL_H

#include "clock.h"
#include "delays.h"
#include "presets.h"

/**
 * enum spin_form - how a poll's delay is compiled
 * @SPIN_ONE: executed once, no inner loop
 * @SPIN_MANY: executed count times in an inner loop, the same for all delays
 * @SPIN_PADDED: as SPIN_MANY, then the placebo
 */
enum spin_form {
	SPIN_ONE,
	SPIN_MANY,
	SPIN_PADDED,
	SPIN_FORMS
};

/* Waits are timed this much more often than acquisitions: they are fewer. */
#define SPIN_WAITS_PER_ACQUISITION 16

/**
 * struct spin_waits - account of the times that a lock was waited for
 * @spins: times that the poll loop was entered, and what it began with
 * @timed: those that were timed, from their first poll on
 * @ticks: of the timed ones
 * @mask: a spin whose number, from 0, has none of these bits is timed
 *
 * The delay share is spins * @ticks / @timed: a spin is chosen for timing when
 * it is already settled that it waits, so the choice does not change how often
 * that happens. Nor may it depend on which spin of a window it is: the first are
 * unlike the rest, because all CPUs have just been seen to run. So @spins begins
 * with spin_wait_phase().
 */
struct spin_waits {
	u64 spins;
	u64 timed;
	u64 ticks;
	u64 mask;
};

/**
 * spin_wait_phase - which of a window's spins are timed
 * @window: number of the window
 * @index: the CPU's number in it
 *
 * Return: what spin_waits.spins begins with
 */
static inline u64 spin_wait_phase(u32 window, u32 index)
{
	/* The middle bits of a multiple of the golden ratio, which run evenly. */
	return ((window * 31 + index + 1) * 0x9e3779b1U) >> 16;
}

/**
 * struct spin_patience - how a lock that sleeps waits before it does
 * @delay_max: InnoDB's locks: a round's random factor is below this
 * @multiplier: InnoDB's locks: turns of a round are the factor times this
 * @rounds: InnoDB's locks: rounds before it gives way and sleeps;
 *	postgres-slock: polls before it does, at first
 * @read_share: percent of acquisitions that are readers', in a lock that shares
 * @preset: backoff: all of it
 */
struct spin_patience {
	u32 delay_max;
	u32 multiplier;
	u32 rounds;
	u32 read_share;
	struct spin_preset preset;
};

/**
 * struct spin_parking - account of what only a lock that sleeps does
 * @rounds: looks that found the lock taken, in a lock that counts them
 * @yields: times that the CPU was offered to others
 * @parks: times that it slept for the lock
 */
struct spin_parking {
	u64 rounds;
	u64 yields;
	u64 parks;
};

/**
 * struct spin_context - one CPU's loop, in registers
 * @lock: the lock's memory
 * @node: this CPU's own memory for a queue lock
 * @stop: not zero once the window has ended
 * @waits: account of the waits
 * @polls: polls of the budgets that were used up
 * @budget: polls between two looks at @stop, at least 1
 * @left: what is left of the running budget, at least 1 outside of a poll
 * @count: executions of the delay per poll, at least 1
 * @pad: placebo iterations per poll
 * @limit: time limit of a delay that has one, ticks
 * @index: this CPU's number in the window, from 0
 * @ticket: what this CPU drew, in a lock that numbers its waiters
 * @before: the node before ours, in a queue lock that takes it over
 * @backoff_min: turns of the first back-off, in a lock that backs off
 * @backoff_max: the most turns
 * @random: state of the random numbers of a lock that draws some
 * @patience: of a lock that sleeps, which may learn how much pays
 * @parking: account of such a lock
 * @shared: whether the acquisition is a reader's
 */
struct spin_context {
	void *lock;
	void *node;
	const u32 *stop;
	struct spin_waits *waits;
	unsigned long polls;
	u32 budget;
	u32 left;
	u32 count;
	u32 pad;
	u64 limit;
	u32 index;
	u32 ticket;
	void *before;
	u32 backoff_min;
	u32 backoff_max;
	u32 random;
	struct spin_patience patience;
	struct spin_parking *parking;
	bool shared;
};

/* Marsaglia's xorshift, 13 17 5: Journal of Statistical Software 8(14). */
static __always_inline u32 spin_random(u32 *state)
{
	u32 x = *state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	*state = x;
	return x;
}

/**
 * spin_polls - polls so far
 * @c: the loop
 */
static __always_inline unsigned long spin_polls(const struct spin_context *c)
{
	return c->polls + (c->budget - c->left);
}

/**
 * spin_poll_delay - what a poll executes between two looks
 * @c: the loop
 * @delay: enum spin_delay_id, constant
 * @form: enum spin_form, constant
 * @word: the lock word
 * @seen: its value at the last look
 */
static __always_inline void spin_poll_delay(const struct spin_context *c,
					    u32 delay, u32 form,
					    const u32 *word, u32 seen)
{
	u32 n = c->count;

	if (form == SPIN_ONE) {
		spin_delay_once(delay, word, seen, c->limit);
		return;
	}
	do {
		spin_delay_once(delay, word, seen, c->limit);
	} while (--n);
	if (form == SPIN_PADDED)
		spin_chain(c->pad);
}

/**
 * spin_budget - account for one poll
 * @c: the loop
 *
 * Two instructions a poll: the count that bounds the wait is the count that is
 * reported. The stop flag is read when the budget has run out.
 *
 * Return: false if the window has ended and the wait should be given up
 */
static __always_inline bool spin_budget(struct spin_context *c)
{
	if (likely(--c->left))
		return true;
	c->left = c->budget;
	c->polls += c->budget;
	return !READ_ONCE(*c->stop);
}

/* Poll heads start a cache line, so that two delays meet the same alignment. */
#ifdef __aarch64__
#define spin_align_loop() asm volatile(".p2align 6")
#else
#define spin_align_loop() \
	do {              \
	} while (0)
#endif

/**
 * spin_wait_begin - a wait begins
 * @c: the loop
 *
 * Return: for spin_wait_end(): the time if this wait is timed, else 0
 */
static __always_inline u64 spin_wait_begin(struct spin_context *c)
{
	struct spin_waits *waits = c->waits;

	if (likely(waits->spins++ & waits->mask))
		return 0;
	return spin_clock();
}

/**
 * spin_wait_end - it has ended, be it that the window has
 * @c: the loop
 * @since: what spin_wait_begin() returned
 */
static __always_inline void spin_wait_end(struct spin_context *c, u64 since)
{
	if (likely(!since))
		return;
	c->waits->ticks += spin_clock() - since;
	c->waits->timed++;
}

/**
 * spin_turn - the delay and the account of one poll, without the look
 * @c: the loop
 * @delay: enum spin_delay_id, constant
 * @form: enum spin_form, constant
 * @word: the lock word
 * @seen: its value at the last look
 *
 * Return: false if the window has ended
 */
static __always_inline bool spin_turn(struct spin_context *c, u32 delay,
				      u32 form, const u32 *word, u32 seen)
{
	spin_poll_delay(c, delay, form, word, seen);
	return spin_budget(c);
}

/* The poll loops alone, the look at their head. Return: false if the window ended first. */
static __always_inline bool spin_poll_while(struct spin_context *c, u32 delay,
					    u32 form, const u32 *word, u32 busy)
{
	spin_align_loop();
	for (;;) {
		if (READ_ONCE(*word) != busy)
			return true;
		if (unlikely(!spin_turn(c, delay, form, word, busy)))
			return false;
	}
}

static __always_inline bool spin_poll_until(struct spin_context *c, u32 delay,
					    u32 form, const u32 *word, u32 mine)
{
	u32 seen;

	spin_align_loop();
	for (;;) {
		seen = READ_ONCE(*word);
		if (seen == mine)
			return true;
		if (unlikely(!spin_turn(c, delay, form, word, seen)))
			return false;
	}
}

/**
 * spin_wait_while - poll until a word has another value
 * @c: the loop
 * @delay: enum spin_delay_id, constant
 * @form: enum spin_form, constant
 * @word: the word
 * @busy: the value to wait out
 *
 * Return: false if the window ended first
 */
static __always_inline bool spin_wait_while(struct spin_context *c, u32 delay,
					    u32 form, const u32 *word, u32 busy)
{
	u64 since = spin_wait_begin(c);
	bool free = spin_poll_while(c, delay, form, word, busy);

	spin_wait_end(c, since);
	return free;
}

/**
 * spin_wait_until - poll until a word has a value
 * @c: the loop
 * @delay: enum spin_delay_id, constant
 * @form: enum spin_form, constant
 * @word: the word
 * @mine: the value to wait for
 *
 * Return: false if the window ended first
 */
static __always_inline bool spin_wait_until(struct spin_context *c, u32 delay,
					    u32 form, const u32 *word, u32 mine)
{
	u64 since = spin_wait_begin(c);
	bool free = spin_poll_until(c, delay, form, word, mine);

	spin_wait_end(c, since);
	return free;
}

#endif /* SPINDELAY_BENCH_POLL_H */
