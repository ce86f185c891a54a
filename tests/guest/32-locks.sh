#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every lock with every delay that this machine has: it runs, and whoever is inside is alone.

. ./tap.sh

LOCKS=$(cat $KNOB/test_locks_available)
DELAYS=$(cat $KNOB/test_delays_available)

# short ARGUMENT...: a run of a few windows. A busy host may leave none of them valid, which ends with 3: once out of
# a few times it must work. A lock that lost mutual exclusion ends with 1.
short()
{
	for attempt in 1 2 3 4 5 6 7 8 9 10; do
		[ "$attempt" = 1 ] || echo "# attempt $attempt: $*"
		spindelay run --quiet --time 0.2 "$@" > /tmp/stdout 2> /tmp/stderr < /dev/null
		tap_got=$?
		[ $tap_got = 0 ] && return
		[ $tap_got = 3 ] || break
	done
	echo "# status $tap_got from: $*"
	sed 's/^/# /' /tmp/stdout /tmp/stderr
	false
}

# with_all_delays LOCK: whether each of them works in it
with_all_delays()
{
	for delay in $DELAYS; do
		short --rounds 6 --placements 1 "$1/$delay" || return
	done
}

# in_all_locks DELAY: whether it works in each of them
in_all_locks()
{
	for lock in $LOCKS; do
		[ "$lock" = broken ] || short --rounds 6 --placements 1 "$lock/$1" || return
	done
}

for lock in $LOCKS; do
	[ "$lock" = broken ] || check "$lock works with each of: $DELAYS" with_all_delays "$lock"
done

for lock in $LOCKS; do
	[ "$lock" = broken ] || check "$lock on its defaults for 0.2 s" short "$lock/isb"
done
for form in 'isb*3' 'none+chain*5' 'chain*10' 'nop*2+chain*7' 'wfe*2'; do
	check "each lock polls with $form" in_all_locks "$form"
done
check "broken is caught, whatever the work" exits 1 spindelay run --quiet --time 2 --lines 8 broken/nop

# Work.
check "64 lines, jitter and think" short --lines 64 --jitter 100 --think 300 ticket/isb
check "back-off from 4 to 4096" short --backoff 4:4096 ttas-backoff/nop
for order in listed node spread; do
	check "order $order" short --order $order --threads 2 ttas/nop
done
check "the order is recorded" short --order spread --json /tmp/o.json ttas/nop
check "by its name" grep -q '"order": "spread"' /tmp/o.json
rm -f /tmp/o.json

# What each lock promises is in its numbers: a ticket lock takes turns.
check "ticket" short --rounds 20 ticket/nop
jain=$(awk '/^ticket\/nop/ && NF == 9 { print $8 }' /tmp/stdout)
check "its CPUs get in equally often (Jain index $jain)" awk "BEGIN { exit !($jain > 0.95) }"
finish
