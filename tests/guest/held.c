// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Windows on a lock that nobody ever frees, on CPUs 0 and 1: only the window's
 * end can end the wait. Ends with status 0 if a window was valid, and so ended
 * in time, with both CPUs polling, and those before it had nothing worse than a
 * busy host can do to them: a late end, a start that was missed, a plan given up.
 *
 *	held LOCK DELAY
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "uapi/spindelay.h"
#include "bench/delays.h"
#include "bench/locks.h"
#include "bench/presets.h"

#define CPUS 2
#define WINDOWS 4
#define WINDOW_NS 2000000
#define PLANS 40
/* Workers are moved when their plan is given up. */
#define BUSY_HOST                                           \
	(SPINDELAY_INVALID_LATE | SPINDELAY_INVALID_START | \
	 SPINDELAY_INVALID_MOVED)

static struct spindelay_window windows[WINDOWS];
static struct spindelay_record records[WINDOWS][CPUS];

#define LOCK_NAME(id, name, spelling, ...) [id] = (spelling),
static const char *const locks[] = { SPIN_LOCKS(LOCK_NAME) };

#define DELAY_NAME(id, name, spelling, ...) [id] = (spelling),
static const char *const delays[] = { SPIN_DELAYS(DELAY_NAME) };

/* Numbers that the lock backoff waits by. */
#define BACKOFF(spelling, source, ...) { __VA_ARGS__ },
static const struct spindelay_backoff backoffs[] = { SPIN_PRESETS(BACKOFF) };

/* The index of a name, or how many names there are. */
static uint32_t find(const char *name, const char *const *names, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		if (names[i] && !strcmp(name, names[i]))
			break;
	return i;
}

static int run(int device, struct spindelay_variant *variant)
{
	static uint32_t cpus[CPUS] = { 0, 1 }, schedule[WINDOWS];
	struct spindelay_plan plan = {
		.size = sizeof(plan),
		.abi = SPINDELAY_ABI,
		.nr_cpus = CPUS,
		.nr_variants = 1,
		.nr_windows = WINDOWS,
		.window_ns = WINDOW_NS,
		.sample_shift = 6,
		.node = -1,
		.cpus = (uintptr_t)cpus,
		.variants = (uintptr_t)variant,
		.schedule = (uintptr_t)schedule,
		.windows = (uintptr_t)windows,
		.records = (uintptr_t)records,
	};

	return ioctl(device, SPINDELAY_IOC_RUN, &plan) ? errno : 0;
}

/* Windows that ended as they should; negative if one was what none may be. */
static int good_windows(void)
{
	int i, good = 0;

	for (i = 0; i < WINDOWS; i++) {
		if (windows[i].invalid & ~BUSY_HOST || windows[i].acquisitions)
			return -1;
		good += !windows[i].invalid && records[i][0].polls &&
			records[i][1].polls;
	}
	return good;
}

/* Return: whether a window was good */
static int run_until_good(int device, struct spindelay_variant *variant)
{
	int plans, err, good = 0;

	for (plans = 0; plans < PLANS && !good; plans++) {
		err = run(device, variant);
		good = err ? 0 : good_windows();
		if (err || good < 0) {
			printf("# the plan: %s\n",
			       err ? strerror(err) : "a window went wrong");
			return 0;
		}
	}
	printf("# %d of %d windows were good\n", good, plans * WINDOWS);
	return good;
}

int main(int argc, char **argv)
{
	struct spindelay_variant variant = {
		.count = 1,
		.flags = SPINDELAY_HELD,
		/* No lock may sleep before it has polled. */
		.spin_wait_delay = SPINDELAY_SPIN_WAIT_DELAY_DEFAULT,
		.pause_multiplier = SPINDELAY_PAUSE_MULTIPLIER_DEFAULT,
		.sync_spin_loops = ~0U,
		.backoff = backoffs[0],
	};
	int device = open("/dev/spindelay", O_RDWR);

	if (argc == 3) {
		variant.lock = find(argv[1], locks, SPIN_LOCK_END);
		variant.delay = find(argv[2], delays, SPIN_DELAY_END);
	}
	if (device < 0 || argc != 3) {
		fprintf(stderr,
			"usage: held LOCK DELAY, as root, with the module loaded\n");
		return 2;
	}
	return !run_until_good(device, &variant);
}
