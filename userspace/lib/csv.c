// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>
#include <string.h>

#include "lib/csv.h"
#include "lib/dispatch_cost.h"
#include "lib/names.h"
#include "lib/preset.h"
#include "lib/record.h"

static const char *const columns[] = {
	"set",
	"placement",
	"round",
	"lock",
	"delay",
	"count",
	"pad",
	"hold_ns",
	"think_ns",
	"threads",
	"flags",
	"burst",
	"invalid",
	"ticks",
	"acquisitions",
	"counted",
	"polls",
	"delays",
	"samples",
	"sampled_wait",
	"sampled_hold",
	"wait_max",
	"spins",
	"timed_spins",
	"timed_spin_ticks",
	"burst_min",
	"rate",
	"jitter",
	"lines",
	"backoff_min",
	"backoff_max",
	"wfet_ns",
	"cycles",
	"instructions",
	"spin_wait_delay",
	"pause_multiplier",
	"sync_spin_loops",
	"rounds",
	"yields",
	"parks",
	"read_share",
	"preset",
};

static struct spindelay_record add_cpus(const struct set *set,
					const struct window *window)
{
	struct spindelay_record sum = { 0 };

	for (unsigned int i = 0; i < set->nr_cpus; i++) {
		const struct spindelay_record *r = &window->records[i];

		record_add(&sum, r);
		if (r->burst_min > sum.burst_min)
			sum.burst_min = r->burst_min;
	}
	return sum;
}

static void write_variant(const struct set *set,
			  const struct spindelay_variant *v, FILE *stream)
{
	const struct lock_name *lock = lock_by_id(v->lock);
	const struct delay_name *delay = delay_by_id(v->delay);

	fprintf(stream, "%s,%s,%u,%u,%u,%u,%u,%u,%u", lock ? lock->name : "?",
		delay ? delay->name : "?", v->count, v->pad, v->hold_ns,
		v->think_ns, set->nr_cpus, v->flags, v->burst);
}

static void write_counts(const struct set *set, const struct window *window,
			 FILE *stream)
{
	const struct spindelay_record sum = add_cpus(set, window);
	const u64 counts[] = {
		window->abi.ticks,   window->abi.acquisitions,
		window->abi.counted, sum.polls,
		sum.delays,	     sum.samples,
		sum.sampled_wait,    sum.sampled_hold,
		sum.wait_max,	     sum.spins,
		sum.timed_spins,     sum.timed_spin_ticks,
		sum.burst_min,
	};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		fprintf(stream, ",%llu", (unsigned long long)counts[i]);
}

/* What came later stands last, so that columns keep their places. */
static void write_late_columns(const struct set *set,
			       const struct window *window, FILE *stream)
{
	const struct spindelay_variant *v = &set->variants[window->abi.variant];
	const struct spindelay_record sum = add_cpus(set, window);

	fprintf(stream,
		",%u,%u,%u,%u,%u,%llu,%llu,%u,%u,%u,%llu,%llu,%llu,%u,%s\n",
		v->jitter, v->lines, v->backoff_min, v->backoff_max, v->wfet_ns,
		(unsigned long long)sum.cycles,
		(unsigned long long)sum.instructions, v->spin_wait_delay,
		v->pause_multiplier, v->sync_spin_loops,
		(unsigned long long)sum.rounds, (unsigned long long)sum.yields,
		(unsigned long long)sum.parks, v->read_share,
		v->lock == SPIN_LOCK_backoff ? preset_name(&v->backoff) : "");
}

static void write_windows(const struct document *doc, unsigned int index,
			  FILE *stream)
{
	const struct set *set = &doc->sets[index];

	for (size_t i = 0; i < set->nr_windows; i++) {
		const struct window *w = &set->windows[i];

		fprintf(stream, "%u,%u,%u,", index, w->placement, w->round);
		write_variant(set, &set->variants[w->abi.variant], stream);
		fprintf(stream, ",%u", w->abi.invalid);
		write_counts(set, w, stream);
		fprintf(stream, ",%.17g",
			window_throughput(set, w) * doc->machine.counter_hz);
		write_late_columns(set, w, stream);
	}
}

/* A file that was read may call it anything. */
static void write_name(const char *name, FILE *stream)
{
	for (; *name; name++)
		fputc(strchr(",\"\r\n", *name) ? '?' : *name, stream);
}

static void write_runs(const struct dispatch *d, enum dispatch_loop loop,
		       enum dispatch_way way, FILE *stream)
{
	for (u32 i = 0; i < d->nr_rounds; i++) {
		const struct dispatch_round *r = &d->rounds[way][loop][i];

		fprintf(stream, "%u,%s,%s,", i, dispatch_loop_word(loop),
			dispatch_way_word(way));
		write_name(d->delay, stream);
		fprintf(stream, ",%u,%u", d->cpu, d->polls);
		for (unsigned int n = 0; n < 2; n++)
			fprintf(stream, ",%llu,%llu",
				(unsigned long long)r->instructions[n],
				(unsigned long long)r->ns[n]);
		fputc('\n', stream);
	}
}

static void write_dispatch(const struct dispatch *d, FILE *stream)
{
	fputs("round,loop,chosen_by,delay,cpu,polls,instructions,ns,instructions_twice,ns_twice\n",
	      stream);
	for (unsigned int i = 0; i < DISPATCH_WAYS * DISPATCH_LOOPS; i++)
		write_runs(d, i / DISPATCH_WAYS, i % DISPATCH_WAYS, stream);
}

void csv_write(const struct document *doc, FILE *stream)
{
	if (dispatch_check(doc)) {
		write_dispatch(&doc->dispatch, stream);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		fprintf(stream, "%s%s", i ? "," : "", columns[i]);
	fputc('\n', stream);
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		write_windows(doc, s, stream);
}
