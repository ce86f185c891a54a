#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A CPU that goes offline during a run: the round is invalid, the run ends, nothing hangs.

. ./tap.sh
CPU1=/sys/devices/system/cpu/cpu1/online
TIMES=${TIMES:-5}

# SPINDELAY_INVALID_OFFLINE is 1.
saw_offline()
{
	grep -qE '"invalid": *[0-9]*[13579][,}]' /tmp/hotplug.json
}

# Its worker on CPU 1 is there.
begun()
{
	for _ in $(seq 1000); do
		grep -qsx 'spindelay/1' /proc/[0-9]*/comm && return
		usleep 10000
	done
	echo "# no worker came in 10 s"
	return 1
}

# once ARGUMENT...: windows for 1.9 s, in one plan; the CPU goes in the first second of them.
once()
{
	rm -f /tmp/hotplug.json
	spindelay run --quiet --cpus 0,1 --time 3 --placements 1 --rounds 950 --json /tmp/hotplug.json "$@" \
		> /tmp/hotplug.out 2>&1 &
	running=$!
	begun || return 1
	usleep $(($(od -An -N2 -tu2 /dev/urandom) * 15))
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
rm -f /tmp/hotplug.json /tmp/hotplug.out
finish
