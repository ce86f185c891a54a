/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may be asked of a backend that is not the module: the ABI's bounds. */
#ifndef SPINDELAY_PLAN_CHECK_H
#define SPINDELAY_PLAN_CHECK_H

#include "uapi/spindelay.h"

/**
 * plan_check() - check all of a plan but its CPUs and what delays it may have
 *
 * The rules are those of the module, module/plan.c, and so are the answers; a
 * test holds both against one list of bad plans.
 *
 * Return: 0, -E2BIG for what is beyond a bound, -EINVAL for what makes no sense.
 */
int plan_check(const struct spindelay_plan *plan);

#endif /* SPINDELAY_PLAN_CHECK_H */
