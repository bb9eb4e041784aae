/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A list of meters by kind and name. Each has a rate, a moment, and what had been counted by then;
 * setting a rate first settles what the old one has brought. Clearing remembers the raw value of
 * the kernel as the new zero and forgets all traffic of ours.
 */
#include "meters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

const char *const meter_kind_names[METER_KIND_COUNT] = { "in", "out", "term" };

struct meter {
	enum meter_kind kind;
	char *name; /* owned */
	uint64_t pps, size;
	struct mtime since;
	struct meter_value counted; /* made up, by since */
	struct meter_value zero;    /* the kernel's value when it was cleared */
};

struct meters {
	struct meter *list; /* owned */
	size_t count;
};

struct meters *
meters_new(void)
{
	return xcalloc(1, sizeof(struct meters));
}

void
meters_free(struct meters *meters)
{
	if (!meters)
		return;
	for (size_t i = 0; i < meters->count; i++)
		free(meters->list[i].name);
	free(meters->list);
	free(meters);
}

static struct meter *
find(const struct meters *meters, enum meter_kind kind, const char *name)
{
	for (size_t i = 0; i < meters->count; i++)
		if (meters->list[i].kind == kind && strcmp(meters->list[i].name, name) == 0)
			return &meters->list[i];
	return NULL;
}

static struct meter *
get(struct meters *meters, enum meter_kind kind, const char *name, struct mtime now)
{
	struct meter *meter = find(meters, kind, name);

	if (meter)
		return meter;
	meters->list = xreallocarray(meters->list, meters->count + 1, sizeof(*meters->list));
	meter = &meters->list[meters->count++];
	*meter = (struct meter){ .kind = kind, .name = xstrdup(name), .since = now };
	return meter;
}

static struct meter_value
made_up(const struct meter *meter, struct mtime now)
{
	uint64_t us = now.us > meter->since.us ? (uint64_t)(now.us - meter->since.us) : 0;
	uint64_t packets = us / 1000000 * meter->pps + us % 1000000 * meter->pps / 1000000;

	return (struct meter_value){ meter->counted.packets + packets,
		meter->counted.bytes + packets * meter->size };
}

void
meters_set_rate(struct meters *meters, enum meter_kind kind, const char *name, uint64_t pps,
    uint64_t size, struct mtime now)
{
	struct meter *meter = get(meters, kind, name, now);

	meter->counted = made_up(meter, now);
	meter->since = now;
	meter->pps = pps;
	meter->size = size;
}

void
meters_add(struct meters *meters, enum meter_kind kind, const char *name, uint64_t packets,
    uint64_t size, struct mtime now)
{
	struct meter *meter = get(meters, kind, name, now);

	meter->counted.packets += packets;
	meter->counted.bytes += packets * size;
}

static uint64_t
above(uint64_t value, uint64_t zero)
{
	return value > zero ? value - zero : 0;
}

struct meter_value
meters_read(const struct meters *meters, enum meter_kind kind, const char *name,
    struct meter_value raw, struct mtime now)
{
	const struct meter *meter = find(meters, kind, name);
	struct meter_value value;

	if (!meter)
		return raw;
	value = made_up(meter, now);
	value.packets += above(raw.packets, meter->zero.packets);
	value.bytes += above(raw.bytes, meter->zero.bytes);
	return value;
}

void
meters_clear(struct meters *meters, enum meter_kind kind, const char *name, struct meter_value raw,
    struct mtime now)
{
	struct meter *meter = get(meters, kind, name, now);

	meter->counted = (struct meter_value){ 0 };
	meter->since = now;
	meter->zero = raw;
}

void
meters_print(const struct meters *meters, FILE *out, struct mtime now)
{
	for (size_t i = 0; i < meters->count; i++) {
		const struct meter *meter = &meters->list[i];
		struct meter_value value = made_up(meter, now);

		fprintf(out, "%s %s %" PRIu64 " %" PRIu64 " rate=%" PRIu64 " size=%" PRIu64 "\n",
		    meter_kind_names[meter->kind], meter->name, value.packets, value.bytes,
		    meter->pps, meter->size);
	}
}
