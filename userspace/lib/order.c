// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"

static const char *const words[ORDERS] = {
	[ORDER_RANDOM] = "random",
	[ORDER_LISTED] = "listed",
	[ORDER_NODE] = "node",
	[ORDER_SPREAD] = "spread",
};

const char *order_word(enum order order)
{
	return words[order];
}

enum order order_by_word(const char *word)
{
	for (unsigned int i = 0; i < ORDERS; i++)
		if (!strcmp(words[i], word))
			return i;
	return ORDERS;
}

/* A CPU and where it belongs. */
struct place {
	u32 cpu;
	u32 node;
	u32 in_node;
	u32 listed;
};

static u32 node_index(const struct machine *machine, u32 cpu)
{
	for (u32 n = 0; n < machine->nr_nodes; n++)
		if (cpulist_has(&machine->nodes[n].cpus, cpu))
			return n;
	return MACHINE_NODES_MAX;
}

static int compare(u32 a, u32 b)
{
	return (a > b) - (a < b);
}

static int by_node(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return compare(a->node, b->node) ?: compare(a->listed, b->listed);
}

/* What is on no node has no turn. */
static int by_turn(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return compare(a->node == MACHINE_NODES_MAX, b->node == MACHINE_NODES_MAX) ?:
		       compare(a->in_node, b->in_node) ?:
		       compare(a->node, b->node);
}

void order_cpus(enum order order, const struct machine *machine, u32 *cpus,
		unsigned int nr)
{
	u32 seen[MACHINE_NODES_MAX + 1] = { 0 };
	struct place places[CPULIST_MAX];

	if (order != ORDER_NODE && order != ORDER_SPREAD)
		return;
	for (u32 i = 0; i < nr; i++) {
		u32 node = node_index(machine, cpus[i]);

		places[i] = (struct place){ cpus[i], node, seen[node]++, i };
	}
	qsort(places, nr, sizeof(*places),
	      order == ORDER_NODE ? by_node : by_turn);
	for (u32 i = 0; i < nr; i++)
		cpus[i] = places[i].cpu;
}
