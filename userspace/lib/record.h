/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of a record in the order in which files hold them. */
#ifndef SPINDELAY_RECORD_H
#define SPINDELAY_RECORD_H

#include <linux/types.h>

#include "uapi/spindelay.h"

/* Files have the first so many of them where no lock sleeps. */
#define RECORD_COLUMNS_FIRST 16
#define RECORD_COLUMNS 18

/* What a column is called: the name of its field. */
const char *record_column(unsigned int column);

u64 record_get(const struct spindelay_record *record, unsigned int column);
void record_set(struct spindelay_record *record, unsigned int column,
		u64 value);

/* Add up: every column but @start and @burst_min; of @wait_max the largest. */
void record_add(struct spindelay_record *sum,
		const struct spindelay_record *record);

#endif /* SPINDELAY_RECORD_H */
