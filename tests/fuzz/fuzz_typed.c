// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is typed on a command line and has a grammar: a variant, a CPU list. Each
 * input is read as either. "make fuzz" calls it from libFuzzer, "make unit" for
 * each file of its corpus.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz_typed.h"
#include "lib/cpulist.h"
#include "lib/names.h"
#include "lib/variant.h"

/* As much as a list of every second CPU takes, and more. */
#define LIST_TEXT_MAX (CPULIST_MAX * 6)

/* Whatever is refused is so with a reason, and as a wrong word. */
static void check_refusal(const struct fault *fault)
{
	if (fault->status != STATUS_USAGE || !fault->text[0])
		abort();
}

static void check_bounds(const struct spindelay_variant *v)
{
	if (!lock_by_id(v->lock) || !delay_by_id(v->delay) || !v->count ||
	    v->count > SPINDELAY_COUNT_MAX || v->pad > SPINDELAY_PAD_MAX)
		abort();
}

static void read_variant(const char *text)
{
	struct spindelay_variant variant, again;
	struct fault fault = { 0 };
	char written[VARIANT_TEXT_MAX];

	if (variant_parse(text, SPIN_LOCK_ttas, &variant, &fault)) {
		check_refusal(&fault);
		return;
	}
	check_bounds(&variant);
	/* What the tool writes it must read, and as the same. */
	if (variant_parse(variant_format(&variant, written), SPIN_LOCK_tas,
			  &again, &fault) ||
	    memcmp(&variant, &again, sizeof(again)))
		abort();
}

static void read_cpulist(const char *text)
{
	static struct cpulist list, again, none;
	static char written[LIST_TEXT_MAX];
	struct fault fault = { 0 };
	char little[16];

	if (cpulist_parse(text, &list, &fault)) {
		check_refusal(&fault);
		return;
	}
	if (!list.nr || list.nr > CPULIST_MAX)
		abort();
	cpulist_format(&list, little, sizeof(little));
	if (cpulist_parse(cpulist_format(&list, written, sizeof(written)),
			  &again, &fault) ||
	    list.nr != again.nr ||
	    memcmp(list.cpu, again.cpu, list.nr * sizeof(list.cpu[0])))
		abort();
	if (!cpulist_check(&list, &none, &none, &fault))
		abort();
	check_refusal(&fault);
}

int fuzz_typed(const unsigned char *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	read_variant(text);
	read_cpulist(text);
	free(text);
	return 0;
}
