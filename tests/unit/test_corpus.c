// SPDX-License-Identifier: GPL-2.0-or-later
/* Each file of the fuzzers' corpora: all that was ever found stays mended. */
#include "unit.h"

#include <dirent.h>
#include <limits.h>

#include "fuzz_results.h"
#include "fuzz_typed.h"
#include "lib/results.h"

#define RESULTS "tests/fuzz/corpus"
#define TYPED "tests/fuzz/corpus-typed"

typedef int fuzz_target(const unsigned char *data, size_t size);

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

static void run_file(const char *path, fuzz_target *target)
{
	unsigned char data[65536];
	FILE *stream = fopen(path, "r");
	size_t size;

	assert_non_null(stream);
	size = fread(data, 1, sizeof(data), stream);
	assert_true(size < sizeof(data));
	fclose(stream);
	/* Named, for the message of a sanitizer names no file. */
	print_message("# %s\n", path);
	assert_int_equal(target(data, size), 0);
}

static void run_corpus(const char *folder, fuzz_target *target)
{
	DIR *corpus = opendir(folder);
	struct dirent *entry;
	unsigned int files = 0;
	char path[PATH_MAX];

	assert_non_null(corpus);
	while ((entry = readdir(corpus))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		run_file(path, target);
		/* What is broken is named so; the rest must still be understood. */
		if (target == LLVMFuzzerTestOneInput &&
		    strncmp(entry->d_name, "invalid-", 8))
			check_understood(path);
		files++;
	}
	closedir(corpus);
	assert_true(files > 0);
}

static void every_file_of_the_corpus_is_survived(void **state)
{
	(void)state;
	run_corpus(RESULTS, LLVMFuzzerTestOneInput);
}

static void everything_typed_in_the_corpus_is_survived(void **state)
{
	(void)state;
	run_corpus(TYPED, fuzz_typed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_of_the_corpus_is_survived),
		cmocka_unit_test(everything_typed_in_the_corpus_is_survived),
	};

	return cmocka_run_group_tests_name("corpus", tests, NULL, NULL);
}
