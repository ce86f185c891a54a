// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>
#include <stdio.h>
#include <string.h>

#include "lib/names.h"

#define DELAY_LINE(id, name, spelling, need, traits) \
	{ id, spelling, need, traits },
static const struct delay_name delays[] = { SPIN_DELAYS(DELAY_LINE) };

#define LOCK_LINE(id, name, spelling, traits) { id, spelling, traits },
static const struct lock_name locks[] = { SPIN_LOCKS(LOCK_LINE) };

const struct delay_name *delay_names(size_t *nr)
{
	*nr = ARRAY_SIZE(delays);
	return delays;
}

const struct lock_name *lock_names(size_t *nr)
{
	*nr = ARRAY_SIZE(locks);
	return locks;
}

static bool same(const char *entry, const char *name, size_t len)
{
	return strlen(entry) == len && !memcmp(entry, name, len);
}

const struct delay_name *delay_by_name(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(delays); i++)
		if (same(delays[i].name, name, len))
			return &delays[i];
	return NULL;
}

const struct lock_name *lock_by_name(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(locks); i++)
		if (same(locks[i].name, name, len))
			return &locks[i];
	return NULL;
}

const struct delay_name *delay_by_id(u32 id)
{
	for (size_t i = 0; i < ARRAY_SIZE(delays); i++)
		if (delays[i].id == id)
			return &delays[i];
	return NULL;
}

const struct lock_name *lock_by_id(u32 id)
{
	for (size_t i = 0; i < ARRAY_SIZE(locks); i++)
		if (locks[i].id == id)
			return &locks[i];
	return NULL;
}

bool lock_has(u32 id, unsigned int traits)
{
	const struct lock_name *lock = lock_by_id(id);

	return lock && (lock->traits & traits) == traits;
}

bool delay_has(u32 id, unsigned int traits)
{
	const struct delay_name *delay = delay_by_id(id);

	return delay && (delay->traits & traits) == traits;
}

static void append(char *text, const char *word)
{
	size_t used = strlen(text);

	snprintf(text + used, NAMES_TEXT_MAX - used, "%s%s", used ? " " : "",
		 word);
}

char *delay_name_list(char *text)
{
	text[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(delays); i++)
		append(text, delays[i].name);
	return text;
}

char *knob_name_list(char *text)
{
	text[0] = '\0';
	append(text, "auto");
	for (size_t i = 0; i < ARRAY_SIZE(delays); i++)
		if (delays[i].traits & SPIN_IN_KNOB)
			append(text, delays[i].name);
	return text;
}

char *lock_name_list(char *text)
{
	text[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(locks); i++)
		append(text, locks[i].name);
	return text;
}

bool word_in_list(const char *word, const char *list)
{
	size_t len;

	for (; *list; list += len) {
		list += strspn(list, "\t\n ");
		len = strcspn(list, "\t\n ");
		if (len && same(word, list, len))
			return true;
	}
	return false;
}
