// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <linux/compiler.h>
#include <stdarg.h>
#include <string.h>

#include "lib/jsonscan.h"

#define NONE (-2)
/* Blanks between two things; nobody who means well writes more. */
#define BLANKS_MAX 65536

static int wrong(struct jsonscan *scan, const char *format, ...) __printf(2, 3);

/* The first thing that is wrong is what is told. */
static int wrong(struct jsonscan *scan, const char *format, ...)
{
	va_list args;

	if (scan->why[0])
		return -1;
	va_start(args, format);
	vsnprintf(scan->why, sizeof(scan->why), format, args);
	va_end(args);
	return -1;
}

static int next(struct jsonscan *scan)
{
	int c = scan->ahead;

	if (c == NONE)
		c = getc_unlocked(scan->stream);
	scan->ahead = NONE;
	scan->line += c == '\n';
	return c;
}

static void put_back(struct jsonscan *scan, int c)
{
	scan->ahead = c;
	scan->line -= c == '\n';
}

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static int next_after_blanks(struct jsonscan *scan)
{
	int c = ' ';

	for (unsigned int i = 0; i < BLANKS_MAX && is_blank(c); i++)
		c = next(scan);
	return c;
}

static int unexpected(struct jsonscan *scan, int c, const char *wanted)
{
	if (ferror(scan->stream))
		return wrong(scan, "it cannot be read: %s", strerror(errno));
	if (c == EOF)
		return wrong(scan, "it ends in line %zu, where %s is wanted",
			     scan->line, wanted);
	if (c > ' ' && c <= '~')
		return wrong(scan, "'%c' in line %zu, where %s is wanted", c,
			     scan->line, wanted);
	return wrong(scan, "byte 0x%02x in line %zu, where %s is wanted", c,
		     scan->line, wanted);
}

int jsonscan_begin(struct jsonscan *scan, FILE *stream)
{
	int c;

	memset(scan, 0, sizeof(*scan));
	scan->stream = stream;
	scan->ahead = NONE;
	scan->line = 1;
	c = next_after_blanks(scan);
	if (c == EOF && !ferror(stream))
		return wrong(scan, "it is empty");
	return c == '{' ? 0 : unexpected(scan, c, "a JSON object's '{'");
}

/*
 * The parser gets one character at a time, so that it has read no further than
 * it has to.
 */
static size_t feed(void *buffer, size_t size, void *data)
{
	struct jsonscan *scan = data;

	(void)size;
	if (!scan->left) {
		wrong(scan, "what begins before line %zu is too long",
		      scan->line);
		return 0;
	}
	scan->left--;
	scan->last = next(scan);
	if (scan->last == EOF)
		return 0;
	*(char *)buffer = scan->last;
	return 1;
}

json_t *jsonscan_value(struct jsonscan *scan, size_t max)
{
	json_error_t error;
	size_t line;
	json_t *value;
	int c;

	c = next_after_blanks(scan);
	line = scan->line;
	if (c == EOF || is_blank(c)) {
		unexpected(scan, c, "a value");
		return NULL;
	}
	put_back(scan, c);
	scan->left = max;
	value = json_load_callback(feed, scan,
				   JSON_REJECT_DUPLICATES | JSON_DECODE_ANY |
					   JSON_DISABLE_EOF_CHECK,
				   &error);
	if (!value) {
		wrong(scan, "%.160s in line %zu", error.text,
		      line + (error.line > 0 ? error.line - 1 : 0));
		return NULL;
	}
	/* Of these the end is seen in the character behind them alone. */
	if (!json_is_object(value) && !json_is_array(value) &&
	    !json_is_string(value))
		put_back(scan, scan->last);
	return value;
}

static int read_key(struct jsonscan *scan, char key[JSONSCAN_KEY_MAX])
{
	int c = next_after_blanks(scan);
	json_t *name;

	if (c != '"')
		return unexpected(scan, c, "a key in quotes");
	put_back(scan, c);
	name = jsonscan_value(scan, JSONSCAN_KEY_MAX);
	if (!name)
		return -1;
	snprintf(key, JSONSCAN_KEY_MAX, "%s", json_string_value(name));
	json_decref(name);
	c = next_after_blanks(scan);
	return c == ':' ? 1 : unexpected(scan, c, "':'");
}

static int read_end(struct jsonscan *scan)
{
	int c = next_after_blanks(scan);

	if (c == EOF && !ferror(scan->stream))
		return 0;
	return unexpected(scan, c, "its end");
}

int jsonscan_key(struct jsonscan *scan, bool first, char key[JSONSCAN_KEY_MAX])
{
	int c = next_after_blanks(scan);

	if (c == '}')
		return read_end(scan);
	if (first)
		put_back(scan, c);
	else if (c != ',')
		return unexpected(scan, c, "',' or '}'");
	return read_key(scan, key);
}

int jsonscan_enter(struct jsonscan *scan)
{
	int c = next_after_blanks(scan);

	return c == '[' ? 0 : unexpected(scan, c, "'['");
}

int jsonscan_element(struct jsonscan *scan, bool first)
{
	int c = next_after_blanks(scan);

	if (c == ']')
		return 0;
	if (first)
		put_back(scan, c);
	else if (c != ',')
		return unexpected(scan, c, "',' or ']'");
	return 1;
}
