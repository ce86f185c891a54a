/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the CPUs come first. */
#ifndef SPINDELAY_ORDER_H
#define SPINDELAY_ORDER_H

#include <linux/types.h>

#include "lib/machine.h"

/**
 * enum order - the order of a set's CPUs
 * @ORDER_RANDOM: taken as listed, started in a new random order in each
 *	placement
 * @ORDER_LISTED: as listed, in each placement
 * @ORDER_NODE: node after node, in each placement
 * @ORDER_SPREAD: one of each node in turn, in each placement
 */
enum order {
	ORDER_RANDOM,
	ORDER_LISTED,
	ORDER_NODE,
	ORDER_SPREAD,
	ORDERS
};

/* How it is written. */
const char *order_word(enum order order);

/* The order called @word; ORDERS if there is none. */
enum order order_by_word(const char *word);

/**
 * order_cpus() - put CPUs in order
 * @cpus: @nr of them, distinct; those of one node keep their order
 *
 * A CPU that is on no node comes last.
 */
void order_cpus(enum order order, const struct machine *machine, u32 *cpus,
		unsigned int nr);

#endif /* SPINDELAY_ORDER_H */
