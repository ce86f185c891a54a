// SPDX-License-Identifier: GPL-2.0
/*
 * A second module that spins with spin_delay(): it shows that turning the knob
 * changes what other modules execute. Reading its parameter "executes" follows
 * the text of follower_poll() as it stands in memory, from the entry to the
 * first instruction that is neither a no-op nor a branch within the function.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "../../../module/spin_delay.h"

#define INSN_NOP 0xd503201f
#define INSN_SB 0xd50330ff
#define INSN_ISB 0xd5033fdf
#define INSN_BRANCH_MASK 0xfc000000
#define INSN_B 0x14000000
#define INSN_BL 0x94000000
/* Far more than the way from the entry to the delay takes. */
#define STEPS_MAX 64

/* With a stable name, for whoever looks at the running text. */
noinline void follower_poll(void);
noinline void follower_poll(void)
{
	spin_delay();
}

static const u32 *branch_target(const u32 *at)
{
	return at + sign_extend32(*at, 25);
}

static const char *executed(void)
{
	const u32 *at = (const u32 *)follower_poll;
	int step;

	for (step = 0; step < STEPS_MAX; step++) {
		u32 insn = READ_ONCE(*at);

		if (insn == INSN_SB)
			return "sb";
		if (insn == INSN_ISB)
			return "isb";
		if ((insn & INSN_BRANCH_MASK) == INSN_BL)
			return "other";
		at = (insn & INSN_BRANCH_MASK) == INSN_B ? branch_target(at) :
							   at + 1;
	}
	return "nothing known";
}

static int executes_get(char *page, const struct kernel_param *param)
{
	follower_poll();
	return sysfs_emit(page, "%s\n", executed());
}

static const struct kernel_param_ops executes_ops = {
	.get = executes_get,
};
module_param_cb(executes, &executes_ops, NULL, 0444);
MODULE_PARM_DESC(executes,
		 "what spin_delay() in this module executes: sb, isb or other");

MODULE_DESCRIPTION("Follows the knob of spindelay, for its tests");
MODULE_LICENSE("GPL");
