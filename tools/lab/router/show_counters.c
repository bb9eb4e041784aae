/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `show interfaces` and `show firewall` in the shapes of Junos: logical interfaces within their
 * physical one, or a logical interface by itself when it was asked for by name; bytes are told with
 * `statistics`, `detail` and `extensive`, packets also without, nothing with `terse`. A filter
 * whose terms count nothing is not listed.
 */
#include "rpc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf.h"
#include "counters.h"
#include "router.h"

enum style { STYLE_TERSE, STYLE_BRIEF, STYLE_DETAIL };

static enum style
asked_style(const xmlNode *op)
{
	if (conf_child(op, "terse"))
		return STYLE_TERSE;
	return conf_child(op, "statistics") || conf_child(op, "detail") ||
	               conf_child(op, "extensive")
	           ? STYLE_DETAIL
	           : STYLE_BRIEF;
}

/* ---- interfaces ------------------------------------------------------------------------------ */

static void
put_statistics(FILE *out, const struct interface_counters *interface, enum style style)
{
	fprintf(out, "<traffic-statistics junos:style=\"%s\">\n",
	    style == STYLE_DETAIL ? "verbose" : "brief");
	if (style == STYLE_DETAIL)
		fprintf(out,
		    "<input-bytes>%" PRIu64 "</input-bytes>\n"
		    "<output-bytes>%" PRIu64 "</output-bytes>\n",
		    interface->in.bytes, interface->out.bytes);
	fprintf(out,
	    "<input-packets>%" PRIu64 "</input-packets>\n"
	    "<output-packets>%" PRIu64 "</output-packets>\n</traffic-statistics>\n",
	    interface->in.packets, interface->out.packets);
}

static void
put_logical(
    struct rpc *rpc, const struct interface_counters *interface, size_t number, enum style style)
{
	fprintf(rpc->out,
	    "<logical-interface>\n<name>%s</name>\n<local-index>%zu</local-index>\n"
	    "<snmp-index>%zu</snmp-index>\n<if-config-flags>\n<iff-up/>\n</if-config-flags>\n"
	    "<encapsulation>ENET2</encapsulation>\n",
	    interface->name, 320 + number, 520 + number);
	if (style != STYLE_TERSE && !rpc->router->counters_are_off)
		put_statistics(rpc->out, interface, style);
	fputs("</logical-interface>\n", rpc->out);
}

static void
put_cleared(FILE *out, int64_t us)
{
	time_t seconds = (time_t)(us / 1000000);
	char text[64] = "Never";
	struct tm tm;

	if (us > 0)
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&seconds, &tm));
	fprintf(out, "<statistics-cleared>%s</statistics-cleared>\n", text);
}

static size_t
port_length(const char *name)
{
	return strcspn(name, ".");
}

static bool
same_port(const char *a, const char *b)
{
	return port_length(a) == port_length(b) && strncmp(a, b, port_length(a)) == 0;
}

/* All units of one port, which are neighbours in the list; returns how many. */
static size_t
put_physical(struct rpc *rpc, const struct interface_counters *list, size_t first, size_t count,
    enum style style)
{
	const char *name = list[first].name;
	struct interface_counters sum = { 0 };
	size_t end = first;

	for (; end < count && same_port(list[end].name, name); end++) {
		sum.in.packets += list[end].in.packets;
		sum.in.bytes += list[end].in.bytes;
		sum.out.packets += list[end].out.packets;
		sum.out.bytes += list[end].out.bytes;
	}
	fprintf(rpc->out,
	    "<physical-interface>\n<name>%.*s</name>\n<admin-status junos:format=\"Enabled\">up"
	    "</admin-status>\n<oper-status>up</oper-status>\n<snmp-index>%zu</snmp-index>\n",
	    (int)port_length(name), name, 500 + first);
	if (style == STYLE_DETAIL) {
		put_cleared(rpc->out, rpc->router->statistics_cleared_us);
		if (!rpc->router->counters_are_off)
			put_statistics(rpc->out, &sum, style);
	}
	for (size_t i = first; i < end; i++)
		put_logical(rpc, &list[i], i, style);
	fputs("</physical-interface>\n", rpc->out);
	return end - first;
}

/* wanted: NULL: all; a port with its units, or a unit alone. Returns how many were printed. */
static size_t
put_interfaces(struct rpc *rpc, const struct interface_counters *list, size_t count,
    const char *wanted, enum style style)
{
	size_t shown = 0, units;

	for (size_t i = 0; i < count; i += units) {
		units = 1;
		if (wanted && strcmp(wanted, list[i].name) == 0) {
			put_logical(rpc, &list[i], i, style);
			shown++;
		} else if (!wanted || (!strchr(wanted, '.') && same_port(wanted, list[i].name))) {
			units = put_physical(rpc, list, i, count, style);
			shown += units;
		}
	}
	return shown;
}

void
show_interfaces(struct rpc *rpc)
{
	char *wanted = conf_child_text(rpc->op, "interface-name");
	struct interface_counters *list = NULL;
	size_t count = 0;
	struct error err;

	if (counters_interfaces(rpc->router, &list, &count, &err) < 0) {
		rpc_fail(rpc, err.text, NULL);
	} else {
		fprintf(rpc->out,
		    "<interface-information xmlns=\"http://xml.juniper.net/junos/%s/"
		    "junos-interface\" junos:style=\"normal\">\n",
		    rpc->router->release);
		if (put_interfaces(rpc, list, count, wanted, asked_style(rpc->op)) == 0 && wanted) {
			char *message = xasprintf("device %s not found", wanted);

			rpc_fail(rpc, message, NULL);
			free(message);
		}
		fputs("</interface-information>\n", rpc->out);
	}
	counters_interfaces_free(list, count);
	free(wanted);
}

/* ---- filters --------------------------------------------------------------------------------- */

static void
put_term(FILE *out, const struct term_counters *term)
{
	fputs("<counter>\n<counter-name>", out);
	rpc_put_text(out, term->name);
	fprintf(out,
	    "</counter-name>\n<packet-count>%" PRIu64 "</packet-count>\n"
	    "<byte-count>%" PRIu64 "</byte-count>\n</counter>\n",
	    term->value.packets, term->value.bytes);
}

/* One filter's counters, which are neighbours in the list; returns how many there are. */
static size_t
put_filter(
    struct rpc *rpc, const struct term_counters *list, size_t count, const char *wanted_counter)
{
	const char *filter = list[0].filter;
	size_t end = 0;

	fputs("<filter-information>\n<filter-name>", rpc->out);
	rpc_put_text(rpc->out, filter);
	fputs("</filter-name>\n", rpc->out);
	for (; end < count && strcmp(list[end].filter, filter) == 0; end++)
		if (!rpc->router->counters_are_off &&
		    (!wanted_counter || strcmp(wanted_counter, list[end].name) == 0))
			put_term(rpc->out, &list[end]);
	fputs("</filter-information>\n", rpc->out);
	return end;
}

static void
put_firewall(struct rpc *rpc, const char *wanted, const char *wanted_counter)
{
	struct term_counters *list = NULL;
	size_t count = 0;
	struct error err;

	if (counters_terms(rpc->router, &list, &count, &err) < 0) {
		rpc_fail(rpc, err.text, NULL);
	} else {
		fprintf(rpc->out,
		    "<firewall-information "
		    "xmlns=\"http://xml.juniper.net/junos/%s/junos-filter\">\n",
		    rpc->router->release);
		for (size_t i = 0, size; i < count; i += size) {
			size = 1;
			if (!wanted || strcmp(wanted, list[i].filter) == 0)
				size = put_filter(rpc, &list[i], count - i, wanted_counter);
		}
		fputs("</firewall-information>\n", rpc->out);
	}
	counters_terms_free(list, count);
}

void
show_firewall(struct rpc *rpc)
{
	put_firewall(rpc, NULL, NULL);
}

void
show_firewall_filter(struct rpc *rpc)
{
	char *filter = conf_child_text(rpc->op, "filtername");
	char *counter = conf_child_text(rpc->op, "counter");

	put_firewall(rpc, filter, counter);
	free(counter);
	free(filter);
}
