#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tool writes no file that it was not asked for, and turns no setting.

. ./tap.sh
FOLDER=/tmp/files
STAMP=/dev/stamp
mkdir $FOLDER
touch $STAMP
cd $FOLDER || exit

# On every file system that files can be on. A folder changes when a file comes or goes.
changed()
{
	find / /dev /dev/shm /tmp -xdev -newer $STAMP ! -type c | sort -u | tr '\n' ' '
}

# changes FILES COMMAND...: whether these, and no others, are changed by a command, which measures. A file's time is that of the
# last tick.
changes()
{
	tap_wanted=$1
	shift
	usleep 20000
	touch $STAMP
	usleep 20000
	"$@" > /dev/null 2>&1 < /dev/null
	tap_status=$?
	[ $tap_status = 0 ] || [ $tap_status = 3 ] || { echo "# status $tap_status from: $*"; false; } &&
		is "$tap_wanted" changed
}

settings()
{
	(cd $KNOB && grep -s . ./* result/*)
}

before=$(settings)
check "info" changes "" spindelay info
check "knob" changes "" spindelay knob
check "run" changes "" spindelay run --time 1 isb
check "run in threads" changes "" spindelay run --user --time 1 isb
check "run with a document" changes "$FOLDER $FOLDER/run.json " spindelay run --time 1 --json run.json isb
check "cost" changes "" spindelay cost --time 2 isb nop
check "compare" changes "" spindelay compare --time 2 --think 0 isb nop
check "sweep" changes "" spindelay sweep --time 5 --rounds 6 --counts 1,3 --locks ttas nop isb
check "selftest" changes "" spindelay selftest --time 5
check "replay, whose logs these are" changes "$FOLDER $FOLDER/replay.isb.log $FOLDER/replay.nop.log " \
	spindelay replay --force --sleep 0 --warmup 0 --repetitions 2 --unit 1000 --think 0 --time 5 --rounds 6 --match count nop isb
check "report" changes "" spindelay report run.json
check "no setting has changed" is "$before" settings
cd / && rm -rf $FOLDER $STAMP
finish
