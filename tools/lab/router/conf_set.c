/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "set" lines into a configuration to edit with. A whole Junos grammar is not the point: clients
 * that speak set and text to an ephemeral instance write prefix-lists and static discard routes, so
 * those statements are known, and every other line is a syntax error with the word that was not
 * understood, as mgd would say it.
 *
 * The grammar is a table of levels. Each word of a line steps one level down; a level says which
 * element the word names, or that the word is the key of a list entry.
 */
#include "conf.h"

#include <stdlib.h>
#include <string.h>

enum { END = -1 };

/* word NULL: any word, the <name> of an entry called `element`. */
static const struct level {
	int level;
	const char *word;
	const char *element; /* NULL: this word makes no element of its own */
	int next;
	bool may_end;
} grammar[] = {
	{ 0, "policy-options", "policy-options", 1, false },
	{ 0, "routing-options", "routing-options", 4, false },
	{ 1, "prefix-list", NULL, 2, false },
	{ 2, NULL, "prefix-list", 3, true },
	{ 3, NULL, "prefix-list-item", END, true },
	{ 4, "static", "static", 5, false },
	{ 4, "rib", NULL, 8, false },
	{ 5, "route", NULL, 6, false },
	{ 6, NULL, "route", 7, true },
	{ 7, "discard", "discard", 7, true },
	{ 7, "no-install", "no-install", 7, true },
	{ 7, "no-readvertise", "no-readvertise", 7, true },
	{ 8, NULL, "rib", 9, false },
	{ 9, "static", "static", 5, false },
};

static const struct level *
find_level(int level, const char *word)
{
	for (size_t i = 0; i < sizeof(grammar) / sizeof(*grammar); i++)
		if (grammar[i].level == level &&
		    (!grammar[i].word || strcmp(grammar[i].word, word) == 0))
			return &grammar[i];
	return NULL;
}

static xmlNode *
new_child(xmlNode *parent, const char *name, const char *text)
{
	xmlNode *child =
	    xmlNewTextChild(parent, NULL, (const xmlChar *)name, (const xmlChar *)text);

	if (!child)
		fatal("out of memory");
	return child;
}

/* One element per line and level: conf_edit merges what belongs together. */
static void
parse_line(xmlNode *root, char *line, struct conf_problems *problems)
{
	char *rest = line, *word = strsep(&rest, " \t\r");
	bool is_delete = strcmp(word, "delete") == 0, may_end = false;
	const struct level *step = NULL;
	int level = 0;
	xmlNode *node = root;

	if (!is_delete && strcmp(word, "set") != 0) {
		conf_problem_add(problems, false, "[edit]", "unknown command", word);
		return;
	}
	while ((word = strsep(&rest, " \t\r"))) {
		if (!*word)
			continue;
		step = level == END ? NULL : find_level(level, word);
		if (!step) {
			conf_problem_add(problems, false, "[edit]", "syntax error", word);
			return;
		}
		if (step->element)
			node = new_child(node, step->element, NULL);
		if (!step->word)
			new_child(node, "name", word);
		level = step->next;
		may_end = step->may_end;
		if (level == 7 && step->word) /* a flag of the route: the next is its sibling */
			node = rest ? node->parent : node;
	}
	if (!may_end)
		conf_problem_add(
		    problems, false, "[edit]", "missing argument", step ? step->word : NULL);
	else if (is_delete)
		xmlNewProp(node, (const xmlChar *)"delete", (const xmlChar *)"delete");
}

xmlDoc *
conf_parse_set(const char *text, struct conf_problems *problems)
{
	char *copy = xstrdup(text), *rest = copy, *line;

	xmlDoc *doc = conf_new(), *one;

	while ((line = strsep(&rest, "\n"))) {
		struct conf_problems bad = { 0 };

		line += strspn(line, " \t\r");
		while (*line && strchr(" \t\r", line[strlen(line) - 1]))
			line[strlen(line) - 1] = '\0';
		if (!*line || *line == '#')
			continue;
		one = conf_new();
		parse_line(conf_root(one), line, &bad);
		for (size_t i = 0; i < bad.count; i++)
			conf_problem_add(problems, bad.list[i].is_warning, bad.list[i].path,
			    bad.list[i].message, bad.list[i].element);
		if (bad.count == 0) {
			xmlNode *part = conf_child(conf_root(one), NULL);

			xmlUnlinkNode(part);
			xmlSetTreeDoc(part, doc);
			xmlAddChild(conf_root(doc), part);
		}
		conf_problems_done(&bad);
		xmlFreeDoc(one);
	}
	free(copy);
	return doc;
}
