/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_HYPERVISOR_H
#define SPINDELAY_HYPERVISOR_H

#include <linux/types.h>

/**
 * struct hypervisor - what is between this system and the hardware
 * @name: "none" (nothing was found), "qemu-tcg", "qemu" (QEMU, but not known
 *	whether it emulates), "kvm", "xen", "hyper-v", "vmware", "apple"
 * @source: where that is known from, in words
 * @emulated: instructions are, or may well be, emulated: timings prove nothing
 */
struct hypervisor {
	char name[16];
	char source[128];
	bool emulated;
};

/**
 * hypervisor_detect() - tell bare metal, a hypervisor and an emulator apart
 * @root: prefix of all files read
 * @midr: MIDR_EL1 of a CPU, 0 if not known
 * @counter_hz: CNTFRQ_EL0, 0 if not known
 *
 * There is no instruction on arm64 that names the hypervisor, so this goes by
 * witnesses, the strongest first; a QEMU machine of which nothing says that
 * KVM runs it counts as emulated.
 */
void hypervisor_detect(const char *root, u32 midr, u32 counter_hz,
		       struct hypervisor *found);

#endif /* SPINDELAY_HYPERVISOR_H */
