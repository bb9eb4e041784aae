/* SPDX-License-Identifier: BSD-3-Clause */
/* Sockets of the traffic probe. Every failure ends the process: there is nothing to measure. */
#ifndef PROBE_SOCKETS_H
#define PROBE_SOCKETS_H

#include <stdint.h>
#include <sys/socket.h>

#include "prefix.h"

/* Fills *ret_address and returns its size. */
socklen_t sockets_address(const struct ip *ip, uint16_t port, struct sockaddr_storage *ret_address);
/* A UDP socket bound to local (all zeros: any) and port (0: any), also when the address is not the
 * machine's own. */
int sockets_open(const struct ip *local, uint16_t port);
/* SIGTERM and SIGINT as a descriptor: results are written whatever ends the run. */
int sockets_open_signals(void);

#endif
