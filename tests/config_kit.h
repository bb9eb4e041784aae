/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a router makes of a configuration that is loaded into it, by Junos' rules and without the
 * code that wrote it. For tests, included after cmocka.h.
 *
 * XML becomes commands by a table of what commands leave out. Commands are applied to a state,
 * which is `set` lines in their order, as `show configuration | display set` prints them: `delete`
 * takes a statement and all below it, `set` adds a line at the end unless it is there. XML with
 * replace and delete attributes is applied to a tree by labrouter's code, which knows nothing of
 * ours either. Both have to come to the same.
 */
#ifndef AUTOFBF_TESTS_CONFIG_KIT_H
#define AUTOFBF_TESTS_CONFIG_KIT_H

#include <libxml/hash.h>
#include <libxml/parser.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/cli/router_config.h"
#include "../tools/lab/router/conf.h"
#include "error.h"

static inline char *
print_config(const struct profile *profile, bool xml)
{
	struct error err = { "" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (router_config_print(profile, xml, out, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* ---- XML -> commands ---- */

/* Elements that a command does not show: only what is inside them. */
static inline bool
is_hidden(const xmlNode *node)
{
	static const char *const hidden[][2] = {
		{ "interfaces", "interface" },
		{ "routing-instances", "instance" },
		{ "prefix-list", "prefix-list-item" },
		{ "input", "filter-name" },
		{ "routing-instance", "routing-instance-name" },
		{ "route-filter", "address" },
		{ "inet", "address" },
	};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (strcmp((const char *)node->parent->name, hidden[i][0]) == 0 &&
		    strcmp((const char *)node->name, hidden[i][1]) == 0)
			return true;
	return false;
}

static inline xmlNode *
skip_to_element(xmlNode *node)
{
	while (node && node->type != XML_ELEMENT_NODE)
		node = node->next;
	return node;
}

static inline bool
is_called(const xmlNode *node, const char *name)
{
	return node && strcmp((const char *)node->name, name) == 0;
}

static inline void
print_comments(const xmlNode *node, FILE *out)
{
	while (node->prev && node->prev->type != XML_ELEMENT_NODE)
		node = node->prev;
	for (; node->type != XML_ELEMENT_NODE; node = node->next)
		if (node->type == XML_COMMENT_NODE)
			fprintf(out, "#%.*s\n", (int)strlen((const char *)node->content) - 1,
			    (const char *)node->content);
}

/* `command` and what the element adds to it, its key with it. */
static inline char *
longer_command(const xmlNode *node, const char *command)
{
	const xmlNode *child = skip_to_element(node->children);
	bool is_entry = child && (is_called(child, "name") || is_called(node, "route-filter"));
	xmlChar *key = is_entry ? xmlNodeGetContent(child) : NULL;
	char *text = xasprintf("%s%s%s%s%s", command, is_hidden(node) ? "" : " ",
	    is_hidden(node) ? "" : (const char *)node->name, key ? " " : "",
	    key ? (char *)key : "");

	xmlFree(key);
	return text;
}

static inline void
print_set_lines(const xmlNode *node, const char *before, FILE *out)
{
	xmlNode *child = skip_to_element(node->children);
	char *command;

	print_comments(node, out);
	if (xmlHasProp(node, (const xmlChar *)"delete"))
		return;
	command = longer_command(node, before);
	if (!child) {
		xmlChar *value = xmlNodeGetContent(node);
		const char *quote = strchr((char *)value, ' ') ? "\"" : "";

		fprintf(
		    out, "%s%s%s%s%s\n", command, *value ? " " : "", quote, (char *)value, quote);
		xmlFree(value);
	} else if (is_called(child, "name") || is_called(node, "route-filter")) {
		child = skip_to_element(child->next);
		if (!child)
			fprintf(out, "%s\n", command);
	}
	for (; child; child = skip_to_element(child->next))
		print_set_lines(child, command, out);
	free(command);
}

/* What is replaced is deleted first. */
static inline void
print_delete_lines(const xmlNode *node, const char *before, FILE *out)
{
	char *command = longer_command(node, before);

	if (xmlHasProp(node, (const xmlChar *)"delete") ||
	    xmlHasProp(node, (const xmlChar *)"replace"))
		fprintf(out, "%s\n", command);
	for (xmlNode *child = skip_to_element(node->children); child;
	     child = skip_to_element(child->next))
		if (!is_called(child, "name"))
			print_delete_lines(child, command, out);
	free(command);
}

/* root: <configuration>. */
static inline char *
config_commands(const xmlNode *root)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	xmlNode *first = skip_to_element(root->children);

	assert_string_equal((const char *)root->name, "configuration");
	for (xmlNode *child = first; child; child = skip_to_element(child->next))
		print_delete_lines(child, "delete", out);
	for (xmlNode *child = first; child; child = skip_to_element(child->next))
		print_set_lines(child, "set", out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* ---- commands on a state ---- */

struct config_state {
	char **lines; /* owned; without "set "; NULL: deleted */
	size_t count;
};

static inline void
config_state_done(struct config_state *state)
{
	for (size_t i = 0; i < state->count; i++)
		free(state->lines[i]);
	free(state->lines);
	*state = (struct config_state){ 0 };
}

static inline bool
is_within(const char *line, const char *path)
{
	size_t length = strlen(path);

	return strncmp(line, path, length) == 0 && (line[length] == ' ' || line[length] == '\0');
}

static inline void
delete_path(struct config_state *state, const char *path)
{
	for (size_t i = 0; i < state->count; i++) {
		if (!state->lines[i] || !is_within(state->lines[i], path))
			continue;
		free(state->lines[i]);
		state->lines[i] = NULL;
	}
}

/* Of the statements that we write beside the operator's, these two have one value. */
static inline void
delete_old_value(struct config_state *state, const char *line)
{
	char *path;

	if (!strstr(line, " filter input ") && !strstr(line, " interface-routes rib-group "))
		return;
	path = xasprintf("%.*s", (int)(strrchr(line, ' ') - line), line);
	delete_path(state, path);
	free(path);
}

static inline void
config_apply(struct config_state *state, const char *commands)
{
	char *copy = xstrdup(commands), *rest = copy, *command;
	xmlHashTable *seen = NULL; /* made when the deletes are done */

	while ((command = strsep(&rest, "\n"))) {
		if (!*command || *command == '#')
			continue;
		if (strncmp(command, "delete ", 7) == 0) {
			assert_null(seen);
			delete_path(state, command + 7);
			continue;
		}
		assert_memory_equal(command, "set ", 4);
		command += 4;
		if (!seen) {
			seen = xmlHashCreate(4096);
			for (size_t i = 0; i < state->count; i++)
				if (state->lines[i])
					(void)xmlHashAddEntry(
					    seen, (xmlChar *)state->lines[i], state);
		}
		if (xmlHashLookup(seen, (xmlChar *)command))
			continue;
		delete_old_value(state, command);
		(void)xmlHashAddEntry(seen, (xmlChar *)command, state);
		state->lines = xreallocarray(state->lines, state->count + 1, sizeof(*state->lines));
		state->lines[state->count++] = xstrdup(command);
	}
	xmlHashFree(seen, NULL);
	free(copy);
}

/* ---- comparing ---- */

struct config_place {
	const char *line;
	size_t
	    stanza; /* so long is what lines have in common whose order matters; 0: it does not */
	size_t number;
};

static inline int
compare_places(const void *a, const void *b)
{
	const struct config_place *p = a, *q = b;

	if (p->stanza && p->stanza == q->stanza && strncmp(p->line, q->line, p->stanza) == 0)
		return p->number < q->number ? -1 : 1;
	return strcmp(p->line, q->line);
}

/* Terms, and what is imported from where, have an order; the rest has none. The caller frees. */
static inline char *
config_sorted(const struct config_state *state)
{
	static const char *const ordered[] = { " term ", " import-rib " };
	struct config_place *places = xcalloc(state->count, sizeof(*places));
	char *text = NULL;
	size_t size, n = 0;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < state->count; i++) {
		const char *at = NULL;

		if (!state->lines[i])
			continue;
		for (size_t j = 0; !at && j < 2; j++)
			at = strstr(state->lines[i], ordered[j]);
		places[n].line = state->lines[i];
		places[n].stanza = at ? (size_t)(at - state->lines[i]) : 0;
		places[n].number = n;
		n++;
	}
	qsort(places, n, sizeof(*places), compare_places);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s\n", places[i].line);
	assert_int_equal(fclose(out), 0);
	free(places);
	return text;
}

/* The first line that is not the same; the whole would be too long. */
static inline void
assert_same_lines(const char *have, const char *want)
{
	while (*have || *want) {
		size_t length = strcspn(have, "\n"), other = strcspn(want, "\n");

		if (length != other || strncmp(have, want, length) != 0)
			fail_msg("have: %.*s, want: %.*s", (int)length, have, (int)other, want);
		have += length + (have[length] != '\0');
		want += other + (want[other] != '\0');
	}
}

/* ---- a router that has been in use ---- */

struct config_router {
	struct config_state state;
	xmlDoc *tree; /* owned */
};

/* The operator's own, beside what is ours in the same places. Twice the same. */
static const char operators_commands[] =
    "set interfaces ae0 unit 0 family inet mtu 9000\n"
    "set interfaces ae0 unit 1 family inet filter input mine\n"
    "set routing-options static route 0.0.0.0/0 next-hop 192.0.2.2\n"
    "set policy-options prefix-list autofbf-local-v4 10.64.0.1/32\n"
    "set policy-options prefix-list mine 10.0.0.0/8\n"
    "set protocols bgp group core export mine\n"
    "set firewall family inet filter mine term all then accept\n"
    "set routing-instances mine instance-type virtual-router\n";
static const char operators_xml[] =
    "<configuration><interfaces><interface><name>ae0</name>"
    "<unit><name>0</name><family><inet><mtu>9000</mtu>"
    "</inet></family></unit><unit><name>1</name><family><inet><filter><input>"
    "<filter-name>mine</filter-name></input></filter></inet></family></unit></interface>"
    "</interfaces><routing-options><static><route><name>0.0.0.0/0</name>"
    "<next-hop>192.0.2.2</next-hop></route></static></routing-options><policy-options>"
    "<prefix-list><name>autofbf-local-v4</name><prefix-list-item><name>10.64.0.1/32</name>"
    "</prefix-list-item></prefix-list><prefix-list><name>mine</name><prefix-list-item>"
    "<name>10.0.0.0/8</name></prefix-list-item></prefix-list></policy-options><protocols><bgp>"
    "<group><name>core</name><export>mine</export></group></bgp></protocols><firewall><family>"
    "<inet><filter><name>mine</name><term><name>all</name><then><accept/></then></term></filter>"
    "</inet></family></firewall><routing-instances><instance><name>mine</name>"
    "<instance-type>virtual-router</instance-type></instance></routing-instances>"
    "</configuration>";

static inline xmlDoc *
config_parse(const char *xml)
{
	xmlDoc *document = xmlReadMemory(xml, (int)strlen(xml), "config", NULL, XML_PARSE_NONET);

	assert_non_null(document);
	return document;
}

static inline void
edit_tree(xmlDoc *tree, const char *xml)
{
	xmlDoc *document = config_parse(xml);
	struct conf_problems problems = { 0 };

	(void)conf_edit(tree, conf_root(document), CONF_REPLACE, false, &problems);
	assert_int_equal(problems.errors, 0);
	conf_problems_done(&problems);
	xmlFreeDoc(document);
}

static inline void
config_router_init(struct config_router *router)
{
	*router = (struct config_router){ .tree = conf_new() };
	config_apply(&router->state, operators_commands);
	edit_tree(router->tree, operators_xml);
}

static inline void
config_router_done(struct config_router *router)
{
	config_state_done(&router->state);
	xmlFreeDoc(router->tree);
}

/* The router's two states, as one text if they are the same. The caller frees it. */
static inline char *
config_router_text(const struct config_router *router)
{
	struct config_state tree = { 0 };
	char *commands = config_commands(conf_root(router->tree)), *text, *again;

	config_apply(&tree, commands);
	text = config_sorted(&router->state);
	again = config_sorted(&tree);
	assert_same_lines(again, text);
	free(again);
	config_state_done(&tree);
	free(commands);
	return text;
}

static inline bool
has_line_within(const struct config_state *state, const char *path)
{
	for (size_t i = 0; i < state->count; i++)
		if (state->lines[i] && is_within(state->lines[i], path))
			return true;
	return false;
}

/* Whatever a filter sends to an instance finds a route of its family there. */
static inline void
assert_no_black_hole(const struct config_state *state)
{
	static const char action[] = " then routing-instance ";

	for (size_t i = 0; i < state->count; i++) {
		const char *line = state->lines[i], *at = line ? strstr(line, action) : NULL;
		const char *instance = at ? at + strlen(action) : NULL;
		char *path;

		if (!instance || !is_within(line, "firewall family"))
			continue;
		path = is_within(line, "firewall family inet6")
		           ? xasprintf("routing-instances %s routing-options rib %s.inet6.0",
		                 instance, instance)
		           : xasprintf("routing-instances %s routing-options static", instance);
		if (!has_line_within(state, path))
			fail_msg("%s: without a route there", line);
		free(path);
	}
}

static inline void
load_both(struct config_router *router, const struct profile *profile)
{
	char *set = print_config(profile, false), *xml = print_config(profile, true);

	config_apply(&router->state, set);
	edit_tree(router->tree, xml);
	assert_no_black_hole(&router->state);
	free(xml);
	free(set);
}

/* Loads the profile's configuration into the router in both formats. Whatever it had of ours
 * before, it is as a fresh one then. */
static inline void
config_router_load(struct config_router *router, const struct profile *profile)
{
	struct config_router fresh;
	char *have, *want;

	load_both(router, profile);
	config_router_init(&fresh);
	load_both(&fresh, profile);
	have = config_router_text(router);
	want = config_router_text(&fresh);
	assert_same_lines(have, want);
	free(want);
	free(have);
	config_router_done(&fresh);
}

/* What is in filters and lists, but for those which the operator adds to. The caller frees it. */
static inline char *
config_router_steering(const struct config_router *router)
{
	struct config_state steering = { 0 };
	char *all = config_router_text(router), *rest = all, *line, *text;

	while ((line = strsep(&rest, "\n"))) {
		if (!is_within(line, "firewall") &&
		    (!is_within(line, "policy-options prefix-list") ||
		        strstr(line, " autofbf-local-")))
			continue;
		steering.lines =
		    xreallocarray(steering.lines, steering.count + 1, sizeof(*steering.lines));
		steering.lines[steering.count++] = xstrdup(line);
	}
	text = config_sorted(&steering);
	config_state_done(&steering);
	free(all);
	return text;
}

/* The same of a profile that knows less than the one before: what only the operator can take away
 * may stay, but nothing steers by it. */
static inline void
config_router_reduce(struct config_router *router, const struct profile *profile)
{
	struct config_router fresh;
	char *have, *want;

	load_both(router, profile);
	config_router_init(&fresh);
	load_both(&fresh, profile);
	have = config_router_steering(router);
	want = config_router_steering(&fresh);
	assert_same_lines(have, want);
	free(want);
	free(have);
	config_router_done(&fresh);
}

#endif
