// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/presets.h"
#include "lib/names.h"
#include "lib/preset.h"

#define PRESET_LINE(spelling, source, ...) \
	{ spelling, source, { __VA_ARGS__ } },
static const struct preset table[] = { SPIN_PRESETS(PRESET_LINE) };

#define FIELD(name, max)                                             \
	{                                                            \
#name, offsetof(struct spindelay_backoff, name), max \
	}
static const struct preset_field fields[] = {
	FIELD(first, SPINDELAY_BACKOFF_TURNS_MAX),
	FIELD(growth, SPINDELAY_BACKOFF_GROWTH_MAX),
	FIELD(step, SPINDELAY_BACKOFF_TURNS_MAX),
	FIELD(most, SPINDELAY_BACKOFF_TURNS_MAX),
	FIELD(wrap, 1),
	FIELD(afresh, 1),
	FIELD(idle, SPINDELAY_BACKOFF_IDLE_MAX),
	FIELD(weight, SPINDELAY_BACKOFF_TURNS_MAX),
	FIELD(yield_from, UINT32_MAX),
	FIELD(yield_less, UINT32_MAX),
	FIELD(looks, UINT32_MAX),
	FIELD(nap_us, UINT32_MAX),
};

const struct preset *presets(size_t *nr)
{
	*nr = ARRAY_SIZE(table);
	return table;
}

const struct preset *preset_default(void)
{
	return &table[0];
}

const char *preset_name(const struct spindelay_backoff *backoff)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!memcmp(&table[i].backoff, backoff, sizeof(*backoff)))
			return table[i].name;
	return "other";
}

char *preset_sources(char *text)
{
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		used += snprintf(text + used, PRESETS_TEXT_MAX - used,
				 "%s%s: %s", i ? "\n" : "", table[i].name,
				 table[i].source);
	return text;
}

static const char *name_list(char *text)
{
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		used += snprintf(text + used, NAMES_TEXT_MAX - used, "%s%s",
				 i ? " " : "", table[i].name);
	return text;
}

int preset_parse(const char *name, const struct preset **out,
		 struct fault *fault)
{
	char list[NAMES_TEXT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(table[i].name, name))
			continue;
		*out = &table[i];
		return 0;
	}
	return fault_set(fault, STATUS_USAGE,
			 "--preset: '%.32s' is not known; there are: %s", name,
			 name_list(list));
}

const struct preset_field *preset_fields(size_t *nr)
{
	*nr = ARRAY_SIZE(fields);
	return fields;
}

u32 *preset_number(struct spindelay_backoff *backoff,
		   const struct preset_field *field)
{
	return (u32 *)((char *)backoff + field->offset);
}
