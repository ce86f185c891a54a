# SPDX-License-Identifier: GPL-2.0-or-later
# Build, boot, test and install spindelay. "make help" lists the targets and the variables.

SHELL := /bin/bash
.DEFAULT_GOAL := all

# The kernel's own makefiles take no such path, so say it once, here, for every target.
ifneq ($(words $(CURDIR))$(findstring :,$(CURDIR)),1)
$(error The checkout's path "$(CURDIR)" holds a space or a colon, which the kernel's build system cannot take: move the checkout)
endif

# What may be said on the command line; a value that is not known is an error, whatever the target.
kernels := $(shell awk '!/^ *\#/ && NF { print $$1 }' tests/rig/kernels)
kernels-built := $(shell awk '!/^ *\#/ && NF { print $$1 }' tests/rig/kernels-built)
cpus := $(shell awk '!/^ *\#/ && NF { print $$1 }' tests/rig/cpus)
host := $(patsubst arm64,aarch64,$(shell uname -m))

KERNEL ?= 6.12
CPU ?= neoverse-n2
SMP ?= $(shell cores=$$(nproc); echo $$((cores < 4 ? cores : 4)))
MEM ?= 1G
TIMEOUT ?= 300
INSMOD ?= 1
PERF ?= 0
ONLY ?=
FULL ?= 0
TIMES ?=
FUZZ_TIME ?= 60
KERNELS ?= $(kernels)
V ?= 0
prefix ?= /usr/local

# one-of VARIABLE, LIST
one-of = $(if $(and $(filter 1,$(words $($(1)))),$(filter $(2),$($(1)))),,$(error $(1)=$($(1)) is not known; valid: $(2)))
without-digits = $(subst 0,,$(subst 1,,$(subst 2,,$(subst 3,,$(subst 4,,$(subst 5,,$(subst 6,,$(subst 7,,$(subst 8,,$(subst 9,,$(1)))))))))))
in-range = $(shell [ "$(1)" -ge $(2) ] 2>/dev/null && [ "$(1)" -le $(3) ] && echo yes)
# number VARIABLE, LOW, HIGH. Nothing but digits reaches the shell.
number = $(if $(call without-digits,$($(1))),$(call bad-number,$(1),$(2),$(3)),$(if $(call \
	in-range,$($(1)),$(2),$(3)),,$(call bad-number,$(1),$(2),$(3))))
bad-number = $(error $(1)=$($(1)) is not a number from $(2) to $(3))

$(call one-of,KERNEL,$(kernels) $(kernels-built))
ifneq ($(and $(filter $(KERNEL),$(kernels-built)),$(filter test,$(MAKECMDGOALS))),)
$(error KERNEL=$(KERNEL) is not one that "make test" tests on, which are: $(kernels); "make test-debug" tests on it)
endif
$(call one-of,CPU,$(cpus))
$(call one-of,V,0 1)
$(call one-of,INSMOD,0 1)
$(call one-of,PERF,0 1)
ifneq ($(ONLY),)
$(call one-of,ONLY,replay planted exact perf)
endif
$(call one-of,FULL,0 1)
$(foreach k,$(KERNELS),$(if $(filter $(k),$(kernels)),,$(error KERNELS=$(KERNELS): $(k) is not known; valid: $(kernels))))
$(call number,SMP,1,512)
$(call number,TIMEOUT,1,86400)
$(call number,FUZZ_TIME,1,86400)
ifneq ($(TIMES),)
$(call number,TIMES,1,1000)
endif
ifeq ($(filter M G,$(call without-digits,$(MEM))),)
$(error MEM=$(MEM) is not a size such as 512M or 2G)
endif

# On an arm64 machine a build is for the running kernel, unless a rig's kernel is asked for by name or by target.
# Everywhere else it is for the rig's kernel.
rig-goals := guest guest-build test test-debug mutants bench truth fetch
ifneq ($(host),aarch64)
rig := yes
else ifneq ($(origin KERNEL)$(filter $(rig-goals),$(MAKECMDGOALS)),file)
rig := yes
endif

CACHE := $(shell . tests/rig/lib.sh && cache_dir)
ifeq ($(CACHE),)
$(error There is no usable cache folder: see the message above)
endif

ifneq ($(host),aarch64)
CROSS_COMPILE ?= aarch64-linux-gnu-
endif

# One build folder for each kernel.
ifneq ($(KDIR),)
ifneq ($(and $(rig),$(filter guest guest-build run test test-debug mutants bench truth,$(MAKECMDGOALS))),)
$(error KDIR is for builds alone: a guest boots one of the rig's kernels, and its module is built for that (KERNEL))
endif
K := $(shell awk -F '"' '/UTS_RELEASE/ { print $$2 }' '$(KDIR)/include/generated/utsrelease.h' 2>/dev/null)
ifeq ($(K),)
$(error KDIR=$(KDIR) is not the build folder of a configured and built kernel)
endif
else ifdef rig
K := $(KERNEL)
KDIR := $(CACHE)/kernel/$(KERNEL)/build
else
K := $(shell uname -r)
KDIR := /lib/modules/$(K)/build
endif
BUILD := $(CURDIR)/build/$(K)

# As many jobs as there are CPUs, unless the user says otherwise: most of a build is two files of loops, side by side.
# Several goals are made one after another, as they are given: "make clean all" must not do both at once.
ifeq ($(MAKELEVEL)$(word 2,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

# Command-line variables reach the kernel's build by name only: what is meant for us means nothing there.
MAKEOVERRIDES :=
passed-on := W C CF CHECK KCFLAGS V SPINDELAY_TESTS
kbuild = $(MAKE) --no-print-directory -C $(KDIR) M=$(1) ARCH=arm64 CROSS_COMPILE=$(CROSS_COMPILE) $(clang:%=CC=%) \
	$(foreach v,$(passed-on),$(if $($(v)),$(v)='$($(v))'))

# CMD and the extra arguments are taken literally: make expands nothing in them.
unexport CMD
export GUEST_CMD := $(value CMD)
export QEMU_ARGS := $(value QEMU_ARGS)
export KERNEL_ARGS := $(value KERNEL_ARGS)
export CPU SMP MEM TIMEOUT INSMOD PERF ONLY BUILD CROSS_COMPILE
ifdef rig
export KERNEL
endif

Q := $(if $(filter 1,$(V)),,@)
# The guest's stdout is its command's alone, so there the build talks on stderr.
talk := $(if $(filter guest,$(MAKECMDGOALS)),>&2)

.PHONY: all
all: module tool	## build the module and the tool (default)

# ---- build ---------------------------------------------------------------------------------------------------

# What the goals need is installed and fetched in one go, before anything else, so that -j is safe. A plain build
# for the running kernel installs nothing on what may be somebody's server: it only says what is missing.
goals := $(or $(MAKECMDGOALS),all)
built := $(filter $(KERNEL),$(if $(rig),$(kernels-built)))
# A module is built by the compiler of its kernel.
clang := $(if $(built),$(filter clang-%,$(shell . tests/rig/lib.sh && field kernels-built '$(KERNEL)' 5)))
build-job := $(if $(rig),cross fetch $(if $(built),kernel) $(clang),native)
jobs-guest := $(build-job) guest
jobs-guest-build := $(jobs-guest)
jobs-kselftest := $(build-job)
jobs-run := $(build-job) $(if $(rig),guest)
jobs-bench := $(jobs-guest) truth
jobs-truth := $(jobs-guest) truth
jobs-test := $(jobs-guest) unit
jobs-mutants := $(jobs-guest) mutants
jobs-unit := unit
jobs-coverage := unit
jobs-fuzz := fuzz
jobs-check := $(build-job) check
jobs-fetch := fetch
jobs-setup := $(build-job) fetch guest unit fuzz check truth mutants
jobs := $(or $(sort $(foreach goal,$(goals),$(jobs-$(goal)))),$(build-job))
kernel-source := $(if $(built),source/$(shell . tests/rig/lib.sh && field kernels-built '$(KERNEL)' 3))
parts-fetch := $(if $(filter $(CACHE)/%,$(KDIR)),$(or $(kernel-source),kernel/$(KERNEL))) sysroot
parts-guest := qemu $(if $(filter 1,$(PERF)),perf)
# Other distributions' headers have their own.
checkpatch := $(firstword $(wildcard $(KDIR)/scripts/checkpatch.pl) $(CACHE)/checkpatch/scripts/checkpatch.pl)
parts-check := $(if $(filter $(CACHE)/checkpatch/%,$(checkpatch)),checkpatch)
parts = $(foreach job,$(jobs),$(parts-$(job)))
only-check := $(if $(rig)$(filter run unit coverage fuzz check setup,$(goals)),,--check)

.PHONY: prepare
prepare:
	$(Q)tests/rig/fetch --check $(filter-out qemu,$(parts))
	$(Q)KDIR=$(KDIR) tests/rig/setup $(only-check) $(jobs)
	$(Q)tests/rig/fetch $(parts)
	$(Q)$(if $(filter fetch,$(jobs)),$(if $(built),tests/rig/build-kernel $(KERNEL)))

# The kernel writes objects beside sources. So that none lands in the checkout, it builds in a farm of symbolic
# links, made anew each time and rid of links to sources that are gone.
farm-sources = $(wildcard Kbuild module tests/guest/follower tests/guest/trip tests/guest/kunit)
define farm
	$(Q)mkdir -p $(1)
	$(Q)cd $(CURDIR) && for source in $(farm-sources); do \
		mkdir -p $(1)/$$(dirname $$source) && \
		cp -rsf --no-target-directory $(CURDIR)/$$source $(1)/$$source || exit; \
	done
	$(Q)find $(1) -xtype l -delete
endef

.PHONY: module
module: prepare		## build spindelay.ko into build/KERNEL (W=1 for more warnings)
	$(call farm,$(BUILD))
	$(Q)+$(call kbuild,$(BUILD)) modules $(talk)

user-loops := $(wildcard userspace/lib/user_loops_*.c)
tool-sources := $(filter-out $(user-loops),$(wildcard userspace/main.c userspace/cmd/*.c userspace/lib/*.c))
tool-objects := $(tool-sources:%.c=$(BUILD)/%.o)
tool-cppflags := -D_GNU_SOURCE -Imodule -Iuserspace -Iuserspace/include -Iuserspace/shim
tool-cflags := -std=gnu11 -O2 -g -Wall -Wextra -Werror
tool-libs := -ljansson -lpthread -lm
ifdef rig
# The guest has no libraries.
tool-cppflags += -isystem $(CACHE)/sysroot/usr/include
tool-ldflags := -static -L$(CACHE)/sysroot/usr/lib/aarch64-linux-gnu
endif

# Atomics are instructions in a loop, not calls that look which there are.
tool-arch-cflags := -mno-outline-atomics

# The loops of user threads take as long to compile as the module's, but are the same on every kernel: made once for all.
# As in Kbuild they do without debugging information, and no part of one is moved away from the rest.
user-objects := $(user-loops:userspace/lib/%.c=$(CURDIR)/build/user-arm64/%.o)
user-cflags := -g0 -mgeneral-regs-only -fno-reorder-blocks-and-partition

.PHONY: tool
tool: $(BUILD)/spindelay	## build the tool "spindelay" into build/KERNEL

$(BUILD)/spindelay: $(tool-objects) $(user-objects)
	@echo '  LD      $(@F)' $(talk)
	$(Q)$(CROSS_COMPILE)gcc $(tool-ldflags) -o $@ $^ $(tool-libs)

$(tool-objects): $(BUILD)/%.o: %.c Makefile | prepare
	@echo '  CC      $<' $(talk)
	$(Q)mkdir -p $(@D)
	$(Q)$(CROSS_COMPILE)gcc $(tool-cppflags) $(tool-cflags) $(tool-arch-cflags) -MMD -MP -c -o $@ $<

$(user-objects): $(CURDIR)/build/user-arm64/%.o: userspace/lib/%.c Makefile | prepare
	@echo '  CC      $<' $(talk)
	$(Q)mkdir -p $(@D)
	$(Q)$(CROSS_COMPILE)gcc $(tool-cppflags) $(tool-cflags) $(tool-arch-cflags) $(user-cflags) -MMD -MP -c -o $@ $<

# Small programs for the guest's tests, and the examples: each NAME.c is NAME on the guest's PATH.
guest-programs := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/guest/*.c userspace/example/*.c))

$(guest-programs): $(BUILD)/%: %.c Makefile | prepare
	@echo '  CC      $<' $(talk)
	$(Q)mkdir -p $(@D)
	$(Q)$(CROSS_COMPILE)gcc $(tool-cppflags) $(tool-cflags) -MMD -MP -MF $@.d $(tool-ldflags) -o $@ $< $(filter %.o,$^) $(tool-libs)

# One of them holds the module against the tool's own check of plans.
$(BUILD)/tests/guest/fuzz_abi: $(patsubst %,$(BUILD)/userspace/lib/%.o,plan_check plan names variant preset number rng fault)

# The emulator's plugin runs where the emulator does.
plugin := $(BUILD)/plant.so

$(plugin): tests/rig/plugin/plant.c tests/rig/plugin/abi.h tests/guest/plant.h module/uapi/spindelay.h Makefile | prepare
	@echo '  HOSTCC  $<' $(talk)
	$(Q)mkdir -p $(@D)
	$(Q)gcc -Imodule $(tool-cflags) -fPIC -shared -o $@ $<

-include $(tool-objects:.o=.d) $(user-objects:.o=.d) $(guest-programs:=.d)

# ---- run -----------------------------------------------------------------------------------------------------

.PHONY: guest-build
guest-build: SPINDELAY_TESTS := 1
guest-build: module tool $(guest-programs)

kselftest-folder := $(BUILD)/kselftest/spindelay

.PHONY: kselftest
kselftest: SPINDELAY_TESTS := 1
kselftest: module tool $(guest-programs)	## lay the guest tests out as a kselftest, in build/KERNEL/kselftest
	$(Q)rm -rf $(kselftest-folder) && mkdir -p $(kselftest-folder)
	$(Q)cp -L tests/guest/{Makefile,settings,run,tap.sh,ABI} tests/guest/[0-9]*.sh tests/rig/splats $(kselftest-folder)
	$(Q)cp $(BUILD)/spindelay.ko $(wildcard $(BUILD)/tests/guest/*/spindelay_[fk]*.ko) $(BUILD)/spindelay $(guest-programs) $(kselftest-folder)
	@echo '$(kselftest-folder:$(CURDIR)/%=%)'

.PHONY: guest
guest: guest-build	## boot a guest, load the module, run CMD there; only CMD's stdout comes out on stdout
	@exec tests/rig/guest "$$GUEST_CMD"

.PHONY: run
ifdef rig
run: guest-build	## measure: in a guest, or on this machine if it is an arm64 one
	@exec tests/rig/run
else
run: all
	@exec tests/rig/run-here
endif

.PHONY: bench
bench: prepare	## print what measuring costs, and fail if a budget is not met
	@KERNELS='$(KERNELS)' exec tests/bench

.PHONY: truth
truth: prepare		## hold the tool's answers against machines whose true costs are known
	@exec tests/truth

# ---- test ----------------------------------------------------------------------------------------------------

# The variable's value if the user gave it one; nothing for our default.
if-said = $(if $(filter file,$(origin $(1))),,$($(1)))

.PHONY: test
test: prepare		## run every test: on the host, in the guests, on the text that runs
	@TEST_KERNEL=$(call if-said,KERNEL) TEST_CPU=$(call if-said,CPU) FULL=$(FULL) TIMES=$(TIMES) exec tests/run

# What it needs is fetched and built with its guests.
.PHONY: test-debug
test-debug:		## run the guest tests on kernels that look for bugs in the module, building these once
	@TEST_KERNEL=$(call if-said,KERNEL) TEST_CPU=$(call if-said,CPU) FULL=$(FULL) TIMES=$(TIMES) exec tests/run debug

.PHONY: mutants
mutants: guest-build	## take the module's defences out, one at a time, and show that a test fails for each
	@exec tests/mutants/run

.PHONY: unit
unit: prepare
ifneq ($(wildcard tests/unit/unit.mk),)
include tests/unit/unit.mk
else
unit:
	@echo 'spindelay: There are no unit tests: tests/unit/unit.mk does not exist.' >&2; exit 1
endif

fuzz: prepare
include tests/fuzz/fuzz.mk

.PHONY: check
check: prepare		## sparse, checkpatch, clang-format, cppcheck, shellcheck, a build at W=1: all must be clean
	$(call farm,$(BUILD)/check)
	@CHECKPATCH=$(checkpatch) tests/rig/check $(call kbuild,$(BUILD)/check)

# ---- sign ----------------------------------------------------------------------------------------------------

# For kernels that load no other: those that are locked down (UEFI Secure Boot does that) or enforce signatures.
.PHONY: sign
sign: export KDIR := $(KDIR)
sign: export KEY := $(value KEY)
sign: export CERT := $(value CERT)
sign:			## sign the built spindelay.ko with KEY and CERT, for kernels that ask for a signature
	@exec tests/rig/sign $(BUILD)/spindelay.ko

# ---- install -------------------------------------------------------------------------------------------------

module-dir = $(DESTDIR)/lib/modules/$(K)
# Applications include <spindelay/spin_delay.h>; kernel modules have -I.../include/spindelay/module.
header-dir = $(DESTDIR)$(prefix)/include/spindelay

.PHONY: install uninstall native-only
native-only:
	@[ -z '$(rig)' ] || { echo 'spindelay: Only an arm64 machine can install: the module is for its running kernel.' >&2; exit 1; }

install: native-only all	## install module, tool and headers for the running arm64 kernel (DESTDIR, prefix)
	$(Q)+$(call kbuild,$(BUILD)) INSTALL_MOD_PATH=$(DESTDIR) modules_install
	$(Q)[ -n '$(DESTDIR)' ] || depmod $(K)
	$(Q)install -D -m 755 -t $(DESTDIR)$(prefix)/bin $(BUILD)/spindelay
	$(Q)install -D -m 644 -t $(header-dir) userspace/include/spindelay/*.h
	$(Q)install -D -m 644 -t $(header-dir)/module module/spin_delay.h $(BUILD)/Module.symvers
	$(Q)install -D -m 644 -t $(header-dir)/uapi module/uapi/*.h

uninstall: native-only		## remove what install has installed
	$(Q)rm -f $(module-dir)/updates/spindelay.ko* $(module-dir)/extra/spindelay.ko*
	$(Q)[ -n '$(DESTDIR)' ] || depmod $(K)
	$(Q)rm -f $(DESTDIR)$(prefix)/bin/spindelay
	$(Q)rm -rf $(header-dir)

# ---- the rest ------------------------------------------------------------------------------------------------

.PHONY: setup fetch clean help
setup:			## install the packages that every target needs
	$(Q)KDIR=$(KDIR) tests/rig/setup $(jobs-setup)

fetch:			## fetch the guest's kernel, libraries and QEMU into the cache
	$(Q)tests/rig/setup fetch $(if $(built),cross kernel $(clang))
	$(Q)tests/rig/fetch $(or $(kernel-source),kernel/$(KERNEL)) sysroot qemu
	$(Q)$(if $(built),tests/rig/build-kernel $(KERNEL))

clean:			## remove build/ (the cache stays)
	$(Q)rm -rf build

help:			## print this
	@awk -F '## ' '/^[a-z-]+:.*## / { sub(/:.*/, "", $$1); printf "  %-10s %s\n", $$1, $$2 }' $(filter Makefile %.mk,$(MAKEFILE_LIST))
	@sed -n 's/^#| \?//p' $(firstword $(MAKEFILE_LIST))
	@printf '\nKERNEL is one of: %s\nCPU is one of: %s\n' '$(kernels) $(kernels-built)' '$(cpus)'

#|
#| Variables (defaults in parentheses):
#|   KERNEL       the guest's kernel, a row of tests/rig/kernels or of tests/rig/kernels-built (6.12)
#|   CPU          the emulated model, a row of tests/rig/cpus (neoverse-n2)
#|                "make test" takes its guests from a table in tests/run, unless KERNEL or CPU is given: then the
#|                whole suite runs on those alone
#|   FULL=1       test: the whole suite on every kernel with every kind of CPU; takes hours
#|   TIMES        test: repetitions, in the tests that kill, unload and unplug at random moments (the table's)
#|   FUZZ_TIME    fuzz: seconds (60)
#|   KERNELS      bench: the kernels whose instructions are counted (all)
#|   ONLY         truth: one of its parts alone: replay (the worked example), planted, exact or perf (all)
#|   SMP MEM      CPUs (this machine's, at most 4) and memory (1G) of the guest
#|   CMD          what "make guest" runs, taken literally: a $ needs no doubling
#|   TIMEOUT      seconds until a guest is given up (300)
#|   PERF=1       guest: perf is on the PATH there; it is fetched from Debian
#|   INSMOD=0     leave loading the module to CMD; it is at $SPINDELAY_KO
#|   QEMU_ARGS    added to QEMU's command line; KERNEL_ARGS, to the guest kernel's
#|   KDIR         build against this kernel instead
#|   KEY CERT     sign: the private key (PEM, or a pkcs11: URI) and its certificate, which the kernel has to trust
#|   V=1          show the commands; W=1, more warnings
#|   DESTDIR prefix                     of install (prefix: /usr/local)
#|   SPINDELAY_CACHE                    the cache folder (~/.cache/spindelay)
#|   SPINDELAY_MIRROR                   a Debian mirror, instead of this machine's own
#|
#| make itself exits with 2 whenever a command fails, so a status other than 0 is also said on stderr:
#| "spindelay: guest command exited with status N".
#| tests/rig/guest 'COMMAND' takes the same variables from the environment and exits with that status.
