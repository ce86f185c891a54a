/* SPDX-License-Identifier: GPL-2.0 */
/* The engine's side of parking; the locks' is bench/park.h. */
#ifndef SPINDELAY_PARK_H
#define SPINDELAY_PARK_H

void park_init(void);
void park_begin(void);
void park_end(void);

#endif /* SPINDELAY_PARK_H */
