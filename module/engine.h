/* SPDX-License-Identifier: GPL-2.0 */
/* The engine, as its faces (the device, sysfs) see it. */
#ifndef SPINDELAY_ENGINE_H
#define SPINDELAY_ENGINE_H

struct engine_plan;

int engine_init(void);
void engine_exit(void);

int engine_claim(void);
void engine_release(void);

int engine_run(struct engine_plan *plan);

#endif /* SPINDELAY_ENGINE_H */
