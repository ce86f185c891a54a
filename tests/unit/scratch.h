/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder of a test's own, with files in it. */
#ifndef SPINDELAY_SCRATCH_H
#define SPINDELAY_SCRATCH_H

/* An empty folder; its name is kept until scratch_remove(). */
const char *scratch_make(void);

/* Write a file below it and the folders on the way; @text may be "". */
void scratch_write(const char *path, const char *text);

/* Whether it holds nothing. */
int scratch_is_empty(void);

void scratch_remove(void);

#endif /* SPINDELAY_SCRATCH_H */
