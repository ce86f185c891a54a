// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/machine.h"
#include "lib/module.h"
#include "lib/tree.h"
#include "uapi/spindelay.h"

#define MODULE_DIR "/sys/class/misc/spindelay/"
#define MODULE_PATH_MAX 96
#define LOCKDOWN "/sys/kernel/security/lockdown"
#define SIG_ENFORCE "/sys/module/module/parameters/sig_enforce"

int module_read(const char *file, char *text, size_t size, struct fault *fault)
{
	char path[MODULE_PATH_MAX];
	int err;

	snprintf(path, sizeof(path), MODULE_DIR "%s", file);
	err = tree_read("", path, text, size);
	if (err)
		return fault_set(fault, STATUS_ERROR, "cannot read %s: %s",
				 path, strerror(-err));
	return 0;
}

/* "none [integrity] confidentiality": what holds is in brackets. */
static bool is_locked_down(const char *root)
{
	char text[64];

	return !tree_read(root, LOCKDOWN, text, sizeof(text)) &&
	       strchr(text, '[') && !strstr(text, "[none]");
}

static bool enforces_signatures(const char *root)
{
	char text[8];

	return !tree_read(root, SIG_ENFORCE, text, sizeof(text)) &&
	       !strcmp(text, "Y");
}

int module_missing(const char *root, struct fault *fault)
{
	const char *why = NULL;

	if (is_locked_down(root))
		why = "is locked down";
	else if (enforces_signatures(root))
		why = "enforces module signatures";
	if (!why)
		return fault_set(
			fault, STATUS_UNSUPPORTED,
			"the module is not loaded: 'modprobe spindelay' or 'insmod spindelay.ko'");
	return fault_set(
		fault, STATUS_UNSUPPORTED,
		"the module is not loaded; this kernel %s, so sign it with a key that the kernel trusts before 'insmod spindelay.ko': 'make sign KEY=key.pem CERT=certificate.x509'",
		why);
}

int module_check(struct fault *fault)
{
	char text[32];
	u64 abi;

	if (!tree_exists("", MODULE_DIR))
		return module_missing("", fault);
	if (module_read("abi", text, sizeof(text), fault))
		return -1;
	abi = strtoull(text, NULL, 10);
	if (abi != SPINDELAY_ABI)
		return fault_set(
			fault, STATUS_ERROR,
			"the loaded module speaks version %llu, this tool version %u: install and load both of one build",
			(unsigned long long)abi, SPINDELAY_ABI);
	return 0;
}

int module_write(const char *file, const char *text)
{
	char path[MODULE_PATH_MAX];
	size_t len = strlen(text);
	int fd, err = 0;

	snprintf(path, sizeof(path), MODULE_DIR "%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != (ssize_t)len)
		err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

int module_delay_missing(const char *delay, struct fault *fault)
{
	struct machine_source source;
	struct machine *machine = calloc(1, sizeof(*machine));

	if (machine) {
		machine_source_live(&source);
		machine_read(&source, machine);
	}
	fault_set(
		fault, STATUS_UNSUPPORTED,
		"%s: the system-wide capability is missing on this CPU model (%s); nothing was executed",
		delay, machine ? machine->cpu : "unknown");
	free(machine);
	return -1;
}
