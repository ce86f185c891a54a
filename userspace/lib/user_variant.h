/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variants made ready for windows in threads of the tool. */
#ifndef SPINDELAY_USER_VARIANT_H
#define SPINDELAY_USER_VARIANT_H

#include "lib/user_loops.h"
#include "uapi/spindelay.h"

/**
 * struct user_machine - what the machine is, as user space sees it
 * @loops: compiled for it
 * @hz: ticks of spin_clock() a second
 * @has_sb: it has SB
 * @has_wfxt: it has WFET
 * @can_park: threads can sleep for a lock
 */
struct user_machine {
	const struct spin_loops *loops;
	u32 hz;
	bool has_sb;
	bool has_wfxt;
	bool can_park;
};

/**
 * struct user_variant - a variant made ready
 * @work: for the loops
 * @patience: for those of locks that sleep
 * @run: the compiled loop or burst
 * @lock: enum spin_lock_id
 * @excludes: the lock claims to
 * @parks: it may sleep in the window
 * @held: the lock is taken beforehand
 * @pace: polls are not counted, each acquisition is one
 * @burst: @run is a burst
 * @burst_allowed: and it is short enough
 * @copies: delays in one repetition of the burst
 * @turn: what hold, think and a poll take at most, ticks: whoever has just
 *	begun them when the window ends finishes them
 */
struct user_variant {
	struct spin_work work;
	struct spin_patience patience;
	void (*run)(struct spin_worker *w);
	u32 lock;
	bool excludes;
	bool parks;
	bool held;
	bool pace;
	bool burst;
	bool burst_allowed;
	u32 copies;
	u64 turn;
};

static inline u64 user_ticks(const struct user_machine *machine, u64 ns)
{
	return ns * machine->hz / 1000000000;
}

/* A window that overruns by this much more than a turn takes was disturbed. */
#define USER_LATE_NS 1000000

/**
 * user_window_is_late() - was a window disturbed, going by how long it was?
 * @variant: what ran in it
 * @asked: nanoseconds that it should have lasted
 * @ticks: that it did
 */
static inline bool user_window_is_late(const struct user_machine *machine,
				       const struct user_variant *variant,
				       u32 asked, u64 ticks)
{
	return ticks >
	       user_ticks(machine, (u64)asked + USER_LATE_NS) + variant->turn;
}

/**
 * user_calibrate_chain() - femtoseconds of one placebo iteration
 * @asked: a value to be used instead, if within a factor of two; 0: none
 */
u32 user_calibrate_chain(const struct user_machine *machine, u32 asked);

/**
 * user_variant_prepare() - make a variant ready
 * @plan: its chain_fs is known
 * @variant: checked
 * @word: a free lock's memory, for trying how long a poll takes
 *
 * Return: 0, or -E2BIG if one poll takes too much of a window.
 */
int user_variant_prepare(const struct user_machine *machine,
			 const struct spindelay_plan *plan,
			 const struct spindelay_variant *variant, void *word,
			 struct user_variant *ready);

#endif /* SPINDELAY_USER_VARIANT_H */
