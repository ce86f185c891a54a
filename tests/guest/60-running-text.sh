#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Leave the loops' running text in /out/text, for tests/codegen to look at: with the knob at ISB, and at SB where
# this CPU has it.

KNOB=/sys/class/misc/spindelay
# Names as C has them; sb is there even where it cannot be executed.
locks=$(tr - _ < $KNOB/test_locks_available)
delays="none nop yield isb sb dsb_isb chain wfe"

# Name, lock, delay, form and atomics of each loop, a line each.
loops()
{
	for lock in $locks; do
		for delay in $delays; do
			for form in one n pad twin; do
				suffix=_$form
				[ $form != one ] || suffix=
				echo "spindelay_${lock}_$delay$suffix $lock $delay $form lse"
				echo "spindelay_${lock}_$delay${suffix}_llsc $lock $delay $form llsc"
			done
		done
	done
}

# dump MODE NAME...
dump()
{
	mkdir -p "/out/text/$1"
	mode=$1
	shift
	textdump "/out/text/$mode" "$@" > "/out/text/$mode/index"
}

knob_text()
{
	echo "$1" > $KNOB/delay && dump "$1" follower_poll spindelay_ttas_knob spindelay_ttas_knob_llsc
}

insmod "$SPINDELAY_FOLLOWER_KO"
dump engine window_ends > /dev/null
mkdir -p /out/text/loops
loops > /out/text/loops/list
# shellcheck disable=SC2046 # a list of names
if dump loops $(cut -d' ' -f1 /out/text/loops/list); then echo "ok 1 - the loops are dumped"; else echo "not ok 1 - the loops are dumped"; fi
if knob_text isb; then echo "ok 2 - the ISB path is dumped"; else echo "not ok 2 - the ISB path is dumped"; fi
if ! grep -qw sb $KNOB/delays_available; then
	echo "ok 3 - the SB path is dumped # SKIP this CPU has no SB"
elif knob_text sb; then
	echo "ok 3 - the SB path is dumped"
else
	echo "not ok 3 - the SB path is dumped"
fi
echo auto > $KNOB/delay
rmmod spindelay_follower
echo 1..3
