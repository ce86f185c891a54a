# SPDX-License-Identifier: GPL-2.0-or-later
# For the scripts beside it: look at text that tests/guest/60-running-text.sh took from a guest's memory.

OBJDUMP=${OBJDUMP:-aarch64-linux-gnu-objdump}
number=0
failures=0

# result STATUS, DESCRIPTION
result()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		failures=$((failures + 1))
		echo "not ok $number - $2"
	fi
}

finish()
{
	echo "1..$number"
	[ $failures = 0 ] && [ $number -gt 0 ]
}

# Of objdump: "address mnemonic operands", one instruction a line
instructions()
{
	sed -n 's/^ *\([0-9a-f]*\):\t\([^\t]*\)\t*\(.*\)$/\1 \2 \3/p' | sed 's, *//.*,,; s/ *$//'
}

# disassemble FILE: its instructions, addresses being offsets from the function's first byte
disassemble()
{
	"$OBJDUMP" -D -b binary -m aarch64 --no-show-raw-insn "$1" | instructions
}
