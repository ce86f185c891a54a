// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/outfile.h"
#include "scratch.h"

static char path[PATH_MAX];
static struct fault fault;

static int setup(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/out.json", scratch_make());
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scratch_remove();
	return 0;
}

static void read_file(char *text, size_t size)
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

static void a_check_leaves_nothing_behind(void **state)
{
	(void)state;
	assert_int_equal(outfile_check(path, &fault), 0);
	assert_true(scratch_is_empty());
}

static void a_folder_that_is_not_there_is_said(void **state)
{
	(void)state;
	assert_int_equal(outfile_check("/nonexistent/x", &fault), -1);
	assert_fault(&fault, STATUS_ERROR, "/nonexistent/x", "No such file");
	assert_int_equal(outfile_check("", &fault), -1);
	assert_fault(&fault, STATUS_USAGE, "empty");
}

static void a_file_appears_when_it_is_whole(void **state)
{
	struct outfile file;
	char text[16];

	(void)state;
	assert_int_equal(outfile_open(&file, path, &fault), 0);
	fputs("whole", file.stream);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(outfile_close(&file, &fault), 0);
	read_file(text, sizeof(text));
	assert_string_equal(text, "whole");
}

static void an_old_file_stays_until_then(void **state)
{
	struct outfile file;
	char text[16];

	(void)state;
	scratch_write("/out.json", "old");
	outfile_open(&file, path, &fault);
	fputs("new", file.stream);
	fflush(file.stream);
	read_file(text, sizeof(text));
	assert_string_equal(text, "old");
	outfile_close(&file, &fault);
	read_file(text, sizeof(text));
	assert_string_equal(text, "new");
}

static void a_link_stays_a_link(void **state)
{
	char link[PATH_MAX + 8];
	struct outfile file;
	struct stat status;

	(void)state;
	scratch_write("/out.json", "old");
	snprintf(link, sizeof(link), "%s.link", path);
	assert_int_equal(symlink(path, link), 0);
	outfile_open(&file, link, &fault);
	fputs("new", file.stream);
	assert_int_equal(outfile_close(&file, &fault), 0);
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
}

/* A pipe, and no device of this machine: a test of broken code replaces it. */
static void a_special_file_is_written_in_place(void **state)
{
	struct outfile file;
	struct stat status;
	char text[16] = "";
	int reader;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_int_equal(outfile_check(path, &fault), 0);
	assert_int_equal(outfile_open(&file, path, &fault), 0);
	fputs("through", file.stream);
	assert_int_equal(outfile_close(&file, &fault), 0);
	assert_int_equal(read(reader, text, sizeof(text) - 1), 7);
	assert_string_equal(text, "through");
	assert_int_equal(stat(path, &status), 0);
	assert_true(S_ISFIFO(status.st_mode));
	close(reader);
}

static void what_cannot_be_written_leaves_nothing(void **state)
{
	struct rlimit before, small;
	struct outfile file;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = 10;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(outfile_open(&file, path, &fault), 0);
	fputs("more than ten bytes", file.stream);
	assert_int_equal(outfile_close(&file, &fault), -1);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_fault(&fault, STATUS_ERROR, path, "too large");
	assert_true(scratch_is_empty());
}

static void signals_wait_until_it_is_closed(void **state)
{
	struct outfile file;
	sigset_t blocked;

	(void)state;
	outfile_open(&file, path, &fault);
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	assert_true(sigismember(&blocked, SIGINT));
	outfile_close(&file, &fault);
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	assert_false(sigismember(&blocked, SIGINT));
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_check_leaves_nothing_behind),
		TEST(a_folder_that_is_not_there_is_said),
		TEST(a_file_appears_when_it_is_whole),
		TEST(an_old_file_stays_until_then),
		TEST(a_link_stays_a_link),
		TEST(a_special_file_is_written_in_place),
		TEST(what_cannot_be_written_leaves_nothing),
		TEST(signals_wait_until_it_is_closed),
	};

	return cmocka_run_group_tests_name("outfile", tests, NULL, NULL);
}
