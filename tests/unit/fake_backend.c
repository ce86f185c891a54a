// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "fake_backend.h"
#include "lib/plan.h"
#include "lib/variant.h"
#include "bench/hist.h"

/* Box and Muller. */
double fake_normal(struct rng *rng)
{
	double u = (rng_next(rng) >> 11) * 0x1p-53;
	double v = (rng_next(rng) >> 11) * 0x1p-53;

	return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

static int check(const struct spindelay_plan *p)
{
	if (p->size != sizeof(*p) || p->abi != SPINDELAY_ABI ||
	    p->flags & ~SPINDELAY_COUNT_CYCLES || p->reserved0)
		return -EINVAL;
	if (!p->nr_cpus || !p->nr_variants || !p->nr_windows ||
	    !p->sample_shift || p->window_ns < SPINDELAY_WINDOW_NS_MIN)
		return -EINVAL;
	if (p->nr_windows > SPINDELAY_WINDOWS_MAX ||
	    (u64)p->window_ns * p->nr_windows > SPINDELAY_PLAN_NS_MAX ||
	    plan_result_bytes(p->nr_windows, p->nr_cpus) >
		    SPINDELAY_RESULT_BYTES_MAX)
		return -E2BIG;
	return 0;
}

static void fill_burst(const struct fake *fake, const struct spindelay_plan *p,
		       const struct spindelay_variant *v,
		       struct spindelay_record *r)
{
	double copies = (double)v->burst * SPINDELAY_BURST_COPIES;

	if (v->flags & SPINDELAY_BURST_DOUBLE)
		copies *= 2;
	r->burst_min = lround(100 + copies * fake->ns_per_copy);
	r->acquisitions = 1 + p->window_ns / r->burst_min;
	r->ticks = r->acquisitions * r->burst_min;
}

static void fill_plain(const struct spindelay_plan *p, double rate, u32 *hist,
		       struct spindelay_record *r)
{
	r->ticks = p->window_ns;
	r->acquisitions = lround(rate * r->ticks);
	r->polls = 3 * r->acquisitions;
	r->delays = r->polls;
	r->samples = r->acquisitions >> p->sample_shift;
	r->sampled_wait = 100 * r->samples;
	r->sampled_hold = 300 * r->samples;
	r->wait_max = 100;
	r->spins = r->acquisitions / 2;
	r->timed_spins = r->spins / 10;
	r->timed_spin_ticks = 100 * r->timed_spins;
	hist[spin_hist_bucket(100)] += r->samples;
}

/* What waits is half of the acquisitions; how long decides the share. */
static void fill_share(const struct fake *fake, struct rng *rng, u32 think_ns,
		       struct spindelay_record *r)
{
	double share = fake->share_most * fake->share_half /
		       (fake->share_half + think_ns);

	if (think_ns < fake->asleep_below)
		share /= 50;
	share *= exp(fake->noise * fake_normal(rng));
	if (fake->wild_every && fake->windows % fake->wild_every == 0)
		share *= 10;
	r->timed_spins = r->spins / 16;
	r->timed_spin_ticks =
		lround(share * r->ticks * r->timed_spins / r->spins);
}

static void fill_counters(const struct fake *fake,
			  const struct spindelay_plan *p, u32 variant,
			  struct spindelay_record *r)
{
	double speed = fake->speed[variant] ? fake->speed[variant] : 1;

	if (!(p->flags & SPINDELAY_COUNT_CYCLES))
		return;
	r->cycles = lround(fake->cycles_per_tick * speed * r->ticks);
	r->instructions =
		lround(fake->instructions_per_tick * speed * r->ticks);
}

static double poll_period(const struct fake *fake,
			  const struct spindelay_variant *v)
{
	double ns = fake->poll_ns + v->count * fake->delay_ns[v->delay];

	return v->pad ? ns + fake->padded_loop_ns + v->pad * fake->pad_ns : ns;
}

/* What the window's rate is multiplied by, a logarithm. */
static double disturbance(struct fake *fake, const struct spindelay_plan *p,
			  u32 index)
{
	bool up = index % 4 == 0 || index % 4 == 3;
	double noise = fake->noise * fake_normal(&fake->rng);

	if (fake->swing && index % p->nr_variants == 0)
		fake->level = fake->swing * fake_normal(&fake->rng);
	return noise + fake->level + (up ? fake->beat : -fake->beat) +
	       fake->drift * fake->windows;
}

/* What the variant itself, and its place in the round, make of a rate. */
static double planted(const struct fake *fake, const struct spindelay_plan *p,
		      const struct spindelay_variant *v, u32 index)
{
	const struct spindelay_variant *first =
		(const void *)(uintptr_t)p->variants;
	double factor = 1;

	if (v->lock == SPIN_LOCK_pace)
		factor /= 1 + fake->pace_cost * (v->count - 1);
	if (v->flags & SPINDELAY_TWIN)
		factor *= 1 + fake->twin_gain;
	if (p->nr_variants == 2 && v != first && variant_same_poll(v, first))
		factor *= 1 + fake->second_gain;
	if (!(index % p->nr_variants))
		factor *= 1 + fake->position_gain;
	return fake->idle_lock && v->lock == fake->idle_lock ? 0 : factor;
}

static void fill_times(const struct fake *fake, const struct spindelay_plan *p,
		       struct spindelay_window *w)
{
	w->ticks = p->window_ns + fake->overrun;
	w->start = 1000 * fake->windows;
	if (fake->gap)
		w->start = fake->windows * (w->ticks + fake->gap);
	if (fake->back_every && fake->windows % fake->back_every == 1)
		w->start -= 2 * fake->gap;
}

static void fill_window(struct fake *fake, const struct spindelay_plan *p,
			u32 index, const double *placement)
{
	const struct spindelay_variant *variants =
		(const void *)(uintptr_t)p->variants;
	const u32 *schedule = (const void *)(uintptr_t)p->schedule;
	struct spindelay_window *w = (void *)(uintptr_t)p->windows;
	struct spindelay_record *r = (void *)(uintptr_t)p->records;
	u32 *hist = (void *)(uintptr_t)p->hists;
	u32 variant = schedule[index];
	double rate = fake->rate[variant] * placement[variant];

	w += index;
	r += (size_t)index * p->nr_cpus;
	hist += (size_t)index * SPINDELAY_HIST_BUCKETS;
	if (!fake->quiet_lock || variants[variant].lock != fake->quiet_lock)
		rate *= exp(disturbance(fake, p, index));
	else
		rate = fake->rate[variant];
	w->variant = variant;
	fill_times(fake, p, w);
	rate *= planted(fake, p, &variants[variant], index);
	for (u32 i = 0; i < p->nr_cpus; i++, r++) {
		if (variants[variant].flags & SPINDELAY_BURST) {
			fill_burst(fake, p, &variants[variant], r);
		} else if (variants[variant].flags & SPINDELAY_HELD) {
			r->ticks = p->window_ns;
			r->polls =
				lround(r->ticks *
				       exp(fake->poll_noise *
					   fake_normal(&fake->rng)) /
				       poll_period(fake, &variants[variant]));
		} else {
			fill_plain(p, rate, hist, r);
			if (fake->share_half)
				fill_share(fake, &fake->rng,
					   variants[variant].think_ns, r);
		}
		fill_counters(fake, p, variant, r);
		w->acquisitions += r->acquisitions;
	}
	w->counted = w->acquisitions - fake->lose[variant] -
		     fake->lose_lock[variants[variant].lock];
	fake->windows++;
	if (fake->invalid_every && !(fake->windows % fake->invalid_every))
		w->invalid = SPINDELAY_INVALID_SWITCHED;
	if (fake->calls < fake->invalid_calls)
		w->invalid = SPINDELAY_INVALID_SWITCHED;
}

/* The same at the same address. */
static double address_factor(const struct fake *fake,
			     const struct spindelay_plan *p, u32 variant)
{
	struct rng rng;

	if (!fake->address_noise)
		return 1;
	rng_seed(&rng, (p->lock_page << 8 | p->lock_slot) << 8 | variant);
	return exp(fake->address_noise * fake_normal(&rng));
}

static int fake_run(struct backend *backend, struct spindelay_plan *p)
{
	double placement[SPINDELAY_VARIANTS_MAX];
	struct fake *fake = backend->priv;
	int err = check(p);

	if (err || fake->fail)
		return err ? err : fake->fail;
	if (fake->calls < 64) {
		fake->chain_fs[fake->calls] = p->chain_fs;
		fake->pages[fake->calls] = p->lock_page << 8 | p->lock_slot;
	}
	fake->calls++;
	fake->think_ns =
		((struct spindelay_variant *)(uintptr_t)p->variants)->think_ns;
	for (u32 v = 0; v < p->nr_variants; v++)
		placement[v] =
			exp(fake->placement_noise * fake_normal(&fake->rng)) *
			address_factor(fake, p, v);
	for (u32 i = 0; i < p->nr_windows; i++)
		fill_window(fake, p, i, placement);
	p->counter_hz = FAKE_COUNTER_HZ;
	p->chain_fs = FAKE_CHAIN_FS;
	return 0;
}

static int fake_open(struct backend *backend, struct fault *fault)
{
	(void)backend;
	(void)fault;
	return 0;
}

static bool fake_can_execute(struct backend *backend,
			     const struct delay_name *delay)
{
	(void)backend;
	return delay->need != SPIN_NEED_SB;
}

static void fake_close(struct backend *backend)
{
	(void)backend;
}

const struct backend_ops fake_backend = {
	.name = "fake",
	.open = fake_open,
	.run = fake_run,
	.can_execute = fake_can_execute,
	.close = fake_close,
};
