/* SPDX-License-Identifier: GPL-2.0 */
/* The knob, as the rest of the module sees it. */
#ifndef SPINDELAY_DELAY_H
#define SPINDELAY_DELAY_H

#include <linux/types.h>

int delay_init(void);
bool delay_supported(u32 id);
bool delay_sleeps(u32 id);
u32 delay_generation(void);

int delay_parse(const char *text, size_t length);
const char *delay_name(u32 id);

int delay_choose(const char *text, size_t length);
ssize_t delay_show_choice(char *page);
ssize_t delay_show_effective(char *page);
ssize_t delay_show_available(char *page);
ssize_t delay_show_bench(char *page);

#endif /* SPINDELAY_DELAY_H */
