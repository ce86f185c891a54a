#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Inside of a cpuset without CPU 1: threads of the tool keep out of it and are refused clearly where they are asked to go
# there; the module's are bound by the kernel and run all the same.

. ./tap.sh
CGROUPS=/tmp/cgroups
INSIDE=$CGROUPS/inside

make_cpuset()
{
	mkdir -p $CGROUPS && mount -t cgroup2 none $CGROUPS && echo +cpuset > $CGROUPS/cgroup.subtree_control &&
		mkdir $INSIDE && echo 0 > $INSIDE/cpuset.cpus
}

remove_cpuset()
{
	rmdir $INSIDE && umount $CGROUPS && rmdir $CGROUPS
}

# inside COMMAND...: in the cpuset
inside()
{
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo $$ > '$INSIDE'/cgroup.procs && exec "$@"' sh "$@"
}


if [ ! -e /sys/devices/system/cpu/cpu1 ]; then
	skip_all "the guest has one CPU"
fi
check "there is a cpuset without CPU 1" make_cpuset
check "a command is in it" is 0 inside awk '/^Cpus_allowed_list:/ { print $2 }' /proc/self/status
check "threads: CPU 1 is refused" exits 1 inside spindelay run --quiet --user --cpus 0,1 isb
check "and the cause is named" says 'may not run on it.*--cpus'
check "threads: two of them are refused" exits 2 inside spindelay run --quiet --user --threads 2 isb
check "with what there is" says '1 to 1 \(the CPUs that this process may run on\)'
check "threads: those that are left are used" works inside spindelay run --quiet --user --time 1 isb
check "the module: runs on CPU 1" works inside spindelay run --quiet --cpus 0,1 --time 1 isb
check "the module: runs on CPU 1 by hand" inside sh -c "echo 0-1 > $KNOB/cpus && echo 1 > $KNOB/run"
echo > $KNOB/cpus
check "the cpuset is removed, and nothing is left in it" remove_cpuset
finish
