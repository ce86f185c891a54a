// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where in the module a CPU is while a command runs:
 *
 *	profile CPU COMMAND [ARGUMENT...]
 *
 * prints, for each of the module's functions that was hit, its name and how
 * often. Samples come from the CPU's clock, so that no PMU is needed.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYMBOLS_MAX 8192
#define SAMPLES_A_SECOND 2000
#define DATA_PAGES 128

static struct symbol {
	uint64_t address;
	unsigned int hits;
	char name[96];
} table[SYMBOLS_MAX];
static size_t symbols;

static void die(const char *what)
{
	fprintf(stderr, "profile: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *left = a, *right = b;

	return (left->address > right->address) -
	       (left->address < right->address);
}

/* The functions of all modules, in order; mapping symbols begin with a dollar. */
static void read_symbols(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	struct symbol *s;
	char line[512], type;

	if (!file)
		die("/proc/kallsyms");
	while (fgets(line, sizeof(line), file) && symbols < SYMBOLS_MAX) {
		s = &table[symbols];
		if (!strchr(line, '[') || strchr(line, '$'))
			continue;
		if (sscanf(line, "%" SCNx64 " %c %95s", &s->address, &type,
			   s->name) == 3 &&
		    (type == 't' || type == 'T'))
			symbols++;
	}
	fclose(file);
	qsort(table, symbols, sizeof(*table), by_address);
}

static void hit(uint64_t address)
{
	size_t low = 0, high = symbols, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (table[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		table[low - 1].hits++;
}

static int open_clock(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = SAMPLES_A_SECOND,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP,
		.exclude_user = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);

	if (fd < 0)
		die("perf_event_open");
	return fd;
}

static void run(char **argv)
{
	pid_t child = fork();
	int status;

	if (!child) {
		/* Standard output is the profile's. */
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		die(argv[0]);
}

/* What did not fit into the ring is lost, and the first of it is enough. */
static void read_samples(const struct perf_event_mmap_page *page)
{
	const char *data = (const char *)page + sysconf(_SC_PAGESIZE);
	struct perf_event_header header;
	uint64_t at = 0, address;

	while (at + sizeof(header) <= page->data_head) {
		memcpy(&header, data + at, sizeof(header));
		if (header.type == PERF_RECORD_SAMPLE) {
			memcpy(&address, data + at + sizeof(header),
			       sizeof(address));
			hit(address);
		}
		at += header.size;
	}
}

int main(int argc, char **argv)
{
	size_t size = (1 + DATA_PAGES) * sysconf(_SC_PAGESIZE);
	void *ring;
	size_t i;
	int fd;

	if (argc < 3) {
		fprintf(stderr, "usage: profile CPU COMMAND...\n");
		return 2;
	}
	read_symbols();
	fd = open_clock(atoi(argv[1]));
	ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		die("mmap");
	run(argv + 2);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	read_samples(ring);
	for (i = 0; i < symbols; i++)
		if (table[i].hits)
			printf("%s %u\n", table[i].name, table[i].hits);
	return 0;
}
