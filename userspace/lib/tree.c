// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/tree.h"

int tree_read_bytes(const char *root, const char *path, char *data, size_t size)
{
	char name[PATH_MAX];
	size_t used = 0;
	ssize_t got;
	int fd;

	if (snprintf(name, sizeof(name), "%s%s", root, path) >= PATH_MAX)
		return -ENAMETOOLONG;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		got = read(fd, data + used, size - used);
		if (got < 0) {
			got = -errno;
			close(fd);
			return got;
		}
		used += got;
	} while (got && used < size);
	close(fd);
	return used;
}

int tree_read(const char *root, const char *path, char *text, size_t size)
{
	int got = tree_read_bytes(root, path, text, size - 1);

	text[got > 0 ? got : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	/* Firmware says what it likes; JSON and terminals do not take it all. */
	for (char *at = text; *at; at++)
		if (*at != '\t' && (*at < ' ' || *at > '~'))
			*at = '?';
	return got < 0 ? got : 0;
}

u64 tree_number(const char *root, const char *path, u64 otherwise)
{
	char text[64];
	char *end;
	u64 value;

	if (tree_read(root, path, text, sizeof(text)))
		return otherwise;
	value = strtoull(text, &end, 0);
	return end == text ? otherwise : value;
}

bool tree_exists(const char *root, const char *path)
{
	char name[PATH_MAX];

	if (snprintf(name, sizeof(name), "%s%s", root, path) >= PATH_MAX)
		return false;
	return !access(name, F_OK);
}
