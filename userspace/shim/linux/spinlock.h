/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's raw spinlock in user threads: that of the C library. */
#ifndef SPINDELAY_SHIM_SPINLOCK_H
#define SPINDELAY_SHIM_SPINLOCK_H

#include <linux/compiler.h>
#include <pthread.h>
#include <sched.h>

#define raw_spinlock_t pthread_spinlock_t

static inline void raw_spin_lock_init(raw_spinlock_t *lock)
{
	pthread_spin_init(lock, PTHREAD_PROCESS_PRIVATE);
}

/* Whoever is inside may not be on a CPU. */
static inline void raw_spin_lock(raw_spinlock_t *lock)
{
	while (pthread_spin_trylock(lock))
		sched_yield();
}

static inline void raw_spin_unlock(raw_spinlock_t *lock)
{
	pthread_spin_unlock(lock);
}

#endif /* SPINDELAY_SHIM_SPINLOCK_H */
