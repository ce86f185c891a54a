/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Documents for people: sentences and tables of 80 columns. */
#ifndef SPINDELAY_REPORT_H
#define SPINDELAY_REPORT_H

#include <stdio.h>

#include "lib/document.h"

/* Which locks lost mutual exclusion, if any, one sentence each. */
void report_lost(const struct document *doc, FILE *stream);

/* How well padded polls agree with those that they were made as long as. */
void report_equal_times(const struct document *doc, FILE *stream);

/* What was found, a paragraph for each variant against the baseline and load. */
void report_sentences(const struct document *doc, FILE *stream);

void report_comparisons(const struct document *doc, FILE *stream);
void report_variants(const struct document *doc, FILE *stream);
/* Cycles and instructions; '-' where the CPU has no counters for them. */
void report_counters(const struct document *doc, FILE *stream);

/* What --share asked for and what came of it, one sentence each. */
void report_shares(const struct document *doc, FILE *stream);

/* What has to be known of some locks and delays, one sentence each. */
void report_notes(const struct document *doc, FILE *stream);

/* Of each cell of a sweep the best settings; what the winner is worth. */
void report_sweep(const struct document *doc, FILE *stream);

/* What to do about it. */
void report_advice(const struct document *doc, FILE *stream);

void report_waits(const struct document *doc, FILE *stream);
/* Rounds, delays, yields and sleeps of the locks that sleep; nothing without any. */
void report_parks(const struct document *doc, FILE *stream);
void report_cpus(const struct document *doc, FILE *stream);
void report_costs(const struct document *doc, FILE *stream);

/* The part of the footer that says what is not to be trusted. */
void report_warnings(const struct document *doc, FILE *stream);

/* How it was measured, what spoils it, and on an emulated CPU a warning. */
void report_footer(const struct document *doc, FILE *stream);

#endif /* SPINDELAY_REPORT_H */
