// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls of the ioctl and stores to the sysfs files, made by a generator that
 * knows what they take: a good one is drawn, then parts of it are spoilt.
 *
 *	fuzz_abi CALLS SEED [FIRST]
 *
 * Each call follows from SEED and its number alone, so "fuzz_abi 1 SEED NUMBER"
 * makes one again. After each: the answer is a documented one, and where the
 * tool's own check of plans can tell, the same as that one's; no memory is written
 * but the results; a refused plan has none; nothing in them looks like a kernel
 * address or like memory that nobody wrote. Ends with status 0 if all that held
 * and every kind of answer was seen.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/array_size.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/delays.h"
#include "bench/locks.h"
#include "bench/presets.h"
#include "lib/plan_check.h"
#include "uapi/spindelay.h"

#define SYSFS "/sys/class/misc/spindelay/"
#define DEVICE "/dev/spindelay"
#define CANARY 0xc5
/* Whole pages of any size, behind which nothing is mapped, ... */
#define MAPPING 65536
/* ... and the end of them, which holds an array and is looked at. */
#define ROOM 4096
/* Compared at once where nothing has changed. */
#define LINE 64
#define CPUS 2
#define VARIANTS 3
#define WINDOWS 3
/* Runs take long: most plans are spoilt in what is looked at last, too. */
#define ONE_RUNS_OF 40
#define PLAIN_EVERY 200
#define HANGS_SECONDS 120
#define ERRNO_MAX 133
/* So many calls see every kind of answer. */
#define SEES_ALL 2000

/* The arrays of a plan in the order of its addresses, and the plan itself. */
enum array {
	IN_CPUS,
	IN_VARIANTS,
	IN_SCHEDULE,
	WINDOW,
	RECORD,
	HIST,
	PLAN
};

#define ARRAYS (PLAN + 1)

static const size_t array_bytes[ARRAYS] = {
	[IN_CPUS] = CPUS * sizeof(uint32_t),
	[IN_VARIANTS] = VARIANTS * sizeof(struct spindelay_variant),
	[IN_SCHEDULE] = WINDOWS * sizeof(uint32_t),
	[WINDOW] = WINDOWS * sizeof(struct spindelay_window),
	[RECORD] = WINDOWS * CPUS * sizeof(struct spindelay_record),
	[HIST] = WINDOWS * SPINDELAY_HIST_BUCKETS * sizeof(uint32_t),
	[PLAN] = sizeof(struct spindelay_plan),
};

/* Each array ends where its room does. */
static unsigned char *room[ARRAYS];
static unsigned char before[ARRAYS][ROOM];
static unsigned char *read_only;
static struct spindelay_plan *plan;
static int device;
static unsigned long answers[ERRNO_MAX + 1];

static uint64_t random_state;

static uint64_t draw(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint32_t below(uint32_t n)
{
	return draw() % n;
}

static bool one_of(uint32_t n)
{
	return !below(n);
}

static void *array(enum array which)
{
	return room[which] + ROOM - array_bytes[which];
}

static __u64 *address(enum array which)
{
	return &plan->cpus + which;
}

/* ---- a good plan ---- */

static const struct spindelay_backoff presets[] = {
#define PRESET(spelling, source, ...) { __VA_ARGS__ },
	SPIN_PRESETS(PRESET)
};

static void draw_variant(struct spindelay_variant *v)
{
	*v = (struct spindelay_variant){
		.lock = below(SPIN_LOCK_END),
		.delay = below(SPIN_DELAY_END),
		.count = one_of(3) ? 1 + below(8) : 1,
		.pad = one_of(3) ? below(64) : 0,
		.hold_ns = below(2000),
		.think_ns = below(2000),
		.jitter = below(SPINDELAY_JITTER_MAX + 1),
		.lines = below(SPINDELAY_LINES_MAX + 1),
		.spin_wait_delay = below(10),
		.pause_multiplier = 1 + below(50),
		.sync_spin_loops = below(30),
		.read_share = below(SPINDELAY_READ_SHARE_MAX + 1),
		.backoff = presets[below(ARRAY_SIZE(presets))],
	};
	if (one_of(4))
		v->flags = SPINDELAY_HELD;
	if (one_of(8)) {
		v->flags = SPINDELAY_BURST;
		v->burst = 1 + below(8);
	}
}

static void draw_plan(void)
{
	struct spindelay_variant *variants = array(IN_VARIANTS);
	uint32_t *cpus = array(IN_CPUS), *schedule = array(IN_SCHEDULE), i;

	*plan = (struct spindelay_plan){
		.size = sizeof(*plan),
		.abi = SPINDELAY_ABI,
		.flags = below(2),
		.nr_cpus = 1 + below(CPUS),
		.nr_variants = 1 + below(VARIANTS),
		.nr_windows = 1 + below(WINDOWS),
		.window_ns = SPINDELAY_WINDOW_NS_MIN + below(100000),
		.sample_shift = 1 + below(SPINDELAY_SAMPLE_SHIFT_MAX),
		.lock_page = below(SPINDELAY_LOCK_PAGES),
		.lock_slot = below(SPINDELAY_LOCK_SLOTS),
		.node = -(int)below(2),
	};
	for (i = IN_CPUS; i < PLAN; i++)
		*address(i) = (uintptr_t)array(i);
	if (one_of(4))
		plan->hists = 0;
	for (i = 0; i < CPUS; i++)
		cpus[i] = i;
	for (i = 0; i < VARIANTS; i++)
		draw_variant(&variants[i]);
	for (i = 0; i < WINDOWS; i++)
		schedule[i] = below(plan->nr_variants);
}

/* ---- spoiling it ---- */

/* At, below and above what bounds there are. */
static uint32_t boundary(void)
{
	static const uint32_t values[] = {
		1,
		CPUS,
		SPINDELAY_LOCK_PAGES,
		SPINDELAY_LINES_MAX,
		SPINDELAY_JITTER_MAX,
		SPINDELAY_CPUS_MAX,
		SPINDELAY_BACKOFF_GROWTH_MAX,
		SPINDELAY_BACKOFF_IDLE_MAX,
		SPINDELAY_COUNT_MAX,
		SPINDELAY_SPIN_WAIT_DELAY_MAX,
		SPINDELAY_WINDOWS_MAX,
		SPINDELAY_PAD_MAX,
		SPINDELAY_WFET_NS_MAX,
		SPINDELAY_WINDOW_NS_MIN,
		SPINDELAY_WINDOW_NS_MIN / SPINDELAY_WORK_SHARE_MAX,
		SPINDELAY_WINDOW_NS_MAX,
		SPINDELAY_BACKOFF_TURNS_MAX,
		0x80000000,
		0xffffffff,
	};

	if (one_of(8))
		return draw();
	if (one_of(4))
		return 1U << below(32);
	return values[below(ARRAY_SIZE(values))] + below(3) - 1;
}

static void spoil_word(enum array which)
{
	uint32_t *words = array(which);

	words[below(array_bytes[which] / sizeof(*words))] = boundary();
}

/* NULL, unmapped, the kernel's, read-only, partly mapped, not aligned. */
static uint64_t bad_address(uint64_t good)
{
	switch (below(8)) {
	case 0:
		return 0;
	case 1:
		return 8;
	case 2:
		return 0xffff800080000000 + below(1 << 20) * 8;
	case 3:
		return ~0ULL - below(4096);
	case 4:
		return (uintptr_t)read_only;
	case 5:
		return (uintptr_t)room[below(ARRAYS)] + ROOM - below(LINE);
	case 6:
		return 1ULL << (40 + below(24));
	default:
		return good - below(64);
	}
}

static void spoil_address(void)
{
	enum array which = below(PLAN);

	*address(which) = bad_address(*address(which));
}

static void spoil(void)
{
	uint32_t what = below(16);

	if (what < 5)
		spoil_word(PLAN);
	else if (what < 11)
		spoil_word(IN_VARIANTS);
	else if (what < 12)
		spoil_word(IN_CPUS);
	else if (what < 13)
		spoil_word(IN_SCHEDULE);
	else
		spoil_address();
}

/* The schedule's end is the last that is looked at before a plan runs. */
static void let_it_be_refused(void)
{
	uint32_t *schedule = array(IN_SCHEDULE);

	if (plan->nr_windows && plan->nr_windows <= WINDOWS)
		schedule[plan->nr_windows - 1] = plan->nr_variants + below(2);
	else if (plan->nr_windows)
		plan->hists = 8;
}

/* ---- what must hold after a call ---- */

static bool says(const char *what)
{
	printf("# %s\n", what);
	return false;
}

/* Bytes of an output that a plan may write. */
static uint64_t output_bytes(const struct spindelay_plan *p, enum array which)
{
	uint64_t windows = p->nr_windows;

	switch (which) {
	case WINDOW:
		return windows * sizeof(struct spindelay_window);
	case RECORD:
		return windows * p->nr_cpus * sizeof(struct spindelay_record);
	case HIST:
		return p->hists ? windows * SPINDELAY_HIST_BUCKETS *
					  sizeof(uint32_t) :
				  0;
	default:
		return 0;
	}
}

static bool is_output(const struct spindelay_plan *p, uint64_t at)
{
	const __u64 *addresses = &p->cpus;
	enum array which;

	for (which = WINDOW; which <= HIST; which++)
		if (at - addresses[which] < output_bytes(p, which))
			return true;
	return false;
}

/* A byte that has changed: is it a result's, and nothing where there is none? */
static bool may_change(const struct spindelay_plan *was, int err,
		       const unsigned char *byte)
{
	bool of_plan = byte >= (unsigned char *)plan &&
		       byte < (unsigned char *)(plan + 1);

	if (of_plan && !err)
		return true;
	/* A bad address is found before the run, or, rarely, after it. */
	return is_output(was, (uintptr_t)byte) &&
	       (!err || err == EFAULT || !*byte);
}

static bool room_is_right(const struct spindelay_plan *was, int err,
			  enum array which)
{
	const unsigned char *now = room[which], *then = before[which];
	size_t at, i;

	for (at = 0; at < ROOM; at += LINE) {
		if (!memcmp(now + at, then + at, LINE))
			continue;
		for (i = at; i < at + LINE; i++)
			if (now[i] != then[i] && !may_change(was, err, now + i))
				return false;
	}
	return true;
}

static bool at_home(const struct spindelay_plan *p, enum array first)
{
	const __u64 *addresses = &p->cpus;
	enum array which;

	for (which = first; which < PLAN; which++)
		if (addresses[which] != (uintptr_t)array(which) &&
		    (which != HIST || addresses[which]))
			return false;
	return true;
}

/* The patterns are what slabs and pages are filled with where that is debugged. */
static bool tells_of_kernel(enum array which, size_t size)
{
	const uint64_t *words = array(which);
	size_t i;

	for (i = 0; i < size / sizeof(*words); i++)
		if (words[i] >= 0xffff000000000000 ||
		    words[i] == 0xaaaaaaaaaaaaaaaa ||
		    words[i] == 0x6b6b6b6b6b6b6b6b ||
		    words[i] == 0x5a5a5a5a5a5a5a5a ||
		    words[i] == CANARY * 0x0101010101010101ULL) {
			printf("# array %d, word %zu: %#llx\n", which, i,
			       (unsigned long long)words[i]);
			return true;
		}
	return false;
}

static bool results_are_right(const struct spindelay_plan *was)
{
	const struct spindelay_window *w = array(WINDOW);
	enum array which;
	uint32_t i;

	for (which = WINDOW; which <= HIST; which++)
		if (tells_of_kernel(which, output_bytes(was, which)))
			return says("a result tells of something else");
	for (i = 0; i < was->nr_windows; i++)
		if (w[i].reserved[0] | w[i].reserved[1] | w[i].reserved[2])
			return says("a reserved field is not zero");
	return true;
}

/* One that ran differs in its outputs alone. */
static bool plan_is_right(const struct spindelay_plan *was)
{
	struct spindelay_plan now = *plan;

	now.chain_fs = was->chain_fs;
	now.counter_hz = was->counter_hz;
	now.plan_ticks = was->plan_ticks;
	return !memcmp(&now, was, sizeof(now)) && plan->chain_fs &&
	       plan->counter_hz && plan->plan_ticks;
}

static bool memory_is_right(int err)
{
	struct spindelay_plan was;
	enum array which;

	memcpy(&was, before[PLAN] + ROOM - sizeof(was), sizeof(was));
	for (which = 0; which < ARRAYS; which++)
		if (!room_is_right(&was, err, which))
			return says("something is written that is no result");
	if (err)
		return true;
	if (!plan_is_right(&was))
		return says("the plan's own outputs are not right");
	return !at_home(&was, WINDOW) || results_are_right(&was);
}

static bool documented(int err)
{
	static const int errors[] = { 0,      EINVAL, E2BIG,	 EFAULT,
				      ENOMEM, ENODEV, EOPNOTSUPP };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		if (err == errors[i])
			return true;
	printf("# not documented: %s\n", strerror(err));
	return false;
}

/* The tool's check knows nothing of this machine: not which CPUs and delays. */
static bool predictable(void)
{
	const struct spindelay_variant *variants = array(IN_VARIANTS);
	const uint32_t *cpus = array(IN_CPUS);
	uint32_t i;

	if (!at_home(plan, IN_CPUS) || plan->nr_cpus > CPUS ||
	    plan->nr_variants > VARIANTS || plan->nr_windows > WINDOWS ||
	    plan->node > 0)
		return false;
	for (i = 0; i < CPUS; i++)
		if (cpus[i] != i)
			return false;
	for (i = 0; i < VARIANTS; i++)
		if (variants[i].delay == SPIN_DELAY_sb ||
		    variants[i].delay == SPIN_DELAY_wfet)
			return false;
	return true;
}

/* Only a run knows that a poll takes too long. */
static bool as_predicted(int wanted, int err)
{
	if (err == wanted || (!wanted && err == E2BIG))
		return true;
	printf("# the tool says: %s, the module: %s\n", strerror(wanted),
	       strerror(err));
	return false;
}

/* ---- the calls ---- */

static int call(unsigned long command, void *argument)
{
	enum array which;
	int err;

	for (which = 0; which < ARRAYS; which++)
		memcpy(before[which], room[which], ROOM);
	err = ioctl(device, command, argument) ? errno : 0;
	answers[err]++;
	return err;
}

static void new_plan(void)
{
	enum array which;

	for (which = 0; which < ARRAYS; which++)
		memset(room[which], CANARY, ROOM);
	draw_plan();
}

/* Runs whatever was asked before. */
static bool plain_plan_runs(void)
{
	struct spindelay_variant *variants = array(IN_VARIANTS);
	uint32_t i;
	int err;

	new_plan();
	for (i = 0; i < VARIANTS; i++)
		variants[i] = (struct spindelay_variant){
			.lock = SPIN_LOCK_ttas,
			.delay = SPIN_DELAY_isb,
			.count = 1,
		};
	err = call(SPINDELAY_IOC_RUN, plan);
	return err ? says("a plain plan does not run") : memory_is_right(0);
}

static bool other_command(void)
{
	int err = call(SPINDELAY_IOC_RUN ^ (1U << below(32)), plan);

	return (err == ENOTTY && memory_is_right(err)) ||
	       says("another command is not refused");
}

static bool other_argument(void)
{
	uint64_t argument = bad_address((uintptr_t)plan);
	int err = call(SPINDELAY_IOC_RUN, (void *)argument);

	/* What is there instead may be a plan, by chance, shifted by nothing. */
	return argument == (uintptr_t)plan ?
		       documented(err) :
		       (documented(err) && err && memory_is_right(err));
}

static bool fuzz_ioctl(void)
{
	uint32_t spoilt = below(5);
	bool runs = one_of(ONE_RUNS_OF), sure;
	int wanted = 0, err;

	new_plan();
	if (one_of(32))
		return other_command();
	if (one_of(32))
		return other_argument();
	while (spoilt--)
		spoil();
	if (!runs)
		let_it_be_refused();
	sure = predictable();
	if (sure)
		wanted = -plan_check(plan);
	err = call(SPINDELAY_IOC_RUN, plan);
	return documented(err) && (!sure || as_predicted(wanted, err)) &&
	       memory_is_right(err);
}

/* ---- the files ---- */

static const char *const files[] = {
	"delay",   "test_lock", "test_delay", "test_count", "cpus",
	"hold_ns", "think_ns",	"window_us",  "windows",    "run",
};

#define LOCK(id, name, spelling, traits) spelling,
#define DELAY(id, name, spelling, need, traits) spelling,
static const char *const words[] = {
	SPIN_LOCKS(LOCK) SPIN_DELAYS(DELAY) "auto",
	"",
	"0",
	"1",
	"2",
	"0-1",
	"0,1",
	"1-0",
	"0-",
	"-1",
	"511",
	"all",
	"0x10",
	"+1",
	"1e3",
	"0-1:1/2",
	"1 1",
	"4294967296",
	"18446744073709551616",
};

static size_t draw_text(char *text)
{
	size_t size = sprintf(text, "%s", words[below(ARRAY_SIZE(words))]);

	if (one_of(3))
		size = sprintf(text, "%u", boundary());
	if (one_of(64)) {
		size = 1 + below(8192);
		memset(text, '0' + below(10), size);
	}
	if (size && one_of(4))
		text[below(size)] = draw();
	if (one_of(2))
		text[size++] = '\n';
	text[size] = '\0';
	return size;
}

static bool look(const char *path, char *text, size_t size)
{
	int file = open(path, O_RDONLY);
	ssize_t got = read(file, text, size - 1);

	close(file);
	text[got < 0 ? 0 : got] = '\0';
	return got > 0 && text[got - 1] == '\n';
}

/* Return: 0 or the errno; -1 if only a part of what sysfs takes was taken */
static int store(const char *file, const char *text, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char path[128];
	ssize_t got;
	int fd, err;

	snprintf(path, sizeof(path), SYSFS "%s", file);
	fd = open(path, O_WRONLY);
	got = write(fd, text, size);
	err = got < 0 ? errno : 0;
	close(fd);
	answers[err]++;
	if (size > page)
		size = page;
	return !err && got != (ssize_t)size ? -1 : err;
}

static bool fuzz_run(const char *text, size_t size)
{
	int err = store("windows", "2", 1) ?: store("window_us", "200", 3);

	return (!err || says("a good setting is refused")) &&
	       documented(store("run", text, size));
}

/* As tests/guest/ABI has it. */
static bool in_bounds(const char *file, unsigned long value)
{
	static const struct {
		const char *file;
		unsigned long low, high;
	} bounds[] = {
		{ "test_count", 1, 4096 },  { "hold_ns", 0, 5000000 },
		{ "think_ns", 0, 5000000 }, { "window_us", 200, 20000 },
		{ "windows", 1, 8190 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bounds); i++)
		if (!strcmp(file, bounds[i].file))
			return value >= bounds[i].low &&
			       value <= bounds[i].high;
	return false;
}

/* Numbers are written as we would, and names as they were stored. */
static bool is_what_was_stored(const char *file, const char *is,
			       const char *text)
{
	size_t size = strcspn(text, "\n");

	if (!strcmp(file, "cpus"))
		return true;
	if (strspn(is, "0123456789") + 1 == strlen(is))
		return strtoul(is, NULL, 10) == strtoul(text, NULL, 10) &&
		       in_bounds(file, strtoul(is, NULL, 10));
	return size + 1 == strlen(is) && !memcmp(is, text, size);
}

static bool fuzz_file(void)
{
	static char text[8300], was[8300], is[8300];
	const char *file = files[below(ARRAY_SIZE(files))];
	size_t size = draw_text(text);
	char path[128];
	int err;

	if (!strcmp(file, "run"))
		return fuzz_run(text, size);
	snprintf(path, sizeof(path), SYSFS "%s", file);
	if (!look(path, was, sizeof(was)))
		return says("a file cannot be read");
	err = store(file, text, size);
	if (err != ERANGE && !documented(err))
		return false;
	if (!look(path, is, sizeof(is)))
		return says("a file cannot be read any more");
	/* Storing nothing calls nobody. */
	if ((err || !size) ? !strcmp(is, was) :
			     is_what_was_stored(file, is, text))
		return true;
	printf("# %s: %s, with '%.40s' stored, is now %s", file, strerror(err),
	       text, is);
	return false;
}

/* ---- all together ---- */

/* A run by hand needs the device for itself. */
static bool with_device_closed(bool (*act)(void))
{
	bool good;

	close(device);
	good = act();
	device = open(DEVICE, O_RDWR);
	return good && (device >= 0 || says("the device stays busy"));
}

static bool fuzz_once(uint64_t seed, unsigned long number)
{
	bool good;

	random_state = seed + number * 0x2545f4914f6cdd1d;
	alarm(HANGS_SECONDS);
	if (number % PLAIN_EVERY == PLAIN_EVERY - 1)
		good = plain_plan_runs();
	else if (one_of(4))
		good = with_device_closed(fuzz_file);
	else
		good = fuzz_ioctl();
	alarm(0);
	return good;
}

static bool fuzz(unsigned long calls, uint64_t seed, unsigned long first)
{
	unsigned long i;

	for (i = first; i < first + calls; i++)
		if (!fuzz_once(seed, i)) {
			printf("# again: fuzz_abi 1 %llu %lu\n",
			       (unsigned long long)seed, i);
			return false;
		}
	return true;
}

static bool saw_all_answers(void)
{
	static const int errors[] = { 0,      EINVAL, E2BIG, EFAULT,
				      ENODEV, ENOTTY, ERANGE };
	bool all = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		printf("# %lu times: %s\n", answers[errors[i]],
		       strerror(errors[i]));
		all = all && answers[errors[i]];
	}
	return all;
}

static unsigned char *map(int protection)
{
	unsigned char *at = mmap(NULL, 2 * MAPPING, protection,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || mprotect(at + MAPPING, MAPPING, PROT_NONE)) {
		perror("# memory");
		exit(2);
	}
	return at + MAPPING - ROOM;
}

static void set_up(void)
{
	enum array which;

	for (which = 0; which < ARRAYS; which++)
		room[which] = map(PROT_READ | PROT_WRITE);
	read_only = map(PROT_READ);
	plan = array(PLAN);
	device = open(DEVICE, O_RDWR);
	if (device < 0) {
		perror("# " DEVICE);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	unsigned long calls, first;
	uint64_t seed;

	if (argc < 3) {
		fprintf(stderr, "usage: fuzz_abi CALLS SEED [FIRST]\n");
		return 2;
	}
	calls = strtoul(argv[1], NULL, 10);
	seed = strtoull(argv[2], NULL, 10);
	first = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	set_up();
	if (!fuzz(calls, seed, first))
		return 1;
	return !saw_all_answers() && calls >= SEES_ALL;
}
