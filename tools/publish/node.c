/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walks over the agent's state by names, so that the MIB and the metrics can be tables of paths. It
 * takes the tree as it is: what an older agent does not tell is absent, and what a newer one tells
 * more is never asked for.
 */
#include "node.h"

#include <libyang/libyang.h>
#include <string.h>

#include "mtime.h"

const char *
node_name(const struct lyd_node *node)
{
	return node->schema ? node->schema->name : "";
}

const char *
node_value(const struct lyd_node *leaf)
{
	const char *value = lyd_get_value(leaf);

	return value ? value : "";
}

static bool
has_name(const struct lyd_node *node, const char *name, size_t size)
{
	const char *own = node_name(node);

	return strncmp(own, name, size) == 0 && own[size] == '\0';
}

static const char *
skip_name(const char *path, size_t size)
{
	return path[size] == '/' ? path + size + 1 : path + size;
}

void
node_each(const struct lyd_node *from, const char *path, node_use_fn *use, void *arg)
{
	size_t size = strcspn(path, "/");
	const struct lyd_node *child;

	if (size == 0) {
		use(arg, from);
		return;
	}
	LY_LIST_FOR (lyd_child(from), child)
		if (has_name(child, path, size))
			node_each(child, skip_name(path, size), use, arg);
}

static void
keep_first(void *arg, const struct lyd_node *node)
{
	const struct lyd_node **first = arg;

	if (!*first)
		*first = node;
}

const struct lyd_node *
node_find(const struct lyd_node *from, const char *path)
{
	const struct lyd_node *first = NULL;

	node_each(from, path, keep_first, &first);
	return first;
}

const char *
node_text(const struct lyd_node *from, const char *path)
{
	const struct lyd_node *node = node_find(from, path);

	return node ? node_value(node) : NULL;
}

int64_t
node_time(const struct lyd_node *from, const char *path)
{
	const char *text = node_text(from, path);
	int64_t us;

	return text && wallclock_parse(text, &us) == 0 ? us : 0;
}

const struct lyd_node *
node_ancestor(const struct lyd_node *node, const char *name)
{
	while (node && strcmp(node_name(node), name) != 0)
		node = lyd_parent(node);
	return node;
}
