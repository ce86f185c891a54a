// SPDX-License-Identifier: GPL-2.0-or-later
/* What a file says of itself against what its windows say. */
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/results.h"

#define PATH_TEXT_MAX 160
#define VALUE_TEXT_MAX 64

/* Where we are in the two documents, as "comparisons[0].ratio.low". */
struct place {
	char path[PATH_TEXT_MAX];
	char *where;
	size_t size;
};

static bool differ(struct place *place, const json_t *stored,
		   const json_t *redone);

/* A value as it stands in the file, shortened. */
static const char *value_text(const json_t *value, char *text)
{
	char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
					       JSON_REAL_PRECISION(17));

	snprintf(text, VALUE_TEXT_MAX, "%s", dump ? dump : "?");
	free(dump);
	return text;
}

static bool report_difference(const struct place *place, const json_t *stored,
			      const json_t *redone)
{
	char before[VALUE_TEXT_MAX], after[VALUE_TEXT_MAX];

	if (json_is_array(stored) && json_is_array(redone))
		snprintf(place->where, place->size,
			 "'%s' has %zu entries, and should have %zu",
			 place->path, json_array_size(stored),
			 json_array_size(redone));
	else
		snprintf(place->where, place->size, "'%s' is %s, and not %s",
			 place->path, value_text(stored, before),
			 value_text(redone, after));
	return true;
}

static bool member_differs(struct place *place, const char *key,
			   const json_t *stored, const json_t *redone)
{
	size_t len = strlen(place->path);
	bool found;

	snprintf(place->path + len, sizeof(place->path) - len, "%s%s",
		 len ? "." : "", key);
	found = differ(place, stored, redone);
	place->path[len] = '\0';
	return found;
}

static bool objects_differ(struct place *place, const json_t *stored,
			   const json_t *redone)
{
	const json_t *other;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)redone, key, value)
	{
		other = json_object_get(stored, key);
		if (other && member_differs(place, key, other, value))
			return true;
	}
	return false;
}

static bool element_differs(struct place *place, size_t index,
			    const json_t *stored, const json_t *redone)
{
	size_t len = strlen(place->path);
	bool found;

	snprintf(place->path + len, sizeof(place->path) - len, "[%zu]", index);
	found = differ(place, stored, redone);
	place->path[len] = '\0';
	return found;
}

static bool arrays_differ(struct place *place, const json_t *stored,
			  const json_t *redone)
{
	if (json_array_size(stored) != json_array_size(redone))
		return report_difference(place, stored, redone);
	for (size_t i = 0; i < json_array_size(redone); i++)
		if (element_differs(place, i, json_array_get(stored, i),
				    json_array_get(redone, i)))
			return true;
	return false;
}

/* Other programs write 2 for 2.0. */
static bool same_value(const json_t *stored, const json_t *redone)
{
	if (json_is_integer(stored) && json_is_integer(redone))
		return json_equal(stored, redone);
	if (json_is_number(stored) && json_is_number(redone))
		return json_number_value(stored) == json_number_value(redone);
	return json_equal(stored, redone);
}

static bool differ(struct place *place, const json_t *stored,
		   const json_t *redone)
{
	if (json_is_object(stored) && json_is_object(redone))
		return objects_differ(place, stored, redone);
	if (json_is_array(stored) && json_is_array(redone))
		return arrays_differ(place, stored, redone);
	return !same_value(stored, redone) &&
	       report_difference(place, stored, redone);
}

/* As the writer would write it, so that nothing that it knows is left out. */
static json_t *redone_head(const struct document *doc)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	json_t *head = NULL;
	int failed;

	if (!stream)
		return NULL;
	failed = results_write_head(doc, stream);
	failed |= ferror(stream);
	if (!fclose(stream) && !failed)
		head = json_loadb(text, size, 0, NULL);
	free(text);
	return head;
}

int results_differ(const struct document *doc, const struct json_t *stored,
		   char *where, size_t size)
{
	struct place place = { .where = where, .size = size };
	json_t *redone = redone_head(doc);
	bool found;

	where[0] = '\0';
	if (!redone)
		return -1;
	found = differ(&place, stored, redone);
	json_decref(redone);
	return found;
}
