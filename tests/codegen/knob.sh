#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With the knob at SB or ISB, spin_delay() executes that instruction with no load, no call and no indirect branch,
# in our own module and in another one that includes its header.
#
#	knob.sh FOLDER		what the guest left in /out

. "$(dirname "$0")/lib.sh"
PATH_AWK=$(dirname "$0")/path.awk

# The instruction once, and no-ops and direct branches besides; "mov x9, x30" is the tracer's, at the entry.
follower_is_clean()
{
	disassemble "$1" | awk -v start=entry -f "$PATH_AWK" | awk -v delay="$2" '
		$1 == delay		{ delays++; next }
		$0 == "mov x9, x30" || $1 == "nop" || $1 == "b" || $1 == "ret" || $1 == "bti"	{ next }
					{ bad = 1 }
		END			{ exit bad || delays != 1 }'
}

# In a lock: besides, the one load of the lock word, its compare and branch, and the count.
poll_is_clean()
{
	disassemble "$1" | awk -v start=poll -f "$PATH_AWK" | awk -v delay="$2" '
		function check()	{ if (polls && (delays != 1 || loads != 1)) bad = 1; delays = loads = 0 }
		$1 == "poll"		{ check(); polls++; next }
		$1 == delay		{ delays++; next }
		$1 == "ldr"		{ loads++; next }
		$1 == "nop" || $1 == "b" || $1 == "cmp" || $1 == "b.ne" || $1 == "subs"	{ next }
					{ bad = 1 }
		END			{ check(); exit bad || !polls }'
}

for delay in isb sb; do
	folder=$1/text/$delay
	[ -d "$folder" ] || continue
	follower_is_clean "$folder/follower_poll.bin" $delay
	result $? "knob at $delay: another module executes $delay, no-ops and branches"
	for name in spindelay_ttas_knob spindelay_ttas_knob_llsc; do
		poll_is_clean "$folder/$name.bin" $delay
		result $? "knob at $delay: a poll of $name executes $delay and one load, no call"
	done
done
finish
