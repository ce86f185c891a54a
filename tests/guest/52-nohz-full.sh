#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A waiter that sleeps, on an isolated CPU that has no tick: nothing wakes it there but what ends its window. For a
# guest with KERNEL_ARGS='isolcpus=1 nohz_full=1 clocksource.arm_arch_timer.evtstrm=0'; the last of these stops the
# stream of events that the kernel would have its timers make. An emulated WFE does not sleep (QEMU 10: it does
# nothing), so there this finds a window that is not ended, but not a waiter that is not woken.

. ./tap.sh
CPUS=/sys/devices/system/cpu
TRACING=/sys/kernel/tracing

# has_cpu_1 FILE: whether that list of CPUs has CPU 1
has_cpu_1()
{
	grep -qE '(^|,)1(-|,|$)' "$1" 2>/dev/null
}

if ! has_cpu_1 $CPUS/nohz_full && ! grep -q nohz_full= /proc/cmdline; then
	skip_all "CPU 1 has its tick: the kernel was not booted with nohz_full=1"
fi

# by_hand LOCK DELAY: a run from sysfs, until some of its windows are valid
by_hand()
{
	echo "$1" > $KNOB/test_lock && echo "$2" > $KNOB/test_delay || return
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		echo 1 > $KNOB/run || return
		[ "$(cat $KNOB/result/windows_valid)" = 0 ] || return 0
	done
	echo "# no valid window"
	false
}

# ticks CPU: how many the trace has
ticks()
{
	grep -cE 'function=tick_(nohz_handler|sched_timer)' $TRACING/per_cpu/cpu"$1"/trace
}

# Windows of 20 ms, five ticks each at 250 Hz. A window is one task, but between windows there may be two for a
# moment, which bring the tick back: so not none.
no_tick_in_windows()
{
	echo 20000 > $KNOB/window_us
	echo 25 > $KNOB/windows
	echo > $TRACING/trace
	echo 1 > $TRACING/events/timer/hrtimer_expire_entry/enable
	echo 1 > $KNOB/run
	echo 0 > $TRACING/events/timer/hrtimer_expire_entry/enable
	zero=$(ticks 0)
	one=$(ticks 1)
	echo "# ticks in 25 windows: $zero on CPU 0, $one on CPU 1"
	[ "$zero" -ge 25 ] && [ "$one" -lt $((zero / 5)) ]
}

delays=wfe
! grep -qw wfet $KNOB/test_delays_available || delays="wfe wfet"

check "the kernel has no tick on CPU 1" has_cpu_1 $CPUS/nohz_full
check "nor tasks that nobody put there" has_cpu_1 $CPUS/isolated
check "nor a stream of events" sh -c '! grep -qw evtstrm /proc/cpuinfo'
for delay in $delays; do
	for lock in ttas ticket mcs clh; do
		check "$lock/$delay: windows end though nobody frees the lock" held $lock "$delay"
	done
done
echo 0-1 > $KNOB/cpus
echo 10 > $KNOB/windows
for delay in $delays; do
	for lock in ttas ticket mcs clh; do
		check "$lock/$delay: runs by hand" by_hand $lock "$delay"
	done
	check "$delay: the tool runs it in every lock" \
		works spindelay run --quiet --cpus 0,1 --time 1 ttas/"$delay" ticket/"$delay" mcs/"$delay" clh/"$delay"
	check "$delay: the tool tells what its poll costs" works spindelay cost --quiet --cpus 0,1 --time 1 "$delay"
done
check "no tick comes to CPU 1 in a window" no_tick_in_windows
finish
