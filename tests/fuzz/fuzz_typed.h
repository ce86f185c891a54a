/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_FUZZ_TYPED_H
#define SPINDELAY_FUZZ_TYPED_H

#include <stddef.h>

/*
 * Aborts where a promise is broken; else returns 0. Compiled for libFuzzer it has
 * libFuzzer's name, of which there is one in a program.
 */
int fuzz_typed(const unsigned char *data, size_t size);

#endif /* SPINDELAY_FUZZ_TYPED_H */
