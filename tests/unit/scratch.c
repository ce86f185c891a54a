// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"

#define PATTERN "/tmp/spindelay-unit.XXXXXX"

static char folder[sizeof(PATTERN)];

const char *scratch_make(void)
{
	memcpy(folder, PATTERN, sizeof(folder));
	if (!mkdtemp(folder))
		abort();
	return folder;
}

static void make_parents(char *name)
{
	for (char *at = name + strlen(folder) + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		mkdir(name, 0755);
		*at = '/';
	}
}

void scratch_write(const char *path, const char *text)
{
	char name[PATH_MAX];
	FILE *file;

	snprintf(name, sizeof(name), "%s%s", folder, path);
	make_parents(name);
	file = fopen(name, "w");
	if (!file)
		abort();
	fputs(text, file);
	fclose(file);
}

int scratch_is_empty(void)
{
	DIR *dir = opendir(folder);
	int entries = 0;

	if (!dir)
		abort();
	while (readdir(dir))
		entries++;
	closedir(dir);
	return entries == 2;
}

static int remove_one(const char *name, const struct stat *status, int type,
		      struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(name);
}

void scratch_remove(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
