#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing that a plan does keeps a CPU from others for longer than a window: the kernel's detectors of CPUs that do not come back stay
# silent at their tightest (tests/guest/run looks into the log), and so does a neighbour on the same CPU.
#
# EXACT=1 says that an instruction is a nanosecond, and that there is one CPU (QEMU_ARGS='-icount shift=0,sleep=off' SMP=1). Only
# there a neighbour's gaps are judged, and nothing else is done: elsewhere they are also the host's.

. ./tap.sh
EXACT=${EXACT:-0}
WINDOW_US=20000
# A window, the longest slice of a scheduler with few tasks, and a tick.
LIMIT_US=$((WINDOW_US + 3000 + 4000))

# Soft lockups at two seconds, hard ones and hung tasks soon, and the shortest patience that RCU takes.
tighten()
{
	echo 1 > /proc/sys/kernel/watchdog_thresh &&
		echo 3 > /sys/module/rcupdate/parameters/rcu_cpu_stall_timeout &&
		{ [ ! -e /proc/sys/kernel/hung_task_timeout_secs ] || echo 4 > /proc/sys/kernel/hung_task_timeout_secs; }
}

relax()
{
	echo 10 > /proc/sys/kernel/watchdog_thresh
	echo 21 > /sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
	[ ! -e /proc/sys/kernel/hung_task_timeout_secs ] || echo 120 > /proc/sys/kernel/hung_task_timeout_secs
}

# longest NUMBER: of the longest windows; a plan has two more of them, to warm up, and 100 at most
longest()
{
	echo $WINDOW_US > $KNOB/window_us && echo "$1" > $KNOB/windows
}

run_lock()
{
	echo "$1" > $KNOB/test_lock && echo 1 > $KNOB/run
}

killed()
{
	interrupt 700 KILL sh -c "echo 1 > $KNOB/run" && interrupt 50 KILL sh -c "echo 1 > $KNOB/run"
}

# gap CPU COMMAND...: what a neighbour on that CPU notices of the command
gap()
{
	neighbour "$@" > /tmp/gap || { sed 's/^/# /' /tmp/gap; return 1; }
	us=$(awk '$1 != "#" { us = $2 } END { print us }' /tmp/gap)
	echo "# the longest gap of a neighbour on CPU $1: $us us"
	[ "$EXACT" != 1 ] || [ "$us" -le $LIMIT_US ]
}

# Of each lock for half a second, of two for as long as a plan can last; and runs that are killed.
all_runs()
{
	longest 23
	locks=$(cat $KNOB/test_locks_available)
	for lock in $locks; do
		[ "$online" -ge 2 ] || [ "$lock" != handoff ] || continue
		check "$lock runs" run_lock "$lock"
	done
	longest 98
	check "ttas runs for two seconds" run_lock ttas
	check "broken runs for two seconds" run_lock broken
	check "runs are killed" killed
}

online=$(grep -c '^processor' /proc/cpuinfo)
check "the detectors are tightened" tighten
[ "$EXACT" = 1 ] || all_runs
check "windows are as long as they can be" longest 23
echo ttas > $KNOB/test_lock
echo 0 > $KNOB/cpus
check "a neighbour on a CPU that is busy" gap 0 sh -c "echo 1 > $KNOB/run"
check "and while a plan tries out what it can" gap 0 pilots
[ "$online" -lt 2 ] ||
	check "a neighbour on a CPU that is left free" gap $((online - 1)) sh -c "echo 1 > $KNOB/run"
echo > $KNOB/cpus
echo 2000 > $KNOB/window_us
echo 100 > $KNOB/windows
relax
finish
