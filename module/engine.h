/* SPDX-License-Identifier: GPL-2.0 */
/* The engine, as its faces (the device, sysfs) see it. */
#ifndef SPINDELAY_ENGINE_H
#define SPINDELAY_ENGINE_H

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

int engine_init(void);
void engine_exit(void);

int engine_claim(void);
void engine_release(void);

int engine_check_sizes(const struct spindelay_plan *p);
int engine_alloc_results(struct engine_plan *plan);
void engine_free_plan(struct engine_plan *plan);
int engine_run(struct engine_plan *plan);

ssize_t engine_show_locks(char *page);

#endif /* SPINDELAY_ENGINE_H */
