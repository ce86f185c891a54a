#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A sweep, one that is broken off, and one that is gone on with.

. ./tap.sh

JSON=/tmp/sweep.json

# placements: how many there are of each set, one line
placements()
{
	sed '/"windows": \[/,$d' $JSON | grep -o '"placements":\[[^]]*\|{"page"' | awk '
		/placements/	{ if (n != "") printf "%s ", n; n = 0 }
		/page/		{ n++ }
		END		{ print n }'
}

check "help" exits 0 spindelay sweep --help
check "a sweep" measures sweep --quiet --cpus 0 --rounds 6 --counts 1,3 --locks ttas,pace --json $JSON nop isb
check "says of each cell what is best" is 2 grep -c '1 CPU, .*best ' /tmp/stdout
check "gives no advice on an emulated CPU" sh -c 'grep -q "Advice is withheld: this CPU is emulated" /tmp/stdout'
check "but shows its form" sh -c 'tr "\n" " " < /tmp/stdout | grep -q "innodb_spin_wait_pause_multiplier=N.*OnSpinWaitInst=DELAY"'
check "report says the same" sh -c "spindelay report $JSON > /tmp/report; cmp /tmp/report /tmp/stdout"
check "report writes the same" sh -c "spindelay report --json - $JSON | cmp - $JSON"
check "nothing is left to go on with" measures sweep --quiet --resume $JSON
check "and it says so again" cmp /tmp/report /tmp/stdout

check "one that is broken off" sh -c \
	"timeout -s INT 6 spindelay sweep --quiet --cpus 0 --rounds 40 --counts 1,3 --locks ttas,pace,tas,ticket,mcs,clh --json $JSON nop isb; [ \$? -gt 100 ]"
check "has left what it had" test -s $JSON
check "which is whole" sh -c "spindelay report $JSON > /tmp/report 2> /dev/null; [ \$? != 1 ]"
placements > /tmp/before
check "of some cells" sh -c 'grep -q "6" /tmp/before && grep -q "0" /tmp/before'
check "going on" sh -c "spindelay sweep --quiet --resume $JSON --time 5 > /dev/null; [ \$? = 3 ] || [ \$? = 0 ]"
placements > /tmp/after
check "measures more" sh -c '[ "$(tr -cd 6 < /tmp/after | wc -c)" -gt "$(tr -cd 6 < /tmp/before | wc -c)" ]'

check "a lock in a delay" refuses 2 'sweep takes delays.*--locks' sweep ttas/isb
check "one setting alone" refuses 2 'at least 2 settings' sweep --counts 1 isb
check "a count twice" refuses 2 '3 is named twice' sweep --counts 3,3 nop isb
check "a count of none" refuses 2 '0.*1.*4096' sweep --counts 0 nop isb
check "an unknown lock" refuses 2 'nolock.*pace.*ttas' sweep --locks ttas,bogus nop isb
check "going on with nothing" refuses 1 '/nowhere' sweep --resume /nowhere
check "going on with delays" refuses 2 'name no delays' sweep --resume $JSON isb
measures compare --quiet --cpus 0 --rounds 6 --placements 1 --match count --json $JSON nop isb
check "going on with something else" refuses 1 'of compare, not of sweep' sweep --resume $JSON
rm -f $JSON /tmp/before /tmp/after /tmp/report
finish
