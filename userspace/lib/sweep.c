// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/comparison.h"
#include "lib/names.h"
#include "lib/summary.h"
#include "lib/sweep.h"
#include "lib/variant.h"

/*
 * InnoDB waits random(0..innodb_spin_wait_delay - 1) times the multiplier
 * relaxations between two polls; at the default of 6 that is 2.5 times on average
 * (ut_delay and TTASEventMutex in MySQL's sources).
 */
#define INNODB_MEAN_DELAY 2.5
#define INNODB_MULTIPLIER_MAX 100
/* Range of -XX:OnSpinWaitInstCount (OpenJDK, globals_aarch64.hpp). */
#define OPENJDK_COUNT_MAX 99

bool sweep_set_complete(const struct document *doc, const struct set *set)
{
	return set->nr_placements >= doc->placements;
}

bool sweep_complete(const struct document *doc)
{
	for (unsigned int s = 0; s < doc->nr_sets; s++)
		if (!sweep_set_complete(doc, &doc->sets[s]))
			return false;
	return true;
}

/* Estimate of a variant against the default of its cell, a logarithm. */
static double against_default(const struct document *doc, unsigned int set,
			      unsigned int variant)
{
	for (unsigned int i = 0; i < doc->nr_comparisons; i++) {
		const struct comparison *c = &doc->comparisons[i];

		if (c->set == set && c->a == variant && c->part == PART_WHOLE)
			return log(c->ratio.estimate);
	}
	return variant == set_baseline(&doc->sets[set]) ? 0 : NAN;
}

static unsigned int best_of(const struct document *doc, unsigned int set)
{
	unsigned int best = set_baseline(&doc->sets[set]);
	double most = 0, value;

	for (unsigned int v = 0; v < doc->sets[set].nr_asked; v++) {
		value = against_default(doc, set, v);
		if (value > most) {
			most = value;
			best = v;
		}
	}
	return best;
}

/* Which variants cannot be told from the best one, by bits. */
static int find_tied(const struct document *doc, struct cell *cell)
{
	const struct set *set = &doc->sets[cell->set];
	const double level = stats_level(set->nr_asked - 1);

	cell->tied = 0;
	for (unsigned int v = 0; v < set->nr_asked; v++) {
		struct comparison c = { .set = cell->set,
					.a = cell->best,
					.b = v };

		if (v == cell->best)
			continue;
		if (summarise_comparison(doc, &c, level))
			return -1;
		if (c.resolved == RESOLVED_NONE)
			cell->tied |= 1ULL << v;
	}
	return 0;
}

/* The variant with the highest mean over the cells. */
static unsigned int find_winner(const struct document *doc)
{
	const struct set *set = &doc->sets[0];
	unsigned int winner = set_baseline(set);
	double most = 0, sum;

	for (unsigned int v = 0; v < set->nr_asked; v++) {
		sum = 0;
		for (unsigned int i = 0; i < doc->nr_cells; i++)
			sum += against_default(doc, doc->cells[i].set, v);
		if (sum > most) {
			most = sum;
			winner = v;
		}
	}
	return winner;
}

int summarise_sweep(struct document *doc)
{
	struct cell *cell;

	free(doc->cells);
	doc->nr_cells = 0;
	doc->cells = calloc(doc->nr_sets + 1, sizeof(*doc->cells));
	if (!doc->cells)
		return -1;
	for (unsigned int s = 0; s < doc->nr_sets; s++) {
		if (doc->sets[s].role != SET_ROUNDS ||
		    !set_has_valid_round(&doc->sets[s]))
			continue;
		cell = &doc->cells[doc->nr_cells++];
		cell->set = s;
		cell->best = best_of(doc, s);
		if (find_tied(doc, cell))
			return -1;
	}
	doc->winner = doc->nr_sets ? find_winner(doc) : 0;
	return 0;
}

/* ---- advice ---- */

/* What the confirmations came to. */
struct confirmed {
	unsigned int faster;
	unsigned int slower;
	unsigned int all;
	double detectable;
};

static struct confirmed count_confirmed(const struct document *doc)
{
	struct confirmed found = { 0 };

	for (unsigned int i = 0; i < doc->nr_comparisons; i++) {
		const struct comparison *c = &doc->comparisons[i];

		if (doc->sets[c->set].role != SET_CONFIRM)
			continue;
		found.all++;
		found.faster += c->verdict == VERDICT_FASTER;
		found.slower += c->verdict == VERDICT_SLOWER;
		found.detectable =
			fmax(found.detectable, c->minimum_detectable_effect);
	}
	return found;
}

static void knob_text(const struct spindelay_variant *v, char *text,
		      size_t size)
{
	const struct delay_name *delay = delay_by_id(v->delay);
	char knob[NAMES_TEXT_MAX];

	if (word_in_list(delay->name, knob_name_list(knob)))
		snprintf(text, size, "knob: %s%s", delay->name,
			 v->count > 1 ? ", called so often per poll" : "");
	else
		snprintf(text, size, "knob: no value");
}

static void innodb_text(const struct spindelay_variant *v, char *text,
			size_t size)
{
	double multiplier = round(v->count / INNODB_MEAN_DELAY);

	snprintf(
		text, size,
		"InnoDB, its relaxation being %s: innodb_spin_wait_pause_multiplier=%.0f",
		delay_by_id(v->delay)->name,
		fmin(fmax(multiplier, 1), INNODB_MULTIPLIER_MAX));
}

static void openjdk_text(const struct spindelay_variant *v, char *text,
			 size_t size)
{
	const struct delay_name *delay = delay_by_id(v->delay);

	if (!word_in_list(delay->name, "none nop isb yield sb") ||
	    v->count > OPENJDK_COUNT_MAX)
		snprintf(text, size, "OpenJDK: no value");
	else
		snprintf(
			text, size,
			"OpenJDK: -XX:OnSpinWaitInst=%s -XX:OnSpinWaitInstCount=%u",
			delay->name, v->count);
}

static void setting_text(const struct spindelay_variant *v, char *text,
			 size_t size)
{
	char name[VARIANT_TEXT_MAX], knob[64], innodb[128], openjdk[128];

	knob_text(v, knob, sizeof(knob));
	innodb_text(v, innodb, sizeof(innodb));
	openjdk_text(v, openjdk, sizeof(openjdk));
	snprintf(text, size, "%s (%s; %s; %s)", variant_delay_format(v, name),
		 knob, innodb, openjdk);
}

static enum advice leave(const struct document *doc,
			 const struct confirmed *found, char *text, size_t size)
{
	if (doc->winner == set_baseline(&doc->sets[0]))
		snprintf(text, size,
			 "Leave it: nothing did better than the default.");
	else
		snprintf(
			text, size,
			"Leave it: no difference above %.1f %% resolved when the best was measured again.",
			100 * found->detectable);
	return ADVICE_LEAVE;
}

static enum advice withhold(const struct document *doc, char *text, size_t size)
{
	snprintf(
		text, size,
		"Advice is withheld: %s. It would read: Set DELAY*COUNT (knob: DELAY; InnoDB: innodb_spin_wait_pause_multiplier=N; OpenJDK: -XX:OnSpinWaitInst=DELAY -XX:OnSpinWaitInstCount=COUNT), or: Leave it.",
		doc->machine.hypervisor.emulated ? "this CPU is emulated" :
						   "not all was measured");
	return ADVICE_WITHHELD;
}

enum advice sweep_advice(const struct document *doc, char *text, size_t size)
{
	const struct confirmed found = count_confirmed(doc);
	const struct set *set = &doc->sets[0];
	char setting[400];

	if (doc->machine.hypervisor.emulated || !sweep_complete(doc))
		return withhold(doc, text, size);
	if (!found.faster && !found.slower)
		return leave(doc, &found, text, size);
	setting_text(&set->variants[doc->winner], setting, sizeof(setting));
	if (!found.slower) {
		snprintf(text, size,
			 "Set %s: faster than the default in %u of %u loads.",
			 setting, found.faster, found.all);
		return ADVICE_SET;
	}
	snprintf(
		text, size,
		"It depends on the load: %s is faster than the default in %u of %u, and slower in %u.",
		setting, found.faster, found.all, found.slower);
	return ADVICE_DEPENDS;
}

const char *advice_word(enum advice advice)
{
	static const char *const words[] = {
		[ADVICE_SET] = "set",
		[ADVICE_LEAVE] = "leave",
		[ADVICE_DEPENDS] = "depends",
		[ADVICE_WITHHELD] = "withheld",
	};

	return words[advice];
}
