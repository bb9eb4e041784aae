/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of a Junos router to events. A line is a header, the tag of the message, and its text:
 *   BSD         <28>Jun 21 14:03:12  r1 rpd[2902]: TAG: text        (dated: "14:03:12.541 2021")
 *   explicit    ... rpd[2902]: %DAEMON-4-TAG: text
 *   RFC 5424    <28>1 2026-11-30T03:07:42.5Z r1 rpd 2902 TAG [junos@2636.1.1.1.2.29 k="v"] text
 * The tag is looked for only where a tag stands, never somewhere in the text: an operator who types
 * a command with an event's name in it must not take a firewall out of service. Parameters of
 * structured lines win over the words of the text, which need not be there.
 *
 * For BGP only the step to or from Established counts. For BFD the new state counts. A BFD session
 * that was taken down on purpose (AdminDown, or its BGP session went first and destroyed it) has
 * the cause "admin": that is a consequence and no failure, and health.c leaves it alone.
 */
#include "syslogmsg.h"

#include <string.h>

/* A piece of the line; never NUL-terminated. at NULL: absent. */
struct text {
	const char *at;
	size_t size;
};

/* What the header left: tag, structured parameters (between the brackets), words. */
struct message {
	struct text tag, params, words;
};

static const struct {
	const char *word; /* event of rpd's state machine, as in "(event HoldTime)" */
	enum event_cause cause;
} bgp_event_causes[] = {
	{ "HoldTime", CAUSE_HOLD_TIMER },
	{ "Stop", CAUSE_ADMIN },
	{ "BfdDown", CAUSE_BFD },
	{ "RecvNotify", CAUSE_NOTIFICATION_RECEIVED },
	{ "SendNotify", CAUSE_NOTIFICATION_SENT },
	{ "Closed", CAUSE_CLOSED },
	{ "Close", CAUSE_CLOSED },
	{ "TransportError", CAUSE_CLOSED },
};

/* ---- pieces of text ---------------------------------------------------------------------- */

static bool
equals(struct text text, const char *word)
{
	return text.size == strlen(word) && memcmp(text.at, word, text.size) == 0;
}

static bool
starts_with(struct text text, const char *word)
{
	return text.size >= strlen(word) && memcmp(text.at, word, strlen(word)) == 0;
}

static bool
ends_with(struct text text, const char *word)
{
	size_t size = strlen(word);

	return text.size >= size && memcmp(text.at + text.size - size, word, size) == 0;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
equals_nocase(struct text text, const char *word)
{
	if (text.size != strlen(word))
		return false;
	for (size_t i = 0; i < text.size; i++) {
		if (lower(text.at[i]) != lower(word[i]))
			return false;
	}
	return true;
}

static struct text
skip(struct text text, size_t count)
{
	if (count == 0)
		return text;
	if (count > text.size)
		count = text.size;
	return (struct text){ text.at + count, text.size - count };
}

static struct text
skip_spaces(struct text text)
{
	while (text.size > 0 && (text.at[0] == ' ' || text.at[0] == '\t'))
		text = skip(text, 1);
	return text;
}

/* What follows the first occurrence of a phrase; absent when it does not occur. */
static struct text
after(struct text text, const char *phrase)
{
	size_t size = strlen(phrase);

	for (; text.size >= size && size > 0; text = skip(text, 1)) {
		if (memcmp(text.at, phrase, size) == 0)
			return skip(text, size);
	}
	return (struct text){ NULL, 0 };
}

/* Up to the first character of stops, or all of it. */
static struct text
until(struct text text, const char *stops)
{
	size_t n = 0;

	while (n < text.size && !memchr(stops, text.at[n], strlen(stops)))
		n++;
	return (struct text){ text.at, n };
}

/* Takes one word and the spaces behind it off the front. */
static struct text
take_word(struct text *text)
{
	struct text word;

	*text = skip_spaces(*text);
	word = until(*text, " \t");
	*text = skip_spaces(skip(*text, word.size));
	return word;
}

static void
copy_text(struct text text, char *buf, size_t size)
{
	size_t n = text.size < size - 1 ? text.size : size - 1;

	if (n > 0)
		memcpy(buf, text.at, n);
	buf[n] = '\0';
}

/* A name that goes to logs and screens: whatever is not plain ASCII becomes "?". */
static void
copy_name(struct text text, char *buf, size_t size)
{
	copy_text(text, buf, size);
	for (size_t i = 0; i < text.size && i < size - 1; i++) {
		if (buf[i] < ' ' || buf[i] > '~')
			buf[i] = '?';
	}
}

/* "192.0.2.1", "192.0.2.1+179", "fe80::1%ge-0/0/0.0", "192.0.2.1 (External AS 65001)". */
static bool
parse_peer(struct text text, struct ip *ret_ip)
{
	char buf[IP_TEXT_SIZE];

	text = until(skip_spaces(text), " \t+%,;()");
	while (text.size > 0 && text.at[text.size - 1] == ':' && !ends_with(text, "::"))
		text.size--;
	if (text.size == 0 || text.size >= sizeof(buf) || memchr(text.at, '\0', text.size))
		return false;
	copy_text(text, buf, sizeof(buf));
	return ip_parse(buf, ret_ip) == 0;
}

/* ---- header ------------------------------------------------------------------------------ */

static bool
is_tag_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Junos' tags are capitals with an underscore: RPD_..., BFDD_..., UI_... */
static bool
is_tag(struct text text)
{
	if (!text.at || !memchr(text.at, '_', text.size))
		return false;
	for (size_t i = 0; i < text.size; i++) {
		if (!is_tag_char(text.at[i]))
			return false;
	}
	return true;
}

/* Word "TAG:" or "%FACILITY-SEVERITY-TAG:"; absent when the word is neither. */
static struct text
tag_of_word(struct text word)
{
	struct text absent = { NULL, 0 };

	if (word.size == 0 || word.at[word.size - 1] != ':')
		return absent;
	word.size--;
	if (word.at[0] == '%') {
		word = after(after(word, "-"), "-");
		if (!word.at)
			return absent;
	}
	return is_tag(word) ? word : absent;
}

/* Text that begins with its tag; false when there is none. */
static bool
parse_tagged(struct text text, struct message *ret_message)
{
	struct text word = take_word(&text), tag = tag_of_word(word);

	if (!tag.at)
		return false;
	*ret_message = (struct message){ .tag = tag, .words = text };
	return true;
}

/* "<28>" in front; a line without it is as good. */
static struct text
skip_priority(struct text line)
{
	size_t n = 1;

	if (line.size == 0 || line.at[0] != '<')
		return line;
	while (n < line.size && n < 4 && line.at[n] >= '0' && line.at[n] <= '9')
		n++;
	return n > 1 && n < line.size && line.at[n] == '>' ? skip(line, n + 1) : line;
}

/* Everything up to the process is only passed over: the first word that ends in a colon is the
 * process, or the tag itself where a relay has dropped the process. */
static bool
parse_bsd(struct text line, struct message *ret_message)
{
	while (line.size > 0) {
		struct text rest = line, word = take_word(&rest);

		if (word.size > 0 && word.at[word.size - 1] == ':')
			return parse_tagged(line, ret_message) || parse_tagged(rest, ret_message);
		line = rest;
	}
	return false;
}

/* STRUCTURED-DATA of RFC 5424 6.3 from the front of text: "-" or "[...]" elements without space
 * between them. Brackets inside quoted values do not count. */
static struct text
take_params(struct text *text)
{
	bool quoted = false;
	size_t n = 0;
	struct text params;

	if (text->size == 0 || text->at[0] != '[') {
		take_word(text);
		return (struct text){ NULL, 0 };
	}
	for (; n < text->size; n++) {
		char c = text->at[n];

		if (c == '\\' && quoted)
			n++;
		else if (c == '"')
			quoted = !quoted;
		else if (c == ' ' && !quoted && text->at[n - 1] == ']')
			break;
	}
	params = (struct text){ text->at, n < text->size ? n : text->size };
	*text = skip_spaces(skip(*text, params.size));
	return params;
}

/* After "<PRI>": VERSION TIMESTAMP HOSTNAME APP-NAME PROCID MSGID SD [MSG]. */
static bool
parse_rfc5424(struct text line, struct message *ret_message)
{
	struct message message;

	for (int i = 0; i < 5; i++)
		take_word(&line);
	message.tag = take_word(&line);
	message.params = take_params(&line);
	if (starts_with(line, "\xef\xbb\xbf"))
		line = skip(line, 3);
	message.words = line;
	if (!is_tag(message.tag))
		return parse_tagged(line, ret_message);
	*ret_message = message;
	return true;
}

static bool
parse_message(struct text line, struct message *ret_message)
{
	struct text rest = skip_priority(line), copy = rest;

	if (rest.at != line.at && equals(take_word(&copy), "1"))
		return parse_rfc5424(rest, ret_message);
	return parse_bsd(rest, ret_message);
}

/* Value of a structured parameter; absent when the line has none of that name. Values that we read
 * hold no escapes, so escapes are passed over and not undone. */
static struct text
find_param(struct text params, const char *name)
{
	while (params.size > 0) {
		struct text key, value;

		params = skip_spaces(params);
		key = until(params, "= \t");
		params = skip(params, key.size);
		if (!starts_with(params, "=\"")) {
			params = skip(params, key.size == 0);
			continue;
		}
		params = skip(params, 2);
		value = (struct text){ params.at, 0 };
		while (value.size < params.size && params.at[value.size] != '"')
			value.size += params.at[value.size] == '\\' ? 2 : 1;
		if (value.size > params.size)
			value.size = params.size;
		params = skip(params, value.size + 1);
		if (equals(key, name))
			return value;
	}
	return (struct text){ NULL, 0 };
}

/* The parameter where there is one, else what follows the phrase in the words, up to a stop. */
static struct text
find_value(const struct message *message, const char *param, const char *phrase, const char *stops)
{
	struct text value = find_param(message->params, param);

	return value.size > 0 ? value : until(after(message->words, phrase), stops);
}

/* ---- messages ---------------------------------------------------------------------------- */

static enum event_cause
bgp_cause(struct text word)
{
	for (size_t i = 0; i < sizeof(bgp_event_causes) / sizeof(bgp_event_causes[0]); i++) {
		if (equals(word, bgp_event_causes[i].word))
			return bgp_event_causes[i].cause;
	}
	return CAUSE_UNKNOWN;
}

/* BGP peer A (External AS N) changed state from X to Y (event E) (instance I) */
static void
decode_bgp(const struct message *message, struct event *event)
{
	struct text change = after(message->words, " changed state from ");
	struct text from = find_param(message->params, "old-state");
	struct text to = find_param(message->params, "new-state");
	struct text instance = find_value(message, "instance", "(instance ", ")");

	if (!from.at)
		from = until(change, " ");
	if (!to.at)
		to = until(after(change, " to "), " ");
	if (equals(from, "Established") == equals(to, "Established"))
		return;
	if (!parse_peer(find_value(message, "peer-name", "BGP peer ", " "), &event->peer))
		return;
	copy_name(instance, event->instance, sizeof(event->instance));
	if (equals(to, "Established")) {
		event->kind = EVENT_BGP_UP;
	} else {
		event->kind = EVENT_BGP_DOWN;
		event->cause = bgp_cause(find_value(message, "event", "(event ", ")"));
	}
}

static bool
is_admin_down(struct text state)
{
	return equals_nocase(state, "AdminDown") || equals_nocase(state, "admin down") ||
	       equals_nocase(state, "admin-down");
}

/* The session was ended on purpose, by an operator or because its client went away. */
static bool
is_on_purpose(const struct message *message, struct text state)
{
	return is_admin_down(state) ||
	       is_admin_down(until(after(message->words, "Local diag: "), " .,")) ||
	       is_admin_down(until(after(message->words, "Remote diag: "), " .,")) ||
	       after(message->words, "Upstream Destroy Session").at;
}

static void
set_bfd(const struct message *message, struct text from, struct text to, struct text peer,
    struct event *event)
{
	enum event_kind kind = EVENT_IGNORED;

	if (equals_nocase(to, "up"))
		kind = EVENT_BFD_UP;
	else if (equals_nocase(to, "down") || is_admin_down(to) || equals_nocase(from, "up"))
		kind = EVENT_BFD_DOWN;
	if (kind == EVENT_IGNORED || !parse_peer(peer, &event->peer))
		return;
	event->kind = kind;
	if (kind == EVENT_BFD_DOWN)
		event->cause = is_on_purpose(message, to) ? CAUSE_ADMIN : CAUSE_BFD;
}

/* State in a tag: between "_STATE_" and "_TO_" or the end, or behind "_TO_". */
static struct text
tag_state(struct text tag, bool is_new)
{
	struct text states = after(tag, "_STATE_"), to = after(states, "_TO_");

	if (!is_new)
		return to.at ? (struct text){ states.at, (size_t)(to.at - states.at) - 4 }
		             : (struct text){ NULL, 0 };
	return to.at ? to : states;
}

/* BFD Session A (IFL n) state X -> Y LD/RD(..) Up time:.. Local diag: D Remote diag: D Reason: R.
 */
static void
decode_bfd_state(const struct message *message, struct event *event)
{
	struct text change = after(message->words, " state "), to = after(change, " -> ");
	struct text peer = find_value(message, "remote-peer", "BFD Session ", " ");

	if (to.at)
		set_bfd(message, until(change, " "), until(to, " ,."), peer, event);
	else
		set_bfd(message, tag_state(message->tag, false), tag_state(message->tag, true),
		    peer, event);
}

/* local discriminator: N, new state: S, interface: I, peer addr: A */
static void
decode_bfd_trap(const struct message *message, struct event *event)
{
	struct text state = find_value(message, "state", "new state: ", ",");
	struct text peer = find_value(message, "remote-peer", "peer addr: ", " ,");

	if (!state.at)
		state = tag_state(message->tag, true);
	set_bfd(message, (struct text){ NULL, 0 }, state, peer, event);
}

void
syslogmsg_decode(const char *line, size_t size, struct event *ret_event)
{
	struct event event = {
		.kind = EVENT_IGNORED, .source = SOURCE_SYSLOG, .established_s = -1
	};
	struct text text = { line, size < SYSLOG_MAX_LINE ? size : SYSLOG_MAX_LINE };
	struct message message;

	while (text.size > 0 && strchr(" \t\r\n", text.at[text.size - 1]))
		text.size--;
	if (text.size > 0 && parse_message(text, &message)) {
		if (equals(message.tag, "RPD_BGP_NEIGHBOR_STATE_CHANGED"))
			decode_bgp(&message, &event);
		else if (starts_with(message.tag, "BFDD_STATE_"))
			decode_bfd_state(&message, &event);
		else if (starts_with(message.tag, "BFDD_TRAP_") &&
		         after(message.tag, "HOP_STATE_").at)
			decode_bfd_trap(&message, &event);
		else if (equals(message.tag, "UI_COMMIT_COMPLETED"))
			event.kind = EVENT_COMMITTED;
	}
	*ret_event = event;
}
