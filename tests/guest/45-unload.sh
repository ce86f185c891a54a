#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# While a run is on the module says that it is busy; the knob can be turned; another run is refused.

. ./tap.sh

start()
{
	spindelay compare --quiet --time 30 "$@" --json /tmp/unload.json > /dev/null 2>&1 &
	running=$!
	usleep 500000
}

stop()
{
	kill -TERM $running
	wait $running 2>/dev/null
}

start nop isb
check "the module says busy during a run" sh -c '! rmmod spindelay 2>/dev/null'
check "a second opener is refused" sh -c '! (: <> /dev/spindelay) 2>/dev/null'
check "a second run is refused" exits 1 spindelay run --quiet --time 1 isb
check "the knob is turned during a run" sh -c "echo nop > $KNOB/delay"
check "and says so" is nop cat $KNOB/effective
echo auto > $KNOB/delay
stop
check "the module can be unloaded after it" rmmod spindelay
insmod "$SPINDELAY_KO"

# turn COUNT: the knob back and forth
turn()
{
	for _ in $(seq "$1"); do
		echo nop > $KNOB/delay
		usleep 20000
		echo isb > $KNOB/delay
		usleep 20000
	done
	echo auto > $KNOB/delay
}

turn 60 &
turner=$!
spindelay run --quiet --time 3 --placements 1 --rounds 100 --json /tmp/knob.json ttas/knob ttas/isb > /dev/null 2>&1
wait $turner
# SPINDELAY_INVALID_KNOB is 16; variant 0 is the knob's.
check "windows of the knob see that it is turned" sh -c "grep -qE '\"variant\": *0, *\"invalid\": *(1[6-9]|2[0-9]|3[01]|4[89]|5[0-9]|6[0-3])' /tmp/knob.json"
check "windows of other delays do not" sh -c "! grep -qE '\"variant\": *1, *\"invalid\": *(1[6-9]|2[0-9]|3[01]|4[89]|5[0-9]|6[0-3])' /tmp/knob.json"
rm -f /tmp/knob.json /tmp/unload.json
finish
