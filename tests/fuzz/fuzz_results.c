// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All that is done with a file that comes from anywhere: read, made anew,
 * printed, written, read again. "make fuzz" calls it from libFuzzer, "make
 * unit" for each file of the corpus.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_results.h"
#include "lib/csv.h"
#include "lib/findings.h"
#include "lib/results.h"
#include "lib/sidebyside.h"
#include "lib/summary.h"

/* Read, with the numbers made anew; NULL if it is refused. */
static struct document *load(const void *data, size_t size, json_t **stored)
{
	/* A file of no bytes cannot be opened in memory everywhere. */
	FILE *stream = size ? fmemopen((void *)data, size, "r") :
			      fopen("/dev/null", "r");
	struct fault fault = { 0 };
	struct document *doc;
	char why[256];

	if (!stream)
		abort();
	doc = results_read_stored(stream, "fuzz", stored, &fault);
	fclose(stream);
	if (!doc && (fault.status != STATUS_ERROR || !fault.text[0] || *stored))
		abort();
	if (doc && !findings_check(doc, why, sizeof(why)) &&
	    !findings_make(doc))
		return doc;
	document_free(doc);
	return NULL;
}

static char *text_of(const struct document *doc, size_t *size)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, size);

	if (!stream || results_write(doc, stream))
		abort();
	fclose(stream);
	return text;
}

static void print_all(const struct document *doc)
{
	const struct side_file files[] = { { "a", doc }, { "b", doc } };
	struct fault fault;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		abort();
	findings_print(doc, stream);
	csv_write(doc, stream);
	side_by_side(files, 2, stream, &fault);
	summary_status(doc);
	fclose(stream);
	free(text);
}

/* What the tool has written it must read, and find nothing wrong with it. */
static void check_again(const char *text, size_t size)
{
	struct document *doc;
	char where[384];
	json_t *stored;
	size_t again_size;
	char *again;

	doc = load(text, size, &stored);
	if (!doc || results_differ(doc, stored, where, sizeof(where)))
		abort();
	again = text_of(doc, &again_size);
	if (again_size != size || memcmp(text, again, size))
		abort();
	free(again);
	json_decref(stored);
	document_free(doc);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct document *doc;
	char where[384], *text;
	json_t *stored = NULL;
	size_t text_size;

	doc = load(data, size, &stored);
	if (doc) {
		results_differ(doc, stored, where, sizeof(where));
		print_all(doc);
		text = text_of(doc, &text_size);
		check_again(text, text_size);
		free(text);
		document_free(doc);
	}
	json_decref(stored);
	return 0;
}
