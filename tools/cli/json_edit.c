/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Splices in a JSON text. A profile is written by people: printing a parsed tree back would move
 * every line of it and make each review a review of the whole file. So values are found by their
 * place in the text, and a change is the text before, the new piece, the text behind.
 *
 * White space is never invented where there is a neighbour to learn from: a new entry is set apart
 * as the one before it is. Grammar is not checked; libyang has read the text before and reads the
 * result afterwards.
 */
#include "json_edit.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

#define SPACE " \t\r\n"

static size_t
skip_space(const char *text, size_t at)
{
	return at + strspn(text + at, SPACE);
}

static size_t
skip_string(const char *text, size_t at)
{
	for (at++; text[at] && text[at] != '"'; at++)
		if (text[at] == '\\' && text[at + 1])
			at++;
	return text[at] ? at + 1 : at;
}

static size_t
skip_container(const char *text, size_t at)
{
	size_t depth = 0;

	while (text[at]) {
		if (text[at] == '"') {
			at = skip_string(text, at);
			continue;
		}
		if (strchr("{[", text[at]))
			depth++;
		if (strchr("}]", text[at]) && --depth == 0)
			return at + 1;
		at++;
	}
	return at;
}

static size_t
skip_value(const char *text, size_t at)
{
	switch (text[at]) {
	case '"':
		return skip_string(text, at);
	case '{':
	case '[':
		return skip_container(text, at);
	default:
		return at + strcspn(text + at, ",}]" SPACE);
	}
}

struct json_span
json_root(const char *text)
{
	size_t start = skip_space(text, 0);

	return (struct json_span){ start, skip_value(text, start) };
}

bool
json_next(const char *text, struct json_span container, size_t *cursor, struct json_span *ret_name,
    struct json_span *ret_value)
{
	size_t at = *cursor ? *cursor : container.start + 1;
	struct json_span name = { at, at }, value;

	if (container.end < container.start + 2)
		return false;
	at = skip_space(text, at);
	if (at < container.end && text[at] == ',')
		at = skip_space(text, at + 1);
	if (at + 1 >= container.end)
		return false;
	if (text[container.start] == '{') {
		name = (struct json_span){ at, skip_string(text, at) };
		at = skip_space(text, name.end);
		if (text[at] == ':')
			at = skip_space(text, at + 1);
	}
	value = (struct json_span){ at, skip_value(text, at) };
	if (value.end == value.start || value.end > container.end)
		return false;
	*cursor = value.end;
	*ret_name = name;
	*ret_value = value;
	return true;
}

char *
json_string(const char *text, struct json_span value)
{
	struct json_tokener *tokener;
	struct json_object *object;
	char *copy = NULL;

	if (text[value.start] != '"')
		return NULL;
	tokener = json_tokener_new();
	object = json_tokener_parse_ex(tokener, text + value.start, (int)(value.end - value.start));
	if (json_object_is_type(object, json_type_string))
		copy = xstrdup(json_object_get_string(object));
	json_object_put(object);
	json_tokener_free(tokener);
	return copy;
}

char *
json_quote(const char *value)
{
	struct json_object *object = json_object_new_string(value);
	char *text = xstrdup(json_object_to_json_string_ext(
	    object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));

	json_object_put(object);
	return text;
}

static bool
is_called(const char *text, struct json_span name, const char *wanted)
{
	char *own = json_string(text, name);
	const char *colon = own ? strchr(own, ':') : NULL;
	bool same = own && strcmp(colon ? colon + 1 : own, wanted) == 0;

	free(own);
	return same;
}

/* With the name's span as well, which json_put and json_drop need. */
static bool
find_member(const char *text, struct json_span object, const char *wanted,
    struct json_span *ret_name, struct json_span *ret_value)
{
	struct json_span name, value;
	size_t cursor = 0;

	while (text[object.start] == '{' && json_next(text, object, &cursor, &name, &value)) {
		if (!is_called(text, name, wanted))
			continue;
		*ret_name = name;
		*ret_value = value;
		return true;
	}
	return false;
}

bool
json_member(
    const char *text, struct json_span object, const char *name, struct json_span *ret_value)
{
	struct json_span own;

	return find_member(text, object, name, &own, ret_value);
}

/* ---- changes ------------------------------------------------------------------------------- */

static char *
splice(const char *text, size_t start, size_t end, const char *piece)
{
	return xasprintf("%.*s%s%s", (int)start, text, piece, text + end);
}

/* What stands between two entries, judged from one that begins here: a line of its own, or not.
 * The caller frees it. */
static char *
get_separator(const char *text, size_t at)
{
	size_t line = at;

	while (line > 0 && strchr(" \t", text[line - 1]))
		line--;
	if (line > 0 && text[line - 1] == '\n')
		return xasprintf(",\n%.*s", (int)(at - line), text + line);
	return xstrdup(", ");
}

static bool
find_last(const char *text, struct json_span container, struct json_span *ret_name,
    struct json_span *ret_value)
{
	size_t cursor = 0;
	bool found = false;

	while (json_next(text, container, &cursor, ret_name, ret_value))
		found = true;
	return found;
}

char *
json_put(const char *text, struct json_span object, const char *after, const char *name,
    const char *value)
{
	struct json_span own, old;
	char *separator, *piece, *result;

	if (text[object.start] != '{')
		return xstrdup(text);
	if (find_member(text, object, name, &own, &old))
		return splice(text, old.start, old.end, value);
	if (!(after && find_member(text, object, after, &own, &old)) &&
	    !find_last(text, object, &own, &old)) {
		separator = xstrdup("");
		old.end = object.start + 1;
	} else {
		separator = get_separator(text, own.start);
	}
	piece = xasprintf("%s\"%s\": %s", separator, name, value);
	result = splice(text, old.end, old.end, piece);
	free(separator);
	free(piece);
	return result;
}

char *
json_drop(const char *text, struct json_span object, const char *name)
{
	struct json_span own, value, next_name, next_value;
	size_t start, cursor;

	if (!find_member(text, object, name, &own, &value))
		return xstrdup(text);
	cursor = value.end;
	if (json_next(text, object, &cursor, &next_name, &next_value))
		return splice(text, own.start, next_name.start, "");
	for (start = own.start; start > object.start + 1 && strchr(SPACE ",", text[start - 1]);)
		start--;
	return splice(text, start, value.end, "");
}

char *
json_append(const char *text, struct json_span array, const char *entry)
{
	struct json_span name, last;
	char *separator, *piece, *result;

	if (text[array.start] != '[')
		return xstrdup(text);
	if (!find_last(text, array, &name, &last))
		return splice(text, array.start + 1, array.start + 1, entry);
	separator = get_separator(text, last.start);
	piece = xasprintf("%s%s", separator, entry);
	result = splice(text, last.end, last.end, piece);
	free(separator);
	free(piece);
	return result;
}

/* text[start..end) when it is nothing but white space, else what is usual. The caller frees it. */
static char *
copy_space(const char *text, size_t start, size_t end, const char *usual)
{
	if (strspn(text + start, SPACE) < end - start)
		return xstrdup(usual);
	return xasprintf("%.*s", (int)(end - start), text + start);
}

char *
json_object_like(const char *text, struct json_span like, char *const *members, size_t count)
{
	struct json_span name, value, first = like, second = like;
	char *open = xstrdup(""), *between = xstrdup(" "), *close = xstrdup(""), *result;
	size_t cursor = 0, n = 0, before = 0;

	for (; json_next(text, like, &cursor, &name, &value); before = value.end) {
		if (n == 0)
			first = name;
		if (n++ == 1 && (second = name, text[before] == ',')) {
			free(between);
			between = copy_space(text, before + 1, second.start, " ");
		}
	}
	if (n > 0) {
		free(open);
		free(close);
		open = copy_space(text, like.start + 1, first.start, "");
		close = copy_space(text, before, like.end - 1, "");
	}
	result = xasprintf("{%s", open);
	for (size_t i = 0; i < count; i++)
		xappendf(&result, "%s%s\"%s\": %s", i ? "," : "", i ? between : "", members[2 * i],
		    members[2 * i + 1]);
	xappendf(&result, "%s}", close);
	free(open);
	free(between);
	free(close);
	return result;
}
