/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the enums of a document are written, in files and in tables. */
#ifndef SPINDELAY_WORDS_H
#define SPINDELAY_WORDS_H

#include "lib/document.h"

const char *role_word(enum set_role role);
/* SET_ROLES if there is none. */
enum set_role role_by_word(const char *word);

/* MATCH_BITs, and back; 0 if there are none. */
const char *matches_word(unsigned int bits);
unsigned int matches_by_word(const char *word);

const char *match_word(enum match match);
const char *part_word(enum part part);
const char *resolved_word(enum resolved resolved);
const char *verdict_word(enum verdict verdict);

#endif /* SPINDELAY_WORDS_H */
