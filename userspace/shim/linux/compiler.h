/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The few names of the kernel's compiler.h that module/bench/ needs. */
#ifndef SPINDELAY_SHIM_COMPILER_H
#define SPINDELAY_SHIM_COMPILER_H

/* glibc defines this one too, to the same effect. */
#undef __always_inline
#define __always_inline inline __attribute__((__always_inline__))

#ifndef noinline
#define noinline __attribute__((__noinline__))
#endif
#ifndef notrace
#define notrace __attribute__((__no_instrument_function__))
#endif
#ifndef __printf
#define __printf(a, b) __attribute__((__format__(printf, a, b)))
#endif
#ifndef __aligned
#define __aligned(x) __attribute__((__aligned__(x)))
#endif
#ifndef __maybe_unused
#define __maybe_unused __attribute__((__unused__))
#endif

/* Notes to sparse, which sees the kernel's side alone. */
#ifndef __acquire
#define __acquire(x) ((void)0)
#define __release(x) ((void)0)
#endif

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define barrier() __asm__ __volatile__("" ::: "memory")

/*
 * The thread sanitizer knows relaxed atomics. All else is compiled as in the
 * kernel, so that the loops of threads are the instructions of the module's.
 */
#ifdef __SANITIZE_THREAD__
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, val) __atomic_store_n(&(x), (val), __ATOMIC_RELAXED)
#else
#define READ_ONCE(x) (*(const __volatile__ __typeof__(x) *)&(x))
#define WRITE_ONCE(x, val) (*(__volatile__ __typeof__(x) *)&(x) = (val))
#endif

#endif /* SPINDELAY_SHIM_COMPILER_H */
