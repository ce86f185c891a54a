#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# replay: the protocol's logs and means, what is refused, and what is left when it is cut short.

. ./tap.sh

FILES=/tmp/replay
mkdir -p $FILES
cd $FILES || exit

# Some tenths of a second of work, in few repetitions: what is tested takes no more.
replays()
{
	measures replay --quiet --force --sleep 0 --warmup 1 --repetitions 3 --unit 1000 --think 0 --time 3 "$@"
}

# no_replay STATUS PATTERN ARGUMENT...: whether these are refused
no_replay()
{
	status=$1
	pattern=$2
	shift 2
	refuses "$status" "$pattern" replay --quiet --sleep 0 "$@"
}

# every_line FILE N: it has so many lines, each in the form of time -f "%e real,\t%U user,\t%S sys"
every_line()
{
	[ "$(wc -l < "$1")" = "$2" ] && [ "$(grep -cE '^[0-9]+\.[0-9]{2} real,	[0-9]+\.[0-9]{2} user,	[0-9]+\.[0-9]{2} sys$' \
		"$1")" = "$2" ]
}

# repetitions_in JSON: how many there are, of all variants
repetitions_in()
{
	grep '"replay":' "$1" | grep -o '"real_s"' | wc -l
}

# printed_mean LOG COLUMN: what the table has
printed_mean()
{
	awk -v log_name="$1" -v column="$2" '$1 == log_name { print $(column + 2) }' out
}

# the_script_agrees LOG: its awk line, over each of the columns, prints what the tool printed
the_script_agrees()
{
	for column in 1 2 3; do
		is "$(printed_mean "$1" $column)" awk -v at=$((2 * column - 1)) '{ sum += $at } END { print sum / NR }' "$1" ||
			return
	done
}

check "help" exits 0 spindelay replay --help
check "a replay" replays --json r.json --csv r.csv --name r nop isb
cp /tmp/stdout out
for log in r.nop.log r.isb.log; do
	check "$log has a line for each repetition" every_line "$log" 3
	check "$log: the script's awk comes to the printed means" the_script_agrees "$log"
done
check "no time in user space" sh -c '! grep -v "	0\.00 user," r.nop.log r.isb.log'
check "it says how much work a repetition is" sh -c 'tr "\n" " " < out | grep -q "is 500 x 1000 = 500000 acquisitions by"'
check "the pairs are not judged on an emulated CPU" sh -c 'tr "\n" " " < out | grep -q "because this CPU is emulated"'
check "and it warns" grep -q 'prove nothing about hardware' out
check "waits are there" grep -q '^waits, ns' out
check "nothing is wider than 80 columns" is "" awk 'length($0) > 80' out
check "report says the same" sh -c 'spindelay report r.json > again; cmp again out'
check "report writes the same" sh -c 'spindelay report --json - r.json | cmp - r.json'
check "the repetitions are in the document" is 6 repetitions_in r.json
cp r.json s.json
check "report sets two side by side" exits 0 spindelay report r.json s.json
check "with a line for each log" is 4 grep -cE '^i[a-z~-]*/(nop|isb) .* (r|s) +3 ' /tmp/stdout
check "which has its mean" grep -qE "^i[a-z~-]*/nop .* s +3 +$(printed_mean r.nop.log 1) " /tmp/stdout

check "logs that are there are refused" no_replay 1 'r.nop.log is there already.*--force' --name r nop isb
check "and stay" every_line r.isb.log 3
check "a folder that is not there" no_replay 1 '/nowhere/r\..*\.log: No such file' --name /nowhere/r nop isb
check "no work" no_replay 2 'work: 0 .*1 to 1000000' --work 0 nop isb
check "a unit of none" no_replay 2 'unit: 0 .*1 to 1000000000' --unit 0 nop isb
check "too many repetitions" no_replay 2 'repetitions: 257 .*1 to 256' --repetitions 257 nop isb
check "no repetitions" no_replay 2 'repetitions: 0 .*1 to 256' --repetitions 0 nop isb
check "a sleep without end" no_replay 2 'sleep: .*0 to 3600' --sleep 1e9 nop isb
check "more threads than CPUs" no_replay 2 'threads: 400 .*out of range' --threads 400 nop isb
check "hardly any work" no_replay 2 'a unit of about' --think 0 --unit 1 nop isb
check "work for years" no_replay 2 'a unit of about' --think 0 --work 1000000 --unit 1000000000 nop isb
check "one variant alone" no_replay 2 'at least 2 variants' isb
check "one log for two" no_replay 2 'two variants would write' nop isb isb isb
check "no name" no_replay 2 'name: ' --name '' nop isb

ln -s /dev/full full.nop.log
check "a disk that is full" exits 1 spindelay replay --quiet --force --sleep 0 --warmup 0 --unit 1000 --think 0 \
	--json full.json --name full nop isb
check "is named" says 'cannot write full.nop.log: No space left'
check "what was measured is in the document" is 1 repetitions_in full.json
check "which is whole" sh -c 'spindelay report full.json > out 2> /dev/null; [ $? = 3 ]'

rm -f r.* s.json
check "one that is broken off" sh -c \
	'timeout -s INT 12 spindelay replay --quiet --sleep 0.2 --warmup 0 --repetitions 200 --unit 1000 --think 0 --json r.json \
		--name r nop isb; [ $? -gt 100 ]'
check "has left a log of whole lines" sh -c 'test -s r.nop.log'
lines=$(wc -l < r.nop.log)
check "in the script's form" every_line r.nop.log "$lines"
check "and a document" sh -c 'spindelay report r.json > out 2> /dev/null; [ $? = 3 ]'
n=$(repetitions_in r.json)
# The document comes right behind the line.
check "with the repetitions until then" sh -c "[ $n = $lines ] || [ $n = $((lines - 1)) ]"
cd / && rm -rf $FILES
finish
