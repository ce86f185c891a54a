// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In a file of their own, each a function that is not inlined, so that what is
 * measured is what an application's compiler makes of the header.
 */
#include <linux/compiler.h>

#include "lib/dispatch.h"
#include "lib/dispatch_loops.h"

/* As a program keeps it that asks before main() and reads it for each delay. */
static int has_sb;

__attribute__((constructor)) static void keep_answer(void)
{
	has_sb = spin_delay_ask();
}

#define LOOP noinline __attribute__((aligned(64)))

/* Polling a word, as often as it is waited for at most; as in ut_delay(). */
#define LOOPS(way, delay)                                                  \
	static LOOP void poll_##way(unsigned long polls, const int *word)  \
	{                                                                  \
		while (__atomic_load_n(word, __ATOMIC_RELAXED)) {          \
			delay;                                             \
			if (!--polls)                                      \
				break;                                     \
		}                                                          \
	}                                                                  \
	static LOOP void count_##way(unsigned long polls, const int *word) \
	{                                                                  \
		(void)word;                                                \
		while (polls-- > 0)                                        \
			delay;                                             \
	}

LOOPS(sb, spin_delay_sb())
LOOPS(isb, spin_delay_isb())
LOOPS(flag, spin_delay())
LOOPS(reload, dispatch_reload(&has_sb))
LOOPS(lazy, dispatch_lazy())

dispatch_loop_fn *dispatch_loop_of(enum dispatch_way way,
				   enum dispatch_loop loop)
{
	static dispatch_loop_fn *const loops[DISPATCH_WAYS][DISPATCH_LOOPS] = {
		[DISPATCH_COMPILED] = { poll_sb, count_sb },
		[DISPATCH_FLAG] = { poll_flag, count_flag },
		[DISPATCH_RELOAD] = { poll_reload, count_reload },
		[DISPATCH_LAZY] = { poll_lazy, count_lazy },
	};

	if (way == DISPATCH_COMPILED && !spin_delay_has_sb())
		return loop == DISPATCH_POLL ? poll_isb : count_isb;
	return loops[way][loop];
}
