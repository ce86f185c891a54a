#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every allocation fails in turn, of all that the module can be asked for: it says so, nothing hangs, and what comes next
# works. What it leaves behind, 90-leaks finds.

. ./tap.sh
FAULTS=/sys/kernel/debug
# Loads with a failure: a load has 500 allocations, most of them before the module's own code begins. All of them with FULL.
if [ "${TIMES_FACTOR:-1}" = 1 ]; then LOADS=${LOADS:-40}; else LOADS=${LOADS:-1002}; fi

if [ ! -e /proc/self/fail-nth ] || [ ! -d $FAULTS/failslab ]; then
	skip_all "this kernel has no fault injection"
fi

# Most allocations may wait for memory, and are spared by default; a failure is no reason for a backtrace here.
for kind in failslab fail_page_alloc; do
	echo N > $FAULTS/$kind/ignore-gfp-wait
done
echo N > $FAULTS/fail_page_alloc/ignore-gfp-highmem
echo 0 > $FAULTS/fail_page_alloc/min-order
for kind in "$FAULTS"/fail*/verbose; do
	echo 0 > "$kind"
done

each_file()
{
	for file in "$KNOB"/* "$KNOB"/result/*; do
		case $file in
		*/uevent | */dev) continue ;;
		esac
		[ ! -f "$file" ] || [ -h "$file" ] || "$@" "$file" || return
	done
}

# Without a result there is nothing to read.
reads()
{
	[ ! -r "$1" ] || [ "${1##*/}" = run ] || failing read "$1"
}

stores()
{
	[ -z "$(find "$1" -perm -200)" ] || failing store "$1"
}

# kthreadd makes the workers, and has its own allocations: of these, tasks fail.
threads()
{
	[ -e /sys/kernel/slab/task_struct/failslab ] || {
		echo "# tasks cannot be told from other memory"
		return 1
	}
	echo 1 > /sys/kernel/slab/task_struct/failslab
	echo Y > $FAULTS/failslab/cache-filter
	echo Y > $FAULTS/failslab/task-filter
	echo -1 > $FAULTS/failslab/times
	echo 30 > $FAULTS/failslab/probability
	echo 1 > /proc/2/make-it-fail
	failing threads 50
	status=$?
	echo 0 > /proc/2/make-it-fail
	echo 0 > $FAULTS/failslab/probability
	echo N > $FAULTS/failslab/task-filter
	echo N > $FAULTS/failslab/cache-filter
	return $status
}

echo 2 > $KNOB/windows
echo 200 > $KNOB/window_us
echo 1 > $KNOB/run
check "opening the device" failing open
check "a plan" failing plan
check "reading each file" each_file reads
check "storing to each file" each_file stores
check "making the workers, in kthreadd" threads
echo 100 > $KNOB/windows
echo 2000 > $KNOB/window_us
check "the module is unloaded" rmmod spindelay
check "loading the module, $LOADS times" failing load "$SPINDELAY_KO" "$LOADS"
check "the module loads" insmod "$SPINDELAY_KO"
check "a run works" sh -c "echo 1 > $KNOB/run"
finish
