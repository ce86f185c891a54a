#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# While a run is on the module says that it is busy; the knob can be turned; another run is refused. What else holds the
# module, or holds its files open, when it is taken out.

. ./tap.sh
TIMES=$(how_often 20)

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

# not_unloaded COUNT: at so many random moments of the run that is on
not_unloaded()
{
	for moment in $(seq "$1"); do
		usleep $(($(random_up_to 300) * 1000))
		! rmmod spindelay 2> /tmp/stderr || { echo "# at moment $moment: it was unloaded"; return 1; }
		grep -q 'Resource temporarily unavailable' /tmp/stderr || { cat /tmp/stderr; return 1; }
	done
	kill -0 $running || { echo "# the run had ended"; return 1; }
}

# A run by hand holds no descriptor: unloading waits for its end.
unloads_after_run()
{
	ran=0
	for moment in $(seq "$TIMES"); do
		echo 1 > $KNOB/run 2> /dev/null &
		running=$!
		usleep $(($(random_up_to 300) * 1000))
		rmmod spindelay || { echo "# at moment $moment: it was not unloaded"; return 1; }
		! wait $running || ran=$((ran + 1))
		insmod "$SPINDELAY_KO" || return
	done
	echo "# $ran runs came to their end"
	[ $ran -gt 0 ]
}

# The files that can be opened, of the device and of the results
files()
{
	for file in "$KNOB"/* "$KNOB"/result/*; do
		case ${file##*/} in dev | uevent) continue ;; esac
		[ ! -f "$file" ] || [ -h "$file" ] || echo "$file"
	done
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

start nop isb
check "the module says busy at $TIMES random moments of a run" not_unloaded "$TIMES"
stop
exec 9<> /dev/spindelay
check "and while a descriptor is open" sh -c '! rmmod spindelay 2> /dev/null'
exec 9>&-
check "unloading waits for a run by hand, at $TIMES random moments" unloads_after_run
# shellcheck disable=SC2046 # one word for each file
check "a file that was open when the module went is dead" keepopen "rmmod spindelay" $(files)
insmod "$SPINDELAY_KO"
# shellcheck disable=SC2046
check "and stays dead when the module comes again" keepopen 'rmmod spindelay && insmod "$SPINDELAY_KO"' $(files)
check "a run works afterwards" works spindelay run --quiet --time 1 isb

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
