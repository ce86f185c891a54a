// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls of the ioctl and stores to the sysfs files, good ones with something
 * spoilt, by a generator that knows what they take:
 *
 *	fuzz_abi CALLS SEED [FIRST]
 *
 * A call is made from SEED and its number alone, so "fuzz_abi 1 SEED NUMBER"
 * makes one again. After each: the answer is one that is documented; nothing is
 * written but what is documented; nothing in it looks like a kernel address or
 * like memory that nobody has written to. Now and then a good plan must run.
 * Ends with status 0 if all that held.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/array_size.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uapi/spindelay.h"
#include "bench/delays.h"
#include "bench/locks.h"
#include "bench/presets.h"

#define SYSFS "/sys/class/misc/spindelay/"
#define CANARY 0xc5
/* Each array has a mapping of so many bytes, with nothing mapped behind it, ... */
#define ROOM 65536
/* ... of which so many, at its end, are looked at after a call. */
#define SEEN 8192
#define CPUS_FIT 4
#define VARIANTS_FIT 4
#define WINDOWS_FIT 8
#define PLAIN_EVERY 200
#define HANGS_SECONDS 120

enum array {
	CPUS_IN,
	VARIANTS_IN,
	SCHEDULE_IN,
	WINDOWS,
	RECORDS,
	HISTS,
	PLAN
};

#define ARRAYS (PLAN + 1)

static const size_t array_bytes[ARRAYS] = {
	[CPUS_IN] = CPUS_FIT * sizeof(uint32_t),
	[VARIANTS_IN] = VARIANTS_FIT * sizeof(struct spindelay_variant),
	[SCHEDULE_IN] = WINDOWS_FIT * sizeof(uint32_t),
	[WINDOWS] = WINDOWS_FIT * sizeof(struct spindelay_window),
	[RECORDS] = WINDOWS_FIT * CPUS_FIT * sizeof(struct spindelay_record),
	[HISTS] = WINDOWS_FIT * SPINDELAY_HIST_BUCKETS * sizeof(uint32_t),
	[PLAN] = sizeof(struct spindelay_plan),
};

/* The mappings; each array ends where its mapping does. */
static unsigned char *room[ARRAYS];
/* What they held before the call. */
static unsigned char before[ARRAYS][SEEN];
static unsigned char *read_only;
static uint64_t random_state;
static int device;

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

static void *array(enum array which)
{
	return room[which] + ROOM - array_bytes[which];
}

static unsigned char *seen(enum array which)
{
	return room[which] + ROOM - SEEN;
}

#define PLAN_FIELD(field) (((struct spindelay_plan *)array(PLAN))->field)

/* ---- a good plan, drawn ---- */

static const struct spindelay_backoff presets[] = {
#define PRESET(spelling, source, ...) { __VA_ARGS__ },
	SPIN_PRESETS(PRESET)
};

static void draw_variant(struct spindelay_variant *v)
{
	*v = (struct spindelay_variant){
		.lock = below(SPIN_LOCK_END),
		.delay = below(SPIN_DELAY_END),
		.count = below(3) ? 1 : 1 + below(8),
		.pad = below(3) ? 0 : below(64),
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
	if (!below(4))
		v->flags = SPINDELAY_HELD;
	if (!below(8)) {
		v->flags = SPINDELAY_BURST;
		v->burst = 1 + below(8);
	}
	if (v->flags & SPINDELAY_BURST && below(2))
		v->flags |= SPINDELAY_BURST_DOUBLE;
}

static void draw_plan(void)
{
	struct spindelay_variant *variants = array(VARIANTS_IN);
	uint32_t *cpus = array(CPUS_IN), *schedule = array(SCHEDULE_IN);
	unsigned int i;

	PLAN_FIELD(size) = sizeof(struct spindelay_plan);
	PLAN_FIELD(abi) = SPINDELAY_ABI;
	PLAN_FIELD(flags) = below(2);
	PLAN_FIELD(nr_cpus) = 1 + below(2);
	PLAN_FIELD(nr_variants) = 1 + below(2);
	PLAN_FIELD(nr_windows) = 1 + below(3);
	PLAN_FIELD(window_ns) = SPINDELAY_WINDOW_NS_MIN + below(100000);
	PLAN_FIELD(sample_shift) = 1 + below(SPINDELAY_SAMPLE_SHIFT_MAX);
	PLAN_FIELD(lock_page) = below(SPINDELAY_LOCK_PAGES);
	PLAN_FIELD(lock_slot) = below(SPINDELAY_LOCK_SLOTS);
	PLAN_FIELD(node) = -1;
	PLAN_FIELD(cpus) = (uintptr_t)cpus;
	PLAN_FIELD(variants) = (uintptr_t)variants;
	PLAN_FIELD(schedule) = (uintptr_t)schedule;
	PLAN_FIELD(windows) = (uintptr_t)array(WINDOWS);
	PLAN_FIELD(records) = (uintptr_t)array(RECORDS);
	PLAN_FIELD(hists) = below(4) ? (uintptr_t)array(HISTS) : 0;
	for (i = 0; i < CPUS_FIT; i++)
		cpus[i] = i;
	for (i = 0; i < VARIANTS_FIT; i++)
		draw_variant(&variants[i]);
	for (i = 0; i < WINDOWS_FIT; i++)
		schedule[i] = below(PLAN_FIELD(nr_variants));
}

/* The plan that must run whatever was asked before. */
static void plain_plan(void)
{
	struct spindelay_variant *v = array(VARIANTS_IN);

	draw_plan();
	PLAN_FIELD(nr_variants) = 1;
	PLAN_FIELD(hists) = (uintptr_t)array(HISTS);
	memset(array(SCHEDULE_IN), 0, array_bytes[SCHEDULE_IN]);
	*v = (struct spindelay_variant){ .lock = SPIN_LOCK_ttas,
					 .delay = SPIN_DELAY_isb,
					 .count = 1 };
}

/* ---- spoiling it ---- */

/* At, below and above what bounds there are. */
static uint32_t boundary(void)
{
	static const uint32_t values[] = {
		0,
		1,
		2,
		SPINDELAY_LOCK_PAGES,
		SPINDELAY_LINES_MAX,
		SPINDELAY_VARIANTS_MAX,
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
		SPINDELAY_BACKOFF_TURNS_MAX,
		SPINDELAY_WINDOW_NS_MAX / SPINDELAY_WORK_SHARE_MAX,
		SPINDELAY_WINDOW_NS_MAX,
		0x7fffffff,
		0x80000000,
		0xffffffff,
	};

	if (!below(8))
		return draw();
	if (!below(4))
		return 1U << below(32);
	return values[below(ARRAY_SIZE(values))] + below(3) - 1;
}

static void spoil_word(enum array which)
{
	uint32_t *words = array(which);

	words[below(array_bytes[which] / sizeof(*words))] = boundary();
}

/* NULL, unmapped, the kernel's, read-only, partly mapped, not aligned. */
static uint64_t bad_pointer(uint64_t good)
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
		return (uintptr_t)room[PLAN] + ROOM - 8;
	case 6:
		return 1ULL << (40 + below(24));
	default:
		return good + below(64);
	}
}

static void spoil_pointer(void)
{
	__u64 *pointer = &PLAN_FIELD(cpus);

	pointer += below(6);
	*pointer = bad_pointer(*pointer);
}

static void spoil(void)
{
	uint32_t what = below(16);

	if (what < 6)
		spoil_word(PLAN);
	else if (what < 11)
		spoil_word(VARIANTS_IN);
	else if (what < 12)
		spoil_word(CPUS_IN);
	else if (what < 13)
		spoil_word(SCHEDULE_IN);
	else
		spoil_pointer();
}

/* Good or not, it is not to last. */
static void shorten(void)
{
	uint32_t window = PLAN_FIELD(window_ns), nr = PLAN_FIELD(nr_windows);

	if (below(50) && nr <= WINDOWS_FIT && nr > 1 &&
	    (uint64_t)window * nr > 5 * SPINDELAY_WINDOW_NS_MIN)
		PLAN_FIELD(nr_windows) = 1;
}

/* ---- what must hold after a call ---- */

static bool says(const char *what)
{
	printf("# %s\n", what);
	return false;
}

/* Both what such memory is filled with on kernels that look for its use. */
static bool tells_of_kernel(const void *data, size_t size)
{
	const uint64_t *words = data;
	size_t i;

	for (i = 0; i < size / sizeof(*words); i++)
		if (words[i] >= 0xffff000000000000 ||
		    words[i] == 0xaaaaaaaaaaaaaaaa ||
		    words[i] == 0x6b6b6b6b6b6b6b6b ||
		    words[i] == 0x5a5a5a5a5a5a5a5a) {
			printf("# word %zu is %#llx\n", i,
			       (unsigned long long)words[i]);
			return true;
		}
	return false;
}

/* Bytes of an output that a plan may write. */
static size_t written(enum array which, const struct spindelay_plan *p)
{
	size_t windows = p->nr_windows;

	switch (which) {
	case WINDOWS:
		return windows * sizeof(struct spindelay_window);
	case RECORDS:
		return windows * p->nr_cpus * sizeof(struct spindelay_record);
	case HISTS:
		return p->hists ? windows * SPINDELAY_HIST_BUCKETS *
					  sizeof(uint32_t) :
				  0;
	default:
		return 0;
	}
}

/* Whether all outputs are where they were meant to be. */
static bool outputs_at_home(const struct spindelay_plan *p)
{
	return p->windows == (uintptr_t)array(WINDOWS) &&
	       p->records == (uintptr_t)array(RECORDS) &&
	       (!p->hists || p->hists == (uintptr_t)array(HISTS));
}

static bool untouched(enum array which, size_t but)
{
	size_t begin = SEEN - array_bytes[which];

	if (but > array_bytes[which])
		but = array_bytes[which];
	return !memcmp(seen(which), before[which], begin) &&
	       !memcmp(seen(which) + begin + but, before[which] + begin + but,
		       array_bytes[which] - but);
}

static bool reserved_is_zero(const struct spindelay_plan *p)
{
	static const uint64_t none[3];
	const struct spindelay_window *w = array(WINDOWS);
	uint32_t i;

	for (i = 0; i < p->nr_windows; i++)
		if (memcmp(w[i].reserved, none, sizeof(none)))
			return false;
	return true;
}

/* A plan that was refused is as it came; one that ran has its outputs. */
static bool plan_is_right(const struct spindelay_plan *was, int err)
{
	struct spindelay_plan now = *(struct spindelay_plan *)array(PLAN);

	if (!err) {
		if (!now.chain_fs || !now.counter_hz || !now.plan_ticks)
			return false;
		now.chain_fs = was->chain_fs;
		now.counter_hz = was->counter_hz;
		now.plan_ticks = was->plan_ticks;
	}
	return !memcmp(&now, was, sizeof(now));
}

static bool memory_is_right(int err)
{
	const struct spindelay_plan *was =
		(void *)(before[PLAN] + SEEN - sizeof(*was));
	enum array which;

	if (!outputs_at_home(was))
		return true;
	for (which = 0; which < PLAN; which++)
		if (!untouched(which, written(which, was)))
			return says("more is written than the results");
	if (!plan_is_right(was, err))
		return says("the plan itself is not as it should be");
	if (err)
		return true;
	for (which = WINDOWS; which < PLAN; which++)
		if (tells_of_kernel(array(which), written(which, was)))
			return says("a result tells something of the kernel");
	return reserved_is_zero(was) || says("a reserved field is not zero");
}

static bool documented(int err)
{
	static const int errors[] = { 0,      EINVAL, E2BIG,	 EFAULT,
				      ENOMEM, ENODEV, EOPNOTSUPP };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		if (err == errors[i])
			return true;
	return says(strerror(err));
}

/* ---- the calls ---- */

static int call(unsigned long command, void *argument)
{
	int err;

	memcpy(before[PLAN], seen(PLAN), SEEN);
	alarm(HANGS_SECONDS);
	err = ioctl(device, command, argument) ? errno : 0;
	alarm(0);
	return err;
}

static void fill(void)
{
	enum array which;

	for (which = 0; which < ARRAYS; which++)
		memset(seen(which), CANARY, SEEN);
	memset(array(PLAN), 0, array_bytes[PLAN]);
}

static void keep(void)
{
	enum array which;

	for (which = 0; which < ARRAYS; which++)
		memcpy(before[which], seen(which), SEEN);
}

static bool run_plain(void)
{
	int err;

	fill();
	plain_plan();
	keep();
	err = call(SPINDELAY_IOC_RUN, array(PLAN));
	if (err)
		return says("a plain plan does not run");
	return memory_is_right(0);
}

static bool other_command(void)
{
	uint32_t command = SPINDELAY_IOC_RUN ^ (1U << below(32));

	return call(command, array(PLAN)) == ENOTTY ||
	       says("another command is not refused");
}

static bool other_argument(void)
{
	uint64_t argument = bad_pointer((uintptr_t)array(PLAN));

	if (argument == (uintptr_t)array(PLAN))
		return true;
	return documented(call(SPINDELAY_IOC_RUN, (void *)argument));
}

static bool fuzz_ioctl(unsigned long *ran)
{
	uint32_t spoilt = below(4);
	int err;

	fill();
	draw_plan();
	if (!below(32))
		return other_command();
	if (!below(32))
		return other_argument();
	while (spoilt--)
		spoil();
	shorten();
	keep();
	err = call(SPINDELAY_IOC_RUN, array(PLAN));
	*ran += !err;
	return documented(err) && memory_is_right(err);
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
	"0-1/2:4",
	"1 1",
	"4294967296",
	"18446744073709551616",
};

static size_t draw_text(char *text)
{
	size_t size = sprintf(text, "%s", words[below(ARRAY_SIZE(words))]);

	if (!below(3))
		size = sprintf(text, "%u", boundary());
	if (!below(64)) {
		size = 1 + below(8192);
		memset(text, '0' + below(10), size);
	}
	if (size && !below(4))
		text[below(size)] = draw();
	if (below(2))
		text[size++] = '\n';
	return size;
}

static ssize_t look(const char *path, char *text, size_t size)
{
	int file = open(path, O_RDONLY);
	ssize_t got = read(file, text, size - 1);

	close(file);
	text[got < 0 ? 0 : got] = '\0';
	return got;
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if (!isprint((unsigned char)*text) && *text != '\n')
			return false;
	return true;
}

static bool store(const char *path, const char *text, size_t size)
{
	int file = open(path, O_WRONLY), err;
	ssize_t got;

	if (file < 0)
		return says("a file cannot be opened");
	alarm(HANGS_SECONDS);
	got = write(file, text, size);
	err = got < 0 ? errno : 0;
	alarm(0);
	close(file);
	if (!err && got != (ssize_t)size)
		return says("a store takes a part");
	return err == ERANGE || documented(err);
}

/* So that a run is short. */
static bool settle(void)
{
	return store(SYSFS "windows", "2", 1) &&
	       store(SYSFS "window_us", "200", 3);
}

static bool fuzz_file(void)
{
	static char text[8300], was[4097], is[4097];
	const char *file = files[below(ARRAY_SIZE(files))];
	size_t size = draw_text(text);
	char path[128];
	bool runs = !strcmp(file, "run");

	snprintf(path, sizeof(path), SYSFS "%s", file);
	if (runs)
		return settle() && store(path, text, size);
	look(path, was, sizeof(was));
	if (!store(path, text, size))
		return false;
	if (look(path, is, sizeof(is)) <= 0 || !is_printable(is))
		return says("a file cannot be read, or is no text");
	/* What is there is what was, or what was stored: numbers and names. */
	text[size] = '\0';
	return !strcmp(was, is) || !strcmp(file, "cpus") ||
	       strtoul(is, NULL, 10) == strtoul(text, NULL, 10) ||
	       says("a file holds what nobody stored");
}

/* ---- all together ---- */

static void map_rooms(void)
{
	enum array which;

	for (which = 0; which < ARRAYS; which++) {
		room[which] = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (room[which] == MAP_FAILED ||
		    mprotect(room[which] + ROOM, ROOM, PROT_NONE))
			exit(2);
	}
	read_only =
		mmap(NULL, ROOM, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	device = open("/dev/spindelay", O_RDWR);
	if (device < 0 || read_only == MAP_FAILED) {
		perror("# /dev/spindelay");
		exit(2);
	}
}

/* A run by hand needs the device for itself. */
static bool with_device_closed(bool (*act)(void))
{
	bool good;

	close(device);
	good = act();
	device = open("/dev/spindelay", O_RDWR);
	return good && (device >= 0 || says("the device stays busy"));
}

static bool fuzz_once(uint64_t seed, unsigned long number, unsigned long *ran)
{
	random_state = seed + number * 0x2545f4914f6cdd1d;
	draw();
	if (number % PLAIN_EVERY == PLAIN_EVERY - 1)
		return run_plain();
	if (!below(4))
		return with_device_closed(fuzz_file);
	return fuzz_ioctl(ran);
}

int main(int argc, char **argv)
{
	unsigned long calls, first, i, ran = 0;
	uint64_t seed;

	if (argc < 3) {
		fprintf(stderr, "usage: fuzz_abi CALLS SEED [FIRST]\n");
		return 2;
	}
	calls = strtoul(argv[1], NULL, 10);
	seed = strtoull(argv[2], NULL, 10);
	first = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	map_rooms();
	for (i = first; i < first + calls; i++)
		if (!fuzz_once(seed, i, &ran)) {
			printf("# again: fuzz_abi 1 %llu %lu\n",
			       (unsigned long long)seed, i);
			return 1;
		}
	printf("# %lu calls, of which %lu spoilt plans ran\n", calls, ran);
	return calls >= PLAIN_EVERY && !ran;
}
