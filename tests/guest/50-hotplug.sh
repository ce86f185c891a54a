#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CPUs that go and come during runs: the round is invalid, the run ends, nothing hangs.

. ./tap.sh
CPU1=/sys/devices/system/cpu/cpu1/online
TIMES=$(how_often 5)
FLIPS=$(how_often 50)

# SPINDELAY_INVALID_OFFLINE is 1.
saw_offline()
{
	grep -qE '"invalid": *[0-9]*[13579][,}]' /tmp/hotplug.json
}

# once ARGUMENT...: windows for 1.9 s, in one plan; the CPU goes in the first second of them.
once()
{
	rm -f /tmp/hotplug.json
	spindelay run --quiet --cpus 0,1 --time 3 --placements 1 --rounds 950 --json /tmp/hotplug.json "$@" \
		> /tmp/hotplug.out 2>&1 &
	running=$!
	begun || return 1
	usleep $(($(random_up_to 1000) * 1000))
	echo 0 > $CPU1 || { echo "# CPU 1 stays on line"; return 1; }
	wait $running
	status=$?
	echo 1 > $CPU1
	[ $status = 3 ] || [ $status = 1 ] || [ $status = 0 ] || { echo "# status $status"; cat /tmp/hotplug.out; return 1; }
	saw_offline || [ $status = 1 ] || { echo "# status $status, no window is marked offline"; return 1; }
}

often()
{
	i=0
	while [ $i -lt "$TIMES" ]; do
		once "$@" || { echo "# at $i"; return 1; }
		i=$((i + 1))
	done
}

# One plan after the other on both CPUs, by hand: many are begun while one goes. Whatever was said of those that did not run
# is in /tmp/refused.
run_plans()
{
	ran=0
	while [ -e /tmp/flipping ]; do
		! echo 1 > $KNOB/run || ran=$((ran + 1))
	done 2> /tmp/refused
	echo $ran > /tmp/ran
}

flip()
{
	echo 0 > $CPU1 || return
	usleep $(($(random_up_to 100) * 1000))
	echo 1 > $CPU1 || return
	usleep $(($(random_up_to 100) * 1000))
}

flip_often()
{
	flips=0
	while [ $flips -lt "$FLIPS" ] && flip; do
		flips=$((flips + 1))
	done
}

# Whether plans run all the while, but for those that the CPU is not there for
flips_and_runs()
{
	: > /tmp/flipping
	run_plans &
	runner=$!
	flip_often
	rm /tmp/flipping
	wait $runner
	echo "# $(cat /tmp/ran) plans ran in $flips flips, $(wc -l < /tmp/refused) were refused"
	[ $flips = "$FLIPS" ] && [ "$(cat /tmp/ran)" -gt 0 ] && ! grep -v 'No such device$' /tmp/refused
}

if [ ! -e $CPU1 ]; then
	skip "a CPU goes offline during a run" "the guest has one CPU"
	finish
	exit
fi
check "a CPU goes offline during a run, $TIMES times" often ttas/isb
check "and while waiters sleep on it, $TIMES times" often --hold 50000 --sync-spin-loops 0 innodb-mutex/isb
echo 0 > $CPU1
check "an offline CPU is named" exits 2 spindelay run --quiet --cpus 0,1 isb
check "with its number" says '\b1\b'
echo 1 > $CPU1
check "a run works afterwards" works spindelay run --quiet --cpus 0,1 --time 1 isb
echo 0-1 > $KNOB/cpus
check "CPU 1 goes and comes $FLIPS times while plans run" flips_and_runs
check "a run by hand works afterwards" sh -c "echo 1 > $KNOB/run"
check "and one of the tool" works spindelay run --quiet --cpus 0,1 --time 1 isb
echo > $KNOB/cpus
rm -f /tmp/hotplug.json /tmp/hotplug.out /tmp/ran /tmp/refused
finish
