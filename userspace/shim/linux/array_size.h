/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_SHIM_ARRAY_SIZE_H
#define SPINDELAY_SHIM_ARRAY_SIZE_H

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif /* SPINDELAY_SHIM_ARRAY_SIZE_H */
