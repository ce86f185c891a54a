#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel that is locked down loads the module only if it is signed with a key that it trusts, and the tool says so. For a guest
# with KERNEL_ARGS='lockdown=integrity' and INSMOD=0, whose module is signed: tests/signatures makes it.

. ./tap.sh
LOCKDOWN=/sys/kernel/security/lockdown

if ! grep -q '\[integrity\]' $LOCKDOWN 2> /dev/null; then
	skip_all "the kernel was not booted with lockdown=integrity"
fi

# refused MODULE [PATTERN]: it is not loaded, and the kernel says why
refused()
{
	dmesg -c > /dev/null
	! insmod "$1" 2> /tmp/stderr && says 'Operation not permitted|Key was rejected' &&
		{ [ -z "$2" ] || dmesg | grep -qE "$2"; } &&
		[ ! -e /sys/module/spindelay ]
}

# One byte of it is another.
forge()
{
	cp "$SPINDELAY_KO" /tmp/forged.ko
	printf '\377' | dd of=/tmp/forged.ko bs=1 seek=5000 conv=notrunc 2> /dev/null
}

check "a module without a signature is refused" refused /lib/spindelay/unsigned.ko 'Lockdown: .*unsigned module'
check "one that somebody else has signed" refused /lib/spindelay/foreign.ko 'Lockdown: .*unsigned module|unavailable key'
forge
check "and one that was changed after it was signed" refused /tmp/forged.ko
for command in "knob" "run isb" "compare isb nop" "selftest"; do
	# shellcheck disable=SC2086 # words
	check "the tool says how to sign: $command" refuses 4 'kernel is locked down.*make sign KEY=' $command
done
check "info needs no module" exits 0 spindelay info
check "the module that is signed loads" insmod "$SPINDELAY_KO"
check "and does not taint as unsigned" test $(($(cat /proc/sys/kernel/tainted) >> 13 & 1)) = 0
check "the knob can be turned" exits 0 spindelay knob isb
check "a run works" works spindelay run --quiet --time 1 isb
check "the module can be unloaded" rmmod spindelay
rm -f /tmp/forged.ko
finish
