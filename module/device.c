// SPDX-License-Identifier: GPL-2.0
/* /dev/spindelay: one opener at a time, one ioctl. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "device.h"
#include "engine.h"
#include "plan.h"

/* Threads that share the descriptor: one of them runs, the others are busy. */
static DEFINE_MUTEX(run_lock);

static int device_open(struct inode *inode, struct file *file)
{
	int err = engine_claim();

	return err ? err : nonseekable_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	engine_release();
	return 0;
}

/* An array from user space, or an ERR_PTR. */
static void *copy_array(u64 address, size_t nr, size_t size)
{
	void *array = kvmalloc_array(nr, size, GFP_KERNEL_ACCOUNT);

	if (!array)
		return ERR_PTR(-ENOMEM);
	if (!copy_from_user(array, u64_to_user_ptr(address), nr * size))
		return array;
	kvfree(array);
	return ERR_PTR(-EFAULT);
}

#define COPY_ARRAY(plan, field, nr)                               \
	({                                                        \
		void *array = copy_array((plan)->p.field, nr,     \
					 sizeof(*(plan)->field)); \
		if (!IS_ERR(array))                               \
			(plan)->field = array;                    \
		PTR_ERR_OR_ZERO(array);                           \
	})

static int copy_inputs(struct engine_plan *plan)
{
	int err = COPY_ARRAY(plan, cpus, plan->p.nr_cpus);

	if (!err)
		err = COPY_ARRAY(plan, variants, plan->p.nr_variants);
	if (!err)
		err = COPY_ARRAY(plan, schedule, plan->p.nr_windows);
	return err;
}

static size_t windows_bytes(const struct engine_plan *plan)
{
	return plan->p.nr_windows * sizeof(*plan->windows);
}

static size_t records_bytes(const struct engine_plan *plan)
{
	return (size_t)plan->p.nr_windows * plan->p.nr_cpus *
	       sizeof(*plan->records);
}

static size_t hists_bytes(const struct engine_plan *plan)
{
	return plan->p.nr_windows * SPINDELAY_HIST_BUCKETS *
	       sizeof(*plan->hists);
}

/* A bad address is found before a run is spent on it. */
static int clear_outputs(const struct engine_plan *plan)
{
	const struct spindelay_plan *p = &plan->p;

	if (clear_user(u64_to_user_ptr(p->windows), windows_bytes(plan)) ||
	    clear_user(u64_to_user_ptr(p->records), records_bytes(plan)))
		return -EFAULT;
	if (p->hists &&
	    clear_user(u64_to_user_ptr(p->hists), hists_bytes(plan)))
		return -EFAULT;
	return 0;
}

static int copy_outputs(const struct engine_plan *plan, void __user *to)
{
	const struct spindelay_plan *p = &plan->p;

	if (copy_to_user(u64_to_user_ptr(p->windows), plan->windows,
			 windows_bytes(plan)) ||
	    copy_to_user(u64_to_user_ptr(p->records), plan->records,
			 records_bytes(plan)))
		return -EFAULT;
	if (p->hists && copy_to_user(u64_to_user_ptr(p->hists), plan->hists,
				     hists_bytes(plan)))
		return -EFAULT;
	return copy_to_user(to, p, sizeof(*p)) ? -EFAULT : 0;
}

static int run_plan(struct engine_plan *plan, void __user *argument)
{
	int err = plan_check_sizes(&plan->p);

	if (!err)
		err = copy_inputs(plan);
	if (!err)
		err = clear_outputs(plan);
	if (!err)
		err = plan_alloc_results(plan);
	if (!err)
		err = engine_run(plan);
	if (!err)
		err = copy_outputs(plan, argument);
	plan_free(plan);
	return err;
}

static long device_ioctl(struct file *file, unsigned int command,
			 unsigned long argument)
{
	void __user *user = (void __user *)argument;
	struct engine_plan plan = {};
	long err;

	if (command != SPINDELAY_IOC_RUN)
		return -ENOTTY;
	/* A plan keeps CPUs from others: an inherited descriptor is not enough. */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(&plan.p, user, sizeof(plan.p)))
		return -EFAULT;
	if (!mutex_trylock(&run_lock))
		return -EBUSY;
	err = run_plan(&plan, user);
	mutex_unlock(&run_lock);
	return err;
}

static const struct file_operations device_operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = KBUILD_MODNAME,
	.fops = &device_operations,
	.groups = spindelay_groups,
	.mode = 0600,
};

/**
 * device_init - create the device and its attributes
 *
 * Return: 0 or what misc_register() says
 */
int device_init(void)
{
	return misc_register(&device);
}

/**
 * device_exit - remove them; waits for attributes that are being used
 */
void device_exit(void)
{
	misc_deregister(&device);
}
