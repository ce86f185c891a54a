// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdint.h>
#include <sys/random.h>
#include <time.h>

#include "lib/rng.h"

static u64 splitmix64(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static u64 rotate_left(u64 x, int bits)
{
	return x << bits | x >> (64 - bits);
}

void rng_seed(struct rng *rng, u64 seed)
{
	for (int i = 0; i < 4; i++)
		rng->state[i] = splitmix64(&seed);
}

u64 rng_next(struct rng *rng)
{
	u64 *s = rng->state;
	u64 result = rotate_left(s[1] * 5, 7) * 9;
	u64 shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate_left(s[3], 45);
	return result;
}

u32 rng_below(struct rng *rng, u32 bound)
{
	/* What is above the last whole multiple of bound would be a bias. */
	u64 limit = UINT64_MAX - UINT64_MAX % bound;
	u64 value;

	do {
		value = rng_next(rng);
	} while (value >= limit);
	return value % bound;
}

void rng_shuffle(struct rng *rng, u32 *values, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		u32 k = rng_below(rng, i);
		u32 value = values[k];

		values[k] = values[i - 1];
		values[i - 1] = value;
	}
}

u64 rng_fresh_seed(void)
{
	struct timespec now;
	u64 seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed)) {
		clock_gettime(CLOCK_REALTIME, &now);
		seed = now.tv_sec * 1000000000ULL + now.tv_nsec;
	}
	/* Short enough to be typed again, and exact in any JSON reader. */
	return seed & 0xffffffff;
}
