// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clients that race for everything the module offers, for a while:
 *
 *	clients HOW-MANY SECONDS
 *
 * Each is a process that does one random thing after another; what it is told
 * must be what somebody can be told beside others: done, or busy. Ends with
 * status 0 if so, and if something was run and the knob turned.
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plans.h"

#define SYSFS "/sys/class/misc/spindelay/"
#define CLIENTS_MAX 64
#define SHORT_NS 200000
#define HANGS_SECONDS 120

static int own_device = -1;

static int answer(long got)
{
	return got < 0 ? -errno : 0;
}

static int open_device(void)
{
	if (own_device < 0)
		own_device = open("/dev/spindelay", O_RDWR);
	return answer(own_device);
}

static int close_device(void)
{
	int got = own_device < 0 ? -1 : close(own_device);

	own_device = -1;
	return got ? -EBUSY : 0;
}

static int run_plan(void)
{
	struct fixture f;

	if (open_device())
		return -EBUSY;
	good_plan(&f);
	f.plan.window_ns = SHORT_NS;
	return answer(ioctl(own_device, SPINDELAY_IOC_RUN, &f.plan));
}

/* Two of them on one descriptor: either may be told: busy. */
static int share_device(void)
{
	int status, err;
	pid_t child;

	if (open_device())
		return -EBUSY;
	child = fork();
	err = run_plan();
	if (!child)
		_exit(err && err != -EBUSY);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return -ECHILD;
	return err;
}

static int store(const char *file, const char *text)
{
	int got, fd = open(file, O_WRONLY);

	if (fd < 0)
		return -errno;
	got = answer(write(fd, text, strlen(text)));
	close(fd);
	return got;
}

static int turn_knob(void)
{
	static const char *const names[] = { "auto", "none", "nop", "isb" };

	return store(SYSFS "delay", names[rand() % 4]);
}

static int set_count(void)
{
	return store(SYSFS "test_count", rand() % 2 ? "1" : "2");
}

static int run_by_hand(void)
{
	return store(SYSFS "run", "1");
}

/* ENODATA: nobody has run by hand yet, or was refused. */
static int read_files(void)
{
	static const char *const files[] = {
		SYSFS "delay",	      SYSFS "effective",
		SYSFS "cpus",	      SYSFS "test_count",
		SYSFS "test_lock",    SYSFS "test_locks_available",
		SYSFS "result/rate",  SYSFS "result/lost",
		SYSFS "result/polls", SYSFS "result/min_over_max",
	};
	char text[4096];
	unsigned int i;
	int fd, err = 0;

	for (i = 0; i < sizeof(files) / sizeof(files[0]) && !err; i++) {
		fd = open(files[i], O_RDONLY);
		err = answer(read(fd, text, sizeof(text)));
		close(fd);
		if (err == -ENODATA)
			err = 0;
	}
	return err;
}

static const struct thing {
	const char *name;
	int (*act)(void);
	bool runs;
} things[] = {
	{ "open", open_device, false },	  { "close", close_device, false },
	{ "close", close_device, false }, { "plan", run_plan, true },
	{ "share", share_device, true },  { "knob", turn_knob, false },
	{ "setting", set_count, false },  { "run", run_by_hand, true },
	{ "read", read_files, false },
};

#define THINGS (sizeof(things) / sizeof(things[0]))

/* How often each thing was done, and was told: busy; all clients' sums. */
static struct tally {
	unsigned int done[THINGS];
	unsigned int busy[THINGS];
} * tally;

static bool do_one(void)
{
	unsigned int which = rand() % THINGS;
	int err;

	alarm(HANGS_SECONDS);
	err = things[which].act();
	alarm(0);
	__atomic_fetch_add(err ? &tally->busy[which] : &tally->done[which], 1,
			   __ATOMIC_RELAXED);
	if (!err || err == -EBUSY)
		return true;
	printf("# %s: %s\n", things[which].name, strerror(-err));
	return false;
}

static int client(unsigned int number, time_t until)
{
	srand(number + getpid());
	while (time(NULL) < until)
		if (!do_one())
			return 1;
	return 0;
}

/* A slow machine may spend all its time in one client's run. */
static bool came_through(void)
{
	unsigned int i, runs = 0, knob = 0;

	for (i = 0; i < THINGS; i++) {
		printf("# %s: %u done, %u busy\n", things[i].name,
		       tally->done[i], tally->busy[i]);
		if (things[i].runs)
			runs += tally->done[i];
		if (things[i].act == turn_knob)
			knob += tally->done[i];
	}
	return runs && knob;
}

int main(int argc, char **argv)
{
	unsigned int nr = argc == 3 ? atoi(argv[1]) : 0, i;
	time_t until = time(NULL) + (argc == 3 ? atoi(argv[2]) : 0);
	int status, bad = 0;

	if (!nr || nr > CLIENTS_MAX) {
		fprintf(stderr, "usage: clients HOW-MANY SECONDS\n");
		return 2;
	}
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		return 2;
	fflush(stdout);
	for (i = 0; i < nr; i++)
		if (!fork())
			exit(client(i, until));
	while (wait(&status) > 0)
		bad |= status;
	return bad || !came_through();
}
