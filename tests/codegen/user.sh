#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The loops that user threads run are held to what loops.sh asks of the module's, in the tool itself: nothing patches
# it, so its file is what runs.
#
#	user.sh FOLDER		the tool is $BUILD/spindelay

. "$(dirname "$0")/lib.sh"

LOOPS='^spindelay_(nolock|pace|broken|ttas|tas|ttas_backoff|ticket|mcs|clh|handoff)_'
TEXT=$(mktemp "${TMPDIR:-/tmp}/spindelay-text.XXXXXX") || exit
trap 'rm -f "$TEXT"' EXIT

# "NAME address ADDRESS", then "NAME OFFSET mnemonic operands" for each instruction. Places are offsets from the function's
# first byte.
"$OBJDUMP" -d --no-show-raw-insn "$BUILD/spindelay" | awk -v loops="$LOOPS" '
	/^[0-9a-f]+ <.*>:$/ {
		name = substr($2, 2, length($2) - 3)
		first = 1
		next
	}
	name !~ loops || !/^ *[0-9a-f]+:\t/	{ next }
	first		{ print name, "address", substr($1, 1, length($1) - 1); first = 0; place = -4 }
	{
		sub(/^ *[0-9a-f]+:\t/, "")
		sub(/ *\/\/.*/, "")
		gsub(/[0-9a-f]+ <[^+>]*/, "<")
		gsub(/[ \t]+/, " ")
		print name, place += 4, $0
	}' > "$TEXT"

# every DESCRIPTION PROGRAM: the program sets checked, for each loop that it looked at, and prints those that are bad
every()
{
	local bad

	bad=$(awk "$2"' END { if (!checked) print "none to look at" }' "$TEXT" | sort -u)
	[ -z "$bad" ]
	result $? "user threads: $1"
	[ -z "$bad" ] || echo "# not so: ${bad//$'\n'/ }"
}

every "no loop holds a call or an indirect branch" '
	{ checked = 1 }
	$3 ~ /^(bl|blr|br|blraa|braa)$/	{ print $1 }'
every "every loop begins a cache line" '
	$2 == "address"	{ checked = 1; if ($3 !~ /[048c]0$/) print $1 }'
# A line that differs is the delay here and nop there.
every "a loop differs from that of nop in the delay alone" '
	$2 == "address"	{ next }
	{
		name = $1; place = $2
		sub(/^[^ ]+ [^ ]+ /, "")
		text[name, place] = $0
		most[name] = place
	}
	END {
		for (name in most) {
			if (name ~ /dsb_isb/ || !match(name, /_(yield|isb|sb)(_|$)/))
				continue
			delay = substr(name, RSTART + 1, RLENGTH - 1)
			sub(/_$/, "", delay)
			other = name
			sub("_" delay, "_nop", other)
			differ = 0
			for (i = 0; i <= most[name]; i += 4) {
				if (text[name, i] == text[other, i])
					continue
				differ++
				if (text[name, i] != delay || text[other, i] != "nop")
					print name
			}
			if (!differ && name !~ /_nolock_/)
				print name
			checked++
		}
	}'
every "a twin is its first in text" '
	$2 == "address"	{ next }
	{
		name = $1; place = $2
		sub(/^[^ ]+ [^ ]+ /, "")
		text[name, place] = $0
		most[name] = place
	}
	END {
		for (name in most) {
			if (name !~ /_twin/)
				continue
			other = name
			sub(/_twin/, "", other)
			for (i = 0; i <= most[name]; i += 4)
				if (text[name, i] != text[other, i] && text[name, i] text[other, i] !~ /^(nop|udf)*$/)
					print name
			checked++
		}
	}'
every "a poll is its delay and five instructions" '
	$2 == "address"	{ next }
	$1 ~ /_(broken|ttas|ticket|mcs|clh|handoff)_(nop|yield|isb|sb)(_twin)?(_llsc)?$/ {
		if ($1 != name)
			run = ""
		name = $1
		seen[name] += 0
		run = run " " $3
		delay = name
		sub(/(_twin)?(_llsc)?$/, "", delay)
		sub(/.*_/, "", delay)
		if (run ~ " ldr cmp b[.](eq|ne) " delay " subs b[.]ne$")
			seen[name]++
	}
	END {
		for (name in seen) {
			checked++
			if (!seen[name])
				print name
		}
	}'
finish
