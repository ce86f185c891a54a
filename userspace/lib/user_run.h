/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The windows of a plan, in pinned threads of the tool. */
#ifndef SPINDELAY_USER_RUN_H
#define SPINDELAY_USER_RUN_H

#include "lib/user_variant.h"

/**
 * user_run() - carry out a plan
 * @plan: checked; its results are written
 *
 * The calling thread is the first worker. Its affinity is what it was again
 * when this returns.
 *
 * Return: 0, or a negative errno as the ABI defines them; -ENODEV, too, for a
 * CPU that this process may not run on.
 */
int user_run(const struct user_machine *machine, struct spindelay_plan *plan);

#endif /* SPINDELAY_USER_RUN_H */
