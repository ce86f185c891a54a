#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A test tells its version of TAP first and ends with the status that kselftest's runner goes by.

. ./tap.sh

# ends STATUS LINE...: whether a test of these lines does
ends()
{
	wanted=$1
	shift
	printf '%s\n' '. ./tap.sh' "$@" > /tmp/lines
	exits "$wanted" sh /tmp/lines && is "TAP version 13" head -n 1 /tmp/stdout
}

check "with 0 if its checks are good" ends 0 'check good true' 'check good true' finish
check "with 1 if one is not, whatever comes after it" ends 1 'check bad false' 'check good true' finish
check "with 0 if one is skipped" ends 0 'check good true' 'skip one reason' finish
check "with 4 if all of it is skipped" ends 4 'skip_all reason' 'check bad false' finish
check "and says so" is "1..0 # SKIP reason" sed -n 2p /tmp/stdout
finish
