#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Waiters that never get the lock, or hardly ever, and a lock that lets in whoever comes: windows end in time all the same.

. ./tap.sh

# By hand, until some windows are valid, and so ended in time: a busy host may leave none.
ends_in_time()
{
	echo "$1" > $KNOB/test_lock || return
	for _ in $(seq 40); do
		echo 1 > $KNOB/run || return
		valid=$(cat $KNOB/result/windows_valid)
		[ "$valid" = 0 ] || break
	done
	echo "# $valid windows were valid; least acquisitions of a CPU over most: $(cat $KNOB/result/min_over_max)"
	[ "$valid" != 0 ]
}

locks=$(cat $KNOB/test_locks_available)
for lock in $locks; do
	# These have no wait that could be without end, but the kernel's.
	case $lock in nolock | pace | raw-spinlock) continue ;; esac
	check "$lock: windows end though nobody frees the lock" held "$lock" isb
done
# Whoever leaves is the first to come back.
echo 500000 > $KNOB/hold_ns
echo 20 > $KNOB/windows
for lock in tas ttas-backoff; do
	check "$lock: windows end though a hold of a quarter of them lets others starve" ends_in_time $lock
done
check "broken: windows end" ends_in_time broken
echo ttas > $KNOB/test_lock
echo 200 > $KNOB/hold_ns
echo 100 > $KNOB/windows
finish
