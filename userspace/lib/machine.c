// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/bits.h>
#include <linux/compiler.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "lib/machine.h"
#include "lib/midr.h"
#include "lib/tree.h"

/* Bits of AT_HWCAP and AT_HWCAP2 of arm64 (uapi/asm/hwcap.h). */
#define ARM64_HWCAP_ATOMICS BIT(8)
#define ARM64_HWCAP_SB BIT(29)
#define ARM64_HWCAP2_WFXT BIT(31)

#define CPU_DIR "/sys/devices/system/cpu/"
#define NODE_DIR "/sys/devices/system/node/"

/* A node with this many CPUs leaves one to the rest of the machine. */
#define NODE_CPUS_SPARE 4
/* Threads of the smallest contention that there is. */
#define FEW_THREADS 2

static u32 read_counter_hz(void)
{
#ifdef __aarch64__
	u64 hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz;
#else
	return 0;
#endif
}

void machine_source_live(struct machine_source *source)
{
	source->root = "";
#ifdef __aarch64__
	source->hwcap = getauxval(AT_HWCAP);
	source->hwcap2 = getauxval(AT_HWCAP2);
#else
	/* The bits mean something else on another architecture. */
	source->hwcap = 0;
	source->hwcap2 = 0;
#endif
	source->counter_hz = read_counter_hz();
	source->page_size = sysconf(_SC_PAGESIZE);
}

static void __printf(2, 3)
	warn(struct machine *machine, const char *format, ...)
{
	va_list args;

	if (machine->nr_warnings == MACHINE_WARNINGS_MAX)
		return;
	va_start(args, format);
	vsnprintf(machine->warnings[machine->nr_warnings++],
		  MACHINE_WARNING_TEXT_MAX, format, args);
	va_end(args);
}

static void set_text(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text);
}

static void read_list(const char *root, const char *path, struct cpulist *list)
{
	static const struct cpulist one = { .nr = 1 };
	char text[TREE_TEXT_MAX];
	struct fault ignored;

	list->nr = 0;
	if (tree_read(root, path, text, sizeof(text)) ||
	    cpulist_parse(text, list, &ignored))
		*list = one;
}

static void read_nodes(const char *root, struct machine *machine)
{
	struct cpulist *ids = calloc(2, sizeof(*ids));
	struct cpulist *cpus;
	struct machine_node *node;
	char path[96];

	if (!ids)
		return;
	cpus = ids + 1;
	read_list(root, NODE_DIR "has_cpu", ids);
	for (unsigned int i = 0; i < ids->nr; i++) {
		if (machine->nr_nodes == MACHINE_NODES_MAX)
			break;
		snprintf(path, sizeof(path), NODE_DIR "node%u/cpulist",
			 ids->cpu[i]);
		if (!tree_exists(root, path))
			continue;
		read_list(root, path, cpus);
		node = &machine->nodes[machine->nr_nodes++];
		node->id = ids->cpu[i];
		for (unsigned int k = 0; k < cpus->nr; k++)
			if (cpulist_has(&machine->online, cpus->cpu[k]))
				cpulist_add(&node->cpus, cpus->cpu[k]);
	}
	if (!machine->nr_nodes)
		machine->nodes[machine->nr_nodes++].cpus = machine->online;
	free(ids);
}

/* The x86 of a build machine, say, has a name but no MIDR. */
static void read_other_cpu_name(const char *root, struct machine *machine)
{
	char text[TREE_TEXT_MAX];
	char *name = NULL;
	int got;

	got = tree_read_bytes(root, "/proc/cpuinfo", text, sizeof(text) - 1);
	if (got > 0) {
		text[got] = '\0';
		name = strstr(text, "model name");
	}
	name = name ? strchr(name, ':') : NULL;
	if (!name)
		name = ": unknown CPU\n";
	snprintf(machine->cpu, sizeof(machine->cpu), "%.*s",
		 (int)strcspn(name + 2, "\n"), name + 2);
}

static u32 read_midr(const char *root, u32 cpu)
{
	char path[96];

	snprintf(path, sizeof(path),
		 CPU_DIR "cpu%u/regs/identification/midr_el1", cpu);
	return tree_number(root, path, 0);
}

static void read_cpu(const char *root, struct machine *machine)
{
	char name[96];
	u32 midr;

	machine->midr = read_midr(root, machine->online.cpu[0]);
	if (!machine->midr) {
		read_other_cpu_name(root, machine);
		return;
	}
	midr_name(machine->midr, machine->cpu, sizeof(machine->cpu));
	for (unsigned int i = 1; i < machine->online.nr; i++) {
		midr = read_midr(root, machine->online.cpu[i]);
		if (!midr || midr == machine->midr)
			continue;
		warn(machine,
		     "CPU %u is another core (%s): choose CPUs of one kind",
		     machine->online.cpu[i],
		     midr_name(midr, name, sizeof(name)));
		return;
	}
}

static void read_governor(const char *root, struct machine *machine)
{
	char path[96], text[32];

	set_text(machine->governor, sizeof(machine->governor), "none");
	for (unsigned int i = 0; i < machine->online.nr; i++) {
		snprintf(path, sizeof(path),
			 CPU_DIR "cpu%u/cpufreq/scaling_governor",
			 machine->online.cpu[i]);
		if (tree_read(root, path, text, sizeof(text)))
			continue;
		if (!strcmp(machine->governor, "none"))
			set_text(machine->governor, sizeof(machine->governor),
				 text);
		else if (strcmp(machine->governor, text))
			set_text(machine->governor, sizeof(machine->governor),
				 "mixed");
	}
	if (strcmp(machine->governor, "none") &&
	    strcmp(machine->governor, "performance"))
		warn(machine,
		     "governor %s: the frequency may change; set performance",
		     machine->governor);
}

static void read_taint(const char *root, struct machine *machine)
{
	static const char letters[] = "PFSRMBUDAWCIOELKXTNJ";
	u64 taint = tree_number(root, "/proc/sys/kernel/tainted", 0);
	unsigned int used = 0;

	for (unsigned int bit = 0; letters[bit]; bit++)
		if (taint >> bit & 1)
			machine->taint[used++] = letters[bit];
	machine->taint[used] = '\0';
	if (strpbrk(machine->taint, "DWLMB"))
		warn(machine, "the kernel has been in trouble (taint %s)",
		     machine->taint);
}

static void read_isolation(const char *root, struct machine *machine)
{
	tree_read(root, CPU_DIR "isolated", machine->isolated,
		  sizeof(machine->isolated));
	tree_read(root, CPU_DIR "nohz_full", machine->nohz_full,
		  sizeof(machine->nohz_full));
	/* What some kernels write for an empty mask. */
	if (!strcmp(machine->nohz_full, "(null)"))
		machine->nohz_full[0] = '\0';
	if (!machine->isolated[0])
		warn(machine,
		     "no CPU is isolated: other tasks may run in between");
}

static void read_smt(const char *root, struct machine *machine)
{
	if (tree_number(root, CPU_DIR "smt/active", 0))
		warn(machine,
		     "SMT is on: two of the CPUs may be threads of one core");
}

static void read_load(const char *root, struct machine *machine)
{
	char text[64];
	double load;

	tree_read(root, "/proc/loadavg", text, sizeof(text));
	load = strtod(text, NULL);
	if (load > 1 && load > 0.1 * machine->online.nr)
		warn(machine, "load average %.2f: something else is running",
		     load);
}

static void read_kernel(const char *root, struct machine *machine)
{
	if (tree_read(root, "/proc/sys/kernel/osrelease", machine->kernel,
		      sizeof(machine->kernel)))
		set_text(machine->kernel, sizeof(machine->kernel), "unknown");
}

static void read_hypervisor(const char *root, struct machine *machine)
{
	struct hypervisor *found = &machine->hypervisor;

	hypervisor_detect(root, machine->midr, machine->counter_hz, found);
	if (found->emulated)
		warn(machine, "this CPU is emulated (%s)", found->source);
	else if (strcmp(found->name, "none"))
		warn(machine,
		     "%s guest: other guests and trapped WFE disturb timings",
		     found->name);
}

void machine_read(const struct machine_source *source, struct machine *machine)
{
	const char *root = source->root;

	memset(machine, 0, sizeof(*machine));
	machine->page_size = source->page_size;
	machine->counter_hz = source->counter_hz;
	machine->has_sb = source->hwcap & ARM64_HWCAP_SB;
	machine->has_wfxt = source->hwcap2 & ARM64_HWCAP2_WFXT;
	machine->has_lse = source->hwcap & ARM64_HWCAP_ATOMICS;
	read_list(root, CPU_DIR "present", &machine->present);
	read_list(root, CPU_DIR "online", &machine->online);
	read_list(root, NODE_DIR "has_memory", &machine->memory_nodes);
	read_nodes(root, machine);
	read_kernel(root, machine);
	read_cpu(root, machine);
	read_hypervisor(root, machine);
	read_governor(root, machine);
	read_isolation(root, machine);
	read_smt(root, machine);
	read_taint(root, machine);
	read_load(root, machine);
}

unsigned int machine_default_cpus(const struct machine *machine,
				  struct cpulist *list)
{
	unsigned int spare, usable;

	list->nr = 0;
	for (unsigned int n = 0; n < machine->nr_nodes; n++) {
		const struct cpulist *cpus = &machine->nodes[n].cpus;

		spare = cpus->nr >= NODE_CPUS_SPARE;
		for (unsigned int i = spare; i < cpus->nr; i++)
			cpulist_add(list, cpus->cpu[i]);
	}
	usable = list->nr;
	for (unsigned int n = 0; n < machine->nr_nodes; n++)
		if (machine->nodes[n].cpus.nr)
			cpulist_add(list, machine->nodes[n].cpus.cpu[0]);
	return usable;
}

/* Those of the first @usable CPUs that are of the first node. */
static unsigned int first_node_cpus(const struct machine *machine,
				    const struct cpulist *list,
				    unsigned int usable)
{
	const struct cpulist *node = &machine->nodes[0].cpus;
	unsigned int n = 0;

	for (unsigned int i = 0; i < usable; i++)
		n += cpulist_has(node, list->cpu[i]);
	return n;
}

unsigned int machine_default_threads(const struct machine *machine,
				     const struct cpulist *list,
				     unsigned int usable,
				     u32 threads[MACHINE_THREADS_MAX])
{
	const u32 wanted[MACHINE_THREADS_MAX] = {
		FEW_THREADS,
		machine->nodes[0].cpus.nr / 2,
		first_node_cpus(machine, list, usable),
	};
	unsigned int nr = 0;

	for (unsigned int i = 0; i < MACHINE_THREADS_MAX; i++) {
		if (wanted[i] > usable ||
		    wanted[i] <= (nr ? threads[nr - 1] : 0))
			continue;
		if (nr && machine->hypervisor.emulated)
			break;
		threads[nr++] = wanted[i];
	}
	if (!nr)
		threads[nr++] = usable;
	return nr;
}
