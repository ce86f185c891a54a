// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/progress.h"

static char text[4096];

#define WIPE "\r\033[K"

static bool wiped(void)
{
	size_t len = strlen(text), wipe = strlen(WIPE);

	return len >= wipe && !strcmp(text + len - wipe, WIPE);
}

/* A terminal passes on what it was told in its own time: wait for the end. */
static void read_all(int fd, bool to_the_end)
{
	size_t used = 0;
	ssize_t got;

	for (int tries = 0; tries < 500; tries++) {
		got = read(fd, text + used, sizeof(text) - 1 - used);
		used += got > 0 ? got : 0;
		text[used] = '\0';
		if (!to_the_end || wiped())
			return;
		usleep(10000);
	}
}

/* What @quiet and a terminal, or a pipe, make of three steps. */
static void shown(bool terminal, bool quiet)
{
	int saved = dup(STDERR_FILENO), ends[2] = { -1, -1 };
	struct progress progress;

	if (terminal) {
		ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
		grantpt(ends[0]);
		unlockpt(ends[0]);
		ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY);
	} else {
		assert_int_equal(pipe(ends), 0);
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	dup2(ends[1], STDERR_FILENO);
	progress_begin(&progress, 300, 0, quiet);
	progress_add(&progress, 100);
	progress_add(&progress, 100);
	progress_end(&progress);
	dup2(saved, STDERR_FILENO);
	read_all(ends[0], terminal && !quiet);
	close(saved);
	close(ends[0]);
	close(ends[1]);
}

static void a_terminal_sees_the_time_left(void **state)
{
	(void)state;
	shown(true, false);
	assert_non_null(strstr(text, "100 of 300 windows"));
	assert_non_null(strstr(text, "200 of 300 windows"));
	assert_non_null(strstr(text, "s left"));
	/* And in the end the line is empty. */
	assert_true(wiped());
}

static void quiet_is_quiet(void **state)
{
	(void)state;
	shown(true, true);
	assert_string_equal(text, "");
}

static void a_pipe_sees_nothing(void **state)
{
	(void)state;
	shown(false, false);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_terminal_sees_the_time_left),
		cmocka_unit_test(quiet_is_quiet),
		cmocka_unit_test(a_pipe_sees_nothing),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
