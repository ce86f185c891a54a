/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test and test-and-set with a back-off that numbers describe: presets.h, which
 * names them and where they are from. Before each look there are turns, most of
 * them relaxations; from one look to the next they may grow; after so many
 * looks the waiter sleeps before each, or once and for all until it is woken.
 *
 * The word is 0, 1 when taken, 2 when somebody may also be asleep for it. The
 * last is what a mutex on a futex does, and costs locks nothing that only nap.
 */
#ifndef SPINDELAY_BENCH_LOCKS_BACKOFF_H
#define SPINDELAY_BENCH_LOCKS_BACKOFF_H

#include "../presets.h"
#include "found.h"
#include "sleep.h"

#define SPIN_BACKOFF_FREE 0
#define SPIN_BACKOFF_TAKEN 1
#define SPIN_BACKOFF_AWAITED 2

struct spin_backoff {
	u32 word;
	u32 own_line[15];
	u32 event[2];
};

/**
 * struct spin_spell - what is done before one look
 * @turns: how many turns it is
 * @relaxations: times that the delay is executed
 * @idle: turns that are only counted
 * @yields: the CPU is offered to others before
 */
struct spin_spell {
	u32 turns;
	u32 relaxations;
	u32 idle;
	bool yields;
};

static inline void spin_backoff_init(void *lock, bool held)
{
	struct spin_backoff *l = lock;

	WRITE_ONCE(l->word, held ? SPIN_BACKOFF_TAKEN : SPIN_BACKOFF_FREE);
}

/**
 * spin_spell_of - what is done before a look
 * @p: how it waits
 * @turns: how many turns it should be
 */
static __always_inline struct spin_spell
spin_spell_of(const struct spin_preset *p, u32 turns)
{
	struct spin_spell s = { .turns = turns };
	u32 busy;

	s.yields = p->yield_from && turns >= p->yield_from;
	if (s.yields)
		turns -= p->yield_less;
	if (turns >= p->idle)
		s.relaxations = (turns - p->idle) / p->weight + 1;
	busy = s.relaxations * p->weight;
	s.idle = turns > busy ? turns - busy : 0;
	return s;
}

static __always_inline void spin_idle(u32 turns)
{
	if (!turns)
		return;
	do {
		asm volatile("" : "+r"(turns));
	} while (--turns);
}

/* Return: false if the window has ended. */
static __always_inline bool spin_spend(struct spin_context *c, u32 delay,
				       u32 form, const u32 *word, u32 seen,
				       const struct spin_spell *s)
{
	u32 left = s->relaxations;

	if (unlikely(s->yields))
		spin_give_way(c);
	/* Looks without a relaxation use up no budget. */
	if (unlikely(!left)) {
		spin_idle(s->idle);
		return !READ_ONCE(*c->stop);
	}
	do {
		if (unlikely(!spin_turn(c, delay, form, word, seen)))
			return false;
	} while (--left);
	spin_idle(s->idle);
	return true;
}

/* The looks that come after turns; @seen is the word as it was tried first. */
static __always_inline enum spin_found
spin_backoff_looks(struct spin_context *c, u32 delay, u32 form, u32 *word,
		   u32 seen)
{
	const struct spin_preset *p = &c->patience.preset;
	struct spin_spell spell = spin_spell_of(p, p->first);
	u32 left = p->looks;

	spin_align_loop();
	for (;;) {
		if (unlikely(!spin_spend(c, delay, form, word, seen, &spell)))
			return SPIN_ENDED;
		seen = READ_ONCE(*word);
		if (seen == SPIN_BACKOFF_FREE) {
			seen = spin_compare_swap(word, SPIN_BACKOFF_FREE,
						 SPIN_BACKOFF_TAKEN);
			if (seen == SPIN_BACKOFF_FREE)
				return SPIN_FREE;
			if (p->afresh) {
				spell = spin_spell_of(p, p->first);
				continue;
			}
		}
		/* From 0 it takes longer than any window. */
		if (unlikely(!--left))
			return SPIN_BUSY;
		if (p->growth | p->step)
			spell = spin_spell_of(p,
					      spin_preset_next(p, spell.turns));
	}
}

/* Looks with naps between them. Return: false if the window has ended. */
static __always_inline bool spin_backoff_doze(struct spin_context *c, u32 *word)
{
	const u32 us = c->patience.preset.nap_us;

	do {
		if (us && !spin_nap(c, us))
			return false;
		if (!us)
			spin_give_way(c);
		if (READ_ONCE(*c->stop))
			return false;
	} while (READ_ONCE(*word) != SPIN_BACKOFF_FREE ||
		 spin_compare_swap(word, SPIN_BACKOFF_FREE,
				   SPIN_BACKOFF_TAKEN) != SPIN_BACKOFF_FREE);
	return true;
}

/* The event is read before the word says that somebody sleeps. */
static __always_inline bool spin_backoff_block(struct spin_context *c,
					       struct spin_backoff *l)
{
	u32 seen;

	for (;;) {
		seen = spin_load_acquire(&l->event[0]);
		if (spin_swap_acquire(&l->word, SPIN_BACKOFF_AWAITED) ==
		    SPIN_BACKOFF_FREE)
			return true;
		if (!spin_await(c, &l->event[0], seen))
			return false;
	}
}

static __always_inline bool spin_backoff_wait(struct spin_context *c, u32 delay,
					      u32 form, struct spin_backoff *l,
					      u32 seen)
{
	u64 since = spin_wait_begin(c);
	enum spin_found found =
		spin_backoff_looks(c, delay, form, &l->word, seen);

	spin_wait_end(c, since);
	if (found != SPIN_BUSY)
		return found == SPIN_FREE;
	if (c->patience.preset.nap_us == SPIN_UNTIL_WOKEN)
		return spin_backoff_block(c, l);
	return spin_backoff_doze(c, &l->word);
}

static __always_inline bool spin_backoff_acquire(struct spin_context *c,
						 u32 delay, u32 form)
{
	struct spin_backoff *l = c->lock;
	u32 seen = spin_compare_swap(&l->word, SPIN_BACKOFF_FREE,
				     SPIN_BACKOFF_TAKEN);

	return likely(seen == SPIN_BACKOFF_FREE) ||
	       spin_backoff_wait(c, delay, form, l, seen);
}

static __always_inline void spin_backoff_release(struct spin_context *c)
{
	struct spin_backoff *l = c->lock;

	if (c->patience.preset.nap_us != SPIN_UNTIL_WOKEN) {
		spin_store_release(&l->word, SPIN_BACKOFF_FREE);
		return;
	}
	if (likely(spin_fetch_add(&l->word, -1) == SPIN_BACKOFF_TAKEN))
		return;
	spin_store_release(&l->word, SPIN_BACKOFF_FREE);
	spin_signal(&l->event[0]);
}

#endif /* SPINDELAY_BENCH_LOCKS_BACKOFF_H */
