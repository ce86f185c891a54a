/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_RNG_H
#define SPINDELAY_RNG_H

#include <linux/types.h>

/**
 * struct rng - xoshiro256** (Blackman and Vigna, 2018), seeded by splitmix64
 *
 * The same seed gives the same numbers on every machine, so it gives the same
 * plan.
 */
struct rng {
	u64 state[4];
};

void rng_seed(struct rng *rng, u64 seed);

u64 rng_next(struct rng *rng);

/* Evenly from 0..@bound - 1, @bound > 0. */
u32 rng_below(struct rng *rng, u32 bound);

/* Put @n values into a random order. */
void rng_shuffle(struct rng *rng, u32 *values, size_t n);

/* A seed that nobody chose. */
u64 rng_fresh_seed(void);

#endif /* SPINDELAY_RNG_H */
