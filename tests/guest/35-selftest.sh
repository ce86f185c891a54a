#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# selftest, whole, beside a module that is as it should be; and what it exits with where it is not.

. ./tap.sh

checks="twins control broken exclusion order timer stop"

# passed CHECK: whether its line, and its entry in the document, say so
passed()
{
	grep -qE "^ok +$1 " /tmp/selftest || { sed 's/^/# /' /tmp/selftest; false; } &&
		grep -q "{\"check\":\"$1\",\"passed\":true,\"detail\":\"" /tmp/selftest.json
}

# discarded: "N of M rounds" that selftest left out, from what "exits" ran
discarded()
{
	tr -s ' \n' ' ' < /tmp/stdout | grep -oE '[0-9]+ of [0-9]+ rounds discarded'
}

# busy: whether a host that steals time from the guest left selftest less than half of its rounds, and it says so
busy()
{
	[ "$tap_got" = 3 ] && grep -q "too noisy to be trusted" /tmp/stdout &&
		discarded | awk '{ exit !(2 * $1 > $3) }'
}

# in_order DESCRIPTION ARGUMENT...: one result. Skipped where the host is too busy each time.
in_order()
{
	what=$1
	shift
	for attempt in 1 2 3; do
		exits 0 spindelay selftest "$@" > /tmp/attempt || busy || break
		[ "$tap_got" != 0 ] || break
		echo "# attempt $attempt: $(discarded)"
	done
	sed 's/^/# /' /tmp/stdout
	if busy; then
		skip "$what" "the host is too busy: $(discarded)"
	else
		check "$what" test "$tap_got" = 0
	fi
}

# What takes enough valid rounds; the rest passes however few there are.
timed="twins control broken order stop"

in_order "selftest trusts what is in order" --json /tmp/selftest.json
mv /tmp/stdout /tmp/selftest
quiet=$tap_got
for name in $checks; do
	if [ "$quiet" != 0 ] && echo "$timed" | grep -qw "$name"; then
		skip "$name passes, with a figure" "the host is too busy"
	else
		check "$name passes, with a figure" passed "$name"
	fi
done
conclusion="emulated: its timings prove nothing about hardware"
[ "$quiet" = 0 ] || conclusion="too noisy to be trusted with a comparison"
check "the conclusion comes first" sh -c "head -n 2 /tmp/selftest | tr '\n' ' ' | grep -q '$conclusion'"
check "there are no other checks" is 7 grep -cE '^(ok|not ok|skipped) ' /tmp/selftest
check "it fits 80 columns" narrow /tmp/selftest
check "the document says which command" grep -q '"command": "selftest"' /tmp/selftest.json
check "it holds a twin" grep -q '"twin":true' /tmp/selftest.json
check "it holds every set" is 6 sh -c 'grep "\"sets\": " /tmp/selftest.json | grep -o "\"placements\":\[" | wc -l'
check "and windows" sh -c '[ "$(grep -c "\"ticks\":" /tmp/selftest.json)" -gt 200 ]'
rm -f /tmp/selftest.json

check "a variant is one too many" exits 2 spindelay selftest isb
check "and is named" says "'isb'"
check "too short a time is refused" exits 2 spindelay selftest --time 0.1
in_order "one CPU is enough" --quiet --cpus 0 --time 5
check "what takes two is skipped, and is said to be" grep -qE '^skipped +broken ' /tmp/stdout

rmmod spindelay
check "without the module" exits 4 spindelay selftest
check "it says so" says "module"
check "and prints nothing" test ! -s /tmp/stdout
insmod "$SPINDELAY_KO"
finish
