// SPDX-License-Identifier: GPL-2.0-or-later
/* knob: show or turn what spin_delay() executes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/module.h"
#include "lib/names.h"
#include "lib/options.h"

static const struct command_line command_line = {
	.args = "[DELAY]",
	.summary =
		"Show the delay that spin_delay() executes, or set it. 'auto' is SB where the system has it, else ISB.",
	.sets = OPTIONS_QUIET,
};

static int show(struct fault *fault)
{
	char delay[64], effective[64], available[NAMES_TEXT_MAX];

	if (module_read("delay", delay, sizeof(delay), fault) ||
	    module_read("effective", effective, sizeof(effective), fault) ||
	    module_read("delays_available", available, sizeof(available),
			fault))
		return -1;
	printf("delay      %s\neffective  %s\navailable  %s\n", delay,
	       effective, available);
	return 0;
}

static int check_name(const char *name, struct fault *fault)
{
	char list[NAMES_TEXT_MAX];

	if (word_in_list(name, knob_name_list(list)))
		return 0;
	return fault_set(fault, STATUS_USAGE,
			 "unknown delay '%.64s'; the knob takes: %s", name,
			 list);
}

static int turn(const char *name, struct fault *fault)
{
	int err = module_write("delay", name);

	switch (err) {
	case 0:
		return show(fault);
	case -EOPNOTSUPP:
		return module_delay_missing(name, fault);
	case -EACCES:
	case -EPERM:
		return fault_set(
			fault, STATUS_ERROR,
			"no permission to set the delay: run this as root");
	default:
		return fault_set(fault, STATUS_ERROR,
				 "cannot set the delay to %s: %s", name,
				 strerror(-err));
	}
}

static int show_or_turn(int argc, char **argv, struct fault *fault)
{
	struct options options;

	options_defaults(&options);
	if (options_parse(&command_line, argc, argv, &options, fault))
		return -1;
	if (options.nr_args > 1)
		return fault_set(fault, STATUS_USAGE,
				 "knob takes one delay, got %d",
				 options.nr_args);
	if (options.nr_args && check_name(options.args[0], fault))
		return -1;
	if (module_check(fault))
		return -1;
	return options.nr_args ? turn(options.args[0], fault) : show(fault);
}

int cmd_knob(int argc, char **argv)
{
	struct fault fault = { 0 };

	return show_or_turn(argc, argv, &fault) ? fault_report(&fault) :
						  STATUS_OK;
}
