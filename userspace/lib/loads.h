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

/**
 * loads_set_share() - have think follow from a variant's delay share
 * @share: 0..1; 0: as the options say
 * @variant: whose
 *
 * Unless --jitter was said, think then varies by LOADS_JITTER: work that always
 * takes the same time lets CPUs fall into step and wait for nobody, or always, and
 * which of the two is chance.
 */
void loads_set_share(const struct session *session, struct set *set,
		     double share, unsigned int variant);

/* Percent. */
#define LOADS_JITTER SPINDELAY_JITTER_MAX

#endif /* SPINDELAY_LOADS_H */
