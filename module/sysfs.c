// SPDX-License-Identifier: GPL-2.0
/* The attributes of /sys/class/misc/spindelay; ABI describes each. */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "delay.h"
#include "device.h"
#include "engine.h"

static ssize_t delay_show(struct device *dev, struct device_attribute *attr,
			  char *page)
{
	return delay_show_choice(page);
}

static ssize_t delay_store(struct device *dev, struct device_attribute *attr,
			   const char *text, size_t length)
{
	int err = delay_choose(text, length);

	return err ? err : length;
}
static DEVICE_ATTR_RW(delay);

static ssize_t effective_show(struct device *dev, struct device_attribute *attr,
			      char *page)
{
	return delay_show_effective(page);
}
static DEVICE_ATTR_RO(effective);

static ssize_t delays_available_show(struct device *dev,
				     struct device_attribute *attr, char *page)
{
	return delay_show_available(page);
}
static DEVICE_ATTR_RO(delays_available);

static ssize_t test_delays_available_show(struct device *dev,
					  struct device_attribute *attr,
					  char *page)
{
	return delay_show_bench(page);
}
static DEVICE_ATTR_RO(test_delays_available);

static ssize_t test_locks_available_show(struct device *dev,
					 struct device_attribute *attr,
					 char *page)
{
	return engine_show_locks(page);
}
static DEVICE_ATTR_RO(test_locks_available);

static ssize_t abi_show(struct device *dev, struct device_attribute *attr,
			char *page)
{
	return sysfs_emit(page, "%d\n", SPINDELAY_ABI);
}
static DEVICE_ATTR_RO(abi);

static struct attribute *spindelay_attrs[] = {
	&dev_attr_delay.attr,
	&dev_attr_effective.attr,
	&dev_attr_delays_available.attr,
	&dev_attr_test_delays_available.attr,
	&dev_attr_test_locks_available.attr,
	&dev_attr_abi.attr,
	NULL,
};

static const struct attribute_group spindelay_group = {
	.attrs = spindelay_attrs,
};

const struct attribute_group *spindelay_groups[] = {
	&spindelay_group,
	NULL,
};
