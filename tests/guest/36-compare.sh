#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Comparisons: loads, equal time, precision, and the same plan from the same seed.

. ./tap.sh

JSON=/tmp/compare.json

# values KEY: of the last document, one a line, those of the windows left out
values()
{
	sed '/"windows": \[/,$d' $JSON | grep -o "\"$1\": *\"*[^\",}]*" | sed 's/.*: *"*//'
}

# places: page, slot and CPUs of every placement of the last document
places()
{
	grep -o '{"page":[^]]*]' $JSON
}

check "equal time and count" measures compare --quiet --time 20 --cpus 0 --rounds 6 --placements 6 --json $JSON nop 'isb*20'
check "the whole and its parts are there" is "whole length instruction" sh -c "$(printf '%s' "grep -o '\"part\":\"[a-z]*' $JSON | cut -d '\"' -f 4 | xargs")"
check "the whole is by count, the parts by time" is "count time time" \
	sh -c "grep -o '\"match\":\"[a-z]*' $JSON | cut -d '\"' -f 4 | xargs"
check "nop is the one that is padded" grep -q '"padded":{"lock":"ttas","delay":"nop","count":1,"pad":[1-9]' $JSON
check "the document says how well the polls agree" grep -q '"mismatch":-\{0,1\}[0-9]' $JSON
check "and so do the sentences" grep -qE 'Equal time: a poll with nop\+chain\*[0-9]+ takes .* with isb\*20 ' /tmp/stdout
check "by count alone" measures compare --quiet --time 20 --cpus 0 --rounds 6 --placements 6 --match count --json $JSON nop 'isb*20'
check "there is the whole alone" is whole sh -c "grep -o '\"part\":\"[a-z]*' $JSON | cut -d '\"' -f 4 | xargs"
check "by time alone" measures compare --quiet --time 20 --cpus 0 --rounds 6 --placements 6 --match time --json $JSON nop 'isb*20'
check "there is the instruction alone" is instruction sh -c "grep -o '\"part\":\"[a-z]*' $JSON | cut -d '\"' -f 4 | xargs"
check "by time where there is none" refuses 2 'raw-spinlock.*equal time' compare --match time raw-spinlock/sb raw-spinlock/isb
check "an unknown match" refuses 2 'length.*count time both' compare --match length nop isb

check "three loads" measures compare --quiet --time 30 --rounds 6 --placements 6 --match count --json $JSON nop isb
check "begin with a sentence on one of them" sh -c 'head -n 2 /tmp/stdout | grep -qE "nop against isb .*not judged"'
check "saturated is one" grep -q 'saturated, ttas' /tmp/stdout
check "those with a delay share are there, or it is said why not" \
	test "$(grep -c '"share":{"asked"\|out of reach' $JSON)" -ge 1
check "on one CPU there is one load" measures compare --quiet --cpus 0 --rounds 6 --placements 6 --match count --json $JSON nop isb
check "and one comparison" is 1 sh -c "grep -o '\"part\":\"' $JSON | wc -l"

check "precision 0" refuses 2 '0.*0\.01.*100' compare --precision 0 nop isb
check "time 0" refuses 2 '0.*0\.1' compare --time 0 nop isb
check "a time too short for the rounds" refuses 2 'too short for 6 rounds.*--match count' compare --time 0.2 nop isb
check "precision of a run" refuses 2 'precision' run --precision 2 isb
# shellcheck disable=SC2046 # its words
check "more variants than fit" refuses 2 'more than 64' compare --match count $(seq 1 65 | sed 's/^/isb*/')
check "what is narrow enough ends early" measures compare --quiet --cpus 0 --time 60 --rounds 12 --precision 50 --match count \
	--json $JSON pace/nop pace/isb
check "after more than the least placements, and fewer than the most" \
	sh -c '[ "$1" -ge 6 ] && [ "$1" -lt 256 ]' - "$(values placements | head -n 1)"

check "a seed" measures compare --quiet --seed 7 --cpus 0 --rounds 6 --placements 6 --match count --json $JSON nop isb
places > /tmp/places
check "again" measures compare --quiet --seed 7 --cpus 0 --rounds 6 --placements 6 --match count --json $JSON nop isb
places > /tmp/places.again
check "has placements" test "$(wc -l < /tmp/places)" -ge 1
check "repeats the placements" cmp /tmp/places /tmp/places.again
check "another one" measures compare --quiet --seed 8 --cpus 0 --rounds 6 --placements 6 --match count --json $JSON nop isb
places > /tmp/places.again
check "does not" sh -c '! cmp -s /tmp/places /tmp/places.again'
rm -f $JSON /tmp/places /tmp/places.again
finish
