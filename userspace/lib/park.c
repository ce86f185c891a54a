// SPDX-License-Identifier: GPL-2.0-or-later
/* Sleep for the locks that do: module/bench/park.h for threads, on futexes. */
#include <limits.h>
#include <linux/compiler.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench/atomics_c11.h"
#include "bench/park.h"
#include "lib/park.h"

bool park_is_possible(void)
{
	u32 nobody = 0;

	return syscall(SYS_futex, &nobody, FUTEX_WAKE_PRIVATE, 1, NULL, NULL,
		       0) >= 0;
}

void spin_park(const u32 *word, u32 seen, u32 us)
{
	const struct timespec limit = { us / 1000000, us % 1000000 * 1000L };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, us ? &limit : NULL,
		NULL, 0);
}

void spin_wake(const u32 *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void spin_yield(void)
{
	sched_yield();
}
