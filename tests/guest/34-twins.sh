#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is named twice is compared with its twin, and the twin's text is what runs.

. ./tap.sh

# ran COMMAND...: which loops CPU 1 was in meanwhile, into /tmp/ran
ran()
{
	profile 1 "$@" > /tmp/profile 2> /tmp/stderr
	awk '$1 ~ /^spindelay_/ && $1 !~ /_burst/ { sub(/_llsc$/, "", $1); print $1 }' /tmp/profile | sort > /tmp/ran
}

ran spindelay run --quiet --cpus 0-1 --time 5 isb
check "a variant runs in its own text, and not in its twin's" is spindelay_ttas_isb cat /tmp/ran
ran spindelay run --quiet --cpus 0-1 --time 5 isb isb
check "named twice, in both" is "spindelay_ttas_isb
spindelay_ttas_isb_twin" cat /tmp/ran

check "compare takes it for a comparison with itself" works spindelay compare --quiet --time 5 --json /tmp/t.json isb isb
check "which it calls by name" grep -q "isb against isb' is" /tmp/stdout
check "and explains" grep -q "ttas/isb' is the same loop as ttas/isb, compiled once more" /tmp/stdout
check "the document marks the twin" grep -q '"delay":"isb".*"twin":true' /tmp/t.json
check "what has no twin is the same loop twice" works spindelay compare --quiet --time 5 'isb*2' 'isb*2'
check "and has one name" grep -q 'isb\*2 against isb\*2 is' /tmp/stdout
rm -f /tmp/t.json /tmp/profile /tmp/ran
finish
