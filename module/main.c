// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading. */
#include <linux/init.h>
#include <linux/module.h>

#include "delay.h"
#include "device.h"
#include "engine.h"

static int __init spindelay_init(void)
{
	int err;

	err = delay_init();
	if (err)
		return err;
	err = engine_init();
	if (err)
		return err;
	err = device_init();
	if (err)
		goto exit_engine;
	return 0;

exit_engine:
	engine_exit();
	return err;
}

static void __exit spindelay_exit(void)
{
	device_exit();
	engine_exit();
}

module_init(spindelay_init);
module_exit(spindelay_exit);

MODULE_DESCRIPTION("Spin-wait delays on arm64: SB against ISB, by measurement");
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
/* What is loaded to measure is no part of a server: 6.0 and later taint with N. */
MODULE_INFO(test, "Y");
