/* SPDX-License-Identifier: GPL-2.0 */
/* A plan in kernel memory, its bounds and its results. */
#ifndef SPINDELAY_PLAN_H
#define SPINDELAY_PLAN_H

#include <linux/types.h>

#include "uapi/spindelay.h"

/**
 * struct engine_plan - a plan in kernel memory
 * @p: the plan as it came; its user addresses are not used here. chain_fs,
 *	counter_hz and plan_ticks are written by engine_run().
 * @cpus: [nr_cpus]
 * @variants: [nr_variants]
 * @schedule: [nr_windows], indices into @variants
 * @windows: [nr_windows], results
 * @records: [nr_windows][nr_cpus], results
 * @hists: [nr_windows][SPINDELAY_HIST_BUCKETS], results
 */
struct engine_plan {
	struct spindelay_plan p;
	u32 *cpus;
	struct spindelay_variant *variants;
	u32 *schedule;
	struct spindelay_window *windows;
	struct spindelay_record *records;
	u32 *hists;
};

u32 plan_lock_traits(u32 lock);
int plan_check_sizes(const struct spindelay_plan *p);
int plan_check(const struct engine_plan *plan);
int plan_alloc_results(struct engine_plan *plan);
void plan_free(struct engine_plan *plan);

int plan_parse_lock(const char *text, size_t length);
const char *plan_lock_name(u32 lock);
ssize_t plan_show_locks(char *page);

#endif /* SPINDELAY_PLAN_H */
