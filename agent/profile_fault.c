/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libyang says about a wrong profile -> what a person needs: file, line, path, what is wrong,
 * what would be right.
 *
 * libyang 2 tells one error: a sentence, a path (of the data, or only of the schema) and, while it
 * parses, a line. The sentence is recognised by its beginning and said again with the range, the
 * names or the form that the schema allows; one that is not recognised is passed on as it is. The
 * path is shortened to ours; keys that libyang had not read yet are looked up in the text.
 */
#include "profile_fault.h"

#include <ctype.h>
#include <libyang/libyang.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_text.h"

struct fault {
	const struct lyd_node *tree;
	char *message; /* owned; libyang's, copied: looking up the schema may replace it */
	char *path;    /* owned; short form, may lack keys */
	char *value;   /* owned; the first quoted word of the message, "" when there is none */
	const struct lysc_node *schema; /* of path, or NULL */
	unsigned line;
	bool by_value; /* the text has the value at path */
	bool placed;   /* path and line are as good as they get */
	char what[300];
};

static bool
begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static char *
copy_part(const char *text, size_t length)
{
	char *copy = xcalloc(length + 1, 1);

	memcpy(copy, text, length);
	return copy;
}

/* What stands between quote characters after start, or "". */
static char *
quoted_after(const char *text, const char *start)
{
	const char *at = text ? strstr(text, start) : NULL;
	const char *end;

	if (!at)
		return xstrdup("");
	at += strlen(start);
	end = strchr(at, '"');
	return copy_part(at, end ? (size_t)(end - at) : strlen(at));
}

/* ---- paths ---- */

/* "[id='cgn']" -> "[cgn]"; keys that do not name an entry are left out. */
static size_t
shorten_predicate(const char *from, size_t length, char *to)
{
	static const char *const names[] = { "[id='", "[prefix='", "[epoch='", "[family='",
		"[survivors='" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);

		if (length > n + 2 && begins(from, names[i])) {
			to[0] = '[';
			memcpy(to + 1, from + n, length - n - 2); /* without the final '] */
			to[length - n - 1] = ']';
			return length - n;
		}
	}
	return 0;
}

/* "/autofbf:profile/group[id='cgn']/pool[...]" -> "/group[cgn]/pool[...]". */
static char *
shorten_path(const char *path)
{
	static const char module[] = "autofbf:", root[] = "/profile";
	char *shorter = xcalloc(strlen(path) + 1, 1), *rest;
	size_t n = 0;

	while (*path) {
		const char *end = *path == '[' ? strstr(path, "']") : NULL;

		if (end) {
			n += shorten_predicate(path, (size_t)(end + 2 - path), shorter + n);
			path = end + 2;
		} else if (begins(path, module)) {
			path += sizeof(module) - 1;
		} else {
			shorter[n++] = *path++;
		}
	}
	rest = xstrdup(begins(shorter, root) ? shorter + strlen(root) : shorter);
	free(shorter);
	return rest;
}

/* The schema node of a short path: keys are skipped. */
static const struct lysc_node *
find_schema(const struct ly_ctx *ctx, const char *path)
{
	char *full = xasprintf("/autofbf:profile%s", path), *to = full;
	const struct lysc_node *node;
	bool inside = false;

	for (const char *from = full; *from; from++) {
		inside = *from == '[' || (inside && *from != ']');
		if (!inside && *from != ']')
			*to++ = *from;
	}
	*to = '\0';
	node = lys_find_path(ctx, NULL, full, 0);
	free(full);
	return node;
}

static bool
has_child(const struct lyd_node *node, const char *name)
{
	const struct lyd_node *child;

	LY_LIST_FOR (lyd_child(node), child) {
		if (strcmp(LYD_NAME(child), name) == 0)
			return true;
	}
	return false;
}

/* libyang names a missing node by its schema only: the first node that could have it and has not.
 */
static char *
find_lacking(const struct lyd_node *root, const struct lysc_node *missing)
{
	const struct lyd_node *node;
	char *path, *shorter, *result;

	if (!root || !missing)
		return NULL;
	LYD_TREE_DFS_BEGIN (root, node) {
		if (node->schema == missing->parent && !has_child(node, missing->name)) {
			path = lyd_path(node, LYD_PATH_STD, NULL, 0);
			shorter = shorten_path(path ? path : "");
			result = xasprintf("%s/%s", shorter, missing->name);
			free(path);
			free(shorter);
			return result;
		}
		LYD_TREE_DFS_END(root, node);
	}
	return NULL;
}

static void
set_path(struct fault *fault, char *path)
{
	free(fault->path);
	fault->path = path;
}

/* ---- what is wrong ---- */

/* libyang's own words in our form: no capital, no full stop. */
static void
say_as_is(struct fault *fault)
{
	size_t n;

	snprintf(fault->what, sizeof(fault->what), "%s", fault->message);
	fault->what[0] = (char)tolower((unsigned char)fault->what[0]);
	n = strlen(fault->what);
	if (n && fault->what[n - 1] == '.')
		fault->what[n - 1] = '\0';
}

static void
say_missing(struct fault *fault)
{
	char *path = find_lacking(fault->tree, fault->schema);

	if (path)
		set_path(fault, path);
	snprintf(fault->what, sizeof(fault->what), "is missing, it has no default");
}

static void
say_missing_key(struct fault *fault)
{
	set_path(fault, xasprintf("%s/%s", fault->path, fault->value));
	fault->placed = true; /* the text has no such node, and other entries have one */
	snprintf(fault->what, sizeof(fault->what), "is missing, it names the entry");
}

static void
say_too_few(struct fault *fault)
{
	char *path = find_lacking(fault->tree, fault->schema);

	if (path)
		set_path(fault, path);
	snprintf(fault->what, sizeof(fault->what), "at least one is needed");
}

static void
say_too_many(struct fault *fault)
{
	uint32_t max = 0;

	if (fault->schema && fault->schema->nodetype == LYS_LIST)
		max = ((const struct lysc_node_list *)fault->schema)->max;
	else if (fault->schema && fault->schema->nodetype == LYS_LEAFLIST)
		max = ((const struct lysc_node_leaflist *)fault->schema)->max;
	snprintf(fault->what, sizeof(fault->what), "too many, at most %u are allowed", max);
}

static void
say_twice(struct fault *fault)
{
	snprintf(fault->what, sizeof(fault->what), "is given twice, keep one");
}

static void
append(struct fault *fault, const char *separator, const char *text)
{
	size_t used = strlen(fault->what);

	snprintf(fault->what + used, sizeof(fault->what) - used, "%s%s", separator, text);
}

static void
say_unknown(struct fault *fault)
{
	const struct lysc_node *child = NULL;
	const char *separator = ", known here: ";

	snprintf(fault->what, sizeof(fault->what), "unknown member (of a newer autofbf?)");
	while (fault->schema && (child = lys_getnext(child, fault->schema, NULL, 0))) {
		append(fault, separator, child->name);
		separator = ", ";
	}
	set_path(fault, xasprintf("%s/%s", fault->path, fault->value));
}

/* The node's own type, NULL when it is no leaf. */
static const struct lysc_type *
type_of(const struct fault *fault)
{
	if (!fault->schema)
		return NULL;
	if (fault->schema->nodetype == LYS_LEAF)
		return ((const struct lysc_node_leaf *)fault->schema)->type;
	if (fault->schema->nodetype == LYS_LEAFLIST)
		return ((const struct lysc_node_leaflist *)fault->schema)->type;
	return NULL;
}

/* All numbers of the model are unsigned. */
static void
say_range(struct fault *fault)
{
	static const uint64_t largest[] = { [LY_TYPE_UINT8] = UINT8_MAX,
		[LY_TYPE_UINT16] = UINT16_MAX,
		[LY_TYPE_UINT32] = UINT32_MAX };
	const struct lysc_type *type = type_of(fault);
	const struct lysc_range *range = NULL;
	uint64_t min = 0, max = UINT64_MAX;

	fault->by_value = true;
	if (type && type->basetype < sizeof(largest) / sizeof(largest[0])) {
		range = ((const struct lysc_type_num *)type)->range;
		max = largest[type->basetype];
	}
	if (range) {
		min = range->parts[0].min_u64;
		max = range->parts[LY_ARRAY_COUNT(range->parts) - 1].max_u64;
	}
	if (fault->value[0] == '-' || strtoull(fault->value, NULL, 10) < min)
		snprintf(fault->what, sizeof(fault->what), "%.60s is below %llu", fault->value,
		    (unsigned long long)min);
	else
		snprintf(fault->what, sizeof(fault->what), "%.60s is above %llu", fault->value,
		    (unsigned long long)max);
}

static void
say_length(struct fault *fault)
{
	const struct lysc_type *type = type_of(fault);
	const struct lysc_range *range = NULL;

	fault->by_value = true;
	if (type && type->basetype == LY_TYPE_STRING)
		range = ((const struct lysc_type_str *)type)->length;
	snprintf(fault->what, sizeof(fault->what), "must have %llu to %llu characters",
	    range ? (unsigned long long)range->parts[0].min_u64 : 0,
	    range ? (unsigned long long)range->parts[0].max_u64 : 0);
}

static void
say_enumeration(struct fault *fault)
{
	const struct lysc_type *type = type_of(fault);
	const struct lysc_type_enum *enumeration = (const struct lysc_type_enum *)type;

	fault->by_value = true;
	snprintf(fault->what, sizeof(fault->what), "\"%.60s\" is unknown", fault->value);
	if (!type || type->basetype != LY_TYPE_ENUM)
		return;
	for (size_t i = 0; i < LY_ARRAY_COUNT(enumeration->enums); i++)
		append(fault, i ? ", " : ", allowed: ", enumeration->enums[i].name);
}

static void
say_boolean(struct fault *fault)
{
	fault->by_value = true;
	snprintf(fault->what, sizeof(fault->what),
	    "\"%.60s\" is no boolean, write true or false without quotes", fault->value);
}

static void
say_number(struct fault *fault)
{
	fault->by_value = true;
	snprintf(fault->what, sizeof(fault->what),
	    "\"%.60s\" will not do, it must be a whole number without quotes", fault->value);
}

#define DECIMAL \
	"a number of 0.001 to 1000000000 in quotes, with at most three digits after the point"

/* Types with a form that a pattern does not explain. */
static const struct form {
	const char *leaf;
	const char *text;
} forms[] = {
	{ "prefix", "a prefix like 10.0.0.0/16 or 2001:db8::/48" },
	{ "allowed-source", "a prefix like 10.0.0.1/32 or 2001:db8::1/128" },
	{ "address", "an address like 10.0.0.1 or 2001:db8::1" },
	{ "peer", "an address like 10.0.0.1 or 2001:db8::1" },
	{ "ipv4", "a prefix like 192.0.2.255/32" },
	{ "ipv6", "a prefix like 2001:db8:dead::/128" },
	{ "id", "letters and digits, with dots, dashes and underscores between them" },
	{ "failed-route", "a host prefix, like 192.0.2.1/32 in ipv4 or 2001:db8::1/128 in ipv6" },
	{ "alter-route", "a host prefix, like 192.0.2.1/32 in ipv4 or 2001:db8::1/128 in ipv6" },
	{ "failure-domain", "letters and digits, with dots, dashes and underscores between them" },
	{ "capacity", DECIMAL },
	{ "unit-load", DECIMAL },
	{ "blocks-per-host",
	    "a number of 0.001 to 1000 in quotes, with at most three digits after the point" },
	{ "label", "a letter or digit, after it also spaces and . _ / % -" },
	{ "base-list", "letters and digits, after the first also . - _ :" },
	{ "override-list", "letters and digits, after the first also . - _ :" },
	{ "instance", "letters, digits, dashes and underscores, and not \"default\"" },
	{ "inside-interface", "a logical interface like ge-0/0/0.100" },
	{ "outside-interface", "a logical interface like ge-0/0/0.100" },
};

static void
say_form(struct fault *fault)
{
	const char *leaf = strrchr(fault->path, '/');

	fault->by_value = true;
	for (size_t i = 0; leaf && i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(leaf + 1, forms[i].leaf) != 0)
			continue;
		snprintf(fault->what, sizeof(fault->what),
		    "\"%.60s\" is not allowed, it must be %s", fault->value, forms[i].text);
		return;
	}
	snprintf(
	    fault->what, sizeof(fault->what), "\"%.60s\" has not the right form", fault->value);
}

static void
say_shape(struct fault *fault)
{
	char *wanted = quoted_after(fault->message, "represented as JSON name/");

	set_path(fault, xasprintf("%s/%s", fault->path, fault->value));
	snprintf(
	    fault->what, sizeof(fault->what), "must be an %.*s", (int)strcspn(wanted, ","), wanted);
	free(wanted);
}

static void
say_one_value(struct fault *fault)
{
	snprintf(fault->what, sizeof(fault->what), "must be one value, not an array or an object");
}

/* libyang quotes all that follows; a few characters show the place. */
static void
say_no_json(struct fault *fault)
{
	static const char sequence[] = "character sequence \"";
	const char *found = strstr(fault->message, sequence);
	const char *expected = strstr(fault->message, "expected ");
	size_t length;

	if (!found || !expected) {
		say_as_is(fault);
		return;
	}
	found += sizeof(sequence) - 1;
	length = strcspn(found, "\r\n");
	length = length < 20 ? length : 20;
	expected += strlen("expected ");
	if (expected < found + length) /* the quoted rest is shorter than that */
		length = 0;
	snprintf(fault->what, sizeof(fault->what), "is not JSON, found %s%.*s instead of %.*s",
	    length ? "" : "the end", (int)length, found, (int)strcspn(expected, "."), expected);
}

static void
say_top(struct fault *fault)
{
	snprintf(fault->what, sizeof(fault->what),
	    "unknown \"%.60s\", a profile is {\"autofbf:profile\": {...}}", fault->value);
}

static const struct rule {
	const char *begins;
	void (*say)(struct fault *fault);
} rules[] = {
	{ "Mandatory node ", say_missing },
	{ "List instance is missing its key ", say_missing_key },
	{ "Too few ", say_too_few },
	{ "Too many ", say_too_many },
	{ "Duplicate instance of ", say_twice },
	{ "No module named ", say_top },
	{ "Top-level JSON object member ", say_top },
	{ "Node ", say_unknown },
	{ "Unsatisfied range", say_range },
	{ "Value ", say_range },
	{ "Unsatisfied length", say_length },
	{ "Invalid enumeration value ", say_enumeration },
	{ "Invalid non-boolean-encoded ", say_boolean },
	{ "Invalid boolean value ", say_boolean },
	{ "Invalid non-number-encoded ", say_number },
	{ "Invalid type ", say_number },
	{ "Unsatisfied pattern", say_form },
	{ "Invalid union value ", say_form },
	{ "Invalid non-string-encoded ", say_form },
	{ "The container ", say_shape },
	{ "The list ", say_shape },
	{ "The leaf-list ", say_shape },
	{ "The leaf ", say_shape },
	{ "Expected JSON name/value", say_one_value },
};

static void
say(struct fault *fault)
{
	const struct lysc_type *type = type_of(fault);

	if (type && type->basetype == LY_TYPE_DEC64 && fault->value[0]) {
		say_form(fault);
		return;
	}
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (begins(fault->message, rules[i].begins)) {
			rules[i].say(fault);
			return;
		}
	}
	say_as_is(fault);
}

/* ---- where it is ---- */

/* Completes the path from the text, and takes the line from there: it is the one of the node. */
static void
find_place(struct fault *fault, const char *text)
{
	unsigned line = 0;
	char *found = NULL;

	if (fault->placed)
		return;
	if (fault->path[0] && fault->by_value)
		found = profile_text_find(text, fault->path, fault->value, &line);
	if (fault->path[0] && !found)
		found = profile_text_find(text, fault->path, NULL, &line);
	if (found)
		set_path(fault, found);
	else if (fault->path[0] && !fault->line)
		line = profile_text_line(text, fault->path);
	fault->line = line ? line : fault->line;
}

/* A text may hold anything that the file held: one line, no control characters. */
static void
clean(char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			*text = ' ';
}

static void
write_error(const struct fault *fault, const char *name, struct error *err)
{
	char place[16] = "";

	if (fault->line)
		snprintf(place, sizeof(place), ":%u", fault->line);
	error_set(err, 0, "%s%s: %.250s%s%s", name, place, fault->path, fault->path[0] ? ": " : "",
	    fault->what);
	clean(err->text);
}

void
profile_fault_describe(const struct ly_ctx *ctx, const struct lyd_node *tree, const char *text,
    const char *name, struct error *err)
{
	const struct ly_err_item *item = ly_err_last(ctx);
	struct fault fault = { .tree = tree };
	bool syntax = item && item->vecode == LYVE_SYNTAX;
	const char *line;
	char *path;

	fault.message =
	    xstrdup(item && item->msg ? item->msg : "cannot be read, libyang does not say why");
	path = quoted_after(item ? item->path : NULL, "ata location \"");
	if (!path[0]) {
		free(path);
		path = quoted_after(item ? item->path : NULL, "chema location \"");
	}
	line = item && item->path ? strstr(item->path, "ine number ") : NULL;
	fault.line = line ? (unsigned)strtoul(line + 11, NULL, 10) : 0;
	fault.path = shorten_path(path);
	fault.value = quoted_after(fault.message, "\"");
	fault.schema = find_schema(ctx, fault.path);
	if (syntax)
		say_no_json(&fault);
	else
		say(&fault);
	find_place(&fault, text);
	write_error(&fault, name, err);
	free(path);
	free(fault.path);
	free(fault.value);
	free(fault.message);
}
