// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loops whose text tests/header/run looks at: LOOP_WAY for each kind of loop
 * and each way to choose between SB and ISB.
 *
 *	wait	polls a word until it is free
 *	ttas	takes a lock, with such a wait inside
 *	count	a number of delays, as in InnoDB's ut_delay()
 */
#include <lib/dispatch.h>

int has_sb;

#define LOOPS(way, delay)                                               \
	void wait_##way(const int *word)                                \
	{                                                               \
		while (__atomic_load_n(word, __ATOMIC_RELAXED))         \
			delay;                                          \
	}                                                               \
	void ttas_##way(int *word)                                      \
	{                                                               \
		while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE))  \
			while (__atomic_load_n(word, __ATOMIC_RELAXED)) \
				delay;                                  \
	}                                                               \
	void count_##way(int delays)                                    \
	{                                                               \
		while (delays-- > 0)                                    \
			delay;                                          \
	}

LOOPS(compiled, spin_delay_sb())
LOOPS(flag, spin_delay())
LOOPS(reload, dispatch_reload(&has_sb))
LOOPS(lazy, dispatch_lazy())
