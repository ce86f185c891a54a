// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans in threads of the tool: without the module, without privilege. */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "lib/backend.h"
#include "lib/machine.h"
#include "lib/module.h"
#include "lib/park.h"
#include "lib/plan_check.h"
#include "lib/progress.h"
#include "lib/user_run.h"

/* A clock whose rate nobody tells is held against another for so long. */
#define CLOCK_COMPARE_NS 20000000

#ifdef __aarch64__
#define IS_ARM64 true
#define NOTE NULL
#else
#define IS_ARM64 false
#define NOTE                                                                \
	"this machine is not an arm64 one: yield is the PAUSE of x86, the " \
	"atomics are the compiler's, and nothing here answers for Arm"
#endif

static u64 compare_clocks(void)
{
	const struct timespec a_while = { .tv_nsec = CLOCK_COMPARE_NS };
	u64 ns = now_ns(), ticks = spin_clock();

	nanosleep(&a_while, NULL);
	ticks = spin_clock() - ticks;
	ns = now_ns() - ns;
	return ticks * 1e9 / ns;
}

static void look_at(struct user_machine *here, const struct machine *machine)
{
	u64 hz = machine->counter_hz ?: compare_clocks();

	here->loops = user_loops(machine->has_lse);
	here->has_sb = machine->has_sb;
	here->has_wfxt = machine->has_wfxt;
	here->can_park = park_is_possible();
	here->hz = hz <= UINT32_MAX ? hz : 0;
}

static int user_open(struct backend *backend, struct fault *fault)
{
	struct user_machine *here = calloc(1, sizeof(*here));
	struct machine *machine = calloc(1, sizeof(*machine));
	struct machine_source source;

	if (here && machine) {
		machine_source_live(&source);
		machine_read(&source, machine);
		look_at(here, machine);
	}
	free(machine);
	backend->priv = here;
	if (here && here->hz)
		return 0;
	free(here);
	return here ? fault_set(
			      fault, STATUS_UNSUPPORTED,
			      "this machine's clock is too fast: more than %u ticks a second",
			      UINT32_MAX) :
		      fault_set(fault, STATUS_ERROR, "out of memory");
}

static bool can_execute(const struct user_machine *here,
			const struct delay_name *delay)
{
	switch (delay->need) {
	case SPIN_NEED_NONE:
		return true;
	case SPIN_NEED_ARM64:
		return IS_ARM64;
	case SPIN_NEED_SB:
		return here->has_sb;
	case SPIN_NEED_WFXT:
		return here->has_wfxt;
	default:
		return false;
	}
}

static bool can_sleep(const struct user_machine *here, u32 lock)
{
	return here->can_park || !lock_has(lock, SPIN_PARKS);
}

static bool user_can_execute(struct backend *backend,
			     const struct delay_name *delay)
{
	return can_execute(backend->priv, delay);
}

static int refuse_delay(const struct delay_name *delay, struct fault *fault)
{
	if (delay->need == SPIN_NEED_KNOB)
		return fault_set(
			fault, STATUS_UNSUPPORTED,
			"%s: user threads have none, it is the module's; leave out --user",
			delay->name);
	if (!IS_ARM64)
		return fault_set(
			fault, STATUS_UNSUPPORTED,
			"%s: an instruction of arm64, and this machine is not an arm64 one",
			delay->name);
	return module_delay_missing(delay->name, fault);
}

static int user_check(struct backend *backend,
		      const struct spindelay_variant *variant,
		      struct fault *fault)
{
	const struct delay_name *delay = delay_by_id(variant->delay);

	if (variant->lock == SPIN_LOCK_raw_spinlock)
		return fault_set(
			fault, STATUS_UNSUPPORTED,
			"%s: it is the kernel's; leave out --user, or take another lock",
			lock_by_id(variant->lock)->name);
	if (!can_sleep(backend->priv, variant->lock))
		return fault_set(
			fault, STATUS_UNSUPPORTED,
			"%s: its waiters sleep on a futex, which this system has not or refuses; leave out --user, or take a lock that only polls",
			lock_by_id(variant->lock)->name);
	if (!can_execute(backend->priv, delay))
		return refuse_delay(delay, fault);
	return 0;
}

static int check_support(const struct user_machine *here,
			 const struct spindelay_plan *plan)
{
	const struct spindelay_variant *v =
		(const void *)(uintptr_t)plan->variants;

	for (u32 i = 0; i < plan->nr_variants; i++)
		if (v[i].lock == SPIN_LOCK_raw_spinlock ||
		    !can_sleep(here, v[i].lock) ||
		    !can_execute(here, delay_by_id(v[i].delay)))
			return -EOPNOTSUPP;
	return 0;
}

static int check_cpus(const struct spindelay_plan *plan)
{
	const u32 *cpus = (const void *)(uintptr_t)plan->cpus;
	cpu_set_t left;

	/* Those that are on line and that this process may run on. */
	if (sched_getaffinity(0, sizeof(left), &left))
		return -errno;
	for (u32 i = 0; i < plan->nr_cpus; i++) {
		if (cpus[i] < CPU_SETSIZE && CPU_ISSET(cpus[i], &left)) {
			CPU_CLR(cpus[i], &left);
			continue;
		}
		for (u32 j = 0; j < i; j++)
			if (cpus[j] == cpus[i])
				return -EINVAL;
		return -ENODEV;
	}
	return 0;
}

static int user_run_plan(struct backend *backend, struct spindelay_plan *plan)
{
	return plan_check(plan)				  ?:
		       check_cpus(plan)			  ?:
		       check_support(backend->priv, plan) ?:
		       user_run(backend->priv, plan);
}

static void user_close(struct backend *backend)
{
	free(backend->priv);
}

const struct backend_ops backend_user = {
	.name = "user",
	.note = NOTE,
	.open = user_open,
	.run = user_run_plan,
	.can_execute = user_can_execute,
	.check = user_check,
	.close = user_close,
};
