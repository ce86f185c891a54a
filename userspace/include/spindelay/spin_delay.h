/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spin_delay() for applications: the delay of a spin loop. This header is all
 * there is to it: nothing to link, nothing to call first.
 *
 *	#include <spindelay/spin_delay.h>
 *
 *	while (__atomic_load_n(&word, __ATOMIC_RELAXED))
 *		spin_delay();
 *
 * On arm64 it executes SB where the system says at run time that all of its
 * CPUs have SB, else ISB. The system is asked once, before main(), through
 *
 *	Linux			getauxval()
 *	FreeBSD, OpenBSD	elf_aux_info()
 *	macOS			sysctlbyname()
 *
 * and everywhere else, or where the header that declares the call is missing,
 * nobody is asked and ISB it is. A file that is compiled for CPUs that all have
 * SB (-march=armv9-a, say, or -DSPIN_DELAY_SB, which is a promise) asks nobody
 * and executes SB, come what may. Not on arm64: PAUSE on x86, and elsewhere no
 * instruction at all. It is a compiler barrier on every machine.
 *
 * C99 or C++11 and later; gcc 5 or clang.
 */
#ifndef SPINDELAY_USER_SPIN_DELAY_H
#define SPINDELAY_USER_SPIN_DELAY_H

#ifdef __KERNEL__
#error "This spin_delay.h is for applications: modules include the one in spindelay/module"
#endif

/* Even at -Os: a call would cost more than the choice. */
#define spin_delay_inline static inline __attribute__((always_inline))

/* FEAT_SB is mandatory from Armv8.5 on, and so in Armv9. */
#if defined(__aarch64__) && !defined(SPIN_DELAY_SB)
#if defined(__ARM_FEATURE_SB) || __ARM_ARCH == 9 || __ARM_ARCH >= 805
#define SPIN_DELAY_SB
#endif
#endif

#if defined(__aarch64__) && !defined(SPIN_DELAY_SB) && defined(__has_include)
#if defined(__APPLE__)
#if __has_include(<sys/sysctl.h>)
#include <sys/types.h>
#include <sys/sysctl.h>
#define SPIN_DELAY_SYSCTL
#endif
#elif __has_include(<sys/auxv.h>)
#include <sys/auxv.h>
#if defined(__linux__)
#define SPIN_DELAY_GETAUXVAL
#elif defined(__FreeBSD__) || defined(__OpenBSD__)
#define SPIN_DELAY_ELF_AUX_INFO
#endif
#endif
#endif

/**
 * spin_delay_ask - ask the system whether its CPUs have SB
 *
 * Calls the system's library. Nothing is tried out: what the system says about
 * all CPUs together is what counts.
 *
 * Return: 1 if all of them have SB, 0 if not or if there is nobody to ask
 */
static inline int spin_delay_ask(void)
{
#if defined(SPIN_DELAY_SB)
	return 1;
#elif defined(SPIN_DELAY_GETAUXVAL)
	/* HWCAP_SB, which the headers of older systems don't define */
	return getauxval(AT_HWCAP) >> 29 & 1;
#elif defined(SPIN_DELAY_ELF_AUX_INFO)
	unsigned long capabilities = 0;

	elf_aux_info(AT_HWCAP, &capabilities, sizeof(capabilities));
	return capabilities >> 29 & 1;
#elif defined(SPIN_DELAY_SYSCTL)
	int has = 0;
	size_t size = sizeof(has);

	return !sysctlbyname("hw.optional.arm.FEAT_SB", &has, &size, 0, 0) &&
	       has;
#else
	return 0;
#endif
}

#if defined(SPIN_DELAY_GETAUXVAL) || defined(SPIN_DELAY_ELF_AUX_INFO) || \
	defined(SPIN_DELAY_SYSCTL)
#define SPIN_DELAY_AT_RUN_TIME

/*
 * The answer: one for a program or library, however many of its files include
 * this, and alone on its cache lines, lest it be next to a contended word.
 * Until the constructor has run it says ISB, which every CPU has.
 */
__attribute__((weak, visibility("hidden"), used,
	       aligned(128))) unsigned int spin_delay_answer[32];

__attribute__((constructor)) static void spin_delay_keep_answer(void)
{
	unsigned int has = spin_delay_ask();

	__atomic_store_n(spin_delay_answer, has, __ATOMIC_RELAXED);
}
#endif

/**
 * spin_delay_has_sb - whether spin_delay() executes SB
 *
 * Return: 1 for SB, 0 for whatever else this machine gets
 */
spin_delay_inline int spin_delay_has_sb(void)
{
#if defined(SPIN_DELAY_AT_RUN_TIME)
	int has;

	/*
	 * Every poll has a compiler barrier, after which a variable is read
	 * again. The compiler isn't told that this one is memory, so that it
	 * may read it once, ahead of the loop, and keep it in a register: what
	 * is left in the loop is one branch. An old answer does no harm.
	 */
	__asm__("ldr %w0, [%1]" : "=r"(has) : "r"(spin_delay_answer));
	return has;
#else
	return spin_delay_ask();
#endif
}

/**
 * spin_delay_sb - one delay with SB, whatever the system says
 *
 * Raises SIGILL on a CPU without SB. By its encoding, for assemblers that don't
 * know it or want to be told that they may. Not on arm64: as spin_delay_isb().
 */
spin_delay_inline void spin_delay_sb(void)
{
#if defined(__aarch64__)
	__asm__ volatile(".inst 0xd50330ff" : : : "memory");
#elif defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("pause" : : : "memory");
#else
	__asm__ volatile("" : : : "memory");
#endif
}

/**
 * spin_delay_isb - one delay with ISB, whatever the system says
 *
 * Not on arm64: PAUSE on x86, else nothing but a compiler barrier.
 */
spin_delay_inline void spin_delay_isb(void)
{
#if defined(__aarch64__)
	__asm__ volatile("isb" : : : "memory");
#else
	spin_delay_sb();
#endif
}

/**
 * spin_delay_choose - one delay with SB or ISB
 * @has_sb: not 0 for SB
 *
 * The choice is one block of text to the compiler, for which the loop around it
 * is that of a single instruction. With SB it executes one instruction besides,
 * with ISB two. For a caller that has the answer of spin_delay_has_sb() in a
 * variable of its own; else spin_delay() is the one to call.
 */
spin_delay_inline void spin_delay_choose(int has_sb)
{
#if defined(__aarch64__)
	__asm__ volatile("cbnz %w0, 1f\n\t"
			 "isb\n\t"
			 "b 2f\n"
			 "1:\t.inst 0xd50330ff\n" /* sb */
			 "2:"
			 :
			 : "r"(has_sb)
			 : "memory");
#else
	(void)has_sb;
	spin_delay_sb();
#endif
}

/**
 * spin_delay - one delay of a spin loop
 *
 * To be called between two looks at the word that the loop waits for. Where it
 * is chosen at run time, SB costs a poll one instruction more than SB that is
 * compiled in.
 */
spin_delay_inline void spin_delay(void)
{
#if defined(SPIN_DELAY_AT_RUN_TIME)
	spin_delay_choose(spin_delay_has_sb());
#elif defined(SPIN_DELAY_SB)
	spin_delay_sb();
#else
	spin_delay_isb();
#endif
}

/**
 * spin_delay_name - what spin_delay() executes on this machine
 *
 * Return: "sb", "isb", "pause" or "none"
 */
static inline const char *spin_delay_name(void)
{
#if defined(__aarch64__)
	return spin_delay_has_sb() ? "sb" : "isb";
#elif defined(__x86_64__) || defined(__i386__)
	return "pause";
#else
	return "none";
#endif
}

#endif /* SPINDELAY_USER_SPIN_DELAY_H */
