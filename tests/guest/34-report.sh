#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report: what a measuring command has written, it says again, to the last digit, whoever asks and wherever.

. ./tap.sh

FILES=/tmp/report
mkdir -p $FILES
cd $FILES || exit

# Rounds may be lost to a busy host, so measuring may end with 3 where it should end with 0: try again, a few times.
# keeps NAME ARGUMENT...: the tables are in NAME.txt, the document in NAME.json, the windows in NAME.csv
keeps()
{
	name=$1
	shift
	for attempt in 1 2 3 4 5; do
		exits 0 spindelay "$@" --quiet --json "$name.json" --csv "$name.csv" > attempt &&
			cp /tmp/stdout "$name.txt" && return
		[ "$tap_got" = 3 ] || break
		echo "# attempt $attempt: too noisy"
	done
	cat attempt
	false
}

# not_read STATUS PATTERN ARGUMENT...: whether report refuses these files in one line
not_read()
{
	status=$1
	pattern=$2
	shift 2
	refuses "$status" "$pattern" report "$@" && [ "$(wc -l < /tmp/stderr)" = 1 ]
}

# quiet_and_same FILE: what "exits" ran printed exactly this file, and nothing on stderr
quiet_and_same()
{
	cmp /tmp/stdout "$1" && [ ! -s /tmp/stderr ]
}

says_the_same()
{
	check "$1: the tables are the same" exits 0 spindelay report "$1.json"
	check "$1: to the last byte" quiet_and_same "$1.txt"
	check "$1: the document again" exits 0 spindelay report --json - "$1.json"
	check "$1: to the last byte, too" quiet_and_same "$1.json"
	check "$1: as a file, with the windows as another" \
		exits 0 spindelay report --json again.json --csv again.csv "$1.json"
	check "$1: both to the last byte" sh -c "cmp again.json $1.json && cmp again.csv $1.csv"
}

check "compare" keeps compare compare --time 3 --think 0 --match count isb nop
check "run" keeps run run --time 1 ttas/isb ticket/nop
check "cost" keeps cost cost --time 2 isb nop
check "another compare" keeps other compare --time 3 --think 0 --match count --hold 300 isb nop
check "all loads" keeps loads compare --time 15 --rounds 8 --placements 6 --match count isb nop
check "at equal time" keeps equal compare --cpus 0 --time 15 --rounds 8 --placements 6 'isb*20' nop
for name in compare run cost loads equal; do
	says_the_same $name
done

check "a pipe" sh -c 'spindelay report - < compare.json | cmp - compare.txt'
check "nobody may read" su nobody -s /bin/sh -c 'spindelay report /tmp/report/compare.json | cmp - /tmp/report/compare.txt'
check "over itself" sh -c 'cp run.json self.json && spindelay report --json self.json self.json > /dev/null && cmp self.json run.json'

check "two files" exits 0 spindelay report compare.json other.json
check "a line for each" sh -c '[ "$(grep -cE "^ttas/isb +nop +2 .* (compare|other) " /tmp/stdout)" = 2 ]'
check "what sets them apart" grep -qx 'Difference in hold, ns: 200 (compare); 300 (other).' /tmp/stdout
check "run beside compare" exits 0 spindelay report run.json compare.json
check "a line for each of these" sh -c '[ "$(grep -cE "^ttas/isb +2 .* (compare|run) " /tmp/stdout)" = 2 ]'
check "cost beside run" not_read 1 "'cost'.*'run'" cost.json run.json
check "two files and one document" not_read 2 'one file, not 2' --json - run.json compare.json

sed 's/"resolved":"[a-z]*"/"resolved":"edited"/' compare.json > edited.json
check "a file that was edited" exits 1 spindelay report edited.json
check "is named with the place" says "edited.json: 'comparisons\[0\].resolved' is \"edited\""
check "and its windows speak" cmp -s /tmp/stdout compare.txt

head -c 5000 compare.json > cut.json
check "a file that was cut" not_read 1 'cut.json: not a whole' cut.json
sed 's/spindelay-1/spindelay-9/' compare.json > schema.json
check "another schema" not_read 1 'spindelay-9' schema.json
: > empty.json
check "an empty file" not_read 1 'empty' empty.json
check "an absent file" not_read 1 'absent.json' absent.json
check "a folder" not_read 1 'directory' /tmp
mkfifo pipe.json
check "a named pipe that nobody writes to" not_read 1 'regular' pipe.json
check "no file" not_read 2 'needs a file'
check "info measures nothing" sh -c 'spindelay info --json info.json > /dev/null'
check "so there is nothing to say again" not_read 1 'run compare sweep selftest cost' info.json

rmmod spindelay
check "without the module" exits 0 spindelay report compare.json
check "it says the same" quiet_and_same compare.txt
insmod "$SPINDELAY_KO"
cd / && rm -rf $FILES
finish
