/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the files of the layout (layout.c, layout_*.c) and by nobody else. Inside, elements are
 * *members*: those of the group that take part in this family, tombstones included, in arrival
 * order (first listed epoch, then id). The index of a member is therefore the last tie-break of
 * every rule. The public calls translate to group->elements indices.
 */
#ifndef AUTOFBF_LAYOUT_INTERNAL_H
#define AUTOFBF_LAYOUT_INTERNAL_H

#include "apportion.h"
#include "layout.h"

enum { MEMBERS_MAX = PROFILE_MAX_ELEMENTS };
#define LAYOUT_ROOT 0x6c61796f75743031u
enum { LAYOUT_HASH_OFF = 1, LAYOUT_HASH_VICTIM = 2, LAYOUT_HASH_ROOM = 3 };

struct layout_segment { /* one live pool: its units are consecutive in prefix order */
	struct prefix prefix;
	uint8_t unit_length;
	uint32_t first; /* index of its first unit */
};

struct layout_member {
	uint64_t hash;       /* He */
	uint32_t base;       /* b: base units */
	uint32_t first_item; /* its base units are items[first_item .. first_item + base) */
	uint16_t weight;     /* at the last epoch */
	uint16_t failed_weight;
	uint8_t element; /* index in group->elements */
	bool removed;
};

struct layout_space {
	const struct profile_group *group; /* borrowed */
	enum family family;
	struct layout_segment *segments; /* owned; by prefix, disjoint */
	size_t segment_count;
	size_t units;
	uint8_t *base;   /* owned; member that owns each unit, or LAYOUT_NONE */
	uint32_t *items; /* owned; units grouped by base owner, each group in prefix order */
	struct layout_member *members; /* owned; arrival order */
	size_t member_count;
	uint32_t weight_sum;
	uint8_t element_of[LAYOUT_NONE + 1]; /* member -> element; LAYOUT_NONE to itself */
	uint8_t member_of[LAYOUT_NONE + 1];  /* element -> member, or LAYOUT_NONE */
};

/* Bits from..to of an address, counted from the top, as a number; to - from <= 64. */
uint64_t layout_bits(const struct ip *ip, unsigned from, unsigned to);

/* Rule 4: fills segments, units, base and weight_sum, and base and weight of each member. */
void layout_base_fold(struct layout_space *space);

/* Hp of a unit. */
uint64_t layout_unit_hash(const struct layout_space *space, size_t unit);

/* Rule 5: quotas of the members in alive, in 2^split_bits-ths of units; 0 for the others. Returns
 * the number of exceptions. */
size_t layout_quotas(
    const struct layout_space *space, const bool *alive, unsigned split_bits, int64_t *ret_quota);

struct layout_victim { /* a displaced unit that has to go from its owner */
	uint64_t key;  /* comb(Hp, VICT) */
	uint64_t hash; /* Hp */
	uint32_t unit;
	uint8_t from;
};

/* Memory for dealing out displaced units; reused for many healthy sets. */
struct layout_deal;
struct layout_deal *layout_deal_new(const struct layout_space *space);
void layout_deal_free(struct layout_deal *deal);
/* Rules 6 and 7: writes owner[unit] for every unit whose base owner is not alive, and nothing else.
 * At least one member must be alive. Returns the number of rule 5 exceptions. */
size_t layout_deal_run(struct layout_deal *deal, const bool *alive, uint8_t *owner);
/* After layout_deal_run: displaced units that member has. */
uint32_t layout_deal_displaced(const struct layout_deal *deal, size_t member);
/* After layout_deal_run: chooses release[member] of the displaced units of each member, deepest
 * first, then by key; sorted by (key, unit). *ret_victims is owned by the caller. */
size_t layout_deal_pick(const struct layout_deal *deal, const uint8_t *owner,
    const uint32_t *release, struct layout_victim **ret_victims);

/* The pieces of split units, by unit. A zeroed struct: nothing is split. */
struct layout_split {
	unsigned bits;
	size_t count;
	uint32_t *units;   /* owned */
	uint8_t *children; /* owned; count << bits members */
};

/* Rule 9 on top of a finished deal: changes the owner of units that are re-dealt whole; a split
 * unit keeps its owner in owner. Returns the number of rule 5 exceptions. */
size_t layout_split_run(const struct layout_deal *deal, const struct layout_space *space,
    const bool *alive, unsigned bits, uint8_t *owner, struct layout_split *ret_split);
void layout_split_done(struct layout_split *split);

struct layout {
	const struct layout_space *space; /* borrowed */
	uint8_t *owner;                   /* owned; member of each unit, before any split */
	unsigned bits;                    /* as asked for */
	struct layout_split split;
	bool alive[MEMBERS_MAX]; /* by member; never a tombstone */
	size_t alive_count;
	size_t owned[LAYOUT_NONE + 1]; /* by member, in children when split */
	size_t exceptions;
};

#endif
