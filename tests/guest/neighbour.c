// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a busy neighbour notices of a command: a process that does nothing but
 * read the clock on a CPU, and the longest time for which it could not, in us.
 *
 *	neighbour CPU COMMAND...
 *
 * Prints "CPU US" and ends as the command does. Commands can be neighbours.
 */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the two processes share. */
struct watch {
	_Atomic uint64_t longest;
	_Atomic int running;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void watch_clock(struct watch *watch, int cpu)
{
	uint64_t last, next;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("neighbour");
		_exit(2);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (last = now();; last = next) {
		next = now();
		if (next - last > watch->longest)
			watch->longest = next - last;
		watch->running = 1;
	}
}

static int run(char **command)
{
	pid_t child = fork();
	int status;

	if (!child) {
		execvp(*command, command);
		perror(*command);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 2;
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	struct watch *watch = mmap(NULL, sizeof(*watch), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;
	int status;

	if (argc < 3 || watch == MAP_FAILED) {
		fprintf(stderr, "usage: neighbour CPU COMMAND...\n");
		return 2;
	}
	child = fork();
	if (!child)
		watch_clock(watch, atoi(argv[1]));
	while (!watch->running && !waitpid(child, NULL, WNOHANG))
		usleep(1000);
	watch->longest = 0;
	status = run(argv + 2);
	printf("%s %llu\n", argv[1], (unsigned long long)watch->longest / 1000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return status;
}
