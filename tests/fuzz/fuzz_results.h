/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPINDELAY_FUZZ_RESULTS_H
#define SPINDELAY_FUZZ_RESULTS_H

#include <stddef.h>

/* These names are libFuzzer's. */

/* Aborts where a promise is broken; else returns 0. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Change the input; returns its new size, @max at most. */
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t max,
			       unsigned int seed);

/* libFuzzer's own way to do so. */
size_t LLVMFuzzerMutate(unsigned char *data, size_t size, size_t max);

#endif /* SPINDELAY_FUZZ_RESULTS_H */
