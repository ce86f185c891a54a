/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One result document: what was run, what came back, what follows from it. */
#ifndef SPINDELAY_DOCUMENT_H
#define SPINDELAY_DOCUMENT_H

#include <linux/compiler.h>

#include "lib/machine.h"
#include "lib/order.h"
#include "lib/plan.h"
#include "lib/stats.h"
#include "uapi/spindelay.h"

#define DOCUMENT_SCHEMA "spindelay-1"
#define REASON_TEXT_MAX 160
#define DOCUMENT_NOTES_MAX 32
#define DOCUMENT_NOTE_TEXT_MAX 320

/**
 * struct window - a window that was run, warm-up windows aside
 * @placement: index into the placements of its set
 * @round: counted from 0 in its placement
 * @abi: what the engine said; @abi.variant is an index into the set's variants
 * @records: one for each CPU, in the order of the placement's CPUs
 * @hist: timed waits, SPINDELAY_HIST_BUCKETS entries
 * @summed: of a repetition: windows that it is the sum of; else 0
 * @left_out: of a repetition: invalid windows, which are not in the sum
 */
struct window {
	u32 placement;
	u32 round;
	struct spindelay_window abi;
	struct spindelay_record *records;
	u32 *hist;
	u32 summed;
	u32 left_out;
};

/* What a set is for. */
enum set_role {
	SET_ROUNDS,
	SET_PERIODS,
	SET_CONFIRM,
	SET_REPETITIONS,
	SET_ROLES
};

/**
 * struct padding - a variant made as long as another one
 * @against: the variant that it is needed for the comparison of with the baseline
 * @of: which of the two it is, but for its pad
 */
struct padding {
	u32 against;
	u32 of;
};

/**
 * struct set - variants that ran in the same rounds on the same CPUs
 * @role: SET_ROUNDS: to be compared; SET_PERIODS: their polls, one behind the
 *	other, for how long they are; SET_CONFIRM: once more, in fresh placements;
 *	SET_REPETITIONS: of `replay`: one variant, for a fixed amount of work each
 *	time, a placement and a window of it for each repetition
 * @nr_cpus: entries of @cpus
 * @cpus: CPUs, in the order in which they were chosen
 * @nr_asked: variants that were asked for, the last one the baseline
 * @nr_variants: entries of @variants
 * @variants: those asked for, and behind them those padded for equal time
 * @paddings: of the padded ones, nr_variants - nr_asked entries
 * @share: delay share that the variants' think was chosen for, 0..1; 0: not asked
 *	for
 * @share_variant: whose
 * @nr_placements: entries of @placements
 * @placements: where the rounds were run
 * @nr_windows: entries of @windows
 * @windows: in the order in which they ran, round after round
 */
struct set {
	enum set_role role;
	unsigned int nr_cpus;
	u32 *cpus;
	unsigned int nr_asked;
	unsigned int nr_variants;
	struct spindelay_variant *variants;
	struct padding *paddings;
	double share;
	unsigned int share_variant;
	unsigned int nr_placements;
	struct placement *placements;
	size_t nr_windows;
	struct window *windows;
};

/**
 * struct cpu_result - one CPU of a variant, over all its valid windows
 * @cpu: number
 * @acquisitions: times that it took the lock
 * @polls: turns of its wait loop; 0 where the lock waits in its own way
 * @rate: acquisitions a second
 * @delay_share: of its time, 0..1; NAN if nothing was timed
 * @wait_max_ns: longest timed wait; NAN if nothing was timed
 * @rounds: looks that found the lock taken, of a lock that waits in rounds
 * @delays: executions of the delay
 * @yields: times that it offered its CPU to others
 * @parks: times that it slept for the lock
 */
struct cpu_result {
	u32 cpu;
	u64 acquisitions;
	u64 polls;
	double rate;
	double delay_share;
	double wait_max_ns;
	u64 rounds;
	u64 delays;
	u64 yields;
	u64 parks;
};

/**
 * struct variant_result - a variant, over all its valid windows
 * @set: index of its set
 * @variant: index in the set
 * @windows: valid windows
 * @rate: acquisitions a second, all CPUs together: median of the windows
 * @ns_per_acquisition: 1e9 / @rate
 * @polls_per_acquisition: mean
 * @delay_share: fraction of CPU time spent waiting in the spin loop
 * @hold_stretch: timed hold over calibrated hold; NAN without hold
 * @jain: Jain's index of the CPUs' rates, median of the windows
 * @min_over_max: slowest over fastest CPU, median of the windows
 * @wait_p50: quantiles of the timed waits, ns
 * @wait_p99: likewise
 * @wait_p999: likewise
 * @wait_max: the longest of them
 * @cycles: CPU cycles of an acquisition, all CPUs together
 * @instructions: likewise
 * @ghz: cycles over time
 * @lost: acquisitions that mutual exclusion was lost for, in all windows,
 *	of a lock that claims it; else 0
 * @nr_cpus: entries of @cpus
 * @cpus: the CPUs of the set, in its order
 *
 * What cannot be told is NAN.
 */
struct variant_result {
	unsigned int set;
	unsigned int variant;
	size_t windows;
	double rate;
	double ns_per_acquisition;
	double polls_per_acquisition;
	double delay_share;
	double hold_stretch;
	double jain;
	double min_over_max;
	double wait_p50;
	double wait_p99;
	double wait_p999;
	double wait_max;
	double cycles;
	double instructions;
	double ghz;
	u64 lost;
	unsigned int nr_cpus;
	struct cpu_result *cpus;
};

/* What a comparison was made equal by: one execution each, or one length. */
enum match {
	MATCH_COUNT,
	MATCH_TIME,
};

/* Sets of them, for what was asked for. */
#define MATCH_BIT(match) (1U << (match))
#define MATCH_BOTH (MATCH_BIT(MATCH_COUNT) | MATCH_BIT(MATCH_TIME))

/*
 * Which part of the difference a comparison is about: ln(a/b) of the whole is
 * that of the poll's length, a variant against itself padded, plus that of the
 * instruction, one against the other with polls of one length.
 */
enum part {
	PART_WHOLE,
	PART_LENGTH,
	PART_INSTRUCTION,
};

/* What the statistics alone say of throughput. */
enum resolved {
	RESOLVED_NONE,
	RESOLVED_HIGHER,
	RESOLVED_LOWER,
};

/* What may be concluded. */
enum verdict {
	VERDICT_NONE,
	VERDICT_FASTER,
	VERDICT_SLOWER,
	VERDICT_NOT_JUDGED,
};

/**
 * struct comparison - variant @a against variant @b of a set
 * @set: index of the set
 * @a: index in the set
 * @b: index in the set; of a whole: the baseline
 * @whole: of a part: index in the document's comparisons of its whole
 * @match: what was made equal
 * @part: which part of the difference
 * @ratio: throughput of a over throughput of b
 * @placements: how many the ratio rests on; below STATS_PLACEMENTS_MIN it is
 *	that of the rounds themselves and speaks for those placements only
 * @rounds: valid rounds
 * @discarded: rounds left out
 * @too_few: rounds or placements for what was asked
 * @resolved: by the interval alone
 * @verdict: what may be concluded
 * @reason: why it was not judged; else ""
 * @minimum_detectable_effect: as a fraction; NAN without an interval
 */
struct comparison {
	unsigned int set;
	unsigned int a;
	unsigned int b;
	unsigned int whole;
	enum match match;
	enum part part;
	struct interval ratio;
	unsigned int placements;
	size_t rounds;
	size_t discarded;
	bool too_few;
	enum resolved resolved;
	enum verdict verdict;
	char reason[REASON_TEXT_MAX];
	double minimum_detectable_effect;
};

/**
 * struct equal_time - how well the polls of two variants agree
 * @set: index of the set whose windows say so, of role SET_PERIODS
 * @padded: period of the padded one (set's variant 0), ns
 * @longer: of the one that it is made as long as (variant 1), ns
 * @mismatch: @padded over @longer less 1; NAN if it could not be measured
 * @unsure: half of the 95 % interval of @mismatch; not in files
 * @matched: within EQUAL_TOLERANCE
 * @rounds: valid rounds
 */
struct equal_time {
	unsigned int set;
	struct interval padded;
	struct interval longer;
	double mismatch;
	double unsure;
	bool matched;
	size_t rounds;
};

/* How near poll periods must come to each other, as a fraction. */
#define EQUAL_TOLERANCE 0.01

/**
 * struct cost - what one delay costs on one CPU
 * @set: index of the set whose windows say so
 * @variant: the delay, its count and its padding
 * @back_to_back: ns of one execution of all of that, without a loop; none of a
 *	delay that sleeps
 * @poll_period: ns of one turn of the spin loop with it
 * @cycles: of one execution; NAN: not counted
 * @instructions: likewise
 * @poll_cycles: of one turn of the spin loop; NAN: not counted
 * @poll_instructions: likewise
 * @rounds: valid rounds
 */
struct cost {
	unsigned int set;
	struct spindelay_variant variant;
	struct interval back_to_back;
	struct interval poll_period;
	double cycles;
	double instructions;
	double poll_cycles;
	double poll_instructions;
	size_t rounds;
};

/**
 * struct counter_pair - CNTVCT_EL0 and CLOCK_MONOTONIC_RAW at one moment
 * @ticks: 0 where the counter cannot be read
 * @ns: the clock
 */
struct counter_pair {
	u64 ticks;
	u64 ns;
};

/* What a check of `selftest` says. */
enum check_outcome {
	CHECK_PASSED,
	CHECK_SKIPPED,
	CHECK_NOISY,
	CHECK_BROKEN,
};

#define DOCUMENT_CHECKS_MAX 8

/**
 * struct check - one check of `selftest`
 * @name: a word
 * @outcome: what it says
 * @detail: the figures, or why it was skipped
 */
struct check {
	const char *name;
	enum check_outcome outcome;
	char detail[REASON_TEXT_MAX];
};

/**
 * struct cell - what a sweep found on one number of CPUs, under one load
 * @set: index of its set
 * @best: index in the set of the variant with the highest throughput
 * @tied: bits of the variants that cannot be told from it
 */
struct cell {
	unsigned int set;
	unsigned int best;
	u64 tied;
};

#define REPLAY_NAME_MAX 200

/**
 * struct repetition - how long one repetition of `replay` took, seconds
 * @set: index of its set
 * @window: index of its window there
 * @real: by the clock
 * @user: CPU time of all workers outside the kernel
 * @sys: CPU time of all workers in the kernel
 */
struct repetition {
	unsigned int set;
	size_t window;
	double real;
	double user;
	double sys;
};

/**
 * struct replay - what `replay` was asked for, and what came of it
 * @work: units of work in a repetition; 0: not a replay
 * @unit: acquisitions in a unit
 * @warmup: repetitions before those that count
 * @asked: repetitions that count
 * @sleep: seconds before the first and after each one
 * @name: what the names of the logs begin with
 * @nr_repetitions: entries of @repetitions
 * @repetitions: set after set; made of the sets by summarise_replay()
 */
struct replay {
	u32 work;
	u32 unit;
	u32 warmup;
	u32 asked;
	double sleep;
	char name[REPLAY_NAME_MAX];
	unsigned int nr_repetitions;
	struct repetition *repetitions;
};

/* Ways to choose between SB and ISB, and the loops that they are in. */
enum dispatch_way {
	DISPATCH_COMPILED,
	DISPATCH_FLAG,
	DISPATCH_RELOAD,
	DISPATCH_LAZY,
	DISPATCH_WAYS
};

enum dispatch_loop {
	DISPATCH_POLL,
	DISPATCH_COUNT,
	DISPATCH_LOOPS
};

/**
 * struct dispatch_round - one loop run once, and run with twice as many polls
 * @ns: how long either took
 * @instructions: executed by either in user space; 0: not counted
 */
struct dispatch_round {
	u64 ns[2];
	u64 instructions[2];
};

/**
 * struct dispatch_cost - what a poll costs with one way in one loop
 * @ns: of one poll
 * @instructions: of one poll; NAN: not counted
 */
struct dispatch_cost {
	struct interval ns;
	double instructions;
};

/**
 * struct dispatch - results of `cost --dispatch`
 * @delay: what all of them execute
 * @cpu: where
 * @polls: in a single run of a loop
 * @nr_rounds: entries of each array of @rounds; 0: not a document of this
 * @rounds: in the order in which they ran
 * @costs: made of the rounds by summarise_dispatch()
 */
struct dispatch {
	char delay[8];
	u32 cpu;
	u32 polls;
	u32 nr_rounds;
	struct dispatch_round *rounds[DISPATCH_WAYS][DISPATCH_LOOPS];
	struct dispatch_cost costs[DISPATCH_WAYS][DISPATCH_LOOPS];
};

/**
 * struct document - what one command found
 * @command: its name
 * @user: it was measured in threads of the tool, not by the module
 * @machine: where; its @counter_hz is the unit of all ticks
 * @seed: of all that was random
 * @placements: asked for; with a precision, the most there could be
 * @rounds: asked for, in each placement
 * @precision: half-width of an interval that ends a comparison, as a fraction; 0:
 *	none, so many placements as were asked for
 * @match: MATCH_BITs of the comparisons that were asked for
 * @window_ns: length of a window
 * @order: of the CPUs
 * @chain_fs: femtoseconds of a chain iteration, hold and think were made of it
 * @frequency_change: by how much a CPU's cycles over time differed between
 *	windows, as a fraction; NAN: not counted
 * @discarded_rounds: rounds left out because a window in them was invalid
 * @nr_sets: entries of @sets
 * @sets: what was run
 * @nr_variants: entries of @variants
 * @variants: results of the variants
 * @nr_comparisons: entries of @comparisons
 * @comparisons: results of the comparisons
 * @nr_costs: entries of @costs
 * @costs: results of `cost`
 * @nr_equal_times: entries of @equal_times
 * @equal_times: how well padded polls agree with those they are compared with
 * @nr_cells: entries of @cells
 * @cells: results of `sweep`
 * @winner: of `sweep`: index in its sets of the best variant over all cells
 * @replay: of `replay`
 * @dispatch: of `cost --dispatch`
 * @nr_notes: entries of @notes
 * @notes: what was not done, and why, one sentence each
 * @clock: of `selftest`: before its windows and after them
 * @nr_checks: entries of @checks
 * @checks: results of `selftest`
 *
 * Everything from @frequency_change on but @sets is made of the sets by
 * document_summarise().
 */
struct document {
	char command[16];
	bool user;
	struct machine machine;
	u64 seed;
	unsigned int placements;
	unsigned int rounds;
	double precision;
	unsigned int match;
	u32 window_ns;
	enum order order;
	u32 chain_fs;
	double frequency_change;
	size_t discarded_rounds;
	unsigned int nr_sets;
	struct set *sets;
	unsigned int nr_variants;
	struct variant_result *variants;
	unsigned int nr_comparisons;
	struct comparison *comparisons;
	unsigned int nr_costs;
	struct cost *costs;
	unsigned int nr_equal_times;
	struct equal_time *equal_times;
	unsigned int nr_cells;
	struct cell *cells;
	unsigned int winner;
	struct replay replay;
	struct dispatch dispatch;
	unsigned int nr_notes;
	char notes[DOCUMENT_NOTES_MAX][DOCUMENT_NOTE_TEXT_MAX];
	struct counter_pair clock[2];
	unsigned int nr_checks;
	struct check checks[DOCUMENT_CHECKS_MAX];
};

/* A new document for @command; NULL if memory runs out. */
struct document *document_new(const char *command);

void document_free(struct document *doc);

/**
 * document_add_set() - a set without windows as yet
 * @variants: copied
 * @cpus: copied
 *
 * Return: NULL if memory runs out. Valid until the next call.
 */
struct set *document_add_set(struct document *doc,
			     const struct spindelay_variant *variants,
			     unsigned int nr_variants, const u32 *cpus,
			     unsigned int nr_cpus);

/**
 * set_add_padding() - one more variant, behind those asked for
 * @variant: copied
 *
 * Return: 0, or -1 if memory runs out.
 */
int set_add_padding(struct set *set, const struct spindelay_variant *variant,
		    struct padding padding);

/* Take the padded variant with this index out again. Before any window. */
void set_drop_padding(struct set *set, unsigned int variant);

/* Index of the baseline. */
unsigned int set_baseline(const struct set *set);

/* Does it hold rounds to be compared, not periods or repetitions? */
bool set_is_compared(const struct set *set);

/* Take the set with this index out, windows and all. */
void document_drop_set(struct document *doc, unsigned int index);

/* One more note; those that do not fit are lost. */
void document_note(struct document *doc, const char *format, ...)
	__printf(2, 3);

/* One more placement, its CPUs unset; NULL if memory runs out. */
struct placement *set_add_placement(struct set *set);

/* One more window with room for records and histogram; NULL likewise. */
struct window *set_add_window(struct set *set);

/* Forget all that was made of the windows, so that it can be made anew. */
void document_forget_findings(struct document *doc);

/* Forget the placements of a set, windows and all. */
void set_forget_placements(struct set *set);

/* Placements that every set to be compared has. */
unsigned int document_placements(const struct document *doc);

/* Free the windows where only the numbers made of them are still wanted. */
void document_forget_windows(struct document *doc);

/* Throughput of a window: sum over its CPUs, acquisitions a tick. */
double window_throughput(const struct set *set, const struct window *window);

/* Rounds that were run, in all placements. */
size_t set_rounds(const struct set *set);

/* Can all windows of a round be used? */
bool round_valid(const struct set *set, size_t round);

/* The window of a variant in a round; every round has one of each. */
const struct window *round_window(const struct set *set, size_t round,
				  unsigned int variant);

#endif /* SPINDELAY_DOCUMENT_H */
