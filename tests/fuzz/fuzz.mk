# SPDX-License-Identifier: GPL-2.0-or-later
# The reader of result files under libFuzzer, with ASan and UBSan. Included from the top.
#
#   tests/fuzz/corpus   what it starts from, and what it has found: "make unit" runs each of these, too
#   build/fuzz          the program, what it finds interesting (corpus/), what it finds wrong (crash-*)

fuzz-dir := build/fuzz
fuzz-cc ?= clang
fuzz-cflags := -std=gnu11 -O1 -g -D_GNU_SOURCE -Imodule -Iuserspace -Iuserspace/shim -Itests/fuzz \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
# Whoever reads a file runs no windows.
fuzz-sources := $(filter-out userspace/lib/session.c userspace/lib/loads.c userspace/lib/backend_% userspace/lib/user_%,$(wildcard \
	tests/fuzz/*.c userspace/lib/*.c))
# Larger than any file of the corpus; a wrong input is as small.
fuzz-options := -max_total_time=$(FUZZ_TIME) -max_len=16384 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1

$(fuzz-dir)/fuzz_results: $(fuzz-sources) $(wildcard userspace/lib/*.h module/uapi/*.h module/bench/*.h) | prepare
	@mkdir -p $(fuzz-dir)/corpus
	$(Q)$(fuzz-cc) $(fuzz-cflags) -o $@ $(fuzz-sources) -ljansson -lpthread -lm

.PHONY: fuzz
fuzz: $(fuzz-dir)/fuzz_results	## fuzz the reader of result files for FUZZ_TIME seconds
	$(Q)$< $(fuzz-options) -artifact_prefix=$(fuzz-dir)/ $(fuzz-dir)/corpus tests/fuzz/corpus
