/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading small files below a root, "" for the real one. */
#ifndef SPINDELAY_TREE_H
#define SPINDELAY_TREE_H

#include <linux/types.h>
#include <stdio.h>

#define TREE_TEXT_MAX 4096

/**
 * tree_read() - the first line of a small file, without its newline
 * @root: prefix of @path
 * @text: filled in, at most @size bytes with the end; empty on an error
 *
 * Return: 0 or a negative errno.
 */
int tree_read(const char *root, const char *path, char *text, size_t size);

/* All bytes of a file, which may hold zeros; the number of them or < 0. */
int tree_read_bytes(const char *root, const char *path, char *data,
		    size_t size);

/* The file as a number in C's notation, or @otherwise. */
u64 tree_number(const char *root, const char *path, u64 otherwise);

bool tree_exists(const char *root, const char *path);

#endif /* SPINDELAY_TREE_H */
