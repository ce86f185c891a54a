// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a command and send it a signal after a while:
 *
 *	interrupt MILLISECONDS KILL|INT COMMAND...
 *
 * The command has the signal's default action, which a shell takes from what it
 * runs in the background. Ends with 0 if the signal ended the command, 1 if it
 * had ended by itself before.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int number, status;
	pid_t child;

	if (argc < 4) {
		fprintf(stderr,
			"usage: interrupt MILLISECONDS KILL|INT COMMAND...\n");
		return 2;
	}
	number = strcmp(argv[2], "INT") ? SIGKILL : SIGINT;
	child = fork();
	if (!child) {
		signal(SIGINT, SIG_DFL);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	usleep(atoi(argv[1]) * 1000);
	kill(child, number);
	if (waitpid(child, &status, 0) != child)
		return 1;
	return !(WIFSIGNALED(status) && WTERMSIG(status) == number);
}
