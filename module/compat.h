/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels, and nowhere else: each is a stub named after
 * what the newest kernel has, so that dropping an old kernel deletes one hunk.
 * Kbuild looks for the features in the kernel's headers and defines HAVE_*;
 * version numbers say little about a kernel that a vendor backports to, as Red
 * Hat does with capabilities and timers. Nothing need be done about cpu_hwcaps,
 * which is system_cpucaps since 6.5: cpus_have_cap() reads the one there is.
 */
#ifndef SPINDELAY_COMPAT_H
#define SPINDELAY_COMPAT_H

#include <linux/hrtimer.h>
/* Before 5.16 it is mm.h that declares kvmalloc_array() and kvfree(). */
#include <linux/mm.h>
#include <linux/slab.h>
#include <asm/cpufeature.h>

#ifndef HAVE_HRTIMER_SETUP
static inline void
hrtimer_setup(struct hrtimer *timer,
	      enum hrtimer_restart (*function)(struct hrtimer *),
	      clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* A kernel that does not know of WFxT (5.19 does) never finds it. */
#ifndef ARM64_HAS_WFXT
#define ARM64_HAS_WFXT ARM64_NCAPS
#endif

#endif /* SPINDELAY_COMPAT_H */
