/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_FUZZ_RESULTS_H
#define SPINDELAY_FUZZ_RESULTS_H

#include <stddef.h>

/* The name is libFuzzer's. Aborts where a promise is broken; else returns 0. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#endif /* SPINDELAY_FUZZ_RESULTS_H */
