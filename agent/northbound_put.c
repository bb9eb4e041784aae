/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leaves and nodes of answers. Nothing here can fail towards the caller: what the model does not
 * take is left out and logged, because a reader's question must never end the daemon. A node that
 * the model does not know at all is a defect of ours, and ends it.
 */
#include "northbound_put.h"

#include <libyang/libyang.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "mtime.h"
#include "northbound_envelope.h"

static void
put_leaf(struct lyd_node *parent, bool is_output, const char *name, const char *value)
{
	if (lyd_new_term(parent, NULL, name, value, is_output, NULL) != LY_SUCCESS)
		log_warn("northbound", "leaf %s left out, the model refuses \"%s\"", name, value);
}

void
northbound_put(struct lyd_node *parent, bool is_output, const char *name, const char *fmt, ...)
{
	char value[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(value, sizeof(value), fmt, args);
	va_end(args);
	put_leaf(parent, is_output, name, value);
}

void
northbound_put_share(struct lyd_node *parent, bool is_output, const char *name, double units)
{
	const double least = 1e-6; /* what the model's fraction-digits can tell */

	northbound_put(parent, is_output, name, "%.6f", units > 0 && units < least ? least : units);
}

void
northbound_put_time(struct lyd_node *parent, bool is_output, const char *name, int64_t us)
{
	char text[WALLCLOCK_TEXT_SIZE];

	if (us > 0)
		put_leaf(parent, is_output, name, wallclock_format(us, text));
}

void
northbound_put_text(struct lyd_node *parent, bool is_output, const char *name, const char *text)
{
	char *clean;

	if (!text || !text[0])
		return;
	clean = xstrdup(text);
	for (char *p = clean; *p;) {
		size_t size = netconf_character_size(p);

		if (size == 0)
			*p = '?';
		p += size ? size : 1;
	}
	put_leaf(parent, is_output, name, clean);
	free(clean);
}

void
northbound_put_count(struct lyd_node *parent, const char *name, uint64_t value)
{
	northbound_put(parent, false, name, "%ju", (uintmax_t)value);
}

struct lyd_node *
northbound_add_inner(struct lyd_node *parent, const char *name)
{
	struct lyd_node *node;

	if (lyd_new_inner(parent, NULL, name, false, &node) != LY_SUCCESS)
		fatal("yang/autofbf.yang has no container %s", name);
	return node;
}

struct lyd_node *
northbound_add_entry(struct lyd_node *parent, const char *list, const char *key)
{
	struct lyd_node *node;

	if (lyd_new_list(parent, NULL, list, false, &node, key) != LY_SUCCESS)
		fatal("yang/autofbf.yang has no list %s with a key like %s", list, key);
	return node;
}
