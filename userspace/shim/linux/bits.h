/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_SHIM_BITS_H
#define SPINDELAY_SHIM_BITS_H

#define BIT(n) (1UL << (n))

#endif /* SPINDELAY_SHIM_BITS_H */
