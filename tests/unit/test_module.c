// SPDX-License-Identifier: GPL-2.0-or-later
/* What the tool says of a module that is not there. */
#include "unit.h"

#include "lib/module.h"
#include "scratch.h"

#define LOCKDOWN "/sys/kernel/security/lockdown"
#define SIG_ENFORCE "/sys/module/module/parameters/sig_enforce"

static const char *root;

static int setup(void **state)
{
	(void)state;
	root = scratch_make();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scratch_remove();
	return 0;
}

static void assert_no_signature_is_asked_for(void)
{
	struct fault fault;

	assert_int_equal(module_missing(root, &fault), -1);
	assert_fault(&fault, STATUS_UNSUPPORTED, "modprobe spindelay",
		     "insmod");
	assert_null(strstr(fault.text, "sign"));
}

static void any_kernel_loads_it(void **state)
{
	(void)state;
	assert_no_signature_is_asked_for();
	scratch_write(LOCKDOWN, "[none] integrity confidentiality\n");
	scratch_write(SIG_ENFORCE, "N\n");
	assert_no_signature_is_asked_for();
}

static void a_locked_down_kernel_wants_it_signed(void **state)
{
	static const char *const levels[] = {
		"none [integrity] confidentiality\n",
		"none integrity [confidentiality]\n",
	};
	struct fault fault;

	(void)state;
	scratch_write(SIG_ENFORCE, "N\n");
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		scratch_write(LOCKDOWN, levels[i]);
		module_missing(root, &fault);
		assert_fault(&fault, STATUS_UNSUPPORTED, "locked down",
			     "make sign KEY=", "insmod");
	}
}

static void a_kernel_that_enforces_signatures_does_too(void **state)
{
	struct fault fault;

	(void)state;
	scratch_write(LOCKDOWN, "[none] integrity confidentiality\n");
	scratch_write(SIG_ENFORCE, "Y\n");
	module_missing(root, &fault);
	assert_fault(&fault, STATUS_UNSUPPORTED, "enforces",
		     "make sign KEY=", "insmod");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(any_kernel_loads_it, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			a_locked_down_kernel_wants_it_signed, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_kernel_that_enforces_signatures_does_too, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
