/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checked configuration as plain structs. Made once by profile_yang.c (or by a test), never
 * changed afterwards; everybody else borrows. Defaults are already filled in. Groups, elements and
 * peers are sorted by id as bytes, weights by epoch, pools by (family, prefix, since), split tables
 * by survivors, so the order of lines in the file never matters.
 */
#ifndef AUTOFBF_PROFILE_H
#define AUTOFBF_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prefix.h"

enum { PROFILE_MAX_ELEMENTS = 255, PROFILE_MAX_UNITS = 1 << 22, PROFILE_MAX_WEIGHT = 4095 };
enum { PROFILE_MAX_LIST_ENTRIES = 85325 }; /* prefix-list limit, Junos statement prefix-list */
#define PROFILE_EPOCH_NONE UINT32_MAX

/* The two sides of an element: the inside faces subscribers, the outside the Internet. */
enum side { SIDE_INSIDE, SIDE_OUTSIDE, SIDE_COUNT };
extern const char *const side_names[SIDE_COUNT]; /* "inside", "outside" */

enum bfd_mode { BFD_IF_PRESENT, BFD_REQUIRED, BFD_IGNORE, BFD_MODE_COUNT };
extern const char *const bfd_mode_names[BFD_MODE_COUNT]; /* "if-present", ... */

enum failure_scope { SCOPE_AUTO, SCOPE_FAMILY, SCOPE_ELEMENT, SCOPE_COUNT };
extern const char *const failure_scope_names[SCOPE_COUNT];

enum agent_mode { MODE_ACTIVE, MODE_MONITOR, MODE_COUNT };
extern const char *const agent_mode_names[MODE_COUNT];

enum revert { REVERT_AUTOMATIC, REVERT_MANUAL, REVERT_COUNT };
extern const char *const revert_names[REVERT_COUNT]; /* "automatic", "manual" */

enum return_path { RETURN_FILTER, RETURN_NAT_ROUTES, RETURN_PATH_COUNT };
extern const char *const return_path_names[RETURN_PATH_COUNT]; /* "filter", "nat-routes" */

enum nat_kind { NAT_NAPT, NAT_PBA, NAT_DETERMINISTIC, NAT_KIND_COUNT };
extern const char *const nat_kind_names[NAT_KIND_COUNT];

struct profile_peer {
	struct ip address; /* unique in the profile */
	char *instance;    /* owned; routing instance of the BGP session, "master" by default */
	enum bfd_mode bfd;
	uint32_t required_routes; /* active routes this side must have to join; 0: none needed */
	char *interface; /* owned or NULL (that of the BFD session); whose counters tell the load */
};

/* Public addresses that an element translates to; it announces a route for them outside. */
struct profile_nat_pool {
	char *id; /* owned; unique in the element and family */
	struct prefix prefix;
	enum nat_kind kind;
	uint16_t block_size;  /* ports; of pba and deterministic */
	struct prefix *hosts; /* owned; deterministic: in the order of the rule, not sorted */
	size_t host_count;
};

struct profile_element_family {
	bool present; /* the element serves this family */
	struct profile_peer peer[SIDE_COUNT];
	char *base_list;                    /* owned; "ID-base-v4" unless aliased */
	char *override_list;                /* owned; "ID-ovr-v4" unless aliased */
	struct profile_nat_pool *nat_pools; /* owned; by id; none unless RETURN_NAT_ROUTES */
	size_t nat_pool_count;
};

struct profile_weight {
	uint32_t epoch;
	uint16_t weight;
};

struct profile_element {
	char *id;                       /* owned */
	char *name;                     /* owned; equals id by default */
	struct profile_weight *weights; /* owned; at least one */
	size_t weight_count;
	uint16_t failed_weight;  /* default: the last weight */
	bool removed;            /* tombstone: counts for epochs, owns nothing */
	char *failure_domain;    /* owned or NULL; elements that may die together (one host) */
	uint64_t capacity_milli; /* thousandths of the group's capacity label; 0: not told */
	struct profile_element_family family[FAMILY_COUNT];
};

struct profile_pool {
	struct prefix prefix;
	uint8_t unit_length;
	uint32_t since; /* epoch, inclusive */
	uint32_t until; /* epoch, exclusive; PROFILE_EPOCH_NONE: open end */
};

/* Splitting (rule 9): with so many survivors or fewer, displaced units are cut by so many bits; of
 * the rows that apply the one with the most bits counts. */
struct profile_split {
	uint8_t survivors; /* at least 1; unique in the table */
	uint8_t bits;      /* 1..6 */
};

/* Signal routes of one family: static discard routes that BGP export policies look at. */
struct profile_signal {
	uint8_t min_alive; /* fewer healthy elements than this install the failed route; 0: off */
	bool has_failed, has_alter;
	struct prefix failed_route; /* may be shared by groups */
	struct prefix alter_route;  /* may equal the failed route */
};

struct profile_group {
	char *id;                   /* owned */
	char *name;                 /* owned */
	struct profile_pool *pools; /* owned; both families */
	size_t pool_count;
	struct profile_element *elements; /* owned */
	size_t element_count;
	uint32_t hold_down_s;
	uint8_t quorum_percent;
	uint32_t startup_wait_s;
	uint32_t mass_window_ms;
	uint8_t mass_share_percent; /* more than this share of the weight down = mass event */
	enum failure_scope scope;
	char **inside_interfaces; /* owned; where router-config applies the inside filters */
	size_t inside_interface_count;
	char **outside_interfaces; /* owned */
	size_t outside_interface_count;
	/* damping: so many downs within the window keep an element out, doubling each time */
	uint8_t damping_flaps; /* 0: off */
	uint32_t damping_window_s, damping_initial_s, damping_maximum_s;
	enum revert revert;
	uint32_t bfd_detection_ms; /* as configured; slower than 1.5 of it is flagged; 0: ask */
	struct profile_split *split[FAMILY_COUNT]; /* owned; by survivors ascending */
	size_t split_count[FAMILY_COUNT];
	uint32_t entry_limit; /* entries a router list may have before a split is lowered */
	struct profile_signal signal[FAMILY_COUNT];
	enum return_path return_path[FAMILY_COUNT];
	struct prefix *supernets[FAMILY_COUNT]; /* owned; sorted; discard routes over the pools */
	size_t supernet_count[FAMILY_COUNT];
	/* port blocks, in thousandths; 0: not told */
	uint64_t blocks_per_host_milli[FAMILY_COUNT];
	uint32_t revert_hold_s;   /* enough elements for so long withdraw the failed route */
	char *capacity_label;     /* owned; "units" by default */
	uint64_t unit_load_milli; /* of one base unit, in thousandths of the label; default 1000 */
};

struct profile_router {
	struct ip *addresses; /* owned; in order of preference */
	size_t address_count;
	uint16_t port;
	char *user;        /* owned */
	char *key_file;    /* owned; private key */
	char *known_hosts; /* owned or NULL; OpenSSH known_hosts file */
	char **host_keys;  /* owned; "SHA256:..." fingerprints or "ssh-ed25519 AAAA..." lines */
	size_t host_key_count;
	char *instance;              /* owned; ephemeral instance */
	uint32_t local_as;           /* what router-config's export policies prepend */
	bool synchronize;            /* commit synchronize */
	uint32_t connect_timeout_ms; /* TCP, key exchange, authentication and hello, each */
	uint32_t reply_timeout_ms;   /* any reply but a commit's */
	uint32_t commit_timeout_ms;
};

struct profile_listener {
	bool enabled;
	struct ip address;
	uint16_t port;
	struct prefix *allowed; /* owned; sources that may speak */
	size_t allowed_count;
};

struct profile {
	char id[65]; /* SHA-256 of the trimmed print, hexadecimal */
	char *print; /* owned or NULL (not made from a file); the trimmed print, RFC 7951 JSON */
	char *xml;   /* owned or NULL; the same for NETCONF, whose readers must not cost a parse */
	enum agent_mode mode;
	struct profile_router router;
	struct profile_listener bmp;
	struct profile_listener syslog; /* UDP and TCP on the same port */
	uint32_t poll_interval_ms;
	uint32_t audit_interval_ms;
	struct profile_group *groups; /* owned */
	size_t group_count;
	struct prefix sentinel[FAMILY_COUNT];
	uint8_t log_level; /* enum log_level */
	bool log_syslog;   /* to /dev/log, not standard error */
};

/* profile_free(NULL) is fine, and so is a half-built profile whose pointers are zero. */
void profile_free(struct profile *profile);

/* What YANG cannot say: tombstones, pool overlaps, limits, sentinels, names unique over the whole
 * profile, list names, peer addresses (layout/RULES.md rule 1), and a policy that contradicts
 * itself (profile_policy.h). Expects sorted arrays.
 * 0, or -EINVAL with err = "/group[ID]/...: what is wrong, what would be right". */
struct error;
int profile_check(const struct profile *profile, struct error *err);
/* Sorts groups, elements, weights, pools and split tables. Call before profile_check. */
void profile_sort(struct profile *profile);

/* NULL when there is none. name is an id or a name. */
const struct profile_group *profile_find_group(const struct profile *profile, const char *name);
/* Over all groups; *ret_group may be NULL. */
const struct profile_element *profile_find_element(
    const struct profile *profile, const char *name, const struct profile_group **ret_group);
/* One of the names is its id or its name. */
bool profile_element_is_among(
    const struct profile_element *element, const char *const *names, size_t count);
/* One of ids, a list by comma as records have it; NULL: none. */
bool profile_id_is_among(const char *id, const char *ids);
/* By id alone, as the same thing is found in another profile; SIZE_MAX: none. */
size_t profile_group_index(const struct profile *profile, const char *id);
size_t profile_element_index(const struct profile_group *group, const char *id);
/* The list is this element's (a base or override list that it names): false where a tombstone has
 * left it to a live element of the group, its successor. */
bool profile_owns_list(
    const struct profile_group *group, size_t e, enum family family, const char *list);
/* Both are wanted, on one port, and an address that one of them has the other one has, too. */
bool profile_listeners_clash(const struct profile_listener *a, const struct profile_listener *b);
/* So long whoever has the agent ask the router waits at most: for what the router is at, and for
 * the answer. Milliseconds. */
uint64_t profile_answer_ms(const struct profile_router *router);
/* The largest epoch that the family's weights and pools name: the one that holds now. */
uint32_t profile_last_epoch(const struct profile_group *group, enum family family);
/* Number of units of the family's pools at the last epoch. */
size_t profile_unit_count(const struct profile_group *group, enum family family);

#endif
