/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A JSON object that is too large to be held whole: its members are read one
 * after another, and so are the elements of a member that is an array.
 */
#ifndef SPINDELAY_JSONSCAN_H
#define SPINDELAY_JSONSCAN_H

#include <linux/types.h>
#include <stdio.h>

#define JSONSCAN_KEY_MAX 64
#define JSONSCAN_WHY_MAX 256

struct json_t;

/**
 * struct jsonscan - a file that is being read
 * @stream: where from
 * @ahead: a character that was read and not used, or -1 (EOF), or -2: none
 * @last: the last one that the parser was given
 * @left: characters that the parser may still be given
 * @line: in which we are, from 1
 * @why: what is wrong, without a full stop; "" until something is
 */
struct jsonscan {
	FILE *stream;
	int ahead;
	int last;
	size_t left;
	size_t line;
	char why[JSONSCAN_WHY_MAX];
};

/* Begin with the '{' of the object; 0, or -1 and a reason in @scan. */
int jsonscan_begin(struct jsonscan *scan, FILE *stream);

/**
 * jsonscan_key() - the next member's key
 * @first: of the object
 *
 * Return: 1; 0 at the end of the object, behind which nothing may stand; -1
 * and a reason in @scan.
 */
int jsonscan_key(struct jsonscan *scan, bool first, char key[JSONSCAN_KEY_MAX]);

/**
 * jsonscan_value() - the value that comes next
 * @max: its characters, at most
 *
 * Return: a new reference, or NULL and a reason in @scan.
 */
struct json_t *jsonscan_value(struct jsonscan *scan, size_t max);

/* Begin an array that is to be read element by element; 0, or -1. */
int jsonscan_enter(struct jsonscan *scan);

/* Is there another element? 1; 0 when the array has ended; -1. */
int jsonscan_element(struct jsonscan *scan, bool first);

#endif /* SPINDELAY_JSONSCAN_H */
