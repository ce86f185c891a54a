// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "lib/machine.h"
#include "lib/midr.h"
#include "scratch.h"

#define CPU "/sys/devices/system/cpu/"
#define DMI "/sys/class/dmi/id/"
#define MIDR "/regs/identification/midr_el1"

static struct machine *machine;
static struct machine_source source;

static int setup(void **state)
{
	(void)state;
	machine = calloc(1, sizeof(*machine));
	source = (struct machine_source){ .root = scratch_make(),
					  .counter_hz = 1000000000,
					  .page_size = 4096 };
	scratch_write(CPU "present", "0-3\n");
	scratch_write(CPU "online", "0-3\n");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(machine);
	scratch_remove();
	return 0;
}

static bool warned(const char *word)
{
	for (unsigned int i = 0; i < machine->nr_warnings; i++)
		if (strstr(machine->warnings[i], word))
			return true;
	return false;
}

static void midrs_become_names(void **state)
{
	static const struct {
		u32 midr;
		const char *name;
	} cases[] = {
		{ 0x413fd0c1, "Neoverse N1 r3p1" },
		{ 0x411fd401, "Neoverse V1 r1p1" },
		{ 0x410fd493, "Neoverse N2 r0p3" },
		{ 0x410fd4f1, "Neoverse V2 r0p1" },
		{ 0x410fd083, "Cortex-A72 r0p3" },
		{ 0xc00fac30, "Ampere-1 r0p0" },
		{ 0x611f0331, "Apple M2 Avalanche r1p1" },
		{ 0x000f0510, "QEMU max r0p0" },
		{ 0x77012340, "unknown core (implementer 0x77, part 0x234)" },
	};
	char text[96];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(midr_name(cases[i].midr, text,
					      sizeof(text)),
				    cases[i].name);
}

static void an_empty_root_is_no_error(void **state)
{
	(void)state;
	scratch_remove();
	scratch_make();
	machine_read(&source, machine);
	assert_int_equal(machine->online.nr, 1);
	assert_int_equal(machine->nr_nodes, 1);
	assert_int_equal(machine->midr, 0);
	assert_string_equal(machine->cpu, "unknown CPU");
	assert_string_equal(machine->kernel, "unknown");
	assert_string_equal(machine->governor, "none");
	assert_string_equal(machine->hypervisor.name, "none");
}

static void a_quiet_server_has_no_warnings(void **state)
{
	(void)state;
	for (int cpu = 0; cpu < 4; cpu++) {
		char path[96];

		snprintf(path, sizeof(path), CPU "cpu%d" MIDR, cpu);
		scratch_write(path, "0x00000000410fd4f1\n");
		snprintf(path, sizeof(path),
			 CPU "cpu%d/cpufreq/scaling_governor", cpu);
		scratch_write(path, "performance\n");
	}
	scratch_write(CPU "isolated", "2-3\n");
	scratch_write(CPU "nohz_full", "2-3\n");
	scratch_write("/proc/sys/kernel/osrelease", "6.12.1\n");
	scratch_write("/proc/sys/kernel/tainted", "12288\n");
	scratch_write("/proc/loadavg", "0.10 0.20 0.30 1/100 4242\n");
	machine_read(&source, machine);
	assert_int_equal(machine->nr_warnings, 0);
	assert_string_equal(machine->cpu, "Neoverse V2 r0p1");
	assert_string_equal(machine->kernel, "6.12.1");
	assert_string_equal(machine->governor, "performance");
	assert_string_equal(machine->taint, "OE");
	assert_string_equal(machine->isolated, "2-3");
	assert_string_equal(machine->hypervisor.name, "none");
	assert_false(machine->hypervisor.emulated);
}

static void whatever_spoils_a_measurement_is_said(void **state)
{
	(void)state;
	scratch_write(CPU "cpu0" MIDR, "0x00000000410fd034\n");
	scratch_write(CPU "cpu2" MIDR, "0x00000000410fd083\n");
	scratch_write(CPU "cpu0/cpufreq/scaling_governor", "schedutil\n");
	scratch_write(CPU "cpu1/cpufreq/scaling_governor", "performance\n");
	scratch_write(CPU "isolated", "\n");
	scratch_write(CPU "nohz_full", "(null)\n");
	scratch_write(CPU "smt/active", "1\n");
	scratch_write("/proc/sys/kernel/tainted", "512\n");
	scratch_write("/proc/loadavg", "3.50 0 0 1/1 1\n");
	machine_read(&source, machine);
	assert_true(warned("CPU 2 is another core (Cortex-A72 r0p3)"));
	assert_true(warned("governor mixed"));
	assert_true(warned("no CPU is isolated"));
	assert_true(warned("SMT"));
	assert_true(warned("taint W"));
	assert_true(warned("load average 3.50"));
	assert_string_equal(machine->nohz_full, "");
}

static void capabilities_come_from_the_hwcaps(void **state)
{
	(void)state;
	machine_read(&source, machine);
	assert_false(machine->has_sb || machine->has_wfxt || machine->has_lse);
	source.hwcap = 1UL << 29 | 1UL << 8;
	machine_read(&source, machine);
	assert_true(machine->has_sb && machine->has_lse && !machine->has_wfxt);
	source.hwcap = 0;
	source.hwcap2 = 1UL << 31;
	machine_read(&source, machine);
	assert_true(machine->has_wfxt && !machine->has_sb);
}

static void check_hypervisor(const char *name, bool emulated, const char *from)
{
	machine_read(&source, machine);
	assert_string_equal(machine->hypervisor.name, name);
	assert_int_equal(machine->hypervisor.emulated, emulated);
	if (!strstr(machine->hypervisor.source, from))
		fail_msg("'%s' does not say '%s'", machine->hypervisor.source,
			 from);
	assert_int_equal(warned("emulated"), emulated);
}

static void midr_of_software_is_tcg(void **state)
{
	(void)state;
	scratch_write(CPU "cpu0" MIDR, "0x00000000000f0510\n");
	check_hypervisor("qemu-tcg", true, "MIDR");
}

static void counter_of_qemu_is_tcg(void **state)
{
	(void)state;
	scratch_write(CPU "cpu0" MIDR, "0x00000000410fd493\n");
	source.counter_hz = 62500000;
	check_hypervisor("qemu-tcg", true, "62.5 MHz");
}

static void dummy_virt_alone_counts_as_emulated(void **state)
{
	(void)state;
	scratch_write("/proc/device-tree/compatible", "linux,dummy-virt");
	scratch_write("/proc/device-tree/psci/method", "hvc");
	check_hypervisor("qemu", true, "dummy-virt");
}

static void kvm_is_believed_where_it_shows(void **state)
{
	(void)state;
	scratch_write("/proc/device-tree/compatible", "linux,dummy-virt");
	scratch_write("/sys/class/ptp/ptp1/clock_name", "KVM virtual PTP\n");
	check_hypervisor("kvm", false, "PTP");
	assert_true(warned("kvm guest"));
}

static void kvm_firmware_needs_the_hvc_conduit(void **state)
{
	(void)state;
	scratch_write("/proc/device-tree/compatible", "linux,dummy-virt");
	scratch_write("/sys/devices/platform/smccc_trng/uevent", "");
	scratch_write("/proc/device-tree/psci/method", "smc");
	check_hypervisor("qemu", true, "dummy-virt");
	scratch_write("/proc/device-tree/psci/method", "hvc");
	check_hypervisor("kvm", false, "firmware");
}

static void dmi_tells_kvm_and_tcg_apart(void **state)
{
	(void)state;
	scratch_write(DMI "sys_vendor", "QEMU\n");
	scratch_write(DMI "product_name", "KVM Virtual Machine\n");
	check_hypervisor("kvm", false, "DMI: KVM Virtual Machine");
	scratch_write(DMI "product_name", "QEMU Virtual Machine\n");
	check_hypervisor("qemu-tcg", true, "DMI: QEMU Virtual Machine");
	scratch_write(DMI "product_name", "Some Name\n");
	check_hypervisor("qemu", true, "DMI: QEMU");
}

static void metal_is_bare(void **state)
{
	(void)state;
	scratch_write(DMI "sys_vendor", "Amazon EC2\n");
	scratch_write(DMI "product_name", "m8g.24xlarge\n");
	check_hypervisor("kvm", false, "DMI: Amazon EC2");
	scratch_write(DMI "product_name", "m8g.metal-24xl\n");
	check_hypervisor("none", false, "no sign");
	scratch_write(DMI "product_name", "m6g.metal\n");
	check_hypervisor("none", false, "no sign");
}

static void other_hypervisors_have_names(void **state)
{
	(void)state;
	scratch_write(DMI "sys_vendor", "Microsoft Corporation\n");
	scratch_write(DMI "product_name", "Virtual Machine\n");
	check_hypervisor("hyper-v", false, "DMI");
	scratch_write("/proc/device-tree/hypervisor/compatible",
		      "xen,xen-4.17");
	check_hypervisor("xen", false, "device tree");
	scratch_write("/proc/device-tree/hypervisor/compatible", "linux,kvm");
	check_hypervisor("kvm", false, "device tree");
}

static void firmware_cannot_break_the_json(void **state)
{
	(void)state;
	scratch_write(DMI "sys_vendor", "Hetzner\xff\x01\n");
	scratch_write("/proc/sys/kernel/osrelease", "6.1\x80\n");
	machine_read(&source, machine);
	assert_string_equal(machine->kernel, "6.1?");
}

static void one_cpu_a_node_is_spared(void **state)
{
	static const u32 expected[] = { 1, 2, 3, 5, 6, 7, 0, 4 };
	struct cpulist list;

	(void)state;
	scratch_write(CPU "present", "0-7\n");
	scratch_write(CPU "online", "0-7\n");
	scratch_write("/sys/devices/system/node/has_cpu", "0-1\n");
	scratch_write("/sys/devices/system/node/node0/cpulist", "0-3\n");
	scratch_write("/sys/devices/system/node/node1/cpulist", "4-7\n");
	machine_read(&source, machine);
	assert_int_equal(machine->nr_nodes, 2);
	assert_int_equal(machine_default_cpus(machine, &list), 6);
	assert_int_equal(list.nr, 8);
	assert_memory_equal(list.cpu, expected, sizeof(expected));
}

static void a_small_node_spares_none(void **state)
{
	struct cpulist list;

	(void)state;
	scratch_write(CPU "online", "0,2-3\n");
	scratch_write("/sys/devices/system/node/has_cpu", "0\n");
	scratch_write("/sys/devices/system/node/node0/cpulist", "0-3\n");
	machine_read(&source, machine);
	assert_int_equal(machine_default_cpus(machine, &list), 3);
	assert_int_equal(list.cpu[1], 2);
}

/* One node of so many CPUs, from 0 on. */
static unsigned int default_threads(unsigned int cpus, bool emulated,
				    u32 *threads)
{
	struct cpulist list;
	unsigned int usable;
	char text[32];

	snprintf(text, sizeof(text), cpus > 1 ? "0-%u\n" : "0\n", cpus - 1);
	scratch_write(CPU "present", text);
	scratch_write(CPU "online", text);
	machine_read(&source, machine);
	machine->hypervisor.emulated = emulated;
	usable = machine_default_cpus(machine, &list);
	return machine_default_threads(machine, &list, usable, threads);
}

static void threads_are_two_half_a_node_and_a_node(void **state)
{
	static const struct {
		unsigned int cpus, nr;
		u32 threads[MACHINE_THREADS_MAX];
	} cases[] = {
		{ 1, 1, { 1 } },	  { 2, 1, { 2 } },
		{ 3, 2, { 2, 3 } },	  { 4, 2, { 2, 3 } },
		{ 5, 2, { 2, 4 } },	  { 8, 3, { 2, 4, 7 } },
		{ 96, 3, { 2, 48, 95 } },
	};
	u32 threads[MACHINE_THREADS_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(default_threads(cases[i].cpus, false, threads),
				 cases[i].nr);
		assert_memory_equal(threads, cases[i].threads,
				    cases[i].nr * sizeof(*threads));
	}
}

static void an_emulated_machine_gets_two_threads(void **state)
{
	u32 threads[MACHINE_THREADS_MAX];

	(void)state;
	assert_int_equal(default_threads(8, true, threads), 1);
	assert_int_equal(threads[0], 2);
	assert_int_equal(default_threads(1, true, threads), 1);
	assert_int_equal(threads[0], 1);
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(midrs_become_names),
		TEST(an_empty_root_is_no_error),
		TEST(a_quiet_server_has_no_warnings),
		TEST(whatever_spoils_a_measurement_is_said),
		TEST(capabilities_come_from_the_hwcaps),
		TEST(midr_of_software_is_tcg),
		TEST(counter_of_qemu_is_tcg),
		TEST(dummy_virt_alone_counts_as_emulated),
		TEST(kvm_is_believed_where_it_shows),
		TEST(kvm_firmware_needs_the_hvc_conduit),
		TEST(dmi_tells_kvm_and_tcg_apart),
		TEST(metal_is_bare),
		TEST(other_hypervisors_have_names),
		TEST(firmware_cannot_break_the_json),
		TEST(one_cpu_a_node_is_spared),
		TEST(a_small_node_spares_none),
		TEST(threads_are_two_half_a_node_and_a_node),
		TEST(an_emulated_machine_gets_two_threads),
	};

	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
