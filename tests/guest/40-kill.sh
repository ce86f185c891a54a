#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A tool that is killed in the middle of anything leaves nothing: the module can be taken out at once.

. ./tap.sh
TIMES=$(how_often 20)

# kill_once SIGNAL: at a random moment of a run
kill_once()
{
	interrupt "$(random_up_to 1000)" "$1" spindelay compare --quiet --time 20 nop isb > /dev/null 2> /tmp/stderr || {
		echo "# the tool had ended by itself"
		sed 's/^/# stderr: /' /tmp/stderr
		return 1
	}
	rmmod spindelay && insmod "$SPINDELAY_KO"
}

kill_often()
{
	i=0
	while [ $i -lt "$2" ]; do
		kill_once "$1" || { echo "# at kill $i"; return 1; }
		i=$((i + 1))
	done
}

check "kill -9 at $TIMES random moments, with unloading and loading" kill_often KILL "$TIMES"
check "Ctrl-C at $TIMES random moments, with unloading and loading" kill_often INT "$TIMES"
check "no worker is left" no_workers
check "a run works afterwards" works spindelay run --quiet --time 1 isb
finish
