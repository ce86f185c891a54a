#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing that a plan does keeps a CPU from others for longer than a window: the kernel's detectors of CPUs that do not come back stay
# silent (tests/guest/run looks into the log), and so does a neighbour on the same CPU.
#
# EXACT=1 says that an instruction is a nanosecond (QEMU_ARGS='-icount shift=0,sleep=off'). With one CPU (SMP=1) a neighbour's gaps
# are judged there: elsewhere they are also the host's.
#
# TIGHT=1 sets the detectors to their tightest, as EXACT=1 does: a soft lockup is two seconds then, for which the CPUs of a guest
# may well be without a core of a busy host. Else it is twenty.

. ./tap.sh
EXACT=${EXACT:-0}
TIGHT=${TIGHT:-$EXACT}
WINDOW_US=20000
# A window, the longest slice of a scheduler with few tasks, and a tick.
LIMIT_US=$((WINDOW_US + 3000 + 4000))

# detectors SECONDS RCU: of half a soft lockup, and of RCU's patience, which is 3 at least
detectors()
{
	echo "$1" > /proc/sys/kernel/watchdog_thresh && echo "$2" > /sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
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
	[ "$EXACT$online" != 11 ] || [ "$us" -le $LIMIT_US ]
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

all_cpus()
{
	echo 0-$((online - 1)) > $KNOB/cpus
	longest 10
	check "ttas on all of $online CPUs" run_lock ttas
	check "broken on all of $online CPUs" run_lock broken
}

neighbours()
{
	longest 23
	echo ttas > $KNOB/test_lock
	echo 0 > $KNOB/cpus
	check "a neighbour on a CPU that is busy" gap 0 sh -c "echo 1 > $KNOB/run"
	check "and while a plan tries out what it can" gap 0 pilots
	[ "$online" -lt 2 ] ||
		check "a neighbour on a CPU that is left free" gap $((online - 1)) sh -c "echo 1 > $KNOB/run"
}

online=$(grep -c '^processor' /proc/cpuinfo)
[ "$TIGHT" != 1 ] || check "the detectors are tightened" detectors 1 3
[ "$EXACT" = 1 ] || all_runs
all_cpus
[ "$online" -gt 4 ] || neighbours
echo > $KNOB/cpus
echo 2000 > $KNOB/window_us
echo 100 > $KNOB/windows
[ "$TIGHT" != 1 ] || detectors 10 21
finish
