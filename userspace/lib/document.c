// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/document.h"

struct document *document_new(const char *command)
{
	struct document *doc = calloc(1, sizeof(*doc));

	if (!doc)
		return NULL;
	snprintf(doc->command, sizeof(doc->command), "%s", command);
	doc->frequency_change = NAN;
	doc->match = MATCH_BIT(MATCH_COUNT);
	return doc;
}

static void free_windows(struct set *set)
{
	for (size_t i = 0; i < set->nr_windows; i++) {
		free(set->windows[i].records);
		free(set->windows[i].hist);
	}
	free(set->windows);
	set->windows = NULL;
	set->nr_windows = 0;
}

void set_forget_placements(struct set *set)
{
	free_windows(set);
	for (unsigned int i = 0; i < set->nr_placements; i++)
		free(set->placements[i].cpus);
	free(set->placements);
	set->placements = NULL;
	set->nr_placements = 0;
}

static void set_free(struct set *set)
{
	set_forget_placements(set);
	free(set->variants);
	free(set->paddings);
	free(set->cpus);
}

void document_forget_windows(struct document *doc)
{
	for (unsigned int i = 0; i < doc->nr_sets; i++)
		free_windows(&doc->sets[i]);
}

void document_forget_findings(struct document *doc)
{
	for (unsigned int i = 0; i < doc->nr_variants; i++)
		free(doc->variants[i].cpus);
	free(doc->variants);
	free(doc->comparisons);
	free(doc->costs);
	free(doc->equal_times);
	free(doc->cells);
	free(doc->replay.repetitions);
	doc->nr_variants = 0;
	doc->variants = NULL;
	doc->nr_comparisons = 0;
	doc->comparisons = NULL;
	doc->nr_costs = 0;
	doc->costs = NULL;
	doc->nr_equal_times = 0;
	doc->equal_times = NULL;
	doc->nr_cells = 0;
	doc->cells = NULL;
	doc->replay.nr_repetitions = 0;
	doc->replay.repetitions = NULL;
}

void document_free(struct document *doc)
{
	if (!doc)
		return;
	document_forget_findings(doc);
	for (unsigned int i = 0; i < doc->nr_sets; i++)
		set_free(&doc->sets[i]);
	for (unsigned int i = 0; i < DISPATCH_WAYS * DISPATCH_LOOPS; i++)
		free(doc->dispatch
			     .rounds[i / DISPATCH_LOOPS][i % DISPATCH_LOOPS]);
	free(doc->sets);
	free(doc);
}

/* Room for entry @nr of an array that doubles at powers of two. */
static void *grown(void *array, size_t nr, size_t entry_size)
{
	void *larger;

	if (nr & (nr - 1))
		return array;
	larger = realloc(array, (nr ? 2 * nr : 1) * entry_size);
	return larger;
}

static void *copied(const void *data, size_t nr, size_t entry_size)
{
	void *copy = calloc(nr, entry_size);

	if (copy)
		memcpy(copy, data, nr * entry_size);
	return copy;
}

struct set *document_add_set(struct document *doc,
			     const struct spindelay_variant *variants,
			     unsigned int nr_variants, const u32 *cpus,
			     unsigned int nr_cpus)
{
	struct set *sets = grown(doc->sets, doc->nr_sets, sizeof(*sets));
	struct set *set;

	if (!sets)
		return NULL;
	doc->sets = sets;
	set = &sets[doc->nr_sets];
	memset(set, 0, sizeof(*set));
	set->variants = copied(variants, nr_variants, sizeof(*variants));
	set->cpus = copied(cpus, nr_cpus, sizeof(*cpus));
	/* Counted even when incomplete, so that it is freed. */
	doc->nr_sets++;
	if (!set->variants || !set->cpus)
		return NULL;
	set->nr_asked = nr_variants;
	set->nr_variants = nr_variants;
	set->nr_cpus = nr_cpus;
	return set;
}

void document_drop_set(struct document *doc, unsigned int index)
{
	set_free(&doc->sets[index]);
	doc->nr_sets--;
	memmove(&doc->sets[index], &doc->sets[index + 1],
		(doc->nr_sets - index) * sizeof(*doc->sets));
}

void document_note(struct document *doc, const char *format, ...)
{
	va_list args;

	if (doc->nr_notes == DOCUMENT_NOTES_MAX)
		return;
	va_start(args, format);
	vsnprintf(doc->notes[doc->nr_notes++], DOCUMENT_NOTE_TEXT_MAX, format,
		  args);
	va_end(args);
}

int set_add_padding(struct set *set, const struct spindelay_variant *variant,
		    struct padding padding)
{
	const unsigned int nr = set->nr_variants;
	const unsigned int padded = nr - set->nr_asked;
	struct spindelay_variant *variants =
		realloc(set->variants, (nr + 1) * sizeof(*variants));
	struct padding *paddings;

	if (!variants)
		return -1;
	set->variants = variants;
	paddings = realloc(set->paddings, (padded + 1) * sizeof(*paddings));
	if (!paddings)
		return -1;
	set->paddings = paddings;
	variants[nr] = *variant;
	paddings[padded] = padding;
	set->nr_variants++;
	return 0;
}

void set_drop_padding(struct set *set, unsigned int variant)
{
	const unsigned int behind = --set->nr_variants - variant;
	struct padding *padding = &set->paddings[variant - set->nr_asked];

	memmove(&set->variants[variant], &set->variants[variant + 1],
		behind * sizeof(*set->variants));
	memmove(padding, padding + 1, behind * sizeof(*padding));
}

unsigned int document_placements(const struct document *doc)
{
	unsigned int least = UINT_MAX;

	for (unsigned int s = 0; s < doc->nr_sets; s++)
		if (set_is_compared(&doc->sets[s]) &&
		    doc->sets[s].nr_placements < least)
			least = doc->sets[s].nr_placements;
	return least == UINT_MAX ? 0 : least;
}

unsigned int set_baseline(const struct set *set)
{
	return set->nr_asked - 1;
}

bool set_is_compared(const struct set *set)
{
	return set->role == SET_ROUNDS || set->role == SET_CONFIRM;
}

struct placement *set_add_placement(struct set *set)
{
	struct placement *places =
		grown(set->placements, set->nr_placements, sizeof(*places));
	struct placement *place;

	if (!places)
		return NULL;
	set->placements = places;
	place = &places[set->nr_placements];
	memset(place, 0, sizeof(*place));
	place->cpus = calloc(set->nr_cpus, sizeof(*place->cpus));
	if (!place->cpus)
		return NULL;
	set->nr_placements++;
	return place;
}

struct window *set_add_window(struct set *set)
{
	struct window *windows =
		grown(set->windows, set->nr_windows, sizeof(*windows));
	struct window *window;

	if (!windows)
		return NULL;
	set->windows = windows;
	window = &windows[set->nr_windows];
	memset(window, 0, sizeof(*window));
	window->records = calloc(set->nr_cpus, sizeof(*window->records));
	window->hist = calloc(SPINDELAY_HIST_BUCKETS, sizeof(*window->hist));
	set->nr_windows++;
	return window->records && window->hist ? window : NULL;
}

double window_throughput(const struct set *set, const struct window *window)
{
	double sum = 0;

	for (unsigned int i = 0; i < set->nr_cpus; i++)
		if (window->records[i].ticks)
			sum += (double)window->records[i].acquisitions /
			       window->records[i].ticks;
	return sum;
}

static bool window_valid(const struct set *set, const struct window *window)
{
	return !window->abi.invalid && window_throughput(set, window) > 0;
}

size_t set_rounds(const struct set *set)
{
	return set->nr_windows / set->nr_variants;
}

bool round_valid(const struct set *set, size_t round)
{
	const struct window *window = &set->windows[round * set->nr_variants];

	for (unsigned int i = 0; i < set->nr_variants; i++)
		if (!window_valid(set, &window[i]))
			return false;
	return true;
}

const struct window *round_window(const struct set *set, size_t round,
				  unsigned int variant)
{
	const struct window *window = &set->windows[round * set->nr_variants];

	while (window->abi.variant != variant)
		window++;
	return window;
}
