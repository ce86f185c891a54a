/* SPDX-License-Identifier: GPL-2.0-or-later */
/* On how many CPUs, and under which loads, variants are compared. */
#ifndef SPINDELAY_LOADS_H
#define SPINDELAY_LOADS_H

#include "lib/session.h"

/**
 * loads_add_sets() - a set for each number of CPUs and each load
 *
 * The CPUs are those of --threads or --cpus; without them two, half a node and a
 * node less the spare CPU. The loads are that of --think or --share; without them
 * a delay share of the baseline, which is the last variant, of 5 % and of 20 %, and
 * saturated. A single CPU, which waits for nobody, and a lock without polls of ours
 * or for two CPUs have one load.
 *
 * Return: 0, or -1 and a fault.
 */
int loads_add_sets(struct session *session, struct fault *fault);

#endif /* SPINDELAY_LOADS_H */
