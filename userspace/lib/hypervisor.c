// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>
#include <stdio.h>
#include <string.h>

#include "lib/hypervisor.h"
#include "lib/midr.h"
#include "lib/tree.h"

/*
 * QEMU's own counter frequency, for all CPU models before Armv8.6. No machine
 * that is known to us has it, and a guest of KVM sees the host's frequency.
 */
#define QEMU_COUNTER_HZ 62500000

#define DMI "/sys/class/dmi/id/"
#define DT "/proc/device-tree/"
#define PTP_MAX 8

enum match {
	EXACT,
	PREFIX
};

/* What the firmware calls the machine (DMI). */
static const struct {
	const char *file;
	const char *text;
	enum match match;
	const char *name;
	bool emulated;
} firmware[] = {
	{ DMI "product_name", "KVM", PREFIX, "kvm", false },
	{ DMI "product_name", "QEMU Virtual Machine", EXACT, "qemu-tcg", true },
	{ DMI "sys_vendor", "QEMU", EXACT, "qemu", true },
	{ DMI "sys_vendor", "Amazon EC2", EXACT, "kvm", false },
	{ DMI "product_name", "Google Compute Engine", EXACT, "kvm", false },
	{ DMI "product_name", "OpenStack", PREFIX, "kvm", false },
	{ DMI "sys_vendor", "Hetzner", EXACT, "kvm", false },
	{ DMI "product_name", "Virtual Machine", EXACT, "hyper-v", false },
	{ DMI "sys_vendor", "VMware", PREFIX, "vmware", false },
	{ DMI "sys_vendor", "Xen", EXACT, "xen", false },
	{ DMI "product_name", "Apple Virtualization", PREFIX, "apple", false },
};

static void set(struct hypervisor *found, const char *name, bool emulated,
		const char *source)
{
	snprintf(found->name, sizeof(found->name), "%s", name);
	found->emulated = emulated;
	snprintf(found->source, sizeof(found->source), "%s", source);
}

/* An implementer of zero is reserved for software: no silicon has it. */
static bool by_midr(u32 midr, struct hypervisor *found)
{
	if (!midr || MIDR_IMPLEMENTER(midr))
		return false;
	set(found, "qemu-tcg", true, "MIDR: implementer 0 is software");
	return true;
}

static bool is_metal(const char *root)
{
	char product[64];

	tree_read(root, DMI "product_name", product, sizeof(product));
	return strstr(product, ".metal");
}

static bool by_firmware(const char *root, struct hypervisor *found)
{
	char text[64], source[96];
	size_t len;

	if (is_metal(root))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(firmware); i++) {
		tree_read(root, firmware[i].file, text, sizeof(text));
		len = strlen(firmware[i].text);
		if (strncmp(text, firmware[i].text, len) ||
		    (firmware[i].match == EXACT && text[len]))
			continue;
		snprintf(source, sizeof(source), "DMI: %s", text);
		set(found, firmware[i].name, firmware[i].emulated, source);
		return true;
	}
	return false;
}

/* The PTP clock that only a guest of KVM has. */
static bool has_kvm_clock(const char *root)
{
	char path[64], name[64];

	for (unsigned int i = 0; i < PTP_MAX; i++) {
		snprintf(path, sizeof(path), "/sys/class/ptp/ptp%u/clock_name",
			 i);
		if (!tree_read(root, path, name, sizeof(name)) &&
		    !strncmp(name, "KVM", 3))
			return true;
	}
	return false;
}

/*
 * KVM answers the firmware's random number call on the hvc conduit; the PSCI
 * that is built into QEMU's emulation does not.
 */
static bool has_kvm_firmware(const char *root)
{
	char method[16];

	tree_read(root, DT "psci/method", method, sizeof(method));
	return !strcmp(method, "hvc") &&
	       tree_exists(root, "/sys/devices/platform/smccc_trng");
}

static bool by_kvm_traces(const char *root, struct hypervisor *found)
{
	if (has_kvm_clock(root)) {
		set(found, "kvm", false, "PTP clock of KVM");
		return true;
	}
	if (has_kvm_firmware(root)) {
		set(found, "kvm", false,
		    "firmware: random numbers on the hvc conduit");
		return true;
	}
	return false;
}

static bool by_hypervisor_node(const char *root, struct hypervisor *found)
{
	char text[64];

	if (!tree_read(root, DT "hypervisor/compatible", text, sizeof(text))) {
		if (!strncmp(text, "xen", 3))
			set(found, "xen", false, "device tree: hypervisor");
		else if (!strncmp(text, "vmware", 6))
			set(found, "vmware", false, "device tree: hypervisor");
		else
			set(found, "kvm", false, "device tree: hypervisor");
		return true;
	}
	if (!tree_read(root, "/sys/hypervisor/type", text, sizeof(text)) &&
	    !strcmp(text, "xen")) {
		set(found, "xen", false, "/sys/hypervisor/type");
		return true;
	}
	return false;
}

static bool by_counter(u32 counter_hz, struct hypervisor *found)
{
	if (counter_hz != QEMU_COUNTER_HZ)
		return false;
	set(found, "qemu-tcg", true, "counter of 62.5 MHz, QEMU's own");
	return true;
}

static bool by_device_tree(const char *root, struct hypervisor *found)
{
	char text[64];

	if (tree_read(root, DT "compatible", text, sizeof(text)) ||
	    strcmp(text, "linux,dummy-virt"))
		return false;
	set(found, "qemu", true,
	    "device tree: linux,dummy-virt, and no sign of KVM");
	return true;
}

void hypervisor_detect(const char *root, u32 midr, u32 counter_hz,
		       struct hypervisor *found)
{
	if (by_midr(midr, found) || by_counter(counter_hz, found) ||
	    by_kvm_traces(root, found) || by_hypervisor_node(root, found) ||
	    by_firmware(root, found) || by_device_tree(root, found))
		return;
	set(found, "none", false, "no sign of a hypervisor");
}
