// SPDX-License-Identifier: GPL-2.0
/* The primitive, its static keys, and the knob that turns them. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <asm/cpufeature.h>

#include "bench/delays.h"
#include "compat.h"
#include "delay.h"
#include "name.h"
#include "spin_delay.h"

static char *delay = "auto";
module_param(delay, charp, 0444);
MODULE_PARM_DESC(
	delay,
	"what spin_delay() executes, as /sys/class/misc/spindelay/delay takes it (auto)");

DEFINE_STATIC_KEY_FALSE(spindelay_key_sb);
EXPORT_SYMBOL_GPL(spindelay_key_sb);
DEFINE_STATIC_KEY_FALSE(spindelay_key_other);
EXPORT_SYMBOL_GPL(spindelay_key_other);

#define KNOB_AUTO SPIN_DELAY_END

/**
 * struct knob - where the knob stands
 * @lock: serialises turning it
 * @choice: what was asked for: enum spin_delay_id or KNOB_AUTO
 * @effective: what spin_delay() executes: enum spin_delay_id
 * @generation: counts up before and after the keys flip, so odd while they do
 */
static struct knob {
	struct mutex lock; /* serialises turning */
	u32 choice;
	u32 effective;
	u32 generation;
} knob = {
	.lock = __MUTEX_INITIALIZER(knob.lock),
	.choice = SPIN_DELAY_isb,
	.effective = SPIN_DELAY_isb,
};

static const struct delay_entry {
	const char *spelling;
	enum spin_need need;
	u32 traits;
} delays[] = {
#define DELAY_ENTRY(id, name, spelling, need, traits) \
	[id] = { spelling, need, traits },
	SPIN_DELAYS(DELAY_ENTRY)
#undef DELAY_ENTRY
};

void spindelay_other(const u32 *word, u32 seen)
{
#define DELAY_CASE(id, name, spelling, need, traits)      \
	case id:                                          \
		if ((traits)&SPIN_IN_KNOB)                \
			spin_delay_##name(word, seen, 0); \
		break;
	switch (READ_ONCE(knob.effective)) {
		SPIN_DELAYS(DELAY_CASE)
	}
#undef DELAY_CASE
}
EXPORT_SYMBOL_GPL(spindelay_other);

/**
 * delay_supported - whether every CPU of this system can execute a delay
 * @id: enum spin_delay_id
 *
 * By the sanitised, system-wide capability only; nothing is tried out.
 */
bool delay_supported(u32 id)
{
	switch (delays[id].need) {
	case SPIN_NEED_SB:
		return cpus_have_cap(ARM64_HAS_SB);
	case SPIN_NEED_WFXT:
		return cpus_have_cap(ARM64_HAS_WFXT);
	default:
		return true;
	}
}

/**
 * delay_sleeps - whether a delay waits for as long as nothing happens
 * @id: enum spin_delay_id
 */
bool delay_sleeps(u32 id)
{
	return delays[id].traits & SPIN_SLEEPS;
}

/**
 * delay_generation - how often the knob was turned
 *
 * Return: a count that is odd while the knob is being turned. Equal and even
 * before and after a stretch of code: the knob stood still in it.
 */
u32 delay_generation(void)
{
	/* Pairs with the releases in knob_turn(). */
	return smp_load_acquire(&knob.generation);
}

static void key_set(struct static_key *key, bool on)
{
	if (on)
		static_key_enable(key);
	else
		static_key_disable(key);
}

/*
 * One key after the other, such that what is executed in between is ISB: the
 * key that leaves goes first, and the value behind spindelay_other() changes
 * while nobody new is sent there.
 */
static void knob_turn(u32 choice, u32 effective)
{
	bool other = effective != SPIN_DELAY_sb && effective != SPIN_DELAY_isb;

	lockdep_assert_held(&knob.lock);
	/* Pairs with delay_generation(): odd before the first key flips, ... */
	smp_store_release(&knob.generation, knob.generation + 1);
	if (effective != knob.effective) {
		key_set(&spindelay_key_other.key, false);
		key_set(&spindelay_key_sb.key, false);
		WRITE_ONCE(knob.effective, effective);
		key_set(&spindelay_key_other.key, other);
		key_set(&spindelay_key_sb.key, effective == SPIN_DELAY_sb);
	}
	WRITE_ONCE(knob.choice, choice);
	/* ... even again behind the last. */
	smp_store_release(&knob.generation, knob.generation + 1);
}

static int knob_parse(const char *text, size_t length)
{
	u32 id;

	if (is_spelling(text, length, "auto"))
		return KNOB_AUTO;
	for (id = 0; id < ARRAY_SIZE(delays); id++)
		if (delays[id].traits & SPIN_IN_KNOB &&
		    is_spelling(text, length, delays[id].spelling))
			return id;
	return -EINVAL;
}

/**
 * delay_choose - turn the knob
 * @text: a name, perhaps with a newline behind it
 * @length: its bytes
 *
 * Return: 0; -EINVAL for anything that is not a name, -EOPNOTSUPP for a name
 * that this system cannot execute. Unless 0, the knob stays where it was.
 */
int delay_choose(const char *text, size_t length)
{
	int choice = knob_parse(text, length);
	u32 effective;

	if (choice < 0)
		return choice;
	effective = choice;
	if (choice == KNOB_AUTO)
		effective = delay_supported(SPIN_DELAY_sb) ? SPIN_DELAY_sb :
							     SPIN_DELAY_isb;
	if (!delay_supported(effective))
		return -EOPNOTSUPP;
	mutex_lock(&knob.lock);
	knob_turn(choice, effective);
	mutex_unlock(&knob.lock);
	return 0;
}

/**
 * delay_parse - the delay of a name
 * @text: the name, perhaps with a newline behind it
 * @length: its bytes
 *
 * Return: enum spin_delay_id, -EINVAL for anything that is not a name,
 * -EOPNOTSUPP for a name that this system cannot execute
 */
int delay_parse(const char *text, size_t length)
{
	u32 id;

	for (id = 0; id < ARRAY_SIZE(delays); id++)
		if (is_spelling(text, length, delays[id].spelling))
			return delay_supported(id) ? (int)id : -EOPNOTSUPP;
	return -EINVAL;
}

/**
 * delay_name - how a delay is spelt
 * @id: enum spin_delay_id
 */
const char *delay_name(u32 id)
{
	return delays[id].spelling;
}

static const char *knob_spelling(u32 id)
{
	return id == KNOB_AUTO ? "auto" : delays[id].spelling;
}

ssize_t delay_show_choice(char *page)
{
	return sysfs_emit(page, "%s\n", knob_spelling(READ_ONCE(knob.choice)));
}

ssize_t delay_show_effective(char *page)
{
	return sysfs_emit(page, "%s\n",
			  knob_spelling(READ_ONCE(knob.effective)));
}

static ssize_t show_delays(char *page, ssize_t at, bool knob_only)
{
	u32 id;

	for (id = 0; id < ARRAY_SIZE(delays); id++)
		if (delay_supported(id) &&
		    (delays[id].traits & SPIN_IN_KNOB || !knob_only))
			at += sysfs_emit_at(page, at, "%s%s", at ? " " : "",
					    delays[id].spelling);
	return at + sysfs_emit_at(page, at, "\n");
}

ssize_t delay_show_available(char *page)
{
	return show_delays(page, sysfs_emit(page, "auto"), true);
}

ssize_t delay_show_bench(char *page)
{
	return show_delays(page, 0, false);
}

/**
 * delay_init - set the knob to the module parameter
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP as delay_choose()
 */
int delay_init(void)
{
	int err = delay_choose(delay, strlen(delay));

	if (err)
		pr_err("delay=%s: %s\n", delay,
		       err == -EINVAL ? "no such delay" :
					"this system cannot execute it");
	return err;
}
