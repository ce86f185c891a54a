/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels, and nowhere else: each is a stub named after
 * what the newest kernel has, so that dropping an old kernel deletes one hunk.
 * Kbuild looks for the features in the kernel's headers and defines HAVE_*;
 * version numbers say little about a kernel that a vendor backports to.
 */
#ifndef SPINDELAY_COMPAT_H
#define SPINDELAY_COMPAT_H

#include <linux/hrtimer.h>

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

#endif /* SPINDELAY_COMPAT_H */
