// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs the race_* programs, which are built for the thread sanitizer. */
#include "unit.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/names.h"

/* What the thread sanitizer ends a program with that had a race. */
#define RACE 66

static void become(const char *program, const char *argument)
{
	const char *folder = getenv("UNIT_DIR");
	int null = open("/dev/null", O_WRONLY);
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder ? folder : ".", program);
	dup2(null, STDERR_FILENO);
	/* The sanitizer does not know every layout of a random one. */
	personality(ADDR_NO_RANDOMIZE);
	execl(path, program, argument, NULL);
	_exit(127);
}

static int status_of(const char *program, const char *argument)
{
	pid_t child = fork();
	int status;

	if (!child)
		become(program, argument);
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static void locks_order_what_they_protect(void **state)
{
	const struct lock_name *locks;
	size_t nr;

	(void)state;
	locks = lock_names(&nr);
	for (size_t i = 0; i < nr; i++) {
		if (!(locks[i].traits & SPIN_EXCLUDES) ||
		    locks[i].id == SPIN_LOCK_broken)
			continue;
		print_message("# %s\n", locks[i].name);
		assert_int_equal(status_of("race_locks", locks[i].name), 0);
	}
}

static void the_sanitizer_sees_the_broken_one(void **state)
{
	(void)state;
	assert_int_equal(status_of("race_locks", "broken"), RACE);
	assert_int_equal(status_of("race_locks", "nolock"), RACE);
}

static void the_start_orders_what_the_last_one_did(void **state)
{
	(void)state;
	assert_int_equal(status_of("race_barrier", NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_order_what_they_protect),
		cmocka_unit_test(the_sanitizer_sees_the_broken_one),
		cmocka_unit_test(the_start_orders_what_the_last_one_did),
	};

	return cmocka_run_group_tests_name("races", tests, NULL, NULL);
}
