/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_CPULIST_H
#define SPINDELAY_CPULIST_H

#include <linux/types.h>

#include "lib/fault.h"

/* As many CPUs as any arm64 kernel of today is built for. */
#define CPULIST_MAX 4096

/**
 * struct cpulist - CPUs in the order in which they were named
 * @nr: entries of @cpu
 * @cpu: distinct CPU numbers, each below CPULIST_MAX
 */
struct cpulist {
	unsigned int nr;
	u32 cpu[CPULIST_MAX];
};

/**
 * cpulist_parse() - read "0-3,7"
 *
 * Strict: no blanks, no empty parts, no CPU twice, ranges go upwards.
 *
 * Return: 0, or -1 with a usage fault that names the offending part.
 */
int cpulist_parse(const char *text, struct cpulist *list, struct fault *fault);

bool cpulist_has(const struct cpulist *list, u32 cpu);

/* Add @cpu if there is room and it is not there. */
void cpulist_add(struct cpulist *list, u32 cpu);

/**
 * cpulist_check() - is each CPU of a list there and on line?
 * @present: the CPUs that the machine has
 * @online: those that are on line
 *
 * Return: 0, or -1 with a usage fault that names the CPU.
 */
int cpulist_check(const struct cpulist *list, const struct cpulist *present,
		  const struct cpulist *online, struct fault *fault);

/* As text, in ranges where the order allows it; returns @text. */
char *cpulist_format(const struct cpulist *list, char *text, size_t size);

#endif /* SPINDELAY_CPULIST_H */
