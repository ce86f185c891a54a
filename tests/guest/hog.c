// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Take a CPU from everything that is no real-time task, for a while:
 *
 *	hog CPU SECONDS
 *
 * The kernel leaves the others a share, unless it is told not to.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	const struct sched_param first = { .sched_priority = 50 };
	struct timespec now;
	cpu_set_t cpu;
	time_t end;

	if (argc != 3) {
		fprintf(stderr, "usage: hog CPU SECONDS, as root\n");
		return 2;
	}
	CPU_ZERO(&cpu);
	CPU_SET(atoi(argv[1]), &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu) ||
	    sched_setscheduler(0, SCHED_FIFO, &first)) {
		perror("hog");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	for (end = now.tv_sec + atoi(argv[2]); now.tv_sec < end;)
		clock_gettime(CLOCK_MONOTONIC, &now);
	return 0;
}
