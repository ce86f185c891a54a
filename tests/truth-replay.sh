# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A part of "make truth", which sources this: the worked example, the whole benchmark of the pull request on a machine with
# planted costs, and what must come of it.

EXAMPLE_OUT=$BUILD/out-truth-replay
EXAMPLE_REPORT=$BUILD/plant-replay.txt

# Where isb costs twice as much as sb. On pace the times of the logs
# and the parts of the difference are known. On the ticket lock, on two CPUs, they are not; but the one with the longer poll
# hears later that the lock is free, so it is slower, waits for more of its time, and all of that is the length's.
EXAMPLES='
# NAME       OPTIONS
known        --lock pace --cpus 0 --hold 0 --think 0 --window 5
contended    --lock ticket --cpus 0,1 --hold 2000 --window 10
'
EXAMPLE_PLANTED='sb=2000 isb=4000 chain=40'
EXAMPLE_LINES=10

example_commands()
{
	local name options

	while read -r name options; do
		cat <<-END
			echo "replay, $name" >&2
			plant $EXAMPLE_PLANTED
			/tests/guest/example.sh $name $options --placements $PLACEMENTS --rounds 16 --seed 1
			plant report $name.1
		END
	done < <(rows <<< "$EXAMPLES")
}

in_the_scripts_form()
{
	[ "$(grep -cE '^[0-9]+\.[0-9]{2} real,	[0-9]+\.[0-9]{2} user,	[0-9]+\.[0-9]{2} sys$' "$1")" = "$(wc -l < "$1")" ]
}

# logs NAME: both are there, and the script's awk makes of them what was printed
logs()
{
	local name=$1 log mean means='' printed=''

	for log in "$name.sb.log" "$name.isb.log"; do
		in_the_scripts_form "$EXAMPLE_OUT/$log" && [ "$(wc -l < "$EXAMPLE_OUT/$log")" = $EXAMPLE_LINES ]
		rule $? "$log has $EXAMPLE_LINES lines in the script's form"
		mean=$(awk '{ sum += $1 } END { print sum / NR }' "$EXAMPLE_OUT/$log")
		means+=" $mean"
		printed+=" $(awk -v log_name="$log" '$1 == log_name { print $3 }' "$EXAMPLE_OUT/$name.txt")"
	done
	[ "$means" = "$printed" ]
	rule $? "$name: the script's awk comes to$means s, printed are$printed s"
	read -r sb_mean isb_mean <<< "$means"
}

# delay_share NAME DELAY: of the paired rounds, in percent
delay_share()
{
	jq -r --arg delay "$2" '[.variants[] | select(.set == 0 and .variant.delay == $delay and (.variant.pad // 0) == 0)][0] |
		.delay_share * 1000 | round / 10' "$EXAMPLE_OUT/$1.json"
}

known_example()
{
	local sb isb

	logs known
	sb=$(awk '$1 == "known.1" && $2 == "sb" { print $7 }' "$EXAMPLE_REPORT")
	isb=$(awk '$1 == "known.1" && $2 == "isb" { print $7 }' "$EXAMPLE_REPORT")
	true_that 'b / a > .9 * y / x && b / a < 1.1 * y / x' "a=$sb_mean" "b=$isb_mean" "x=$sb" "y=$isb"
	rule $? "known: the means are as the costs, $sb and $isb ns, within a tenth"
	{ sed 's/^/burnt /' "$EXAMPLE_REPORT"; split_of "$EXAMPLE_OUT/known.json" "known 1"; } | judge_splits > "$BUILD/splits.txt"
	grep -v '^summary ' "$BUILD/splits.txt"
	grep -qx 'summary 1 1' "$BUILD/splits.txt"
	rule $? "known: the whole is as planted, and all of it the length's"
}

contended_example()
{
	local resolved sb isb matched low high

	logs contended
	resolved=$(jq -r '.comparisons[0].resolved' "$EXAMPLE_OUT/contended.json")
	true_that 'a < b' "a=$sb_mean" "b=$isb_mean" && [ "$resolved" = higher ]
	rule $? "contended: isb is slower, by the means and in the rounds: throughput of sb is $resolved"
	sb=$(delay_share contended sb)
	isb=$(delay_share contended isb)
	true_that 'sb > 0 && sb < isb' "sb=$sb" "isb=$isb"
	rule $? "contended: the delay share is less with sb, $sb %, than with isb, $isb %"
	read -r _ _ matched _ _ _ _ _ _ low high < <(split_of "$EXAMPLE_OUT/contended.json" "contended 1")
	[ "$matched" = true ] && true_that 'low <= 1.01 && high >= .99' "low=$low" "high=$high"
	rule $? "contended: at equal time nothing is the instruction's: $low to $high"
}

replay()
{
	local name rest sb_mean isb_mean

	boot replay 2 "$EXAMPLE_OUT" "-plugin $PLUGIN,report=$EXAMPLE_REPORT" "$(example_commands)" || return
	while read -r name rest; do
		echo
		cat "$EXAMPLE_OUT/$name.txt"
	done < <(rows <<< "$EXAMPLES")
	echo
	known_example
	contended_example
}
