/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Feeds ip -batch and listens to its complaints. A line that fails is normal for a next hop whose
 * link is away at the moment: the table's floor catches the packets and the line is tried again
 * when links change. Commands go through a memory file, so that neither side can block the other.
 */
#define _GNU_SOURCE /* memfd_create */
#include "iproute.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"

extern char **environ;

static int
memory_file(const char *content)
{
	int fd = memfd_create("ip-batch", MFD_CLOEXEC);
	size_t size = strlen(content);

	if (fd < 0)
		return -errno;
	if (write(fd, content, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return -EIO;
	}
	return fd;
}

static int
spawn_ip(enum family family, int in, int complaints, pid_t *ret_pid)
{
	char *argv[] = { (char *)"ip", (char *)(family == FAMILY_IPV6 ? "-6" : "-4"),
		(char *)"-force", (char *)"-batch", (char *)"-", NULL };
	posix_spawn_file_actions_t actions;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, complaints, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
	rc = posix_spawnp(ret_pid, "ip", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

static void
log_complaints(int fd, bool quiet)
{
	char text[4096], *rest = NULL;
	ssize_t size;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return;
	size = read(fd, text, sizeof(text) - 1);
	if (size <= 0)
		return;
	text[size] = '\0';
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (quiet)
			log_debug("forwarding", "ip: %s", line);
		else
			log_warn("forwarding", "ip: %s", line);
	}
}

int
iproute_batch(enum family family, const char *commands, bool quiet, struct error *err)
{
	int in = memory_file(commands), complaints = memory_file("");
	int rc = in < 0 ? in : complaints < 0 ? complaints : 0;
	int status;
	pid_t pid;

	if (!rc)
		rc = spawn_ip(family, in, complaints, &pid);
	if (rc)
		error_set(err, rc, "cannot run ip: %s, install iproute2", strerror(-rc));
	while (!rc && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			rc = -errno;
	if (!rc)
		log_complaints(complaints, quiet);
	if (in >= 0)
		close(in);
	if (complaints >= 0)
		close(complaints);
	return rc;
}
