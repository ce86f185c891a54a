// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cpulist.h"

bool cpulist_has(const struct cpulist *list, u32 cpu)
{
	for (unsigned int i = 0; i < list->nr; i++)
		if (list->cpu[i] == cpu)
			return true;
	return false;
}

void cpulist_add(struct cpulist *list, u32 cpu)
{
	if (list->nr < CPULIST_MAX && !cpulist_has(list, cpu))
		list->cpu[list->nr++] = cpu;
}

static int bad_part(const char *text, const char *part, struct fault *fault)
{
	return fault_set(
		fault, STATUS_USAGE,
		"CPU list '%.64s': '%.32s' is not a CPU or a range of CPUs like 0-3,7",
		text, part);
}

/* A CPU number at *@at; moves *@at behind it. */
static int parse_cpu(const char **at, u32 *cpu)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)**at))
		return -1;
	value = strtoul(*at, &end, 10);
	*at = end;
	*cpu = value < CPULIST_MAX ? value : CPULIST_MAX;
	return 0;
}

static int add_range(const char *text, u32 first, u32 last,
		     struct cpulist *list, struct fault *fault)
{
	if (last >= CPULIST_MAX)
		return fault_set(
			fault, STATUS_USAGE,
			"CPU list '%.64s': a CPU is out of range, 0 to %u",
			text, CPULIST_MAX - 1);
	for (u32 cpu = first; cpu <= last; cpu++) {
		if (cpulist_has(list, cpu))
			return fault_set(
				fault, STATUS_USAGE,
				"CPU list '%.64s': CPU %u is there twice", text,
				cpu);
		list->cpu[list->nr++] = cpu;
	}
	return 0;
}

int cpulist_parse(const char *text, struct cpulist *list, struct fault *fault)
{
	const char *at = text, *part = text;
	u32 first, last;

	list->nr = 0;
	if (!*text)
		return fault_set(fault, STATUS_USAGE, "the CPU list is empty");
	for (;;) {
		part = at;
		if (parse_cpu(&at, &first))
			return bad_part(text, part, fault);
		last = first;
		if (*at == '-' && (at++, parse_cpu(&at, &last)))
			return bad_part(text, part, fault);
		if (last < first || (*at && *at != ','))
			return bad_part(text, part, fault);
		if (add_range(text, first, last, list, fault))
			return -1;
		if (!*at++)
			return 0;
	}
}

int cpulist_check(const struct cpulist *list, const struct cpulist *present,
		  const struct cpulist *online, struct fault *fault)
{
	char have[128];

	for (unsigned int i = 0; i < list->nr; i++) {
		if (!cpulist_has(present, list->cpu[i]))
			return fault_set(
				fault, STATUS_USAGE,
				"CPU %u is absent; this machine has %s",
				list->cpu[i],
				cpulist_format(present, have, sizeof(have)));
		if (!cpulist_has(online, list->cpu[i]))
			return fault_set(fault, STATUS_USAGE,
					 "CPU %u is offline; online are %s",
					 list->cpu[i],
					 cpulist_format(online, have,
							sizeof(have)));
	}
	return 0;
}

char *cpulist_format(const struct cpulist *list, char *text, size_t size)
{
	size_t used = 0;
	unsigned int i, run;

	text[0] = '\0';
	for (i = 0; i < list->nr && used < size; i += run) {
		for (run = 1; i + run < list->nr; run++)
			if (list->cpu[i + run] != list->cpu[i] + run)
				break;
		used += snprintf(text + used, size - used, "%s%u", i ? "," : "",
				 list->cpu[i]);
		if (run > 1 && used < size)
			used += snprintf(text + used, size - used, "-%u",
					 list->cpu[i + run - 1]);
	}
	return text;
}
