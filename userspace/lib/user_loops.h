/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bench's headers and its compiled loops, for threads of the tool. */
#ifndef SPINDELAY_USER_LOOPS_H
#define SPINDELAY_USER_LOOPS_H

/*
 * Each lock takes the same arguments, whether it needs them or not. A file of
 * loops has included its atomics before; the start of a window takes these.
 */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "bench/atomics_c11.h"
#include "bench/contend.h"

extern const struct spin_loops spin_loops_c11;

/**
 * user_loops() - the loops for this machine
 * @lse: it has FEAT_LSE
 */
static inline const struct spin_loops *user_loops(bool lse __maybe_unused)
{
#ifdef __aarch64__
	return lse ? &spin_loops_lse : &spin_loops_llsc;
#else
	return &spin_loops_c11;
#endif
}

/* An event for all CPUs, behind all stores: whoever is in WFE wakes. */
static inline void user_send_event(void)
{
#ifdef __aarch64__
	asm volatile("dsb ishst\n\tsev" : : : "memory");
#endif
}

#endif /* SPINDELAY_USER_LOOPS_H */
