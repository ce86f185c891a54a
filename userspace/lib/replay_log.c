// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/outfile.h"
#include "lib/replay_log.h"
#include "lib/variant.h"

static bool locks_differ(const struct spindelay_variant *v, unsigned int nr)
{
	for (unsigned int i = 1; i < nr; i++)
		if (v[i].lock != v[0].lock)
			return true;
	return false;
}

char *replay_log_path(const char *name,
		      const struct spindelay_variant *variants, unsigned int nr,
		      unsigned int index, char *path)
{
	const struct spindelay_variant *v = &variants[index];
	char text[VARIANT_TEXT_MAX];
	const char *twin = "";

	if (locks_differ(variants, nr))
		variant_format(v, text);
	else
		variant_delay_format(v, text);
	for (char *at = text; *at; at++) {
		if (*at == '/')
			*at = '-';
		if (*at == '\'') {
			*at = '\0';
			twin = "-twin";
			break;
		}
	}
	snprintf(path, REPLAY_LOG_PATH_MAX, "%s.%s%s.log", name, text, twin);
	return path;
}

static int cannot_write(const char *path, int err, struct fault *fault)
{
	return fault_set(fault, STATUS_ERROR, "cannot write %.300s: %s", path,
			 strerror(err));
}

static int is_there(const char *path, struct fault *fault)
{
	return fault_set(
		fault, STATUS_ERROR,
		"%.300s is there already: --force replaces it, --name gives the logs another name",
		path);
}

static int check_path(const char *path, bool force, struct fault *fault)
{
	struct stat status;

	if (lstat(path, &status))
		return outfile_check(path, fault);
	if (!force)
		return is_there(path, fault);
	if (S_ISDIR(status.st_mode))
		return cannot_write(path, EISDIR, fault);
	return access(path, W_OK) ? cannot_write(path, errno, fault) : 0;
}

static int check_distinct(const char *name,
			  const struct spindelay_variant *variants,
			  unsigned int nr, unsigned int index,
			  struct fault *fault)
{
	char path[REPLAY_LOG_PATH_MAX], other[REPLAY_LOG_PATH_MAX];

	replay_log_path(name, variants, nr, index, path);
	for (unsigned int i = 0; i < index; i++)
		if (!strcmp(replay_log_path(name, variants, nr, i, other),
			    path))
			return fault_set(
				fault, STATUS_USAGE,
				"two variants would write %.300s: name each once, or twice at most where it has a twin",
				path);
	return 0;
}

int replay_log_check(const char *name, const struct spindelay_variant *variants,
		     unsigned int nr, bool force, struct fault *fault)
{
	char path[REPLAY_LOG_PATH_MAX];

	for (unsigned int i = 0; i < nr; i++)
		if (check_distinct(name, variants, nr, i, fault) ||
		    check_path(replay_log_path(name, variants, nr, i, path),
			       force, fault))
			return -1;
	return 0;
}

int replay_log_open(const char *path, bool force, struct fault *fault)
{
	int fd = open(path,
		      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC |
			      (force ? O_TRUNC : O_EXCL),
		      0666);

	/* Beyond a limit of the file's size writing fails, and we say so. */
	signal(SIGXFSZ, SIG_IGN);
	if (fd < 0 && errno == EEXIST)
		return is_there(path, fault);
	return fd < 0 ? cannot_write(path, errno, fault) : fd;
}

char *replay_log_line(const struct repetition *times, char *line)
{
	snprintf(line, REPLAY_LOG_LINE_MAX,
		 "%.2f real,\t%.2f user,\t%.2f sys\n", times->real, times->user,
		 times->sys);
	return line;
}

int replay_log_add(int fd, const char *path, const struct repetition *times,
		   struct fault *fault)
{
	char line[REPLAY_LOG_LINE_MAX];
	const size_t size = strlen(replay_log_line(times, line));
	const off_t before = lseek(fd, 0, SEEK_END);
	ssize_t written = write(fd, line, size);
	int err = written < 0 ? errno : ENOSPC;

	if (written == (ssize_t)size)
		return 0;
	/* A part of a line is worse than none. */
	if (written > 0 && before >= 0 && ftruncate(fd, before))
		err = errno;
	return cannot_write(path, err, fault);
}
