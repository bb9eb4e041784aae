/* SPDX-License-Identifier: BSD-3-Clause */
/* Sockets by "ADDRESS:PORT" text: "127.0.0.1:8300", "[::1]:8300". Literals only, never blocking. */
#ifndef LABROUTER_ADDRESS_H
#define LABROUTER_ADDRESS_H

#include <stdint.h>
#include <sys/socket.h>

#include "error.h"

/* 0, or -EINVAL with err. */
int address_parse(
    const char *text, struct sockaddr_storage *ret_address, socklen_t *ret_size, struct error *err);
/* "127.0.0.2" to connect from: of the family of `to`, and one that this machine has. -EINVAL with
 * err. */
int address_parse_source(const char *text, const struct sockaddr_storage *to,
    struct sockaddr_storage *ret_address, socklen_t *ret_size, struct error *err);
/* A listening TCP socket, or -errno with err. */
int address_listen(const char *text, struct error *err);
/* The port a socket is bound to; 0 when it is not. */
uint16_t address_port(int fd);

#endif
