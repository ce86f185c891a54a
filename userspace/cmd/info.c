// SPDX-License-Identifier: GPL-2.0-or-later
/* info: what machine this is, and what on it spoils a measurement. */
#include <stdio.h>

#include "cmd/cmd.h"
#include "lib/session.h"
#include "lib/table.h"

static const struct command_line command_line = {
	.args = "",
	.summary =
		"Show what machine this is and what on it would spoil a measurement. Needs no privilege and no module.",
	.sets = OPTIONS_JSON | OPTIONS_QUIET,
};

static const char *yes_no(bool yes)
{
	return yes ? "yes" : "no";
}

static const char *or_none(const char *text)
{
	return text[0] ? text : "none";
}

static void print_cpu(const struct machine *m, FILE *stream)
{
	char online[64];

	fprintf(stream, "CPU           %s\n", m->cpu);
	if (m->midr)
		fprintf(stream, "MIDR          0x%08x\n", m->midr);
	fprintf(stream, "CPUs on line  %u (%s), %u node%s\n", m->online.nr,
		cpulist_format(&m->online, online, sizeof(online)), m->nr_nodes,
		m->nr_nodes == 1 ? "" : "s");
	fprintf(stream, "capabilities  SB %s, WFxT %s, LSE atomics %s\n",
		yes_no(m->has_sb), yes_no(m->has_wfxt), yes_no(m->has_lse));
	if (m->counter_hz)
		fprintf(stream, "counter       %.6g MHz, %.6g ns a tick\n",
			m->counter_hz / 1e6, 1e9 / m->counter_hz);
}

static void print_system(const struct machine *m, FILE *stream)
{
	fprintf(stream, "kernel        %s, pages of %u bytes, taint %s\n",
		m->kernel, m->page_size, or_none(m->taint));
	fprintf(stream, "hypervisor    %s (%s)\n", m->hypervisor.name,
		m->hypervisor.source);
	fprintf(stream, "governor      %s\n", m->governor);
	fprintf(stream, "isolated      %s\n", or_none(m->isolated));
	fprintf(stream, "nohz_full     %s\n", or_none(m->nohz_full));
}

static void print_warnings(const struct machine *m, FILE *stream)
{
	char text[MACHINE_WARNING_TEXT_MAX + 16];

	for (unsigned int i = 0; i < m->nr_warnings; i++) {
		snprintf(text, sizeof(text), "Warning: %s.", m->warnings[i]);
		print_wrapped(stream, text);
	}
}

static int show(struct session *session, int argc, char **argv,
		struct fault *fault)
{
	const struct machine *m;
	FILE *stream;

	if (session_begin(session, "info", &command_line, argc, argv, fault))
		return -1;
	if (session->options.nr_args)
		return fault_set(fault, STATUS_USAGE,
				 "info takes no arguments");
	m = &session->doc->machine;
	stream = session_table(session);
	if (stream) {
		print_cpu(m, stream);
		print_system(m, stream);
		print_warnings(m, stream);
	}
	return session_write(session, fault);
}

int cmd_info(int argc, char **argv)
{
	struct session session = { 0 };
	struct fault fault = { 0 };
	int status = STATUS_OK;

	options_defaults(&session.options);
	session.options.placements = 0;
	if (show(&session, argc, argv, &fault))
		status = fault_report(&fault);
	session_end(&session);
	return status;
}
