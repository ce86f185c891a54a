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

/* A program and up to three arguments; those behind a NULL are not there. */
struct program {
	const char *name;
	const char *arguments[3];
};

static void become(const struct program *program)
{
	const char *folder = getenv("UNIT_DIR");
	const char *const *a = program->arguments;
	int null = open("/dev/null", O_WRONLY);
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder ? folder : ".",
		 program->name);
	dup2(null, STDERR_FILENO);
	/* The sanitizer does not know every layout of a random one. */
	personality(ADDR_NO_RANDOMIZE);
	execl(path, program->name, a[0], a[1], a[2], NULL);
	_exit(127);
}

static int status_of(const struct program *program)
{
	pid_t child = fork();
	int status;

	if (!child)
		become(program);
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int lock_status(const char *lock, unsigned int threads,
		       unsigned int hold)
{
	char number[16], work[16];
	const struct program program = { "race_locks", { lock, number, work } };

	snprintf(number, sizeof(number), "%u", threads);
	snprintf(work, sizeof(work), "%u", hold);
	return status_of(&program);
}

static void expect_order(const struct lock_name *lock, unsigned int hold)
{
	static const unsigned int threads[] = { 2, 3, 4, 8, 16 };
	int status;

	for (size_t t = 0; t < ARRAY_SIZE(threads); t++) {
		if (lock->traits & SPIN_PAIR && threads[t] != 2)
			continue;
		status = lock_status(lock->name, threads[t], hold);
		if (status)
			fail_msg("%s, %u threads, hold %u: ends with %d",
				 lock->name, threads[t], hold, status);
	}
}

/* Every lock that claims to exclude, but the one that lies. */
static void expect_all_order(unsigned int hold)
{
	const struct lock_name *locks;
	size_t nr;

	locks = lock_names(&nr);
	for (size_t i = 0; i < nr; i++)
		if (locks[i].traits & SPIN_EXCLUDES &&
		    locks[i].id != SPIN_LOCK_broken)
			expect_order(&locks[i], hold);
}

static void locks_order_what_they_protect(void **state)
{
	(void)state;
	expect_all_order(0);
}

static void locks_that_are_held_for_long_do_too(void **state)
{
	(void)state;
	expect_all_order(20000);
}

static void the_sanitizer_sees_the_broken_one(void **state)
{
	(void)state;
	assert_int_equal(lock_status("broken", 3, 0), RACE);
	assert_int_equal(lock_status("nolock", 3, 0), RACE);
}

static void the_start_orders_what_the_last_one_did(void **state)
{
	const struct program program = { .name = "race_barrier" };

	(void)state;
	assert_int_equal(status_of(&program), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_order_what_they_protect),
		cmocka_unit_test(locks_that_are_held_for_long_do_too),
		cmocka_unit_test(the_sanitizer_sees_the_broken_one),
		cmocka_unit_test(the_start_orders_what_the_last_one_did),
	};

	return cmocka_run_group_tests_name("races", tests, NULL, NULL);
}
