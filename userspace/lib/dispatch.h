/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other ways to choose between SB and ISB at run time, for comparison with
 * spin_delay() of spindelay/spin_delay.h (a flag that is set before main() and
 * stays in a register) and with spin_delay_sb() (compiled in).
 */
#ifndef SPINDELAY_DISPATCH_H
#define SPINDELAY_DISPATCH_H

#include <spindelay/spin_delay.h>

/**
 * dispatch_lazy - one delay, chosen by a static that the first one sets
 *
 * As in MySQL pull request 611: tested on every delay.
 */
spin_delay_inline void dispatch_lazy(void)
{
	static int has = -1;

	if (has < 0)
		has = spin_delay_ask();
	if (has)
		spin_delay_sb();
	else
		spin_delay_isb();
}

/**
 * dispatch_reload - one delay, chosen by a variable that is read for each
 * @has: not 0 for SB; set before main()
 *
 * What becomes of a flag whose reading the compiler sees: the delay is a
 * compiler barrier, so it is read again.
 */
spin_delay_inline void dispatch_reload(const int *has)
{
	if (__builtin_expect(*has, 1))
		spin_delay_sb();
	else
		spin_delay_isb();
}

#endif /* SPINDELAY_DISPATCH_H */
