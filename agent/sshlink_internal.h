/* SPDX-License-Identifier: BSD-3-Clause */
/* What sshlink.c (messages, life and death) shares with sshlink_login.c (from TCP to subsystem). */
#ifndef AUTOFBF_SSHLINK_INTERNAL_H
#define AUTOFBF_SSHLINK_INTERNAL_H

#include <event2/event.h>

#include "error.h"
#include "framing.h"
#include "hello.h"
#include "sshlink.h"

enum { SSHLINK_EARLY_SIZE = 1024 };

enum link_state {
	LINK_TCP,
	LINK_KEY_EXCHANGE,
	LINK_ASK_METHODS,
	LINK_AUTHENTICATE,
	LINK_CHANNEL,
	LINK_SUBSYSTEM,
	LINK_HELLO,
	LINK_UP,
	LINK_FAILED, /* on_down is due */
	LINK_DOWN    /* on_down was called */
};

enum progress { AGAIN, GO_ON }; /* back to the loop; the next state at once */

struct sshlink {
	struct sshlink_config config;
	struct sshlink_callbacks callbacks;
	struct event_base *base; /* borrowed */
	enum link_state state;
	char place[IP_TEXT_SIZE + 8];                      /* "ADDRESS port" for texts */
	int fd;                                            /* owned; -1: none */
	ssh_session session;                               /* owned */
	ssh_channel channel;                               /* owned, by way of the session */
	ssh_key key;                                       /* owned */
	struct event *readable, *writable, *timer, *later; /* owned */
	struct framing *framing;                           /* owned */
	enum framing_version version;
	char *out; /* owned; framed bytes that the window did not take yet */
	size_t out_size, out_done, out_capacity;
	char early[SSHLINK_EARLY_SIZE]; /* first bytes of a peer that has not said hello yet */
	size_t early_size;
	char notice[HELLO_NOTICE_SIZE];
	struct error error; /* why it failed */
	unsigned depth;     /* callbacks under way */
	bool doomed;        /* freed from inside a callback */
};

/* sshlink.c */
enum progress sshlink_set_state(struct sshlink *link, enum link_state state);
/* The link is over; the owner is told from the loop. */
enum progress sshlink_fail(struct sshlink *link, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* With what the peer or libssh said, or these words. */
enum progress sshlink_fail_ssh(struct sshlink *link, const char *otherwise);
void sshlink_put_message(struct sshlink *link, const char *message, size_t size);
void sshlink_on_io(evutil_socket_t fd, short what, void *arg);

/* sshlink_login.c */
void sshlink_start_tcp(struct sshlink *link);
/* States LINK_TCP to LINK_SUBSYSTEM; ends in LINK_HELLO with our hello on its way. */
enum progress sshlink_login_step(struct sshlink *link);

#endif
