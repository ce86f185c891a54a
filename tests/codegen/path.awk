# SPDX-License-Identifier: GPL-2.0-or-later
# Follow the way that a poll takes through a function's text, one instruction after another, and say what it
# executes, a line each. Conditional branches are not taken, branches are followed. Input: disassemble of lib.sh.
#
#	start	"entry", or "poll": each poll loop in turn, from its head to the count that ends the turn;
#		or "span": nothing but the places of its first and its last instruction
#
# A poll loop is found by its end: subs, and a branch back to the look if the budget is not used up.

{ address[NR] = $1; at[$1] = NR; mnemonic[NR] = $2; $1 = ""; sub(/^ /, ""); text[NR] = $0 }

function target(line,	words, n) {
	n = split(text[line], words, /[ ,]+/)
	sub(/^0x/, "", words[n])
	return words[n]
}

function follow(line, last,	steps) {
	for (steps = 0; steps < 100; steps++) {
		if (mnemonic[line] != "b")
			print text[line]
		if (mnemonic[line] == "ret" || line == last)
			return
		if (mnemonic[line] == "b") {
			if (!(target(line) in at)) {
				print "a branch that leaves the function"
				return
			}
			print "b"
			line = at[target(line)]
		} else {
			line++
		}
	}
	print "a way without an end"
}

END {
	if (start == "entry")
		follow(1, 0)
	for (line = 2; start != "entry" && line <= NR; line++)
		if (mnemonic[line] == "b.ne" && mnemonic[line - 1] == "subs" && target(line) in at &&
		    at[target(line)] < line && mnemonic[at[target(line)]] ~ /^(ldr|swpa|ldaxr|subs)$/) {
			if (start == "span") {
				print target(line), address[line]
				continue
			}
			print "poll " target(line)
			follow(at[target(line)], line)
		}
}
