/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BMP (RFC 7854) bytes to events: Peer Up and Peer Down only; everything else is measured and
 * skipped. No sockets and no clock (event.at is left zero): fuzzed.
 */
#ifndef AUTOFBF_BMP_H
#define AUTOFBF_BMP_H

#include <stddef.h>
#include <stdint.h>

#include "event.h"

enum { BMP_MAX_MESSAGE = 65536 * 2, BMP_HEADER_SIZE = 6 };

/* Looks at the start of a stream. >0: size of the message at data that was decoded; 0: more bytes
 * are needed; -EPROTO: not BMP version 3, or a length out of range (final for this stream).
 * *ret_event is EVENT_IGNORED for messages that are neither Peer Up nor Peer Down.
 * instance is "" for a zero peer distinguisher, else the distinguisher as RFC 4364 text. */
int bmp_decode(const uint8_t *data, size_t size, struct event *ret_event);

#endif
