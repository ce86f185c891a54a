# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the rig's scripts share: messages, the tables, the cache. Sourced, never run.

RIG=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # for those who source this
TOP=$(cd "$RIG/../.." && pwd)

HOST_ARCH=$(uname -m)
[ "$HOST_ARCH" = arm64 ] && HOST_ARCH=aarch64
[ "$HOST_ARCH" = aarch64 ] || CROSS_COMPILE=${CROSS_COMPILE-aarch64-linux-gnu-}
CROSS_COMPILE=${CROSS_COMPILE-}

say()
{
	echo "spindelay: $*" >&2
}

die()
{
	say "$@"
	exit 1
}

# run_first COMMAND...: before other work of the host, where that is allowed. Where the kernel groups tasks by session (autogroup)
# it is the session's priority that counts, so it gets one of its own; it still ends with this script.
run_first()
{
	# shellcheck disable=SC2016 # for that shell
	setsid setpriv --pdeathsig TERM bash -c 'echo -15 > /proc/self/autogroup; renice -n -15 $$ > /dev/null; exec "$@"' \
		run_first "$@" 2> >(grep -Ev 'renice|autogroup' >&2)
}

# The rows of a table, without its comments.
table()
{
	grep -Ev '^[[:space:]]*(#|$)' "$RIG/$1"
}

# field TABLE NAME N: the Nth word of the row that starts with NAME; fails when there is no such row.
field()
{
	table "$1" | awk -v name="$2" -v n="$3" '$1 == name { print $n; found = 1 } END { exit !found }'
}

names()
{
	table "$1" | awk '{ printf "%s%s", sep, $1; sep = " " }'
}

# need_row VARIABLE TABLE...: the value of VARIABLE must be the name of a row of one of them.
need_row()
{
	local variable=$1 tables=("${@:2}") table

	for table in "${tables[@]}"; do
		! field "$table" "${!variable}" 1 >/dev/null || return 0
	done
	die "$variable=${!variable} is not known; valid: $(for table in "${tables[@]}"; do names "$table"; echo; done | paste -sd ' ')."
}

# need_number VARIABLE LOW HIGH
need_number()
{
	local value=${!1}

	if ! [[ $value =~ ^[0-9]{1,6}$ ]] || ((10#$value < $2 || 10#$value > $3)); then
		die "$1=$value is not a number from $2 to $3."
	fi
}

cache_dir()
{
	local dir=${SPINDELAY_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/spindelay}

	[[ $dir = /* ]] || die "The cache folder '$dir' must be an absolute path: set SPINDELAY_CACHE."
	# The kernel's makefiles cannot build against headers whose path holds a space or a colon.
	[[ $dir != *[[:space:]:]* ]] || die "The cache folder '$dir' must not hold a space or a colon: set SPINDELAY_CACHE."
	echo "$dir"
}

# Whether a guest gets this machine's own CPU: on an arm64 host with KVM, unless QEMU_ARGS names an accelerator.
uses_kvm()
{
	[ "$HOST_ARCH" = aarch64 ] && [ -w /dev/kvm ] && ! names_accelerator
}

names_accelerator()
{
	[[ " ${QEMU_ARGS:-}" == *" -accel "* || " ${QEMU_ARGS:-}" == *" -icount "* ]]
}

# The oldest QEMU whose neoverse-n2 is good enough for the tests.
QEMU_MIN=9.1

qemu_is_new_enough()
{
	local version

	version=$("$@" --version 2>/dev/null | sed -n '1s/.*version \([0-9][0-9.]*\).*/\1/p')
	[ -n "$version" ] && printf '%s\n%s\n' "$QEMU_MIN" "$version" | sort -CV
}

# Where the unpacked libraries of the build machine's architecture are, as a search path.
qemu_libraries()
{
	local multiarch

	multiarch=$HOST_ARCH-linux-gnu
	echo "$1/usr/lib/$multiarch:$1/lib/$multiarch"
}

# Set the array QEMU to a command that runs a QEMU which is new enough: the system's, else the cache's.
find_qemu()
{
	local root

	QEMU=(qemu-system-aarch64)
	qemu_is_new_enough "${QEMU[@]}" && return
	root=$(cache_dir)/qemu
	QEMU=(env "LD_LIBRARY_PATH=$(qemu_libraries "$root")" "$root/usr/bin/qemu-system-aarch64" -L "$root/usr/share/qemu")
	qemu_is_new_enough "${QEMU[@]}"
}
