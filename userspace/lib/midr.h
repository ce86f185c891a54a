/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_MIDR_H
#define SPINDELAY_MIDR_H

#include <linux/types.h>

/* Fields of MIDR_EL1 (Arm ARM, D19.2). */
#define MIDR_IMPLEMENTER(midr) ((midr) >> 24 & 0xff)
#define MIDR_VARIANT(midr) ((midr) >> 20 & 0xf)
#define MIDR_PART(midr) ((midr) >> 4 & 0xfff)
#define MIDR_REVISION(midr) (0xf & (midr))

/* Who made it and what it is, "Neoverse N2 r0p3"; returns @text. */
char *midr_name(u32 midr, char *text, size_t size);

#endif /* SPINDELAY_MIDR_H */
