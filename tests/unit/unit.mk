# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests of the tool and of the bench's headers, on the host, under the sanitizers. Included from the top.
#
#   test_NAME.c   a cmocka program, with ASan and UBSan
#   race_NAME.c   a program with threads, with TSan; see test_races.c
#   sim_NAME.c    a cmocka program that simulates, fast, without sanitizers
#   formulas.py   lib/stats.c against scipy, which only the system's Python is sure to have
#
# and, from tests/header, what compilers make of the header for applications.

unit-dir := build/unit
unit-cc ?= gcc
unit-cppflags := -D_GNU_SOURCE -Imodule -Iuserspace -Iuserspace/include -Iuserspace/shim -Itests/unit -Itests/fuzz
unit-cflags := -std=gnu11 -O1 -g -Wall -Wextra -Werror
unit-asan := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
unit-libs := -lcmocka -ljansson -lpthread -lm

unit-python ?= /usr/bin/python3

unit-tests := $(patsubst tests/unit/%.c,$(unit-dir)/%,$(wildcard tests/unit/test_*.c))
unit-races := $(patsubst tests/unit/%.c,$(unit-dir)/%,$(wildcard tests/unit/race_*.c))
unit-sims := $(patsubst tests/unit/%.c,$(unit-dir)/%,$(wildcard tests/unit/sim_*.c))
# What the tests share, and all of the tool but its commands.
unit-shared := $(filter-out tests/unit/test_% tests/unit/race_% tests/unit/sim_%,$(wildcard tests/unit/*.c)) tests/fuzz/fuzz_results.c tests/fuzz/fuzz_typed.c $(wildcard userspace/lib/*.c)
unit-shared-objects := $(unit-shared:%.c=$(unit-dir)/%.o)
# A simulation runs no windows, and the loops take long to compile.
unit-fast := $(filter-out userspace/lib/session.c userspace/lib/loads.c userspace/lib/backend_% userspace/lib/user_%,$(unit-shared))
unit-fast-objects := $(unit-fast:%.c=$(unit-dir)/fast/%.o)
unit-tool-objects := $(patsubst %.c,$(unit-dir)/%.o,$(wildcard userspace/main.c userspace/cmd/*.c userspace/lib/*.c))

$(unit-dir)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(unit-cc) $(unit-cppflags) $(unit-cflags) $(unit-asan) -MMD -MP -c -o $@ $<

# The loops are what is measured: nothing is added to them here either, which takes a minute less to compile.
$(unit-dir)/userspace/lib/user_loops_%.o: userspace/lib/user_loops_%.c
	@mkdir -p $(@D)
	$(Q)$(unit-cc) $(unit-cppflags) $(unit-cflags) -g0 -MMD -MP -c -o $@ $<

$(unit-tests): $(unit-dir)/%: $(unit-dir)/tests/unit/%.o $(unit-shared-objects)
	$(Q)$(unit-cc) $(unit-asan) -o $@ $^ $(unit-libs)

$(unit-dir)/race/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(unit-cc) $(unit-cppflags) $(unit-cflags) -fsanitize=thread -MMD -MP -c -o $@ $<

$(unit-races): $(unit-dir)/%: $(unit-dir)/race/tests/unit/%.o $(unit-dir)/race/userspace/lib/park.o
	$(Q)$(unit-cc) -fsanitize=thread -o $@ $^ -lpthread

$(unit-dir)/fast/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(unit-cc) $(unit-cppflags) $(unit-cflags) -O2 -MMD -MP -c -o $@ $<

$(unit-sims): $(unit-dir)/%: $(unit-dir)/fast/tests/unit/%.o $(unit-fast-objects)
	$(Q)$(unit-cc) -o $@ $^ $(unit-libs)

$(unit-dir)/stats.so: userspace/lib/stats.c userspace/lib/stats.h
	@mkdir -p $(@D)
	$(Q)$(unit-cc) $(unit-cppflags) $(unit-cflags) -shared -fPIC -o $@ $< -lm

.PHONY: unit coverage host-tool
host-tool: $(unit-dir)/spindelay	## build the tool for this machine, under the sanitizers: for --user, on any CPU

$(unit-dir)/spindelay: $(unit-tool-objects)
	$(Q)$(unit-cc) $(unit-asan) -o $@ $^ -ljansson -lpthread -lm

unit: $(unit-tests) $(unit-races) $(unit-sims) $(unit-dir)/stats.so	## build and run the unit tests; TAP on stdout
	@status=0; \
	for test in $(unit-tests) $(unit-sims); do \
		echo "# $${test##*/}"; \
		CMOCKA_MESSAGE_OUTPUT=TAP UNIT_DIR=$(unit-dir) timeout 900 $$test || status=1; \
	done; \
	echo "# formulas.py"; \
	PYTHONDONTWRITEBYTECODE=1 $(unit-python) tests/unit/formulas.py $(unit-dir)/stats.so || status=1; \
	echo "# header"; \
	tests/header/run || status=1; \
	exit $$status

# Of so many comparisons that its numbers can be quoted.
coverage: prepare $(unit-sims)	## simulate how often the intervals hold the truth (minutes)
	@COVERAGE_RUNS=40000 CMOCKA_MESSAGE_OUTPUT=TAP $(unit-dir)/sim_coverage

-include $(unit-fast-objects:.o=.d) $(patsubst %,$(unit-dir)/fast/tests/unit/%.d,$(notdir $(unit-sims)))
-include $(patsubst %,$(unit-dir)/tests/unit/%.d,$(notdir $(unit-tests))) $(unit-shared-objects:.o=.d)
-include $(patsubst %,$(unit-dir)/race/tests/unit/%.d,$(notdir $(unit-races))) $(unit-dir)/race/userspace/lib/park.d
