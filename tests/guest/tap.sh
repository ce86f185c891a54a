# SPDX-License-Identifier: GPL-2.0-or-later
# TAP for the guest's tests, which source this. They end as kselftests do: with 0, with 1 if a check failed, with 4 if all is skipped.
# shellcheck shell=sh

KNOB=/sys/class/misc/spindelay
tap_number=0
tap_failed=0

echo "TAP version 13"

# check DESCRIPTION COMMAND...: one result, good if the command ends with status 0
check()
{
	tap_number=$((tap_number + 1))
	tap_what=$1
	shift
	if "$@"; then
		echo "ok $tap_number - $tap_what"
	else
		tap_failed=1
		echo "not ok $tap_number - $tap_what"
		echo "# failed: $*"
	fi
}

# how_often COUNT: how often a test does what it does at random moments: so often, unless tests/run has a say
how_often()
{
	echo "${TIMES:-$(($1 * ${TIMES_FACTOR:-1}))}"
}

# random_up_to LIMIT: a number below it, which is 65536 at most
random_up_to()
{
	echo $(($(od -An -N2 -tu2 /dev/urandom) % $1))
}

# begun: wait until the worker of a run is there on CPU 1
begun()
{
	for _ in $(seq 1000); do
		! grep -qsx spindelay/1 /proc/[0-9]*/comm || return 0
		usleep 10000
	done
	echo "# no worker came in 10 s"
	return 1
}

no_workers()
{
	! grep -hs '^spindelay/' /proc/[0-9]*/comm
}

skip()
{
	tap_number=$((tap_number + 1))
	echo "ok $tap_number - $1 # SKIP $2"
}

# skip_all REASON: the whole test, which ends here
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 4
}

# is WANTED COMMAND...: whether the command prints exactly that
is()
{
	tap_wanted=$1
	shift
	tap_got=$("$@" 2>&1)
	[ "$tap_got" = "$tap_wanted" ] || {
		echo "# wanted: $tap_wanted"
		echo "# got:    $tap_got"
		false
	}
}

# exits STATUS COMMAND...: whether it ends with that status; its output is in /tmp/stdout and /tmp/stderr
exits()
{
	tap_wanted=$1
	shift
	"$@" > /tmp/stdout 2> /tmp/stderr < /dev/null
	tap_got=$?
	[ $tap_got = "$tap_wanted" ] || {
		echo "# wanted status $tap_wanted, got $tap_got from: $*"
		sed 's/^/# stderr: /' /tmp/stderr
		false
	}
}

# says PATTERN: whether what "exits" ran said so on stderr, and in one line
says()
{
	grep -qE -e "$1" /tmp/stderr || {
		sed 's/^/# stderr: /' /tmp/stderr
		false
	}
}

# works COMMAND...: whether it measures, be it that the host was too busy to tell
works()
{
	"$@" > /tmp/stdout 2> /tmp/stderr < /dev/null
	tap_got=$?
	[ $tap_got = 0 ] || [ $tap_got = 3 ] || {
		echo "# status $tap_got"
		sed 's/^/# stderr: /' /tmp/stderr
		false
	}
}

# refuses STATUS PATTERN ARGUMENT...: whether the tool ends with that, says so on stderr, and prints nothing
refuses()
{
	tap_status=$1
	tap_pattern=$2
	shift 2
	exits "$tap_status" spindelay "$@" && says "$tap_pattern" && [ ! -s /tmp/stdout ]
}

# tries COMMAND...: whether it ends with status 0; a busy host may make it too noisy a few times
tries()
{
	for tap_attempt in 1 2 3 4 5 6 7 8; do
		exits 0 "$@" > /tmp/attempt && return
		[ "$tap_got" = 3 ] || break
		echo "# attempt $tap_attempt: too noisy"
	done
	cat /tmp/attempt
	false
}

# measures ARGUMENT...: the same of the tool
measures()
{
	tries spindelay "$@"
}

# narrow [FILE]: whether what was printed fits 80 columns
narrow()
{
	awk 'length($0) > 80 { print "# wide: " $0; bad = 1 } END { exit bad }' "${1:-/tmp/stdout}"
}

has_sb()
{
	grep -qw sb $KNOB/delays_available
}

finish()
{
	echo "1..$tap_number"
	return $tap_failed
}

# Where there is no rig, all that it has in places of its own is beside the tests, and nobody has loaded the module.
if [ -z "$SPINDELAY_KO" ]; then
	export PATH="$PWD:$PATH" SPINDELAY_KO="$PWD/spindelay.ko" SPINDELAY_FOLLOWER_KO="$PWD/spindelay_follower.ko"
	[ -d /sys/module/spindelay ] || tap_said=$(insmod "$SPINDELAY_KO" 2>&1) || skip_all "the module does not load: $tap_said"
fi
