#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The module parameter sets the knob, or the load fails and leaves nothing.

. ./tap.sh

load()
{
	insmod "$SPINDELAY_KO" "$@"
}

# refused PATTERN DELAY: the load fails, says why, and no module is there
refused()
{
	! load "delay=$2" 2> /tmp/stderr || return 1
	dmesg | tail -n 5 | grep -qE "spindelay: delay=$2: $1" && [ ! -e /sys/module/spindelay ]
}

if has_sb; then sb=yes; else sb=; fi
check "the module is unloaded" rmmod spindelay
check "it leaves no device" test ! -e /dev/spindelay
for delay in none nop yield isb dsb-isb auto; do
	check "it loads with delay=$delay" load delay=$delay
	check "the knob is at $delay" is $delay cat $KNOB/delay
	rmmod spindelay
done
check "an unknown delay fails the load" refused "no such delay" bogus
if [ -n "$sb" ]; then
	check "it loads with delay=sb" load delay=sb
	check "sb is in effect" is sb cat $KNOB/effective
	rmmod spindelay
else
	check "a delay that this CPU lacks fails the load" refused "this system cannot" sb
fi
check "it loads without a parameter" load
check "a second load is refused" sh -c '! insmod "$SPINDELAY_KO" 2>/dev/null'
check "the device is root's alone" is "crw-------" sh -c "ls -l /dev/spindelay | cut -c1-10"
check "an unprivileged open is refused" su nobody -s /bin/sh -c "! (: < /dev/spindelay)" 2>/dev/null
check "an open descriptor keeps the module in" sh -c '! rmmod spindelay 2>/dev/null' 9< /dev/spindelay
check "every attribute is documented" sh -c "
	for file in $KNOB/* $KNOB/result/*; do
		[ -f \$file ] && [ ! -h \$file ] || continue
		case \${file##*/} in dev | uevent) continue ;; esac
		grep -qE \"spindelay\${file#$KNOB}\$\" $PWD/ABI || { echo \"# \$file\"; exit 1; }
	done"
finish
