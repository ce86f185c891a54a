#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The header for applications executes SB where the kernel says that the CPUs have it, else ISB: where they don't, SB
# would end the example with SIGILL.

. ./tap.sh

# What the kernel says, by a way that the header doesn't take.
if grep '^Features' /proc/cpuinfo | grep -qw sb; then
	wanted=sb
else
	wanted=isb
fi

check "the example runs, and locks" exits 0 spin
check "its delay is $wanted, as /proc/cpuinfo has it" grep -qx "delay: $wanted" /tmp/stdout
check "it needs neither the module nor root" is "delay: $wanted" su nobody -s /bin/sh -c 'spin | grep delay'
finish
