// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the device answers to good and bad plans, told as TAP. Built for the
 * guest and run there as root, beside the loaded module.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uapi/spindelay.h"
#include "bench/delays.h"
#include "bench/locks.h"
#include "plans.h"

#define ATTEMPTS 20
/* A busy host makes bursts too long or too short for what is wanted of them. */
#define LATE_ATTEMPTS 100

static int device = -1;
static int test_number;
static int failed;

static int run_plan(struct fixture *f)
{
	return ioctl(device, SPINDELAY_IOC_RUN, &f->plan) ? -errno : 0;
}

static int all_valid(const struct fixture *f)
{
	int i, invalid = 0;

	for (i = 0; i < WINDOWS; i++)
		invalid |= f->windows[i].invalid;
	return !invalid;
}

/* Whether the CPUs contended, in some window at least. */
static int polled(const struct fixture *f)
{
	int i, polled = 0;

	for (i = 0; i < WINDOWS; i++)
		polled |= f->records[i][0].polls && f->records[i][1].polls;
	return polled;
}

/* A host that is busy disturbs a window now and then: again, a few times. */
static int run_undisturbed(struct fixture *f)
{
	int attempt, err = 0;

	for (attempt = 0; attempt < ATTEMPTS; attempt++) {
		err = run_plan(f);
		if (err || all_valid(f))
			break;
	}
	return err;
}

static void told(int good, const char *what)
{
	failed |= !good;
	printf("%sok %d - %s\n", good ? "" : "not ", ++test_number, what);
}

static void expect(struct fixture *f, int wanted, const char *what)
{
	int got = run_undisturbed(f);

	if (got != wanted)
		printf("# wanted %s, got %s\n", strerror(-wanted),
		       strerror(-got));
	told(got == wanted, what);
}

/* The kernel's memory for results must have been zeroed. */
static int nothing_reserved(const struct fixture *f)
{
	__u64 any = 0;
	int i;

	for (i = 0; i < WINDOWS; i++)
		any |= f->windows[i].reserved[0] | f->windows[i].reserved[1] |
		       f->windows[i].reserved[2];
	return !any;
}

static void test_good(void)
{
	struct fixture f;
	int i, attempts, counted = 1, valid = 1;

	good_plan(&f);
	/* A busy host may also run one CPU after the other. */
	for (attempts = 0; attempts < ATTEMPTS && !polled(&f); attempts++)
		run_undisturbed(&f);
	expect(&f, 0, "a good plan runs");
	for (i = 0; i < WINDOWS; i++) {
		valid &= f.windows[i].variant == f.schedule[i] &&
			 f.windows[i].acquisitions > 0;
		counted &= f.windows[i].counted == f.windows[i].acquisitions;
		printf("# window %d variant %u invalid %#x ticks %llu "
		       "acquisitions %llu polls %llu+%llu\n",
		       i, f.windows[i].variant, f.windows[i].invalid,
		       (unsigned long long)f.windows[i].ticks,
		       (unsigned long long)f.windows[i].acquisitions,
		       (unsigned long long)f.records[i][0].polls,
		       (unsigned long long)f.records[i][1].polls);
	}
	printf("# counter %u Hz, chain %u fs, plan %llu ticks\n",
	       f.plan.counter_hz, f.plan.chain_fs,
	       (unsigned long long)f.plan.plan_ticks);
	told(valid, "every window has its variant and acquisitions");
	told(counted, "no acquisition is lost");
	told(nothing_reserved(&f), "what is reserved in the results is zero");
	told(attempts < ATTEMPTS, "CPUs that contend poll");
	told(f.plan.counter_hz && f.plan.chain_fs && f.plan.plan_ticks,
	     "the plan's own outputs are written");
}

static int untouched(const struct fixture *f)
{
	static const struct spindelay_window none[WINDOWS];

	return !memcmp(f->windows, none, sizeof(none)) && !f->plan.plan_ticks;
}

static void test_bad_plans(void)
{
	struct fixture f;
	int clean = 1;

#define BAD_PLAN(what, answer, spoil)         \
	good_plan(&f);                        \
	spoil;                                \
	expect(&f, answer, "refused: " what); \
	clean &= untouched(&f);
	BAD_PLANS(BAD_PLAN)
	BAD_ADDRESSES(BAD_PLAN)
#undef BAD_PLAN
	told(clean, "a refused plan leaves no result");
}

static bool has_wfet(void)
{
	FILE *file =
		fopen("/sys/class/misc/spindelay/test_delays_available", "r");
	char names[256] = "";

	if (!file)
		return false;
	if (!fgets(names, sizeof(names), file))
		names[0] = '\0';
	fclose(file);
	return strstr(names, "wfet");
}

/*
 * Spoilt twice, so that nothing is executed if that is overlooked which is to be
 * found first.
 */
static void test_unsupported(void)
{
	static const char what[] = "refused: a delay that this system lacks";
	struct fixture f;

	if (has_wfet()) {
		printf("ok %d - %s # SKIP it lacks none\n", ++test_number,
		       what);
		return;
	}
	good_plan(&f);
	f.variants[1].delay = SPIN_DELAY_wfet;
	f.schedule[3] = 2;
	expect(&f, -EOPNOTSUPP, what);
}

static void test_without_hists(void)
{
	struct fixture f;

	good_plan(&f);
	f.plan.hists = 0;
	expect(&f, 0, "histograms are optional");
}

static void test_outputs_half_mapped(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct fixture f;

	munmap(two + page, page);
	good_plan(&f);
	f.plan.records = (uintptr_t)(two + page - 64);
	expect(&f, -EFAULT, "refused: records that end in a hole");
	munmap(two, page);
}

static void test_held(void)
{
	struct fixture f;

	good_plan(&f);
	f.variants[0].flags = SPINDELAY_HELD;
	expect(&f, 0, "a plan with a held lock runs");
	told(f.windows[0].acquisitions == 0 && f.records[0][0].polls > 0 &&
		     f.records[0][1].polls > 0,
	     "on a held lock everybody polls and nobody gets in");
	told(f.records[0][0].delays == f.records[0][0].polls,
	     "one delay a poll at count 1");
}

static void test_twin(void)
{
	struct fixture f;
	uint64_t got[2] = { 0 };
	int i, lost = 0;

	good_plan(&f);
	f.variants[1] = f.variants[0];
	f.variants[1].flags = SPINDELAY_TWIN;
	expect(&f, 0, "a plan with a variant and its twin runs");
	for (i = 0; i < WINDOWS; i++) {
		got[f.schedule[i]] += f.windows[i].acquisitions;
		lost |= f.windows[i].counted != f.windows[i].acquisitions;
	}
	told(got[0] && got[1] && !lost, "and both acquire, and lose nothing");
	f.variants[1].flags |= SPINDELAY_HELD;
	expect(&f, 0, "a twin polls a held lock");
}

static void test_burst(void)
{
	struct fixture f;

	good_plan(&f);
	f.variants[0].flags = SPINDELAY_BURST;
	f.variants[0].burst = 10;
	f.variants[1].flags = SPINDELAY_BURST | SPINDELAY_BURST_DOUBLE;
	f.variants[1].burst = 10;
	expect(&f, 0, "a plan with bursts runs");
	told(f.records[0][0].burst_min > 0 && f.records[1][0].burst_min > 0,
	     "bursts are timed");
	told(f.records[0][0].delays ==
		     f.records[0][0].acquisitions * 10 * SPINDELAY_BURST_COPIES,
	     "a burst's delays are counted");
	good_plan(&f);
	f.variants[0].flags = SPINDELAY_BURST;
	f.variants[0].burst = SPINDELAY_BURST_MAX;
	f.variants[0].count = 256;
	told(!run_plan(&f), "a plan with an endless burst returns");
	told(f.windows[0].invalid & SPINDELAY_INVALID_BURST &&
		     !(f.windows[1].invalid & SPINDELAY_INVALID_BURST),
	     "and only that window is invalid for it");
}

static void test_chain(void)
{
	struct fixture f;
	uint32_t chain;

	good_plan(&f);
	run_plan(&f);
	chain = f.plan.chain_fs;
	f.plan.chain_fs = 1;
	f.plan.plan_ticks = 0;
	expect(&f, 0, "a calibration out of range is taken");
	told(f.plan.chain_fs > 1 && f.plan.chain_fs >= chain / 8,
	     "as far as it is near the measured one");
}

/* Every sample period must leave the loop when the window ends. */
static void test_sample_periods(void)
{
	struct fixture f;
	int shift, timed = 1;

	for (shift = 1; shift <= SPINDELAY_SAMPLE_SHIFT_MAX; shift++) {
		good_plan(&f);
		f.plan.sample_shift = shift;
		f.variants[0].lock = SPIN_LOCK_nolock;
		f.variants[0].hold_ns = 0;
		timed &= !run_plan(&f) &&
			 (f.windows[0].invalid || f.windows[0].acquisitions);
	}
	told(timed, "every sample period runs and ends");
}

/* Ticks of an acquisition of a variant, in a plan of one CPU: the least. */
static double least_ticks_each(const struct fixture *f, uint32_t variant)
{
	const struct spindelay_record *records = &f->records[0][0];
	double each, least = 1e9;
	int i;

	for (i = 0; i < WINDOWS; i++) {
		if (f->schedule[i] != variant || !records[i].acquisitions)
			continue;
		each = (double)records[i].ticks / records[i].acquisitions;
		if (each < least)
			least = each;
	}
	return least;
}

/* Hold and think of 30 us together, and twice that. */
static void work_plan(struct fixture *f)
{
	int i;

	good_plan(f);
	f->plan.nr_cpus = 1;
	for (i = 0; i < 2; i++) {
		f->variants[i].lock = SPIN_LOCK_nolock;
		f->variants[i].count = 1;
		f->variants[i].hold_ns = 20000 << i;
		f->variants[i].think_ns = 10000 << i;
	}
}

/*
 * Twice the work takes twice as long, in some plan that was left alone: how
 * long it is by an emulated clock says nothing.
 */
static void test_amount_of_work(void)
{
	double ratio = 0;
	struct fixture f;
	int attempt;

	work_plan(&f);
	for (attempt = 0; attempt < ATTEMPTS; attempt++) {
		run_plan(&f);
		ratio = least_ticks_each(&f, 1) / least_ticks_each(&f, 0);
		if (ratio > 1.8 && ratio < 2.2)
			break;
	}
	printf("# ratio %.2f\n", ratio);
	told(attempt < ATTEMPTS, "twice the work takes twice as long");
}

/* A poll of thousands of delays must not outlive its window. */
static void test_long_polls(void)
{
	struct fixture f;
	int attempt;

	good_plan(&f);
	f.variants[0].flags = SPINDELAY_HELD;
	f.variants[0].count = SPINDELAY_COUNT_MAX;
	f.plan.window_ns = 5000000;
	for (attempt = 0; attempt < ATTEMPTS; attempt++)
		if (run_plan(&f) || !f.windows[0].invalid)
			break;
	told(attempt < ATTEMPTS && f.records[0][0].polls,
	     "a poll of as many delays as there may be ends with its window");
}

static void test_poll_of_a_window(void)
{
	struct fixture f;

	good_plan(&f);
	f.plan.window_ns = SPINDELAY_WINDOW_NS_MIN;
	f.variants[0].count = SPINDELAY_COUNT_MAX;
	f.variants[0].pad = SPINDELAY_PAD_MAX;
	expect(&f, -E2BIG,
	       "refused: a poll that takes longer than a part of a window");
}

/* Bursts of @ns by the plan before, in windows of 0.2 ms on one CPU. */
static void burst_plan(struct fixture *f, uint64_t ns)
{
	uint64_t burst = 1000, ticks = f->records[0][0].burst_min;

	if (ticks)
		burst = ns * f->plan.counter_hz / 1000000000 * burst / ticks;
	good_plan(f);
	f->plan.nr_cpus = 1;
	f->plan.window_ns = SPINDELAY_WINDOW_NS_MIN;
	f->variants[0].flags = SPINDELAY_BURST;
	/* So that fewer of them than a burst may have are long. */
	f->variants[0].pad = 20;
	f->variants[0].burst = burst;
}

/* A burst of 1.5 ms is within its limit, and its window's end beyond that one's. */
static void test_late(void)
{
	struct fixture f;
	int attempt;

	for (attempt = 0; attempt < LATE_ATTEMPTS; attempt++) {
		f.records[0][0].burst_min = 0;
		burst_plan(&f, 0);
		if (run_plan(&f))
			continue;
		burst_plan(&f, 1500000);
		if (!run_plan(&f) &&
		    f.windows[0].invalid == SPINDELAY_INVALID_LATE)
			break;
	}
	told(attempt < LATE_ATTEMPTS,
	     "a window that ends late is invalid for it");
}

static void *run_in_thread(void *argument)
{
	struct fixture *f = argument;

	return (void *)(intptr_t)run_plan(f);
}

static void test_two_threads(void)
{
	struct fixture long_plan, other;
	pthread_t thread;
	void *result;

	good_plan(&long_plan);
	long_plan.plan.window_ns = 20000000;
	good_plan(&other);
	pthread_create(&thread, NULL, run_in_thread, &long_plan);
	usleep(30000);
	told(run_plan(&other) == -EBUSY,
	     "a second thread on the same descriptor is told: busy");
	pthread_join(thread, &result);
	told(!result, "and the first one's plan is not disturbed");
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* A plan of two seconds, killed near its beginning, ends long before its end. */
static void test_killed(void)
{
	static struct spindelay_window windows[100];
	static struct spindelay_record records[100 * CPUS];
	static uint32_t schedule[100];
	struct fixture f;
	double since = seconds();
	pid_t child = fork();
	int status;

	if (!child) {
		good_plan(&f);
		f.plan.nr_windows = 100;
		f.plan.window_ns = 20000000;
		f.plan.windows = (uintptr_t)windows;
		f.plan.records = (uintptr_t)records;
		f.plan.schedule = (uintptr_t)schedule;
		f.plan.hists = 0;
		_exit(-run_plan(&f));
	}
	usleep(100000);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	printf("# it took %.2f s of 2\n", seconds() - since);
	told(WIFSIGNALED(status) && seconds() - since < 1.5,
	     "a killed plan ends early");
}

static void test_cycles(void)
{
	struct fixture f;

	good_plan(&f);
	expect(&f, 0, "a plan without counters runs");
	told(!f.records[0][0].cycles, "and counts no cycles");
	f.plan.flags = SPINDELAY_COUNT_CYCLES;
	expect(&f, 0, "a plan with counters runs");
	told(f.records[0][0].cycles && f.records[0][1].cycles,
	     "every CPU counts cycles");
}

/* A variant of each lock with work of every kind. */
static void test_work(void)
{
	struct fixture f;
	int i, lost = 0;

	good_plan(&f);
	f.variants[0].jitter = 100;
	f.variants[0].think_ns = 1000;
	f.variants[0].lines = SPINDELAY_LINES_MAX;
	f.variants[1].lock = SPIN_LOCK_ttas_backoff;
	f.variants[1].backoff_min = 4;
	f.variants[1].backoff_max = 512;
	f.variants[1].lines = 1;
	f.variants[1].hold_ns = 0;
	expect(&f, 0, "a plan with jitter, shared lines and back-off runs");
	for (i = 0; i < WINDOWS; i++)
		lost |= f.windows[i].counted != f.windows[i].acquisitions;
	told(!lost && f.windows[0].acquisitions && f.windows[1].acquisitions,
	     "and loses nothing");
}

static void test_sleeping_delay(void)
{
	struct fixture f;

	good_plan(&f);
	f.variants[0].delay = SPIN_DELAY_wfe;
	f.variants[0].flags = SPINDELAY_HELD;
	expect(&f, 0, "waiters in WFE end their window");
	told(f.windows[0].ticks > 0 && !f.windows[0].acquisitions,
	     "though nobody frees the lock");
}

/* Nobody frees the lock, everybody sleeps for it, and the windows end. */
static void test_parked(void)
{
	struct fixture f;
	__u64 got = 0, parks = 0, most = 0;
	int i, cpu;

	good_plan(&f);
	f.variants[0].lock = SPIN_LOCK_innodb_mutex;
	f.variants[0].pause_multiplier = 1;
	f.variants[0].flags = SPINDELAY_HELD;
	f.variants[1] = f.variants[0];
	expect(&f, 0, "windows end in which all sleep for a lock");
	for (i = 0; i < WINDOWS; i++)
		for (cpu = 0; cpu < CPUS; cpu++) {
			got += f.records[i][cpu].acquisitions;
			parks += f.records[i][cpu].parks;
			if (f.records[i][cpu].parks > most)
				most = f.records[i][cpu].parks;
		}
	/* Who came late to a window need not have slept in it. */
	told(!got && parks && most == 1, "once each, and nobody gets it");
}

/* Is a CPU's window as these numbers have it, where nobody frees the lock? */
static bool backs_off(const struct spindelay_backoff *b,
		      const struct spindelay_record *r)
{
	if (r->acquisitions)
		return false;
	if (!b->nap_us)
		return !r->parks;
	if (r->parks > 1 && b->nap_us == SPINDELAY_BACKOFF_UNTIL_WOKEN)
		return false;
	/* Where turns do not grow, each look had one. */
	return !r->parks || b->growth || r->polls == b->looks;
}

static void test_backoff(const struct spindelay_backoff *b)
{
	struct fixture f;
	__u64 parks = 0;
	bool fine = true;
	int i, cpu;

	good_plan(&f);
	f.plan.window_ns = SPINDELAY_WINDOW_NS_MAX;
	f.variants[0].lock = SPIN_LOCK_backoff;
	f.variants[0].backoff = *b;
	f.variants[0].flags = SPINDELAY_HELD;
	f.variants[1] = f.variants[0];
	expect(&f, 0, "windows end in which all back off");
	for (i = 0; i < WINDOWS; i++)
		for (cpu = 0; cpu < CPUS; cpu++) {
			fine = fine && backs_off(b, &f.records[i][cpu]);
			parks += f.records[i][cpu].parks;
		}
	told(fine && (!b->nap_us || parks), "as their numbers say");
}

static void test_backoffs(void)
{
	unsigned int i;

	for (i = 0; i < GOOD_BACKOFFS; i++)
		test_backoff(&good_backoffs[i]);
}

static void test_second_opener(void)
{
	int second = open("/dev/spindelay", O_RDWR);

	told(second < 0 && errno == EBUSY, "a second opener is told: busy");
	if (second >= 0)
		close(second);
}

static void test_other_commands(void)
{
	struct fixture f;

	good_plan(&f);
	told(ioctl(device, SPINDELAY_IOC_RUN + 1, &f.plan) && errno == ENOTTY,
	     "another ioctl is not known");
	told(ioctl(device, SPINDELAY_IOC_RUN, NULL) && errno == EFAULT,
	     "no plan at all is a bad address");
}

static void test_without_capability(void)
{
	struct fixture f;
	pid_t child = fork();
	int status;

	if (!child) {
		good_plan(&f);
		if (setgid(65534) || setuid(65534))
			_exit(2);
		_exit(run_plan(&f) == -EPERM ? 0 : 1);
	}
	waitpid(child, &status, 0);
	told(WIFEXITED(status) && !WEXITSTATUS(status),
	     "an inherited descriptor without the capability runs nothing");
}

int main(void)
{
	/* What was told is not lost with a process that dies. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	device = open("/dev/spindelay", O_RDWR);
	if (device < 0) {
		printf("Bail out! /dev/spindelay: %s\n", strerror(errno));
		return 1;
	}
	test_good();
	test_bad_plans();
	test_unsupported();
	test_without_hists();
	test_outputs_half_mapped();
	test_held();
	test_twin();
	test_burst();
	test_chain();
	test_sample_periods();
	test_amount_of_work();
	test_long_polls();
	test_poll_of_a_window();
	test_late();
	test_two_threads();
	test_killed();
	test_cycles();
	test_work();
	test_sleeping_delay();
	test_parked();
	test_backoffs();
	test_second_opener();
	test_other_commands();
	test_without_capability();
	close(device);
	printf("1..%d\n", test_number);
	return failed;
}
