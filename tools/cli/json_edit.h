/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small changes of a JSON text that leave the rest of it byte for byte: its order, its line breaks,
 * its indentation. For text that a parser has accepted; no text makes this read past its end.
 */
#ifndef AUTOFBF_CLI_JSON_EDIT_H
#define AUTOFBF_CLI_JSON_EDIT_H

#include <stdbool.h>
#include <stddef.h>

struct json_span { /* a value, or a name with its quotes: text[start] .. text[end - 1] */
	size_t start, end;
};

struct json_span json_root(const char *text);
/* The entries of an object or an array: *cursor 0 starts. ret_name is empty in an array. */
bool json_next(const char *text, struct json_span container, size_t *cursor,
    struct json_span *ret_name, struct json_span *ret_value);
/* A member by its name, also when the name carries a module (RFC 7951: "autofbf:group"). */
bool json_member(
    const char *text, struct json_span object, const char *name, struct json_span *ret_value);
/* A string's value; NULL when the span is no string. The caller frees it. */
char *json_string(const char *text, struct json_span value);
/* A value as text, quoted. The caller frees it. */
char *json_quote(const char *value);

/* These return a new text, which the caller frees; spans of the old one do not hold for it. */

/* Replaces a member's value, or adds the member behind `after` (NULL or not there: at the end). */
char *json_put(const char *text, struct json_span object, const char *after, const char *name,
    const char *value);
char *json_drop(const char *text, struct json_span object, const char *name);
/* Adds an entry at the end of an array, set as the last one is. */
char *json_append(const char *text, struct json_span array, const char *entry);
/* An object of count members, set as `like` is; names and values alternate in members. */
char *json_object_like(const char *text, struct json_span like, char *const *members, size_t count);

#endif
