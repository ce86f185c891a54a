/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The locks. A lock is one header in locks/ and one line here; every list of
 * names, in the kernel and in user space, is made from the table.
 */
#ifndef SPINDELAY_BENCH_LOCKS_H
#define SPINDELAY_BENCH_LOCKS_H

/**
 * enum spin_lock_traits - what a lock is
 * @SPIN_EXCLUDES: it claims mutual exclusion, so losing it is an error
 * @SPIN_POLLS: it has a poll, so it can be held for measuring the poll period
 * @SPIN_OWN_WAIT: it waits as it likes; the delay is not used
 * @SPIN_PAIR: for exactly two CPUs
 * @SPIN_PARKS: it may sleep, so it runs with preemption on, and that a worker
 *	was switched out is part of it
 * @SPIN_INNODB: it waits in rounds as InnoDB does, with InnoDB's settings
 * @SPIN_SHARES: readers may be inside together
 */
enum spin_lock_traits {
	SPIN_EXCLUDES = 1 << 0,
	SPIN_POLLS = 1 << 1,
	SPIN_OWN_WAIT = 1 << 2,
	SPIN_PAIR = 1 << 3,
	SPIN_PARKS = 1 << 4,
	SPIN_INNODB = 1 << 5,
	SPIN_SHARES = 1 << 6,
};

/* clang-format off */
/*
 * X(id, name, spelling, traits, ...)
 *
 * id: number in the ABI, never reused. name: C identifier. spelling: what
 * people type. traits: enum spin_lock_traits.
 */
#define SPIN_LOCKS(X, ...)                                                               \
	X(0, nolock, "nolock", 0, ##__VA_ARGS__)                                         \
	X(1, pace, "pace", 0, ##__VA_ARGS__)                                             \
	X(2, broken, "broken", SPIN_EXCLUDES | SPIN_POLLS, ##__VA_ARGS__)                \
	X(3, ttas, "ttas", SPIN_EXCLUDES | SPIN_POLLS, ##__VA_ARGS__)                    \
	X(4, tas, "tas", SPIN_EXCLUDES | SPIN_POLLS, ##__VA_ARGS__)                      \
	X(5, ttas_backoff, "ttas-backoff", SPIN_EXCLUDES | SPIN_POLLS, ##__VA_ARGS__)    \
	X(6, ticket, "ticket", SPIN_EXCLUDES | SPIN_POLLS, ##__VA_ARGS__)                \
	X(7, mcs, "mcs", SPIN_EXCLUDES | SPIN_POLLS, ##__VA_ARGS__)                      \
	X(8, clh, "clh", SPIN_EXCLUDES | SPIN_POLLS, ##__VA_ARGS__)                      \
	X(9, raw_spinlock, "raw-spinlock", SPIN_EXCLUDES | SPIN_OWN_WAIT, ##__VA_ARGS__) \
	X(10, handoff, "handoff", SPIN_EXCLUDES | SPIN_POLLS | SPIN_PAIR, ##__VA_ARGS__)  \
	X(11, innodb_mutex, "innodb-mutex",                                              \
	  SPIN_EXCLUDES | SPIN_POLLS | SPIN_PARKS | SPIN_INNODB, ##__VA_ARGS__)        \
	X(12, innodb_rwlock, "innodb-rwlock",                                            \
	  SPIN_EXCLUDES | SPIN_POLLS | SPIN_PARKS | SPIN_INNODB | SPIN_SHARES, ##__VA_ARGS__) \
	X(13, postgres_slock, "postgres-slock", SPIN_EXCLUDES | SPIN_POLLS | SPIN_PARKS, \
	  ##__VA_ARGS__)                                                                 \
	X(14, backoff, "backoff", SPIN_EXCLUDES | SPIN_POLLS | SPIN_PARKS, ##__VA_ARGS__)
/* clang-format on */

#define SPIN_LOCK_ID(id, name, ...) SPIN_LOCK_##name = (id),
enum spin_lock_id {
	SPIN_LOCKS(SPIN_LOCK_ID) SPIN_LOCK_END
};

#undef SPIN_LOCK_ID

#endif /* SPINDELAY_BENCH_LOCKS_H */
