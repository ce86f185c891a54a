#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole commands in threads, for a user without privilege, without the module. On one CPU: with two a busy host spoils
# most of the windows of threads.

. ./tap.sh

FILES=/tmp/nobody
mkdir -m 777 $FILES
cd $FILES || exit

# as_nobody COMMAND ARGUMENT...: with its document and what it printed as COMMAND.json and COMMAND.txt
as_nobody()
{
	su nobody -s /bin/sh -c "cd $FILES && spindelay $* --user --quiet --cpus 0 --json $1.json" > "$1.txt"
}

# of_threads COMMAND: whether its document says so, and is one of that command, written by nobody
of_threads()
{
	is "{ \"schema\": \"spindelay-1\", \"command\": \"$1\", \"backend\": \"user\"," sh -c "head -n 3 $1.json | tr -d '\n'" &&
		is nobody stat -c %U "$1.json"
}

# again COMMAND: whether report ends as the command did, and comes to the same numbers
again()
{
	exits 0 spindelay report "$1.json" && cmp /tmp/stdout "$1.txt" && spindelay report --json - "$1.json" | cmp - "$1.json"
}

# every_line LOG: two repetitions, all of them in user space
every_line()
{
	is 2 grep -cE '^[0-9]+\.[0-9]{2} real,	[0-9]+\.[0-9]{2} user,	0\.00 sys$' "$1" && is 2 grep -c '' "$1"
}

rmmod spindelay
check "sweep" tries as_nobody sweep --time 5 --rounds 6 --counts 1,3 --locks ttas nop isb
check "says of each cell what is best" is 1 grep -c "1 CPU, .*best " sweep.txt
check "selftest" tries as_nobody selftest --time 5
check "passes what one CPU is enough for" is "" grep '^not ok' selftest.txt
check "and skips what takes two" grep -qE '^skipped +broken ' selftest.txt
check "replay" tries as_nobody replay --force --sleep 0 --warmup 0 --repetitions 2 --unit 1000 --think 0 --time 5 --rounds 6 \
	--placements 6 --match count nop isb
for log in replay.nop.log replay.isb.log; do
	check "$log: times are of user space" every_line $log
done
for command in sweep selftest replay; do
	check "$command: the document is of threads" of_threads $command
	check "$command: report says the same" again $command
done
insmod "$SPINDELAY_KO"
cd / && rm -rf $FILES
finish
