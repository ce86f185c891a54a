/* SPDX-License-Identifier: GPL-2.0 */
/* The device and its sysfs attributes. */
#ifndef SPINDELAY_DEVICE_H
#define SPINDELAY_DEVICE_H

#include <linux/sysfs.h>

extern const struct attribute_group *spindelay_groups[];

int device_init(void);
void device_exit(void);

#endif /* SPINDELAY_DEVICE_H */
