// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/names.h"
#include "lib/plan.h"
#include "lib/plan_check.h"

#define KNOWN_FLAGS                                                  \
	(SPINDELAY_HELD | SPINDELAY_BURST | SPINDELAY_BURST_DOUBLE | \
	 SPINDELAY_TWIN)

static bool is_zero(const void *memory, size_t size)
{
	const unsigned char *byte = memory;

	while (size--)
		if (*byte++)
			return false;
	return true;
}

static int check_sense(const struct spindelay_plan *p)
{
	if (p->size != sizeof(*p) || p->abi != SPINDELAY_ABI ||
	    p->flags & ~SPINDELAY_COUNT_CYCLES || p->reserved0 ||
	    !is_zero(p->reserved, sizeof(p->reserved)))
		return -EINVAL;
	if (!p->nr_cpus || !p->nr_variants || !p->nr_windows ||
	    !p->sample_shift || p->window_ns < SPINDELAY_WINDOW_NS_MIN ||
	    p->lock_page >= SPINDELAY_LOCK_PAGES ||
	    p->lock_slot >= SPINDELAY_LOCK_SLOTS)
		return -EINVAL;
	return 0;
}

static int check_bounds(const struct spindelay_plan *p)
{
	if (p->nr_cpus > SPINDELAY_CPUS_MAX ||
	    p->nr_variants > SPINDELAY_VARIANTS_MAX ||
	    p->nr_windows > SPINDELAY_WINDOWS_MAX ||
	    p->sample_shift > SPINDELAY_SAMPLE_SHIFT_MAX ||
	    p->window_ns > SPINDELAY_WINDOW_NS_MAX ||
	    (u64)p->window_ns * p->nr_windows > SPINDELAY_PLAN_NS_MAX ||
	    plan_result_bytes(p->nr_windows, p->nr_cpus) >
		    SPINDELAY_RESULT_BYTES_MAX)
		return -E2BIG;
	return 0;
}

static int check_innodb(const struct spindelay_variant *v)
{
	if (v->pause_multiplier < SPINDELAY_PAUSE_MULTIPLIER_MIN)
		return -EINVAL;
	return v->pause_multiplier > SPINDELAY_PAUSE_MULTIPLIER_MAX ||
			       v->spin_wait_delay >
				       SPINDELAY_SPIN_WAIT_DELAY_MAX ?
		       -E2BIG :
		       0;
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
	if (lock_has(v->lock, SPIN_PAIR) && p->nr_cpus != 2 &&
	    !(v->flags & SPINDELAY_BURST))
		return -EINVAL;
	if (v->lock == SPIN_LOCK_backoff)
		return check_backoff(&v->backoff);
	return lock_has(v->lock, SPIN_INNODB) ? check_innodb(v) : 0;
}

static int check_burst(const struct spindelay_variant *v)
{
	if (v->flags & SPINDELAY_HELD || !v->burst ||
	    delay_has(v->delay, SPIN_SLEEPS))
		return -EINVAL;
	return v->burst > SPINDELAY_BURST_MAX ? -E2BIG : 0;
}

static int check_flags(const struct spindelay_variant *v)
{
	if (v->flags & ~KNOWN_FLAGS)
		return -EINVAL;
	if (v->flags & SPINDELAY_TWIN &&
	    (v->flags & SPINDELAY_BURST || v->count != 1 || v->pad))
		return -EINVAL;
	if (v->flags & SPINDELAY_BURST)
		return check_burst(v);
	if (v->burst || v->flags & SPINDELAY_BURST_DOUBLE)
		return -EINVAL;
	if (v->flags & SPINDELAY_HELD && !lock_has(v->lock, SPIN_POLLS))
		return -EINVAL;
	return 0;
}

static int check_variant(const struct spindelay_plan *p,
			 const struct spindelay_variant *v)
{
	if (v->lock >= SPIN_LOCK_END || v->delay >= SPIN_DELAY_END ||
	    !v->count || !is_zero(v->reserved, sizeof(v->reserved)))
		return -EINVAL;
	if (v->count > SPINDELAY_COUNT_MAX || v->pad > SPINDELAY_PAD_MAX ||
	    (u64)v->hold_ns + v->think_ns >
		    p->window_ns / SPINDELAY_WORK_SHARE_MAX)
		return -E2BIG;
	return check_extras(p, v) ?: check_flags(v);
}

int plan_check(const struct spindelay_plan *p)
{
	const struct spindelay_variant *variants =
		(const void *)(uintptr_t)p->variants;
	const u32 *schedule = (const void *)(uintptr_t)p->schedule;
	int err = check_sense(p) ?: check_bounds(p);

	if (!err && p->node < -1)
		err = -EINVAL;
	for (u32 i = 0; !err && i < p->nr_variants; i++)
		err = check_variant(p, &variants[i]);
	for (u32 i = 0; !err && i < p->nr_windows; i++)
		if (schedule[i] >= p->nr_variants)
			err = -EINVAL;
	return err;
}
