// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>

#include "lib/csv.h"
#include "lib/names.h"
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
		",%u,%u,%u,%u,%u,%llu,%llu,%u,%u,%u,%llu,%llu,%llu,%u\n",
		v->jitter, v->lines, v->backoff_min, v->backoff_max, v->wfet_ns,
		(unsigned long long)sum.cycles,
		(unsigned long long)sum.instructions, v->spin_wait_delay,
		v->pause_multiplier, v->sync_spin_loops,
		(unsigned long long)sum.rounds, (unsigned long long)sum.yields,
		(unsigned long long)sum.parks, v->read_share);
}

void csv_write(const struct document *doc, FILE *stream)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		fprintf(stream, "%s%s", i ? "," : "", columns[i]);
	fputc('\n', stream);
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		const struct set *set = &doc->sets[s];

		for (size_t i = 0; i < set->nr_windows; i++) {
			const struct window *w = &set->windows[i];

			fprintf(stream, "%u,%u,%u,", s, w->placement, w->round);
			write_variant(set, &set->variants[w->abi.variant],
				      stream);
			fprintf(stream, ",%u", w->abi.invalid);
			write_counts(set, w, stream);
			fprintf(stream, ",%.17g",
				window_throughput(set, w) *
					doc->machine.counter_hz);
			write_late_columns(set, w, stream);
		}
	}
}
