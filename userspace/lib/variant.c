// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/names.h"
#include "lib/number.h"
#include "lib/preset.h"
#include "lib/variant.h"

#define PAD_PREFIX "+chain*"

static int find_lock(const char *name, size_t len, u32 *lock,
		     struct fault *fault)
{
	const struct lock_name *found = lock_by_name(name, len);
	char list[NAMES_TEXT_MAX];

	if (!found)
		return fault_set(fault, STATUS_USAGE,
				 "unknown lock '%.*s'; there are: %s",
				 len < 64 ? (int)len : 64, name,
				 lock_name_list(list));
	*lock = found->id;
	return 0;
}

int variant_lock(const char *name, u32 *lock, struct fault *fault)
{
	return find_lock(name, strlen(name), lock, fault);
}

static int find_delay(const char *name, size_t len, u32 *delay,
		      struct fault *fault)
{
	const struct delay_name *found = delay_by_name(name, len);
	char list[NAMES_TEXT_MAX];

	if (!found)
		return fault_set(fault, STATUS_USAGE,
				 "unknown delay '%.*s'; there are: %s",
				 len < 64 ? (int)len : 64, name,
				 delay_name_list(list));
	*delay = found->id;
	return 0;
}

/* A number that ends at @end, which need not be the end of the string. */
static int parse_part(const char *start, const char *end, const char *what,
		      u32 max, u32 *out, struct fault *fault)
{
	char digits[32];
	size_t len = end - start;

	if (len >= sizeof(digits))
		return fault_set(
			fault, STATUS_USAGE,
			"%s: '%.*s...' is longer than any number from 1 to %u",
			what, (int)sizeof(digits), start, max);
	memcpy(digits, start, len);
	digits[len] = '\0';
	return parse_u32(digits, what, 1, max, out, fault);
}

static int parse_pad(const char *plus, u32 *pad, struct fault *fault)
{
	size_t len = strlen(PAD_PREFIX);

	if (strncmp(plus, PAD_PREFIX, len))
		return fault_set(fault, STATUS_USAGE,
				 "'%.64s': padding is written " PAD_PREFIX
				 "N, N from 1 to %u",
				 plus, SPINDELAY_PAD_MAX);
	plus += len;
	return parse_part(plus, plus + strlen(plus), "padding",
			  SPINDELAY_PAD_MAX, pad, fault);
}

int variant_parse(const char *text, u32 lock, struct spindelay_variant *variant,
		  struct fault *fault)
{
	struct spindelay_variant v = { .lock = lock, .count = 1 };
	const char *slash = strchr(text, '/');
	const char *plus, *star;

	if (slash) {
		if (find_lock(text, slash - text, &v.lock, fault))
			return -1;
		text = slash + 1;
	}
	plus = strchrnul(text, '+');
	star = memchr(text, '*', plus - text);
	if (find_delay(text, (star ? star : plus) - text, &v.delay, fault))
		return -1;
	if (star && parse_part(star + 1, plus, "count", SPINDELAY_COUNT_MAX,
			       &v.count, fault))
		return -1;
	if (*plus && parse_pad(plus, &v.pad, fault))
		return -1;
	*variant = v;
	return 0;
}

void variant_default_waits(struct spindelay_variant *variant)
{
	if (lock_has(variant->lock, SPIN_SHARES))
		variant->read_share = SPINDELAY_READ_SHARE_DEFAULT;
	if (variant->lock == SPIN_LOCK_backoff)
		variant->backoff = preset_default()->backoff;
	if (!lock_has(variant->lock, SPIN_INNODB))
		return;
	variant->spin_wait_delay = SPINDELAY_SPIN_WAIT_DELAY_DEFAULT;
	variant->pause_multiplier = SPINDELAY_PAUSE_MULTIPLIER_DEFAULT;
	variant->sync_spin_loops = SPINDELAY_SYNC_SPIN_LOOPS_DEFAULT;
}

void variant_hold(struct spindelay_variant *variant)
{
	variant->flags |= SPINDELAY_HELD;
	if (lock_has(variant->lock, SPIN_PARKS))
		variant->sync_spin_loops = UINT32_MAX;
	variant->backoff.looks = 0;
}

bool variant_same_poll(const struct spindelay_variant *a,
		       const struct spindelay_variant *b)
{
	return a->lock == b->lock && a->delay == b->delay &&
	       a->count == b->count && a->pad == b->pad;
}

bool variant_has_twin(const struct spindelay_variant *variant)
{
	return variant->count == 1 && !variant->pad &&
	       !(variant->flags & SPINDELAY_BURST);
}

void variant_pair_twins(struct spindelay_variant *variants, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		struct spindelay_variant *v = &variants[i];
		unsigned int before = 0;

		for (unsigned int k = 0; k < i; k++)
			before += variant_same_poll(&variants[k], v);
		if (before % 2 && variant_has_twin(v))
			v->flags |= SPINDELAY_TWIN;
	}
}

char *variant_delay_format(const struct spindelay_variant *variant, char *text)
{
	const struct delay_name *delay = delay_by_id(variant->delay);
	int used;

	used = snprintf(text, VARIANT_TEXT_MAX, "%s",
			delay ? delay->name : "?");
	if (variant->count != 1)
		used += snprintf(text + used, VARIANT_TEXT_MAX - used, "*%u",
				 variant->count);
	if (variant->pad)
		used += snprintf(text + used, VARIANT_TEXT_MAX - used,
				 PAD_PREFIX "%u", variant->pad);
	if (variant->flags & SPINDELAY_TWIN)
		snprintf(text + used, VARIANT_TEXT_MAX - used, "'");
	return text;
}

char *variant_format(const struct spindelay_variant *variant, char *text)
{
	const struct lock_name *lock = lock_by_id(variant->lock);
	char delay[VARIANT_TEXT_MAX];

	variant_delay_format(variant, delay);
	/* Precisions only for the compiler: no name is that long. */
	snprintf(text, VARIANT_TEXT_MAX, "%.15s/%.47s", lock ? lock->name : "?",
		 delay);
	return text;
}
