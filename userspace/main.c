// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/array_size.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "lib/status.h"
#include "uapi/spindelay.h"

#ifndef SPINDELAY_VERSION
#define SPINDELAY_VERSION "0.1"
#endif

static const struct {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "info", "what machine this is, what spoils a measurement", cmd_info },
	{ "knob", "show or turn what spin_delay() executes", cmd_knob },
	{ "cost", "what delays cost on one CPU", cmd_cost },
	{ "run", "rate, fairness and waits of variants", cmd_run },
	{ "compare", "variants against the last one", cmd_compare },
	{ "replay", "MySQL pull request 611: 50 repetitions each, logs, means",
	  cmd_replay },
	{ "sweep", "every delay at every count: what to set", cmd_sweep },
	{ "selftest", "whether this machine can be trusted with a comparison",
	  cmd_selftest },
	{ "report", "what result files say, made anew", cmd_report },
};

#define NR_COMMANDS ARRAY_SIZE(commands)

static void print_usage(FILE *stream)
{
	fputs("usage: spindelay COMMAND [ARGUMENT...]\n\n", stream);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(stream, "  %-9s%s\n", commands[i].name,
			commands[i].summary);
	fputs("\n'spindelay COMMAND --help' says more.\n", stream);
}

/* What was printed counts only once it has left. */
static int flush_results(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "spindelay: cannot write results: %s\n",
		strerror(errno));
	return STATUS_ERROR;
}

static int run_command(int argc, char **argv)
{
	char name[32];

	for (size_t i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(argv[0], commands[i].name))
			continue;
		snprintf(name, sizeof(name), "spindelay %s", commands[i].name);
		argv[0] = name;
		return commands[i].run(argc, argv);
	}
	fprintf(stderr, "spindelay: unknown command '%s'; there are:", argv[0]);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(stderr, " %s", commands[i].name);
	fputc('\n', stderr);
	return STATUS_USAGE;
}

/*
 * A file that is opened must not become standard output because that was
 * closed: its place is taken by something that cannot be written to.
 */
static void fill_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/*
 * No signal is caught. Whatever ends the tool ends the run in the kernel within
 * one window, and files are written under a name of their own, with signals
 * held back: Ctrl-C leaves a whole file behind or none, and the shell says 130.
 * The logs of replay grow by a whole line at a time.
 */
int main(int argc, char **argv)
{
	fill_standard_descriptors();
	if (argc < 2) {
		print_usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return flush_results(STATUS_OK);
	}
	if (!strcmp(argv[1], "--version")) {
		printf("spindelay %s, ABI %d\n", SPINDELAY_VERSION,
		       SPINDELAY_ABI);
		return flush_results(STATUS_OK);
	}
	return flush_results(run_command(argc - 1, argv + 1));
}
