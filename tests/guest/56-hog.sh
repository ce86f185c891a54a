#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A real-time task that takes a CPU of a run for itself: the run ends nevertheless, its windows say why they are invalid,
# and whoever started it can be killed at once.

. ./tap.sh
SHARE=/proc/sys/kernel/sched_rt_runtime_us
SERVER=/sys/kernel/debug/sched/fair_server/cpu1/runtime
HOG_S=25

# What the kernel leaves to others on a CPU with real-time tasks: nothing.
leave_nothing()
{
	share=$(cat $SHARE)
	echo -1 > $SHARE || return
	[ ! -e $SERVER ] || { server=$(cat $SERVER) && echo 0 > $SERVER; }
}

leave_a_share()
{
	[ ! -e $SERVER ] || echo "$server" > $SERVER || return
	echo "$share" > $SHARE
}

start_hog()
{
	hog 1 $HOG_S &
	hog=$!
}

# Not a time, but an order of events: it is still at work.
hog_runs()
{
	kill -0 "$hog" 2> /dev/null || { echo "# it took until the other task had ended"; return 1; }
}

end_hog()
{
	kill "$hog"
	wait "$hog"
} 2> /dev/null

# killed SIGNAL: whether the signal ends the tool while its CPU is taken
killed()
{
	spindelay run --quiet --cpus 0,1 --time 60 --rounds 950 isb > /dev/null 2>&1 &
	running=$!
	begun || return
	start_hog
	sleep 1
	kill -"$1" "$running" || return
	wait "$running" 2> /dev/null
	hog_runs
	status=$?
	end_hog
	return $status
}

ends_by_hand()
{
	echo 1 > $KNOB/run &
	running=$!
	begun && start_hog
	wait "$running" && hog_runs
	status=$?
	end_hog
	return $status
}

if [ ! -e /sys/devices/system/cpu/cpu1 ]; then
	skip_all "the guest has one CPU"
fi
# There a thread sees to the timers of ordinary tasks, and such a task keeps that from its CPU, too.
! uname -v | grep -q PREEMPT_RT || skip_all "on PREEMPT_RT the kernel's own threads starve with it"
echo 0-1 > $KNOB/cpus
echo 20000 > $KNOB/window_us
echo 95 > $KNOB/windows
check "a run by hand ends while a real-time task has what it may of CPU 1" ends_by_hand
check "real-time tasks may have all" leave_nothing
check "kill -9 ends a run while CPU 1 is taken" killed KILL
check "so does a signal that it could have caught" killed TERM
check "a run ends by itself while CPU 1 is taken" ends_by_hand
check "and says how many windows were invalid" test "$(cat $KNOB/result/windows_invalid)" -gt 0
check "real-time tasks may have no more than before" leave_a_share
check "no worker is left" no_workers
echo 2000 > $KNOB/window_us
echo 100 > $KNOB/windows
check "a run works afterwards" works spindelay run --quiet --cpus 0,1 --time 1 isb
echo > $KNOB/cpus
finish
