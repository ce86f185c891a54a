/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that mean the same in every command. */
#ifndef SPINDELAY_OPTIONS_H
#define SPINDELAY_OPTIONS_H

#include <linux/types.h>

#include "lib/cpulist.h"
#include "lib/fault.h"
#include "lib/names.h"
#include "lib/order.h"

/* Bounds that are the tool's own; those of the engine are in the ABI. */
#define OPTION_TIME_MIN 0.1
#define OPTION_TIME_MAX 86400
/* Percent; a share is met within one point of it. */
#define OPTION_SHARE_MIN 1
#define OPTION_SHARE_MAX 99
#define OPTION_COUNTS_MAX 16
#define OPTION_PRECISION_MIN 0.01
#define OPTION_PRECISION_MAX 100
/* Any JSON reader takes whole numbers up to here for what they are. */
#define OPTION_SEED_MAX ((1ULL << 53) - 1)

/* Sets of options that a command can take. */
enum option_set {
	OPTIONS_WHERE = 1 << 0, /* --user --cpus --node */
	OPTIONS_LOCK = 1 << 1, /* --lock and what locks and delays have */
	OPTIONS_WINDOWS = 1 << 2, /* --window --rounds --time --seed */
	/* --threads --order --hold --think --share --jitter --lines --placements */
	OPTIONS_CONTEND = 1 << 3,
	OPTIONS_MATCH = 1 << 4, /* --match --precision --backend */
	OPTIONS_JSON = 1 << 5, /* --json */
	OPTIONS_CSV = 1 << 6, /* --csv */
	OPTIONS_QUIET = 1 << 7, /* --quiet */
	OPTIONS_SWEEP = 1 << 8, /* --counts --locks --resume */
	OPTIONS_THREADS = 1 << 9, /* --threads alone of OPTIONS_CONTEND */
	/* --warmup --repetitions --sleep --work --unit --name --force --quick */
	OPTIONS_REPLAY = 1 << 10,
	OPTIONS_DISPATCH = 1 << 11, /* --dispatch */
};

/* What was not said. */
#define OPTION_UNSAID 0xffffffffU

/**
 * struct replay_options - what `replay` alone is asked
 * @warmup: repetitions before those that count; OPTION_UNSAID: not said
 * @repetitions: that count; 0: not said
 * @sleep: seconds after each; below 0: not said
 * @work: units of work in each
 * @unit: acquisitions in a unit; 0: not said
 * @name: what the names of the logs begin with
 * @force: replace logs that are there
 * @quick: be done in a minute
 */
struct replay_options {
	u32 warmup;
	u32 repetitions;
	double sleep;
	u32 work;
	u32 unit;
	const char *name;
	bool force;
	bool quick;
};

/**
 * struct options - what was asked for, or the defaults
 * @user: measure in threads of the tool, not in the module
 * @both: in the module first, then in threads; @user is not set
 * @cpus: as named; empty if not
 * @threads: how many of them; 0: not said
 * @lock: id of the lock of variants that name none
 * @order: which of them come first
 * @hold_ns: work inside the lock
 * @hold_said: it was asked for
 * @think_ns: work outside
 * @think_said: it was asked for
 * @share: the baseline's delay share that think is chosen for, percent; 0: not
 *	said
 * @jitter: of the think times, percent
 * @jitter_said: it was asked for
 * @lines: cache lines written inside the lock
 * @backoff_min: turns of the first back-off
 * @backoff_max: the most of them
 * @wfet_ns: time limit of wfet
 * @spin_wait_delay: InnoDB's innodb_spin_wait_delay
 * @pause_multiplier: innodb_spin_wait_pause_multiplier
 * @sync_spin_loops: innodb_sync_spin_loops
 * @read_share: percent of readers, in a lock that has some
 * @preset: whose numbers the lock backoff waits by
 * @node: NUMA node of the lock, -1: that of the first CPU
 * @window_ns: length of a window
 * @rounds: in each placement; 0: not said
 * @placements: how many
 * @placements_said: it was asked for
 * @precision: half-width of an interval that is narrow enough, percent; 0: none
 * @precision_said: it was asked for
 * @match: MATCH_BITs of what is made equal
 * @time: at most so many seconds
 * @time_said: it was asked for
 * @seed: of all that is random
 * @json: file, or NULL
 * @csv: file, or NULL
 * @nr_counts: entries of @counts
 * @counts: executions per poll that are swept
 * @nr_locks: entries of @locks; 0: @lock alone
 * @locks: ids of the locks that are swept
 * @resume: file of a sweep to go on with, or NULL
 * @replay: of `replay`
 * @dispatch: of `cost`: what choosing the delay costs, not the delay
 * @quiet: no progress line
 * @nr_args: entries of @args
 * @args: what is not an option
 */
struct options {
	bool user;
	bool both;
	struct cpulist cpus;
	u32 threads;
	u32 lock;
	enum order order;
	u32 hold_ns;
	bool hold_said;
	u32 think_ns;
	bool think_said;
	double share;
	u32 jitter;
	bool jitter_said;
	u32 lines;
	u32 backoff_min;
	u32 backoff_max;
	u32 wfet_ns;
	u32 spin_wait_delay;
	u32 pause_multiplier;
	u32 sync_spin_loops;
	u32 read_share;
	const struct preset *preset;
	s32 node;
	u32 window_ns;
	u32 rounds;
	u32 placements;
	bool placements_said;
	double precision;
	bool precision_said;
	unsigned int match;
	double time;
	bool time_said;
	u64 seed;
	const char *json;
	const char *csv;
	unsigned int nr_counts;
	u32 counts[OPTION_COUNTS_MAX];
	unsigned int nr_locks;
	u32 locks[SPIN_LOCK_END];
	const char *resume;
	struct replay_options replay;
	bool dispatch;
	bool quiet;
	int nr_args;
	char **args;
};

/**
 * struct command_line - what a command takes
 * @args: for --help, "VARIANT..."
 * @summary: for --help, a sentence or some
 * @sets: bits of enum option_set
 */
struct command_line {
	const char *args;
	const char *summary;
	unsigned int sets;
};

/**
 * options_parse() - read a command line
 * @argv: argv[0] is what --help calls the command
 * @options: holds the command's defaults
 *
 * --help and an unknown option end the process, with 0 and STATUS_USAGE.
 *
 * Return: 0, or -1 and a usage fault.
 */
int options_parse(const struct command_line *line, int argc, char **argv,
		  struct options *options, struct fault *fault);

/* The defaults that most commands share. */
void options_defaults(struct options *options);

#endif /* SPINDELAY_OPTIONS_H */
