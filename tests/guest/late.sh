#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Windows that last too long: a poll that takes 300 ms, and a guest that is stopped for 3 s. Each is seen, and its round is left
# out and counted. For a guest whose emulator has the plugin of tests/rig/plugin: no number of its own, tests/late runs it.

. ./tap.sh
TIMES=$(how_often 1)
DOCUMENT=/tmp/late.json

# late MS: the windows that are marked late and lasted for so long or longer
late()
{
	awk -v ms="$1" '
	# The number behind a key of this line
	function number(key) {
		match($0, "\"" key "\": *[0-9]+")
		return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0
	}
	/"counter_hz":/	{ hz = number("counter_hz") }
	# SPINDELAY_INVALID_LATE is 8.
	/"invalid":/	{ late += int(number("invalid") / 8) % 2 && number("ticks") >= hz / 1000 * ms }
	END		{ print late + 0 }' $DOCUMENT
}

# One variant, so that each round is a window.
invalid_are_discarded()
{
	discarded=$(sed -n 's/.*"discarded_rounds": *\([0-9]*\).*/\1/p' $DOCUMENT)
	invalid=$(grep '"invalid":' $DOCUMENT | grep -vc '"invalid":0,')
	echo "# $invalid windows are invalid, $discarded rounds discarded"
	[ "$discarded" = "$invalid" ]
}

# disturbed MS COMMAND...: whether windows that last so long are found when the command disturbs a run. A stop may fall between
# two windows.
disturbed()
{
	ms=$1
	shift
	for _ in 1 2 3 4 5; do
		spindelay run --quiet --cpus 0,1 --time 30 --placements 2 --rounds 950 --json $DOCUMENT isb > /tmp/late.out 2>&1 &
		running=$!
		begun && usleep 300000 && "$@" || return
		wait $running
		status=$?
		[ $status = 0 ] || [ $status = 3 ] || { cat /tmp/late.out; return 1; }
		invalid_are_discarded || return
		[ "$(late "$ms")" = 0 ] || return 0
		echo "# none was $ms ms late"
	done
	false
}

often()
{
	for _ in $(seq "$TIMES"); do
		disturbed "$@" || return
	done
}

plant isb=0
check "a poll that takes 300 ms makes a window late, and its round is counted as discarded, $TIMES times" \
	often 300 plant isb=300000000,times=1
check "so does a stop of the guest for 3 s, $TIMES times" often 3000 plant stop 3000
check "a run works afterwards" works spindelay run --quiet --time 1 isb
rm -f $DOCUMENT /tmp/late.out
finish
