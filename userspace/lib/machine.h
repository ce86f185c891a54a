/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What machine this is, and what on it spoils a measurement. */
#ifndef SPINDELAY_MACHINE_H
#define SPINDELAY_MACHINE_H

#include <linux/types.h>

#include "lib/cpulist.h"
#include "lib/hypervisor.h"

#define MACHINE_NODES_MAX 64
#define MACHINE_WARNINGS_MAX 16
#define MACHINE_WARNING_TEXT_MAX 160

/**
 * struct machine_source - where the facts come from
 * @root: prefix of all files read, "" for the running system
 * @hwcap: AT_HWCAP
 * @hwcap2: AT_HWCAP2
 * @counter_hz: CNTFRQ_EL0, 0 where there is none
 * @page_size: bytes
 */
struct machine_source {
	const char *root;
	unsigned long hwcap;
	unsigned long hwcap2;
	u32 counter_hz;
	u32 page_size;
};

/**
 * struct machine_node - a NUMA node
 * @id: its number
 * @cpus: its CPUs that are on line
 */
struct machine_node {
	u32 id;
	struct cpulist cpus;
};

/**
 * struct machine - the machine, as far as it can be known without privilege
 * @cpu: name of the core
 * @midr: MIDR_EL1 of the first CPU, 0 if not known
 * @kernel: release
 * @governor: of cpufreq; "none", or "mixed"
 * @taint: letters of the kernel's taint, "" if there is none
 * @isolated: CPUs taken from the scheduler, as the kernel writes them
 * @nohz_full: CPUs without a periodic tick, as the kernel writes them
 * @page_size: bytes
 * @counter_hz: ticks a second of CNTVCT_EL0
 * @has_sb: FEAT_SB as user space sees it
 * @has_wfxt: FEAT_WFxT as user space sees it
 * @has_lse: atomic instructions as user space sees them
 * @hypervisor: what is between this system and the hardware
 * @present: CPUs of the machine
 * @online: CPUs on line
 * @memory_nodes: NUMA nodes that have memory, the same kind of list
 * @nr_nodes: entries of @nodes, at least 1
 * @nodes: NUMA nodes; one with all CPUs where the kernel knows none
 * @nr_warnings: entries of @warnings
 * @warnings: what spoils a measurement, one sentence each
 */
struct machine {
	char cpu[96];
	u32 midr;
	char kernel[96];
	char governor[32];
	char taint[32];
	char isolated[128];
	char nohz_full[128];
	u32 page_size;
	u32 counter_hz;
	bool has_sb;
	bool has_wfxt;
	bool has_lse;
	struct hypervisor hypervisor;
	struct cpulist present;
	struct cpulist online;
	struct cpulist memory_nodes;
	unsigned int nr_nodes;
	struct machine_node nodes[MACHINE_NODES_MAX];
	unsigned int nr_warnings;
	char warnings[MACHINE_WARNINGS_MAX][MACHINE_WARNING_TEXT_MAX];
};

/* The running system. */
void machine_source_live(struct machine_source *source);

/**
 * machine_read() - find out about the machine
 *
 * What cannot be read is left unknown (zero or empty); nothing fails.
 */
void machine_read(const struct machine_source *source, struct machine *machine);

/**
 * machine_default_cpus() - CPUs to measure on unless told
 *
 * Node by node; of each node with four CPUs or more, the first is left to the
 * rest of the machine. Those left out come last, so that asking for as many
 * threads as there are CPUs works.
 *
 * Return: how many of @list are not left out.
 */
unsigned int machine_default_cpus(const struct machine *machine,
				  struct cpulist *list);

/* Thread counts that machine_default_threads() has at most. */
#define MACHINE_THREADS_MAX 3

/**
 * machine_default_threads() - how many threads to compare with unless told
 * @list: from machine_default_cpus()
 * @usable: what it returned
 * @threads: filled in, growing
 *
 * Two, half a node, and a node less the spare CPU: those that are different
 * and that there are. An emulated machine has no nodes worth filling: two.
 *
 * Return: entries of @threads, at least one.
 */
unsigned int machine_default_threads(const struct machine *machine,
				     const struct cpulist *list,
				     unsigned int usable,
				     u32 threads[MACHINE_THREADS_MAX]);

#endif /* SPINDELAY_MACHINE_H */
