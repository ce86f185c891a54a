// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Changes that mostly leave JSON what it is, so that the fuzzer gets behind the
 * parser: other numbers, other words, values gone or there twice.
 */
#include <ctype.h>
#include <linux/array_size.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_results.h"

static const char *const words[] = {
	"0",	"1",   "2",	"-1",	   "63",	 "64",
	"191",	"192", "511",	"512",	   "4096",	 "65536",
	"1e99", "0.5", "1e-99", "null",	   "true",	 "false",
	"\"\"", "[]",  "{}",	"[0,0]",   "4294967295", "4294967296",
	"NaN",	"2.0", "7",	"[[1,1]]", "\"isb\"",	 "9223372036854775807",
};

/* Put @with in the place of @len bytes at @at, if there is room. */
static size_t replace(unsigned char *data, size_t size, size_t max, size_t at,
		      size_t len, const void *with, size_t with_len)
{
	if (size - len + with_len > max)
		return size;
	memmove(data + at + with_len, data + at + len, size - at - len);
	memcpy(data + at, with, with_len);
	return size - len + with_len;
}

/* The length of the value that begins here: a number, a string, a bracket. */
static size_t value_length(const unsigned char *data, size_t left)
{
	size_t len = 1, depth = 0;

	if (*data == '"') {
		while (len < left && data[len] != '"')
			len++;
		return len < left ? len + 1 : left;
	}
	if (*data != '[' && *data != '{') {
		while (len < left && (isalnum(data[len]) || data[len] == '.'))
			len++;
		return len;
	}
	for (len = 0; len < left; len++) {
		depth += data[len] == '[' || data[len] == '{';
		depth -= data[len] == ']' || data[len] == '}';
		if (!depth)
			return len + 1;
	}
	return left;
}

static bool begins_value(const unsigned char *data, size_t at)
{
	return at && strchr("[{,: ", data[at - 1]) &&
	       (isdigit(data[at]) || strchr("-\"[{", data[at]));
}

size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t max,
			       unsigned int seed)
{
	unsigned char copy[4096];
	const char *word;
	size_t at, len;

	srandom(seed);
	if (size < 2 || random() % 8 == 0)
		return LLVMFuzzerMutate(data, size, max);
	at = random() % size;
	while (at < size && !begins_value(data, at))
		at++;
	if (at == size)
		return LLVMFuzzerMutate(data, size, max);
	len = value_length(data + at, size - at);
	switch (random() % 4) {
	case 0: /* away, with the comma behind it */
		return replace(data, size, max, at,
			       len + (at + len < size && data[at + len] == ','),
			       "", 0);
	case 1: /* twice */
		if (len + 1 > sizeof(copy))
			return size;
		copy[0] = ',';
		memcpy(copy + 1, data + at, len);
		return replace(data, size, max, at + len, 0, copy, len + 1);
	default:
		word = words[random() % ARRAY_SIZE(words)];
		return replace(data, size, max, at, len, word, strlen(word));
	}
}
