// SPDX-License-Identifier: GPL-2.0-or-later
/* The protocol of the pull request: work, times, logs, and what is made of them. */
#include "unit.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fake_document.h"
#include "lib/findings.h"
#include "lib/replay.h"
#include "lib/replay_log.h"
#include "lib/results.h"
#include "scratch.h"

/* Of the fake: 2 CPUs at 0.001 a tick of 1 ns. */
#define RATE 2e6
#define WINDOW_ACQUISITIONS 4000

static struct fake fake;
static struct backend backend = { .ops = &fake_backend, .priv = &fake };
static struct measure measure;
static struct document *doc;
static struct fault fault;

static const struct spindelay_variant pair[2] = {
	{ .lock = SPIN_LOCK_ttas, .delay = SPIN_DELAY_sb, .count = 1 },
	{ .lock = SPIN_LOCK_ttas, .delay = SPIN_DELAY_isb, .count = 1 },
};

static const u32 cpus[] = { 0, 1 };

static int setup(void **state)
{
	(void)state;
	fake_init(&fake, 5);
	memset(&fault, 0, sizeof(fault));
	measure = (struct measure){ .backend = &backend,
				    .sample_shift = 4,
				    .node = -1,
				    .deadline = UINT64_MAX };
	rng_seed(&measure.rng, 3);
	doc = document_new("replay");
	strcpy(doc->machine.hypervisor.name, "none");
	doc->machine.nr_nodes = 1;
	doc->machine.online = (struct cpulist){ 2, { 0, 1 } };
	doc->placements = 6;
	doc->rounds = 12;
	doc->window_ns = 2000000;
	doc->replay.work = 500;
	doc->replay.unit = 2000;
	doc->replay.asked = 3;
	strcpy(doc->replay.name, "test");
	assert_non_null(document_add_set(doc, pair, 2, cpus, 2));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	document_free(doc);
	scratch_remove();
	return 0;
}

#define assert_near(value, expected, by) \
	assert_true(fabs((value) - (expected)) <= (by))

/* The set of a variant's repetitions; it is the last one. */
static struct set *add_repetitions(unsigned int variant)
{
	struct set *set = document_add_set(doc, &pair[variant], 1, cpus, 2);

	assert_non_null(set);
	set->role = SET_REPETITIONS;
	return set;
}

static void repeat(struct set *set, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++)
		assert_int_equal(replay_repeat(&measure, doc, set, &fault), 0);
}

static void measure_all_of_it(void)
{
	for (unsigned int v = 0; v < 2; v++) {
		fake.rate[0] = v ? 0.001 : 0.00125;
		repeat(add_repetitions(v), doc->replay.asked);
	}
	fake.rate[0] = 0.00125;
	assert_int_equal(measure_all(&measure, doc, &fault), 0);
}

static void make(void)
{
	document_forget_findings(doc);
	assert_int_equal(findings_make(doc), 0);
}

/* ---- a repetition ---- */

static void a_repetition_takes_the_time_of_its_work(void **state)
{
	struct repetition times;

	(void)state;
	repeat(add_repetitions(1), 1);
	times = replay_times(doc, 1, 0);
	assert_near(times.real, 500 * 2000 / RATE, 1e-12);
	assert_near(times.user, 0, 0);
	assert_near(times.sys, 2 * times.real, 1e-12);
	assert_int_equal(doc->sets[1].windows[0].summed,
			 500 * 2000 / WINDOW_ACQUISITIONS);
}

static void the_last_window_counts_in_part(void **state)
{
	(void)state;
	doc->replay.work = 1;
	doc->replay.unit = WINDOW_ACQUISITIONS * 40 + 1000;
	repeat(add_repetitions(1), 1);
	assert_int_equal(doc->sets[1].windows[0].summed, 41);
	assert_near(replay_times(doc, 1, 0).real, doc->replay.unit / RATE,
		    1e-12);
}

static void a_slower_variant_does_the_same_work(void **state)
{
	(void)state;
	fake.rate[0] = 0.0005;
	repeat(add_repetitions(1), 1);
	assert_near(replay_times(doc, 1, 0).real, 2 * 500 * 2000 / RATE, 1e-12);
}

static void invalid_windows_are_left_out_and_counted(void **state)
{
	const struct window *w;

	(void)state;
	fake.invalid_every = 3;
	repeat(add_repetitions(1), 1);
	w = &doc->sets[1].windows[0];
	assert_int_equal(w->summed, 250);
	assert_in_range(w->left_out, 120, 130);
	assert_near(replay_times(doc, 1, 0).real, 0.5, 1e-12);
}

static void a_window_of_a_repetition_is_a_sum(void **state)
{
	const struct window *w;
	u64 waits = 0;

	(void)state;
	repeat(add_repetitions(1), 1);
	w = &doc->sets[1].windows[0];
	assert_int_equal(w->abi.ticks, 250 * 2000000);
	assert_int_equal(w->abi.acquisitions, 1000000);
	assert_int_equal(w->abi.counted, 1000000);
	assert_int_equal(w->records[1].acquisitions, 500000);
	for (unsigned int b = 0; b < SPINDELAY_HIST_BUCKETS; b++)
		waits += w->hist[b];
	assert_int_equal(waits, w->records[0].samples + w->records[1].samples);
}

static void each_is_in_a_place_of_its_own(void **state)
{
	const struct placement *place;
	bool moved = false;

	(void)state;
	repeat(add_repetitions(1), 6);
	place = doc->sets[1].placements;
	assert_int_equal(doc->sets[1].nr_placements, 6);
	for (unsigned int i = 1; i < 6; i++) {
		moved |= place[i].page != place[0].page ||
			 place[i].slot != place[0].slot;
		assert_int_equal(doc->sets[1].windows[i].placement, i);
	}
	assert_true(moved);
}

static void warming_up_leaves_nothing(void **state)
{
	(void)state;
	add_repetitions(1);
	assert_int_equal(replay_warm_up(&measure, doc, &doc->sets[1], &fault),
			 0);
	assert_int_equal(doc->sets[1].nr_windows, 0);
	assert_int_equal(doc->sets[1].nr_placements, 0);
	assert_true(fake.windows >= 250);
}

static void a_machine_that_is_too_busy_is_given_up(void **state)
{
	(void)state;
	fake.invalid_every = 1;
	assert_int_equal(replay_repeat(&measure, doc, add_repetitions(1),
				       &fault),
			 -1);
	assert_fault(&fault, STATUS_NOISY, "ttas/isb", "invalid");
	assert_int_equal(doc->sets[1].nr_placements, 0);
}

static void work_that_is_never_done_is_given_up(void **state)
{
	(void)state;
	fake.idle_lock = SPIN_LOCK_ttas;
	assert_int_equal(replay_repeat(&measure, doc, add_repetitions(1),
				       &fault),
			 -1);
	assert_fault(&fault, STATUS_ERROR, "ttas/isb", "nobody got the lock");
}

static void what_the_engine_refuses_is_said(void **state)
{
	(void)state;
	fake.fail = -19;
	assert_int_equal(replay_repeat(&measure, doc, add_repetitions(1),
				       &fault),
			 -1);
	assert_fault(&fault, STATUS_ERROR, "went offline");
	assert_int_equal(doc->sets[1].nr_windows, 0);
}

/* ---- how much work ---- */

static void a_unit_makes_the_baseline_take_a_second(void **state)
{
	(void)state;
	doc->replay.unit = 0;
	assert_int_equal(replay_calibrate(&measure, doc, &doc->sets[0], 1,
					  &fault),
			 0);
	assert_int_equal(doc->replay.unit, RATE / 500);
}

static void a_unit_that_was_said_stays(void **state)
{
	(void)state;
	assert_int_equal(replay_calibrate(&measure, doc, &doc->sets[0], 1,
					  &fault),
			 0);
	assert_int_equal(doc->replay.unit, 2000);
}

static void work_out_of_all_proportion_is_refused(void **state)
{
	static const u32 units[] = { 1, 190, REPLAY_UNIT_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		doc->replay.unit = units[i];
		assert_int_equal(replay_calibrate(&measure, doc, &doc->sets[0],
						  1, &fault),
				 -1);
		assert_fault(&fault, STATUS_USAGE, "0.05 to 600",
			     "a unit of about 4000");
	}
}

/* ---- logs ---- */

static const char *path_in(const char *folder, const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void a_line_is_that_of_the_script(void **state)
{
	const struct repetition times = { .real = 32.4449,
					  .user = 0.004,
					  .sys = 64.885 };
	char line[REPLAY_LOG_LINE_MAX];

	(void)state;
	assert_string_equal(replay_log_line(&times, line),
			    "32.44 real,\t0.00 user,\t64.89 sys\n");
}

static void logs_are_named_for_what_differs(void **state)
{
	static const struct {
		struct spindelay_variant v[2];
		const char *paths[2];
	} cases[] = {
		{ { { .delay = SPIN_DELAY_sb, .count = 1 },
		    { .delay = SPIN_DELAY_isb, .count = 4, .pad = 7 } },
		  { "n.sb.log", "n.isb*4+chain*7.log" } },
		{ { { .lock = SPIN_LOCK_ttas,
		      .delay = SPIN_DELAY_isb,
		      .count = 1 },
		    { .lock = SPIN_LOCK_ticket,
		      .delay = SPIN_DELAY_isb,
		      .count = 1 } },
		  { "n.ttas-isb.log", "n.ticket-isb.log" } },
		{ { { .delay = SPIN_DELAY_isb, .count = 1 },
		    { .delay = SPIN_DELAY_isb,
		      .count = 1,
		      .flags = SPINDELAY_TWIN } },
		  { "n.isb.log", "n.isb-twin.log" } },
	};
	char path[REPLAY_LOG_PATH_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (unsigned int v = 0; v < 2; v++)
			assert_string_equal(replay_log_path("n", cases[i].v, 2,
							    v, path),
					    cases[i].paths[v]);
}

static int check_logs(const char *folder, unsigned int nr, bool force)
{
	const struct spindelay_variant v[] = { pair[0], pair[1], pair[1] };

	return replay_log_check(path_in(folder, "r"), v, nr, force, &fault);
}

static void logs_that_are_there_are_refused(void **state)
{
	const char *folder = scratch_make();

	(void)state;
	assert_int_equal(check_logs(folder, 2, false), 0);
	assert_true(scratch_is_empty());
	scratch_write("/r.isb.log", "old\n");
	assert_int_equal(check_logs(folder, 2, false), -1);
	assert_fault(&fault, STATUS_ERROR, "r.isb.log", "--force", "--name");
	assert_int_equal(check_logs(folder, 2, true), 0);
	assert_int_equal(replay_log_open(path_in(folder, "r.isb.log"), false,
					 &fault),
			 -1);
	assert_fault(&fault, STATUS_ERROR, "r.isb.log", "--force");
}

static void one_log_for_two_variants_is_refused(void **state)
{
	(void)state;
	assert_int_equal(check_logs(scratch_make(), 3, true), -1);
	assert_fault(&fault, STATUS_USAGE, "r.isb.log", "two variants");
}

static void a_log_that_cannot_be_written_is_refused(void **state)
{
	(void)state;
	assert_int_equal(replay_log_check("/nowhere/r", pair, 2, false, &fault),
			 -1);
	assert_fault(&fault, STATUS_ERROR, "/nowhere/r.sb.log", "No such file");
	assert_int_equal(replay_log_open("/nowhere/r.sb.log", true, &fault),
			 -1);
	assert_fault(&fault, STATUS_ERROR, "/nowhere/r.sb.log");
}

/* What the file holds, up to @size. */
static void read_back(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

static void a_log_is_replaced_and_appended_to(void **state)
{
	const struct repetition times = { .real = 1, .sys = 2 };
	const char *path = path_in(scratch_make(), "r.isb.log");
	char text[256];
	int fd;

	(void)state;
	scratch_write("/r.isb.log", "old\n");
	fd = replay_log_open(path, true, &fault);
	assert_true(fd >= 0);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(replay_log_add(fd, path, &times, &fault), 0);
	/* Before it is closed. */
	read_back(path, text, sizeof(text));
	assert_string_equal(text, "1.00 real,\t0.00 user,\t2.00 sys\n"
				  "1.00 real,\t0.00 user,\t2.00 sys\n");
	close(fd);
}

static void a_full_disk_is_said(void **state)
{
	const struct repetition times = { .real = 1 };
	int fd = open("/dev/full", O_WRONLY);

	(void)state;
	assert_int_equal(replay_log_add(fd, "x.log", &times, &fault), -1);
	assert_fault(&fault, STATUS_ERROR, "x.log", "No space left");
	close(fd);
}

/* The limit of a file's size stands in for a disk that ends inside a line. */
static void a_line_that_does_not_fit_is_not_begun(void **state)
{
	const struct rlimit few = { 50, RLIM_INFINITY };
	const struct repetition times = { .real = 1 };
	const char *path = path_in(scratch_make(), "r.isb.log");
	struct rlimit before;
	char text[256];
	int fd, err;

	(void)state;
	fd = replay_log_open(path, false, &fault);
	assert_true(fd >= 0);
	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &few);
	err = replay_log_add(fd, path, &times, &fault);
	err += 10 * replay_log_add(fd, path, &times, &fault);
	setrlimit(RLIMIT_FSIZE, &before);
	close(fd);
	assert_int_equal(err, -10);
	assert_fault(&fault, STATUS_ERROR, "r.isb.log");
	read_back(path, text, sizeof(text));
	assert_string_equal(text, "1.00 real,\t0.00 user,\t0.00 sys\n");
}

/* ---- what it comes to ---- */

/* The script's line over a log of the repetitions of set @s. */
static void awk(unsigned int s, unsigned int column, char *text, size_t size)
{
	const char *path = path_in(scratch_make(), "a.log");
	char command[PATH_MAX + 128];
	int fd = replay_log_open(path, false, &fault);
	FILE *pipe;

	for (unsigned int i = 0; i < doc->replay.nr_repetitions; i++)
		if (doc->replay.repetitions[i].set == s)
			replay_log_add(fd, path, &doc->replay.repetitions[i],
				       &fault);
	close(fd);
	snprintf(command, sizeof(command),
		 "awk '{ sum += $%u } END { print sum / NR }' %s", column,
		 path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_non_null(fgets(text, size, pipe));
	pclose(pipe);
	text[strcspn(text, "\n")] = '\0';
	scratch_remove();
}

static void check_awk(unsigned int set, unsigned int column, double mean)
{
	char text[64], printed[64];

	awk(set, column, text, sizeof(text));
	snprintf(printed, sizeof(printed), REPLAY_AWK, mean);
	assert_string_equal(printed, text);
}

static void means_are_those_of_awk(void **state)
{
	(void)state;
	fake.noise = 0.05;
	fake.placement_noise = 0.1;
	doc->replay.asked = 50;
	for (unsigned int v = 0; v < 2; v++)
		repeat(add_repetitions(v), 50);
	make();
	for (unsigned int s = 1; s <= 2; s++) {
		const struct replay_mean mean = replay_mean(doc, s);

		check_awk(s, 1, mean.real);
		check_awk(s, 3, mean.user);
		check_awk(s, 5, mean.sys);
	}
}

static void a_log_has_a_mean_and_a_spread(void **state)
{
	struct replay_mean mean;

	(void)state;
	add_repetitions(1);
	for (unsigned int i = 0; i < 3; i++) {
		fake.rate[0] = 0.001 / (i + 1);
		repeat(&doc->sets[1], 1);
	}
	make();
	mean = replay_mean(doc, 1);
	assert_int_equal(mean.repetitions, 3);
	assert_near(mean.real, 1, 1e-9);
	assert_near(mean.sd, 0.5, 1e-9);
	assert_near(mean.least, 0.5, 1e-9);
	assert_near(mean.most, 1.5, 1e-9);
}

static void print(char **text, size_t *size)
{
	FILE *stream = open_memstream(text, size);

	findings_print(doc, stream);
	fclose(stream);
}

static void both_means_and_the_pairs_are_printed(void **state)
{
	char *text;
	size_t size;

	(void)state;
	measure_all_of_it();
	make();
	print(&text, &size);
	assert_non_null(strstr(text, "500 x 2000 = 1000000 acquisitions"));
	assert_non_null(strstr(text,
			       "test.sb.log       3      0.4     0  0.8"));
	assert_non_null(strstr(text,
			       "test.isb.log      3      0.5     0    1"));
	assert_non_null(strstr(text, "ttas/sb takes -20.0 % time"));
	assert_non_null(strstr(text, "25.0 % more"));
	free(text);
}

static void repetitions_are_not_compared(void **state)
{
	(void)state;
	measure_all_of_it();
	make();
	assert_int_equal(doc->nr_comparisons, 1);
	assert_int_equal(doc->comparisons[0].set, 0);
	assert_near(doc->comparisons[0].ratio.estimate, 1.25, 0.001);
	assert_int_equal(doc->sets[0].nr_placements, 6);
	assert_int_equal(document_placements(doc), 6);
	assert_int_equal(findings_status(doc), STATUS_OK);
}

static void a_lock_that_lets_two_in_is_an_error(void **state)
{
	(void)state;
	fake.lose[0] = 1;
	repeat(add_repetitions(0), 3);
	fake.lose[0] = 0;
	repeat(add_repetitions(1), 3);
	measure_all(&measure, doc, &fault);
	make();
	assert_int_equal(findings_status(doc), STATUS_ERROR);
}

/* To a file and back, made anew, nothing may have changed. */
static void check_file(void)
{
	const char *path = path_in(scratch_make(), "r.json");
	struct document *again;
	char changed[768];
	FILE *stream = fopen(path, "w");

	assert_non_null(stream);
	assert_int_equal(results_write(doc, stream), 0);
	fclose(stream);
	again = results_load(path, changed, sizeof(changed), &fault);
	if (!again)
		fail_msg("%s", fault.text);
	assert_string_equal(changed, "");
	assert_int_equal(again->replay.nr_repetitions,
			 doc->replay.nr_repetitions);
	assert_string_equal(again->replay.name, doc->replay.name);
	assert_int_equal(again->replay.warmup, doc->replay.warmup);
	assert_int_equal(findings_status(again), findings_status(doc));
	document_free(again);
	scratch_remove();
}

static void a_file_says_the_same(void **state)
{
	(void)state;
	fake.noise = 0.05;
	fake.invalid_every = 7;
	doc->replay.warmup = 4;
	doc->replay.sleep = 0.25;
	measure_all_of_it();
	make();
	check_file();
}

static void times_are_made_anew_of_the_windows(void **state)
{
	const char *path = path_in(scratch_make(), "r.json");
	char changed[768];
	struct document *again;
	FILE *stream = fopen(path, "w");

	(void)state;
	measure_all_of_it();
	make();
	doc->replay.repetitions[1].real = 9;
	assert_non_null(stream);
	assert_int_equal(results_write(doc, stream), 0);
	fclose(stream);
	again = results_load(path, changed, sizeof(changed), &fault);
	if (!again)
		fail_msg("%s", fault.text);
	assert_non_null(strstr(changed, "real_s"));
	document_forget_windows(again);
	assert_near(replay_mean(again, 1).real, 0.4, 1e-9);
	document_free(again);
}

static void what_was_broken_off_is_whole(void **state)
{
	(void)state;
	add_repetitions(0);
	repeat(&doc->sets[1], 2);
	make();
	assert_int_equal(findings_status(doc), STATUS_NOISY);
	check_file();
}

static void what_is_no_replay_is_refused(void **state)
{
	char why[256];

	(void)state;
	measure_all_of_it();
	assert_int_equal(findings_check(doc, why, sizeof(why)), 0);
	doc->replay.unit = 0;
	assert_int_equal(findings_check(doc, why, sizeof(why)), -1);
	doc->replay.unit = 2000;
	doc->sets[1].windows[1].abi.acquisitions = 0;
	assert_int_equal(findings_check(doc, why, sizeof(why)), -1);
	doc->sets[1].windows[1].abi.acquisitions = 1;
	doc->sets[1].variants[0].count = 2;
	assert_int_equal(findings_check(doc, why, sizeof(why)), -1);
	doc->sets[1].variants[0].count = 1;
	doc->sets[1].role = SET_CONFIRM;
	assert_int_equal(findings_check(doc, why, sizeof(why)), -1);
	doc->sets[1].role = SET_REPETITIONS;
	assert_int_equal(findings_check(doc, why, sizeof(why)), 0);
	/* One more than there are variants. */
	repeat(add_repetitions(1), 1);
	assert_int_equal(findings_check(doc, why, sizeof(why)), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_repetition_takes_the_time_of_its_work),
		TEST(the_last_window_counts_in_part),
		TEST(a_slower_variant_does_the_same_work),
		TEST(invalid_windows_are_left_out_and_counted),
		TEST(a_window_of_a_repetition_is_a_sum),
		TEST(each_is_in_a_place_of_its_own),
		TEST(warming_up_leaves_nothing),
		TEST(a_machine_that_is_too_busy_is_given_up),
		TEST(work_that_is_never_done_is_given_up),
		TEST(what_the_engine_refuses_is_said),
		TEST(a_unit_makes_the_baseline_take_a_second),
		TEST(a_unit_that_was_said_stays),
		TEST(work_out_of_all_proportion_is_refused),
		TEST(a_line_is_that_of_the_script),
		TEST(logs_are_named_for_what_differs),
		TEST(logs_that_are_there_are_refused),
		TEST(one_log_for_two_variants_is_refused),
		TEST(a_log_that_cannot_be_written_is_refused),
		TEST(a_log_is_replaced_and_appended_to),
		TEST(a_full_disk_is_said),
		TEST(a_line_that_does_not_fit_is_not_begun),
		TEST(means_are_those_of_awk),
		TEST(a_log_has_a_mean_and_a_spread),
		TEST(both_means_and_the_pairs_are_printed),
		TEST(repetitions_are_not_compared),
		TEST(a_lock_that_lets_two_in_is_an_error),
		TEST(a_file_says_the_same),
		TEST(times_are_made_anew_of_the_windows),
		TEST(what_was_broken_off_is_whole),
		TEST(what_is_no_replay_is_refused),
	};

	return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
