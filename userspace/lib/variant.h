/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_VARIANT_H
#define SPINDELAY_VARIANT_H

#include <linux/types.h>

#include "lib/fault.h"
#include "uapi/spindelay.h"

/* Room for a variant as it is typed. */
#define VARIANT_TEXT_MAX 64

/**
 * variant_parse() - read [lock/]delay[*count][+chain*N]
 * @text: what was typed
 * @lock: id of the lock where @text names none
 * @variant: filled in: lock, delay, count and pad; everything else zero
 *
 * Return: 0, or -1 with a usage fault that holds the value and the range or
 * the valid names.
 */
int variant_parse(const char *text, u32 lock, struct spindelay_variant *variant,
		  struct fault *fault);

/* The number of the lock called @name, or -1 and the valid names. */
int variant_lock(const char *name, u32 *lock, struct fault *fault);

/* Do both execute the same between two looks at the same lock? */
bool variant_same_poll(const struct spindelay_variant *a,
		       const struct spindelay_variant *b);

/* Is its loop there a second time, at another address? */
bool variant_has_twin(const struct spindelay_variant *variant);

/**
 * variant_pair_twins() - make an A/A comparison of what is named twice
 * @variants: @nr of them
 *
 * The second of two that have lock, delay, count and padding in common becomes
 * the twin of the first, where it has one: at count 1 without padding. Else
 * both are one and the same loop. A third is again the first, and so on.
 */
void variant_pair_twins(struct spindelay_variant *variants, unsigned int nr);

/*
 * As it is typed, with the lock; returns @text, which has VARIANT_TEXT_MAX. A
 * twin, which cannot be typed, has an apostrophe behind it: ttas/isb'
 */
char *variant_format(const struct spindelay_variant *variant, char *text);

/* The same without the lock. */
char *variant_delay_format(const struct spindelay_variant *variant, char *text);

/* MySQL's and other defaults of what its lock has and the kernel puts in nothing for. */
void variant_default_waits(struct spindelay_variant *variant);

/* Make it one whose lock is held throughout, with nothing but polls to be seen. */
void variant_hold(struct spindelay_variant *variant);

#endif /* SPINDELAY_VARIANT_H */
