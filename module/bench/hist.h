/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A log-linear histogram of waits. Values 0..15 have a bucket each; from there
 * every power of two is divided into eight, so that a bucket is at most an
 * eighth of its lower limit wide. The last bucket takes all that is larger.
 */
#ifndef SPINDELAY_BENCH_HIST_H
#define SPINDELAY_BENCH_HIST_H

#include <linux/compiler.h>
#include <linux/types.h>

#define SPIN_HIST_LINEAR 16
#define SPIN_HIST_SUB_SHIFT 3
#define SPIN_HIST_BUCKETS 192

/**
 * spin_hist_bucket - the bucket of a value
 * @value: any value; the unit is the caller's
 *
 * Return: 0..SPIN_HIST_BUCKETS - 1
 */
static __always_inline u32 spin_hist_bucket(u64 value)
{
	u32 log, bucket;

	if (value < SPIN_HIST_LINEAR)
		return value;
	log = 63 - __builtin_clzll(value);
	bucket = SPIN_HIST_LINEAR + ((log - 4) << SPIN_HIST_SUB_SHIFT) +
		 ((value >> (log - SPIN_HIST_SUB_SHIFT)) & 7);
	return bucket < SPIN_HIST_BUCKETS ? bucket : SPIN_HIST_BUCKETS - 1;
}

/**
 * spin_hist_low - the smallest value in a bucket
 * @bucket: 0..SPIN_HIST_BUCKETS; the last one past the end gives the upper
 *	limit of the last bucket
 *
 * Return: the lower limit, in the unit of the values
 */
static inline u64 spin_hist_low(u32 bucket)
{
	u32 log;

	if (bucket < SPIN_HIST_LINEAR)
		return bucket;
	log = 4 + ((bucket - SPIN_HIST_LINEAR) >> SPIN_HIST_SUB_SHIFT);
	return (8ULL + ((bucket - SPIN_HIST_LINEAR) & 7))
	       << (log - SPIN_HIST_SUB_SHIFT);
}

#endif /* SPINDELAY_BENCH_HIST_H */
