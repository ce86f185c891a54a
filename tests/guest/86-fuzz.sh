#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The ioctl and every file that can be written to survive what a generator makes of good calls: CALLS of them, from SEED.

. ./tap.sh
FACTOR=${TIMES_FACTOR:-1}
# A million with FULL.
CALLS=${CALLS:-$((10000 * FACTOR * FACTOR))}
SEED=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}

echo "# CALLS=$CALLS SEED=$SEED"
check "$CALLS calls" fuzz_abi "$CALLS" "$SEED"
echo auto > $KNOB/delay
echo ttas > $KNOB/test_lock
echo isb > $KNOB/test_delay
echo > $KNOB/cpus
for pair in test_count=1 hold_ns=200 think_ns=0 window_us=2000 windows=100; do
	echo ${pair#*=} > $KNOB/${pair%%=*}
done
check "a run works afterwards" sh -c "echo 1 > $KNOB/run"
check "and loses nothing" is 0 cat $KNOB/result/lost
check "the module can be unloaded" rmmod spindelay
check "and loaded" insmod "$SPINDELAY_KO"
finish
