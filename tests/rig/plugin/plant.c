// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for QEMU that makes chosen instructions of the module cost chosen
 * times, so that the guest is a machine whose true costs are known. Before such
 * an instruction the host's CPU is kept busy for as long.
 *
 *	-plugin plant.so,report=FILE
 *
 * What is planted is told by the guest at run time: see tests/guest/plant.h. The
 * mean of what was really burnt is the truth. A report has a line for each delay:
 *
 *	LABEL DELAY COST PLACE BURNS ASKED BURNT TAKEN
 *
 * with the place in ppm, the cost and the means of a burn in ns.
 *
 * While the host has taken the CPU away nothing burns, and what was taken is
 * burnt later: so that the host's other work slows the guest down in proportion,
 * whatever the costs, and does not pass for a part of the longer ones.
 *
 * An ISB in front of a read of the counter belongs to the read, not to the delay,
 * and costs nothing: else every timed acquisition would pay for isb, whatever
 * its own delay.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "abi.h"
#include "../../guest/plant.h"
#include "uapi/spindelay.h"

#define SVC 0xd4000001
#define MRS_CNTVCT 0xd53be040
#define MRS_REGISTER 0x1f
#define ISB 0xd5033fdf
#define SYSCALL_IOCTL 29
#define VCPUS_MAX 64
#define CALIBRATION_NS 200000000
/* Between two looks at the clock the host took the CPU away, ns. */
#define TAKEN_NS 300

#define PLACES (SPINDELAY_LOCK_PAGES * SPINDELAY_LOCK_SLOTS)
/* Odd, so that each place has a number of its own. */
#define PLACE_FACTOR 167
#define PPM 1e-6

/**
 * struct account - what an instruction has burnt on a CPU, in ticks
 * @burns: executions
 * @asked: what they were to burn
 * @burnt: what they did
 * @taken: what the host took meanwhile
 * @end: when it last burnt
 */
struct account {
	uint64_t burns;
	double asked;
	double burnt;
	double taken;
	uint64_t end;
};

/**
 * struct vcpu - one CPU of the guest, on lines of its own
 * @accounts: by delay
 * @burnt: ticks that all of them were to burn: the clock of drift and step
 * @random: state of the random numbers
 */
struct vcpu {
	struct account accounts[PLANT_NR_DELAYS];
	double burnt;
	uint32_t random;
} __attribute__((aligned(128)));

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define PLANT_OPCODE(name, opcode) opcode,
static const uint32_t opcodes[] = { PLANT_DELAYS(PLANT_OPCODE) };
#define PLANT_NAME(name, opcode) name,
static const char *const names[] = { PLANT_DELAYS(PLANT_NAME) };

static struct vcpu vcpus[VCPUS_MAX];
static struct plant_order planted[PLANT_NR_DELAYS];
static uint64_t text_start, text_end;
static double ticks_per_ns;
static uint64_t taken_ticks;
/* Where the lock of the running plan is, from -1 to 1. */
static double place;
static FILE *report_file;
static struct qemu_plugin_register *registers[31];

/* ---- the host's clock ---- */

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static inline uint64_t host_ticks(void)
{
#ifdef __x86_64__
	return __rdtsc();
#else
	return monotonic_ns();
#endif
}

static void calibrate(void)
{
	uint64_t since_ns = monotonic_ns(), since = host_ticks(), ns;

	do {
		ns = monotonic_ns() - since_ns;
	} while (ns < CALIBRATION_NS);
	ticks_per_ns = (double)(host_ticks() - since) / ns;
	taken_ticks = TAKEN_NS * ticks_per_ns;
}

/* ---- burning ---- */

/* Evenly from -1 to 1. Marsaglia's xorshift, 13 17 5. */
static double vary(struct vcpu *vcpu)
{
	uint32_t x = vcpu->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	vcpu->random = x;
	return x * (2 / 4294967296.0) - 1;
}

static double cost_ticks(const struct plant_order *order, struct vcpu *vcpu)
{
	const double over = order->over_ms * 1e6 * ticks_per_ns;
	const double progress = over ? vcpu->burnt / over : 0;
	double cost = order->cost_ns * ticks_per_ns;

	if (order->drift_ppm)
		cost *= 1 + order->drift_ppm * PPM * progress;
	if (order->step_ppm && progress >= 0.5)
		cost *= 1 + order->step_ppm * PPM;
	if (order->place_ppm)
		cost *= 1 + order->place_ppm * PPM * place;
	if (order->jitter_ppm)
		cost *= 1 + order->jitter_ppm * PPM * vary(vcpu);
	return cost;
}

/*
 * When a burn begins. A turn of the placebo's loop begins where the one before has
 * ended, so that a loop takes what is planted for its turns, and the emulator's own
 * part of them, which changes with what else the host does, is not on top.
 */
static uint64_t begin(const struct plant_order *order,
		      const struct account *account, uint64_t now,
		      uint64_t asked)
{
	if (order->delay == PLANT_CHAIN && now - account->end < asked)
		return account->end;
	return now;
}

static void burn(unsigned int index, void *data)
{
	struct plant_order *order = data;
	struct vcpu *vcpu = &vcpus[index % VCPUS_MAX];
	struct account *account = &vcpu->accounts[order - planted];
	uint64_t asked, now = host_ticks(), since, last, taken = 0;

	if (order->verb != PLANT_COST)
		return;
	/* What costs anything only a few times does so for the last time. */
	if (order->times && !--order->times)
		order->verb = 0;
	asked = cost_ticks(order, vcpu);
	since = begin(order, account, now, asked);
	do {
		last = now;
		now = host_ticks();
		if (now - last > taken_ticks)
			taken += now - last;
	} while (now - since - taken < asked);
	vcpu->burnt += asked;
	account->burns++;
	account->asked += asked;
	account->burnt += now - since - taken;
	account->taken += taken;
	account->end = now;
}

/* ---- what the guest says ---- */

static struct GByteArray *scratch(void)
{
	static __thread struct GByteArray *array;

	if (!array)
		array = g_byte_array_new();
	return g_byte_array_set_size(array, 0);
}

static uint64_t register_value(unsigned int n)
{
	struct GByteArray *array = scratch();
	uint64_t value = 0;

	if (registers[n] &&
	    qemu_plugin_read_register(registers[n], array) == sizeof(value))
		memcpy(&value, array->data, sizeof(value));
	return value;
}

static bool read_guest(uint64_t address, void *to, size_t size)
{
	struct GByteArray *array = scratch();

	if (!qemu_plugin_read_memory_vaddr(address, array, size))
		return false;
	memcpy(to, array->data, size);
	return true;
}

static void clear(const struct plant_order *order)
{
	memset(planted, 0, sizeof(planted));
	memset(vcpus, 0, sizeof(vcpus));
	for (unsigned int i = 0; i < VCPUS_MAX; i++)
		vcpus[i].random = i + 1;
	text_start = order->start;
	text_end = order->end;
}

static void report_delay(const char *label, unsigned int delay)
{
	struct account sum = { 0 };
	double per_burn;

	for (unsigned int i = 0; i < VCPUS_MAX; i++) {
		const struct account *a = &vcpus[i].accounts[delay];

		sum.burns += a->burns;
		sum.asked += a->asked;
		sum.burnt += a->burnt;
		sum.taken += a->taken;
	}
	if (!sum.burns)
		return;
	per_burn = 1 / (sum.burns * ticks_per_ns);
	fprintf(report_file, "%s %s %u %d %lu %.2f %.2f %.2f\n", label,
		names[delay], planted[delay].cost_ns, planted[delay].place_ppm,
		sum.burns, sum.asked * per_burn, sum.burnt * per_burn,
		sum.taken * per_burn);
}

static void report(struct plant_order *order)
{
	order->label[PLANT_LABEL_MAX - 1] = '\0';
	for (unsigned int i = 0; i < PLANT_NR_DELAYS; i++)
		report_delay(order->label, i);
	fflush(report_file);
}

/*
 * By a shell, which is not stopped and lets us go on. Not at once: the order comes
 * from a CPU that then has no time for a window.
 */
static void stop(const struct plant_order *order)
{
	char command[128];

	snprintf(command, sizeof(command),
		 "(sleep 0.3; kill -STOP %d; sleep %u.%03u; kill -CONT %d) &",
		 getpid(), order->over_ms / 1000, order->over_ms % 1000,
		 getpid());
	if (system(command))
		fprintf(stderr, "plant: no shell to stop the emulator by\n");
}

static void obey(unsigned int index, void *data)
{
	struct plant_order order;

	(void)index;
	(void)data;
	if (!read_guest(register_value(0), &order, sizeof(order)))
		return;
	if (order.verb == PLANT_CLEAR)
		clear(&order);
	if (order.verb == PLANT_COST && order.delay < PLANT_NR_DELAYS)
		planted[order.delay] = order;
	if (order.verb == PLANT_REPORT)
		report(&order);
	if (order.verb == PLANT_STOP)
		stop(&order);
}

/* The plan that goes to the module says where the lock will be. */
static void look_at_syscall(unsigned int index, void *data)
{
	struct spindelay_plan plan;
	uint32_t number;

	(void)index;
	(void)data;
	if (register_value(8) != SYSCALL_IOCTL ||
	    (uint32_t)register_value(1) != SPINDELAY_IOC_RUN ||
	    !read_guest(register_value(2), &plan, sizeof(plan)))
		return;
	number = plan.lock_page * SPINDELAY_LOCK_SLOTS + plan.lock_slot;
	place = (2.0 * (number * PLACE_FACTOR % PLACES) + 1) / PLACES - 1;
}

/* ---- instrumenting ---- */

/* The instruction behind an ISB is in the next block, but in memory beside it. */
static bool reads_counter(const struct qemu_plugin_insn *insn)
{
	const uint32_t *text = qemu_plugin_insn_haddr(insn);

	if (!text || !(qemu_plugin_insn_vaddr(insn) + 4) % 4096)
		return false;
	return (text[1] & ~MRS_REGISTER) == MRS_CNTVCT;
}

static void instrument_delay(struct qemu_plugin_insn *insn, uint32_t opcode)
{
	const uint64_t address = qemu_plugin_insn_vaddr(insn);

	if (address < text_start || address >= text_end)
		return;
	if (opcode == ISB && reads_counter(insn))
		return;
	for (unsigned int i = 0; i < PLANT_NR_DELAYS; i++)
		if (opcode == opcodes[i])
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, burn, QEMU_PLUGIN_CB_NO_REGS,
				&planted[i]);
}

static void instrument(uint64_t id, struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *insn;
	uint32_t opcode;

	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		if (qemu_plugin_insn_data(insn, &opcode, 4) != 4)
			continue;
		if (opcode == PLANT_MAGIC)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, obey, QEMU_PLUGIN_CB_R_REGS, NULL);
		else if (opcode == SVC)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, look_at_syscall, QEMU_PLUGIN_CB_R_REGS,
				NULL);
		else
			instrument_delay(insn, opcode);
	}
}

static void find_registers(uint64_t id, unsigned int index)
{
	const struct GArray *all = qemu_plugin_get_registers();
	const struct qemu_plugin_reg_descriptor *found = (void *)all->data;
	unsigned int n;
	char rest;

	(void)id;
	(void)index;
	for (unsigned int i = 0; i < all->len; i++)
		if (sscanf(found[i].name, "x%u%c", &n, &rest) == 1 && n < 31)
			registers[n] = found[i].handle;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id,
					   const struct qemu_plugin_info *info,
					   int argc, char **argv)
{
	if (strcmp(info->target_name, "aarch64") || argc != 1 ||
	    strncmp(argv[0], "report=", strlen("report="))) {
		fprintf(stderr,
			"plant: for an arm64 guest, with report=FILE\n");
		return -1;
	}
	report_file = fopen(argv[0] + strlen("report="), "w");
	if (!report_file) {
		perror("plant: the report");
		return -1;
	}
	calibrate();
	qemu_plugin_register_vcpu_init_cb(id, find_registers);
	qemu_plugin_register_vcpu_tb_trans_cb(id, instrument);
	return 0;
}
