/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The logs of `replay`: one for each variant, a line for each repetition, as
 * time -f "%e real,\t%U user,\t%S sys" writes them.
 */
#ifndef SPINDELAY_REPLAY_LOG_H
#define SPINDELAY_REPLAY_LOG_H

#include "lib/document.h"
#include "lib/fault.h"

/* Room for a log's name, and for a line of one. */
#define REPLAY_LOG_PATH_MAX (REPLAY_NAME_MAX + 72)
#define REPLAY_LOG_LINE_MAX 96

/**
 * replay_log_path() - NAME.VARIANT.log
 * @variants: of the replay; the lock is part of the name where they differ in it
 * @index: which of them
 *
 * A slash becomes a dash, the mark of a twin "-twin".
 *
 * Return: @path, which has REPLAY_LOG_PATH_MAX
 */
char *replay_log_path(const char *name,
		      const struct spindelay_variant *variants, unsigned int nr,
		      unsigned int index, char *path);

/**
 * replay_log_check() - can all logs be written, each to a file of its own?
 * @force: one that is there may be replaced
 *
 * Return: 0, or -1 and a fault that names the file.
 */
int replay_log_check(const char *name, const struct spindelay_variant *variants,
		     unsigned int nr, bool force, struct fault *fault);

/* Begin one that is empty; its descriptor, or -1 and a fault. */
int replay_log_open(const char *path, bool force, struct fault *fault);

/* One repetition as a line. */
char *replay_log_line(const struct repetition *times, char *line);

/**
 * replay_log_add() - append one line, all of it or nothing
 *
 * It is in the file when this returns, whatever ends the tool after that.
 *
 * Return: 0, or -1 and a fault.
 */
int replay_log_add(int fd, const char *path, const struct repetition *times,
		   struct fault *fault);

#endif /* SPINDELAY_REPLAY_LOG_H */
