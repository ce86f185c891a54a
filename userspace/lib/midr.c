// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>
#include <stdio.h>

#include "lib/midr.h"

/* Numbers of the Linux kernel's cputype.h and of the cores' manuals. */
static const struct {
	u8 implementer;
	u16 part;
	const char *name;
} cores[] = {
	{ 0x00, 0x051, "QEMU max" },
	{ 0x41, 0xd03, "Cortex-A53" },
	{ 0x41, 0xd04, "Cortex-A35" },
	{ 0x41, 0xd05, "Cortex-A55" },
	{ 0x41, 0xd07, "Cortex-A57" },
	{ 0x41, 0xd08, "Cortex-A72" },
	{ 0x41, 0xd09, "Cortex-A73" },
	{ 0x41, 0xd0a, "Cortex-A75" },
	{ 0x41, 0xd0b, "Cortex-A76" },
	{ 0x41, 0xd0c, "Neoverse N1" },
	{ 0x41, 0xd0d, "Cortex-A77" },
	{ 0x41, 0xd40, "Neoverse V1" },
	{ 0x41, 0xd41, "Cortex-A78" },
	{ 0x41, 0xd44, "Cortex-X1" },
	{ 0x41, 0xd46, "Cortex-A510" },
	{ 0x41, 0xd47, "Cortex-A710" },
	{ 0x41, 0xd48, "Cortex-X2" },
	{ 0x41, 0xd49, "Neoverse N2" },
	{ 0x41, 0xd4a, "Neoverse E1" },
	{ 0x41, 0xd4b, "Cortex-A78C" },
	{ 0x41, 0xd4d, "Cortex-A715" },
	{ 0x41, 0xd4e, "Cortex-X3" },
	{ 0x41, 0xd4f, "Neoverse V2" },
	{ 0x41, 0xd80, "Cortex-A520" },
	{ 0x41, 0xd81, "Cortex-A720" },
	{ 0x41, 0xd82, "Cortex-X4" },
	{ 0x41, 0xd84, "Neoverse V3" },
	{ 0x41, 0xd8e, "Neoverse N3" },
	{ 0x42, 0x516, "ThunderX2" },
	{ 0x43, 0x0a1, "ThunderX" },
	{ 0x43, 0x0af, "ThunderX2" },
	{ 0x46, 0x001, "A64FX" },
	{ 0x48, 0xd01, "Kunpeng 920" },
	{ 0x48, 0xd02, "Kunpeng 920B" },
	{ 0x4e, 0x004, "NVIDIA Carmel" },
	{ 0x4e, 0x010, "NVIDIA Olympus" },
	{ 0x51, 0x001, "Qualcomm Oryon" },
	{ 0x51, 0xc00, "Qualcomm Falkor" },
	{ 0x61, 0x022, "Apple M1 Icestorm" },
	{ 0x61, 0x023, "Apple M1 Firestorm" },
	{ 0x61, 0x032, "Apple M2 Blizzard" },
	{ 0x61, 0x033, "Apple M2 Avalanche" },
	{ 0x6d, 0xd49, "Azure Cobalt 100 (Neoverse N2)" },
	{ 0xc0, 0xac3, "Ampere-1" },
	{ 0xc0, 0xac4, "Ampere-1A" },
	{ 0xc0, 0xac5, "Ampere-1B" },
};

char *midr_name(u32 midr, char *text, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(cores); i++) {
		if (cores[i].implementer != MIDR_IMPLEMENTER(midr) ||
		    cores[i].part != MIDR_PART(midr))
			continue;
		snprintf(text, size, "%s r%up%u", cores[i].name,
			 MIDR_VARIANT(midr), MIDR_REVISION(midr));
		return text;
	}
	snprintf(text, size, "unknown core (implementer 0x%02x, part 0x%03x)",
		 MIDR_IMPLEMENTER(midr), MIDR_PART(midr));
	return text;
}
