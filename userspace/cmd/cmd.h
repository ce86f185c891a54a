/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands; each is given its own name as argv[0]. */
#ifndef SPINDELAY_CMD_H
#define SPINDELAY_CMD_H

/* Each returns what the tool exits with, enum status. */
int cmd_info(int argc, char **argv);
int cmd_knob(int argc, char **argv);
int cmd_cost(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_selftest(int argc, char **argv);

#endif /* SPINDELAY_CMD_H */
