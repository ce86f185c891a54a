// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open files, run a command, and see that the files are dead then: that each read
 * and each write of them fails because there is no such device any more.
 *
 *	keepopen COMMAND FILE...
 *
 * Ends with 0 if the command did and the files are dead, else 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_somehow(const char *file)
{
	int fd = open(file, O_RDWR);

	if (fd < 0 && errno == EACCES)
		fd = open(file, O_RDONLY);
	return fd < 0 ? open(file, O_WRONLY) : fd;
}

/* Of a file that was not opened for it, EBADF says nothing. */
static int is_dead(ssize_t result, const char *what, const char *file)
{
	if (result < 0 && (errno == ENODEV || errno == EBADF))
		return 1;
	printf("# %s of %s: %s\n", what, file,
	       result < 0 ? strerror(errno) : "it works");
	return 0;
}

int main(int argc, char **argv)
{
	int fds[64], nr = argc - 2, dead = 1;
	char byte[64];

	if (nr < 1 || nr > 64) {
		fprintf(stderr, "usage: keepopen COMMAND FILE...\n");
		return 2;
	}
	for (int i = 0; i < nr; i++) {
		fds[i] = open_somehow(argv[i + 2]);
		if (fds[i] < 0) {
			perror(argv[i + 2]);
			return 1;
		}
	}
	if (system(argv[1]))
		return 1;
	for (int i = 0; i < nr; i++) {
		dead &= is_dead(read(fds[i], byte, sizeof(byte)), "a read",
				argv[i + 2]);
		dead &= is_dead(write(fds[i], "1", 1), "a write", argv[i + 2]);
	}
	return !dead;
}
