#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The last test on a kernel that looks for bugs: its detectors are still on, and nothing is left of the module when it is gone.

. ./tap.sh
KMEMLEAK=/sys/kernel/debug/kmemleak

[ -e $KMEMLEAK ] || skip_all "this kernel has no kmemleak"

# has OPTION...: whether the kernel was built with these
has()
{
	for option; do
		zcat /proc/config.gz | grep -qx "CONFIG_$option=y" || {
			echo "# CONFIG_$option is not set"
			return 1
		}
	done
}

# Lockdep turns itself off when it runs out of memory, and at the first thing it finds.
lockdep_is_on()
{
	grep -qE 'debug_locks: *1$' /proc/lockdep_stats
}

scan()
{
	echo scan > $KMEMLEAK
}

# Memory is looked at once it is 5 s old, and reported when two scans have seen the same bytes in it.
no_leak()
{
	sleep 6
	scan && scan || return
	cat $KMEMLEAK > /tmp/leaks
	head -n 60 /tmp/leaks | sed 's/^/# /'
	[ ! -s /tmp/leaks ]
}

check "the kernel has the detectors" has KASAN UBSAN PROVE_LOCKING PROVE_RAW_LOCK_NESTING DEBUG_ATOMIC_SLEEP DEBUG_OBJECTS \
	DEBUG_PREEMPT DEBUG_KMEMLEAK DEBUG_KOBJECT_RELEASE SOFTLOCKUP_DETECTOR DETECT_HUNG_TASK
check "lockdep has not turned itself off" lockdep_is_on
# While it is loaded, its name stands in the backtraces.
check "no memory leaked while the module is loaded" no_leak
check "the module unloads" rmmod spindelay
# What only the module's own data pointed to is a leak now.
check "no memory is left when it is unloaded" no_leak
check "the module loads again" insmod "$SPINDELAY_KO"
finish
