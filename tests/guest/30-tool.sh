#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tool's contract: what goes to stdout, exit statuses, one sentence for what is wrong.

. ./tap.sh

# one_line: whether what "exits" ran said one line on stderr
one_line()
{
	[ "$(wc -l < /tmp/stderr)" = 1 ] || { sed 's/^/# stderr: /' /tmp/stderr; false; }
}

check "help" exits 0 spindelay --help
for command in info knob cost run compare replay sweep selftest report; do
	check "help of $command" exits 0 spindelay $command --help
done
check "no command is a usage error" refuses 2 '' 2>/dev/null
check "an unknown command" refuses 2 "bogus" bogus
check "an unknown option" refuses 2 "bogus" run --bogus isb

check "info" exits 0 spindelay info
check "info says the CPU's name" grep -qE '^CPU +(Neoverse (N1|N2|V1)|QEMU max) ' /tmp/stdout
check "info says that it is emulated, on whose word" grep -q 'qemu-tcg' /tmp/stdout
check "info fits 80 columns" narrow
check "info needs no root" su nobody -s /bin/sh -c 'spindelay info > /dev/null'

check "knob" exits 0 spindelay knob
check "knob sets" exits 0 spindelay knob isb
check "and it is set" is isb cat $KNOB/delay
check "knob with an unknown name lists the valid ones" refuses 2 'auto.*none.*nop.*isb.*sb' knob bogus
check "and nothing is changed" is isb cat $KNOB/delay
echo auto > $KNOB/delay
check "knob without permission" su nobody -s /bin/sh -c 'spindelay knob isb 2> /tmp/unprivileged; [ $? = 1 ]'
check "and it says so in one line" test "$(wc -l < /tmp/unprivileged)" = 1
rm -f /tmp/unprivileged

check "run" measures run --time 1 ttas/isb
check "run fits 80 columns" narrow
check "run without a variant" refuses 2 'variant' run
check "an unknown delay lists the valid ones" refuses 2 'none.*nop.*yield.*isb.*sb' run bogus
check "an unknown lock lists the valid ones" refuses 2 'nolock.*pace.*broken.*ttas' run bogus/isb
check "an unknown --lock" refuses 2 'nolock.*pace.*broken.*ttas' run --lock bogus isb
check "count 0 names the value and the range" refuses 2 '0.*1.*4096' run 'isb*0'
check "a negative count" refuses 2 '-1.*1.*4096' run 'isb*-1'
check "a count above the bound" refuses 2 '4097.*1.*4096' run 'isb*4097'
check "a count with junk" refuses 2 '4x' run 'isb*4x'
check "an empty variant" refuses 2 '' run ''
check "a padding above the bound" refuses 2 '65537.*65536' run 'isb+chain*65537'
check "an empty cpulist" refuses 2 'CPU' run --cpus '' isb
check "a cpulist with junk" refuses 2 '0-x' run --cpus 0-x isb
check "an absent CPU is named" refuses 2 '\b97\b' run --cpus 0,97 isb
check "a CPU twice" refuses 2 '' run --cpus 0,0 isb
check "more threads than CPUs" refuses 2 '5' run --cpus 0,1 --threads 5 isb
check "threads 0" refuses 2 '0' run --threads 0 isb
check "a window too short names the range" refuses 2 '0.1.*0\.2.*20' run --window 0.1 isb
check "a window too long" refuses 2 '21.*0\.2.*20' run --window 21 isb
check "more work than fits a window" refuses 2 '600000' run --hold 600000 isb
check "a time that is none" refuses 2 'x' run --time x isb
check "an absent node" refuses 2 '63' run --node 63 isb
check "chain*0" refuses 2 '0.*1.*4096' run 'chain*0'
check "jitter 101" refuses 2 '101.*0.*100' run --jitter 101 isb
check "65 lines" refuses 2 '65.*0.*64' run --lines 65 isb
check "a wfet of no time" refuses 2 '0.*1.*100000' run --wfet 0 isb
check "a back-off of nothing" refuses 2 '0.*1.*4096' run --backoff 0:4 isb
check "a back-off upside down" refuses 2 '8.*1 to 4' run --backoff 8:4 isb
check "a back-off without an end" refuses 2 'MIN:MAX.*4096' run --backoff 8 isb
check "an unknown order" refuses 2 'sideways.*listed node spread' run --order sideways isb
check "share 0" refuses 2 '1 to 99' compare --share 0 isb nop
check "share 100" refuses 2 '1 to 99' compare --share 100 isb nop
check "share and think" refuses 2 'share.*think' compare --share 20 --think 5 isb nop
check "a share without polls" refuses 2 'raw-spinlock.*no polls' run --share 20 raw-spinlock/none
check "handoff on one CPU" refuses 2 'exactly two.*1' run --cpus 0 handoff/isb
check "handoff as one thread" refuses 2 'exactly two.*1' compare --threads 1 handoff/isb handoff/nop
check "cost of a handoff" refuses 2 'exactly two' cost --lock handoff isb
check "cost of raw-spinlock" refuses 2 'no poll' cost --lock raw-spinlock isb
check "a poll longer than a quarter of a window" refuses 2 'chain\*4096.*poll.*--window' \
	run --window 0.2 'chain*4096+chain*65536'

check "lost mutual exclusion is an error" exits 1 spindelay run --time 2 broken/isb
check "and is named" grep -q 'broken.isb lost mutual exclusion' /tmp/stdout

check "compare" measures compare --time 3 --think 0 isb nop
check "compare fits 80 columns" narrow
check "it begins with a sentence" sh -c 'head -n 1 /tmp/stdout | grep -qE "^isb against nop"'
check "it says that this proves nothing about hardware" grep -q 'prove.* nothing about hardware' /tmp/stdout
check "compare with one variant" refuses 2 '2 variants' compare isb
check "the document alone" measures compare --time 3 --think 0 --json - isb nop
check "is a JSON object and nothing else" sh -c 'head -c 1 /tmp/stdout | grep -q "{" && tail -n 1 /tmp/stdout | grep -q "}$"'
check "it has the schema" grep -q '"schema": *"spindelay-1"' /tmp/stdout
check "every verdict is not_judged" sh -c 'grep -o "\"verdict\": *\"[a-z_ ]*\"" /tmp/stdout | sort -u | grep -qx "\"verdict\": *\"not_judged\""'
check "a JSON file" measures compare --time 3 --think 0 --quiet --json /tmp/c.json isb nop
check "is there" test -s /tmp/c.json
check "a CSV file" measures compare --time 3 --think 0 --quiet --csv /tmp/c.csv isb nop
check "is there too" test -s /tmp/c.csv
check "quiet says nothing on stderr" test ! -s /tmp/stderr
mkdir -p /tmp/full
mount -t tmpfs -o size=8k tmpfs /tmp/full
check "no space for the JSON" exits 1 spindelay compare --time 2 --think 0 --quiet --json /tmp/full/c.json isb nop
check "says so in one line" one_line
check "and leaves no half file" is "" ls -A /tmp/full
umount /tmp/full
check "a JSON file in a folder that is not there" refuses 1 '/nowhere/c.json' run --time 1 --json /nowhere/c.json isb

if grep -qw wfet $KNOB/test_delays_available; then
	check "wfet runs" measures run --time 1 --wfet 500 ttas/wfet
else
	check "wfet is not supported here" refuses 4 'wfet: .*capability.*Neoverse' run wfet
	check "nor is it in cost" refuses 4 'wfet: .*capability' cost wfet
fi
if has_sb; then
	check "sb runs" measures run --time 1 ttas/sb
	check "cost" measures cost --time 4 isb sb
	check "cost fits 80 columns" narrow
else
	check "knob sb is not supported here" refuses 4 'capability' knob sb
	check "it names the CPU model" says 'Neoverse'
	check "run sb is not supported here" refuses 4 'capability' run sb
	check "compare sb isb is not supported here" refuses 4 'capability' compare sb isb
	check "cost" measures cost --time 4 isb nop
	check "cost fits 80 columns" narrow
fi

( exec 9<> /dev/spindelay; exits 1 spindelay run --time 1 isb ) > /tmp/busy
check "a device that is in use" test ! -s /tmp/busy
check "is said in one line" one_line
check "measuring without root" su nobody -s /bin/sh -c 'spindelay run --time 1 isb 2> /dev/null; [ $? = 1 ]'

rmmod spindelay
check "without the module: info" exits 0 spindelay info
check "without the module: knob" refuses 4 'insmod|modprobe' knob
check "without the module: run" refuses 4 'insmod|modprobe' run isb
check "without the module: compare" refuses 4 'insmod|modprobe' compare isb nop
insmod "$SPINDELAY_KO"
rm -f /tmp/c.json /tmp/c.csv
finish
