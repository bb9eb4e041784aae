/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RPC where: an address, whoever's it is. Subscriber space is northbound_query.h's; here the
 * addresses of NAT pools lead back to their element and, where the NAT is deterministic, to the
 * host, and a host to its public address and ports.
 */
#ifndef AUTOFBF_NORTHBOUND_NAT_H
#define AUTOFBF_NORTHBOUND_NAT_H

#include <stdint.h>

#include "error.h"
#include "northbound_query.h"
#include "prefix.h"

struct nat_target {
	struct prefix prefix; /* an address: its host prefix */
	uint16_t port;        /* 0: none was given */
};

/* "10.0.0.1", "10.0.0.0/8", "10.0.0.1:80", "2001:db8::1", "[2001:db8::1]:80" (RFC 3986, section
 * 3.2.2). 0, or -EINVAL with err, which names the text and what is wrong with it. */
int northbound_nat_parse(const char *text, struct nat_target *ret_target, struct error *err);

/* 0, or -errno with err. */
int northbound_nat_where(struct northbound_query *query, struct error *err);

#endif
