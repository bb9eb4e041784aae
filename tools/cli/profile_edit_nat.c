/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From --nat-pool ID=PREFIX to a line of the profile. An element of a group whose return packets
 * follow NAT routes cannot be without a pool, so it comes with its pools or not at all; pools of
 * different kinds are for an editor. Only the form is looked at here: overlaps, families of hosts
 * and the rest are found when the changed profile is loaded, with the place in the file.
 */
#include "profile_edit_nat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json_edit.h"

static int
parse_pool(const char *text, struct prefix *ret_prefix)
{
	const char *equals = strchr(text, '=');

	return equals && equals > text && strchr(equals, '/') ? prefix_parse(equals + 1, ret_prefix)
	                                                      : -EDOM;
}

static bool
is_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits > 0 && digits <= 5 && !text[digits] && *text != '0';
}

static int
check_details(const struct newcomer_nat *nat, struct error *err)
{
	struct prefix prefix;

	if (nat->pool_count == 0 && (nat->kind || nat->block_size || nat->host_count > 0))
		return error_set(err, -EDOM,
		    "--nat-kind, --block-size and --host-prefix say more of a --nat-pool, and "
		    "there is none");
	if (nat->block_size && !is_number(nat->block_size))
		return error_set(
		    err, -EDOM, "--block-size %s: a number of ports is wanted", nat->block_size);
	for (size_t i = 0; i < nat->host_count; i++)
		if (prefix_parse(nat->hosts[i], &prefix) < 0)
			return error_set(
			    err, -EDOM, "--host-prefix %s: is not a prefix", nat->hosts[i]);
	return 0;
}

int
profile_edit_nat_check(
    const struct newcomer_nat *nat, const bool serves[FAMILY_COUNT], struct error *err)
{
	struct prefix prefix;

	for (size_t i = 0; i < nat->pool_count; i++) {
		if (parse_pool(nat->pools[i], &prefix) < 0)
			return error_set(err, -EDOM,
			    "--nat-pool %s: ID=PREFIX is wanted, like public=203.0.113.0/26",
			    nat->pools[i]);
		if (!serves[prefix.address.family])
			return error_set(err, -EDOM,
			    "--nat-pool %s: the element has no --%s-outside", nat->pools[i],
			    family_names[prefix.address.family]);
	}
	return check_details(nat, err);
}

/* Appends ", "name": value"; takes value. */
static void
append(char **object, const char *name, char *value)
{
	xappendf(object, "%s\"%s\": %s", strlen(*object) > 1 ? ", " : "", name, value);
	free(value);
}

static char *
format_hosts(const struct newcomer_nat *nat)
{
	char *list = xstrdup("[");

	for (size_t i = 0; i < nat->host_count; i++) {
		char *host = json_quote(nat->hosts[i]);

		xappendf(&list, "%s%s", i ? ", " : "", host);
		free(host);
	}
	xappendf(&list, "]");
	return list;
}

static char *
format_pool(const struct newcomer_nat *nat, const char *text)
{
	const char *equals = strchr(text, '=');
	char *id = xasprintf("%.*s", (int)(equals - text), text), *object = xstrdup("{");

	append(&object, "id", json_quote(id));
	append(&object, "prefix", json_quote(equals + 1));
	if (nat->kind)
		append(&object, "kind", json_quote(nat->kind));
	if (nat->block_size)
		append(&object, "block-size", xstrdup(nat->block_size));
	if (nat->host_count > 0)
		append(&object, "host-prefix", format_hosts(nat));
	xappendf(&object, "}");
	free(id);
	return object;
}

char *
profile_edit_nat_format(const struct newcomer_nat *nat, enum family family)
{
	char *list = NULL;

	for (size_t i = 0; i < nat->pool_count; i++) {
		struct prefix prefix;
		char *pool;

		if (parse_pool(nat->pools[i], &prefix) < 0 || prefix.address.family != family)
			continue;
		pool = format_pool(nat, nat->pools[i]);
		xappendf(&list, "%s%s", list ? ", " : "[", pool);
		free(pool);
	}
	if (list)
		xappendf(&list, "]");
	return list;
}
