/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protocols, ports, ICMP types, hop limits and flags of filter terms, as nftables writes them.
 * Junos combines values of one condition by "or" and conditions by "and"; a set expression does the
 * first, a sequence of expressions the second. What the table below does not know is refused: a
 * condition that is silently left out would make its term match more than on a router.
 */
#include "filter_match.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memtext.h"
#include "xmlwalk.h"

struct name_value {
	const char *name, *value;
};

static const struct name_value protocols[] = {
	{ "ah", "51" },
	{ "egp", "8" },
	{ "esp", "50" },
	{ "gre", "47" },
	{ "icmp", "1" },
	{ "icmp6", "58" },
	{ "icmpv6", "58" },
	{ "igmp", "2" },
	{ "ipip", "4" },
	{ "ospf", "89" },
	{ "pim", "103" },
	{ "rsvp", "46" },
	{ "sctp", "132" },
	{ "tcp", "6" },
	{ "udp", "17" },
	{ "vrrp", "112" },
	{ NULL, NULL },
};

static const struct name_value ports[] = {
	{ "bgp", "179" },
	{ "dhcp", "67" },
	{ "domain", "53" },
	{ "ftp", "21" },
	{ "http", "80" },
	{ "https", "443" },
	{ "ldp", "646" },
	{ "ntp", "123" },
	{ "snmp", "161" },
	{ "snmptrap", "162" },
	{ "ssh", "22" },
	{ "syslog", "514" },
	{ "tacacs", "49" },
	{ "telnet", "23" },
	{ NULL, NULL },
};

static const struct name_value icmp6_types[] = {
	{ "neighbor-advertisement", "136" },
	{ "neighbor-solicit", "135" },
	{ "router-advertisement", "134" },
	{ "router-solicit", "133" },
	{ "redirect", "137" },
	{ "echo-request", "128" },
	{ "echo-reply", "129" },
	{ "destination-unreachable", "1" },
	{ "packet-too-big", "2" },
	{ "time-exceeded", "3" },
	{ "parameter-problem", "4" },
	{ NULL, NULL },
};

static const struct name_value icmp4_types[] = {
	{ "echo-reply", "0" },
	{ "unreachable", "3" },
	{ "redirect", "5" },
	{ "echo-request", "8" },
	{ "time-exceeded", "11" },
	{ "parameter-problem", "12" },
	{ NULL, NULL },
};

static const struct condition {
	const char *name;
	enum { ANY_FAMILY = -1, ONLY_V4 = FAMILY_IPV4, ONLY_V6 = FAMILY_IPV6 } only;
	const char *expression; /* of nftables */
	const struct name_value *names;
} conditions[] = {
	{ "protocol", ANY_FAMILY, "meta l4proto", protocols },
	{ "next-header", ONLY_V6, "meta l4proto", protocols },
	{ "payload-protocol", ONLY_V6, "meta l4proto", protocols },
	{ "source-port", ANY_FAMILY, "th sport", ports },
	{ "destination-port", ANY_FAMILY, "th dport", ports },
	{ "icmp-type", ONLY_V6, "icmpv6 type", icmp6_types },
	{ "icmp-type", ONLY_V4, "icmp type", icmp4_types },
	{ "ttl", ONLY_V4, "ip ttl", NULL },
	{ "hop-limit", ONLY_V6, "ip6 hoplimit", NULL },
};

/* filter.c reads these. */
static const char *const address_conditions[] = { "source-address", "destination-address",
	"address", "source-prefix-list", "destination-prefix-list", "prefix-list" };

static bool
is_address_condition(const char *name)
{
	for (size_t i = 0; i < sizeof(address_conditions) / sizeof(address_conditions[0]); i++)
		if (!strcmp(name, address_conditions[i]))
			return true;
	return false;
}

static const struct condition *
find_condition(const char *name, enum family family)
{
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
		if (!strcmp(conditions[i].name, name) &&
		    (conditions[i].only == ANY_FAMILY || conditions[i].only == (int)family))
			return &conditions[i];
	return NULL;
}

static bool
is_number_or_range(const char *text)
{
	return *text && strspn(text, "0123456789-") == strlen(text) &&
	       isdigit((unsigned char)*text);
}

static const char *
value_of(const struct condition *condition, const char *text)
{
	for (const struct name_value *known = condition->names; known && known->name; known++)
		if (!strcmp(known->name, text))
			return known->value;
	return is_number_or_range(text) ? text : NULL;
}

/* The same statement again further up: its values were taken together with the first. */
static bool
was_seen(const xmlNode *node)
{
	for (const xmlNode *back = node->prev; back; back = back->prev)
		if (xmlwalk_is(back, (const char *)node->name))
			return true;
	return false;
}

static int
write_condition(
    FILE *out, const xmlNode *first, const struct condition *condition, struct error *err)
{
	const char *comma = "";

	fprintf(out, "%s { ", condition->expression);
	for (const xmlNode *node = first; node; node = xmlwalk_next(node, condition->name)) {
		char *text = xmlwalk_text(node);
		const char *value = value_of(condition, text);

		if (!value) {
			error_set(err, -ENOTSUP, "%s %s is not known to the lab, use a number",
			    condition->name, text);
			free(text);
			return -ENOTSUP;
		}
		fprintf(out, "%s%s", comma, value);
		comma = ", ";
		free(text);
	}
	fputs(" } ", out);
	return 0;
}

int
filter_match_read(const xmlNode *from, enum family family, char **ret_match, struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = memtext_open(&text, &size);
	int rc = 0;

	XMLWALK_FOREACH(node, from, NULL)
	{
		const char *name = (const char *)node->name;
		const struct condition *condition = find_condition(name, family);

		if (is_address_condition(name) || was_seen(node))
			continue;
		rc = condition
		         ? write_condition(out, node, condition, err)
		         : error_set(err, -ENOTSUP, "condition %s is not known to the lab", name);
		if (rc)
			break;
	}
	if (fclose(out))
		fatal("out of memory");
	if (rc || !size) {
		free(text);
		text = NULL;
	}
	*ret_match = text;
	return rc;
}
