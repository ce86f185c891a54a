// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make instructions of the module, or of a program, cost chosen times, in a guest
 * whose emulator runs with the plugin of tests/rig/plugin; on any other machine it
 * does nothing.
 *
 *	plant [text=START-END] [DELAY=NS[,DETAIL=PCT...]...] [over=MS]
 *	plant report LABEL
 *	plant stop MS
 *
 * What was planted before is forgotten, and so are its accounts. See plant.h for
 * what each DETAIL does: jitter, drift, step, place, times (a number). The text is the module's,
 * which is loaded, or that of a program between two hexadecimal addresses. It has
 * run nothing before the first call: only what is translated later can be made to
 * cost anything.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plant.h"

#define PLANT_NAME(name, opcode) name,
static const char *const delays[] = { PLANT_DELAYS(PLANT_NAME) };

static void give(const struct plant_order *order)
{
	register const struct plant_order *x0 asm("x0") = order;

	/* Read first, so that it is in memory that the plugin can see. */
	asm volatile("ldr wzr, [%0]\n\t.inst %1"
		     :
		     : "r"(x0), "i"(PLANT_MAGIC)
		     : "memory");
}

static int usage(const char *what)
{
	fprintf(stderr, "plant: '%s' is not DELAY=NS[,jitter=PCT]...\n", what);
	return 2;
}

static int find_module(struct plant_order *order)
{
	unsigned long long start;
	unsigned long size;
	char line[256];
	FILE *modules = fopen("/proc/modules", "r");

	while (modules && fgets(line, sizeof(line), modules)) {
		if (sscanf(line, "spindelay %lu %*d %*s %*s %llx", &size,
			   &start) != 2)
			continue;
		order->start = start;
		order->end = start + size;
	}
	if (modules)
		fclose(modules);
	if (order->start)
		return 0;
	fprintf(stderr,
		"plant: the module's address is not known; is it loaded, and are you root?\n");
	return 1;
}

static bool is_text(const char *word, struct plant_order *order)
{
	return sscanf(word, "text=%" SCNx64 "-%" SCNx64, &order->start,
		      &order->end) == 2;
}

static int delay_by_name(const char *name)
{
	for (int i = 0; i < PLANT_NR_DELAYS; i++)
		if (!strcmp(delays[i], name))
			return i;
	return -1;
}

static int32_t ppm(const char *percent)
{
	return percent ? strtod(percent, NULL) * 10000 : 0;
}

static int set_detail(struct plant_order *order, char *text)
{
	char *const names[] = { "jitter", "drift", "step",
				"place",  "times", NULL };
	int32_t *const fields[] = { &order->jitter_ppm, &order->drift_ppm,
				    &order->step_ppm, &order->place_ppm };
	char *value;
	int n;

	while (*text) {
		n = getsubopt(&text, names, &value);
		if (n < 0)
			return -1;
		if (n < (int)(sizeof(fields) / sizeof(fields[0])))
			*fields[n] = ppm(value);
		else
			order->times = value ? strtoul(value, NULL, 10) : 0;
	}
	return 0;
}

static int plant(char *text, uint32_t over_ms)
{
	struct plant_order order = { .verb = PLANT_COST, .over_ms = over_ms };
	char *cost = strchr(text, '='), *rest;
	int delay;

	if (!cost)
		return usage(text);
	*cost++ = '\0';
	delay = delay_by_name(text);
	if (delay < 0)
		return usage(text);
	order.delay = delay;
	order.cost_ns = strtoul(cost, &rest, 10);
	if (*rest == ',')
		rest++;
	if (set_detail(&order, rest))
		return usage(text);
	give(&order);
	return 0;
}

static int report(const char *label)
{
	struct plant_order order = { .verb = PLANT_REPORT };

	snprintf(order.label, sizeof(order.label), "%s", label);
	give(&order);
	return 0;
}

static int stop(const char *ms)
{
	struct plant_order order = { .verb = PLANT_STOP };

	order.over_ms = strtoul(ms, NULL, 10);
	give(&order);
	return 0;
}

int main(int argc, char **argv)
{
	struct plant_order clear = { .verb = PLANT_CLEAR };
	uint32_t over_ms = 0;
	int err = 0, first = 1;

	if (argc == 3 && !strcmp(argv[1], "report"))
		return report(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "stop"))
		return stop(argv[2]);
	if (argc > 1 && is_text(argv[1], &clear))
		first = 2;
	else if (find_module(&clear))
		return 1;
	give(&clear);
	if (argc > 1 && sscanf(argv[argc - 1], "over=%u", &over_ms) == 1)
		argc--;
	for (int i = first; i < argc && !err; i++)
		err = plant(argv[i], over_ms);
	return err;
}
