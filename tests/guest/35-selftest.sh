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

narrow()
{
	awk 'length($0) > 80 { print "# wide: " $0; bad = 1 } END { exit bad }' "$1"
}

# Where a busy host steals time from the guest, few windows are valid, and that is what selftest says; the shorter they
# are, the more are.
in_order()
{
	for window in 2 0.5 0.2; do
		exits 0 spindelay selftest --window $window --json /tmp/selftest.json && return
		[ "$tap_got" = 3 ] || break
		sed "s/^/# windows of $window ms: /" /tmp/stdout
	done
	false
}

check "selftest trusts what is in order" in_order
mv /tmp/stdout /tmp/selftest
check "the conclusion comes first, and says that the CPU is emulated" \
	sh -c 'head -n 2 /tmp/selftest | tr "\n" " " | grep -q "emulated: its timings prove nothing about hardware"'
for name in $checks; do
	check "$name passes, with a figure" passed "$name"
done
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
check "one CPU: what takes two is skipped" exits 0 spindelay selftest --quiet --cpus 0 --time 5
check "and is said to be" grep -qE '^skipped +broken ' /tmp/stdout

rmmod spindelay
check "without the module" exits 4 spindelay selftest
check "it says so" says "module"
check "and prints nothing" test ! -s /tmp/stdout
insmod "$SPINDELAY_KO"
finish
