// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "lib/words.h"

static const char *const match_words[] = {
	[MATCH_COUNT] = "count",
	[MATCH_TIME] = "time",
};

static const char *const part_words[] = {
	[PART_WHOLE] = "whole",
	[PART_LENGTH] = "length",
	[PART_INSTRUCTION] = "instruction",
};

static const char *const resolved_words[] = {
	[RESOLVED_NONE] = "none",
	[RESOLVED_HIGHER] = "higher",
	[RESOLVED_LOWER] = "lower",
};

static const char *const verdict_words[] = {
	[VERDICT_NONE] = "no difference resolved",
	[VERDICT_FASTER] = "faster",
	[VERDICT_SLOWER] = "slower",
	[VERDICT_NOT_JUDGED] = "not_judged",
};

static const char *const role_words[] = {
	[SET_ROUNDS] = "rounds",
	[SET_PERIODS] = "periods",
	[SET_CONFIRM] = "confirm",
	[SET_REPETITIONS] = "repetitions",
};

/* By the bits of what was asked for. */
static const char *const matches_words[] = {
	[MATCH_BIT(MATCH_COUNT)] = "count",
	[MATCH_BIT(MATCH_TIME)] = "time",
	[MATCH_BOTH] = "both",
};

const char *role_word(enum set_role role)
{
	return role_words[role];
}

enum set_role role_by_word(const char *word)
{
	for (unsigned int i = 0; i < SET_ROLES; i++)
		if (!strcmp(role_words[i], word))
			return i;
	return SET_ROLES;
}

const char *matches_word(unsigned int bits)
{
	return matches_words[bits];
}

unsigned int matches_by_word(const char *word)
{
	for (unsigned int i = 1; i <= MATCH_BOTH; i++)
		if (!strcmp(matches_words[i], word))
			return i;
	return 0;
}

const char *match_word(enum match match)
{
	return match_words[match];
}

const char *part_word(enum part part)
{
	return part_words[part];
}

const char *resolved_word(enum resolved resolved)
{
	return resolved_words[resolved];
}

const char *verdict_word(enum verdict verdict)
{
	return verdict_words[verdict];
}
