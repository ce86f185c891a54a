#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --user: measuring in threads, for anybody, without the module.

. ./tap.sh

# as_nobody ARGUMENT...: what the tool makes of it, for a user without privilege
as_nobody()
{
	su nobody -s /bin/sh -c "cd /tmp && spindelay $*"
}

nobody_measures()
{
	tries as_nobody "$@"
}

nobody_is_refused()
{
	status=$1
	pattern=$2
	shift 2
	exits "$status" as_nobody "$@" && says "$pattern" && [ ! -s /tmp/stdout ]
}

# A number of windows, however many of them are valid.
few="--match count --think 0 --placements 6 --rounds 20"

works_both()
{
	# shellcheck disable=SC2086 # words
	tries spindelay compare --backend both $few isb nop &&
		grep -q '^In the module:$' /tmp/stdout && grep -q '^In user threads:$' /tmp/stdout &&
		grep -q '^ttas/isb  *nop .* kernel ' /tmp/stdout && grep -q '^ttas/isb  *nop .* user ' /tmp/stdout &&
		grep -q '^Difference in backend: kernel (kernel); user (user)\.$' /tmp/stdout
}

# A host that lets one CPU run at a time hides what two at once would lose.
loses()
{
	for attempt in 1 2 3 4 5; do
		as_nobody run --user --time 2 broken/isb > /tmp/stdout 2>&1
		tap_got=$?
		[ $tap_got != 1 ] || return 0
		echo "# attempt $attempt: status $tap_got"
	done
	false
}

check "with the module, the document says which it was" works spindelay run --time 1 --json - isb
check "kernel" grep -q '"backend": "kernel"' /tmp/stdout
check "compare, in both" works_both
sb=$(has_sb && echo yes)
rmmod spindelay
check "without the module and --user" nobody_is_refused 4 'insmod|modprobe' run isb
check "so is half of both" nobody_is_refused 4 'insmod|modprobe' compare --backend both isb nop
# shellcheck disable=SC2086
check "compare" nobody_measures compare --user $few isb nop
check "says that it was in threads" grep -q -e '--user' /tmp/stdout
check "run" nobody_measures run --user --time 1 isb nop
check "the document" nobody_measures run --user --time 1 --json - isb
check "says user" grep -q '"backend": "user"' /tmp/stdout
cp /tmp/stdout /tmp/user.json
check "and report redoes it" exits 0 spindelay report /tmp/user.json
check "cost" nobody_measures cost --user --time 2 isb nop yield
check "every lock that is not the kernel's runs" works as_nobody run --user --time 3 nolock/isb pace/isb ttas/isb \
	tas/isb ttas-backoff/isb ticket/isb mcs/isb clh/isb
check "a pair" works as_nobody run --user --time 1 --threads 2 handoff/isb
check "one that waits for an event ends" works as_nobody run --user --time 1 ttas/wfe clh/wfe
check "lost mutual exclusion is an error" loses
check "the knob is the module's" nobody_is_refused 4 'knob.*--user' run --user knob
check "raw-spinlock is the kernel's" nobody_is_refused 4 'raw-spinlock.*--user' run --user raw-spinlock/isb
if [ "$sb" ]; then
	check "sb" nobody_measures run --user --time 1 sb isb
else
	check "sb is not there" nobody_is_refused 4 'sb: .*capability' run --user sb
fi
if grep -qw wfxt /proc/cpuinfo; then
	check "wfet" nobody_measures run --user --time 1 wfet
else
	check "wfet is not there" nobody_is_refused 4 'wfet: .*capability' run --user wfet
fi
insmod "$SPINDELAY_KO"
rm -f /tmp/user.json
finish
