// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <string.h>

#include "lib/record.h"

#define COLUMN(field)                                              \
	{                                                          \
		.name = #field,                                    \
		.offset = offsetof(struct spindelay_record, field) \
	}

static const struct {
	const char *name;
	size_t offset;
} columns[RECORD_COLUMNS] = {
	COLUMN(acquisitions), COLUMN(polls),	    COLUMN(delays),
	COLUMN(start),	      COLUMN(ticks),	    COLUMN(samples),
	COLUMN(sampled_wait), COLUMN(sampled_hold), COLUMN(wait_max),
	COLUMN(spins),	      COLUMN(timed_spins),  COLUMN(timed_spin_ticks),
	COLUMN(burst_min),    COLUMN(parks),	    COLUMN(cycles),
	COLUMN(instructions), COLUMN(rounds),	    COLUMN(yields),
};

const char *record_column(unsigned int column)
{
	return columns[column].name;
}

u64 record_get(const struct spindelay_record *record, unsigned int column)
{
	u64 value;

	memcpy(&value, (const char *)record + columns[column].offset,
	       sizeof(value));
	return value;
}

void record_set(struct spindelay_record *record, unsigned int column, u64 value)
{
	memcpy((char *)record + columns[column].offset, &value, sizeof(value));
}

void record_add(struct spindelay_record *sum,
		const struct spindelay_record *record)
{
	sum->acquisitions += record->acquisitions;
	sum->polls += record->polls;
	sum->delays += record->delays;
	sum->ticks += record->ticks;
	sum->samples += record->samples;
	sum->sampled_wait += record->sampled_wait;
	sum->sampled_hold += record->sampled_hold;
	sum->spins += record->spins;
	sum->timed_spins += record->timed_spins;
	sum->timed_spin_ticks += record->timed_spin_ticks;
	sum->parks += record->parks;
	sum->cycles += record->cycles;
	sum->instructions += record->instructions;
	sum->rounds += record->rounds;
	sum->yields += record->yields;
	if (record->wait_max > sum->wait_max)
		sum->wait_max = record->wait_max;
}
