/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Junos configuration, written once and printed as XML or as `set` commands. Junos leaves some XML
 * element names out of its commands (prefix-list-item, filter-name); the _bare calls are for these.
 * A value with a space is put into quotes in a command.
 */
#ifndef AUTOFBF_CONFIG_WRITER_H
#define AUTOFBF_CONFIG_WRITER_H

#include <stdbool.h>
#include <stdio.h>

struct config_writer;

/* Begins a document; out is borrowed. */
struct config_writer *config_writer_new(FILE *out, bool xml);
/* Ends the document and frees the writer. 0, or -EIO when out failed. */
int config_writer_end(struct config_writer *w);

/* A container; every begin needs an end. Without anything inside it prints no command. */
void config_begin(struct config_writer *w, const char *tag);
/* An entry of a list with more inside: <tag><name>NAME</name>...</tag>, "tag NAME ...". */
void config_begin_named(struct config_writer *w, const char *tag, const char *name);
/* The same, "NAME ..." in a command. */
void config_begin_bare(struct config_writer *w, const char *tag, const char *name);
void config_end(struct config_writer *w);

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
/* For people: <!-- TEXT -->, "# TEXT". Without "--" in it. */
void config_comment(struct config_writer *w, const char *text);

#endif
