#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The locks that sleep: they do, they are woken, what they did is counted, and nothing that ends a run waits for them.

. ./tap.sh
TIMES=$(how_often 10)

# short ARGUMENT...: a run of a few windows. A busy host may leave none of them valid, which ends with 3.
short()
{
	for attempt in 1 2 3 4 5 6 7 8 9 10; do
		[ "$attempt" = 1 ] || echo "# attempt $attempt: $*"
		spindelay run --quiet --time 0.5 --json /tmp/run.json "$@" > /tmp/stdout 2> /tmp/stderr < /dev/null
		tap_got=$?
		[ $tap_got = 0 ] && return
		[ $tap_got = 3 ] || break
	done
	echo "# status $tap_got from: $*"
	sed 's/^/# /' /tmp/stdout /tmp/stderr
	false
}

# counted LOCK COLUMN: what the table of counted waits has: 3 rounds each, 4 delays each, 5 rounds, 6 delays, 7 yields, 8 parks.
# A lock whose name is cut there is known by what is left of it.
counted()
{
	awk -v lock="$1" -v column="$2" '
		function is_it(name,	cut)
		{
			sub("/.*", "", name)
			cut = sub("~$", "", name)
			return cut ? index(lock, name) == 1 : name == lock
		}
		/^waits, counted/	{ on = 1; next }
		/^$/			{ on = 0 }
		on && is_it($1)		{ print $column }' /tmp/stdout
}

# more_than FEW NUMBER
more_than()
{
	[ "${2:-0}" -gt "$1" ] || {
		echo "# got '$2'"
		sed 's/^/# /' /tmp/stdout
		false
	}
}

# same_in_json KEY SUM: whether the CPUs of the document come to it
same_in_json()
{
	[ "$(grep -o "\"$1\":[0-9]*" /tmp/run.json | cut -d: -f2 | awk '{ sum += $1 } END { print sum }')" = "$2" ]
}

# counts COLUMN LOCK ARGUMENT...: whether its waiters did that, as counted() has it. Where the host lets one CPU run at a
# time, nobody meets a taken lock.
counts()
{
	column=$1
	lock=$2
	shift 2
	for busy in 1 2 3 4 5 6 7 8 9 10; do
		[ "$busy" = 1 ] || echo "# nobody did: $*"
		short "$@" "$lock/isb" || return
		[ "$(counted "$lock" "$column")" = 0 ] || return 0
	done
	more_than 0 "$(counted "$lock" "$column")"
}

# sleeps LOCK ARGUMENT...
sleeps()
{
	counts 8 "$@"
}

# woken LOCK ARGUMENT...: whether sleepers are, by others: one that is not sleeps once in a window on each CPU.
woken()
{
	lock=$1
	shift
	for busy in 1 2 3 4 5 6 7 8 9 10; do
		[ "$busy" = 1 ] || echo "# nobody was: $*"
		short "$@" "$lock/isb" || return
		windows=$(grep -o '"invalid":0,' /tmp/run.json | wc -l)
		[ "$(counted "$lock" 8)" -gt $((2 * windows)) ] && return
	done
	more_than $((2 * windows)) "$(counted "$lock" 8)"
}

# A hold that outlasts all rounds: whoever comes meanwhile must sleep.
check "innodb-mutex: waiters sleep" \
	sleeps innodb-mutex --threads 2 --hold 50000 --spin-wait-delay 2 --pause-multiplier 1 --sync-spin-loops 2
parks=$(counted innodb-mutex 8)
check "and yield before" more_than "$((parks - 1))" "$(counted innodb-mutex 7)"
check "after two rounds each" more_than "$((2 * parks - 1))" "$(counted innodb-mutex 5)"
check "the document has the parks, too" same_in_json parks "$parks"
check "and the rounds" same_in_json rounds "$(counted innodb-mutex 5)"

# Half readers, half writers: both have to wait for writers, and writers for readers, too.
check "innodb-rwlock: waiters sleep" sleeps innodb-rwlock --threads 2 --hold 50000 --read-share 50 \
	--spin-wait-delay 2 --pause-multiplier 1 --sync-spin-loops 2
check "readers alone" short --threads 2 --hold 50000 --read-share 100 --sync-spin-loops 2 innodb-rwlock/isb
check "wait for nobody" is 0 counted innodb-rwlock 5
check "postgres-slock: waiters sleep" sleeps postgres-slock --threads 2 --hold 300000 --window 5
check "a read share beyond all is refused" exits 2 spindelay run --read-share 101 innodb-rwlock/isb
check "with its range" says '0 to 100'

# Whose numbers it waits by says whether it sleeps.
check "backoff as jemalloc's mutex: waiters sleep and are woken" \
	woken backoff --preset jemalloc --threads 2 --hold 1000000 --think 1000000 --window 20 --time 2
check "the document has its name and numbers" grep -q '"preset":"jemalloc","first":1,' /tmp/run.json
check "backoff as folly: waiters nap" sleeps backoff --preset folly --threads 2 --hold 5000000 --window 20 --time 2
check "and yield to nobody" is 0 counted backoff 7
check "backoff as folly on arm64 today: waiters nap" \
	sleeps backoff --preset folly-backoff --threads 2 --hold 5000000 --window 20 --time 2
check "backoff as jemalloc's spin: waiters yield" counts 7 backoff --preset jemalloc-spin --threads 2 --hold 50000
check "and never sleep" is 0 counted backoff 8
check "backoff as plock" counts 6 backoff --threads 2 --hold 1000000 --window 20 --time 2
check "never sleeps" is 0 counted backoff 8
check "a preset that is not there is refused" exits 2 spindelay run --preset plocks backoff/isb
check "with those that are" says 'plock jemalloc jemalloc-spin folly folly-backoff'

# MySQL allows so many rounds; they end with the window.
check "innodb-mutex that never sleeps" short --threads 2 --hold 50000 --sync-spin-loops 4294967295 innodb-mutex/isb
check "has no sleeper" is 0 counted innodb-mutex 8
check "rounds without a delay end" short --threads 2 --hold 50000 --spin-wait-delay 0 --sync-spin-loops 4294967295 \
	innodb-mutex/isb
check "and execute none" is 0 counted innodb-mutex 6

for bad in '--spin-wait-delay 6001/0 to 6000' '--pause-multiplier 0/1 to 100' '--pause-multiplier 101/1 to 100' \
	'--sync-spin-loops 4294967296/0 to 4294967295'; do
	# shellcheck disable=SC2086 # an option and its value
	check "${bad%/*} is refused" exits 2 spindelay run ${bad%/*} innodb-mutex/isb
	check "with the range" says "${bad#*/}"
done

# kill_often SIGNAL: at moments of a run in which most are asleep; then the module can be taken out
kill_often()
{
	i=0
	while [ $i -lt "$TIMES" ]; do
		interrupt $((100 * (i % 7))) "$1" spindelay run --quiet --time 20 --rounds 10000 --hold 50000 \
			--sync-spin-loops 0 innodb-mutex/isb > /dev/null 2> /tmp/stderr ||
			{ sed 's/^/# /' /tmp/stderr; return 1; }
		rmmod spindelay && insmod "$SPINDELAY_KO" || return
		i=$((i + 1))
	done
}

check "kill -9 while waiters sleep, with unloading and loading, $TIMES times" kill_often KILL
check "no worker is left" no_workers
finish
