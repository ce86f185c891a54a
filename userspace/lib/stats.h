/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The statistics: from numbers to numbers, no input, no output, no state.
 *
 * Throughputs are compared as d = ln(X_A / X_B), so that a gain and the loss
 * that undoes it are equally large; exp() leads back to a ratio.
 */
#ifndef SPINDELAY_STATS_H
#define SPINDELAY_STATS_H

#include <linux/types.h>

/* Fewer than this have no sign interval of 95 %: 2 * 2^-n > 0.05. */
#define STATS_ROUNDS_MIN 6
/* Placements from which on a comparison speaks for more than itself. */
#define STATS_PLACEMENTS_MIN 6
/* How wary stats_enough() is of few placements. */
#define STATS_ENOUGH_MARGIN 16
/* Half-widths of an interval that an effect must have to be seen in 90 %. */
#define STATS_MDE_HALF_WIDTHS 1.65

/**
 * struct interval - an estimate and what it may as well be
 * @estimate: NAN if there is none
 * @low: lower end, NAN if there is none
 * @high: upper end, NAN if there is none
 * @level: confidence asked for, 0..1
 */
struct interval {
	double estimate;
	double low;
	double high;
	double level;
};

/* No estimate, no ends. */
struct interval interval_none(double level);

bool interval_known(const struct interval *interval);

/* Each of the three through exp(): from log ratios to ratios. */
struct interval interval_exp(struct interval log);

/**
 * stats_median() - the middle value, or the mean of the two in the middle
 * @values: @n finite numbers in any order; left as they are
 *
 * Return: NAN if @n is 0 or memory runs out.
 */
double stats_median(const double *values, size_t n);

double stats_mean(const double *values, size_t n);

/* Standard deviation of a sample, divisor n - 1; NAN below two values. */
double stats_sd(const double *values, size_t n);

/**
 * stats_lag1() - autocorrelation of neighbours
 *
 * r1 = sum (x_i - m)(x_i+1 - m) / sum (x_i - m)^2 (Box and Jenkins, 2.1.5).
 *
 * Return: -1..1; 0 for constant values and for fewer than three.
 */
double stats_lag1(const double *values, size_t n);

/**
 * stats_batch() - medians of batches of neighbours
 * @batches: how many, 1..@n; as equally long as may be
 * @out: room for as many; may not be @values
 */
void stats_batch(const double *values, size_t n, size_t batches, double *out);

/**
 * stats_sign_rank() - which order statistics bound the median
 * @n: how many values
 * @level: confidence, 0 < level < 1
 *
 * The largest k with 2 * P(Bin(n, 1/2) <= k - 1) <= 1 - level: the interval
 * from the k-th smallest to the k-th largest value covers the median with at
 * least @level, whatever the distribution (Conover, Practical Nonparametric
 * Statistics, 3.2).
 *
 * Return: k from 1, or 0 if even the whole range does not cover it.
 */
size_t stats_sign_rank(size_t n, double level);

/**
 * stats_sign_interval() - median and its interval from the sign test
 *
 * Return: the estimate is there from one value on, the ends only where
 * stats_sign_rank() finds a rank.
 */
struct interval stats_sign_interval(const double *values, size_t n,
				    double level);

/**
 * stats_placement() - sign interval of the rounds of one placement
 *
 * If the autocorrelation of the rounds exceeds 1 / sqrt(n), then of the medians
 * of batches: as few of them, and so as long ones, as have an interval at all
 * (six at 95 %). Of fifty rounds with an autocorrelation of one half that
 * covers .961, medians of four rounds each .921, the rounds as they are .80;
 * independent rounds pay for it with an interval 6 % wider on average.
 */
struct interval stats_placement(const double *values, size_t n, double level);

/* Regularised incomplete beta function I_x(a, b), a, b > 0, 0 <= x <= 1. */
double stats_beta(double a, double b, double x);

/* P(T <= t) of Student's t with @df > 0 degrees of freedom. */
double stats_t_cdf(double t, double df);

/* The t with P(T <= t) = @p, 0 < p < 1. */
double stats_t_quantile(double p, double df);

/**
 * stats_t_interval() - mean and its interval from Student's t
 *
 * mean +/- t(1 - (1 - level) / 2, n - 1) * sd / sqrt(n); the ends are NAN
 * below two values.
 */
struct interval stats_t_interval(const double *values, size_t n, double level);

/**
 * stats_enough() - may measuring stop, as far as one comparison goes?
 * @medians: log ratios of the placements so far, in any order
 * @n: how many
 * @level: of the comparison's interval, see stats_level()
 * @precision: half-width wanted, as a fraction: 0.02 is 2 %; above 0
 *
 * Ask after each placement, and stop when every comparison has enough.
 *
 * Return: true if half of stats_t_interval() is no wider than
 * (1 - STATS_ENOUGH_MARGIN / n) * ln(1 + @precision); never from so few that
 * nothing would be left of that, and never below STATS_PLACEMENTS_MIN.
 *
 * An interval that ends the measuring as soon as it is narrow enough is one of
 * those whose sd came out small, so it covers less often than it says: some .93
 * instead of .95 when it may end from six placements on. Where n grows with
 * the square of the sd, normal values lose about 2 t phi(t) / n; so whoever stops
 * at few must have been far from having to go on. With the margin the
 * interval covers .946 and more whatever is wanted, and at the levels of three
 * and nine comparisons misses about a tenth more often than it may: see "make
 * coverage". The price is 17 placements at least.
 */
bool stats_enough(const double *medians, size_t n, double level,
		  double precision);

/* Level of each of @m comparisons at once: 1 - 0.05 / m (Bonferroni). */
double stats_level(unsigned int m);

/**
 * stats_mde() - smallest effect that would have been seen with 90 % power
 * @log: interval of a log ratio
 *
 * STATS_MDE_HALF_WIDTHS half-widths, as a fraction: 0.02 is 2 %.
 */
double stats_mde(const struct interval *log);

/* Jain's index, (sum x)^2 / (n sum x^2): 1 all alike, 1/n one has all. */
double stats_jain(const double *values, size_t n);

/* Smallest over largest; NAN if there is no largest above zero. */
double stats_min_over_max(const double *values, size_t n);

/**
 * stats_hist_rank() - the bucket that holds a quantile
 * @buckets: how often each bucket was hit
 * @nr: how many buckets
 * @q: 0..1
 *
 * The bucket of the ceil(q * total)-th smallest value, at least the first.
 *
 * Return: its index, or @nr if all buckets are empty.
 */
size_t stats_hist_rank(const u64 *buckets, size_t nr, double q);

#endif /* SPINDELAY_STATS_H */
