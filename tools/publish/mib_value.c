/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One leaf to one value of SMIv2. What does not fit has no better place than its limit: texts are
 * cut at 255 octets between characters (SnmpAdminString), gauges stay at 2^32-1 (RFC 2578 section
 * 7.1.7), counters of 32 bits wrap.
 */
#include "mib_internal.h"

#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "node.h"
#include "prefix.h"

static void
set_number(struct mib_value *value, enum mib_type type, uint64_t number)
{
	value->type = type;
	value->number = number;
}

static void
set_octets(struct mib_value *value, const void *octets, size_t size)
{
	set_number(value, MIB_TYPE_OCTETS, size);
	memcpy(value->octets, octets, size);
}

void
mib_value_set_text(struct mib_value *value, const char *text)
{
	size_t size = strlen(text);

	if (size > MIB_OCTETS_MOST) {
		size = MIB_OCTETS_MOST;
		while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
			size--;
	}
	set_octets(value, text, size);
}

/* DateAndTime of RFC 2579, in UTC. */
void
mib_value_set_time(struct mib_value *value, int64_t us)
{
	time_t seconds = us / 1000000;
	struct tm tm;
	unsigned year;

	gmtime_r(&seconds, &tm);
	year = (unsigned)tm.tm_year + 1900;
	set_octets(value,
	    (const uint8_t[]){ (uint8_t)(year >> 8), (uint8_t)year, (uint8_t)(tm.tm_mon + 1),
	        (uint8_t)tm.tm_mday, (uint8_t)tm.tm_hour, (uint8_t)tm.tm_min, (uint8_t)tm.tm_sec,
	        (uint8_t)(us % 1000000 / 100000), '+', 0, 0 },
	    11);
}

uint32_t
mib_enum_place(const struct lyd_node *leaf)
{
	const struct lyd_node_term *term = (const struct lyd_node_term *)leaf;
	const struct lysc_type_enum *type;

	if (!leaf->schema || !(leaf->schema->nodetype & LYD_NODE_TERM) ||
	    term->value.realtype->basetype != LY_TYPE_ENUM)
		return 0;
	type = (const struct lysc_type_enum *)term->value.realtype;
	return (uint32_t)(term->value.enum_item->value - type->enums[0].value + 1);
}

/* "12.345" with 3 decimals is 12345. */
static uint64_t
read_decimal(const char *text, unsigned decimals)
{
	char *point;
	uint64_t number = strtoull(text, &point, 10);

	if (*point == '.')
		point++;
	for (; decimals > 0; decimals--) {
		number *= 10;
		if (*point >= '0' && *point <= '9')
			number += (uint64_t)(*point++ - '0');
	}
	return number;
}

static bool
read_address(enum mib_kind kind, const char *text, struct mib_value *value)
{
	struct prefix prefix;

	if (prefix_parse(text, &prefix) < 0)
		return false;
	if (kind == MIB_ADDRESS_TYPE)
		set_number(value, MIB_TYPE_INTEGER, prefix.address.family == FAMILY_IPV4 ? 1 : 2);
	else if (kind == MIB_PREFIX_LENGTH)
		set_number(value, MIB_TYPE_UNSIGNED, prefix.length);
	else
		set_octets(value, prefix.address.bytes, family_bits(prefix.address.family) / 8);
	return true;
}

struct tally {
	uint64_t all, yes;
};

static void
count_node(void *arg, const struct lyd_node *node)
{
	struct tally *tally = arg;

	tally->all++;
	tally->yes +=
	    (node->schema->nodetype & LYD_NODE_TERM) && strcmp(node_value(node), "true") == 0;
}

static bool
read_count(const struct mib_column *column, const struct lyd_node *row, struct mib_value *value)
{
	struct tally tally = { 0 };
	bool is_scalar = !lyd_parent(row);

	node_each(row, column->path, count_node, &tally);
	set_number(value, MIB_TYPE_UNSIGNED, column->kind == MIB_COUNT ? tally.all : tally.yes);
	return tally.all > 0 || is_scalar;
}

struct joint {
	char text[1024];
	size_t used;
};

static void
join_text(void *arg, const struct lyd_node *node)
{
	struct joint *joint = arg;

	if (joint->used < sizeof(joint->text))
		joint->used +=
		    (size_t)snprintf(joint->text + joint->used, sizeof(joint->text) - joint->used,
		        "%s%s", joint->used ? ", " : "", node_value(node));
}

static void
read_text(const struct mib_column *column, const struct lyd_node *row, struct mib_value *value)
{
	struct joint joint = { "" };

	node_each(row, column->path, join_text, &joint);
	mib_value_set_text(value, joint.text);
}

static uint64_t
clamp32(uint64_t number)
{
	return number > UINT32_MAX ? UINT32_MAX : number;
}

/* Values that need their leaf. */
static bool
read_leaf(const struct mib_column *column, const struct lyd_node *row, const struct lyd_node *leaf,
    struct mib_value *value)
{
	const char *text = node_value(leaf);
	int64_t us;

	switch (column->kind) {
	case MIB_TEXT:
	case MIB_TEXT_OR_NONE:
		read_text(column, row, value);
		return true;
	case MIB_ENUM:
	case MIB_ENUM_OR_NONE:
		set_number(value, MIB_TYPE_INTEGER, mib_enum_place(leaf));
		return value->number > 0;
	case MIB_TRUTH:
		set_number(value, MIB_TYPE_INTEGER, strcmp(text, "true") == 0 ? 1 : 2);
		return true;
	case MIB_TIME:
		us = node_time(leaf, "");
		mib_value_set_time(value, us);
		return us > 0;
	case MIB_GAUGE32:
		set_number(value, MIB_TYPE_UNSIGNED, clamp32(read_decimal(text, 0)));
		return true;
	case MIB_COUNTER32:
		set_number(value, MIB_TYPE_COUNTER32, read_decimal(text, 0) & UINT32_MAX);
		return true;
	case MIB_GAUGE64:
	case MIB_COUNTER64:
		set_number(value, MIB_TYPE_COUNTER64, read_decimal(text, column->decimals));
		return true;
	default:
		return read_address(column->kind, text, value);
	}
}

bool
mib_value_read(const struct mib_column *column, const struct lyd_node *row,
    const struct mib_source *source, struct mib_value *ret_value)
{
	const struct lyd_node *leaf;

	switch (column->kind) {
	case MIB_REACHABLE:
		set_number(ret_value, MIB_TYPE_INTEGER, source->state ? 1 : 2);
		return true;
	case MIB_AGE:
		set_number(ret_value, MIB_TYPE_AGE, 0);
		return source->taken_us > 0;
	case MIB_TAKEN:
		mib_value_set_time(ret_value, source->taken_us);
		return source->taken_us > 0;
	case MIB_COUNT:
	case MIB_COUNT_TRUE:
		return read_count(column, row, ret_value);
	case MIB_PARENT_KEY:
		mib_value_set_text(ret_value, node_text(lyd_parent(row), column->path));
		return true;
	default:
		break;
	}
	leaf = node_find(row, column->path);
	if (leaf)
		return read_leaf(column, row, leaf, ret_value);
	if (column->kind == MIB_TEXT_OR_NONE)
		mib_value_set_text(ret_value, "");
	else if (column->kind == MIB_ENUM_OR_NONE)
		set_number(ret_value, MIB_TYPE_INTEGER, 0);
	else
		return false;
	return true;
}
