#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every lock runs with every delay and ends, and lets nobody in twice. On kernels that are slow, because they look for bugs, few
# windows may be valid: that is not asked here.

. ./tap.sh

runs()
{
	echo "$1" > $KNOB/test_lock && echo "$2" > $KNOB/test_delay && echo 1 > $KNOB/run
}

# The broken lock is meant to let others in.
excludes()
{
	[ "$1" = broken ] || [ "$(cat $KNOB/result/lost)" = 0 ]
}

with_every_delay()
{
	for delay in $delays; do
		if ! runs "$1" "$delay" || ! excludes "$1"; then
			echo "# $1/$delay; lost: $(cat $KNOB/result/lost)"
			return 1
		fi
	done
}

delays=$(cat $KNOB/test_delays_available)
locks=$(cat $KNOB/test_locks_available)
echo 10 > $KNOB/windows
for lock in $locks; do
	check "$lock runs with each of: $delays" with_every_delay "$lock"
done
echo ttas > $KNOB/test_lock
echo isb > $KNOB/test_delay
echo 100 > $KNOB/windows
finish
