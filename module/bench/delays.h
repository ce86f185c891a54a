/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The delays: what one poll of a spin loop executes between two looks at the
 * lock word. A delay is an inline and a line in SPIN_DELAYS(), nothing else;
 * every list of names, in the kernel and in user space, is made from the table.
 *
 * The same text serves the kernel and user threads. On a machine that is not
 * arm64 the delays that have no counterpart there are empty; they need
 * SPIN_NEED_ARM64 or more, so that they can be named and refused.
 */
#ifndef SPINDELAY_BENCH_DELAYS_H
#define SPINDELAY_BENCH_DELAYS_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * enum spin_need - what a system must have to execute a delay
 * @SPIN_NEED_NONE: nothing
 * @SPIN_NEED_ARM64: any arm64 CPU
 * @SPIN_NEED_SB: the SB instruction on every CPU (FEAT_SB)
 * @SPIN_NEED_WFXT: WFET on every CPU (FEAT_WFxT)
 * @SPIN_NEED_KNOB: the kernel module's knob
 */
enum spin_need {
	SPIN_NEED_NONE,
	SPIN_NEED_ARM64,
	SPIN_NEED_SB,
	SPIN_NEED_WFXT,
	SPIN_NEED_KNOB,
};

/**
 * enum spin_delay_traits - what a delay is
 * @SPIN_IN_KNOB: the sysfs knob takes it
 * @SPIN_SLEEPS: it waits for the word to change, however long that takes, so it
 *	cannot be executed back to back or with interrupts off
 */
enum spin_delay_traits {
	SPIN_IN_KNOB = 1 << 0,
	SPIN_SLEEPS = 1 << 1,
};

/* clang-format off */
/*
 * X(id, name, spelling, need, traits, ...)
 *
 * id: number in the ABI, never reused. name: C identifier, spin_delay_<name>()
 * is the inline. spelling: what people type. need: enum spin_need. traits: enum
 * spin_delay_traits. Further arguments of SPIN_DELAYS are passed on.
 */
#define SPIN_DELAYS(X, ...)                                                    \
	X(0, none, "none", SPIN_NEED_NONE, SPIN_IN_KNOB, ##__VA_ARGS__)        \
	X(1, nop, "nop", SPIN_NEED_NONE, SPIN_IN_KNOB, ##__VA_ARGS__)          \
	X(2, yield, "yield", SPIN_NEED_NONE, SPIN_IN_KNOB, ##__VA_ARGS__)      \
	X(3, isb, "isb", SPIN_NEED_ARM64, SPIN_IN_KNOB, ##__VA_ARGS__)         \
	X(4, sb, "sb", SPIN_NEED_SB, SPIN_IN_KNOB, ##__VA_ARGS__)              \
	X(5, dsb_isb, "dsb-isb", SPIN_NEED_ARM64, SPIN_IN_KNOB, ##__VA_ARGS__) \
	X(6, chain, "chain", SPIN_NEED_NONE, 0, ##__VA_ARGS__)                 \
	X(7, knob, "knob", SPIN_NEED_KNOB, 0, ##__VA_ARGS__)                   \
	X(8, wfe, "wfe", SPIN_NEED_ARM64, SPIN_SLEEPS, ##__VA_ARGS__)          \
	X(9, wfet, "wfet", SPIN_NEED_WFXT, 0, ##__VA_ARGS__)
/* clang-format on */

#define SPIN_DELAY_ID(id, name, ...) SPIN_DELAY_##name = (id),
enum spin_delay_id {
	SPIN_DELAYS(SPIN_DELAY_ID) SPIN_DELAY_END
};

#undef SPIN_DELAY_ID

#ifdef __aarch64__
#define SPIN_CHAIN_REGISTER "x17"
#define SPIN_INSN(arm64, other, ...) asm volatile(arm64 ::: __VA_ARGS__)
#else
#define SPIN_CHAIN_REGISTER "r11"
#define SPIN_INSN(arm64, other, ...) asm volatile(other ::: __VA_ARGS__)
#endif

/* clang-format off */
/*
 * Every delay has the same shape: @word is the lock word, @seen the value it
 * had when the poll looked, @limit a time in ticks. Only a delay that waits for
 * a change needs them.
 */
#define SPIN_DELAY(name)                                                 \
	static __always_inline void spin_delay_##name(                   \
		const u32 *word __maybe_unused, u32 seen __maybe_unused, \
		u64 limit __maybe_unused)
/* clang-format on */

SPIN_DELAY(none)
{
	SPIN_INSN("", "", "memory");
}

SPIN_DELAY(nop)
{
	SPIN_INSN("nop", "nop", "memory");
}

SPIN_DELAY(yield)
{
	SPIN_INSN("yield", "pause", "memory");
}

SPIN_DELAY(isb)
{
	SPIN_INSN("isb", "", "memory");
}

/* By its encoding: assemblers without FEAT_SB serve, and nothing is patched. */
SPIN_DELAY(sb)
{
	SPIN_INSN(".inst 0xd50330ff", "", "memory");
}

SPIN_DELAY(dsb_isb)
{
	SPIN_INSN("dsb nsh\n\tisb", "", "memory");
}

/*
 * The placebo: one dependent ALU operation and no barrier. Its register is
 * fixed, so that each execution depends on the one before it without a value
 * being carried through C; what it holds is of no interest.
 */
SPIN_DELAY(chain)
{
	SPIN_INSN("ror x17, x17, #1", "ror $1, %%r11", "memory",
		  SPIN_CHAIN_REGISTER);
}

/*
 * The exported primitive, as the knob has it: what choosing at run time costs
 * can be measured against the same instruction compiled in. Who has a knob
 * defines SPIN_KNOB before including this.
 */
#ifndef SPIN_KNOB
#define SPIN_KNOB(word, seen) \
	do {                  \
	} while (0)
#endif
SPIN_DELAY(knob)
{
	SPIN_KNOB(word, seen);
}

/*
 * Wait for an event, with the monitor on the lock word: a store to it is one.
 * The event that SEVL makes is used up first; then the word is read for the
 * monitor and compared, because what was stored since the look wakes nobody.
 */
SPIN_DELAY(wfe)
{
#ifdef __aarch64__
	u32 now;

	asm volatile("	sevl\n"
		     "	wfe\n"
		     "	ldxr	%w0, %1\n"
		     "	eor	%w0, %w0, %w2\n"
		     "	cbnz	%w0, 1f\n"
		     "	wfe\n"
		     "1:"
		     : "=&r"(now)
		     : "Q"(*word), "r"(seen)
		     : "memory");
#endif
}

/* The same with a time limit. WFET X16 by its encoding, for old assemblers. */
SPIN_DELAY(wfet)
{
#ifdef __aarch64__
	register u64 deadline asm("x16");
	u32 now;

	asm volatile("	mrs	%1, cntvct_el0\n"
		     "	add	%1, %1, %4\n"
		     "	sevl\n"
		     "	wfe\n"
		     "	ldxr	%w0, %2\n"
		     "	eor	%w0, %w0, %w3\n"
		     "	cbnz	%w0, 1f\n"
		     "	.inst	0xd5031010\n"
		     "1:"
		     : "=&r"(now), "=&r"(deadline)
		     : "Q"(*word), "r"(seen), "r"(limit)
		     : "memory");
#endif
}

/**
 * spin_chain - execute the placebo
 * @n: iterations, 0 or more; one is a chain delay, a subtraction and a branch
 *
 * The loop behind hold, think and padding.
 */
static __always_inline void spin_chain(unsigned long n)
{
	if (!n)
		return;
	/* Copied behind the test, so that skipping costs one instruction. */
	asm volatile("" : "+r"(n));
	do {
		spin_delay_chain(NULL, 0, 0);
	} while (--n);
}

/**
 * spin_delay_once - execute one delay
 * @id: enum spin_delay_id, a constant, so that nothing is chosen at run time
 * @word: the lock word
 * @seen: its value at the last look
 * @limit: what a delay that has one waits at most, ticks
 */
static __always_inline void spin_delay_once(u32 id, const u32 *word, u32 seen,
					    u64 limit)
{
#define SPIN_DELAY_CASE(number, name, ...)            \
	case number:                                  \
		spin_delay_##name(word, seen, limit); \
		break;
	switch (id) {
		SPIN_DELAYS(SPIN_DELAY_CASE)
	}
#undef SPIN_DELAY_CASE
}

#endif /* SPINDELAY_BENCH_DELAYS_H */
