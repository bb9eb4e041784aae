/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edits of a Junos configuration tree. The rules are those that can be seen from outside a router:
 * merge is per statement, so two lists become their union; delete="delete" on something absent is a
 * warning and the rest goes on; a list entry that loses its last item stays as an empty entry,
 * while a plain container that becomes empty vanishes. The ephemeral database takes no groups, no
 * apply-path and a few hierarchies less; it checks syntax and no meaning.
 *
 * Looking up a child is linear for small edits; a larger edit builds a hash of the parent's
 * children first, so that a list of 100,000 items is merged in one pass.
 *
 * Trees come in through copy_clean, which drops namespaces and blanks; so everything in here can
 * compare plain names.
 */
#include "conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/hash.h>
#include <libxml/parser.h>

#include "memtext.h"
#include "prefix.h"

enum { HASH_FROM = 4, KEY_SIZE = 512 };

/* Leaves that may occur more than once under one parent. */
static const char *const value_lists[] = { "import", "export", "next-hop", "import-rib",
	"apply-groups", "protocol", "next-header", "destination-port", "source-port", "icmp-type",
	"community", "members", "input-list", "output-list", "except", "condition", NULL };

/* What the ephemeral database refuses when it is loaded; parent NULL: anywhere. */
static const struct {
	const char *name, *parent;
} refused[] = {
	{ "apply-groups", NULL },
	{ "apply-groups-except", NULL },
	{ "interface-range", NULL },
	{ "groups", "configuration" },
	{ "logical-systems", "configuration" },
	{ "access", "configuration" },
	{ "chassis", "configuration" },
	{ "dynamic-profiles", "configuration" },
	{ "security", "configuration" },
	{ "apply-path", "prefix-list" },
	{ "igmp", "protocols" },
	{ "mld", "protocols" },
};

static const char *const top_level[] = { "access", "accounting-options", "applications",
	"apply-groups", "chassis", "class-of-service", "dynamic-profiles", "event-options",
	"fabric", "firewall", "forwarding-options", "groups", "interfaces", "logical-systems",
	"policy-options", "protocols", "routing-instances", "routing-options", "security",
	"services", "snmp", "switch-options", "system", "vlans", "version", NULL };

struct edit {
	bool is_ephemeral;
	struct conf_problems *problems; /* borrowed; NULL: a merge that cannot fail */
	size_t changes;
};

void
conf_problem_add(struct conf_problems *problems, bool is_warning, const char *path,
    const char *message, const char *element)
{
	struct conf_problem *problem;

	problems->list =
	    xreallocarray(problems->list, problems->count + 1, sizeof(*problems->list));
	problem = &problems->list[problems->count++];
	*problem = (struct conf_problem){ .is_warning = is_warning,
		.path = xstrdup(path),
		.message = xstrdup(message),
		.element = element ? xstrdup(element) : NULL };
	problems->errors += is_warning ? 0 : 1;
}

void
conf_problems_done(struct conf_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++) {
		free(problems->list[i].path);
		free(problems->list[i].message);
		free(problems->list[i].element);
	}
	free(problems->list);
	*problems = (struct conf_problems){ 0 };
}

static bool
is_listed(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

/* A leaf's key form: prefixes are compared as prefixes ("10.0.0.1" is 10.0.0.1/32). */
static char *
key_value(const xmlNode *entry, const xmlNode *leaf)
{
	char *text = conf_text(leaf), buf[PREFIX_TEXT_SIZE];
	struct prefix prefix;

	if ((!conf_is(entry, "prefix-list-item") && !conf_is(entry, "route")) ||
	    prefix_parse(text, &prefix) < 0)
		return text;
	free(text);
	return xstrdup(prefix_format(&prefix, buf));
}

/* Names node among its siblings: "term" + unit separator + "to-fbf-01". The one list of ours whose
 * key has another name is route-filter. Returns buf. */
static const char *
make_key(const xmlNode *node, char buf[KEY_SIZE])
{
	const char *element = (const char *)node->name;
	bool is_route_filter = strcmp(element, "route-filter") == 0;
	const xmlNode *name = conf_child(node, is_route_filter ? "address" : "name");
	char *value = NULL;

	if (name)
		value = key_value(node, name);
	else if (is_listed(element, value_lists) && !conf_child(node, NULL))
		value = conf_text(node);
	(void)snprintf(buf, KEY_SIZE, "%s\x1f%s", element, value ? value : "");
	free(value);
	return buf;
}

static xmlHashTable *
index_children(const xmlNode *parent)
{
	xmlHashTable *table = xmlHashCreate(1024);
	char key[KEY_SIZE];

	for (xmlNode *child = conf_child(parent, NULL); child; child = conf_next(child, NULL))
		xmlHashAddEntry(table, (const xmlChar *)make_key(child, key), child);
	return table;
}

static xmlNode *
find_sibling(const xmlNode *parent, xmlHashTable *table, const char *key)
{
	char other[KEY_SIZE];

	if (table)
		return xmlHashLookup(table, (const xmlChar *)key);
	for (xmlNode *child = conf_child(parent, NULL); child; child = conf_next(child, NULL))
		if (strcmp(make_key(child, other), key) == 0)
			return child;
	return NULL;
}

static void
remove_node(xmlNode *node, xmlHashTable *table, const char *key)
{
	if (table)
		xmlHashRemoveEntry(table, (const xmlChar *)key, NULL);
	xmlUnlinkNode(node);
	xmlFreeNode(node);
}

/* "[edit policy-options prefix-list NAME]" of an element in an edit. */
static void
format_path(const xmlNode *node, FILE *out)
{
	char *name;

	if (!node || node->type != XML_ELEMENT_NODE || conf_is(node, "configuration")) {
		fputs("[edit", out);
		return;
	}
	format_path(node->parent, out);
	name = conf_child_text(node, "name");
	fprintf(out, " %s%s%s", (const char *)node->name, name ? " " : "", name ? name : "");
	free(name);
}

static void
report(struct edit *edit, const xmlNode *node, bool is_warning, const char *message)
{
	char *path = NULL;
	size_t size;
	FILE *out;

	if (!edit->problems)
		return;
	out = memtext_open(&path, &size);
	format_path(node->parent, out);
	fputs("]", out);
	fclose(out);
	conf_problem_add(edit->problems, is_warning, path, message, (const char *)node->name);
	free(path);
}

/* False when mgd would refuse the statement; then it was reported. */
static bool
check_statement(struct edit *edit, const xmlNode *node)
{
	const char *name = (const char *)node->name;
	char *text;
	struct prefix prefix;
	int rc;

	if (!edit->problems)
		return true;
	if (conf_is(node->parent, "configuration") && !is_listed(name, top_level)) {
		report(edit, node, false, "syntax error");
		return false;
	}
	for (size_t i = 0; edit->is_ephemeral && i < sizeof(refused) / sizeof(*refused); i++) {
		if (strcmp(refused[i].name, name) != 0 ||
		    (refused[i].parent && !conf_is(node->parent, refused[i].parent)))
			continue;
		report(edit, node, false,
		    "statement is not supported in the ephemeral configuration database");
		return false;
	}
	if (!conf_is(node, "prefix-list-item") &&
	    !(conf_is(node, "route") && conf_is(node->parent, "static")))
		return true;
	text = conf_child_text(node, "name");
	rc = text ? prefix_parse(text, &prefix) : -EINVAL;
	free(text);
	if (rc == -EINVAL)
		report(edit, node, false, "invalid prefix");
	return rc != -EINVAL;
}

/* In any namespace: operation="delete" may be in NETCONF's. */
static bool
has_attribute(const xmlNode *node, const char *name, const char *value)
{
	xmlChar *text = xmlGetProp(node, (const xmlChar *)name);
	bool is_equal = text && strcmp((const char *)text, value) == 0;

	xmlFree(text);
	return is_equal;
}

static xmlNode *
add_child(xmlNode *parent, const xmlNode *like, const char *text)
{
	xmlNode *child = xmlNewTextChild(
	    parent, NULL, like->name, (const xmlChar *)(text && *text ? text : NULL));

	if (!child)
		fatal("out of memory");
	return child;
}

static void edit_children(
    struct edit *edit, xmlNode *into, const xmlNode *from, enum conf_action action);

/* A leaf: its value is the text. */
static void
set_leaf(struct edit *edit, xmlNode *into, const xmlNode *from, bool is_new)
{
	char *want = conf_text(from), *have = conf_text(into);

	if (is_new || strcmp(want, have) != 0)
		edit->changes++;
	if (strcmp(want, have) != 0) {
		xmlNodeSetContent(into, NULL);
		xmlNodeAddContent(into, (const xmlChar *)want);
	}
	free(want);
	free(have);
}

static void
delete_statement(
    struct edit *edit, xmlNode *have, const xmlNode *from, xmlHashTable *table, const char *key)
{
	if (!have) {
		if (!has_attribute(from, "operation", "remove"))
			report(edit, from, true, "statement not found");
		return;
	}
	remove_node(have, table, key);
	edit->changes++;
}

static xmlNode *
create_statement(xmlNode *parent, const xmlNode *from, xmlHashTable *table, const char *key)
{
	const xmlNode *name = conf_child(from, "name");
	xmlNode *node = add_child(parent, from, NULL);

	if (name) {
		char *value = key_value(from, name);

		add_child(node, name, value);
		free(value);
	}
	if (table)
		xmlHashAddEntry(table, (const xmlChar *)key, node);
	return node;
}

static bool
is_leaf(const xmlNode *node)
{
	return !conf_child(node, NULL);
}

/* An entry with nothing but its key, as a prefix-list-item is. */
static bool
is_bare_entry(const xmlNode *node)
{
	const xmlNode *first = conf_child(node, NULL);

	return first && conf_is(first, "name") && !conf_next(first, NULL);
}

static void
edit_statement(struct edit *edit, xmlNode *parent, const xmlNode *from, xmlHashTable *table,
    enum conf_action action)
{
	char key[KEY_SIZE];
	bool is_new;
	xmlNode *have;

	if (!check_statement(edit, from))
		return;
	have = find_sibling(parent, table, make_key(from, key));
	if (has_attribute(from, "delete", "delete") || has_attribute(from, "operation", "delete") ||
	    has_attribute(from, "operation", "remove")) {
		delete_statement(edit, have, from, table, key);
		return;
	}
	if (have && ((action == CONF_REPLACE && has_attribute(from, "replace", "replace")) ||
	                has_attribute(from, "operation", "replace"))) {
		remove_node(have, table, key);
		have = NULL;
	}
	is_new = !have;
	if (is_new)
		have = create_statement(parent, from, table, key);
	if (is_leaf(from)) {
		set_leaf(edit, have, from, is_new);
		return;
	}
	if (is_new && is_bare_entry(from))
		edit->changes++;
	edit_children(edit, have, from, action);
	if (!conf_child(have, NULL)) /* a plain container with nothing in it */
		remove_node(have, table, key);
}

static size_t
count_children(const xmlNode *node, size_t limit)
{
	size_t count = 0;

	for (xmlNode *child = conf_child(node, NULL); child && count < limit;
	     child = conf_next(child, NULL))
		count++;
	return count;
}

static void
edit_children(struct edit *edit, xmlNode *into, const xmlNode *from, enum conf_action action)
{
	xmlHashTable *table = NULL;
	bool is_entry = conf_child(from, "name");

	if (count_children(from, HASH_FROM + 1) > HASH_FROM)
		table = index_children(into);
	for (xmlNode *child = conf_child(from, NULL); child; child = conf_next(child, NULL))
		if (!is_entry || !conf_is(child, "name"))
			edit_statement(edit, into, child, table, action);
	xmlHashFree(table, NULL);
}

size_t
conf_edit(xmlDoc *into, const xmlNode *configuration, enum conf_action action, bool is_ephemeral,
    struct conf_problems *problems)
{
	struct edit edit = { .is_ephemeral = is_ephemeral, .problems = problems };
	xmlNode *root = conf_root(into), *child;

	while (action == CONF_OVERRIDE && (child = conf_child(root, NULL))) {
		remove_node(child, NULL, NULL);
		edit.changes++;
	}
	edit_children(&edit, root, configuration, action);
	return edit.changes;
}

void
conf_merge(xmlDoc *into, const xmlDoc *over)
{
	struct edit edit = { 0 };

	edit_children(&edit, conf_root(into), conf_root(over), CONF_MERGE);
}

/* ---- documents ------------------------------------------------------------------------------- */

xmlDoc *
conf_new(void)
{
	xmlDoc *doc = xmlNewDoc((const xmlChar *)"1.0");

	if (!doc)
		fatal("out of memory");
	xmlDocSetRootElement(doc, xmlNewDocNode(doc, NULL, (const xmlChar *)"configuration", NULL));
	return doc;
}

xmlDoc *
conf_copy(const xmlDoc *doc)
{
	xmlDoc *copy = xmlCopyDoc((xmlDoc *)doc, 1);

	if (!copy)
		fatal("out of memory");
	return copy;
}

xmlNode *
conf_root(const xmlDoc *doc)
{
	return xmlDocGetRootElement((xmlDoc *)doc);
}

/* Plain names, trimmed leaves, no blanks, no comments, nothing that is to be deleted. Depth is
 * limited by the parser (256). */
static void
copy_clean(xmlNode *into, const xmlNode *from)
{
	for (xmlNode *child = conf_child(from, NULL); child; child = conf_next(child, NULL)) {
		char *text;
		xmlNode *copy;

		if (has_attribute(child, "delete", "delete"))
			continue;
		text = is_leaf(child) ? conf_text(child) : NULL;
		copy = add_child(into, child, text);
		if (has_attribute(child, "inactive", "inactive"))
			xmlNewProp(copy, (const xmlChar *)"inactive", (const xmlChar *)"inactive");
		copy_clean(copy, child);
		free(text);
	}
}

/* The document is left alone. -EINVAL: no <configuration> in it. */
static int
copy_from_xml(const xmlNode *node, xmlDoc **ret_doc, struct error *err)
{
	const xmlNode *found =
	    conf_is(node, "configuration") ? node : conf_child(node, "configuration");

	if (!found)
		return error_set(err, -EINVAL, "no <configuration> element in it");
	*ret_doc = conf_new();
	copy_clean(conf_root(*ret_doc), found);
	return 0;
}

/* NULL: err says why not. */
static xmlDoc *
read_file(const char *path, struct error *err)
{
	xmlDoc *doc =
	    xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	xmlError *why;

	if (!doc) {
		why = xmlGetLastError();
		error_set(err, -EINVAL, "%s:%d: cannot be read as XML: %.200s", path,
		    why ? why->line : 0, why && why->message ? why->message : "no such file");
	}
	return doc;
}

static int
refuse_file(const char *path, const char *why, struct error *err)
{
	return error_set(err, -EINVAL,
	    "%s: %s; want what `autofbf router-config --format xml` prints", path, why);
}

int
conf_load_file(const char *path, xmlDoc **ret_doc, struct error *err)
{
	struct error inner;
	xmlDoc *doc = read_file(path, err);
	int rc;

	if (!doc)
		return -EINVAL;
	rc = copy_from_xml(conf_root(doc), ret_doc, &inner);
	if (rc < 0)
		rc = refuse_file(path, inner.text, err);
	xmlFreeDoc(doc);
	return rc;
}

int
conf_edit_file(xmlDoc *into, const char *path, size_t *ret_changes, struct error *err)
{
	struct conf_problems problems = { 0 };
	xmlDoc *doc = read_file(path, err);
	int rc = 0;

	if (!doc)
		return -EINVAL;
	if (!conf_is(conf_root(doc), "configuration"))
		rc = refuse_file(path, "no <configuration> element in it", err);
	else
		*ret_changes = conf_edit(into, conf_root(doc), CONF_REPLACE, false, &problems);
	for (size_t i = 0; rc == 0 && i < problems.count; i++)
		if (!problems.list[i].is_warning)
			rc = error_set(err, -EINVAL, "%s: %s: %s", path, problems.list[i].path,
			    problems.list[i].message);
	conf_problems_done(&problems);
	xmlFreeDoc(doc);
	return rc;
}
