/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A walk over the profile's JSON text, member by member, with the path and the line of each.
 *
 * libyang knows no line after parsing, merges a container that is given twice, and clears host bits
 * without a word; a mistake in any of these moves traffic, so the text itself is looked at. The
 * walk calls one visitor for every member and every entry of an array; the visitor decides what to
 * do. The text has been parsed by libyang or is only searched for the place of an error, so grammar
 * is not this file's business: on anything odd the walk ends. It never reads past the final NUL and
 * never goes deeper than the model does.
 */
#include "profile_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "prefix.h"

enum { DEEPEST = 24 };

struct visit {
	const char *path;
	unsigned line;
	const char *value; /* NULL for objects and arrays */
	bool again;        /* the object has had this member before */
};

struct walk {
	const char *p;
	unsigned line;
	unsigned depth;
	bool look_twice; /* set visit.again: costs a look at all members before */
	char *path;      /* owned */
	size_t path_length;
	size_t path_room;
	/* not 0: end the walk with this */
	int (*visitor)(void *arg, const struct visit *visit);
	void *arg;
};

static void
skip_space(struct walk *w)
{
	for (; *w->p == ' ' || *w->p == '\t' || *w->p == '\r' || *w->p == '\n'; w->p++)
		w->line += *w->p == '\n';
}

static void
push(struct walk *w, const char *text)
{
	size_t n = strlen(text);

	if (w->path_length + n + 1 > w->path_room) {
		w->path_room = 2 * (w->path_length + n + 1);
		w->path = xreallocarray(w->path, w->path_room, 1);
	}
	memcpy(w->path + w->path_length, text, n + 1);
	w->path_length += n;
}

static void
pop(struct walk *w, size_t length)
{
	w->path_length = length;
	w->path[length] = '\0';
}

/* ---- tokens ---- */

static unsigned
read_hex4(const char *p)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *digit = p[i] ? strchr(digits, p[i]) : NULL;

		if (!digit)
			return 0xfffd; /* U+FFFD, the replacement character */
		value = value << 4 | ((unsigned)(digit - digits) & 15);
	}
	return value;
}

/* Names and values of the model are ASCII; anything else only has to differ from them. */
static size_t
put_character(char *out, unsigned c)
{
	if (c < 0x80) {
		out[0] = (char)(c ? c : '?');
		return 1;
	}
	out[0] = (char)(0xe0 | c >> 12);
	out[1] = (char)(0x80 | (c >> 6 & 0x3f));
	out[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

static char
unescape(char c)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *at = c ? strchr(from, c) : NULL;

	return at ? to[at - from] : c;
}

/* A string at its opening quote; the caller frees it. An unfinished one ends at the NUL. */
static char *
read_string(struct walk *w)
{
	const char *end = w->p + 1;
	char *text;
	size_t n = 0;

	while (*end && *end != '"')
		end += *end == '\\' && end[1] ? 2 : 1;
	text = xcalloc((size_t)(end - w->p) + 1, 1);
	for (w->p++; w->p < end; w->p++) {
		w->line += *w->p == '\n';
		if (*w->p != '\\' || w->p + 1 >= end) {
			text[n++] = *w->p;
		} else if (*++w->p == 'u' && end - w->p > 4) {
			n += put_character(text + n, read_hex4(w->p + 1));
			w->p += 4;
		} else {
			text[n++] = unescape(*w->p);
		}
	}
	w->p += *end == '"';
	return text;
}

/* A string without its quotes, or a number or word as it stands; NULL: neither. */
static char *
read_scalar(struct walk *w)
{
	size_t n = strcspn(w->p, ",]}{[\": \t\r\n");
	char *text;

	if (*w->p == '"')
		return read_string(w);
	if (n == 0)
		return NULL;
	text = xcalloc(n + 1, 1);
	memcpy(text, w->p, n);
	w->p += n;
	return text;
}

/* To the character after any value. */
static void
skip_value(struct walk *w)
{
	unsigned open = 0;

	do {
		skip_space(w);
		if (*w->p == '{' || *w->p == '[') {
			open++;
			w->p++;
		} else if ((*w->p == '}' || *w->p == ']') && open) {
			open--;
			w->p++;
		} else if ((*w->p == ',' || *w->p == ':') && open) {
			w->p++;
		} else {
			char *text = read_scalar(w);

			if (!text)
				return;
			free(text);
		}
	} while (open);
}

/* The member's name without a module, and past the colon. NULL: no member here. */
static char *
read_name(struct walk *w)
{
	char *text, *colon;

	skip_space(w);
	if (*w->p != '"')
		return NULL;
	text = read_string(w);
	skip_space(w);
	if (*w->p != ':') {
		free(text);
		return NULL;
	}
	w->p++;
	skip_space(w);
	colon = strchr(text, ':');
	if (colon)
		memmove(text, colon + 1, strlen(colon + 1) + 1);
	return text;
}

/* ---- the walk ---- */

static int walk_value(struct walk *w, unsigned line, bool again);

static bool
take(struct walk *w, char c)
{
	skip_space(w);
	if (*w->p != c)
		return false;
	w->p++;
	return true;
}

/* Appends "[VALUE]" for the member called key of the object at the walk's place. */
static void
push_key(struct walk *w, const char *key)
{
	struct walk ahead = *w;
	char *name, *value = NULL;

	ahead.p++; /* the brace */
	while (!value && (name = read_name(&ahead))) {
		if (strcmp(name, key) == 0)
			value = read_scalar(&ahead);
		else
			skip_value(&ahead);
		free(name);
		if (!value && !take(&ahead, ','))
			break;
	}
	if (!value)
		return;
	push(w, "[");
	push(w, value);
	push(w, "]");
	free(value);
}

/* Names the object at the walk's place, which is an entry of a list. */
static void
push_keys(struct walk *w, const char *list)
{
	static const struct {
		const char *list;
		const char *keys[2];
	} known[] = {
		{ "pool", { "prefix" } },
		{ "weight", { "epoch" } },
		{ "split", { "family", "survivors" } },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(list, known[i].list) != 0)
			continue;
		push_key(w, known[i].keys[0]);
		if (known[i].keys[1])
			push_key(w, known[i].keys[1]);
		return;
	}
	push_key(w, "id");
}

static int
walk_array(struct walk *w)
{
	size_t length = w->path_length;
	const char *slash = strrchr(w->path, '/');
	char *list = xstrdup(slash ? slash + 1 : "");
	int rc = 0;

	w->p++; /* the bracket */
	do {
		skip_space(w);
		if (*w->p == ']')
			break;
		if (*w->p == '{')
			push_keys(w, list);
		rc = walk_value(w, w->line, false);
		pop(w, length);
	} while (rc == 0 && take(w, ','));
	if (rc == 0 && !take(w, ']'))
		rc = -EBADMSG;
	free(list);
	return rc;
}

static int
walk_member(struct walk *w, const char *name, unsigned line, bool again)
{
	size_t length = w->path_length;
	int rc;

	/* the container `profile` is in every path, so it is left out */
	if (w->depth > 1 || strcmp(name, "profile") != 0) {
		push(w, "/");
		push(w, name);
	}
	rc = walk_value(w, line, again);
	pop(w, length);
	return rc;
}

static int
walk_object(struct walk *w)
{
	char **names = NULL, *name;
	size_t count = 0;
	int rc = 0;

	w->p++; /* the brace */
	do {
		bool again = false;
		unsigned line;

		skip_space(w);
		line = w->line;
		name = read_name(w);
		if (!name)
			break;
		for (size_t i = 0; w->look_twice && i < count; i++)
			again |= strcmp(names[i], name) == 0;
		names = xreallocarray(names, count + 1, sizeof(*names));
		names[count++] = name;
		rc = walk_member(w, name, line, again);
	} while (rc == 0 && take(w, ','));
	if (rc == 0 && !take(w, '}'))
		rc = -EBADMSG;
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return rc;
}

static int
walk_value(struct walk *w, unsigned line, bool again)
{
	bool nested = *w->p == '{' || *w->p == '[';
	char *value = nested ? NULL : read_scalar(w);
	struct visit visit = { w->path, line, value, again };
	int rc = nested || value ? w->visitor(w->arg, &visit) : -EBADMSG;

	free(value);
	if (rc || !nested)
		return rc;
	if (++w->depth > DEEPEST)
		return -EBADMSG;
	rc = *w->p == '{' ? walk_object(w) : walk_array(w);
	w->depth--;
	return rc;
}

static int
walk_text(
    const char *text, bool look_twice, int (*visitor)(void *, const struct visit *), void *arg)
{
	struct walk w = {
		.p = text, .line = 1, .look_twice = look_twice, .visitor = visitor, .arg = arg
	};
	int rc;

	push(&w, "");
	skip_space(&w);
	rc = walk_value(&w, w.line, false);
	skip_space(&w);
	if (rc == 0 && *w.p)
		rc = -EBADMSG;
	free(w.path);
	return rc;
}

/* ---- checks ---- */

/* The closing quote, or what is before the final NUL. */
static const char *
end_of_string(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p : p - 1;
}

unsigned
profile_text_crowd(const char *text)
{
	size_t commas[DEEPEST] = { 0 }, depth = 0;
	unsigned line = 1;

	for (const char *p = text; *p; p++) {
		if (*p == '"')
			p = end_of_string(p);
		else if (*p == '\n')
			line++;
		else if ((*p == '}' || *p == ']') && depth > 0)
			depth--;
		else if ((*p == '{' || *p == '[') && ++depth < DEEPEST)
			commas[depth] = 0;
		else if (*p == ',' && depth < DEEPEST && ++commas[depth] == PROFILE_TEXT_ENTRIES)
			return line;
	}
	return 0;
}

static bool
ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n >= m && strcmp(path + n - m, end) == 0;
}

static int
complain_host_bits(const struct visit *visit, struct error *err)
{
	char text[PREFIX_TEXT_SIZE], address[IP_TEXT_SIZE] = "";
	const char *slash = strchr(visit->value, '/');
	struct prefix prefix = { .length = 0 };
	size_t n = slash ? (size_t)(slash - visit->value) : 0;

	if (n == 0 || n >= sizeof(address))
		return error_set(err, -EINVAL, "%s: %s is not a prefix", visit->path, visit->value);
	memcpy(address, visit->value, n);
	address[n] = '\0';
	if (ip_parse(address, &prefix.address) < 0)
		return error_set(err, -EINVAL, "%s: %s is not a prefix", visit->path, visit->value);
	prefix.length = (uint8_t)strtoul(slash + 1, NULL, 10);
	for (unsigned bit = prefix.length; bit < family_bits(prefix.address.family); bit++)
		prefix.address.bytes[bit / 8] &= (uint8_t) ~(0x80 >> (bit % 8));
	return error_set(err, -EINVAL, "%s: host bits are set in %s, %s would be right",
	    visit->path, visit->value, prefix_format(&prefix, text));
}

static int
check_visit(void *arg, const struct visit *visit)
{
	static const char *const ends[] = { "/prefix", "/allowed-source", "/sentinel/ipv4",
		"/sentinel/ipv6", "/failed-route", "/alter-route", "/supernet", "/host-prefix" };
	struct error *err = arg;
	struct prefix prefix;

	if (visit->again)
		return error_set(err, -EINVAL, "%s: is given twice, keep one",
		    *visit->path ? visit->path : "autofbf:profile");
	for (size_t i = 0; visit->value && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends_with(visit->path, ends[i]) && prefix_parse(visit->value, &prefix) < 0)
			return complain_host_bits(visit, err);
	return 0;
}

int
profile_text_check(const char *text, struct error *err)
{
	int rc = walk_text(text, true, check_visit, err);

	if (rc == -EBADMSG)
		return error_set(
		    err, -EINVAL, "is not JSON, there is something after the closing brace");
	return rc;
}

/* ---- searches ---- */

/* A [key] that wanted leaves out stands for any. */
static bool
matches(const char *wanted, const char *path)
{
	while (*wanted && *path) {
		if (*path == '[' && *wanted != '[') {
			const char *end = strchr(path, ']');

			if (!end)
				return false;
			path = end + 1;
		} else if (*wanted++ != *path++) {
			return false;
		}
	}
	while (*path == '[' && strchr(path, ']'))
		path = strchr(path, ']') + 1;
	return !*wanted && !*path;
}

struct search {
	const char *path;
	const char *value;
	char *found; /* owned */
	unsigned line;
};

static int
search_visit(void *arg, const struct visit *visit)
{
	struct search *search = arg;

	if (!matches(search->path, visit->path))
		return 0;
	if (search->value && (!visit->value || strcmp(visit->value, search->value) != 0))
		return 0;
	search->found = xstrdup(visit->path);
	search->line = visit->line;
	return 1;
}

char *
profile_text_find(const char *text, const char *path, const char *value, unsigned *ret_line)
{
	struct search search = { .path = path, .value = value };

	(void)walk_text(text, false, search_visit, &search); /* odd text: found so far or nothing */
	if (search.found && ret_line)
		*ret_line = search.line;
	return search.found;
}

/* The last '/' that is not inside a key, as the one of pool[10.0.0.0/8] is. */
static char *
last_slash(char *path)
{
	char *last = NULL;
	bool inside = false;

	for (; *path; path++) {
		if (*path == '[')
			inside = true;
		else if (*path == ']')
			inside = false;
		else if (*path == '/' && !inside)
			last = path;
	}
	return last;
}

unsigned
profile_text_line(const char *text, const char *path)
{
	char *wanted = xstrdup(path), *slash, *found = NULL;
	unsigned line = 0;

	while (!found && *wanted) {
		found = profile_text_find(text, wanted, NULL, &line);
		slash = last_slash(wanted);
		if (!slash)
			break;
		*slash = '\0';
	}
	free(found);
	free(wanted);
	return line;
}
