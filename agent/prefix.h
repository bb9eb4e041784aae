/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * IP addresses and prefixes as plain values: parse, print, compare, contain.
 * Bytes are in network order; an IPv4 address uses the first four of them.
 */
#ifndef AUTOFBF_PREFIX_H
#define AUTOFBF_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum family { FAMILY_IPV4, FAMILY_IPV6, FAMILY_COUNT };

extern const char *const family_names[FAMILY_COUNT]; /* "ipv4", "ipv6" */
extern const char *const family_tags[FAMILY_COUNT];  /* "v4", "v6" */

struct ip {
	enum family family;
	uint8_t bytes[16]; /* bytes past the family's length are zero */
};

struct prefix {
	struct ip address; /* host bits are zero, see prefix_parse */
	uint8_t length;    /* bits, 0..32 or 0..128 */
};

/* Text size that always fits, NUL included. */
enum { IP_TEXT_SIZE = 46, PREFIX_TEXT_SIZE = 50 };

/* Bits of an address: 32 or 128. */
unsigned family_bits(enum family family);

/* 0, or -EINVAL when text is not one literal address. *ret_ip is written only on success. */
int ip_parse(const char *text, struct ip *ret_ip);
/* RFC 5952 text; returns buf. */
const char *ip_format(const struct ip *ip, char buf[IP_TEXT_SIZE]);
/* IPv4 before IPv6, then by address: <0, 0, >0. */
int ip_compare(const struct ip *a, const struct ip *b);
/* The address as a number, and back: IPv4 in the lower 32 bits, so that addresses of one family can
 * be counted. */
__extension__ typedef unsigned __int128 ip_number;
ip_number ip_to_number(const struct ip *ip);
struct ip ip_from_number(ip_number number, enum family family);
/* In fe80::/10: it says nothing without an interface. */
bool ip_is_link_local(const struct ip *ip);

/* "10.0.0.0/8"; a missing length means a host. -EINVAL: not a prefix; -EDOM: host bits are set. */
int prefix_parse(const char *text, struct prefix *ret_prefix);
/* RFC 5952 address, "/", length; returns buf. */
const char *prefix_format(const struct prefix *prefix, char buf[PREFIX_TEXT_SIZE]);
/* By (family, address, length): <0, 0, >0. The "prefix order" of the layout. */
int prefix_compare(const struct prefix *a, const struct prefix *b);
/* qsort(3) and bsearch(3) form of prefix_compare. */
int prefix_compare_void(const void *a, const void *b);
bool prefix_contains(const struct prefix *outer, const struct prefix *inner);
bool prefix_contains_ip(const struct prefix *outer, const struct ip *ip);
bool prefix_overlaps(const struct prefix *a, const struct prefix *b);
/* The host prefix of an address. */
struct prefix prefix_of_ip(const struct ip *ip);
/* The index-th (from 0) sub-prefix of the given length; index < 2^(length - outer->length), length
 * - outer->length < 64. */
struct prefix prefix_child(const struct prefix *outer, unsigned length, uint64_t index);
/* Last address of the prefix. */
struct ip prefix_last(const struct prefix *prefix);

#endif
