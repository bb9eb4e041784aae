/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One description, two syntaxes: every call says what a thing is called in XML, and the writer
 * knows what of it a command shows. It keeps the open elements as one text for the commands
 * and as a stack for the XML, streams, and remembers nothing else, so a list of 85,000 prefixes
 * costs no memory. Text is escaped for XML; a value with a space is quoted in a command. Names that
 * would need quotes do not come here, the YANG module has patterns for them.
 */
#include "config_writer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "xml_escape.h"

enum { DEEPEST = 16 };

struct config_writer {
	FILE *out; /* borrowed */
	enum config_part part;
	unsigned depth;
	char *tags[DEEPEST];     /* owned; open elements */
	size_t lengths[DEEPEST]; /* of command before each was opened */
	char *command;           /* owned; "set system ...", "delete ..." */
};

static void
indent(const struct config_writer *w)
{
	fprintf(w->out, "%*s", (int)(2 * (w->depth + 1)), "");
}

static void
put_text(const struct config_writer *w, const char *text)
{
	for (; *text; text++) {
		const char *escape = xml_escape(*text);

		if (escape)
			fputs(escape, w->out);
		else
			fputc(*text, w->out);
	}
}

struct config_writer *
config_writer_new(FILE *out, enum config_part part)
{
	struct config_writer *w = xcalloc(1, sizeof(*w));

	w->out = out;
	w->part = part;
	w->command = xstrdup(part == CONFIG_DELETE_LINES ? "delete" : "set");
	if (part == CONFIG_XML)
		fputs("<configuration xmlns=\"http://xml.juniper.net/xnm/1.1/xnm\">\n", out);
	return w;
}

int
config_writer_end(struct config_writer *w)
{
	FILE *out = w->out;

	while (w->depth)
		config_end(w);
	if (w->part == CONFIG_XML)
		fputs("</configuration>\n", out);
	free(w->command);
	free(w);
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return errno == EPIPE ? -EPIPE : -EIO;
}

/* tag, word and name: the element; its part of a command; the list key or NULL. */
static char *
extend_command(const struct config_writer *w, const char *word, const char *name)
{
	return xasprintf(
	    "%s%s%s%s%s", w->command, word[0] ? " " : "", word, name ? " " : "", name ? name : "");
}

static void
open_element(const struct config_writer *w, const char *tag, const char *action, const char *name)
{
	indent(w);
	fprintf(w->out, "<%s", tag);
	if (action)
		fprintf(w->out, " %s=\"%s\"", action, action);
	fputs(name ? "><name>" : ">", w->out);
	put_text(w, name ? name : "");
	fputs(name ? "</name>" : "", w->out);
}

/* action: NULL, or "replace" for an owned entry. */
static void
begin(struct config_writer *w, const char *tag, const char *word, const char *action,
    const char *name)
{
	char *command = extend_command(w, word, name);

	if (w->depth == DEEPEST)
		fatal("configuration nested too deeply at %s", tag);
	if (w->part == CONFIG_XML) {
		open_element(w, tag, action, name);
		fputc('\n', w->out);
	} else if (w->part == CONFIG_DELETE_LINES && action) {
		fprintf(w->out, "%s\n", command);
	}
	w->lengths[w->depth] = strlen(w->command);
	w->tags[w->depth++] = xstrdup(tag);
	free(w->command);
	w->command = command;
}

void
config_begin(struct config_writer *w, const char *tag)
{
	begin(w, tag, tag, NULL, NULL);
}

void
config_begin_named(struct config_writer *w, const char *tag, const char *name)
{
	begin(w, tag, tag, NULL, name);
}

void
config_begin_bare(struct config_writer *w, const char *tag, const char *name)
{
	begin(w, tag, "", NULL, name);
}

void
config_begin_owned(struct config_writer *w, const char *tag, const char *name)
{
	begin(w, tag, tag, "replace", name);
}

void
config_begin_owned_bare(struct config_writer *w, const char *tag, const char *name)
{
	begin(w, tag, "", "replace", name);
}

static void
put_gone(const struct config_writer *w, const char *tag, const char *word, const char *name)
{
	char *command = extend_command(w, word, name);

	if (w->part == CONFIG_XML) {
		open_element(w, tag, "delete", name);
		fprintf(w->out, "</%s>\n", tag);
	} else if (w->part == CONFIG_DELETE_LINES) {
		fprintf(w->out, "%s\n", command);
	}
	free(command);
}

void
config_gone(struct config_writer *w, const char *tag, const char *name)
{
	put_gone(w, tag, tag, name);
}

void
config_gone_bare(struct config_writer *w, const char *tag, const char *name)
{
	put_gone(w, tag, "", name);
}

void
config_end(struct config_writer *w)
{
	w->depth--;
	w->command[w->lengths[w->depth]] = '\0';
	if (w->part == CONFIG_XML) {
		indent(w);
		fprintf(w->out, "</%s>\n", w->tags[w->depth]);
	}
	free(w->tags[w->depth]);
}

static void
put_leaf(struct config_writer *w, const char *tag, const char *word, const char *value)
{
	if (w->part == CONFIG_DELETE_LINES)
		return;
	if (w->part == CONFIG_SET_LINES) {
		const char *quote = strchr(value, ' ') ? "\"" : "";

		fprintf(w->out, "%s%s%s %s%s%s\n", w->command, word[0] ? " " : "", word, quote,
		    value, quote);
		return;
	}
	indent(w);
	fprintf(w->out, "<%s>", tag);
	put_text(w, value);
	fprintf(w->out, "</%s>\n", tag);
}

void
config_value(struct config_writer *w, const char *tag, const char *value)
{
	put_leaf(w, tag, tag, value);
}

void
config_value_bare(struct config_writer *w, const char *tag, const char *value)
{
	put_leaf(w, tag, "", value);
}

void
config_flag(struct config_writer *w, const char *tag)
{
	if (w->part == CONFIG_SET_LINES)
		fprintf(w->out, "%s %s\n", w->command, tag);
	if (w->part != CONFIG_XML)
		return;
	indent(w);
	fprintf(w->out, "<%s/>\n", tag);
}

static void
put_item(struct config_writer *w, const char *tag, const char *word, const char *name)
{
	if (w->part != CONFIG_XML) {
		put_leaf(w, tag, word, name);
		return;
	}
	indent(w);
	fprintf(w->out, "<%s><name>", tag);
	put_text(w, name);
	fprintf(w->out, "</name></%s>\n", tag);
}

void
config_item(struct config_writer *w, const char *tag, const char *name)
{
	put_item(w, tag, tag, name);
}

void
config_item_bare(struct config_writer *w, const char *tag, const char *name)
{
	put_item(w, tag, "", name);
}

void
config_route_filter(
    struct config_writer *w, const char *prefix, const char *type, const char *value)
{
	if (w->part == CONFIG_SET_LINES)
		fprintf(w->out, "%s route-filter %s %s%s%s\n", w->command, prefix, type,
		    value ? " " : "", value ? value : "");
	if (w->part != CONFIG_XML)
		return;
	indent(w);
	fprintf(w->out, "<route-filter><address>%s</address>", prefix);
	if (value)
		fprintf(w->out, "<%s>%s</%s></route-filter>\n", type, value, type);
	else
		fprintf(w->out, "<%s/></route-filter>\n", type);
}

/* XML allows no "--" in a comment, but a name may have it. */
static void
put_comment(const struct config_writer *w, const char *text)
{
	for (; *text; text++) {
		fputc(*text, w->out);
		if (text[0] == '-' && text[1] == '-')
			fputc(' ', w->out);
	}
}

void
config_comment(struct config_writer *w, const char *text)
{
	if (w->part == CONFIG_SET_LINES)
		fprintf(w->out, "# %s\n", text);
	if (w->part != CONFIG_XML)
		return;
	indent(w);
	fputs("<!-- ", w->out);
	put_comment(w, text);
	fputs(" -->\n", w->out);
}
