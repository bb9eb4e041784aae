/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What NAT does to addresses, as far as the profile tells: the arithmetic of deterministic NAT (RFC
 * 7422 section 2; Junos [edit security nat source pool NAME port deterministic]). A deterministic
 * pool has blocks of block-size ports over the ports 1024..65535; a rest that fills no block is not
 * used. Host number n (counted from 0 over the pool's host prefixes in the order of the rule,
 * network and broadcast addresses included) gets block n modulo B of the pool's address number
 * n / B, B being the blocks of an address.
 */
#ifndef AUTOFBF_NAT_H
#define AUTOFBF_NAT_H

#include <stdint.h>

#include "prefix.h"
#include "profile.h"

enum { NAT_FIRST_PORT = 1024, NAT_LAST_PORT = 65535 };

struct nat_block {
	struct ip address;
	uint16_t first_port, last_port; /* inclusive */
};

/* Addresses of a prefix (2^64 - 1 when it has more). */
uint64_t nat_addresses(const struct prefix *prefix);
/* Port blocks of an address, and of the whole pool (2^64 - 1 when it is more). */
uint32_t nat_blocks_per_address(const struct profile_nat_pool *pool);
uint64_t nat_blocks(const struct profile_nat_pool *pool);
/* Hosts that the rule of a deterministic pool names (2^64 - 1 when it is more). */
uint64_t nat_hosts(const struct profile_nat_pool *pool);

/* Deterministic pools only. The host is in no host prefix, or its block would be beyond the pool's
 * last address: -ERANGE. */
int nat_translate(
    const struct profile_nat_pool *pool, const struct ip *host, struct nat_block *ret_block);
/* The host behind a public address and port; -ERANGE: no host has them. */
int nat_host_of(const struct profile_nat_pool *pool, const struct ip *address, uint16_t port,
    struct ip *ret_host);
/* First and last of the hosts that share a public address; -ERANGE: none. */
int nat_hosts_of(const struct profile_nat_pool *pool, const struct ip *address,
    struct ip *ret_first, struct ip *ret_last);

#endif
