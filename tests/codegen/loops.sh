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

# What the delay is compared to is nop; where a delay stands, both have it.
same_but_delay()
{
	local name=$1 lock=$2 delay=$3

	diff <(disassemble "$TEXT/$name.bin") <(disassemble "$TEXT/${name/_${lock}_$delay/_${lock}_nop}.bin") |
		awk -v delay="${insn[$delay]}" '
			/^</	{ if ($3 != delay || NF != 3) bad = 1; left++; next }
			/^>/	{ if ($3 != "nop" || NF != 3) bad = 1; right++; next }
			END	{ exit bad || left != right }'
}

calls_nothing()
{
	! disassemble "$TEXT/$1.bin" | grep -qE '^[0-9a-f]+ (bl|blr|br|blraa|braa)( |$)'
}

address_of()
{
	awk -v name="$1" '$1 == name { print $2 }' "$TEXT/index"
}

begins_a_line()
{
	local address

	address=$(address_of "$1")
	[ -n "$address" ] && [ $((address % 64)) = 0 ]
}

holds_its_delay()
{
	disassemble "$TEXT/$1.bin" | grep -q " ${insn[$3]}$"
}

polls_of()
{
	disassemble "$TEXT/$1.bin" | awk -v start=poll -f "$(dirname "$0")/path.awk"
}

# Without what depends on where a function stands: what it calls, and what fills it up to the next one.
text_of()
{
	disassemble "$TEXT/$1.bin" | awk '
		$2 ~ /^(bl|adrp)$/	{ $NF = "somewhere" }
					{ text[NR] = $0; if ($2 != "nop" && $2 != "udf") last = NR }
		END			{ for (i = 1; i <= last; i++) print text[i] }'
}

is_a_twin()
{
	local first=${1/_twin/}

	[ "$(address_of "$1")" != "$(address_of "$first")" ] && [ "$(text_of "$first" | wc -l)" -gt 20 ] &&
		diff -q <(text_of "$first") <(text_of "$1") > /dev/null
}

# ldr, cmp, branch, the delay, subs, b.ne: load, compare and branch, and two to count.
poll_is_short()
{
	polls_of "$1" | awk -v delay="$3" '
		BEGIN	{ split("ldr cmp b.cond " delay " subs b.ne", wanted) }
		/^poll/	{ if ($2 !~ /(^|[048c])0$/) bad = 1; if (polls++ && step != 6) bad = 1; step = 0; next }
			{ sub(/^b[.](eq|ne)/, ++step == 3 ? "b.cond" : "&"); if ($1 != wanted[step]) bad = 1 }
		END	{ exit bad || !polls || step != 6 }'
}

# The locks that have a poll of another kind: the delay, two to count, one or two to look, all in one cache line.
own_poll_is_short()
{
	polls_of "$1" | awk -v delay="$3" '
		/^poll/			{ if ($2 !~ /[048c]8$/) bad = 1; if (polls++ && step != 5) bad = 1; step = 0; next }
		++step == 3 && $1 != delay	{ bad = 1 }
		END			{ exit bad || !polls || step != 5 }'
}

# every CHECK LOCKS DELAYS FORMS ATOMICS DESCRIPTION: one result for all the loops that match, "." being all
every()
{
	local check=$1 name lock delay form atomics checked=0 bad=0

	while read -r name lock delay form atomics; do
		[[ $lock =~ ^($2)$ && $delay =~ ^($3)$ && $form =~ ^($4)$ && $atomics =~ ^($5)$ ]] || continue
		checked=$((checked + 1))
		"$check" "$name" "$lock" "$delay" && continue
		bad=$((bad + 1))
		echo "# not so: $name"
	done < "$TEXT/list"
	[ $bad = 0 ] && [ $checked -gt 0 ]
	result $? "$6 ($checked loops)"
}

ours='nolock|pace|broken|ttas|tas|ttas_backoff|ticket|mcs|clh|handoff'
single='nop|yield|isb|sb'

every calls_nothing "$ours" '.*' '.*' '.*' "no loop holds a call or an indirect branch"
every is_a_twin '.*' '.*' twin '.*' "a twin is its first's text at another address"
every begins_a_line '.*' '.*' '.*' '.*' "every loop begins a cache line"
every same_but_delay "$ours" 'yield|isb|sb' '.*' '.*' "a loop differs from that of nop in the delay alone"
every holds_its_delay "${ours#nolock|}" "$single" '.*' '.*' "a loop holds its delay"
every poll_is_short 'broken|ttas|ticket|mcs|clh|handoff' "$single" 'one|twin' '.*' \
	"a poll is its delay and five instructions, from a cache line's start"
every own_poll_is_short 'tas|ttas_backoff' "$single" 'one|twin' lse "so it is in tas and ttas-backoff, within a cache line"
finish
