// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write the running text of kernel functions to files, as it stands in memory:
 *
 *	textdump FOLDER NAME...
 *
 * writes FOLDER/NAME.bin for each. Atomics and static keys are patched when a
 * module is loaded and when a key is turned, so only this text is the truth.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX 65536
#define SYMBOLS_MAX 16384

static struct symbol {
	uint64_t address;
	char name[128];
	char module[64];
} table[SYMBOLS_MAX];
static size_t symbols;

static void die(const char *what)
{
	fprintf(stderr, "textdump: %s: %s\n", what, strerror(errno));
	exit(1);
}

/*
 * The functions of all modules. The kernel's own are passed over: reading the
 * table takes an emulated CPU seconds.
 */
static void read_symbols(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512], type;
	struct symbol *symbol;

	if (!file)
		die("/proc/kallsyms");
	while (fgets(line, sizeof(line), file) && symbols < SYMBOLS_MAX) {
		symbol = &table[symbols];
		/* Mapping symbols begin with a dollar. */
		if (!strchr(line, '[') || strchr(line, '$'))
			continue;
		if (sscanf(line, "%" SCNx64 " %c %127s %63s", &symbol->address,
			   &type, symbol->name, symbol->module) == 4 &&
		    (type == 't' || type == 'T'))
			symbols++;
	}
	fclose(file);
}

static const struct symbol *find(const char *name)
{
	size_t i;

	for (i = 0; i < symbols; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

/* Up to the next function of the same module; the table is not in order. */
static uint64_t size_of(const struct symbol *symbol)
{
	uint64_t distance, size = TEXT_MAX;
	size_t i;

	for (i = 0; i < symbols; i++) {
		distance = table[i].address - symbol->address;
		if (!strcmp(table[i].module, symbol->module) &&
		    table[i].address > symbol->address && distance < size)
			size = distance;
	}
	return size;
}

static off_t offset_in_core(int core, uint64_t address)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	int i;

	if (pread(core, &header, sizeof(header), 0) != sizeof(header))
		die("/proc/kcore");
	for (i = 0; i < header.e_phnum; i++) {
		if (pread(core, &segment, sizeof(segment),
			  header.e_phoff + i * sizeof(segment)) !=
		    sizeof(segment))
			die("/proc/kcore");
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
		    address - segment.p_vaddr < segment.p_memsz)
			return segment.p_offset + (address - segment.p_vaddr);
	}
	errno = EFAULT;
	die("/proc/kcore: no such address");
	return -1;
}

static void dump(const char *folder, const struct symbol *symbol)
{
	static char text[TEXT_MAX];
	size_t size = size_of(symbol);
	int core = open("/proc/kcore", O_RDONLY);
	char path[512];
	FILE *file;

	if (core < 0)
		die("/proc/kcore");
	if (pread(core, text, size, offset_in_core(core, symbol->address)) !=
	    (ssize_t)size)
		die("/proc/kcore: read");
	close(core);
	snprintf(path, sizeof(path), "%s/%s.bin", folder, symbol->name);
	file = fopen(path, "wb");
	if (!file || fwrite(text, 1, size, file) != size || fclose(file))
		die(path);
	printf("%s %#" PRIx64 " %zu\n", symbol->name, symbol->address, size);
}

int main(int argc, char **argv)
{
	const struct symbol *symbol;
	int i;

	if (argc < 3) {
		fprintf(stderr, "usage: textdump FOLDER NAME...\n");
		return 2;
	}
	read_symbols();
	for (i = 2; i < argc; i++) {
		symbol = find(argv[i]);
		if (!symbol) {
			fprintf(stderr, "textdump: no function %s\n", argv[i]);
			return 1;
		}
		dump(argv[1], symbol);
	}
	return 0;
}
