// SPDX-License-Identifier: GPL-2.0-or-later
/* Each file of the fuzzer's corpus: all that was ever found stays mended. */
#include "unit.h"

#include <dirent.h>
#include <limits.h>

#include "fuzz_results.h"
#include "lib/results.h"

#define CORPUS "tests/fuzz/corpus"

static void check_understood(const char *path)
{
	struct fault fault = { 0 };
	char changed[768];
	struct document *doc =
		results_load(path, changed, sizeof(changed), &fault);

	if (!doc)
		fail_msg("%s", fault.text);
	assert_string_equal(changed, "");
	document_free(doc);
}

static void run_file(const char *name)
{
	unsigned char data[65536];
	char path[PATH_MAX];
	FILE *stream;
	size_t size;

	snprintf(path, sizeof(path), "%s/%s", CORPUS, name);
	stream = fopen(path, "r");
	assert_non_null(stream);
	size = fread(data, 1, sizeof(data), stream);
	assert_true(size < sizeof(data));
	fclose(stream);
	/* Named, for the message of a sanitizer names no file. */
	print_message("# %s\n", name);
	assert_int_equal(LLVMFuzzerTestOneInput(data, size), 0);
	/* What is broken is named so; the rest must still be understood. */
	if (strncmp(name, "invalid-", 8))
		check_understood(path);
}

static void every_file_of_the_corpus_is_survived(void **state)
{
	DIR *corpus = opendir(CORPUS);
	struct dirent *entry;
	unsigned int files = 0;

	(void)state;
	assert_non_null(corpus);
	while ((entry = readdir(corpus))) {
		if (entry->d_name[0] == '.')
			continue;
		run_file(entry->d_name);
		files++;
	}
	closedir(corpus);
	assert_true(files > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_of_the_corpus_is_survived),
	};

	return cmocka_run_group_tests_name("corpus", tests, NULL, NULL);
}
