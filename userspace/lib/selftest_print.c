// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>
#include <string.h>

#include "lib/selftest.h"
#include "lib/table.h"

static const struct check *first_check(const struct document *doc,
				       enum check_outcome outcome)
{
	for (unsigned int i = 0; i < doc->nr_checks; i++)
		if (doc->checks[i].outcome == outcome)
			return &doc->checks[i];
	return NULL;
}

static void print_conclusion(const struct document *doc, FILE *stream)
{
	const struct check *broken = first_check(doc, CHECK_BROKEN);
	const struct check *noisy = first_check(doc, CHECK_NOISY);
	char text[2 * REASON_TEXT_MAX];

	if (broken)
		snprintf(
			text, sizeof(text),
			"Something is broken, so trust no comparison on this machine: %s (%s).",
			broken->name, broken->detail);
	else if (noisy)
		snprintf(
			text, sizeof(text),
			"This machine is too noisy to be trusted with a comparison: %s (%s).",
			noisy->name, noisy->detail);
	else if (doc->machine.hypervisor.emulated)
		snprintf(
			text, sizeof(text),
			"Everything works, but this CPU is emulated: its timings prove nothing about hardware.");
	else
		snprintf(text, sizeof(text),
			 "This machine can be trusted with a comparison%s.",
			 first_check(doc, CHECK_SKIPPED) ?
				 " on one CPU; contention was not tested" :
				 "");
	print_wrapped(stream, text);
}

/* A detail behind its check, in lines that begin where its first one does. */
static void print_detail(const struct check *check, FILE *stream)
{
	static const char *const outcomes[] = {
		[CHECK_PASSED] = "ok",
		[CHECK_SKIPPED] = "skipped",
		[CHECK_NOISY] = "not ok",
		[CHECK_BROKEN] = "not ok",
	};
	const char *text = check->detail;
	size_t used, word;

	used = fprintf(stream, "%-7s  %-9s  ", outcomes[check->outcome],
		       check->name);
	for (const size_t indent = used; *text; text += word) {
		word = strspn(text, " ") +
		       strcspn(text + strspn(text, " "), " ");
		if (used > indent && used + word > TABLE_WIDTH) {
			text += strspn(text, " ");
			word = strcspn(text, " ");
			used = fprintf(stream, "\n%*s", (int)indent, "") - 1;
		}
		used += fprintf(stream, "%.*s", (int)word, text);
	}
	fputc('\n', stream);
}

/* What made windows invalid, and what helps. */
static const struct {
	u32 invalid;
	const char *advice;
} advices[] = {
	{ SPINDELAY_INVALID_SWITCHED | SPINDELAY_INVALID_MOVED,
	  "something else ran on these CPUs: stop it, or isolate them "
	  "(isolcpus=, nohz_full=) and name them with --cpus" },
	{ SPINDELAY_INVALID_LATE,
	  "time was stolen, by a hypervisor, firmware or interrupts: take "
	  "a machine, or virtual CPUs, of your own" },
	{ SPINDELAY_INVALID_START,
	  "the CPUs did not come together: too many virtual CPUs for "
	  "their cores; take fewer with --cpus" },
	{ SPINDELAY_INVALID_OFFLINE, "CPUs went or came: leave them on line" },
};

static size_t count_invalid(const struct document *doc, u32 invalid)
{
	size_t n = 0;

	for (unsigned int s = 0; s < doc->nr_sets; s++)
		for (size_t i = 0; i < doc->sets[s].nr_windows; i++)
			n += !!(doc->sets[s].windows[i].abi.invalid & invalid);
	return n;
}

static void print_advice(const struct document *doc, FILE *stream)
{
	char text[2 * REASON_TEXT_MAX];
	size_t windows;

	for (size_t i = 0; i < ARRAY_SIZE(advices); i++) {
		windows = count_invalid(doc, advices[i].invalid);
		if (!windows)
			continue;
		snprintf(text, sizeof(text), "In %zu window%s %s.", windows,
			 windows == 1 ? "" : "s", advices[i].advice);
		print_wrapped(stream, text);
	}
}

void selftest_print(const struct document *doc, FILE *stream)
{
	print_conclusion(doc, stream);
	fputc('\n', stream);
	for (unsigned int i = 0; i < doc->nr_checks; i++)
		print_detail(&doc->checks[i], stream);
	fputc('\n', stream);
	print_advice(doc, stream);
}
