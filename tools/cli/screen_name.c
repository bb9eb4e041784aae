/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of elements in a column of a table. Where the column is too narrow a name loses its middle,
 * for the number that tells it from its neighbours is mostly at its end; and no column is so narrow
 * that two names of a group look the same: rather the line gets longer than the terminal.
 */
#include "screen.h"

#include <string.h>

#include "tree.h"

enum { NAME_LEAST = 6 }; /* "sr~-01" */

static bool
is_continuation(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

const char *
screen_name(const char *name, int width, char buf[NAME_TEXT_SIZE])
{
	size_t size = strlen(name), head, tail;

	if (size <= (size_t)width) {
		snprintf(buf, NAME_TEXT_SIZE, "%s", name);
		return buf;
	}
	head = ((size_t)width - 1) / 2;
	tail = size - ((size_t)width - 1 - head);
	while (head > 0 && is_continuation(name[head]))
		head--;
	while (is_continuation(name[tail]))
		tail++;
	snprintf(buf, NAME_TEXT_SIZE, "%.*s~%s", (int)head, name, name + tail);
	return buf;
}

/* Different names may not become the same. */
static bool
are_told_apart(const struct lyd_node *group, int width)
{
	const struct lyd_node *one = NULL, *other;
	char left[NAME_TEXT_SIZE], right[NAME_TEXT_SIZE];

	while ((one = tree_next(group, "element", one))) {
		screen_name(tree_text(one, "name"), width, left);
		for (other = one; (other = tree_next(group, "element", other));)
			if (strcmp(left, screen_name(tree_text(other, "name"), width, right)) ==
			        0 &&
			    strcmp(tree_text(one, "name"), tree_text(other, "name")) != 0)
				return false;
	}
	return true;
}

int
screen_name_width(const struct lyd_node *group, int room)
{
	const struct lyd_node *element = NULL;
	int longest = 0, width = room > NAME_LEAST ? room : NAME_LEAST;

	while ((element = tree_next(group, "element", element)))
		if ((int)strlen(tree_text(element, "name")) > longest)
			longest = (int)strlen(tree_text(element, "name"));
	while (width < longest && !are_told_apart(group, width))
		width++;
	return width < longest ? width : longest;
}
