// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <errno.h>
#include <linux/array_size.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "lib/document.h"
#include "lib/number.h"
#include "lib/options.h"
#include "lib/names.h"
#include "lib/plan.h"
#include "lib/preset.h"
#include "lib/replay.h"
#include "lib/rng.h"
#include "lib/variant.h"

enum option_key {
	KEY_CPUS = 0x100,
	KEY_THREADS,
	KEY_ORDER,
	KEY_NODE,
	KEY_LOCK,
	KEY_BACKOFF,
	KEY_WFET,
	KEY_SPIN_WAIT_DELAY,
	KEY_PAUSE_MULTIPLIER,
	KEY_SYNC_SPIN_LOOPS,
	KEY_READ_SHARE,
	KEY_PRESET,
	KEY_HOLD,
	KEY_THINK,
	KEY_SHARE,
	KEY_JITTER,
	KEY_LINES,
	KEY_WINDOW,
	KEY_ROUNDS,
	KEY_PLACEMENTS,
	KEY_TIME,
	KEY_SEED,
	KEY_PRECISION,
	KEY_MATCH,
	KEY_COUNTS,
	KEY_LOCKS,
	KEY_RESUME,
	KEY_WARMUP,
	KEY_REPETITIONS,
	KEY_SLEEP,
	KEY_WORK,
	KEY_UNIT,
	KEY_NAME,
	KEY_FORCE,
	KEY_QUICK,
	KEY_DISPATCH,
	KEY_JSON,
	KEY_CSV,
	KEY_USER,
	KEY_BACKEND,
	KEY_QUIET,
};

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* Help with bounds and defaults of the ABI. */
#define BACKOFF_DEFAULTS                    \
	TEXT(SPINDELAY_BACKOFF_MIN_DEFAULT) \
	":" TEXT(SPINDELAY_BACKOFF_MAX_DEFAULT)
#define BACKOFF_HELP                                                   \
	"ttas-backoff: first and longest back-off, polls, 1 to " TEXT( \
		SPINDELAY_BACKOFF_MAX) " (" BACKOFF_DEFAULTS ")"
#define WFET_HELP                                                          \
	"time limit of wfet, 1 to " TEXT(SPINDELAY_WFET_NS_MAX) " (" TEXT( \
		SPINDELAY_WFET_NS_DEFAULT) ")"
#define SPIN_WAIT_DELAY_HELP                                               \
	"InnoDB's locks: each round delays fewer than N times PAUSES, at " \
	"random; 0 to " TEXT(SPINDELAY_SPIN_WAIT_DELAY_MAX) " (" TEXT(     \
		SPINDELAY_SPIN_WAIT_DELAY_DEFAULT) ")"
#define PAUSE_RANGE                          \
	TEXT(SPINDELAY_PAUSE_MULTIPLIER_MIN) \
	" to " TEXT(SPINDELAY_PAUSE_MULTIPLIER_MAX)
#define PAUSE_MULTIPLIER_HELP                                                  \
	"InnoDB's locks: polls that --spin-wait-delay counts in, " PAUSE_RANGE \
	" (" TEXT(SPINDELAY_PAUSE_MULTIPLIER_DEFAULT) ")"
#define SYNC_SPIN_LOOPS_HELP                                                     \
	"InnoDB's locks: rounds before a waiter sleeps, 0 to 4294967295 (" TEXT( \
		SPINDELAY_SYNC_SPIN_LOOPS_DEFAULT) "); more than fit into a "    \
						   "window: it never does"
#define READ_SHARE_HELP                                              \
	"innodb-rwlock: acquisitions that are readers', 0 to " TEXT( \
		SPINDELAY_READ_SHARE_MAX) " (" TEXT(SPINDELAY_READ_SHARE_DEFAULT) ")"
#define PRESET_HELP                                                     \
	"backoff: by whose numbers it waits, those of a preset below (" \
	"the first)"
#define JITTER_HELP                                                             \
	"vary think by so much, 0 to " TEXT(SPINDELAY_JITTER_MAX) " (0; " TEXT( \
		SPINDELAY_JITTER_MAX) " where think follows from a delay share)"
#define LINES_HELP                                         \
	"cache lines written inside the lock, 0 to " TEXT( \
		SPINDELAY_LINES_MAX) " (0)"

/* What there is, and which commands take it. */
static const struct {
	struct argp_option option;
	unsigned int sets;
} known[] = {
	{ { "user", KEY_USER, NULL, 0,
	    "measure in threads of this process: no module, no root", 0 },
	  OPTIONS_WHERE },
	{ { "backend", KEY_BACKEND, "kernel|user|both", 0,
	    "where: in the module, as --user, or in the one and then in the other, half of the time each (kernel)",
	    0 },
	  OPTIONS_MATCH },
	{ { "cpus", KEY_CPUS, "LIST", 0, "CPUs, like 0-3,7", 0 },
	  OPTIONS_WHERE },
	{ { "threads", KEY_THREADS, "N", 0, "as many of them", 0 },
	  OPTIONS_CONTEND | OPTIONS_THREADS },
	{ { "order", KEY_ORDER, "listed|node|spread", 0,
	    "which of them first: as listed, node after node, one of each "
	    "node in turn; without it as listed, started in random order",
	    0 },
	  OPTIONS_CONTEND },
	{ { "lock", KEY_LOCK, "NAME", 0, "where a variant names none (ttas)",
	    0 },
	  OPTIONS_LOCK },
	{ { "backoff", KEY_BACKOFF, "MIN:MAX", 0, BACKOFF_HELP, 0 },
	  OPTIONS_LOCK },
	{ { "wfet", KEY_WFET, "NS", 0, WFET_HELP, 0 }, OPTIONS_LOCK },
	{ { "spin-wait-delay", KEY_SPIN_WAIT_DELAY, "N", 0,
	    SPIN_WAIT_DELAY_HELP, 0 },
	  OPTIONS_LOCK },
	{ { "pause-multiplier", KEY_PAUSE_MULTIPLIER, "PAUSES", 0,
	    PAUSE_MULTIPLIER_HELP, 0 },
	  OPTIONS_LOCK },
	{ { "sync-spin-loops", KEY_SYNC_SPIN_LOOPS, "N", 0,
	    SYNC_SPIN_LOOPS_HELP, 0 },
	  OPTIONS_LOCK },
	{ { "read-share", KEY_READ_SHARE, "PCT", 0, READ_SHARE_HELP, 0 },
	  OPTIONS_LOCK },
	{ { "preset", KEY_PRESET, "NAME", 0, PRESET_HELP, 0 }, OPTIONS_LOCK },
	{ { "hold", KEY_HOLD, "NS", 0, "work inside the lock (200)", 0 },
	  OPTIONS_CONTEND },
	{ { "think", KEY_THINK, "NS", 0, "work outside the lock (0)", 0 },
	  OPTIONS_CONTEND },
	{ { "share", KEY_SHARE, "PCT", 0,
	    "choose think so that the baseline's delay share is this, 1 to 99",
	    0 },
	  OPTIONS_CONTEND },
	{ { "jitter", KEY_JITTER, "PCT", 0, JITTER_HELP, 0 }, OPTIONS_CONTEND },
	{ { "lines", KEY_LINES, "N", 0, LINES_HELP, 0 }, OPTIONS_CONTEND },
	{ { "node", KEY_NODE, "N", 0, "NUMA node of the lock's memory", 0 },
	  OPTIONS_WHERE },
	{ { "window", KEY_WINDOW, "MS", 0, "length of a window, 0.2 to 20", 0 },
	  OPTIONS_WINDOWS },
	{ { "rounds", KEY_ROUNDS, "N", 0, "rounds in each placement", 0 },
	  OPTIONS_WINDOWS },
	{ { "placements", KEY_PLACEMENTS, "N", 0,
	    "placements (6, or with a precision as many as it takes)", 0 },
	  OPTIONS_CONTEND },
	{ { "time", KEY_TIME, "S", 0, "at most so many seconds (60)", 0 },
	  OPTIONS_WINDOWS },
	{ { "seed", KEY_SEED, "N", 0, "repeat the order of a run", 0 },
	  OPTIONS_WINDOWS },
	{ { "match", KEY_MATCH, "count|time|both", 0,
	    "what is made equal: executions of a poll's delay, or with padding "
	    "the time of a poll (both)",
	    0 },
	  OPTIONS_MATCH },
	{ { "precision", KEY_PRECISION, "PCT", 0,
	    "stop when intervals are this narrow on either side (2)", 0 },
	  OPTIONS_MATCH },
	{ { "counts", KEY_COUNTS, "LIST", 0,
	    "executions per poll to try, like 1,8,64 (1,4,16,64)", 0 },
	  OPTIONS_SWEEP },
	{ { "locks", KEY_LOCKS, "LIST", 0,
	    "locks to try, like ttas,ticket (that of --lock)", 0 },
	  OPTIONS_SWEEP },
	{ { "resume", KEY_RESUME, "FILE", 0,
	    "go on with what --json FILE has begun", 0 },
	  OPTIONS_SWEEP },
	{ { "warmup", KEY_WARMUP, "N", 0,
	    "repetitions of each variant before those that count (5)", 0 },
	  OPTIONS_REPLAY },
	{ { "repetitions", KEY_REPETITIONS, "N", 0, "those that count (50)",
	    0 },
	  OPTIONS_REPLAY },
	{ { "sleep", KEY_SLEEP, "S", 0,
	    "seconds before a variant's first and after each (5)", 0 },
	  OPTIONS_REPLAY },
	{ { "work", KEY_WORK, "N", 0, "units of work in a repetition (500)",
	    0 },
	  OPTIONS_REPLAY },
	{ { "unit", KEY_UNIT, "N", 0,
	    "acquisitions in a unit (so many that a repetition of the last "
	    "variant takes about a second)",
	    0 },
	  OPTIONS_REPLAY },
	{ { "name", KEY_NAME, "NAME", 0,
	    "write NAME.VARIANT.log (replay), a line for each repetition", 0 },
	  OPTIONS_REPLAY },
	{ { "force", KEY_FORCE, NULL, 0, "replace logs that are there", 0 },
	  OPTIONS_REPLAY },
	{ { "quick", KEY_QUICK, NULL, 0,
	    "all of it in about a minute: 1 and 10 shorter repetitions "
	    "without sleep",
	    0 },
	  OPTIONS_REPLAY },
	{ { "dispatch", KEY_DISPATCH, NULL, 0,
	    "what it costs an application to choose between SB and ISB at run "
	    "time: no module, no root",
	    0 },
	  OPTIONS_DISPATCH },
	{ { "json", KEY_JSON, "FILE", 0, "the whole document; '-': stdout", 0 },
	  OPTIONS_JSON },
	{ { "csv", KEY_CSV, "FILE", 0, "a line for each window; '-': stdout",
	    0 },
	  OPTIONS_CSV },
	{ { "quiet", KEY_QUIET, NULL, 0, "no progress line", 0 },
	  OPTIONS_QUIET },
};

#define NR_KNOWN ARRAY_SIZE(known)

/* What the parser is given. */
struct parse {
	struct options *options;
	struct fault *fault;
};

static int parse_match(const char *text, struct options *o, struct fault *fault)
{
	if (!strcmp(text, "count"))
		o->match = MATCH_BIT(MATCH_COUNT);
	else if (!strcmp(text, "time"))
		o->match = MATCH_BIT(MATCH_TIME);
	else if (!strcmp(text, "both"))
		o->match = MATCH_BOTH;
	else
		return fault_set(
			fault, STATUS_USAGE,
			"--match: '%.32s' is not known; there are: count time both",
			text);
	return 0;
}

static int parse_backend(const char *text, struct options *o,
			 struct fault *fault)
{
	if (strcmp(text, "kernel") && strcmp(text, "user") &&
	    strcmp(text, "both"))
		return fault_set(
			fault, STATUS_USAGE,
			"--backend: '%.32s' is not known; there are: kernel user both",
			text);
	o->user = !strcmp(text, "user");
	o->both = !strcmp(text, "both");
	return 0;
}

static int parse_window(const char *text, struct options *o,
			struct fault *fault)
{
	double ms;

	if (parse_real(text, "--window", SPINDELAY_WINDOW_NS_MIN / 1e6,
		       SPINDELAY_WINDOW_NS_MAX / 1e6, &ms, fault))
		return -1;
	o->window_ns = lround(ms * 1e6);
	return 0;
}

static int parse_node(const char *text, struct options *o, struct fault *fault)
{
	u32 node;

	if (parse_u32(text, "--node", 0, 1023, &node, fault))
		return -1;
	o->node = node;
	return 0;
}

static int parse_order(const char *text, struct options *o, struct fault *fault)
{
	enum order order = order_by_word(text);

	if (order == ORDERS || order == ORDER_RANDOM)
		return fault_set(
			fault, STATUS_USAGE,
			"--order: '%.32s' is not known; there are: listed node spread",
			text);
	o->order = order;
	return 0;
}

static int parse_backoff(const char *text, struct options *o,
			 struct fault *fault)
{
	const char *colon = strchr(text, ':');
	char least[32];

	if (!colon || colon - text >= (ptrdiff_t)sizeof(least))
		return fault_set(
			fault, STATUS_USAGE,
			"--backoff: '%.64s' is not MIN:MAX, each from 1 to %u",
			text, SPINDELAY_BACKOFF_MAX);
	snprintf(least, sizeof(least), "%.*s", (int)(colon - text), text);
	if (parse_u32(least, "--backoff", 1, SPINDELAY_BACKOFF_MAX,
		      &o->backoff_min, fault) ||
	    parse_u32(colon + 1, "--backoff", 1, SPINDELAY_BACKOFF_MAX,
		      &o->backoff_max, fault))
		return -1;
	if (o->backoff_min > o->backoff_max)
		return fault_set(fault, STATUS_USAGE,
				 "--backoff: %u is out of range, 1 to %u (MAX)",
				 o->backoff_min, o->backoff_max);
	return 0;
}

/* Options that say where. */
static int parse_place(int key, const char *text, struct options *o,
		       struct fault *fault)
{
	switch (key) {
	case KEY_CPUS:
		return cpulist_parse(text, &o->cpus, fault);
	case KEY_THREADS:
		return parse_u32(text, "--threads", 1, SPINDELAY_CPUS_MAX,
				 &o->threads, fault);
	case KEY_ORDER:
		return parse_order(text, o, fault);
	default:
		return parse_node(text, o, fault);
	}
}

/* Options that say with what. */
static int parse_work(int key, const char *text, struct options *o,
		      struct fault *fault)
{
	const u32 work_max = SPINDELAY_WINDOW_NS_MAX / SPINDELAY_WORK_SHARE_MAX;

	switch (key) {
	case KEY_LOCK:
		return variant_lock(text, &o->lock, fault);
	case KEY_BACKOFF:
		return parse_backoff(text, o, fault);
	case KEY_WFET:
		return parse_u32(text, "--wfet", 1, SPINDELAY_WFET_NS_MAX,
				 &o->wfet_ns, fault);
	case KEY_HOLD:
		o->hold_said = true;
		return parse_u32(text, "--hold", 0, work_max, &o->hold_ns,
				 fault);
	case KEY_THINK:
		o->think_said = true;
		return parse_u32(text, "--think", 0, work_max, &o->think_ns,
				 fault);
	case KEY_SHARE:
		return parse_real(text, "--share", OPTION_SHARE_MIN,
				  OPTION_SHARE_MAX, &o->share, fault);
	case KEY_JITTER:
		o->jitter_said = true;
		return parse_u32(text, "--jitter", 0, SPINDELAY_JITTER_MAX,
				 &o->jitter, fault);
	default:
		return parse_u32(text, "--lines", 0, SPINDELAY_LINES_MAX,
				 &o->lines, fault);
	}
}

/* Options that are InnoDB's settings, with MySQL's ranges, and who comes. */
static int parse_innodb(int key, const char *text, struct options *o,
			struct fault *fault)
{
	switch (key) {
	case KEY_SPIN_WAIT_DELAY:
		return parse_u32(text, "--spin-wait-delay", 0,
				 SPINDELAY_SPIN_WAIT_DELAY_MAX,
				 &o->spin_wait_delay, fault);
	case KEY_PAUSE_MULTIPLIER:
		return parse_u32(text, "--pause-multiplier",
				 SPINDELAY_PAUSE_MULTIPLIER_MIN,
				 SPINDELAY_PAUSE_MULTIPLIER_MAX,
				 &o->pause_multiplier, fault);
	case KEY_SYNC_SPIN_LOOPS:
		return parse_u32(text, "--sync-spin-loops", 0, UINT32_MAX,
				 &o->sync_spin_loops, fault);
	default:
		return parse_u32(text, "--read-share", 0,
				 SPINDELAY_READ_SHARE_MAX, &o->read_share,
				 fault);
	}
}

/* Options that say how long and how often. */
static int parse_length(int key, const char *text, struct options *o,
			struct fault *fault)
{
	switch (key) {
	case KEY_WINDOW:
		return parse_window(text, o, fault);
	case KEY_ROUNDS:
		return parse_u32(text, "--rounds", 1, PLAN_ROUNDS_MAX,
				 &o->rounds, fault);
	case KEY_PRECISION:
		o->precision_said = true;
		return parse_real(text, "--precision", OPTION_PRECISION_MIN,
				  OPTION_PRECISION_MAX, &o->precision, fault);
	case KEY_PLACEMENTS:
		o->placements_said = true;
		return parse_u32(text, "--placements", 1, PLAN_PLACEMENTS_MAX,
				 &o->placements, fault);
	case KEY_TIME:
		o->time_said = true;
		return parse_real(text, "--time", OPTION_TIME_MIN,
				  OPTION_TIME_MAX, &o->time, fault);
	default:
		return parse_u64(text, "--seed", 0, OPTION_SEED_MAX, &o->seed,
				 fault);
	}
}

/* Each word of a list, separated by commas. */
static int parse_list(char *text, struct options *o,
		      int (*word)(const char *, struct options *,
				  struct fault *),
		      struct fault *fault)
{
	char *next, copy[256];

	if (strlen(text) >= sizeof(copy))
		return fault_set(fault, STATUS_USAGE,
				 "the list '%.32s...' is too long", text);
	strcpy(copy, text);
	for (char *at = copy; at; at = next) {
		next = strchr(at, ',');
		if (next)
			*next++ = '\0';
		if (word(at, o, fault))
			return -1;
	}
	return 0;
}

static int add_count(const char *text, struct options *o, struct fault *fault)
{
	u32 count;

	if (parse_u32(text, "--counts", 1, SPINDELAY_COUNT_MAX, &count, fault))
		return -1;
	for (unsigned int i = 0; i < o->nr_counts; i++)
		if (o->counts[i] == count)
			return fault_set(fault, STATUS_USAGE,
					 "--counts: %u is named twice", count);
	if (o->nr_counts == OPTION_COUNTS_MAX)
		return fault_set(fault, STATUS_USAGE,
				 "--counts: more than %u counts",
				 OPTION_COUNTS_MAX);
	o->counts[o->nr_counts++] = count;
	return 0;
}

static int add_lock(const char *text, struct options *o, struct fault *fault)
{
	u32 lock;

	if (variant_lock(text, &lock, fault))
		return -1;
	for (unsigned int i = 0; i < o->nr_locks; i++)
		if (o->locks[i] == lock)
			return fault_set(fault, STATUS_USAGE,
					 "--locks: %s is named twice", text);
	o->locks[o->nr_locks++] = lock;
	return 0;
}

/* Options that say what is swept. */
static int parse_sweep(int key, char *text, struct options *o,
		       struct fault *fault)
{
	switch (key) {
	case KEY_COUNTS:
		o->nr_counts = 0;
		return parse_list(text, o, add_count, fault);
	case KEY_LOCKS:
		o->nr_locks = 0;
		return parse_list(text, o, add_lock, fault);
	default:
		o->resume = text;
		return 0;
	}
}

static int parse_name(const char *text, struct replay_options *o,
		      struct fault *fault)
{
	bool plain = *text && strlen(text) < REPLAY_NAME_MAX;

	for (const char *at = text; *at; at++)
		plain &= *at >= ' ' && *at <= '~';
	o->name = text;
	if (plain)
		return 0;
	return fault_set(
		fault, STATUS_USAGE,
		"--name: '%.40s' is not 1 to %d printable ASCII characters",
		text, REPLAY_NAME_MAX - 1);
}

/* Options of the protocol. */
static int parse_replay(int key, const char *text, struct replay_options *o,
			struct fault *fault)
{
	switch (key) {
	case KEY_WARMUP:
		return parse_u32(text, "--warmup", 0, REPLAY_REPETITIONS_MAX,
				 &o->warmup, fault);
	case KEY_REPETITIONS:
		return parse_u32(text, "--repetitions", 1,
				 REPLAY_REPETITIONS_MAX, &o->repetitions,
				 fault);
	case KEY_SLEEP:
		return parse_real(text, "--sleep", 0, REPLAY_SLEEP_MAX,
				  &o->sleep, fault);
	case KEY_WORK:
		return parse_u32(text, "--work", 1, REPLAY_WORK_MAX, &o->work,
				 fault);
	case KEY_UNIT:
		return parse_u32(text, "--unit", 1, REPLAY_UNIT_MAX, &o->unit,
				 fault);
	case KEY_NAME:
		return parse_name(text, o, fault);
	case KEY_FORCE:
		o->force = true;
		return 0;
	default:
		o->quick = true;
		return 0;
	}
}

static int parse_option(int key, char *text, struct parse *parse)
{
	struct options *o = parse->options;

	switch (key) {
	case KEY_CPUS ... KEY_NODE:
		return parse_place(key, text, o, parse->fault);
	case KEY_SPIN_WAIT_DELAY ... KEY_READ_SHARE:
		return parse_innodb(key, text, o, parse->fault);
	case KEY_PRESET:
		return preset_parse(text, &o->preset, parse->fault);
	case KEY_LOCK ... KEY_WFET:
	case KEY_HOLD ... KEY_LINES:
		return parse_work(key, text, o, parse->fault);
	case KEY_WINDOW ... KEY_PRECISION:
		return parse_length(key, text, o, parse->fault);
	case KEY_MATCH:
		return parse_match(text, o, parse->fault);
	case KEY_COUNTS ... KEY_RESUME:
		return parse_sweep(key, text, o, parse->fault);
	case KEY_WARMUP ... KEY_QUICK:
		return parse_replay(key, text, &o->replay, parse->fault);
	case KEY_DISPATCH:
		o->dispatch = true;
		return 0;
	case KEY_JSON:
		o->json = text;
		return 0;
	case KEY_CSV:
		o->csv = text;
		return 0;
	case KEY_BACKEND:
		return parse_backend(text, o, parse->fault);
	case KEY_USER:
		o->user = true;
		o->both = false;
		return 0;
	default:
		o->quiet = true;
		return 0;
	}
}

static error_t parse_key(int key, char *text, struct argp_state *state)
{
	struct parse *parse = state->input;

	switch (key) {
	case ARGP_KEY_ARGS:
		parse->options->args = state->argv + state->next;
		parse->options->nr_args = state->argc - state->next;
		return 0;
	case KEY_CPUS ... KEY_QUIET:
		return parse_option(key, text, parse) ? EINVAL : 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int check_together(const struct options *o, struct fault *fault)
{
	u32 work_max = o->window_ns / SPINDELAY_WORK_SHARE_MAX;

	if (o->hold_ns + o->think_ns > work_max)
		return fault_set(
			fault, STATUS_USAGE,
			"--hold and --think: %u ns together are out of range, 0 to %u (1/%d of a window)",
			o->hold_ns + o->think_ns, work_max,
			SPINDELAY_WORK_SHARE_MAX);
	if (o->share && o->think_said)
		return fault_set(
			fault, STATUS_USAGE,
			"--share and --think: one follows from the other, so say one of them");
	if (o->cpus.nr && o->threads > o->cpus.nr)
		return fault_set(
			fault, STATUS_USAGE,
			"--threads: %u is out of range, 1 to %u (the CPUs of --cpus)",
			o->threads, o->cpus.nr);
	if (o->both && (o->json || o->csv))
		return fault_set(
			fault, STATUS_USAGE,
			"--json and --csv write one document, and --backend both makes two: measure with kernel and with user, and give both files to 'spindelay report'");
	if (o->json && o->csv && !strcmp(o->json, o->csv))
		return fault_set(
			fault, STATUS_USAGE,
			"--json and --csv cannot both go to '%.200s'; '-' is standard output",
			o->json);
	return 0;
}

/* The text behind the options: which names there are. */
static void names_text(unsigned int sets, char *text, size_t size)
{
	char locks[NAMES_TEXT_MAX], delays[NAMES_TEXT_MAX];
	char presets[PRESETS_TEXT_MAX];

	text[0] = '\0';
	if (sets & OPTIONS_LOCK)
		snprintf(text, size,
			 "A variant is [lock/]delay[*count][+chain*N].\n"
			 "Locks: %s\nDelays: %s\n"
			 "Presets of backoff, and where they are from:\n%s",
			 lock_name_list(locks), delay_name_list(delays),
			 preset_sources(presets));
}

int options_parse(const struct command_line *line, int argc, char **argv,
		  struct options *options, struct fault *fault)
{
	struct argp_option accepted[NR_KNOWN + 1] = { 0 };
	char names[2 * NAMES_TEXT_MAX + PRESETS_TEXT_MAX + 192];
	char doc[sizeof(names) + NAMES_TEXT_MAX];
	struct argp argp = { accepted, parse_key, line->args, doc,
			     NULL,     NULL,	  NULL };
	struct parse parse = { options, fault };
	size_t n = 0;

	for (size_t i = 0; i < NR_KNOWN; i++)
		if (known[i].sets & line->sets)
			accepted[n++] = known[i].option;
	names_text(line->sets, names, sizeof(names));
	snprintf(doc, sizeof(doc), "%s%s%s", line->summary,
		 names[0] ? "\v" : "", names);
	argp_err_exit_status = STATUS_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &parse))
		return -1;
	return check_together(options, fault);
}

void options_defaults(struct options *options)
{
	memset(options, 0, sizeof(*options));
	options->lock = SPIN_LOCK_ttas;
	options->hold_ns = 200;
	options->backoff_min = SPINDELAY_BACKOFF_MIN_DEFAULT;
	options->backoff_max = SPINDELAY_BACKOFF_MAX_DEFAULT;
	options->wfet_ns = SPINDELAY_WFET_NS_DEFAULT;
	options->spin_wait_delay = SPINDELAY_SPIN_WAIT_DELAY_DEFAULT;
	options->pause_multiplier = SPINDELAY_PAUSE_MULTIPLIER_DEFAULT;
	options->sync_spin_loops = SPINDELAY_SYNC_SPIN_LOOPS_DEFAULT;
	options->read_share = SPINDELAY_READ_SHARE_DEFAULT;
	options->preset = preset_default();
	options->node = -1;
	options->window_ns = 2000000;
	options->placements = 6;
	options->match = MATCH_BIT(MATCH_COUNT);
	options->nr_counts = 4;
	for (unsigned int i = 0; i < options->nr_counts; i++)
		options->counts[i] = 1 << (2 * i);
	options->time = 60;
	options->replay.warmup = OPTION_UNSAID;
	options->replay.sleep = -1;
	options->replay.work = 500;
	options->replay.name = "replay";
	options->seed = rng_fresh_seed();
}
