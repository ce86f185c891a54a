#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The knob takes its names and nothing else, says what they come to, and other modules follow it.

. ./tap.sh
FOLLOWER=/sys/module/spindelay_follower/parameters/executes

# What the shell's echo of busybox prints for errno, in the words of its strerror.
INVALID='Invalid argument'
UNSUPPORTED='Not supported|Operation not supported'

# refused MESSAGE TEXT: writing it fails so, and the old value stays
refused()
{
	before=$(cat $KNOB/delay $KNOB/effective)
	# shellcheck disable=SC2059 # the text is a format: it may hold \0
	message=$(printf "$2" 2>/dev/null | dd of=$KNOB/delay bs=65536 iflag=fullblock 2>&1) && return 1
	echo "$message" | grep -qE "$1" || { echo "# said: $message"; return 1; }
	[ "$before" = "$(cat $KNOB/delay $KNOB/effective)" ]
}

page_of_text()
{
	head -c 4096 /dev/zero | tr '\0' 'i'
}

insmod "$SPINDELAY_FOLLOWER_KO"
if has_sb; then auto=sb; else auto=isb; fi

check "the default is auto" is auto cat $KNOB/delay
check "auto comes to $auto here" is $auto cat $KNOB/effective
check "another module executes $auto" is $auto cat $FOLLOWER
for delay in none nop yield isb dsb-isb; do
	echo $delay > $KNOB/delay
	check "the knob takes $delay" is $delay cat $KNOB/delay
	check "and it is in effect" is $delay cat $KNOB/effective
	case $delay in
	isb)	check "another module executes isb" is isb cat $FOLLOWER ;;
	*)	check "another module leaves the fast path for $delay" is other cat $FOLLOWER ;;
	esac
done
if has_sb; then
	check "sb is available" grep -qw sb $KNOB/delays_available
	for before in none isb auto; do
		echo $before > $KNOB/delay
		echo sb > $KNOB/delay
		check "from $before to sb" is sb cat $FOLLOWER
		echo isb > $KNOB/delay
		check "and to isb" is isb cat $FOLLOWER
	done
else
	check "sb is not available" is "auto none nop yield isb dsb-isb" cat $KNOB/delays_available
	echo nop > $KNOB/delay
	check "sb is refused, the old value stays" refused "$UNSUPPORTED" 'sb\n'
	check "the fast path is not touched" is other cat $FOLLOWER
fi
echo nop > $KNOB/delay
check "an unknown name is refused" refused "$INVALID" 'bogus\n'
check "an empty line is refused" refused "$INVALID" '\n'
check "a name with junk behind it is refused" refused "$INVALID" 'isb junk\n'
check "a name with a blank behind it is refused" refused "$INVALID" 'isb \n'
check "a name with a blank before it is refused" refused "$INVALID" ' isb\n'
check "two newlines are refused" refused "$INVALID" 'isb\n\n'
check "a part of a name is refused" refused "$INVALID" 'is\n'
check "a name in capitals is refused" refused "$INVALID" 'ISB\n'
check "a NUL behind a name is refused" refused "$INVALID" 'isb\0'
check "a NUL in a name is refused" refused "$INVALID" 'i\0sb\n'
check "a delay of the bench alone is refused" refused "$INVALID" 'chain\n'
check "a page of text is refused" refused "$INVALID" "$(page_of_text)"
printf isb > $KNOB/delay
check "no newline is needed" is isb cat $KNOB/delay
echo auto > $KNOB/delay
check "auto is the way back" is $auto cat $KNOB/effective
check "for other modules too" is $auto cat $FOLLOWER
check "what others may do with it" is "-rw-r--r--" sh -c "ls -lL $KNOB/delay | cut -c1-10"
check "nobody else turns it" su nobody -s /bin/sh -c "! echo isb > $KNOB/delay" 2>/dev/null
check "it is in use by the other module" sh -c '! rmmod spindelay 2>/dev/null'
rmmod spindelay_follower
finish
