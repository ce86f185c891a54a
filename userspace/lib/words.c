// SPDX-License-Identifier: GPL-2.0-or-later
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
