/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BMP as far as failover needs it: Peer Up and Peer Down (RFC 7854 4.9 and 4.10) become events, all
 * other messages are measured and skipped, types that do not exist yet among them. The enclosed
 * OPEN messages are not read; of an enclosed NOTIFICATION only code and subcode.
 *
 * What the cause means: a NOTIFICATION whose code names the cause (hold timer, administrative
 * shutdown, BFD) gives that cause, whoever sent it; else its direction is the cause. FRR 8.4 puts
 * reason 2 with code 0 for everything, which is no cause at all. Reason 5 is "nobody watches this
 * peer any more", hence unknown and never down. Repeated Downs of a peer that is down already are
 * passed on as they come: edges are the business of health.c, and arrival time that of the listener
 * (the time stamp in the message is not the time of the event).
 */
#include "bmp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BMP_VERSION = 3 };

/* RFC 7854 10.1 */
enum { TYPE_PEER_DOWN = 2, TYPE_PEER_UP = 3 };

/* RFC 7854 10.2, RFC 9069 4.1: instances of the Loc-RIB (3) are no neighbours. */
enum { PEER_LOC_RIB = 3 };

/* Where things are in a message (RFC 7854 4.1 and 4.2). */
enum {
	AT_VERSION = 0,
	AT_LENGTH = 1,
	AT_TYPE = 5,
	AT_PEER_TYPE = 6,
	AT_PEER_FLAGS = 7,
	AT_DISTINGUISHER = 8,
	AT_ADDRESS = 16,
	AT_BODY = 48,
	UP_SIZE = AT_BODY + 16 + 2 + 2, /* local address and ports; the OPENs are not read */
	FLAG_IPV6 = 0x80
};

/* A BGP message (RFC 4271 4.1 and 4.5). */
enum {
	BGP_MARKER_SIZE = 16,
	BGP_AT_TYPE = 18,
	BGP_AT_CODE = 19,
	BGP_AT_SUBCODE = 20,
	BGP_NOTIFICATION_SIZE = 21
};
enum { BGP_TYPE_NOTIFICATION = 3 };

static const struct {
	uint8_t code, subcode; /* subcode 0: any */
	enum event_cause cause;
} notification_causes[] = {
	{ 4, 0, CAUSE_HOLD_TIMER }, /* RFC 4271 6.5 */
	{ 6, 2, CAUSE_ADMIN },      /* RFC 4486 4: administrative shutdown */
	{ 6, 10, CAUSE_BFD },       /* RFC 9384 */
};

/* Events of the BGP state machine, RFC 4271 8.1. */
static const struct {
	uint16_t event;
	enum event_cause cause;
} fsm_causes[] = {
	{ 2, CAUSE_ADMIN },                  /* ManualStop */
	{ 8, CAUSE_ADMIN },                  /* AutomaticStop */
	{ 10, CAUSE_HOLD_TIMER },            /* HoldTimer_Expires */
	{ 18, CAUSE_CLOSED },                /* TcpConnectionFails */
	{ 24, CAUSE_NOTIFICATION_RECEIVED }, /* NotifMsgVerErr */
	{ 25, CAUSE_NOTIFICATION_RECEIVED }, /* NotifMsg */
};

static uint16_t
get_u16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t
get_u32(const uint8_t *p)
{
	return (uint32_t)get_u16(p) << 16 | get_u16(p + 2);
}

static enum event_cause
notification_cause(const uint8_t *pdu, size_t size, enum event_cause direction)
{
	if (size < BGP_NOTIFICATION_SIZE || pdu[BGP_AT_TYPE] != BGP_TYPE_NOTIFICATION)
		return direction;
	for (size_t i = 0; i < BGP_MARKER_SIZE; i++) {
		if (pdu[i] != 0xff)
			return direction;
	}
	for (size_t i = 0; i < sizeof(notification_causes) / sizeof(notification_causes[0]); i++) {
		uint8_t subcode = notification_causes[i].subcode;

		if (notification_causes[i].code == pdu[BGP_AT_CODE] &&
		    (subcode == 0 || subcode == pdu[BGP_AT_SUBCODE]))
			return notification_causes[i].cause;
	}
	return direction;
}

static enum event_cause
fsm_cause(const uint8_t *code, size_t size)
{
	if (size < 2)
		return CAUSE_UNKNOWN;
	for (size_t i = 0; i < sizeof(fsm_causes) / sizeof(fsm_causes[0]); i++) {
		if (fsm_causes[i].event == get_u16(code))
			return fsm_causes[i].cause;
	}
	return CAUSE_UNKNOWN;
}

/* Reasons of RFC 7854 4.9; one that we do not know is still a peer that went down. */
static void
decode_down(const uint8_t *body, size_t size, struct event *event)
{
	event->kind = EVENT_BGP_DOWN;
	switch (body[0]) {
	case 1:
		event->cause = notification_cause(body + 1, size - 1, CAUSE_NOTIFICATION_SENT);
		break;
	case 2:
		event->cause = fsm_cause(body + 1, size - 1);
		break;
	case 3:
		event->cause = notification_cause(body + 1, size - 1, CAUSE_NOTIFICATION_RECEIVED);
		break;
	case 4:
		event->cause = CAUSE_CLOSED;
		break;
	case 5:
		event->kind = EVENT_UNKNOWN;
		event->cause = CAUSE_MONITORING_STOPPED;
		break;
	default:
		event->cause = CAUSE_UNKNOWN;
		break;
	}
}

static struct ip
get_address(const uint8_t *message)
{
	struct ip ip = { .family = FAMILY_IPV4 };

	if (message[AT_PEER_FLAGS] & FLAG_IPV6) {
		ip.family = FAMILY_IPV6;
		memcpy(ip.bytes, message + AT_ADDRESS, 16);
	} else {
		memcpy(ip.bytes, message + AT_ADDRESS + 12, 4);
	}
	return ip;
}

/* RFC 4364 4.2: a type of two bytes says how the other six are divided. */
static void
format_distinguisher(const uint8_t *rd, char buf[EVENT_INSTANCE_SIZE])
{
	static const uint8_t zero[8];

	if (memcmp(rd, zero, sizeof(zero)) == 0)
		buf[0] = '\0';
	else if (get_u16(rd) == 0)
		snprintf(buf, EVENT_INSTANCE_SIZE, "%u:%" PRIu32, get_u16(rd + 2), get_u32(rd + 4));
	else if (get_u16(rd) == 1)
		snprintf(buf, EVENT_INSTANCE_SIZE, "%u.%u.%u.%u:%u", rd[2], rd[3], rd[4], rd[5],
		    get_u16(rd + 6));
	else if (get_u16(rd) == 2)
		snprintf(
		    buf, EVENT_INSTANCE_SIZE, "%" PRIu32 ":%u", get_u32(rd + 2), get_u16(rd + 6));
	else
		snprintf(buf, EVENT_INSTANCE_SIZE, "0x%08" PRIx32 "%08" PRIx32, get_u32(rd),
		    get_u32(rd + 4));
}

/* size: of the whole message, all of which is there. */
static int
decode_peer_message(const uint8_t *message, size_t size, struct event *event)
{
	bool is_up = message[AT_TYPE] == TYPE_PEER_UP;

	if (size < (is_up ? (size_t)UP_SIZE : (size_t)AT_BODY + 1))
		return -EPROTO;
	if (message[AT_PEER_TYPE] >= PEER_LOC_RIB)
		return 0;
	event->peer = get_address(message);
	format_distinguisher(message + AT_DISTINGUISHER, event->instance);
	if (is_up)
		event->kind = EVENT_BGP_UP;
	else
		decode_down(message + AT_BODY, size - AT_BODY, event);
	return 0;
}

int
bmp_decode(const uint8_t *data, size_t size, struct event *ret_event)
{
	struct event event = { .kind = EVENT_IGNORED, .source = SOURCE_BMP, .established_s = -1 };
	uint32_t length;

	if (size > AT_VERSION && data[AT_VERSION] != BMP_VERSION)
		return -EPROTO;
	if (size < BMP_HEADER_SIZE)
		return 0;
	length = get_u32(data + AT_LENGTH);
	if (length < BMP_HEADER_SIZE || length > BMP_MAX_MESSAGE)
		return -EPROTO;
	if (size < length)
		return 0;
	if ((data[AT_TYPE] == TYPE_PEER_UP || data[AT_TYPE] == TYPE_PEER_DOWN) &&
	    decode_peer_message(data, length, &event) < 0)
		return -EPROTO;
	*ret_event = event;
	return (int)length;
}
