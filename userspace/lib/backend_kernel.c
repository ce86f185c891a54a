// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/backend.h"
#include "lib/module.h"

#define DEVICE "/dev/spindelay"

static int open_fault(int err, struct fault *fault)
{
	switch (err) {
	case EACCES:
	case EPERM:
		return fault_set(fault, STATUS_ERROR,
				 "no permission to open " DEVICE
				 ": run this as root");
	case EBUSY:
		return fault_set(
			fault, STATUS_ERROR,
			DEVICE
			" is in use by another run: wait for it or end it");
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return fault_set(fault, STATUS_UNSUPPORTED,
				 "the module is loaded but there is no " DEVICE
				 ": is /dev a devtmpfs?");
	default:
		return fault_set(fault, STATUS_ERROR,
				 "cannot open " DEVICE ": %s", strerror(err));
	}
}

static int kernel_open(struct backend *backend, struct fault *fault)
{
	if (module_check(fault) ||
	    module_read("test_delays_available", backend->delays,
			sizeof(backend->delays), fault))
		return -1;
	backend->fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (backend->fd < 0)
		return open_fault(errno, fault);
	return 0;
}

static int kernel_run(struct backend *backend, struct spindelay_plan *plan)
{
	return ioctl(backend->fd, SPINDELAY_IOC_RUN, plan) ? -errno : 0;
}

static bool kernel_can_execute(struct backend *backend,
			       const struct delay_name *delay)
{
	return word_in_list(delay->name, backend->delays);
}

static int kernel_check(struct backend *backend,
			const struct spindelay_variant *variant,
			struct fault *fault)
{
	const struct delay_name *delay = delay_by_id(variant->delay);

	if (!kernel_can_execute(backend, delay))
		return module_delay_missing(delay->name, fault);
	return 0;
}

static void kernel_close(struct backend *backend)
{
	close(backend->fd);
}

const struct backend_ops backend_kernel = {
	.name = "kernel",
	.open = kernel_open,
	.run = kernel_run,
	.can_execute = kernel_can_execute,
	.check = kernel_check,
	.close = kernel_close,
};
