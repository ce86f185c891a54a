/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the program "plant" in the guest tells the emulator's plugin of the same
 * name: which instructions cost how much from now on. The order lies in the
 * guest's memory; its address is in x0 when the guest executes PLANT_MAGIC, a
 * move to the zero register that does nothing on any CPU.
 */
#ifndef SPINDELAY_TESTS_PLANT_H
#define SPINDELAY_TESTS_PLANT_H

#include <stdint.h>

/* movz xzr, #0x5d1a */
#define PLANT_MAGIC 0xd28ba35f
#define PLANT_LABEL_MAX 48

/* X(name, opcode): what the bench executes for the delay of that name. */
#define PLANT_DELAYS(X)        \
	X("nop", 0xd503201f)   \
	X("yield", 0xd503203f) \
	X("isb", 0xd5033fdf)   \
	X("sb", 0xd50330ff)    \
	X("dsb", 0xd503379f)   \
	X("chain", 0x93d10631)

#define PLANT_DELAY_ONE(name, opcode) +1
#define PLANT_NR_DELAYS (0 PLANT_DELAYS(PLANT_DELAY_ONE))
/* The last one: the placebo, a turn of whose loop takes its cost. */
#define PLANT_CHAIN (PLANT_NR_DELAYS - 1)

/**
 * enum plant_verb - what an order asks for
 * @PLANT_CLEAR: nothing costs anything any more and all accounts are empty; @start
 *	and @end of the order say where the text of the module or the tool is:
 *	nothing else is ever made to cost anything
 * @PLANT_COST: the instruction costs this
 * @PLANT_REPORT: write the accounts to the plugin's file, under @label
 * @PLANT_STOP: in a moment, and for @over_ms, the emulator itself is stopped, and
 *	with it all that the guest has, while the time that it sees goes on
 */
enum plant_verb {
	PLANT_CLEAR = 1,
	PLANT_COST,
	PLANT_REPORT,
	PLANT_STOP,
};

/**
 * struct plant_order - one order
 * @verb: enum plant_verb
 * @delay: index into PLANT_DELAYS
 * @cost_ns: what one execution costs
 * @times: after so many executions it costs nothing any more; 0: it always does
 * @jitter_ppm: each execution varies by up to this, evenly to both sides
 * @drift_ppm: the cost has grown by this, steadily, when @over_ms have been burnt
 * @step_ppm: the cost grows by this at once when half of @over_ms has been burnt
 * @place_ppm: the cost differs by up to this, evenly to both sides, with the place
 *	of the lock
 * @over_ms: time that all planted instructions of a CPU have burnt; a clock that
 *	does not run while nothing is measured
 * @start: first address of that text
 * @end: first address behind it
 * @label: of the report
 */
struct plant_order {
	uint32_t verb;
	uint32_t delay;
	uint32_t cost_ns;
	uint32_t times;
	int32_t jitter_ppm;
	int32_t drift_ppm;
	int32_t step_ppm;
	int32_t place_ppm;
	uint32_t over_ms;
	uint32_t reserved;
	uint64_t start;
	uint64_t end;
	char label[PLANT_LABEL_MAX];
};

#endif /* SPINDELAY_TESTS_PLANT_H */
