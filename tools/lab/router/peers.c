/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The peer table: values in an array, observers beside it. It owns the peers and nothing else; who
 * decides that a peer is down (the control socket, FRR) and who tells the world (BMP, syslog) are
 * other files. Every change of state goes through one of two setters, which keep `since`, the flap
 * count and the last cause right and calls the observers once per real change.
 */
#include "peers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const peer_bgp_names[PEER_BGP_COUNT] = { "Idle", "Connect", "Active", "OpenSent",
	"OpenConfirm", "Established" };
const char *const peer_bfd_names[PEER_BFD_COUNT] = { NULL, "AdminDown", "Down", "Init", "Up" };
const char *const peer_cause_names[PEER_CAUSE_COUNT] = { "unknown", "bfd", "hold-timer", "admin",
	"notification", "closed", "interface" };

enum { OBSERVERS_MAX = 4 };

struct peer_table {
	struct peer *peers; /* owned */
	size_t count, capacity;
	struct {
		peer_change_fn *fn;
		void *arg;
	} observers[OBSERVERS_MAX];
	size_t observer_count;
};

struct peer_table *
peer_table_new(void)
{
	return xcalloc(1, sizeof(struct peer_table));
}

void
peer_table_free(struct peer_table *table)
{
	if (!table)
		return;
	free(table->peers);
	free(table);
}

void
peer_table_observe(struct peer_table *table, peer_change_fn *fn, void *arg)
{
	if (table->observer_count == OBSERVERS_MAX)
		fatal("too many observers of the peer table");
	table->observers[table->observer_count].fn = fn;
	table->observers[table->observer_count++].arg = arg;
}

static struct peer *
find(const struct peer_table *table, const struct ip *address)
{
	for (size_t i = 0; i < table->count; i++)
		if (ip_compare(&table->peers[i].address, address) == 0)
			return &table->peers[i];
	return NULL;
}

static void
tell(struct peer_table *table, const struct peer *before, const struct peer *now)
{
	/* A copy: an observer must not see the table move under its feet. */
	struct peer copy = *now;

	for (size_t i = 0; i < table->observer_count; i++)
		table->observers[i].fn(table->observers[i].arg, before, &copy);
}

static void
copy_labels(struct peer *to, const struct peer *from)
{
	memcpy(to->instance, from->instance, sizeof(to->instance));
	memcpy(to->group, from->group, sizeof(to->group));
	memcpy(to->interface, from->interface, sizeof(to->interface));
	to->as = from->as;
	to->local_as = from->local_as;
	to->use_bfd = from->use_bfd;
}

const struct peer *
peer_table_add(struct peer_table *table, const struct peer *peer, struct mtime now)
{
	struct peer *slot = find(table, &peer->address);

	if (slot) {
		copy_labels(slot, peer);
		return slot;
	}
	if (table->count == table->capacity) {
		table->capacity = table->capacity ? table->capacity * 2 : 16;
		table->peers = xreallocarray(table->peers, table->capacity, sizeof(*table->peers));
	}
	slot = &table->peers[table->count++];
	*slot = (struct peer){ .address = peer->address, .bgp = PEER_IDLE, .since = now };
	copy_labels(slot, peer);
	slot->bfd = peer->use_bfd ? PEER_BFD_DOWN : PEER_BFD_NONE;
	slot->bfd_since = now;
	slot->bfd_interval_us = peer->bfd_interval_us ? peer->bfd_interval_us : 300000;
	slot->bfd_adapted = 1;
	slot->bfd_multiplier = peer->bfd_multiplier ? peer->bfd_multiplier : 3;
	tell(table, NULL, slot);
	return slot;
}

size_t
peer_table_count(const struct peer_table *table)
{
	return table->count;
}

const struct peer *
peer_table_at(const struct peer_table *table, size_t index)
{
	return &table->peers[index];
}

const struct peer *
peer_table_find(const struct peer_table *table, const struct ip *address)
{
	return find(table, address);
}

int
peer_set_bgp(struct peer_table *table, const struct ip *address, enum peer_bgp bgp,
    enum peer_cause cause, struct mtime since)
{
	struct peer *peer = find(table, address), before;

	if (!peer)
		return -ENOENT;
	if (peer->bgp == bgp)
		return 0;
	before = *peer;
	peer->bgp = bgp;
	if ((bgp == PEER_ESTABLISHED) != (before.bgp == PEER_ESTABLISHED))
		peer->since = since;
	if (before.bgp == PEER_ESTABLISHED) {
		peer->flaps++;
		peer->last_cause = cause;
		memset(peer->ribs, 0, sizeof(peer->ribs));
	}
	tell(table, &before, peer);
	return 0;
}

int
peer_set_bfd(struct peer_table *table, const struct ip *address, enum peer_bfd bfd, bool is_admin,
    struct mtime since)
{
	struct peer *peer = find(table, address), before;

	if (!peer)
		return -ENOENT;
	if (peer->bfd == bfd)
		return 0;
	before = *peer;
	peer->bfd = bfd;
	peer->bfd_since = since;
	peer->bfd_was_admin = bfd != PEER_BFD_UP && is_admin;
	tell(table, &before, peer);
	return 0;
}

int
peer_set_rib(struct peer_table *table, const struct ip *address, const struct peer_rib *rib)
{
	struct peer *peer = find(table, address);

	if (!peer)
		return -ENOENT;
	for (size_t i = 0; i < PEER_RIB_MAX; i++) {
		if (peer->ribs[i].name[0] && strcmp(peer->ribs[i].name, rib->name) != 0)
			continue;
		peer->ribs[i] = *rib;
		break;
	}
	return 0;
}

int
peer_set_bfd_adapted(struct peer_table *table, const struct ip *address, uint32_t times)
{
	struct peer *peer = find(table, address);

	if (!peer)
		return -ENOENT;
	peer->bfd_adapted = times;
	return 0;
}

int
peer_set_bfd_timers(
    struct peer_table *table, const struct ip *address, uint32_t interval_us, uint32_t multiplier)
{
	struct peer *peer = find(table, address);

	if (!peer)
		return -ENOENT;
	peer->bfd_interval_us = interval_us;
	peer->bfd_multiplier = multiplier;
	return 0;
}

int
peer_set_interface(struct peer_table *table, const struct ip *address, const char *device)
{
	struct peer *peer = find(table, address);

	if (!peer)
		return -ENOENT;
	(void)snprintf(peer->interface, sizeof(peer->interface), "%s%s", device,
	    *device == '\0' || strchr(device, '.') ? "" : ".0");
	return 0;
}

static int
parse_number(const char *text, uint32_t *ret_number)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || end == text || *end || text[0] == '-' || value > UINT32_MAX)
		return -EINVAL;
	*ret_number = (uint32_t)value;
	return 0;
}

static int
copy_name(const char *text, char name[PEER_NAME_SIZE])
{
	return *text && snprintf(name, PEER_NAME_SIZE, "%s", text) < PEER_NAME_SIZE ? 0 : -EINVAL;
}

static int
parse_option(char *option, struct peer *peer)
{
	char *value = strchr(option, '=');

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	if (strcmp(option, "instance") == 0)
		return copy_name(value, peer->instance);
	if (strcmp(option, "group") == 0)
		return copy_name(value, peer->group);
	if (strcmp(option, "interface") == 0)
		return copy_name(value, peer->interface);
	if (strcmp(option, "as") == 0)
		return parse_number(value, &peer->as);
	if (strcmp(option, "local-as") == 0)
		return parse_number(value, &peer->local_as);
	if (strcmp(option, "bfd") != 0 || (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0))
		return -EINVAL;
	peer->use_bfd = strcmp(value, "yes") == 0;
	return 0;
}

int
peer_parse(const char *text, struct peer *ret_peer, struct error *err)
{
	char *copy = xstrdup(text), *rest = copy, *word;
	struct peer peer = { .as = 65100, .local_as = 65000, .use_bfd = true };
	int rc;

	(void)copy_name("master", peer.instance);
	(void)copy_name("ELEMENTS", peer.group);
	(void)copy_name("et-0/0/0.0", peer.interface);
	rc = ip_parse(strsep(&rest, ","), &peer.address);
	while (rc == 0 && (word = strsep(&rest, ",")))
		rc = parse_option(word, &peer);
	free(copy);
	if (rc < 0)
		return error_set(err, rc,
		    "peer '%s': want ADDRESS[,instance=NAME][,as=N][,local-as=N][,group=NAME]"
		    "[,interface=NAME][,bfd=yes|no]",
		    text);
	*ret_peer = peer;
	return 0;
}
