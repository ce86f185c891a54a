/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every lock x delay x form, compiled as its own function, and a twin of each
 * of form one: the same text once more, at another address. Include one of the
 * atomics_*.h first and define SPIN_LOOP(name), the name that profilers show,
 * and SPIN_LOOPS, the name of the table. To be included once in a file.
 */
#include "contend.h"

/*
 * Functions of the same text, such as twins, are kept as they are: GCC may fold
 * them into one. A compiler that does not know the attribute does not fold.
 */
#if __has_attribute(__no_icf__)
#define SPIN_UNFOLDED __attribute__((__no_icf__))
#else
#define SPIN_UNFOLDED
#endif

#define SPIN_WINDOW static noinline notrace SPIN_UNFOLDED __aligned(64) void

/* clang-format off */
#define SPIN_CONTEND_FORM(lock, delay, suffix, form)                    \
	SPIN_WINDOW SPIN_LOOP(lock##_##delay##suffix)(struct spin_worker *w) \
	{                                                               \
		spin_contend(w, SPIN_LOCK_##lock, SPIN_CODE(lock),      \
			     SPIN_DELAY_##delay, form);                 \
	}
#define SPIN_CONTEND_FORMS(id, delay, spelling, need, knob, lock)       \
	SPIN_CONTEND_FORM(lock, delay, , SPIN_ONE)                      \
	SPIN_CONTEND_FORM(lock, delay, _n, SPIN_MANY)                   \
	SPIN_CONTEND_FORM(lock, delay, _pad, SPIN_PADDED)
#define SPIN_CONTEND_DELAYS(id, lock, ...)                              \
	SPIN_DELAYS(SPIN_CONTEND_FORMS, lock)

SPIN_LOCKS(SPIN_CONTEND_DELAYS)

#define SPIN_BURST_COPIES(delay, suffix, form, copies)                  \
	SPIN_WINDOW SPIN_LOOP(burst##copies##_##delay##suffix)(struct spin_worker *w) \
	{                                                               \
		spin_burst(w, SPIN_DELAY_##delay, form, copies);        \
	}
#define SPIN_BURST_FORM(delay, suffix, form)                            \
	SPIN_BURST_COPIES(delay, suffix, form, 1)                       \
	SPIN_BURST_COPIES(delay, suffix, form, 16)                      \
	SPIN_BURST_COPIES(delay, suffix, form, 32)
#define SPIN_BURST_FORMS(id, delay, ...)                                \
	SPIN_BURST_FORM(delay, , SPIN_ONE)                              \
	SPIN_BURST_FORM(delay, _n, SPIN_MANY)                           \
	SPIN_BURST_FORM(delay, _pad, SPIN_PADDED)

SPIN_DELAYS(SPIN_BURST_FORMS)

/* Behind all others, so that a twin is well away from its first. */
#define SPIN_CONTEND_TWIN(id, delay, spelling, need, knob, lock)        \
	SPIN_CONTEND_FORM(lock, delay, _twin, SPIN_ONE)
#define SPIN_CONTEND_TWINS(id, lock, ...)                               \
	SPIN_DELAYS(SPIN_CONTEND_TWIN, lock)

SPIN_LOCKS(SPIN_CONTEND_TWINS)

#define SPIN_CONTEND_ENTRY(id, delay, spelling, need, knob, lock)       \
	.contend[SPIN_LOCK_##lock][id] = {                              \
		SPIN_LOOP(lock##_##delay),                              \
		SPIN_LOOP(lock##_##delay##_n),                          \
		SPIN_LOOP(lock##_##delay##_pad),                        \
	},
#define SPIN_CONTEND_ENTRIES(id, lock, ...) SPIN_DELAYS(SPIN_CONTEND_ENTRY, lock)
#define SPIN_TWIN_ENTRY(id, delay, spelling, need, knob, lock)          \
	.twin[SPIN_LOCK_##lock][id] = SPIN_LOOP(lock##_##delay##_twin),
#define SPIN_TWIN_ENTRIES(id, lock, ...) SPIN_DELAYS(SPIN_TWIN_ENTRY, lock)
#define SPIN_BURST_ENTRY(delay, suffix)                                 \
	{                                                               \
		SPIN_LOOP(burst1_##delay##suffix),                      \
		SPIN_LOOP(burst16_##delay##suffix),                     \
		SPIN_LOOP(burst32_##delay##suffix),                     \
	}
#define SPIN_BURST_ENTRIES(id, delay, ...)                              \
	.burst[id] = {                                                  \
		SPIN_BURST_ENTRY(delay, ),                              \
		SPIN_BURST_ENTRY(delay, _n),                            \
		SPIN_BURST_ENTRY(delay, _pad),                          \
	},

const struct spin_loops SPIN_LOOPS = {
	SPIN_LOCKS(SPIN_CONTEND_ENTRIES)
	SPIN_LOCKS(SPIN_TWIN_ENTRIES)
	SPIN_DELAYS(SPIN_BURST_ENTRIES)
};

/* clang-format on */
