/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A walk as one JSON object: everything that the screen shows, in names and numbers that do not
 * change with its words. What is not known is absent.
 */
#include <json-c/json.h>
#include <stdlib.h>

#include "trace_report.h"
#include "tree.h"

static void
put(struct json_object *object, const char *name, const char *text)
{
	if (text)
		json_object_object_add(object, name, json_object_new_string(text));
}

static void
put_flag(struct json_object *object, const char *name, bool flag)
{
	json_object_object_add(object, name, json_object_new_boolean(flag));
}

static void
put_texts(struct json_object *object, const char *name, const struct trace_texts *texts)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < texts->count; i++)
		json_object_array_add(array, json_object_new_string(texts->lines[i]));
	json_object_object_add(object, name, array);
}

static void
put_ip(struct json_object *object, const char *name, const struct ip *ip)
{
	char text[IP_TEXT_SIZE];

	put(object, name, ip_format(ip, text));
}

static void
put_prefix(struct json_object *object, const char *name, const struct prefix *prefix)
{
	char text[PREFIX_TEXT_SIZE];

	put(object, name, prefix_format(prefix, text));
}

static void
put_element(struct json_object *object, const struct trace *trace, size_t group, size_t element)
{
	put(object, "element", trace->profile->groups[group].elements[element].id);
	put(object, "element-group", trace->profile->groups[group].id);
}

/* ---- legs ---------------------------------------------------------------------------------- */

static const char *const action_names[] = { "accept", "discard", "reject", "routing-instance",
	"next-ip", "next-interface", "next-term", "unjudged" };

static void
put_hit(struct json_object *object, const struct trace_hit *hit)
{
	put(object, "filter", hit->filter ? hit->filter->name : NULL);
	if (!hit->term)
		return;
	put(object, "term", hit->term->name);
	put(object, "action", action_names[hit->term->action]);
	put(object, "target", hit->term->target);
	put(object, "counter", hit->term->count);
	put(object, "list", hit->list);
	if (!hit->has_item)
		return;
	put_prefix(object, "item", &hit->item);
	put_flag(object, "ephemeral", hit->ephemeral);
}

static struct json_object *
make_route(const struct trace_leg *leg)
{
	static const char *const kinds[] = { "next-hop", "interface", "discard", "reject",
		"other" };
	const struct trace_route *route = leg->route;
	struct json_object *object = json_object_new_object();

	put(object, "table", leg->table);
	put_flag(object, "active", leg->route_is_live);
	put_prefix(object, "prefix", &route->prefix);
	put(object, "protocol", route->protocol);
	put(object, "kind", kinds[route->kind]);
	if (route->kind == TRACE_ROUTE_NEXT_HOP)
		put_ip(object, "next-hop", &route->next_hop);
	put(object, "via", route->via);
	return object;
}

static struct json_object *
make_leg(const struct trace *trace, const struct trace_leg *leg)
{
	struct json_object *object = json_object_new_object();

	put(object, "direction", leg->is_answer ? "answer" : "packet");
	put(object, "side", side_names[leg->side]);
	put_ip(object, "subscriber", &trace->subscribers[leg->subscriber].address);
	put_ip(object, "source", &leg->packet.source);
	put_ip(object, "destination", &leg->packet.destination);
	if (leg->is_nat)
		put_prefix(object, "nat-pool", &leg->pool);
	if (leg->first_port) {
		json_object_object_add(object, "first-port", json_object_new_int(leg->first_port));
		json_object_object_add(object, "last-port", json_object_new_int(leg->last_port));
	}
	put(object, "interface", leg->interface);
	json_object_object_add(
	    object, "more-interfaces", json_object_new_int64((int64_t)leg->more_interfaces));
	put_hit(object, &leg->filtered.hit);
	if (leg->route)
		json_object_object_add(object, "route", make_route(leg));
	put(object, "fate", trace_fate_names[leg->fate]);
	if (leg->fate == TRACE_TO_ELEMENT)
		put_element(object, trace, leg->group, leg->element);
	put(object, "end", leg->end);
	return object;
}

/* ---- subscribers --------------------------------------------------------------------------- */

static void
put_leaf(
    struct json_object *object, const char *name, const struct lyd_node *node, const char *leaf)
{
	if (tree_has(node, leaf))
		put(object, name, tree_text(node, leaf));
}

static struct json_object *
make_subscriber(const struct trace *trace, const struct trace_agent *agent, size_t index)
{
	const struct trace_subscriber *subscriber = &trace->subscribers[index];
	const struct profile_group *group = &trace->profile->groups[subscriber->group];
	const struct trace_leg *leg = trace_first_leg(trace, index);
	struct json_object *object = json_object_new_object();
	char *state = NULL;

	put_ip(object, "address", &subscriber->address);
	put(object, "group", group->id);
	put_prefix(object, "unit", &subscriber->unit);
	put(object, "why", trace_why_names[subscriber->why]);
	put(object, "cause", trace_agent_cause(trace, agent, index));
	put_flag(object, "piece", subscriber->is_piece);
	if (leg)
		put_element(object, trace, leg->group, leg->element);
	if (subscriber->base != TRACE_NOBODY) {
		put(object, "base-element", group->elements[subscriber->base].id);
		state = trace_agent_describe(trace, agent, subscriber->group, subscriber->base);
	}
	put(object, "base-state", state);
	put_leaf(object, "standby", agent->match[index], "standby");
	put_leaf(object, "wanted-element", agent->match[index], "element");
	put_texts(object, "translation", &subscriber->translation);
	free(state);
	return object;
}

void
trace_report_json(const struct trace *trace, const struct trace_agent *agent, FILE *out)
{
	struct json_object *root = json_object_new_object();
	struct json_object *legs = json_object_new_array(), *who = json_object_new_array();

	put(root, "verdict", trace_verdict(trace));
	put_flag(root, "good", trace_is_good(trace));
	put(root, "read", agent->asked);
	put(root, "family", family_names[trace->family]);
	for (size_t i = 0; i < trace->subscriber_count; i++)
		json_object_array_add(who, make_subscriber(trace, agent, i));
	json_object_object_add(root, "subscribers", who);
	for (size_t i = 0; i < trace->leg_count; i++)
		json_object_array_add(legs, make_leg(trace, &trace->legs[i]));
	json_object_object_add(root, "legs", legs);
	put_texts(root, "faults", &trace->faults);
	put_texts(root, "notes", &trace->notes);
	put_texts(root, "assumed", &trace->assumed);
	fprintf(out, "%s\n",
	    json_object_to_json_string_ext(
	        root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}
