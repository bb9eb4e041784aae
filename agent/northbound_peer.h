/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who is at the other end of a UNIX socket, and what it may do: root and our own user administer,
 * group autofbf operates, user autofbf-publish and group autofbf-read read, others nothing.
 */
#ifndef AUTOFBF_NORTHBOUND_PEER_H
#define AUTOFBF_NORTHBOUND_PEER_H

#include <stdbool.h>
#include <sys/types.h>

#include "northbound_rpc.h"

/* Ids of the local accounts, looked up once at start in /etc/passwd and /etc/group themselves: a
 * directory service could block the loop. */
struct northbound_accounts {
	uid_t own, publisher;
	gid_t operators, readers;
	bool has_publisher, has_operators, has_readers;
};

void northbound_accounts_load(struct northbound_accounts *ret_accounts);
/* The role of the peer of a connected socket; *ret_who (the caller frees it) is its user name, or
 * "uid N". */
enum northbound_role northbound_peer_role(
    const struct northbound_accounts *accounts, int fd, char **ret_who);

#endif
