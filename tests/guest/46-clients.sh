#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Clients that race for knob, settings, runs and device are told "done" or "busy", and nothing else.

. ./tap.sh
SECONDS_EACH=${SECONDS_EACH:-10}

echo 5 > $KNOB/windows
echo 200 > $KNOB/window_us
for clients in 2 20; do
	check "$clients clients race for $SECONDS_EACH s" clients $clients "$SECONDS_EACH"
done
echo auto > $KNOB/delay
echo 1 > $KNOB/test_count
echo 100 > $KNOB/windows
echo 2000 > $KNOB/window_us
check "the knob is what it was" is auto cat $KNOB/delay
check "a run by hand works" sh -c "echo 1 > $KNOB/run"
check "and loses nothing" is 0 cat $KNOB/result/lost
check "nobody has kept the device" sh -c ": <> /dev/spindelay"
check "the module can be unloaded" rmmod spindelay
check "and loaded" insmod "$SPINDELAY_KO"
finish
