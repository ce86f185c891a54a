/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose numbers the lock backoff can wait by: the table of bench/presets.h. */
#ifndef SPINDELAY_PRESET_H
#define SPINDELAY_PRESET_H

#include <stddef.h>

#include "lib/fault.h"
#include "uapi/spindelay.h"

/* Room for all names and sources, a line each. */
#define PRESETS_TEXT_MAX 512

/**
 * struct preset - a line of SPIN_PRESETS
 * @name: what people type
 * @source: where the numbers are from
 * @backoff: the numbers
 */
struct preset {
	const char *name;
	const char *source;
	struct spindelay_backoff backoff;
};

/**
 * struct preset_field - one of the numbers
 * @key: its name in a document
 * @offset: in struct spindelay_backoff
 * @max: the largest that a document may have
 */
struct preset_field {
	const char *key;
	size_t offset;
	u32 max;
};

/* All of them, in the order of the table. */
const struct preset *presets(size_t *nr);

/* The one that is used where none is named. */
const struct preset *preset_default(void);

/* The one with these numbers, by name; "other" if there is none. */
const char *preset_name(const struct spindelay_backoff *backoff);

/* Names and sources, a line each, into @text[PRESETS_TEXT_MAX]; returns @text. */
char *preset_sources(char *text);

/**
 * preset_parse() - the preset of a name
 * @out: it
 *
 * Return: 0, or -1 and a usage fault that names them all.
 */
int preset_parse(const char *name, const struct preset **out,
		 struct fault *fault);

/* All numbers of a back-off. */
const struct preset_field *preset_fields(size_t *nr);

/* One of them. */
u32 *preset_number(struct spindelay_backoff *backoff,
		   const struct preset_field *field);

#endif /* SPINDELAY_PRESET_H */
