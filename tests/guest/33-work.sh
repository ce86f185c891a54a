#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a lock, a delay or the work makes special, as the tool tells it.

. ./tap.sh

# tells PATTERN: whether that was printed, wherever the lines were broken
tells()
{
	tr '\n' ' ' < /tmp/stdout | grep -qE -e "$1" || { sed 's/^/# /' /tmp/stdout; false; }
}

# column N of the first line that begins with PATTERN
column()
{
	awk -v pattern="^$2" "\$0 ~ pattern { print \$$1; exit }" /tmp/stdout
}

check "handoff" measures run --time 1 handoff/isb
check "says how long one takes" tells 'handoff/isb: [0-9.]+ ns per handover\.'
check "handoff while holding" measures run --time 1 --hold 100 --json /tmp/h.json handoff/isb
check "says so" tells 'per handover, hold included'
check "the document has it" grep -qE '"ns_per_handover":[0-9]' /tmp/h.json
check "compare takes two CPUs for it" measures compare --time 2 --match count handoff/isb handoff/nop

check "raw-spinlock" measures run --time 1 raw-spinlock/isb
check "says that its wait is its own" tells 'waits in a way of its own; its polls are not counted, and isb is not used'
check "has no polls" is - column 5 'raw-s[a-z~]*/isb'
check "and no delay share" is - column 6 'raw-s[a-z~]*/isb'
check "fits 80 columns" narrow

check "padding alone is a delay" measures run --time 1 'none+chain*5'
check "counters, or a dash" tells 'counted +CPUs +cycles each'

check "a share" measures run --time 15 --rounds 12 --share 15 --json /tmp/s.json ttas/isb
check "is told" tells 'With a think of [0-9]+ ns the delay share of ttas/isb on 2 CPUs is [0-9.]+ %; 15 % was asked for'
check "and in the document" grep -qE '"shares": \[\{.*"asked":0\.1[0-9]+,"achieved":[0-9.e-]+,"think_ns":[0-9]+' /tmp/s.json
check "a share that one CPU cannot have" sh -c '
	spindelay run --cpus 0 --share 20 ttas/isb 2>&1 > /dev/null | grep -q "out of reach: the highest .* 0\.0 %"'
check "ends with 1" exits 1 spindelay run --cpus 0 --share 20 ttas/isb

# valid_though_long: whether valid windows end more than 1 ms behind their time, because thinks of up to 7.4 ms are finished.
# Those that last longer still are invalid, and where the CPU is emulated they are many.
valid_though_long()
{
	for _ in 1 2 3 4 5; do
		works spindelay run --quiet --window 20 --rounds 8 --hold 0 --think 3700000 --jitter 100 \
			--json /tmp/t.json ttas/isb || return
		hz=$(grep -oE '"counter_hz": ?[0-9]+' /tmp/t.json | grep -oE '[0-9]+$')
		grep -oE '"invalid":0,"start":[0-9]+,"ticks":[0-9]+' /tmp/t.json | awk -F: -v hz="$hz" '
			$4 / hz > 0.0215 { long++ }
			END { print "# " long + 0 " of " NR " valid windows ended late"; exit !long }' && return
	done
	false
}
check "a think that outlasts its window is no disturbance" valid_though_long

check "cost of what sleeps" measures cost --time 2 wfe isb
check "is not one back to back" is - column 2 wfe
check "but that of its poll" sh -c 'awk "/^wfe / { exit !(\$6 > 0) }" /tmp/stdout'
check "fits 80 columns, too" narrow
rm -f /tmp/h.json /tmp/s.json /tmp/t.json
finish
