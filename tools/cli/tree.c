/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small readers of answers. Absent leaves are the empty text, nought, or false: an older agent
 * leaves out what it does not know, and a screen then shows less in place of failing.
 *
 * Ages have two units at most, because a person compares them at a glance; times of day are UTC
 * with tenths, because logs of several boxes are laid side by side.
 */
#define _GNU_SOURCE /* timegm */
#include "tree.h"

#include <inttypes.h>
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct lyd_node *
tree_next(const struct lyd_node *parent, const char *name, const struct lyd_node *previous)
{
	const struct lyd_node *node = previous ? previous->next : parent ? lyd_child(parent) : NULL;

	while (node && !(node->schema && strcmp(node->schema->name, name) == 0))
		node = node->next;
	return node;
}

const struct lyd_node *
tree_child(const struct lyd_node *parent, const char *name)
{
	return tree_next(parent, name, NULL);
}

const struct lyd_node *
tree_entry(const struct lyd_node *parent, const char *list, const char *key, const char *value)
{
	const struct lyd_node *entry = NULL;

	while ((entry = tree_next(parent, list, entry)))
		if (tree_is(entry, key, value))
			break;
	return entry;
}

bool
tree_has(const struct lyd_node *parent, const char *leaf)
{
	return tree_child(parent, leaf) != NULL;
}

const char *
tree_value(const struct lyd_node *leaf)
{
	const char *value = leaf ? lyd_get_value(leaf) : NULL;

	return value ? value : "";
}

const char *
tree_text(const struct lyd_node *parent, const char *leaf)
{
	return tree_value(tree_child(parent, leaf));
}

uint64_t
tree_number(const struct lyd_node *parent, const char *leaf)
{
	return strtoull(tree_text(parent, leaf), NULL, 10);
}

double
tree_amount(const struct lyd_node *parent, const char *leaf)
{
	return strtod(tree_text(parent, leaf), NULL);
}

bool
tree_is(const struct lyd_node *parent, const char *leaf, const char *value)
{
	return strcmp(tree_text(parent, leaf), value) == 0;
}

bool
tree_flag(const struct lyd_node *parent, const char *leaf)
{
	return tree_is(parent, leaf, "true");
}

int64_t
tree_time(const struct lyd_node *parent, const char *leaf)
{
	struct tm tm = { 0 };
	int us;

	if (sscanf(tree_text(parent, leaf), "%d-%d-%dT%d:%d:%d.%6d", &tm.tm_year, &tm.tm_mon,
	        &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &us) != 7)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return (int64_t)timegm(&tm) * 1000000 + us;
}

const char *
amount_format(double amount, char buf[AMOUNT_TEXT_SIZE])
{
	size_t size = (size_t)snprintf(buf, AMOUNT_TEXT_SIZE, "%.2f", amount);

	while (size > 0 && buf[size - 1] == '0')
		buf[--size] = '\0';
	if (size > 0 && buf[size - 1] == '.')
		buf[size - 1] = '\0';
	return buf;
}

const char *
age_format(int64_t us, char buf[AGE_TEXT_SIZE])
{
	int64_t s = us > 0 ? us / 1000000 : 0;

	if (s < 60)
		snprintf(buf, AGE_TEXT_SIZE, "%" PRId64 "s", s);
	else if (s < 3600)
		snprintf(buf, AGE_TEXT_SIZE, "%" PRId64 "m%02" PRId64 "s", s / 60, s % 60);
	else if (s < 48 * 3600)
		snprintf(buf, AGE_TEXT_SIZE, "%" PRId64 "h%02" PRId64 "m", s / 3600, s / 60 % 60);
	else
		snprintf(buf, AGE_TEXT_SIZE, "%" PRId64 "d", s / 86400);
	return buf;
}

const char *
countdown_format(int64_t us, char buf[AGE_TEXT_SIZE])
{
	int64_t s = us > 0 ? (us + 999999) / 1000000 : 0;

	snprintf(buf, AGE_TEXT_SIZE, "%" PRId64 ":%02" PRId64, s / 60, s % 60);
	return buf;
}

const char *
delay_format(int64_t us, char buf[AGE_TEXT_SIZE])
{
	if (us < 0)
		us = 0;
	if (us < 10000)
		snprintf(buf, AGE_TEXT_SIZE, "+%.1f ms", (double)us / 1000);
	else if (us < 10000000)
		snprintf(buf, AGE_TEXT_SIZE, "+%.2f s", (double)us / 1000000);
	else
		snprintf(buf, AGE_TEXT_SIZE, "+%" PRId64 " s", us / 1000000);
	return buf;
}

const char *
clock_format(int64_t us, char buf[CLOCK_TEXT_SIZE])
{
	time_t s = (time_t)(us / 1000000);
	struct tm tm;

	gmtime_r(&s, &tm);
	snprintf(buf, CLOCK_TEXT_SIZE, "%02d:%02d:%02d.%d", tm.tm_hour, tm.tm_min, tm.tm_sec,
	    (int)(us / 100000 % 10));
	return buf;
}
