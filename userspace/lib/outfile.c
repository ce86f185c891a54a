// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/outfile.h"

static bool is_stdout(const char *path)
{
	return !strcmp(path, "-");
}

/* Something that is there and must not be replaced by a file. */
static bool is_special(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !S_ISREG(status.st_mode);
}

static int cannot_write(const char *path, int err, struct fault *fault)
{
	return fault_set(fault, STATUS_ERROR, "cannot write %.300s: %s", path,
			 strerror(err));
}

/* The file itself where @path is a link to it, so that the link stays. */
static int resolve_path(const char *path, char *resolved)
{
	char *real = realpath(path, NULL);
	int used = snprintf(resolved, PATH_MAX, "%s", real ? real : path);

	free(real);
	/* Room for what a draft's name has more. */
	return used < PATH_MAX - 8 ? 0 : -1;
}

static int create_draft(struct outfile *file)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	snprintf(file->draft, sizeof(file->draft), "%.*s.XXXXXX", PATH_MAX - 8,
		 file->path);
	fd = mkostemp(file->draft, O_CLOEXEC);
	if (fd < 0)
		file->draft[0] = '\0';
	else
		fchmod(fd, 0666 & ~mask);
	return fd;
}

static void hold_signals(struct outfile *file)
{
	sigset_t ending;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	/* Beyond a limit of the file's size writing fails, and we clean up. */
	sigaddset(&ending, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &ending, &file->signals);
}

static int open_stream(struct outfile *file, const char *path)
{
	int fd;

	file->draft[0] = '\0';
	if (is_stdout(path))
		fd = dup(STDOUT_FILENO);
	else if (is_special(path))
		fd = open(path, O_WRONLY | O_CLOEXEC);
	else
		fd = create_draft(file);
	if (fd < 0)
		return -errno;
	file->stream = fdopen(fd, "w");
	return 0;
}

int outfile_open(struct outfile *file, const char *path, struct fault *fault)
{
	int err;

	if (resolve_path(path, file->path))
		return cannot_write(path, ENAMETOOLONG, fault);
	hold_signals(file);
	err = open_stream(file, path);
	if (err) {
		sigprocmask(SIG_SETMASK, &file->signals, NULL);
		return cannot_write(path, -err, fault);
	}
	return 0;
}

int outfile_close(struct outfile *file, struct fault *fault)
{
	bool failed = ferror(file->stream);
	int err = 0;

	errno = 0;
	if (fclose(file->stream) || failed)
		err = errno ? errno : EIO;
	if (!err && file->draft[0] && rename(file->draft, file->path))
		err = errno;
	if (err && file->draft[0])
		unlink(file->draft);
	sigprocmask(SIG_SETMASK, &file->signals, NULL);
	return err ? cannot_write(file->path, err, fault) : 0;
}

static bool is_folder(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

int outfile_check(const char *path, struct fault *fault)
{
	struct outfile file;
	int err;

	if (is_stdout(path))
		return 0;
	if (!*path)
		return fault_set(fault, STATUS_USAGE, "a file name is empty");
	if (is_folder(path))
		return cannot_write(path, EISDIR, fault);
	if (is_special(path))
		return access(path, W_OK) ? cannot_write(path, errno, fault) :
					    0;
	if (resolve_path(path, file.path))
		return cannot_write(path, ENAMETOOLONG, fault);
	hold_signals(&file);
	err = create_draft(&file) < 0 ? errno : 0;
	if (!err)
		unlink(file.draft);
	sigprocmask(SIG_SETMASK, &file.signals, NULL);
	return err ? cannot_write(path, err, fault) : 0;
}
