/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What carries out a plan: the module, or something that stands in for it. */
#ifndef SPINDELAY_BACKEND_H
#define SPINDELAY_BACKEND_H

#include "lib/fault.h"
#include "lib/names.h"
#include "uapi/spindelay.h"

struct backend;

/**
 * struct backend_ops - one way to carry out plans
 * @name: for people, and in documents
 * @note: what is to be known of everything it measures; NULL if there is nothing
 * @open: get ready; 0, or -1 and a fault
 * @run: carry out a plan; 0, or a negative errno as the ABI defines them
 * @can_execute: may @run be given this delay?
 * @check: may it be given this variant? 0, or -1 and a fault that says why not
 * @close: let go of everything; called only after an @open that worked
 */
struct backend_ops {
	const char *name;
	const char *note;
	int (*open)(struct backend *backend, struct fault *fault);
	int (*run)(struct backend *backend, struct spindelay_plan *plan);
	bool (*can_execute)(struct backend *backend,
			    const struct delay_name *delay);
	int (*check)(struct backend *backend,
		     const struct spindelay_variant *variant,
		     struct fault *fault);
	void (*close)(struct backend *backend);
};

/**
 * struct backend - a backend in use
 * @ops: its functions
 * @fd: file, if it has one
 * @delays: names of the delays that can be executed, if it keeps them
 * @priv: whatever else it keeps
 */
struct backend {
	const struct backend_ops *ops;
	int fd;
	char delays[NAMES_TEXT_MAX];
	void *priv;
};

/* /dev/spindelay */
extern const struct backend_ops backend_kernel;

/* Pinned threads of this process */
extern const struct backend_ops backend_user;

#endif /* SPINDELAY_BACKEND_H */
