#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cost --dispatch: what choosing the delay costs. Where the emulator counts instructions (-icount) the figures are exact.

. ./tap.sh

JSON=/tmp/dispatch.json
CSV=/tmp/dispatch.csv

# no_dispatch STATUS PATTERN ARGUMENT...: whether these are refused
no_dispatch()
{
	status=$1
	pattern=$2
	shift 2
	refuses "$status" "$pattern" cost --dispatch "$@"
}

# figure N LOOP WORD: the N-th figure of a line of the table, whose way ends with WORD
figure()
{
	awk -v n="$1" -v start="$2" -v word="$3" '
		$1 == start {
			for (i = 2; $i !~ /^[0-9-]/; i++)
				last = $i
			if (last == word)
				print $(i + n - 1)
		}' /tmp/out
}

# Instructions between two delays, of an instruction that is compiled in, and how many each other way adds: SB is
# chosen with one branch where ISB takes two.
if has_sb; then
	delay=sb more="main:1 time:2 static:3"
else
	delay=isb more="main:2 time:2 static:4"
fi

# exact LOOP: what each way adds, in instructions and in ns, of which every instruction takes one
exact()
{
	base=$(figure 1 "$1" in)
	for pair in $more; do
		is "$(awk "BEGIN { printf \"%.2f\", $base + ${pair#*:} }")" figure 1 "$1" "${pair%:*}" || return
		awk -v ns="$(figure 2 "$1" "${pair%:*}")" -v n="$(figure 1 "$1" "${pair%:*}")" \
			'BEGIN { if (ns - n < -0.02 || ns - n > 0.02) { print "# " ns " ns, " n " instructions"; exit 1 } }' || return
	done
}

check "cost --dispatch" measures cost --dispatch --json $JSON --csv $CSV
cp /tmp/stdout /tmp/out
check "it says that all execute $delay" grep -q "executes $delay and differs" /tmp/out
check "four ways in two loops" is 8 grep -cE '^(poll|count) ' /tmp/out
check "nothing is wider than 80 columns" sh -c '! grep -E "^.{81}" /tmp/out'
check "report says the same" sh -c "spindelay report $JSON | cmp - /tmp/out"
check "report writes the same" sh -c "spindelay report --json - $JSON | cmp - $JSON"
check "and the same as CSV" sh -c "spindelay report --csv - $JSON | cmp - $CSV"
check "which has each loop, way and round" is 800 sh -c "tail -n +2 $CSV | grep -cE '^[0-9]+,(poll|count),[a-z ]+,$delay,'"
if [ "$(figure 1 count in)" = - ]; then
	skip "instructions are exact" "no instruction counter: the emulator has one with -icount"
else
	check "counting: a delay that is compiled in is one of three or four" sh -c "case $(figure 1 count in) in [34].00) ;; *) false; esac"
	check "counting: what each way adds is exact" exact count
	check "polling: what each way adds is exact" exact poll
fi
check "it needs neither root" tries su nobody -s /bin/sh -c "spindelay cost --dispatch"
rmmod spindelay
check "nor the module" measures cost --dispatch
insmod "$SPINDELAY_KO"
check "a delay by name" no_dispatch 2 'takes no delays' isb
check "both to the same place" no_dispatch 2 'cannot both go' --json - --csv -
check "a CPU that is not there" no_dispatch 2 '.' --cpus 4000
rm -f $JSON $CSV /tmp/out
finish
