// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>

#include "lib/loads.h"
#include "lib/names.h"

/* Delay shares of the baseline; 0: no think, saturated. */
static const double default_shares[] = { 0.05, 0.2, 0 };

void loads_set_share(const struct session *session, struct set *set,
		     double share, unsigned int variant)
{
	set->share = share;
	set->share_variant = variant;
	if (!share || session->options.jitter_said)
		return;
	for (unsigned int i = 0; i < set->nr_variants; i++)
		set->variants[i].jitter = LOADS_JITTER;
}

static int add_load(struct session *session, const struct cpulist *list,
		    unsigned int threads, double share, struct fault *fault)
{
	struct set *set =
		document_add_set(session->doc, session->variants,
				 session->nr_variants, list->cpu, threads);

	if (!set)
		return fault_set(fault, STATUS_ERROR, "out of memory");
	loads_set_share(session, set, share, set_baseline(set));
	return 0;
}

/* One load if it was said which, or if there is nobody to wait for. */
static bool one_load(const struct session *session, unsigned int threads)
{
	const struct options *o = &session->options;
	const u32 lock = session->variants[session->nr_variants - 1].lock;

	return o->think_said || o->share || threads < 2 ||
	       !lock_has(lock, SPIN_POLLS) || lock_has(lock, SPIN_PAIR);
}

static int add_set(struct session *session, const struct cpulist *list,
		   unsigned int threads, struct fault *fault)
{
	if (threads > SPINDELAY_CPUS_MAX)
		return fault_set(fault, STATUS_USAGE,
				 "%u CPUs are out of range, 1 to %u", threads,
				 SPINDELAY_CPUS_MAX);
	if (session_check_pair(session, threads, fault))
		return -1;
	if (one_load(session, threads))
		return add_load(session, list, threads,
				session->options.share / 100, fault);
	for (size_t i = 0; i < ARRAY_SIZE(default_shares); i++)
		if (add_load(session, list, threads, default_shares[i], fault))
			return -1;
	return 0;
}

static int add_default_sets(struct session *session, const struct cpulist *list,
			    unsigned int usable, struct fault *fault)
{
	u32 threads[MACHINE_THREADS_MAX];
	unsigned int nr = machine_default_threads(&session->doc->machine, list,
						  usable, threads);

	for (unsigned int i = 0; i < nr; i++)
		if (add_set(session, list, threads[i], fault))
			return -1;
	return 0;
}

int loads_add_sets(struct session *session, struct fault *fault)
{
	const struct options *o = &session->options;
	struct cpulist list;
	unsigned int usable;

	if (session_cpus(session, &list, &usable, fault))
		return -1;
	if (o->threads)
		return add_set(session, &list, o->threads, fault);
	if (o->cpus.nr)
		return add_set(session, &list, list.nr, fault);
	if (session_has_pair(session))
		return add_set(session, &list, usable < 2 ? usable : 2, fault);
	return add_default_sets(session, &list, usable, fault);
}
