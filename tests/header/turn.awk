# SPDX-License-Identifier: GPL-2.0-or-later
# How many instructions are executed from one SB of a function to the next: the shortest way round that there is.
# Input: the output of objdump -d --no-show-raw-insn. Prints nothing if no way leads from an SB to an SB.
#
#	name	the function

/^[0-9a-f]+ <.*>:$/	{ inside = ($2 == "<" name ">:"); next }
inside && /^ *[0-9a-f]+:/ {
	sub(/ *\/\/.*/, "")
	sub(/:$/, "", $1)
	address[++lines] = $1
	at[$1] = lines
	mnemonic[lines] = $2
	# A branch's last operand is followed by <symbol+offset>.
	target[lines] = $2 ~ /^(b|b[.].*|cbn?z|tbn?z)$/ ? $(NF - 1) : ""
}

function visit(line, distance) {
	if (line >= 1 && line <= lines && !(line in far)) {
		far[line] = distance
		queue[++last] = line
	}
}

# Breadth first.
function turn(start,	first, line) {
	split("", far)
	split("", queue)
	last = 0
	visit(start + 1, 1)
	for (first = 1; first <= last; first++) {
		line = queue[first]
		if (line == start)
			return far[line]
		if (target[line] in at)
			visit(at[target[line]], far[line] + 1)
		if (mnemonic[line] != "b" && mnemonic[line] != "ret")
			visit(line + 1, far[line] + 1)
	}
	return 0
}

END {
	for (i = 1; i <= lines; i++) {
		if (mnemonic[i] != "sb")
			continue
		steps = turn(i)
		if (steps && (!shortest || steps < shortest))
			shortest = steps
	}
	if (shortest)
		print shortest
}
