/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peers by kernel word: SO_PEERCRED gives user and primary group at the time of connect,
 * SO_PEERGROUPS the supplementary groups. Names are read from the local files line by line, never
 * through the name service switch, whose back ends may ask a network and block.
 *
 * Roles are ordered; a peer gets the greatest that applies.
 */
#define _GNU_SOURCE /* struct ucred, fgetpwent, fgetgrent */
#include "northbound_peer.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { GROUPS_MOST = 65536 };

static bool
find_user(const char *name, uid_t *ret_uid)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd *entry = NULL;

	while (file && (entry = fgetpwent(file)))
		if (strcmp(entry->pw_name, name) == 0)
			break;
	if (entry)
		*ret_uid = entry->pw_uid;
	if (file)
		fclose(file);
	return entry != NULL;
}

static bool
find_group(const char *name, gid_t *ret_gid)
{
	FILE *file = fopen("/etc/group", "re");
	struct group *entry = NULL;

	while (file && (entry = fgetgrent(file)))
		if (strcmp(entry->gr_name, name) == 0)
			break;
	if (entry)
		*ret_gid = entry->gr_gid;
	if (file)
		fclose(file);
	return entry != NULL;
}

static char *
get_user_name(uid_t uid)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd *entry = NULL;
	char *name;

	while (file && (entry = fgetpwent(file)))
		if (entry->pw_uid == uid)
			break;
	name = entry ? xstrdup(entry->pw_name) : xasprintf("uid %u", (unsigned)uid);
	if (file)
		fclose(file);
	return name;
}

void
northbound_accounts_load(struct northbound_accounts *ret_accounts)
{
	*ret_accounts = (struct northbound_accounts){ .own = geteuid() };
	ret_accounts->has_publisher = find_user("autofbf-publish", &ret_accounts->publisher);
	ret_accounts->has_operators = find_group("autofbf", &ret_accounts->operators);
	ret_accounts->has_readers = find_group("autofbf-read", &ret_accounts->readers);
}

static enum northbound_role
judge_group(const struct northbound_accounts *accounts, gid_t gid)
{
	if (accounts->has_operators && gid == accounts->operators)
		return ROLE_OPERATE;
	if (accounts->has_readers && gid == accounts->readers)
		return ROLE_READ;
	return ROLE_NONE;
}

static enum northbound_role
judge_supplementary_groups(const struct northbound_accounts *accounts, int fd)
{
	gid_t *groups = xcalloc(GROUPS_MOST, sizeof(*groups));
	socklen_t size = GROUPS_MOST * sizeof(*groups);
	enum northbound_role role = ROLE_NONE;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0)
		size = 0;
	for (size_t i = 0; i < size / sizeof(*groups); i++) {
		enum northbound_role by_group = judge_group(accounts, groups[i]);

		if (by_group > role)
			role = by_group;
	}
	free(groups);
	return role;
}

enum northbound_role
northbound_peer_role(const struct northbound_accounts *accounts, int fd, char **ret_who)
{
	struct ucred cred = { 0 };
	socklen_t size = sizeof(cred);
	enum northbound_role role, by_groups;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) < 0) {
		*ret_who = xstrdup("nobody known");
		return ROLE_NONE;
	}
	*ret_who = get_user_name(cred.uid);
	if (cred.uid == 0 || cred.uid == accounts->own)
		return ROLE_ADMINISTER;
	role = judge_group(accounts, cred.gid);
	by_groups = judge_supplementary_groups(accounts, fd);
	if (by_groups > role)
		role = by_groups;
	if (role == ROLE_NONE && accounts->has_publisher && cred.uid == accounts->publisher)
		role = ROLE_READ;
	return role;
}
