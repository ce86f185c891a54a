#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The ioctl and every file that can be written to withstand what a generator makes of good calls: CALLS of them, from SEED.

. ./tap.sh
FACTOR=${TIMES_FACTOR:-1}
# A million with FULL.
CALLS=${CALLS:-$((10000 * FACTOR * FACTOR))}
SEED=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}

settings()
{
	for file in delay test_lock test_delay test_count cpus hold_ns think_ns window_us windows; do
		echo "$file $(cat $KNOB/$file)"
	done
}

restore()
{
	while read -r file value; do
		echo "$value" > "$KNOB/$file" || return
	done
}

settings > /tmp/settings
echo "# CALLS=$CALLS SEED=$SEED"
check "$CALLS calls are answered as is documented" fuzz_abi "$CALLS" "$SEED"
check "the settings can be restored" restore < /tmp/settings
check "a run works" sh -c "echo 1 > $KNOB/run"
check "and loses nothing" is 0 cat $KNOB/result/lost
check "the module can be unloaded" rmmod spindelay
check "and loaded" insmod "$SPINDELAY_KO"
finish
