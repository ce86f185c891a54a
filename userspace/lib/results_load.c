// SPDX-License-Identifier: GPL-2.0-or-later
/* From a file's name to a document with its numbers. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/findings.h"
#include "lib/results.h"

static int cannot_read(const char *path, const char *why, struct fault *fault)
{
	return fault_set(fault, STATUS_ERROR, "cannot read %.200s: %s", path,
			 why);
}

/* A named pipe or a device would be waited for, or never end. */
static int check_file(const char *path, int fd, struct fault *fault)
{
	struct stat status;

	if (fstat(fd, &status))
		return cannot_read(path, strerror(errno), fault);
	if (S_ISDIR(status.st_mode))
		return cannot_read(path, strerror(EISDIR), fault);
	if (!S_ISREG(status.st_mode))
		return cannot_read(
			path,
			"it is not a regular file; '-' reads standard input",
			fault);
	if ((u64)status.st_size > RESULTS_FILE_MAX)
		return fault_set(
			fault, STATUS_ERROR,
			"%.200s: %llu MiB are more than any measurement writes, which is up to %llu",
			path, (unsigned long long)status.st_size >> 20,
			RESULTS_FILE_MAX >> 20);
	return 0;
}

static FILE *open_file(const char *path, struct fault *fault)
{
	FILE *stream;
	int fd;

	if (!strcmp(path, "-"))
		fd = dup(STDIN_FILENO);
	else
		/* Not blocking: a pipe that nobody writes to is refused, too. */
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		cannot_read(path, strerror(errno), fault);
		return NULL;
	}
	if (strcmp(path, "-") && check_file(path, fd, fault)) {
		close(fd);
		return NULL;
	}
	stream = fdopen(fd, "r");
	if (!stream) {
		close(fd);
		cannot_read(path, strerror(errno), fault);
	}
	return stream;
}

/* The sentence for a file whose numbers are not those of its windows. */
static int find_changes(const char *path, const struct document *doc,
			const json_t *stored, char *changed, size_t size,
			struct fault *fault)
{
	char where[384];
	int found = results_differ(doc, stored, where, sizeof(where));

	if (found < 0)
		return fault_set(fault, STATUS_ERROR, "out of memory");
	if (found)
		snprintf(
			changed, size,
			"%.200s: %s, which its windows come to: it was edited, or written by another version",
			path, where);
	return 0;
}

static int redo(const char *path, struct document *doc, const json_t *stored,
		char *changed, size_t size, struct fault *fault)
{
	char why[256];

	if (findings_check(doc, why, sizeof(why)))
		return fault_set(fault, STATUS_ERROR, "%.200s: %s", path, why);
	if (findings_make(doc))
		return fault_set(fault, STATUS_ERROR, "out of memory");
	return find_changes(path, doc, stored, changed, size, fault);
}

struct document *results_load(const char *path, char *changed, size_t size,
			      struct fault *fault)
{
	struct document *doc;
	json_t *stored;
	FILE *stream;
	int err;

	changed[0] = '\0';
	if (!*path) {
		fault_set(fault, STATUS_USAGE, "a file name is empty");
		return NULL;
	}
	stream = open_file(path, fault);
	if (!stream)
		return NULL;
	doc = results_read_stored(stream, path, &stored, fault);
	fclose(stream);
	if (!doc)
		return NULL;
	err = redo(path, doc, stored, changed, size, fault);
	json_decref(stored);
	if (!err)
		return doc;
	document_free(doc);
	return NULL;
}
