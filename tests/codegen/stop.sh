#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What ends a window wakes those that wait in WFE: it stores the stop flag, then DSB ISHST, then SEV. An emulated WFE
# does not sleep, so that a guest would not show it if one of them were missing.
#
#	stop.sh FOLDER		what the guest left in /out

. "$(dirname "$0")/lib.sh"

wakes()
{
	disassemble "$1" | awk '
		$2 == "str" && !barrier		{ stored = 1 }
		$2 == "dsb" && $3 == "ishst"	{ barrier = stored }
		$2 == "sev"			{ woken = barrier }
		END				{ exit !woken }'
}

wakes "$1/text/engine/window_ends.bin"
result $? "the end of a window is a store, dsb ishst and sev, in this order"
finish
