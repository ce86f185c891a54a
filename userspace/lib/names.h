/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What delays and locks there are, from the tables of module/bench/. */
#ifndef SPINDELAY_NAMES_H
#define SPINDELAY_NAMES_H

#include <linux/types.h>

#include "bench/delays.h"
#include "bench/locks.h"

/* Room for a list of all names, blank separated. */
#define NAMES_TEXT_MAX 256

/**
 * struct delay_name - a line of SPIN_DELAYS
 * @id: its number in the ABI
 * @name: what people type
 * @need: what a system must have to execute it
 * @traits: bits of enum spin_delay_traits
 */
struct delay_name {
	u32 id;
	const char *name;
	enum spin_need need;
	unsigned int traits;
};

/**
 * struct lock_name - a line of SPIN_LOCKS
 * @id: its number in the ABI
 * @name: what people type
 * @traits: bits of enum spin_lock_traits
 */
struct lock_name {
	u32 id;
	const char *name;
	unsigned int traits;
};

/* All of them, in the order of the tables. */
const struct delay_name *delay_names(size_t *nr);
const struct lock_name *lock_names(size_t *nr);

/* By name, which need not end after @len; NULL if there is none. */
const struct delay_name *delay_by_name(const char *name, size_t len);
const struct lock_name *lock_by_name(const char *name, size_t len);

/* By number; NULL if there is none. */
const struct delay_name *delay_by_id(u32 id);
const struct lock_name *lock_by_id(u32 id);

/* Has the lock, or the delay, with this number all of these traits? */
bool lock_has(u32 id, unsigned int traits);
bool delay_has(u32 id, unsigned int traits);

/* Names, blank separated, into @text[NAMES_TEXT_MAX]; returns @text. */
char *delay_name_list(char *text);
char *knob_name_list(char *text);
char *lock_name_list(char *text);

/* Is @word one of the blank separated words of @list? */
bool word_in_list(const char *word, const char *list);

#endif /* SPINDELAY_NAMES_H */
