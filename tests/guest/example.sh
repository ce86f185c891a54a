#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A replay as somebody would type it, and the script's own line over its logs: for a guest whose costs are planted.
#
#	example.sh NAME OPTION...
#
# What a terminal would have shown is left in /out/NAME.txt, beside the logs and the document.

cd /out || exit
name=$1
shift

# show COMMAND: as it was typed, and what it printed
show()
{
	echo "\$ $1"
	eval "$1" 2> /dev/null
}

# A busy host may make it too noisy, be it only to find out how long a poll takes.
for attempt in 1 2 3; do
	show "spindelay replay --quick --force --match both --name $name --json $name.json $* sb isb" > "$name.txt"
	status=$?
	[ "$status" != 0 ] || ! grep -q '"matched":true' "$name.json" || break
	echo "$name, attempt $attempt: too noisy" >&2
done
{
	for delay in sb isb; do
		show "head -n 3 $name.$delay.log"
		show "awk '{ sum += \$1 } END { print sum / NR }' $name.$delay.log"
	done
} >> "$name.txt"
exit "$status"
