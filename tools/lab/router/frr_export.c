/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Announcements to route-maps. The policies were evaluated already, so a route-map has no
 * conditions: it has an entry for all routes of one family that are treated alike, and a
 * prefix-list that names them; the rest of each family comes last. A policy is written as a whole:
 * bgpd looks at route-maps again a second after the last change (`bgp route-map delay-timer 1`), so
 * nobody sees the moment in which it is not there.
 */
#include "frr_export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "memtext.h"

enum { STEP = 10 };

static bool
is_treated_alike(const struct announcement *a, const struct announcement *b)
{
	return a->is_rest == b->is_rest && a->route.address.family == b->route.address.family &&
	       (a->action == POLICY_REJECT) == (b->action == POLICY_REJECT) &&
	       strcmp(a->prepend, b->prepend) == 0 && a->metric == b->metric &&
	       a->local_preference == b->local_preference;
}

static void
put_prefix(FILE *out, const struct announcement *a, const char *list)
{
	bool is_ipv4 = a->route.address.family == FAMILY_IPV4;
	char buf[PREFIX_TEXT_SIZE];
	const char *all = is_ipv4 ? "0.0.0.0/0 le 32" : "::/0 le 128";

	fprintf(out, "%s prefix-list %s permit %s\n", is_ipv4 ? "ip" : "ipv6", list,
	    a->is_rest ? all : prefix_format(&a->route, buf));
}

static void
put_entry(FILE *out, const struct announcement *a, unsigned number, const char *list)
{
	bool is_reject = a->action == POLICY_REJECT;

	fprintf(out, "route-map %s %s %u\n", a->policy, is_reject ? "deny" : "permit", number);
	fprintf(out, "match %s address prefix-list %s\n",
	    a->route.address.family == FAMILY_IPV4 ? "ip" : "ipv6", list);
	if (is_reject)
		return;
	if (*a->prepend)
		fprintf(out, "set as-path prepend %s\n", a->prepend);
	if (a->metric >= 0)
		fprintf(out, "set metric %" PRId64 "\n", a->metric);
	if (a->local_preference >= 0)
		fprintf(out, "set local-preference %" PRId64 "\n", a->local_preference);
}

/* One policy: announcements[0..count). */
static void
put_policy(FILE *out, const struct announcement *announcements, size_t count)
{
	bool *is_done = xcalloc(count, sizeof(*is_done));
	unsigned number = 0;

	fprintf(out, "no route-map %s\n", announcements->policy);
	for (size_t i = 0; i < count; i++) {
		char *list;

		if (is_done[i])
			continue;
		number += STEP;
		list = xasprintf("%s-%u", announcements->policy, number);
		fprintf(out, "no ip prefix-list %s\nno ipv6 prefix-list %s\n", list, list);
		for (size_t k = i; k < count; k++) {
			if (!is_treated_alike(&announcements[i], &announcements[k]))
				continue;
			put_prefix(out, &announcements[k], list);
			is_done[k] = true;
		}
		put_entry(out, &announcements[i], number, list);
		free(list);
	}
	free(is_done);
}

char *
frr_export_commands(const struct announcements *announcements)
{
	const struct announcement *list = announcements->list;
	char *text = NULL;
	size_t size, i, end;
	FILE *out = memtext_open(&text, &size);

	fputs("bgp route-map delay-timer 1\n", out);
	for (i = 0; i < announcements->count; i = end) {
		for (end = i + 1; end < announcements->count; end++)
			if (strcmp(list[end].policy, list[i].policy) != 0)
				break;
		put_policy(out, list + i, end - i);
	}
	if (fclose(out))
		fatal("out of memory");
	return text;
}
