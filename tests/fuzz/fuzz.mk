# SPDX-License-Identifier: GPL-2.0-or-later
# What reads what anybody may have written, under libFuzzer, with ASan and UBSan. Included from the top.
#
#   fuzz_results    result files; its corpus is tests/fuzz/corpus
#   fuzz_typed      variants and CPU lists; its corpus is tests/fuzz/corpus-typed
#
# A corpus is what a program starts from, and what it has found: "make unit" runs each of these, too. In build/fuzz are the
# programs, what they find interesting (results/, typed/) and what they find wrong (crash-*).

fuzz-dir := build/fuzz
fuzz-cc ?= clang
fuzz-cflags := -std=gnu11 -O1 -g -D_GNU_SOURCE -Imodule -Iuserspace -Iuserspace/include -Iuserspace/shim -Itests/fuzz \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Dfuzz_typed=LLVMFuzzerTestOneInput
# Whoever reads runs no windows.
fuzz-lib := $(filter-out userspace/lib/session.c userspace/lib/loads.c userspace/lib/backend_% userspace/lib/user_%,$(wildcard userspace/lib/*.c))
fuzz-headers := $(wildcard tests/fuzz/*.h userspace/lib/*.h module/uapi/*.h module/bench/*.h)
# Larger than any file of the corpus; a wrong input is as small.
fuzz-options := -max_total_time=$(FUZZ_TIME) -max_len=16384 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1

$(fuzz-dir)/fuzz_results: tests/fuzz/fuzz_results.c tests/fuzz/mutate_json.c
$(fuzz-dir)/fuzz_typed: tests/fuzz/fuzz_typed.c
$(fuzz-dir)/fuzz_%: $(fuzz-lib) $(fuzz-headers) | prepare
	@mkdir -p $(fuzz-dir)/$*
	$(Q)$(fuzz-cc) $(fuzz-cflags) -o $@ $(filter %.c,$^) -ljansson -lpthread -lm

# fuzz-run NAME, CORPUS
fuzz-run = $(fuzz-dir)/fuzz_$(1) $(fuzz-options) -artifact_prefix=$(fuzz-dir)/ $(fuzz-dir)/$(1) tests/fuzz/$(2)

.PHONY: fuzz
fuzz: $(fuzz-dir)/fuzz_results $(fuzz-dir)/fuzz_typed	## fuzz what reads result files, variants and CPU lists, for FUZZ_TIME seconds each
	$(Q)$(call fuzz-run,results,corpus)
	$(Q)$(call fuzz-run,typed,corpus-typed)
