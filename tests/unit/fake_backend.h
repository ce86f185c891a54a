/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stand-in for the module: it checks plans as the ABI says and makes up
 * windows from planted numbers.
 */
#ifndef SPINDELAY_FAKE_BACKEND_H
#define SPINDELAY_FAKE_BACKEND_H

#include "lib/backend.h"
#include "lib/rng.h"
#include "bench/delays.h"

#define FAKE_COUNTER_HZ 1000000000
#define FAKE_CHAIN_FS 500000

/**
 * struct fake - what is planted, and what was seen
 * @rate: acquisitions a tick of each CPU, by index of the variant
 * @noise: relative, of each window
 * @placement_noise: relative, of each placement and variant
 * @quiet_lock: a lock that has neither; 0: none
 * @address_noise: relative, of each address of the lock and variant
 * @swing: relative, of each round: all its windows alike
 * @beat: relative, up and down again with every four windows
 * @drift: relative growth of the rate with each window
 * @invalid_every: one window in so many is invalid; 0: none
 * @invalid_calls: the first so many calls have no valid window
 * @lose: acquisitions that the exclusion counter misses, by variant
 * @cycles_per_tick: of the clock frequency; 0: no counters
 * @instructions_per_tick: likewise
 * @speed: factor of both, by variant; 0: 1
 * @share_half: think that halves the delay share from what it is without any,
 *	ns; 0: every second acquisition waits, whatever think
 * @share_most: delay share without think
 * @asleep_below: with a think below this, ns, waiters sleep and hardly poll
 * @wild_every: in one window in so many the timed waits are of ten times the
 *	share, as if whoever held the lock had been interrupted; 0: none
 * @ns_per_copy: of a burst
 * @poll_ns: poll period of a held lock, without what comes next
 * @poll_noise: relative, of the polls of each window of a held lock
 * @delay_ns: cost of a delay in a poll, by its number
 * @pad_ns: cost of a turn of the placebo
 * @padded_loop_ns: what a loop with any costs besides
 * @lose_lock: acquisitions that the exclusion counter misses, by lock
 * @idle_lock: a lock that is never acquired; 0: none
 * @pace_cost: of pace: what a count beyond the first adds to a turn that takes 1
 * @twin_gain: relative, of a twin's code over its first's
 * @second_gain: relative, of the second of two that poll alike
 * @position_gain: relative, of a round's first window over its others
 * @overrun: ticks that a window lasts beyond what was asked
 * @gap: ticks from one window's end to the next one's start; 0: windows begin
 *	1000 ticks apart, whatever they last
 * @back_every: one window in so many begins before its time; 0: none
 * @fail: what the call returns instead of running
 * @calls: calls so far
 * @windows: windows so far, with warm-ups
 * @think_ns: of the first variant of the last call
 * @chain_fs: of each of the first calls
 * @pages: page and slot of each of the first calls
 * @level: of this round, a logarithm
 * @rng: of the noise
 */
struct fake {
	double rate[SPINDELAY_VARIANTS_MAX];
	double noise;
	double placement_noise;
	u32 quiet_lock;
	double address_noise;
	double swing;
	double beat;
	double drift;
	unsigned int invalid_every;
	unsigned int invalid_calls;
	u64 lose[SPINDELAY_VARIANTS_MAX];
	double cycles_per_tick;
	double instructions_per_tick;
	double speed[SPINDELAY_VARIANTS_MAX];
	double share_half;
	double share_most;
	u32 asleep_below;
	unsigned int wild_every;
	double ns_per_copy;
	double poll_ns;
	double poll_noise;
	double delay_ns[SPIN_DELAY_END];
	double pad_ns;
	double padded_loop_ns;
	u64 lose_lock[SPIN_LOCK_END];
	u32 idle_lock;
	double pace_cost;
	double twin_gain;
	double second_gain;
	double position_gain;
	int overrun;
	u64 gap;
	unsigned int back_every;
	int fail;
	unsigned int calls;
	u64 windows;
	u32 think_ns;
	u32 chain_fs[64];
	u32 pages[64];
	double level;
	struct rng rng;
};

extern const struct backend_ops fake_backend;

/* A normal deviate. */
double fake_normal(struct rng *rng);

#endif /* SPINDELAY_FAKE_BACKEND_H */
