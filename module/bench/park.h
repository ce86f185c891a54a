/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a lock that sleeps asks of its surroundings. Whoever runs the loops
 * provides these functions: module/park.c in the kernel, userspace/lib/park.c,
 * on futexes, for threads.
 *
 * No wait for a word outlasts its window: whoever ends the window stores the
 * stop flag and then changes every event of the lock (spin_events_change()), so
 * that who reads an event, then the flag, and then parks, is not kept.
 */
#ifndef SPINDELAY_BENCH_PARK_H
#define SPINDELAY_BENCH_PARK_H

#include <linux/types.h>

/**
 * spin_park - sleep until a word is changed
 * @word: the word
 * @seen: its value; with another one there is no sleep
 * @us: at most so many microseconds, 0: for as long as it takes
 *
 * May return earlier, for whatever reason.
 */
void spin_park(const u32 *word, u32 seen, u32 us);

/**
 * spin_wake - wake everybody who is parked on a word
 * @word: the word, changed before
 */
void spin_wake(const u32 *word);

/**
 * spin_yield - let others have the CPU, if there are any
 */
void spin_yield(void);

/**
 * struct spin_events - the words that the waiters of a lock park on
 * @own_line: the lock's own words, which every one that parks has first
 * @event: counts up with every signal; who parks does so on a value
 *
 * What the memory of a lock with SPIN_PARKS begins with. A sleep that is for a
 * time and for no word is a sleep on the stop flag.
 */
struct spin_events {
	u32 own_line[16];
	u32 event[2];
};

/**
 * spin_events_change - let nobody park any more on what has been read before
 * @lock: the memory of a lock with SPIN_PARKS
 */
static inline void spin_events_change(void *lock)
{
	struct spin_events *e = lock;

	spin_fetch_add(&e->event[0], 1);
	spin_fetch_add(&e->event[1], 1);
}

/**
 * spin_window_end - end a window of threads
 * @lock: the memory of a lock with SPIN_PARKS
 * @stop: the flag
 *
 * Wakes whoever is parked. Not from an interrupt.
 */
static inline void spin_window_end(void *lock, u32 *stop)
{
	struct spin_events *e = lock;

	spin_store_release(stop, 1);
	spin_events_change(lock);
	spin_wake(&e->event[0]);
	spin_wake(&e->event[1]);
	spin_wake(stop);
}

#endif /* SPINDELAY_BENCH_PARK_H */
