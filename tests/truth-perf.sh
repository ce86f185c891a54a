# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A part of "make truth", which sources this: the delay share that the tool reports, held against what perf record sees in the
# same windows, in the module and in user threads, on a machine with planted costs.
#
# Both are shares of one whole: the time that CPUs spent in valid windows. perf samples one of the CPUs at a fixed rate, by a
# timer: with timers on both, those of the one would interrupt the lock's owner just when the other's see who waits. The counter
# says when a window began and ended on each of its CPUs, and so which samples are of it. A sample waits if
# its address is in a wait loop of the lock's function, from the look at the word to the count that ends the turn, or is
# that of the instruction behind. Where these loops are is read from the text that runs: as in tests/codegen, the module's
# from the guest's memory and the tool's from its file.
#
# An emulated CPU takes an interrupt between blocks. ISB and SB end one, so the time of a delay shows on the instruction
# behind it, which is in the loop.

OBJDUMP=${CROSS_COMPILE}objdump
. "$(dirname "${BASH_SOURCE[0]}")/codegen/lib.sh"

PERF_OUT=$BUILD/out-truth-perf
# Of hold, ns: long beside what the emulator takes to deliver a sample, which can stop the lock's owner on the other CPU.
PERF_HOLD=50000
# Not ISB's: the counter is read behind one, so a wait that is timed would begin that much later, and be so much shorter.
PERF_PLANTED='sb=2000 chain=40'
# A prime, so that samples do not fall into step with windows.
PERF_HZ=499
# How far the two may be apart, in points, of how many samples at least: a host that is busy leaves few windows valid.
PERF_POINTS=5
PERF_SAMPLES=1000
PERF_ROUNDS=400
# THINK in ns, on average; it varies by 100 %.
PERFS='
# NAME             OPTIONS  DELAY  THINK
kernel-some        -        sb     125000
kernel-saturated   -        sb     0
user-some          --user   sb     125000
user-saturated     --user   sb     0
'

# The first address of the tool's text, and the one behind it: what its threads execute is planted there.
tool_text()
{
	readelf -lW "$BUILD/spindelay" | awk '$1 == "LOAD" && / R E / { print $3, $6; exit }' | {
		read -r start size
		printf 'text=%x-%x\n' "$start" $((start + size))
	}
}

# perf_case NAME OPTIONS DELAY THINK: of a row
perf_case()
{
	local options=${2#-} text=

	[ "$2" != --user ] || text=$(tool_text) options=--user
	cat <<-END
		echo "$1" >&2
		plant $text $PERF_PLANTED
		perf record -q -B -N -C 0 -m 1024 -k CLOCK_MONOTONIC_RAW -e cpu-clock -F $PERF_HZ -o /tmp/perf.data -- \
			spindelay run $options --quiet --json /out/$1.json --seed 1 --cpus 0,1 --window $WINDOW_MS \
			--placements $PLACEMENTS --rounds $PERF_ROUNDS --hold $PERF_HOLD --think $4 --jitter 100 ttas/$3 > /dev/null
		perf script -i /tmp/perf.data --ns -F cpu,time,ip > /out/$1.samples
	END
}

perf_commands()
{
	local words

	echo 'clockoffset > /out/offset'
	echo 'textdump /out spindelay_ttas_sb spindelay_ttas_isb > /out/index'
	while read -r -a words; do
		perf_case "${words[@]}"
	done < <(rows <<< "$PERFS")
}

# module_text NAME, user_text NAME: the instructions of a function, as it runs
module_text()
{
	local address

	address=$(awk -v name="$1" '$1 == name { print $2 }' "$PERF_OUT/index")
	"$OBJDUMP" -D -b binary -m aarch64 --no-show-raw-insn --adjust-vma="$address" "$PERF_OUT/$1.bin" | instructions
}

user_text()
{
	"$OBJDUMP" -d --no-show-raw-insn --disassemble="$1" "$BUILD/spindelay" | sed 's/ <[^>]*>//' | instructions
}

# wait_loops OPTIONS DELAY: "wait FIRST LAST" of each wait loop, LAST being the instruction behind it. 16 hexadecimal digits
# each, to be compared as texts: an address of the kernel is too large a number for awk.
wait_loops()
{
	local text=module_text first last

	[ "$1" != --user ] || text=user_text
	"$text" "spindelay_ttas_$2" | awk -v start=span -f tests/codegen/path.awk | while read -r first last; do
		printf 'wait %016x %016x\n' $((0x$first)) $((0x$last + 4))
	done
}

# "window CPU BEGIN END" of each valid window and CPU of a document, in ticks
valid_windows()
{
	jq -r '(.record_columns | index("start")) as $begin | (.record_columns | index("ticks")) as $ticks |
		.sets[0].placements as $places | .windows[] | select(.invalid == 0) |
		.start as $start | $places[.placement].cpus as $cpus | .cpus | to_entries[] |
		"window \($cpus[.key]) \($start + .value[$begin]) \($start + .value[$begin] + .value[$ticks])"' "$1"
}

# perf_counts NAME OPTIONS DELAY: how many samples are of its windows, and how many of those wait
perf_counts()
{
	local name=$1

	{
		echo "clock $(cat "$PERF_OUT/offset") $(jq .machine.counter_hz "$PERF_OUT/$name.json")"
		wait_loops "$2" "$3"
		valid_windows "$PERF_OUT/$name.json"
		sed -n 's/^ *\[0*\([0-9]\+\)\] *\([0-9]*\)[.]\([0-9]*\): *\([0-9a-f]*\)$/sample \1 \2\3 \4/p' "$PERF_OUT/$name.samples"
	} | awk '
		$1 == "clock"	{ offset = $2; ns = 1e9 / $3 }
		$1 == "wait"	{ first[++loops] = $2; last[loops] = $3 }
		$1 == "window"	{ n = ++windows[$2]; begin[$2, n] = $3 * ns + offset; end[$2, n] = $4 * ns + offset }
		$1 == "sample" {
			for (n = at[$2] + 1; n <= windows[$2] && end[$2, n] <= $3 + 0; n++)
				at[$2] = n
			if (n > windows[$2] || $3 + 0 < begin[$2, n])
				next
			samples++
			address = sprintf("%16s", $4)
			gsub(/ /, "0", address)
			for (i = 1; i <= loops && (address < first[i] || address > last[i]); i++)
				;
			waits += i <= loops
		}
		END { print samples + 0, waits + 0 }'
}

# Of both CPUs, in percent: the mean over the windows, as it is for each CPU. Where windows time many waits each the tool reports
# their median instead: the difference is what few long waits bring, for a lock whose owner the host has stopped.
mean_share()
{
	jq '[.record_columns | index("spins", "timed_spins", "timed_spin_ticks", "ticks")] as $columns |
		[.windows[] | select(.invalid == 0) | .cpus[]] as $cpus |
		[$columns[] as $column | $cpus | map(.[$column]) | add] as [$spins, $timed, $spin, $ticks] |
		if $timed > 0 then 100 * $spins / $timed * $spin / $ticks else 0 end' "$1"
}

# perf_row NAME OPTIONS DELAY
perf_row()
{
	local document=$PERF_OUT/$1.json tool mean samples waits seen

	tool=$(jq '.variants[0].cpus[] | select(.cpu == 0) | .delay_share * 100' "$document")
	mean=$(mean_share "$document")
	read -r samples waits < <(perf_counts "$@")
	seen=$(awk -v n="$samples" -v waits="$waits" 'BEGIN { printf "%.2f", n ? 100 * waits / n : 0 }')
	true_that "n >= $PERF_SAMPLES && waits > 0 && tool - seen <= $PERF_POINTS && seen - tool <= $PERF_POINTS" \
		"n=$samples" "waits=$waits" "tool=$tool" "seen=$seen"
	rule $? "$(printf '%s: a delay share of CPU 0 of %.2f %% (both: %.2f); perf: %.2f %%, %d of %d samples' "$1" "$tool" "$mean" "$seen" \
		"$waits" "$samples")"
}

perf()
{
	local name options delay rest

	echo
	if ! "$RIG/fetch" perf; then
		skip "the delay share against perf record: perf could not be fetched, see the message above"
		return
	fi
	PERF=1 boot perf 2 "$PERF_OUT" "-plugin $PLUGIN,report=$BUILD/plant-perf.txt" "$(perf_commands)" || return
	echo "Delay share against perf record: within $PERF_POINTS points, of $PERF_SAMPLES samples or more"
	while read -r name options delay rest; do
		perf_row "$name" "$options" "$delay"
	done < <(rows <<< "$PERFS")
}
