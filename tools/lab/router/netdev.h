/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel counts at the network devices of this namespace. */
#ifndef LABROUTER_NETDEV_H
#define LABROUTER_NETDEV_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

struct netdev {
	char name[32];
	uint64_t in_packets, in_bytes, out_packets, out_bytes; /* bytes of IP packets, no headers */
};

/* Parses the text of /proc/net/dev; the loopback device and what is not a line of a device are
 * passed over. Owned by the caller (free). */
struct netdev *netdev_parse(FILE *in, size_t *ret_count);
/* The devices of the process's own namespace. -errno with err. */
int netdev_read(struct netdev **ret_devices, size_t *ret_count, struct error *err);

#endif
