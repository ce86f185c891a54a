#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A user without privilege can open nothing, change nothing and run nothing in the kernel, not even through what root has
# opened for him, and is told so. Nothing comes out of the kernel that was not written for him.

. ./tap.sh

as_nobody()
{
	su nobody -s /bin/sh -c "$*"
}

# The files of the device and of the module that nobody can open for writing.
open_to_nobody()
{
	as_nobody "for file in /dev/spindelay $(find -L $KNOB /sys/module/spindelay -maxdepth 2 -type f | tr '\n' ' '); do
		! (: >> \$file) 2> /dev/null || echo \$file
	done"
}

cannot_read_device()
{
	! as_nobody ': < /dev/spindelay' 2> /dev/null
}

# refuses_nobody PATTERN ARGUMENT...: the tool prints nothing, says that in one line, and ends with 1
refuses_nobody()
{
	tap_pattern=$1
	shift
	exits 1 as_nobody "cd /tmp; spindelay $*" && says "$tap_pattern" && [ ! -s /tmp/stdout ] && is 1 grep -c '' /tmp/stderr
}

# inherited FILE TEXT: nobody writes to what root has opened
inherited()
{
	as_nobody "echo $2 >&9" 9> "$1"
}

refuses_inherited()
{
	! inherited "$@" 2> /tmp/stderr && says 'Operation not permitted'
}

# The kernel knows of test modules since 6.0.
tainted_as_test()
{
	[ "$(uname -r | cut -d. -f1)" -lt 6 ] || [ $(($(cat /proc/sys/kernel/tainted) >> 18 & 1)) = 1 ]
}

check "the device is not for nobody to read" cannot_read_device
check "nothing is for nobody to write" is "" open_to_nobody
for command in "run isb" "cost isb" "compare isb nop" "sweep isb" "selftest" "replay isb nop" "knob isb"; do
	# shellcheck disable=SC2086 # words
	check "nobody is refused: $command" refuses_nobody 'permission.*root' $command
done
chmod 666 /dev/spindelay
check "nor does nobody run anything where the device is everybody's" refuses_nobody 'root' run isb
chmod 600 /dev/spindelay
check "a descriptor of root's does not let nobody run" refuses_inherited $KNOB/run 1
check "nor turn the knob" refuses_inherited $KNOB/delay isb
check "which stays" is auto cat $KNOB/delay
check "nothing is left of other plans, or of the kernel, in what a plan gets" residue
check "the kernel is tainted as by a test" tainted_as_test
finish
