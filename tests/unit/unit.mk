# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests of the tool and of the bench's headers, on the host, under the sanitizers. Included from the top.
#
#   test_NAME.c   a cmocka program, with ASan and UBSan
#   race_NAME.c   a program with threads, with TSan; see test_races.c

unit-dir := build/unit
unit-cc ?= gcc
unit-cppflags := -D_GNU_SOURCE -Imodule -Iuserspace -Iuserspace/shim -Itests/unit
unit-cflags := -std=gnu11 -O1 -g -Wall -Wextra -Werror
unit-asan := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
unit-libs := -lcmocka -ljansson -lpthread -lm

unit-tests := $(patsubst tests/unit/%.c,$(unit-dir)/%,$(wildcard tests/unit/test_*.c))
unit-races := $(patsubst tests/unit/%.c,$(unit-dir)/%,$(wildcard tests/unit/race_*.c))
# What the tests share, and all of the tool but its commands.
unit-shared := $(filter-out tests/unit/test_% tests/unit/race_%,$(wildcard tests/unit/*.c)) $(wildcard userspace/lib/*.c)
unit-shared-objects := $(unit-shared:%.c=$(unit-dir)/%.o)

$(unit-dir)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(unit-cc) $(unit-cppflags) $(unit-cflags) $(unit-asan) -MMD -MP -c -o $@ $<

$(unit-tests): $(unit-dir)/%: $(unit-dir)/tests/unit/%.o $(unit-shared-objects)
	$(Q)$(unit-cc) $(unit-asan) -o $@ $^ $(unit-libs)

$(unit-races): $(unit-dir)/%: tests/unit/%.c
	@mkdir -p $(@D)
	$(Q)$(unit-cc) $(unit-cppflags) $(unit-cflags) -fsanitize=thread -MMD -MP -MF $@.d -o $@ $< -lpthread

.PHONY: unit
unit: $(unit-tests) $(unit-races)	## build and run the unit tests; TAP on stdout
	@status=0; \
	for test in $(unit-tests); do \
		echo "# $${test##*/}"; \
		CMOCKA_MESSAGE_OUTPUT=TAP UNIT_DIR=$(unit-dir) $$test || status=1; \
	done; \
	exit $$status

-include $(patsubst %,$(unit-dir)/tests/unit/%.d,$(notdir $(unit-tests))) $(unit-shared-objects:.o=.d) $(unit-races:=.d)
