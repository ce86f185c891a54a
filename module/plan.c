// SPDX-License-Identifier: GPL-2.0
/* What may be asked of the engine, and the memory for what it answers. */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "bench/hist.h"
#include "bench/delays.h"
#include "bench/locks.h"
#include "delay.h"
#include "name.h"
#include "plan.h"

static const struct lock_entry {
	const char *spelling;
	u32 traits;
} locks[] = {
#define LOCK_ENTRY(id, name, spelling, traits) [id] = { spelling, traits },
	SPIN_LOCKS(LOCK_ENTRY)
#undef LOCK_ENTRY
};

/**
 * plan_lock_traits - what a lock is
 * @lock: enum spin_lock_id
 *
 * Return: bits of enum spin_lock_traits
 */
u32 plan_lock_traits(u32 lock)
{
	return locks[lock].traits;
}

/**
 * plan_check_sizes - check a plan's own numbers, before memory is taken
 * @p: the plan
 *
 * Return: 0, -E2BIG for what is beyond a bound, -EINVAL for what makes no sense
 */
int plan_check_sizes(const struct spindelay_plan *p)
{
	u64 bytes;

	if (p->size != sizeof(*p) || p->abi != SPINDELAY_ABI ||
	    p->flags & ~SPINDELAY_COUNT_CYCLES || p->reserved0 ||
	    memchr_inv(p->reserved, 0, sizeof(p->reserved)))
		return -EINVAL;
	if (!p->nr_cpus || !p->nr_variants || !p->nr_windows ||
	    !p->sample_shift || p->window_ns < SPINDELAY_WINDOW_NS_MIN ||
	    p->lock_page >= SPINDELAY_LOCK_PAGES ||
	    p->lock_slot >= SPINDELAY_LOCK_SLOTS)
		return -EINVAL;
	if (p->nr_cpus > SPINDELAY_CPUS_MAX ||
	    p->nr_variants > SPINDELAY_VARIANTS_MAX ||
	    p->nr_windows > SPINDELAY_WINDOWS_MAX ||
	    p->sample_shift > SPINDELAY_SAMPLE_SHIFT_MAX ||
	    p->window_ns > SPINDELAY_WINDOW_NS_MAX ||
	    (u64)p->window_ns * p->nr_windows > SPINDELAY_PLAN_NS_MAX)
		return -E2BIG;
	bytes = sizeof(struct spindelay_window) +
		(u64)p->nr_cpus * sizeof(struct spindelay_record) +
		SPIN_HIST_BUCKETS * sizeof(u32);
	return bytes * p->nr_windows > SPINDELAY_RESULT_BYTES_MAX ? -E2BIG : 0;
}

static int check_innodb(const struct spindelay_variant *v)
{
	if (v->pause_multiplier < SPINDELAY_PAUSE_MULTIPLIER_MIN)
		return -EINVAL;
	if (v->pause_multiplier > SPINDELAY_PAUSE_MULTIPLIER_MAX ||
	    v->spin_wait_delay > SPINDELAY_SPIN_WAIT_DELAY_MAX)
		return -E2BIG;
	return 0;
}

/* Each by itself, so that none of them overflows what is made of it. */
static int check_backoff(const struct spindelay_backoff *b)
{
	if (b->most > SPINDELAY_BACKOFF_TURNS_MAX ||
	    b->step > SPINDELAY_BACKOFF_TURNS_MAX ||
	    b->weight > SPINDELAY_BACKOFF_TURNS_MAX ||
	    b->growth > SPINDELAY_BACKOFF_GROWTH_MAX ||
	    b->idle > SPINDELAY_BACKOFF_IDLE_MAX)
		return -E2BIG;
	if (b->nap_us > SPINDELAY_BACKOFF_NAP_US_MAX &&
	    b->nap_us != SPINDELAY_BACKOFF_UNTIL_WOKEN)
		return -E2BIG;
	if (!b->idle || !b->weight || b->first > b->most || b->wrap > 1 ||
	    b->afresh > 1 || b->yield_less > b->yield_from)
		return -EINVAL;
	return b->wrap && b->most & (b->most + 1) ? -EINVAL : 0;
}

static int check_extras(const struct spindelay_plan *p,
			const struct spindelay_variant *v)
{
	u32 least = v->backoff_min ?: SPINDELAY_BACKOFF_MIN_DEFAULT;
	u32 most = v->backoff_max ?: SPINDELAY_BACKOFF_MAX_DEFAULT;

	if (v->jitter > SPINDELAY_JITTER_MAX ||
	    v->lines > SPINDELAY_LINES_MAX || most > SPINDELAY_BACKOFF_MAX ||
	    v->wfet_ns > SPINDELAY_WFET_NS_MAX)
		return -E2BIG;
	if (least > most)
		return -EINVAL;
	if (v->read_share > SPINDELAY_READ_SHARE_MAX)
		return -E2BIG;
	if (locks[v->lock].traits & SPIN_PAIR && p->nr_cpus != 2 &&
	    !(v->flags & SPINDELAY_BURST))
		return -EINVAL;
	if (v->lock == SPIN_LOCK_backoff)
		return check_backoff(&v->backoff);
	return locks[v->lock].traits & SPIN_INNODB ? check_innodb(v) : 0;
}

static int check_flags(const struct spindelay_variant *v)
{
	if (v->flags & ~(SPINDELAY_HELD | SPINDELAY_BURST |
			 SPINDELAY_BURST_DOUBLE | SPINDELAY_TWIN))
		return -EINVAL;
	if (v->flags & SPINDELAY_TWIN &&
	    (v->flags & SPINDELAY_BURST || v->count != 1 || v->pad))
		return -EINVAL;
	if (v->flags & SPINDELAY_BURST) {
		if (v->flags & SPINDELAY_HELD || !v->burst ||
		    delay_sleeps(v->delay))
			return -EINVAL;
		return v->burst > SPINDELAY_BURST_MAX ? -E2BIG : 0;
	}
	if (v->burst || v->flags & SPINDELAY_BURST_DOUBLE)
		return -EINVAL;
	if (v->flags & SPINDELAY_HELD && !(locks[v->lock].traits & SPIN_POLLS))
		return -EINVAL;
	return 0;
}

static int check_variant(const struct spindelay_plan *p,
			 const struct spindelay_variant *v)
{
	if (v->lock >= SPIN_LOCK_END || v->delay >= SPIN_DELAY_END ||
	    !v->count || memchr_inv(v->reserved, 0, sizeof(v->reserved)))
		return -EINVAL;
	if (v->count > SPINDELAY_COUNT_MAX || v->pad > SPINDELAY_PAD_MAX ||
	    (u64)v->hold_ns + v->think_ns >
		    p->window_ns / SPINDELAY_WORK_SHARE_MAX)
		return -E2BIG;
	if (!delay_supported(v->delay))
		return -EOPNOTSUPP;
	return check_extras(p, v) ?: check_flags(v);
}

static int check_cpus(const struct engine_plan *plan)
{
	cpumask_var_t seen;
	int err = 0;
	u32 i;

	if (!zalloc_cpumask_var(&seen, GFP_KERNEL))
		return -ENOMEM;
	for (i = 0; i < plan->p.nr_cpus && !err; i++) {
		if (plan->cpus[i] >= nr_cpu_ids || !cpu_online(plan->cpus[i]))
			err = -ENODEV;
		else if (cpumask_test_and_set_cpu(plan->cpus[i], seen))
			err = -EINVAL;
	}
	free_cpumask_var(seen);
	return err;
}

/**
 * plan_check - check what a plan asks for
 * @plan: sizes checked, inputs filled
 *
 * Return: 0; -EINVAL, -E2BIG, -ENODEV, -EOPNOTSUPP as SPINDELAY_IOC_RUN says
 */
int plan_check(const struct engine_plan *plan)
{
	const struct spindelay_plan *p = &plan->p;
	int err = check_cpus(plan);
	u32 i;

	if (p->node < -1 || p->node >= MAX_NUMNODES ||
	    (p->node >= 0 && !node_state(p->node, N_MEMORY)))
		return -EINVAL;
	for (i = 0; i < p->nr_variants && !err; i++)
		err = check_variant(p, &plan->variants[i]);
	for (i = 0; i < p->nr_windows && !err; i++)
		if (plan->schedule[i] >= p->nr_variants)
			err = -EINVAL;
	return err;
}

/**
 * plan_alloc_results - take the memory that a plan's results need, zeroed
 * @plan: the plan; its sizes have been checked
 *
 * Return: 0 or -ENOMEM; plan_free() frees what there is either way
 */
int plan_alloc_results(struct engine_plan *plan)
{
	size_t nr = plan->p.nr_windows;

	plan->windows =
		kvcalloc(nr, sizeof(*plan->windows), GFP_KERNEL_ACCOUNT);
	plan->records = kvcalloc(nr * plan->p.nr_cpus, sizeof(*plan->records),
				 GFP_KERNEL_ACCOUNT);
	plan->hists = kvcalloc(nr, SPIN_HIST_BUCKETS * sizeof(u32),
			       GFP_KERNEL_ACCOUNT);
	return plan->windows && plan->records && plan->hists ? 0 : -ENOMEM;
}

/**
 * plan_free - free all memory that a plan points to
 * @plan: the plan, itself the caller's
 */
void plan_free(struct engine_plan *plan)
{
	kvfree(plan->cpus);
	kvfree(plan->variants);
	kvfree(plan->schedule);
	kvfree(plan->windows);
	kvfree(plan->records);
	kvfree(plan->hists);
}

/**
 * plan_parse_lock - the lock of a name
 * @text: the name, perhaps with a newline behind it
 * @length: its bytes
 *
 * Return: enum spin_lock_id or -EINVAL
 */
int plan_parse_lock(const char *text, size_t length)
{
	u32 id;

	for (id = 0; id < ARRAY_SIZE(locks); id++)
		if (is_spelling(text, length, locks[id].spelling))
			return id;
	return -EINVAL;
}

/**
 * plan_lock_name - how a lock is spelt
 * @lock: enum spin_lock_id
 */
const char *plan_lock_name(u32 lock)
{
	return locks[lock].spelling;
}

ssize_t plan_show_locks(char *page)
{
	ssize_t at = 0;
	u32 id;

	for (id = 0; id < ARRAY_SIZE(locks); id++)
		at += sysfs_emit_at(page, at, "%s%s", at ? " " : "",
				    locks[id].spelling);
	return at + sysfs_emit_at(page, at, "\n");
}
