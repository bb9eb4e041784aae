/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Junos configuration, written once and printed as XML or as commands. Junos leaves some XML
 * element names out of its commands (prefix-list-item, filter-name); the _bare calls are for these.
 * A value with a space is put into quotes in a command.
 *
 * A router may have an older version of it. Loading merges, so what is ours as a whole says so: an
 * owned entry takes the place of the one before (replace="replace"), one that is gone takes itself
 * away (delete="delete"). Commands have no replace; there the whole is written twice, first for its
 * `delete` lines, then for its `set` lines.
 */
#ifndef AUTOFBF_CONFIG_WRITER_H
#define AUTOFBF_CONFIG_WRITER_H

#include <stdio.h>

struct config_writer;

enum config_part { CONFIG_XML, CONFIG_DELETE_LINES, CONFIG_SET_LINES };

/* Begins a document, or one half of the commands; out is borrowed. */
struct config_writer *config_writer_new(FILE *out, enum config_part part);
/* Ends the document and frees the writer. 0, or when out failed -EIO; -EPIPE:
 * nobody reads it any more. */
int config_writer_end(struct config_writer *w);

/* A container; every begin needs an end. Without anything inside it prints no command. */
void config_begin(struct config_writer *w, const char *tag);
/* An entry of a list with more inside: <tag><name>NAME</name>...</tag>, "tag NAME ...". */
void config_begin_named(struct config_writer *w, const char *tag, const char *name);
/* The same, "NAME ..." in a command. */
void config_begin_bare(struct config_writer *w, const char *tag, const char *name);
/* The same two, owned: what is in it now is all that is in it. */
void config_begin_owned(struct config_writer *w, const char *tag, const char *name);
void config_begin_owned_bare(struct config_writer *w, const char *tag, const char *name);
void config_end(struct config_writer *w);
/* An entry that was owned and is there no more; has no end. */
void config_gone(struct config_writer *w, const char *tag, const char *name);
void config_gone_bare(struct config_writer *w, const char *tag, const char *name);

/* A leaf: <tag>VALUE</tag>, "tag VALUE"; a bare one: "VALUE". */
void config_value(struct config_writer *w, const char *tag, const char *value);
void config_value_bare(struct config_writer *w, const char *tag, const char *value);
/* A leaf without value: <tag/>, "tag". */
void config_flag(struct config_writer *w, const char *tag);
/* An entry of a list that is only its name: <tag><name>NAME</name></tag>, "tag NAME" or "NAME". */
void config_item(struct config_writer *w, const char *tag, const char *name);
void config_item_bare(struct config_writer *w, const char *tag, const char *name);
/* <route-filter><address>PREFIX</address><type>VALUE</type></route-filter>, "route-filter PREFIX
 * type VALUE"; value NULL: a type without one. */
void config_route_filter(
    struct config_writer *w, const char *prefix, const char *type, const char *value);
/* For people: <!-- TEXT -->, "# TEXT"; "--" is "- -" in XML. */
void config_comment(struct config_writer *w, const char *text);

#endif
