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
 */
enum spin_lock_traits {
	SPIN_EXCLUDES = 1 << 0,
	SPIN_POLLS = 1 << 1,
};

/* clang-format off */
/*
 * X(id, name, spelling, traits, ...)
 *
 * id: number in the ABI, never reused. name: C identifier. spelling: what
 * people type. traits: enum spin_lock_traits.
 */
#define SPIN_LOCKS(X, ...)                                                \
	X(0, nolock, "nolock", 0, ##__VA_ARGS__)                          \
	X(1, pace, "pace", 0, ##__VA_ARGS__)                              \
	X(2, broken, "broken", SPIN_EXCLUDES | SPIN_POLLS, ##__VA_ARGS__) \
	X(3, ttas, "ttas", SPIN_EXCLUDES | SPIN_POLLS, ##__VA_ARGS__)
/* clang-format on */

#define SPIN_LOCK_ID(id, name, ...) SPIN_LOCK_##name = (id),
enum spin_lock_id {
	SPIN_LOCKS(SPIN_LOCK_ID) SPIN_LOCK_END
};

#undef SPIN_LOCK_ID

#endif /* SPINDELAY_BENCH_LOCKS_H */
