/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters: terms with their conditions and what they do. A term that an earlier document has is
 * found again by its name: conditions are joined, the later action replaces the earlier one.
 *
 * What is not understood is kept: a condition that is no address as text, for the walk to assume it
 * away aloud; a statement beside a known action as a doubt; an unknown action alone as one that
 * cannot be judged.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_read.h"

static bool
is_one_of(const xmlNode *node, const char *const *names)
{
	for (; *names; names++)
		if (trace_xml_is(node, *names))
			return true;
	return false;
}

static const struct field {
	const char *statement;
	enum trace_field field;
	bool is_list;
} fields[] = {
	{ "source-address", TRACE_SOURCE, false },
	{ "source-prefix-list", TRACE_SOURCE, true },
	{ "destination-address", TRACE_DESTINATION, false },
	{ "destination-prefix-list", TRACE_DESTINATION, true },
	{ "address", TRACE_EITHER, false },
	{ "prefix-list", TRACE_EITHER, true },
};

static const struct field *
find_field(const xmlNode *node)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (trace_xml_is(node, fields[i].statement))
			return &fields[i];
	return NULL;
}

/* "next-header icmp6, icmp-type router-solicit or router-advertisement": values of one statement
 * follow each other. */
static void
add_other(struct trace_term *term, const char *statement, const char *value, bool again)
{
	char *text;

	if (again)
		text = xasprintf("%s or %s", term->other, value);
	else
		text = xasprintf("%s%s%s%s%s", term->other ? term->other : "",
		    term->other ? ", " : "", statement, *value ? " " : "", value);
	free(term->other);
	term->other = text;
}

static void
read_address(
    struct trace_term *term, const struct field *field, const xmlNode *node, struct error *why)
{
	struct trace_condition *condition = &term->from[field->field];
	struct trace_address address = { .except = trace_xml_child(node, "except") != NULL };
	char *name = trace_xml_name(node);

	if (field->is_list) {
		address.list = name ? name : xstrdup("");
		name = NULL;
	} else if (!name || !trace_xml_prefix(name, &address.prefix)) {
		error_set(why, -EINVAL, "'%.64s' is no prefix", name ? name : "");
		address.list = xstrdup(""); /* there is such a condition, and nothing matches it */
	}
	free(name);
	condition->entries =
	    xreallocarray(condition->entries, condition->count + 1, sizeof(*condition->entries));
	condition->entries[condition->count++] = address;
}

static void
read_from(const struct reading *reading, struct trace_term *term, const xmlNode *from)
{
	const char *before = NULL;

	TRACE_XML_EACH (node, from, NULL) {
		const struct field *field = find_field(node);
		struct error why = { "" };
		char *value;

		if (field) {
			read_address(term, field, node, &why);
			if (*why.text)
				trace_texts_add(&reading->config->doubts, "term %.128s: %s",
				    term->name, why.text);
			continue;
		}
		value = trace_xml_text(node);
		if (strlen(value) > 64)
			strcpy(value + 61, "...");
		if (!term->other || strlen(term->other) < 512)
			add_other(term, (const char *)node->name, value,
			    before && strcmp(before, (const char *)node->name) == 0);
		before = (const char *)node->name;
		free(value);
	}
}

/* Statements beside the one that decides. */
static const char *const harmless[] = { "log", "syslog", "sample", "policer", "forwarding-class",
	"loss-priority", "dscp", "traffic-class", "port-mirror", "port-mirror-instance",
	"three-color-policer", "hierarchical-policer", "packet-mode", "no-ttl-decrement", NULL };

static const struct deed {
	const char *statement;
	enum trace_action action;
	const char *target; /* child that names it; NULL: none is needed */
} deeds[] = {
	{ "accept", TRACE_ACCEPT, NULL },
	{ "discard", TRACE_DISCARD, NULL },
	{ "reject", TRACE_REJECT, NULL },
	{ "next", TRACE_NEXT_TERM, NULL },
	{ "routing-instance", TRACE_INSTANCE, "routing-instance-name" },
	{ "next-ip", TRACE_NEXT_IP, "address" },
	{ "next-ip6", TRACE_NEXT_IP, "address" },
	{ "next-interface", TRACE_NEXT_INTERFACE, "interface-name" },
};

/* By release the value is a child or the text itself. */
static char *
read_target(const xmlNode *node, const char *child)
{
	char *target = trace_xml_child_text(node, child);

	return target ? target : trace_xml_text(node);
}

static void
set_action(struct trace_term *term, enum trace_action action, char *target)
{
	free(term->target);
	term->action = action;
	term->target = target;
}

static const struct deed *
find_deed(const xmlNode *node)
{
	for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++)
		if (trace_xml_is(node, deeds[i].statement))
			return &deeds[i];
	return NULL;
}

/* A statement that is not known here decides only where no known one does. */
static void
read_then(const struct reading *reading, struct trace_term *term, const xmlNode *then)
{
	const xmlNode *strange = NULL;
	bool decided = false;

	TRACE_XML_EACH (node, then, NULL) {
		const struct deed *deed = find_deed(node);

		if (deed) {
			decided = true;
			set_action(term, deed->action,
			    deed->target ? read_target(node, deed->target) : NULL);
		} else if (trace_xml_is(node, "count")) {
			free(term->count);
			term->count = trace_xml_text(node);
		} else if (!is_one_of(node, harmless)) {
			strange = node;
		}
	}
	if (strange && decided)
		trace_texts_add(&reading->config->doubts, "term %.128s: then %.64s, passed over",
		    term->name, (const char *)strange->name);
	else if (strange)
		set_action(term, TRACE_UNJUDGED, xstrdup((const char *)strange->name));
}

/* The term of that name if an earlier document has it; else a new one, at the end. */
static struct trace_term *
get_term(struct trace_filter *filter, size_t known, const char *name)
{
	for (size_t i = 0; i < known; i++)
		if (strcmp(filter->terms[i].name, name) == 0)
			return &filter->terms[i];
	filter->terms =
	    xreallocarray(filter->terms, filter->term_count + 1, sizeof(*filter->terms));
	filter->terms[filter->term_count] = (struct trace_term){ .name = xstrdup(name) };
	return &filter->terms[filter->term_count++];
}

static void
read_term(const struct reading *reading, struct trace_filter *filter, size_t known,
    const xmlNode *node, const char *fallback)
{
	char *name = trace_xml_name(node);
	struct trace_term *term = get_term(filter, known, name ? name : fallback);

	TRACE_XML_EACH (from, node, "from")
		read_from(reading, term, from);
	TRACE_XML_EACH (then, node, "then")
		read_then(reading, term, then);
	if (trace_xml_child(node, "filter"))
		set_action(term, TRACE_UNJUDGED, xstrdup("filter"));
	free(name);
}

static struct trace_filter *
get_filter(const struct reading *reading, enum family family, const char *name)
{
	struct trace_config *config = reading->config;

	for (size_t i = 0; i < reading->known_filters; i++)
		if (config->filters[i].family == family &&
		    strcmp(config->filters[i].name, name) == 0)
			return &config->filters[i];
	config->filters =
	    xreallocarray(config->filters, config->filter_count + 1, sizeof(*config->filters));
	config->filters[config->filter_count] =
	    (struct trace_filter){ .family = family, .name = xstrdup(name) };
	return &config->filters[config->filter_count++];
}

static void
read_filter(const struct reading *reading, enum family family, const xmlNode *node)
{
	char *name = trace_xml_name(node);
	struct trace_filter *filter = name ? get_filter(reading, family, name) : NULL;
	size_t known = filter ? filter->term_count : 0;

	TRACE_XML_EACH (term, filter ? node : NULL, "term") {
		char fallback[32];

		(void)snprintf(fallback, sizeof(fallback), "term-%zu", filter->term_count + 1);
		read_term(reading, filter, known, term, fallback);
	}
	free(name);
}

void
trace_read_firewall(const struct reading *reading, const xmlNode *firewall)
{
	for (int f = 0; f < FAMILY_COUNT; f++)
		TRACE_XML_EACH (
		    family, trace_xml_child(firewall, "family"), trace_junos_families[f])
			TRACE_XML_EACH (filter, family, "filter")
				read_filter(reading, f, filter);
	TRACE_XML_EACH (filter, firewall, "filter") /* the older form, without a family */
		read_filter(reading, FAMILY_IPV4, filter);
}
