#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two variants of a lock differ, in the text that runs, in the delay alone; no loop calls anything or jumps to
# where a register says; a poll is its delay and five instructions, and begins a cache line.
#
#	loops.sh FOLDER		what the guest left in /out

. "$(dirname "$0")/lib.sh"
TEXT=$1/text/loops

# The delays that are one instruction, and what it looks like.
declare -A insn=([nop]=nop [yield]=yield [isb]=isb [sb]=sb)

names()
{
	cut -d' ' -f1 "$TEXT/index"
}

# What the delay is compared to is nop; where a delay stands, both have it.
same_but_delay()
{
	local name=$1 delay=$2 reference=${1/_$2/_nop}

	diff <(disassemble "$TEXT/$name.bin") <(disassemble "$TEXT/$reference.bin") |
		awk -v delay="${insn[$delay]}" '
			/^</	{ if ($3 != delay || NF != 3) bad = 1; left++; next }
			/^>/	{ if ($3 != "nop" || NF != 3) bad = 1; right++; next }
			END	{ exit bad || left != right }'
}

delays_in()
{
	disassemble "$TEXT/$1.bin" | grep -c " ${insn[$2]}$"
}

calls_nothing()
{
	! disassemble "$TEXT/$1.bin" | grep -qE '^[0-9a-f]+ (bl|blr|br|blraa|braa)( |$)'
}

# ldr, cmp, b.ne, the delay, subs, b.ne: load, compare and branch, and two to count.
poll_is_short()
{
	disassemble "$TEXT/$1.bin" | awk -v start=poll -f "$(dirname "$0")/path.awk" |
		awk -v delay="$2" '
			BEGIN	{ split("ldr cmp b.ne " delay " subs b.ne", wanted) }
			/^poll/	{ if ($2 !~ /(^|[048c])0$/) bad = 1; if (polls++ && step != 6) bad = 1; step = 0; next }
				{ if ($1 != wanted[++step]) bad = 1 }
			END	{ exit bad || !polls || step != 6 }'
}

begins_a_line()
{
	local address

	address=$(awk -v name="$1" '$1 == name { print $2 }' "$TEXT/index")
	[ -n "$address" ] && [ $((address % 64)) = 0 ]
}

holds_its_delay()
{
	[ "$(delays_in "$1" "$2")" -gt 0 ]
}

delay_of()
{
	sed -E 's/spindelay_[a-z]+_([a-z]+(_isb)?).*/\1/' <<< "$1"
}

# every CHECK PATTERN DESCRIPTION: one result for all the loops whose name and delay (name:delay) match
every()
{
	local check=$1 pattern=$2 name checked=0 bad=0

	for name in $(names); do
		[[ $name:$(delay_of "$name") =~ $pattern ]] || continue
		checked=$((checked + 1))
		"$check" "$name" "$(delay_of "$name")" && continue
		bad=$((bad + 1))
		echo "# not so: $name"
	done
	[ $bad = 0 ] && [ $checked -gt 0 ]
	result $? "$3 ($checked loops)"
}

every calls_nothing . "no loop holds a call or an indirect branch"
every begins_a_line . "every loop begins a cache line"
every same_but_delay ':(yield|isb|sb)$' "a loop differs from that of nop in the delay alone"
every holds_its_delay '_(ttas|pace|broken)_.*:(nop|yield|isb|sb)$' "a loop holds its delay"
every poll_is_short '_(ttas|broken)_(nop|yield|isb|sb)(_llsc)?:' \
	"a poll is its delay and five instructions, from a cache line's start"
finish
