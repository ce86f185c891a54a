#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A run with nothing but echo and cat.

. ./tap.sh
cd $KNOB || exit

# set FILE TEXT, and refused MESSAGE FILE TEXT, for which the old value must stay
set_to()
{
	# shellcheck disable=SC2059 # the text is a format
	printf "$2" > "$1" 2>/dev/null
}

refused()
{
	before=$(cat "$2" 2>/dev/null)
	# shellcheck disable=SC2059
	message=$(printf "$3" 2>/dev/null | dd of="$2" bs=65536 iflag=fullblock 2>&1) && return 1
	echo "$message" | grep -qE "$1" || { echo "# said: $message"; return 1; }
	[ "$before" = "$(cat "$2" 2>/dev/null)" ]
}

# Until the windows are valid: a busy host spoils some.
run_valid()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		echo 1 > run || return 1
		[ "$(cat result/windows_valid)" -gt 0 ] && return
	done
	echo "# no valid window"
	return 1
}

for pair in test_lock=ttas test_delay=isb test_count=1 cpus= hold_ns=200 think_ns=0 window_us=2000 windows=100; do
	check "${pair%%=*} is ${pair#*=} at first" is "${pair#*=}" cat "${pair%%=*}"
done
check "there is no result at first" sh -c '! cat result/rate 2>/dev/null'
check "a run" run_valid
for file in acquisitions polls delays rate delay_share min_over_max wait_max_ns lost windows_valid windows_invalid; do
	check "result/$file is a number" sh -c "grep -qxE '[0-9]+(\.[0-9]{3})?' result/$file"
done
check "the lock was taken" test "$(cat result/acquisitions)" -gt 0
check "at a rate" test "$(cat result/rate)" -gt 0
check "nothing was lost" is 0 cat result/lost
check "all windows are accounted for" test $(($(cat result/windows_valid) + $(cat result/windows_invalid))) = 100

echo 20 > windows
locks=$(cat test_locks_available)
for lock in $locks; do
	check "test_lock takes $lock" set_to test_lock "$lock\n"
	check "and says so" is "$lock" cat test_lock
	check "and runs" run_valid
done
echo ttas > test_lock
delays=$(cat test_delays_available)
for delay in $delays; do
	check "test_delay takes $delay" set_to test_delay "$delay\n"
	check "and says so" is "$delay" cat test_delay
	check "and runs" run_valid
done
echo broken > test_lock
echo nop > test_delay
lost_some()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		echo 1 > run
		[ "$(cat result/lost)" -gt 0 ] && return
	done
	return 1
}
check "the broken lock is caught" lost_some
echo ttas > test_lock
echo isb > test_delay

INVALID='Invalid argument'
RANGE='Numerical result out of range|Result not representable'
check "an unknown lock is refused" refused "$INVALID" test_lock 'bogus\n'
check "an unknown delay is refused" refused "$INVALID" test_delay 'bogus\n'
check "an empty lock is refused" refused "$INVALID" test_lock '\n'
has_sb || check "a delay that this CPU lacks is refused" refused 'upported' test_delay 'sb\n'
check "count 0 is refused" refused "$RANGE" test_count '0\n'
check "count 4097 is refused" refused "$RANGE" test_count '4097\n'
check "a negative count is refused" refused "$INVALID" test_count '-1\n'
check "a count with junk is refused" refused "$INVALID" test_count '1x\n'
check "a count of 2^32 is refused" refused "$RANGE" test_count '4294967296\n'
check "a count with a NUL is refused" refused "$INVALID" test_count '1\0002\n'
check "a hold too long is refused" refused "$RANGE" hold_ns '5000001\n'
check "a window too short is refused" refused "$RANGE" window_us '199\n'
check "a window too long is refused" refused "$RANGE" window_us '20001\n'
check "no windows are refused" refused "$RANGE" windows '0\n'
check "CPUs that are no list are refused" refused "$INVALID" cpus '0-x\n'
check "an absent CPU is refused" refused "$INVALID|No such device" cpus '200\n'
check "running 0 is refused" refused "$INVALID" run '0\n'
check "running junk is refused" refused "$INVALID" run '1 1\n'
check "an unprivileged run is refused" su nobody -s /bin/sh -c "! echo 1 > $KNOB/run" 2>/dev/null
check "an inherited file without the capability runs nothing" su nobody -s /bin/sh -c '! echo 1 >&9' 9> run 2>/dev/null
echo 8190 > windows
check "more than two seconds are refused" refused 'too (long|big)' run '1\n'
check "and leave no result" sh -c '! cat result/rate 2>/dev/null'
echo 100 > windows
echo handoff > test_lock
echo 0 > cpus
check "a pair's lock on one CPU is refused" refused "$INVALID" run '1\n'
echo ttas > test_lock
check "one CPU" run_valid
echo > cpus
check "no CPUs are the default ones" run_valid
exec 9<> /dev/spindelay
check "while the device is open a run is refused" refused busy run '1\n'
exec 9>&-

echo 900 > windows
echo 1 > run &
usleep 300000
check "while it runs nothing can be set" refused busy test_count '2\n'
check "nor is there a result" sh -c '! cat result/rate 2>/dev/null'
check "nor another run" refused busy run '1\n'
wait
check "then there is a result" test -s result/rate
interrupt 200 KILL sh -c 'echo 1 > run'
check "a killed writer ends its run" run_valid
echo 100 > windows
finish
