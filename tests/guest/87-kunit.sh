#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The KUnit suites of the module's own logic, each of their cases, and each row of a case's table, as a result.

. ./tap.sh
KUNIT=/sys/kernel/debug/kunit

# KUnit's KTAP, in which cases are indented by four blanks and the rows of their tables by eight, as flat results.
flatten()
{
	awk -v number="$tap_number" '
		function result(word, name) {
			print word, ++number, "- " name
			failed += word != "ok"
		}
		function pass_on(of) {
			word = $1 == "ok" ? "ok" : "not ok"
			sub(/^ *(not )?ok [0-9]+ (- )?/, "")
			result(word, of ": " $0)
		}
		/^ *KTAP version/		{ next }
		/^    # Subtest: /		{ suite = $3; planned = cases = 0; next }
		/^        # Subtest: /		{ table = $3; next }
		/^    1\.\.[0-9]/		{ planned = substr($1, 4); next }
		/^        (not )?ok /		{ pass_on(suite ": " table); next }
		/^    (not )?ok /		{ cases++; pass_on(suite); next }
		/^(not )?ok /			{ suites++
						  whole = $1 == "ok" && planned && cases == planned
						  result(whole ? "ok" : "not ok", suite ": all of its " planned " cases are good"); next }
		!/^1\.\.|pass:[0-9]|# module: /	{ print "# " $0 }
		END				{ if (!suites) result("not ok", "there are suites")
						  print "1.." number
						  exit failed > 0 }'
}

[ -d $KUNIT ] || skip_all "this kernel has no KUnit"
grep -qw kunit.enable=1 /proc/cmdline || skip_all "the kernel was booted without kunit.enable=1"
check "the suites load" insmod "${SPINDELAY_KO%.ko}_kunit.ko"
cat $KUNIT/spindelay_*/results | flatten
status=$?
rmmod spindelay_kunit
exit $status
