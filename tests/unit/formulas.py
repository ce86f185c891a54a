#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The formulas of lib/stats.c against scipy and numpy. TAP on stdout.

formulas.py LIBRARY     LIBRARY: lib/stats.c as a shared object
"""
import ctypes
import math
import sys

import numpy as np
from scipy import special, stats

SIZE, DOUBLE = ctypes.c_size_t, ctypes.c_double
ARRAY, COUNTS = ctypes.POINTER(DOUBLE), ctypes.POINTER(ctypes.c_uint64)
LEVELS = [0.5, 0.9, 0.95, 0.975, 1 - 0.05 / 9, 1 - 0.05 / 27]


class Interval(ctypes.Structure):
    _fields_ = [(name, DOUBLE) for name in ("estimate", "low", "high", "level")]

    def ends(self):
        return self.low, self.high


PROTOTYPES = {
    "stats_median": (DOUBLE, ARRAY, SIZE),
    "stats_mean": (DOUBLE, ARRAY, SIZE),
    "stats_sd": (DOUBLE, ARRAY, SIZE),
    "stats_lag1": (DOUBLE, ARRAY, SIZE),
    "stats_sign_rank": (SIZE, SIZE, DOUBLE),
    "stats_sign_interval": (Interval, ARRAY, SIZE, DOUBLE),
    "stats_placement": (Interval, ARRAY, SIZE, DOUBLE),
    "stats_beta": (DOUBLE, DOUBLE, DOUBLE, DOUBLE),
    "stats_t_cdf": (DOUBLE, DOUBLE, DOUBLE),
    "stats_t_quantile": (DOUBLE, DOUBLE, DOUBLE),
    "stats_t_interval": (Interval, ARRAY, SIZE, DOUBLE),
    "stats_enough": (ctypes.c_bool, ARRAY, SIZE, DOUBLE, DOUBLE),
    "stats_level": (DOUBLE, ctypes.c_uint),
    "stats_jain": (DOUBLE, ARRAY, SIZE),
    "stats_min_over_max": (DOUBLE, ARRAY, SIZE),
    "stats_hist_rank": (SIZE, COUNTS, SIZE, DOUBLE),
}


def load(path):
    library = ctypes.CDLL(path)
    for name, (result, *arguments) in PROTOTYPES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def array(values):
    return (DOUBLE * len(values))(*values), len(values)


def near(got, expected, relative, what):
    got, expected = np.atleast_1d(got), np.atleast_1d(expected)
    if not np.allclose(got, expected, rtol=relative, atol=relative * 1e-3, equal_nan=True):
        raise AssertionError(f"{what}: {got}, expected {expected}")


def samples():
    """Values of many sizes and shapes, ties and outliers among them."""
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 5, 6, 7, 15, 20, 49, 50, 100, 301):
        yield rng.normal(size=n)
        yield 1000 + rng.exponential(size=n)
        yield np.round(rng.normal(size=n), 1)
        yield rng.standard_cauchy(size=n)
        yield np.cumsum(rng.normal(size=n))


def beta(c):
    shapes = [0.5, 1, 1.5, 2.5, 7, 30, 128, 500]
    for a in shapes:
        for b in shapes:
            for x in np.concatenate([[0, 1e-12, 1e-3], np.linspace(0.02, 0.98, 25), [0.999, 1]]):
                near(c.stats_beta(a, b, x), special.betainc(a, b, x), 1e-9, f"I_{x}({a}, {b})")


def t_cdf(c):
    for df in (1, 2, 3, 5, 14, 59, 255, 1000):
        for t in np.concatenate([np.linspace(-40, 40, 161), [-1e-9, 0, 1e-9]]):
            near(c.stats_t_cdf(t, df), special.stdtr(df, t), 1e-9, f"P(T <= {t}), df {df}")


def t_quantile(c):
    tails = [1e-12, 1e-6, 0.001, 0.025 / 27, 0.025 / 9, 0.0125, 0.025, 0.1, 0.25, 0.49]
    for df in (1, 2, 3, 5, 14, 59, 255, 1000):
        for tail in tails:
            exact = stats.t.isf(tail, df)
            # scipy's is good to eight digits and more, the inverse of its inverse to more.
            near(c.stats_t_quantile(tail, df), -exact, 1e-8, f"t({tail}), df {df}")
            inverse = special.stdtr(df, c.stats_t_quantile(tail, df))
            near(inverse, tail, 1e-10, f"P(T <= t({tail})), df {df}")
            if tail > 1e-6:
                near(c.stats_t_quantile(1 - tail, df), exact, 1e-8, f"t({1 - tail}), df {df}")
    for p in (-1, 0, 1, 2, math.nan):
        near(c.stats_t_quantile(p, 5), math.nan, 0, f"t({p})")


def t_interval(c):
    for x in samples():
        for level in LEVELS:
            i = c.stats_t_interval(*array(x), level)
            near(i.estimate, x.mean(), 1e-10, "mean")
            if len(x) > 1:
                low, high = stats.t.interval(level, len(x) - 1, x.mean(), stats.sem(x))
                what = f"t interval of {len(x)} at {level}"
                near(i.high - i.low, high - low, 1e-8, what)
                near(i.high + i.low, 2 * x.mean(), 1e-8, what)
            else:
                near(i.ends(), [math.nan] * 2, 0, "t interval of one")


def enough(c):
    rng = np.random.default_rng(2)
    said = set()
    for n in (5, 16, 17, 18, 30, 60, 200):
        for level in LEVELS:
            for sd in (1e-4, 1e-3, 0.01, 0.03, 0.1):
                x = rng.normal(0.3, sd, n)
                half = stats.t.ppf((1 + level) / 2, n - 1) * stats.sem(x)
                expected = n > 16 and half <= (1 - 16 / n) * math.log(1.02)
                got = c.stats_enough(*array(x), level, 0.02)
                assert got == expected, f"enough of {n} with sd {sd} at {level}: {got}"
                said.add(got)
    assert said == {True, False}


def sign_rank(c):
    for n in list(range(0, 130)) + [300, 999, 2000, 10000]:
        for level in LEVELS:
            below = stats.binom.cdf(np.arange(n // 2 + 1) - 1, n, 0.5)
            rank = np.flatnonzero(2 * below <= (1 - level) * (1 + 1e-12)).max()
            assert c.stats_sign_rank(n, level) == rank, f"rank of {n} at {level}"


def sign_interval(c):
    for x in samples():
        for level in LEVELS:
            i = c.stats_sign_interval(*array(x), level)
            rank = c.stats_sign_rank(len(x), level)
            ordered = np.sort(x)
            ends = (ordered[rank - 1], ordered[len(x) - rank]) if rank else [math.nan] * 2
            near(i.estimate, np.median(x), 1e-15, "median")
            near(i.ends(), ends, 1e-15, f"sign interval of {len(x)} at {level}")


def lag1_of(x):
    d = x - x.mean()
    return (d[:-1] * d[1:]).sum() / (d * d).sum() if len(x) > 2 else 0


def placement(c):
    batched = 0
    for x in samples():
        for level in LEVELS:
            batches = next(n for n in range(2, 99) if c.stats_sign_rank(n, level))
            values = x
            if len(x) > batches and lag1_of(x) > 1 / math.sqrt(len(x)):
                ends = np.arange(batches + 1) * len(x) // batches
                values = np.array([np.median(x[a:b]) for a, b in zip(ends, ends[1:])])
                batched += 1
            expected = c.stats_sign_interval(*array(values), level)
            got = c.stats_placement(*array(x), level)
            near(got.estimate, np.median(x), 1e-15, "median")
            near(got.ends(), expected.ends(), 1e-15, f"interval of {len(x)} rounds at {level}")
    assert batched > 40, f"{batched} samples were batched"


def moments(c):
    for x in samples():
        near(c.stats_median(*array(x)), np.median(x), 1e-15, "median")
        near(c.stats_mean(*array(x)), x.mean(), 1e-10, "mean")
        near(c.stats_sd(*array(x)), x.std(ddof=1) if len(x) > 1 else math.nan, 1e-10, "sd")
        near(c.stats_lag1(*array(x)), lag1_of(x), 1e-8, "lag 1")


def fairness(c):
    for x in samples():
        x = np.abs(x)
        near(c.stats_jain(*array(x)), x.sum() ** 2 / (len(x) * (x * x).sum()), 1e-10, "Jain")
        near(c.stats_min_over_max(*array(x)), x.min() / x.max(), 1e-10, "min/max")


def hist_rank(c):
    rng = np.random.default_rng(3)
    for _ in range(50):
        hits = rng.integers(0, 4, 12) * rng.integers(0, 2, 12)
        buckets = (ctypes.c_uint64 * 12)(*map(int, hits))
        values = np.repeat(np.arange(12), hits)
        for q in (0, 0.1, 0.25, 0.5, 0.9, 0.99, 1):
            expected = np.quantile(values, q, method="inverted_cdf") if len(values) else 12
            assert c.stats_hist_rank(buckets, 12, q) == expected, f"quantile {q} of {hits}"


def levels(c):
    for m in range(1, 28):
        near(c.stats_level(m), 1 - 0.05 / m, 1e-15, f"level of {m}")


TESTS = [moments, beta, t_cdf, t_quantile, t_interval, enough, sign_rank, sign_interval, placement,
         fairness, hist_rank, levels]


def main():
    library = load(sys.argv[1])
    failed = 0
    print(f"1..{len(TESTS)}")
    for number, test in enumerate(TESTS, 1):
        try:
            test(library)
            print(f"ok {number} - {test.__name__} as scipy and numpy have it")
        except AssertionError as error:
            failed = 1
            print(f"not ok {number} - {test.__name__} as scipy and numpy have it")
            print("# " + str(error).replace("\n", "\n# "))
    return failed


sys.exit(main())
