// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans in threads of this process, on this machine. */
#include "unit.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../guest/plans.h"
#include "lib/backend.h"
#include "lib/names.h"
#include "lib/user_variant.h"

/* A busy machine spoils most windows: try again, so often. */
#define ATTEMPTS 200

static struct backend backend = { .ops = &backend_user };
static struct fixture f;
static u32 cpus[CPUS];

/* Two CPUs that this process may run on, or the second one is absent. */
static int setup(void **state)
{
	struct fault fault;
	cpu_set_t allowed;
	u32 nr = 0;

	(void)state;
	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (u32 cpu = 0; cpu < CPU_SETSIZE && nr < CPUS; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			cpus[nr++] = cpu;
	return nr < CPUS || backend.ops->open(&backend, &fault);
}

static int teardown(void **state)
{
	(void)state;
	backend.ops->close(&backend);
	return 0;
}

static void begin(void)
{
	good_plan(&f);
	memcpy(f.cpus, cpus, sizeof(cpus));
}

static int run_plan(void)
{
	return backend.ops->run(&backend, &f.plan);
}

static bool is_valid(u32 w)
{
	return !f.windows[w].invalid;
}

/* Windows in which nobody was disturbed, of one run. */
static unsigned int run_once(void)
{
	unsigned int valid = 0;

	assert_int_equal(run_plan(), 0);
	for (u32 w = 0; w < WINDOWS; w++)
		valid += is_valid(w);
	return valid;
}

static void run_until_valid(void)
{
	for (int i = 0; i < ATTEMPTS; i++)
		if (run_once())
			return;
	fail_msg("no valid window in %d runs; reasons of the last: %#x",
		 ATTEMPTS, f.windows[0].invalid | f.windows[1].invalid);
}

static bool fits(const struct lock_name *lock)
{
	return lock->id != SPIN_LOCK_raw_spinlock;
}

/* What the windows say of a lock, be they valid or not. */
static void check_counts(const struct lock_name *lock)
{
	for (u32 w = 0; w < WINDOWS; w++) {
		const struct spindelay_window *window = &f.windows[w];
		u64 sum = 0;

		for (u32 c = 0; c < CPUS; c++)
			sum += f.records[w][c].acquisitions;
		assert_int_equal(window->acquisitions, sum);
		if (lock->id == SPIN_LOCK_broken)
			assert_true(window->counted <= sum);
		else
			assert_int_equal(window->counted, sum);
		if (is_valid(w))
			assert_true(sum > 0);
	}
}

/* Some of MySQL's settings, or one that fits a lock that has others. */
static void use_lock(u32 v, u32 lock)
{
	f.variants[v].lock = lock;
	f.variants[v].spin_wait_delay = 6;
	f.variants[v].pause_multiplier = 2;
	f.variants[v].sync_spin_loops = 30;
	f.variants[v].read_share = 60;
	f.variants[v].backoff = good_backoffs[0];
}

static void try_variant(const struct lock_name *lock, u32 delay, u32 count,
			u32 pad)
{
	begin();
	for (u32 v = 0; v < 2; v++) {
		use_lock(v, lock->id);
		f.variants[v].delay = delay;
		f.variants[v].count = count;
		f.variants[v].pad = pad;
		f.variants[v].lines = 3;
		f.variants[v].jitter = 50;
		f.variants[v].think_ns = 100;
	}
	if (count == 1 && !pad)
		f.variants[1].flags = SPINDELAY_TWIN;
	assert_int_equal(run_plan(), 0);
	check_counts(lock);
}

static void every_lock_excludes_with_every_delay(void **state)
{
	const struct delay_name *delays;
	const struct lock_name *locks;
	size_t nr_locks, nr_delays;

	(void)state;
	locks = lock_names(&nr_locks);
	delays = delay_names(&nr_delays);
	for (size_t l = 0; l < nr_locks; l++) {
		for (size_t d = 0; fits(&locks[l]) && d < nr_delays; d++) {
			if (!backend.ops->can_execute(&backend, &delays[d]))
				continue;
			try_variant(&locks[l], delays[d].id, 1, 0);
			try_variant(&locks[l], delays[d].id, 2, 0);
			try_variant(&locks[l], delays[d].id, 2, 3);
		}
	}
}

static void valid_windows_count_and_last(void **state)
{
	const u32 ns = WINDOW_NS;

	(void)state;
	begin();
	run_until_valid();
	assert_true(f.plan.counter_hz > 1000000);
	assert_true(f.plan.chain_fs > 0);
	assert_true(f.plan.plan_ticks > 0);
	for (u32 w = 0; w < WINDOWS; w++) {
		const struct spindelay_window *window = &f.windows[w];
		const double lasted = window->ticks * 1e9 / f.plan.counter_hz;

		assert_int_equal(window->variant, f.schedule[w]);
		if (!is_valid(w))
			continue;
		/* By the bound: else it would not be valid. */
		assert_true(lasted > ns / 2 && lasted < ns + 1e6 + 1);
		/* Which of them got the lock is another question. */
		assert_true(window->acquisitions > 0);
		assert_true(f.records[w][0].samples + f.records[w][1].samples >
			    0);
	}
}

static void the_broken_lock_is_caught(void **state)
{
	(void)state;
	for (int i = 0; i < ATTEMPTS; i++) {
		begin();
		f.variants[0].lock = SPIN_LOCK_broken;
		f.variants[0].hold_ns = 0;
		f.variants[1] = f.variants[0];
		assert_int_equal(run_plan(), 0);
		for (u32 w = 0; w < WINDOWS; w++)
			if (f.windows[w].counted < f.windows[w].acquisitions)
				return;
	}
	fail_msg("%d windows without a lost count", ATTEMPTS * WINDOWS);
}

static void a_held_lock_is_polled_to_the_end(void **state)
{
	const struct lock_name *locks;
	u64 polls[2];
	size_t nr;

	(void)state;
	locks = lock_names(&nr);
	for (size_t l = 0; l < nr; l++) {
		if (!(locks[l].traits & SPIN_POLLS))
			continue;
		begin();
		use_lock(0, locks[l].id);
		f.variants[0].sync_spin_loops = UINT32_MAX;
		f.variants[0].flags = SPINDELAY_HELD;
		f.variants[1] = f.variants[0];
		run_until_valid();
		polls[0] = 0;
		polls[1] = 0;
		for (u32 w = 0; w < WINDOWS; w++) {
			assert_int_equal(f.windows[w].acquisitions, 0);
			if (!is_valid(w))
				continue;
			polls[0] += f.records[w][0].polls;
			polls[1] += f.records[w][1].polls;
		}
		/* One whose CPU the host gave to others for a whole window has none there. */
		assert_true(polls[0] > 0 && polls[1] > 0);
	}
}

/*
 * Of a CPU that sleeps after so many rounds: that it does after each of them,
 * but for those in which, or behind which, the window ended.
 */
static u64 parks_after(const struct spindelay_record *r, u64 rounds)
{
	assert_in_range(r->rounds, rounds * r->parks, rounds * (r->parks + 1));
	assert_in_range(r->yields, r->parks, r->parks + 1);
	return r->parks;
}

/* Nobody frees the lock: whoever sleeps for it is woken by the window's end. */
static void sleepers_for_a_held_lock_wake_at_the_end(void **state)
{
	static const u32 locks[] = { SPIN_LOCK_innodb_mutex,
				     SPIN_LOCK_innodb_rwlock };

	(void)state;
	for (size_t l = 0; l < ARRAY_SIZE(locks); l++) {
		u64 parks = 0;

		begin();
		use_lock(0, locks[l]);
		f.variants[0].flags = SPINDELAY_HELD;
		f.variants[0].sync_spin_loops = 3;
		f.variants[1] = f.variants[0];
		run_until_valid();
		for (u32 w = 0; w < WINDOWS; w++) {
			assert_int_equal(f.windows[w].acquisitions, 0);
			for (u32 c = 0; is_valid(w) && c < CPUS; c++)
				parks += parks_after(&f.records[w][c], 3);
		}
		assert_true(parks > 0);
	}
}

/* What is left at 0 is PostgreSQL's hundred; it naps then, and wakes early. */
static void postgres_looks_a_hundred_times_before_a_nap(void **state)
{
	u64 parks = 0;

	(void)state;
	begin();
	f.variants[0].lock = SPIN_LOCK_postgres_slock;
	f.variants[0].flags = SPINDELAY_HELD;
	f.variants[1] = f.variants[0];
	run_until_valid();
	for (u32 w = 0; w < WINDOWS; w++)
		for (u32 c = 0; is_valid(w) && c < CPUS; c++) {
			const struct spindelay_record *r = &f.records[w][c];

			/* The window may end among the last hundred. */
			assert_in_range(r->polls, 100 * r->parks,
					100 * (r->parks + 1));
			parks += r->parks;
		}
	assert_true(parks > 0);
}

/* Of those that were in a window in which nobody freed the lock, all counted. */
static u64 parks_of_preset(u32 preset)
{
	const struct spindelay_backoff *b = &good_backoffs[preset];
	u64 parks = 0;

	begin();
	f.plan.window_ns = SPINDELAY_WINDOW_NS_MAX;
	f.variants[0].lock = SPIN_LOCK_backoff;
	f.variants[0].backoff = *b;
	f.variants[0].flags = SPINDELAY_HELD;
	f.variants[1] = f.variants[0];
	run_until_valid();
	for (u32 w = 0; w < WINDOWS; w++)
		for (u32 c = 0; is_valid(w) && c < CPUS; c++) {
			const struct spindelay_record *r = &f.records[w][c];

			assert_int_equal(r->acquisitions, 0);
			if (r->parks && !b->growth)
				assert_int_equal(r->polls, b->looks);
			parks += r->parks;
		}
	return parks;
}

static void a_back_off_sleeps_as_its_numbers_say(void **state)
{
	(void)state;
	for (u32 i = 0; i < GOOD_BACKOFFS; i++) {
		if (good_backoffs[i].nap_us)
			assert_true(parks_of_preset(i) > 0);
		else
			assert_int_equal(parks_of_preset(i), 0);
	}
}

/* To be switched out is what a lock that sleeps is for. */
static void a_sleep_spoils_no_window(void **state)
{
	u64 parks = 0;

	(void)state;
	for (int i = 0; i < ATTEMPTS && !parks; i++) {
		begin();
		use_lock(0, SPIN_LOCK_innodb_mutex);
		f.variants[0].sync_spin_loops = 0;
		f.variants[0].hold_ns = 20000;
		f.variants[1] = f.variants[0];
		assert_int_equal(run_plan(), 0);
		for (u32 w = 0; w < WINDOWS; w++) {
			assert_false(f.windows[w].invalid &
				     SPINDELAY_INVALID_SWITCHED);
			assert_int_equal(f.windows[w].counted,
					 f.windows[w].acquisitions);
			parks += f.records[w][0].parks + f.records[w][1].parks;
		}
	}
	assert_true(parks > 0);
}

static void readers_count_for_themselves(void **state)
{
	(void)state;
	begin();
	use_lock(0, SPIN_LOCK_innodb_rwlock);
	f.variants[0].read_share = 100;
	f.variants[1] = f.variants[0];
	run_until_valid();
	for (u32 w = 0; w < WINDOWS; w++) {
		assert_int_equal(f.windows[w].counted,
				 f.windows[w].acquisitions);
		/* Readers exclude nobody: nobody has waited. */
		assert_int_equal(f.records[w][0].polls, 0);
	}
}

static void a_pace_executes_one_delay_each(void **state)
{
	(void)state;
	begin();
	f.variants[0].lock = SPIN_LOCK_pace;
	f.variants[1].lock = SPIN_LOCK_pace;
	run_until_valid();
	for (u32 w = 0; w < WINDOWS; w++)
		for (u32 c = 0; c < CPUS; c++)
			assert_int_equal(f.records[w][c].delays,
					 f.records[w][c].acquisitions *
						 f.variants[f.schedule[w]]
							 .count);
}

static void bursts_are_counted(void **state)
{
	const struct spindelay_record *r = &f.records[0][0];

	(void)state;
	begin();
	f.plan.nr_cpus = 1;
	for (u32 v = 0; v < 2; v++) {
		f.variants[v].flags = SPINDELAY_BURST;
		f.variants[v].burst = 7;
	}
	f.variants[1].flags |= SPINDELAY_BURST_DOUBLE;
	run_until_valid();
	for (u32 w = 0; w < WINDOWS; w++, r++) {
		const u32 v = f.schedule[w];

		if (!is_valid(w))
			continue;
		assert_true(r->acquisitions > 0 && r->burst_min > 0);
		assert_int_equal(r->delays, r->acquisitions * 7 * (16 << v) *
						    f.variants[v].count);
	}
}

static void a_burst_of_too_long_is_not_run(void **state)
{
	(void)state;
	begin();
	f.plan.nr_cpus = 1;
	f.variants[1].count = 100;
	f.variants[1].flags = SPINDELAY_BURST;
	f.variants[1].burst = SPINDELAY_BURST_MAX;
	assert_int_equal(run_plan(), 0);
	assert_true(f.windows[1].invalid & SPINDELAY_INVALID_BURST);
	assert_int_equal(f.windows[1].acquisitions, 0);
	assert_false(f.windows[0].invalid & SPINDELAY_INVALID_BURST);
}

/* By a clock that ticks so seldom that any poll takes longer. */
static void a_poll_of_too_long_is_refused(void **state)
{
	const struct user_machine slow = { .loops = user_loops(false),
					   .hz = 1000 };
	struct user_variant ready;
	u32 word = 0;

	(void)state;
	begin();
	f.plan.chain_fs = 1000;
	f.variants[1].count = SPINDELAY_COUNT_MAX;
	assert_int_equal(user_variant_prepare(&slow, &f.plan, &f.variants[1],
					      &word, &ready),
			 -E2BIG);
}

/* The turn that has begun is finished: hold, the longest think and a poll. */
static void a_long_turn_makes_no_window_late(void **state)
{
	const struct user_machine *here = backend.priv;
	const u32 asked = 10000000, due = asked + 1000000 + 2000000 * 1.5 + 200;
	struct user_variant ready;
	u32 word = 0;

	(void)state;
	begin();
	f.plan.chain_fs = 1000000;
	f.plan.window_ns = asked;
	f.variants[0].think_ns = 2000000;
	f.variants[0].jitter = 50;
	assert_int_equal(user_variant_prepare(here, &f.plan, &f.variants[0],
					      &word, &ready),
			 0);
	assert_false(user_window_is_late(here, &ready, asked,
					 user_ticks(here, due)));
	/* How long the poll takes is measured; no quarter of the window. */
	assert_true(user_window_is_late(here, &ready, asked,
					user_ticks(here,
						   due + asked / 4 + 1000)));
}

static void *be_busy(void *argument)
{
	const u32 *end = argument;

	while (!READ_ONCE(*end))
		spin_chain(1000);
	return NULL;
}

static bool any_invalid(u32 reason)
{
	for (u32 w = 0; w < WINDOWS; w++)
		if (f.windows[w].invalid & reason)
			return true;
	return false;
}

/* By somebody else who wants the same CPU for longer than a window. */
static void a_worker_that_is_switched_out_is_seen(void **state)
{
	pthread_attr_t attr;
	pthread_t other;
	bool seen = false;
	cpu_set_t cpu;
	u32 end = 0;

	(void)state;
	begin();
	f.plan.nr_cpus = 1;
	f.plan.window_ns = SPINDELAY_WINDOW_NS_MAX;
	CPU_ZERO(&cpu);
	CPU_SET(cpus[0], &cpu);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(cpu), &cpu);
	assert_int_equal(pthread_create(&other, &attr, be_busy, &end), 0);
	for (int i = 0; i < ATTEMPTS && !seen; i++) {
		assert_int_equal(run_plan(), 0);
		seen = any_invalid(SPINDELAY_INVALID_SWITCHED);
	}
	WRITE_ONCE(end, 1);
	pthread_join(other, NULL);
	pthread_attr_destroy(&attr);
	assert_true(seen);
}

/* Whoever started us may have blocked the signal that ends a window. */
static void a_blocked_signal_does_not_keep_a_window_open(void **state)
{
	sigset_t all, before, after;

	(void)state;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	begin();
	assert_int_equal(run_plan(), 0);
	pthread_sigmask(SIG_SETMASK, &before, &after);
	assert_true(sigismember(&after, SIGRTMIN));
}

static void expect(int answer, const char *what)
{
	static const struct spindelay_window none[WINDOWS];
	int got = run_plan();

	if (got != answer)
		fail_msg("%s: %d, not %d", what, got, answer);
	assert_memory_equal(f.windows, none, sizeof(none));
	assert_int_equal(f.plan.plan_ticks, 0);
}

static void bad_plans_are_refused_as_by_the_module(void **state)
{
	(void)state;
#define BAD_PLAN(what, answer, spoil) \
	begin();                      \
	spoil;                        \
	expect(answer, what);
	BAD_PLANS(BAD_PLAN)
}

static void what_is_not_here_is_refused(void **state)
{
	(void)state;
	begin();
	f.variants[1].delay = SPIN_DELAY_knob;
	expect(-EOPNOTSUPP, "the knob");
	begin();
	f.variants[1].lock = SPIN_LOCK_raw_spinlock;
	expect(-EOPNOTSUPP, "the kernel's lock");
}

static int check(u32 lock, u32 delay, struct fault *fault)
{
	const struct spindelay_variant v = { .lock = lock,
					     .delay = delay,
					     .count = 1 };

	fault->text[0] = '\0';
	return backend.ops->check(&backend, &v, fault);
}

static void refusals_say_why(void **state)
{
	struct fault fault;

	(void)state;
	assert_int_equal(check(SPIN_LOCK_ttas, SPIN_DELAY_nop, &fault), 0);
	assert_int_equal(check(SPIN_LOCK_ttas, SPIN_DELAY_knob, &fault), -1);
	assert_fault(&fault, STATUS_UNSUPPORTED, "knob", "--user");
	assert_int_equal(check(SPIN_LOCK_raw_spinlock, SPIN_DELAY_nop, &fault),
			 -1);
	assert_fault(&fault, STATUS_UNSUPPORTED, "raw-spinlock", "--user");
	if (backend.ops->note) {
		assert_int_equal(check(SPIN_LOCK_ttas, SPIN_DELAY_sb, &fault),
				 -1);
		assert_fault(&fault, STATUS_UNSUPPORTED, "sb", "arm64");
	}
}

static void the_caller_goes_where_it_was(void **state)
{
	cpu_set_t before, after;

	(void)state;
	sched_getaffinity(0, sizeof(before), &before);
	begin();
	assert_int_equal(run_plan(), 0);
	sched_getaffinity(0, sizeof(after), &after);
	assert_true(CPU_EQUAL(&before, &after));
}

static void histograms_are_optional(void **state)
{
	(void)state;
	begin();
	f.plan.hists = 0;
	assert_int_equal(run_plan(), 0);
}

/* Let this process have no futex any more. */
static void lose_futex(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { ARRAY_SIZE(code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		_exit(100);
}

/* In a process of its own: 0 if all is as it should be, else the line. */
static int try_without_futex(void)
{
	struct spindelay_variant sleeps = { .lock = SPIN_LOCK_innodb_mutex,
					    .count = 1,
					    .pause_multiplier = 1 };
	const struct spindelay_variant polls = { .lock = SPIN_LOCK_ttas };
	struct fault fault = { 0 };

	lose_futex();
	if (backend.ops->open(&backend, &fault))
		return __LINE__;
	if (backend.ops->check(&backend, &polls, &fault))
		return __LINE__;
	if (!backend.ops->check(&backend, &sleeps, &fault) ||
	    fault.status != STATUS_UNSUPPORTED || !strstr(fault.text, "futex"))
		return __LINE__;
	begin();
	f.variants[1] = sleeps;
	return run_plan() == -EOPNOTSUPP ? 0 : __LINE__;
}

static void sleep_without_futex_is_refused(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (!pid) {
		status = try_without_futex();
		if (status)
			fprintf(stderr, "line %d\n", status);
		_exit(!!status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_lock_excludes_with_every_delay),
		cmocka_unit_test(valid_windows_count_and_last),
		cmocka_unit_test(the_broken_lock_is_caught),
		cmocka_unit_test(a_held_lock_is_polled_to_the_end),
		cmocka_unit_test(sleepers_for_a_held_lock_wake_at_the_end),
		cmocka_unit_test(postgres_looks_a_hundred_times_before_a_nap),
		cmocka_unit_test(a_back_off_sleeps_as_its_numbers_say),
		cmocka_unit_test(a_sleep_spoils_no_window),
		cmocka_unit_test(readers_count_for_themselves),
		cmocka_unit_test(a_pace_executes_one_delay_each),
		cmocka_unit_test(bursts_are_counted),
		cmocka_unit_test(a_burst_of_too_long_is_not_run),
		cmocka_unit_test(a_poll_of_too_long_is_refused),
		cmocka_unit_test(a_long_turn_makes_no_window_late),
		cmocka_unit_test(a_worker_that_is_switched_out_is_seen),
		cmocka_unit_test(a_blocked_signal_does_not_keep_a_window_open),
		cmocka_unit_test(bad_plans_are_refused_as_by_the_module),
		cmocka_unit_test(what_is_not_here_is_refused),
		cmocka_unit_test(refusals_say_why),
		cmocka_unit_test(sleep_without_futex_is_refused),
		cmocka_unit_test(the_caller_goes_where_it_was),
		cmocka_unit_test(histograms_are_optional),
	};

	return cmocka_run_group_tests_name("backend_user", tests, setup,
					   teardown);
}
