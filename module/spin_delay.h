/* SPDX-License-Identifier: GPL-2.0 */
/*
 * spin_delay() for kernel modules: the delay of a spin loop, chosen on the
 * running system by /sys/class/misc/spindelay/delay and followed at once by
 * every module that includes this header.
 *
 * SB and ISB cost no load, no call and no indirect branch: two static keys
 * patch the text, here and in every other module. All other choices go through
 * one function. The module that uses this needs spindelay loaded before it and
 * a GPL-compatible licence.
 */
#ifndef SPINDELAY_SPIN_DELAY_H
#define SPINDELAY_SPIN_DELAY_H

#include <linux/jump_label.h>
#include <linux/types.h>

DECLARE_STATIC_KEY_FALSE(spindelay_key_sb);
DECLARE_STATIC_KEY_FALSE(spindelay_key_other);

/* Neither SB nor ISB: what the knob says. Not to be called directly. */
void spindelay_other(const u32 *word, u32 seen);

/**
 * spin_delay_on - one delay of a spin loop that waits on a word
 * @word: the word that the loop is waiting on
 * @seen: its value when the loop looked at it
 *
 * For delays that can wait for @word to change. None of the knob's present
 * values does; a caller that has a word at hand should still prefer this form.
 *
 * Context: any, with preemption and interrupts on or off.
 */
static __always_inline void spin_delay_on(const u32 *word, u32 seen)
{
	if (static_branch_unlikely(&spindelay_key_other))
		spindelay_other(word, seen);
	else if (static_branch_likely(&spindelay_key_sb))
		asm volatile(".inst 0xd50330ff" : : : "memory"); /* sb */
	else
		asm volatile("isb" : : : "memory");
}

/**
 * spin_delay - one delay of a spin loop
 *
 * Context: any, with preemption and interrupts on or off.
 */
static __always_inline void spin_delay(void)
{
	spin_delay_on(NULL, 0);
}

#endif /* SPINDELAY_SPIN_DELAY_H */
