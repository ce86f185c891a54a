// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One step again and again: the first time its first allocation in the kernel
 * fails, then its second, and so on until there are no more. Needs a kernel
 * with fault injection; /proc/thread-self/fail-nth says which one fails.
 *
 *	failing open | plan | read FILE | store FILE
 *	failing load MODULE MOST	MOST loads at most, half of them the last
 *					allocations, which are the module's own
 *	failing threads TIMES		nothing of ours fails: whoever set that
 *					up has kthreadd fail
 *
 * Each time the step must work or say that memory or the caller's address is
 * the matter, and must then work undisturbed. Ends with status 0 if so.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "plans.h"

#define DEVICE "/dev/spindelay"
#define MODULE "spindelay"
/* A call that takes longer is one that hangs. */
#define HANGS_SECONDS 120
/* More than any step has. */
#define NEVER 1000000

/**
 * struct step - what is done while an allocation fails
 * @name: as it is called for
 * @begin: what must work undisturbed beforehand, or NULL
 * @act: the step; returns 0 or a negative errno
 * @end: undoes what @act has done, or NULL
 */
struct step {
	const char *name;
	int (*begin)(void);
	int (*act)(void);
	void (*end)(void);
};

static const char *path;
static int fd = -1;
static char text[4096];
static ssize_t text_size;
static struct fixture plan;

static int result(long got)
{
	return got < 0 ? -errno : 0;
}

static int act_open(void)
{
	fd = open(DEVICE, O_RDWR);
	return result(fd);
}

static void end_open(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
}

static int begin_plan(void)
{
	good_plan(&plan);
	plan.plan.flags = SPINDELAY_COUNT_CYCLES;
	plan.plan.nr_windows = 2;
	return act_open();
}

static int act_plan(void)
{
	return result(ioctl(fd, SPINDELAY_IOC_RUN, &plan.plan));
}

static int act_read(void)
{
	int file = open(path, O_RDONLY), err = result(file);

	if (!err) {
		text_size = read(file, text, sizeof(text));
		err = result(text_size);
		close(file);
	}
	return err;
}

static int act_store(void)
{
	int file = open(path, O_WRONLY), err = result(file);

	if (!err) {
		err = result(write(file, text, text_size));
		close(file);
	}
	return err;
}

/* What is stored is what is there; run cannot be read. */
static int begin_store(void)
{
	if (strcmp(strrchr(path, '/'), "/run"))
		return act_read();
	text_size = sprintf(text, "1\n");
	return 0;
}

static int begin_load(void)
{
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return result(fd);
}

static int act_load(void)
{
	return result(syscall(SYS_finit_module, fd, "", 0));
}

static void end_load(void)
{
	close(fd);
	fd = -1;
	syscall(SYS_delete_module, MODULE, O_NONBLOCK);
}

static const struct step steps[] = {
	{ "open", NULL, act_open, end_open },
	{ "plan", begin_plan, act_plan, end_open },
	{ "read", NULL, act_read, NULL },
	{ "store", begin_store, act_store, NULL },
	{ "load", begin_load, act_load, end_load },
	{ "threads", begin_plan, act_plan, end_open },
};

#define STEPS (sizeof(steps) / sizeof(steps[0]))

static int fail_nth = -1;

/* Saying so can itself be what fails: once, for then nothing more does. */
static void set_fail_nth(unsigned int nth)
{
	char digits[16];
	int size = sprintf(digits, "%u", nth);

	if (pwrite(fail_nth, digits, size, 0) != size &&
	    pwrite(fail_nth, digits, size, 0) != size) {
		perror("# fail-nth");
		exit(2);
	}
}

/* How many more allocations it would have taken; 0: one has failed. */
static unsigned int left_of_nth(void)
{
	char digits[16] = "";

	/* Reading it can be what fails. */
	if (pread(fail_nth, digits, sizeof(digits) - 1, 0) <= 0)
		return 1;
	return strtoul(digits, NULL, 10);
}

/* Once, with the nth allocation failing. */
static int disturbed(const struct step *step, unsigned int nth,
		     unsigned int *left)
{
	int err = step->begin ? step->begin() : 0;

	if (!err) {
		alarm(HANGS_SECONDS);
		set_fail_nth(nth);
		err = step->act();
		*left = left_of_nth();
		set_fail_nth(0);
		alarm(0);
	}
	if (step->end)
		step->end();
	return err;
}

static bool works(const struct step *step)
{
	int err = step->begin ? step->begin() : 0;

	alarm(HANGS_SECONDS);
	err = err ?: step->act();
	alarm(0);
	if (step->end)
		step->end();
	if (err)
		printf("# undisturbed: %s\n", strerror(-err));
	return !err;
}

/* Of how many there were: failed is where the step did. */
struct tally {
	unsigned int allocations;
	unsigned int failed;
};

/* Return: whether the step bore it that the nth allocation failed */
static bool bears(const struct step *step, unsigned int nth,
		  struct tally *tally, unsigned int *left)
{
	int err = disturbed(step, nth, left);

	tally->allocations += !*left;
	tally->failed += !*left && err;
	if (!err || (!*left && (err == -ENOMEM || err == -EFAULT)))
		return true;
	printf("# allocation %u: %s\n", nth, strerror(-err));
	return false;
}

static bool each_in_turn(const struct step *step, struct tally *tally)
{
	unsigned int nth, left = 0;

	for (nth = 1; !left; nth++)
		if (!bears(step, nth, tally, &left) || !works(step))
			return false;
	return true;
}

/* A load has thousands, and is slow: all of the last ones, and some before. */
static bool load_in_turn(const struct step *step, struct tally *tally,
			 unsigned int most)
{
	unsigned int left = 0, all, nth = 1, pace;

	if (!bears(step, NEVER, tally, &left))
		return false;
	all = NEVER - left;
	pace = all > most ? (all - most / 2) / (most / 2) + 1 : 1;
	printf("# a load has %u allocations\n", all);
	while (nth <= all) {
		if (!bears(step, nth, tally, &left))
			return false;
		nth += nth + most / 2 < all ? pace : 1;
	}
	return works(step);
}

static bool threads_fail(const struct step *step, struct tally *tally,
			 unsigned int times)
{
	unsigned int i;
	int err;

	for (i = 0; i < times; i++) {
		err = step->begin() ?: step->act();
		step->end();
		tally->allocations++;
		tally->failed += err == -ENOMEM;
		if (err && err != -ENOMEM) {
			printf("# plan %u: %s\n", i, strerror(-err));
			return false;
		}
	}
	return true;
}

static bool carry_out(const struct step *step, const char *number)
{
	unsigned int most = number ? strtoul(number, NULL, 10) : 0;
	struct tally tally = { 0 };
	bool good;

	if (step->act == act_load)
		good = load_in_turn(step, &tally, most);
	else if (!strcmp(step->name, "threads"))
		good = threads_fail(step, &tally, most);
	else
		good = each_in_turn(step, &tally);
	printf("# %s %s: %u failures, %u of them the step's\n", step->name,
	       path ?: "", tally.allocations, tally.failed);
	/* None at all: nothing was looked at. */
	return good && tally.failed;
}

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; i < STEPS && argc > 1; i++)
		if (!strcmp(argv[1], steps[i].name))
			break;
	if (argc < 2 || i == STEPS) {
		fprintf(stderr, "usage: failing STEP [FILE] [NUMBER]\n");
		return 2;
	}
	if (argc > 2)
		path = argv[2];
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (fail_nth < 0) {
		perror("# fail-nth");
		return 2;
	}
	/* What the program itself touches must not be what fails. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	return !carry_out(&steps[i], argv[argc - 1]);
}
