/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who asks: addresses spread over pools, or a list. The same arguments give the same addresses, so
 * two runs can be compared subscriber by subscriber.
 */
#include "probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static void
add_subscriber(struct probe *probe, const struct ip *ip)
{
	probe->subscribers = xreallocarray(
	    probe->subscribers, probe->subscriber_count + 1, sizeof(*probe->subscribers));
	probe->subscribers[probe->subscriber_count++] = *ip;
}

/* Where in its share the i-th address lies: the fractional parts of multiples of the golden ratio
 * never fall into step with anything. */
static unsigned __int128
place_in_share(unsigned __int128 share, uint32_t i)
{
	uint32_t fraction = i * UINT32_C(2654435769);

	return share >> 64 ? (share >> 32) * fraction : share * fraction >> 32;
}

void
probe_add_pool(struct probe *probe, const struct prefix *pool, uint32_t count)
{
	unsigned bits = family_bits(pool->address.family);
	unsigned host_bits = bits - pool->length < 96 ? bits - pool->length : 96;
	unsigned __int128 share = ((unsigned __int128)1 << host_bits) / count;

	for (uint32_t i = 0; i < count; i++) {
		unsigned __int128 offset = share * i + place_in_share(share, i);
		struct ip ip = pool->address;

		for (unsigned k = bits / 8; k-- > 0; offset >>= 8)
			ip.bytes[k] |= (uint8_t)offset;
		add_subscriber(probe, &ip);
	}
}

static FILE *
open_list(const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file)
		fatal("%s: %s", path, strerror(errno));
	return file;
}

void
probe_add_list(struct probe *probe, const char *path)
{
	FILE *file = open_list(path);
	char line[128];
	struct ip ip;

	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, " \t\r\n")] = '\0';
		if (!*line || *line == '#')
			continue;
		if (ip_parse(line, &ip))
			fatal("%s: '%s' is not an address", path, line);
		add_subscriber(probe, &ip);
	}
	fclose(file);
}

void
probe_mix_families(struct probe *probe)
{
	size_t count = probe->subscriber_count, next[FAMILY_COUNT] = { 0 };
	struct ip *mixed = xcalloc(count + 1, sizeof(*mixed));

	for (size_t i = 0; i < count; i++) {
		for (int turn = 0; turn < FAMILY_COUNT; turn++) {
			enum family family = (i + (size_t)turn) % FAMILY_COUNT;
			size_t *k = &next[family];

			while (*k < count && probe->subscribers[*k].family != family)
				++*k;
			if (*k == count)
				continue;
			mixed[i] = probe->subscribers[(*k)++];
			break;
		}
	}
	free(probe->subscribers);
	probe->subscribers = mixed;
}
