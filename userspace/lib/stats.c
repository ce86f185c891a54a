// SPDX-License-Identifier: GPL-2.0-or-later
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stats.h"

struct interval interval_none(double level)
{
	return (struct interval){ NAN, NAN, NAN, level };
}

bool interval_known(const struct interval *interval)
{
	return !isnan(interval->low) && !isnan(interval->high);
}

struct interval interval_exp(struct interval log)
{
	return (struct interval){ exp(log.estimate), exp(log.low),
				  exp(log.high), log.level };
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double *sorted_copy(const double *values, size_t n)
{
	double *copy = malloc(n * sizeof(*copy) + 1);

	if (!copy)
		return NULL;
	if (n)
		memcpy(copy, values, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), compare_doubles);
	return copy;
}

static double middle(const double *sorted, size_t n)
{
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double stats_median(const double *values, size_t n)
{
	double *sorted, median;

	if (!n)
		return NAN;
	sorted = sorted_copy(values, n);
	if (!sorted)
		return NAN;
	median = middle(sorted, n);
	free(sorted);
	return median;
}

double stats_mean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return n ? sum / n : NAN;
}

double stats_sd(const double *values, size_t n)
{
	double mean = stats_mean(values, n);
	double sum = 0;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sqrt(sum / (n - 1));
}

double stats_lag1(const double *values, size_t n)
{
	double mean = stats_mean(values, n);
	double own = 0, neighbours = 0;

	if (n < 3)
		return 0;
	for (size_t i = 0; i < n; i++) {
		own += (values[i] - mean) * (values[i] - mean);
		if (i + 1 < n)
			neighbours +=
				(values[i] - mean) * (values[i + 1] - mean);
	}
	return own > 0 ? neighbours / own : 0;
}

void stats_batch(const double *values, size_t n, size_t batches, double *out)
{
	size_t begin = 0, end;

	for (size_t i = 0; i < batches; i++, begin = end) {
		end = (i + 1) * n / batches;
		out[i] = stats_median(values + begin, end - begin);
	}
}

size_t stats_sign_rank(size_t n, double level)
{
	double tail = (1 - level) / 2;
	double log_half = n * log(0.5);
	double cumulative = 0;
	size_t k;

	for (k = 0; k < n / 2; k++) {
		cumulative += exp(lgamma(n + 1.0) - lgamma(k + 1.0) -
				  lgamma(n - k + 1.0) + log_half);
		if (cumulative > tail)
			break;
	}
	return k;
}

struct interval stats_sign_interval(const double *values, size_t n,
				    double level)
{
	struct interval interval = interval_none(level);
	size_t rank = stats_sign_rank(n, level);
	double *sorted;

	if (!n)
		return interval;
	sorted = sorted_copy(values, n);
	if (!sorted)
		return interval;
	interval.estimate = middle(sorted, n);
	if (rank) {
		interval.low = sorted[rank - 1];
		interval.high = sorted[n - rank];
	}
	free(sorted);
	return interval;
}

/* The fewest values that have a sign interval. */
static size_t fewest_values(double level)
{
	size_t n = 2;

	while (!stats_sign_rank(n, level))
		n++;
	return n;
}

struct interval stats_placement(const double *values, size_t n, double level)
{
	size_t batches = fewest_values(level);
	struct interval interval;
	double *medians;

	if (n <= batches || stats_lag1(values, n) <= 1 / sqrt(n))
		return stats_sign_interval(values, n, level);
	medians = malloc(batches * sizeof(*medians));
	if (!medians)
		return interval_none(level);
	stats_batch(values, n, batches, medians);
	interval = stats_sign_interval(medians, batches, level);
	/* Of all: it lies between the smallest and the largest of them. */
	interval.estimate = stats_median(values, n);
	free(medians);
	return interval;
}

#define BETA_STEPS_MAX 500

static double away_from_zero(double x)
{
	return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

/*
 * Continued fraction of the incomplete beta function (Abramowitz and Stegun,
 * 26.5.8), by Lentz's method.
 */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d, value, term, step;

	d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
	value = d;
	for (int m = 1; m <= BETA_STEPS_MAX; m++) {
		term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 / away_from_zero(1 + term * d);
		c = away_from_zero(1 + term / c);
		value *= d * c;
		term = -(a + m) * (a + b + m) * x /
		       ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / away_from_zero(1 + term * d);
		c = away_from_zero(1 + term / c);
		step = d * c;
		value *= step;
		if (fabs(step - 1) < DBL_EPSILON)
			break;
	}
	return value;
}

double stats_beta(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log1p(-x));
	/* The fraction converges fast on this side only (26.5.2). */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* P(T > |t|): Abramowitz and Stegun, 26.7.1 with 26.5.27. */
static double t_tail(double t, double df)
{
	return stats_beta(df / 2, 0.5, df / (df + t * t)) / 2;
}

double stats_t_cdf(double t, double df)
{
	return t > 0 ? 1 - t_tail(t, df) : t_tail(t, df);
}

/* The t > 0 whose upper tail is @tail, 0 < tail < 0.5, by bisection. */
static double t_of_tail(double tail, double df)
{
	double low = 0, high = 1, t;

	while (t_tail(high, df) > tail && high < 1e150)
		high *= 2;
	for (;;) {
		t = (low + high) / 2;
		if (t <= low || t >= high)
			return t;
		if (t_tail(t, df) > tail)
			low = t;
		else
			high = t;
	}
}

double stats_t_quantile(double p, double df)
{
	if (!(p > 0 && p < 1 && df > 0))
		return NAN;
	if (p == 0.5)
		return 0;
	return p > 0.5 ? t_of_tail(1 - p, df) : -t_of_tail(p, df);
}

struct interval stats_t_interval(const double *values, size_t n, double level)
{
	struct interval interval = interval_none(level);
	double half;

	interval.estimate = stats_mean(values, n);
	if (n < 2)
		return interval;
	half = stats_t_quantile(1 - (1 - level) / 2, n - 1) *
	       stats_sd(values, n) / sqrt(n);
	interval.low = interval.estimate - half;
	interval.high = interval.estimate + half;
	return interval;
}

bool stats_enough(const double *medians, size_t n, double level,
		  double precision)
{
	double wanted =
		log1p(precision) * (1 - STATS_ENOUGH_MARGIN / (double)n);
	double error;

	if (n < STATS_PLACEMENTS_MIN || !(wanted > 0))
		return false;
	/* t * error <= wanted, without looking for the t. */
	error = stats_sd(medians, n) / sqrt(n);
	return t_tail(wanted / error, n - 1) <= (1 - level) / 2;
}

double stats_level(unsigned int m)
{
	return 1 - 0.05 / (m ? m : 1);
}

double stats_mde(const struct interval *log)
{
	return expm1(STATS_MDE_HALF_WIDTHS * (log->high - log->low) / 2);
}

double stats_jain(const double *values, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += values[i];
		squares += values[i] * values[i];
	}
	return squares > 0 ? sum * sum / (n * squares) : NAN;
}

double stats_min_over_max(const double *values, size_t n)
{
	double min = INFINITY, max = 0;

	for (size_t i = 0; i < n; i++) {
		min = fmin(min, values[i]);
		max = fmax(max, values[i]);
	}
	return max > 0 ? min / max : NAN;
}

size_t stats_hist_rank(const u64 *buckets, size_t nr, double q)
{
	u64 total = 0, seen = 0;
	double rank;
	size_t i;

	for (i = 0; i < nr; i++)
		total += buckets[i];
	if (!total)
		return nr;
	rank = fmax(1, ceil(q * total));
	for (i = 0; i < nr; i++) {
		seen += buckets[i];
		if (seen >= rank)
			break;
	}
	return i;
}
