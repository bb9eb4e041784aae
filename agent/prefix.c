/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prefixes as values. Nothing here allocates or remembers; text in both directions is that of
 * inet_pton(3) and inet_ntop(3), which is RFC 5952 for every address a router list may hold.
 * Host bits are an error and never silently cleared: a typing mistake must not move traffic.
 */
#include "prefix.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const family_names[FAMILY_COUNT] = { "ipv4", "ipv6" };
const char *const family_tags[FAMILY_COUNT] = { "v4", "v6" };

static int
address_family(enum family family)
{
	return family == FAMILY_IPV4 ? AF_INET : AF_INET6;
}

unsigned
family_bits(enum family family)
{
	return family == FAMILY_IPV4 ? 32 : 128;
}

int
ip_parse(const char *text, struct ip *ret_ip)
{
	struct ip ip = { .family = strchr(text, ':') ? FAMILY_IPV6 : FAMILY_IPV4 };

	if (inet_pton(address_family(ip.family), text, ip.bytes) != 1)
		return -EINVAL;
	*ret_ip = ip;
	return 0;
}

/* A number of up to three digits; returns its end. Whole layouts are printed and hashed, and
 * snprintf(3) would be most of that. */
static char *
put_number(char *text, unsigned value)
{
	if (value >= 100)
		*text++ = (char)('0' + value / 100);
	if (value >= 10)
		*text++ = (char)('0' + value / 10 % 10);
	*text++ = (char)('0' + value % 10);
	return text;
}

const char *
ip_format(const struct ip *ip, char buf[IP_TEXT_SIZE])
{
	char *end = buf;

	if (ip->family == FAMILY_IPV6)
		return inet_ntop(AF_INET6, ip->bytes, buf, IP_TEXT_SIZE);
	for (unsigned i = 0; i < 4; i++) {
		end = put_number(end, ip->bytes[i]);
		*end++ = i < 3 ? '.' : '\0';
	}
	return buf;
}

int
ip_compare(const struct ip *a, const struct ip *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

ip_number
ip_to_number(const struct ip *ip)
{
	ip_number number = 0;

	for (unsigned i = 0; i < family_bits(ip->family) / 8; i++)
		number = number << 8 | ip->bytes[i];
	return number;
}

struct ip
ip_from_number(ip_number number, enum family family)
{
	struct ip ip = { .family = family };

	for (unsigned i = family_bits(family) / 8; i-- > 0; number >>= 8)
		ip.bytes[i] = (uint8_t)number;
	return ip;
}

bool
ip_is_link_local(const struct ip *ip)
{
	return ip->family == FAMILY_IPV6 && ip->bytes[0] == 0xfe && (ip->bytes[1] & 0xc0) == 0x80;
}

/* Bits from..end of the address are zero. */
static bool
is_zero_from(const struct ip *ip, unsigned from)
{
	for (unsigned i = from / 8; i < sizeof(ip->bytes); i++) {
		uint8_t mask = i == from / 8 ? 0xff >> (from % 8) : 0xff;
		if (ip->bytes[i] & mask)
			return false;
	}
	return true;
}

static int
parse_length(const char *text, unsigned max, uint8_t *ret_length)
{
	unsigned value = 0;
	size_t digits = strlen(text);

	if (digits < 1 || digits > 3 || (digits > 1 && text[0] == '0'))
		return -EINVAL;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		value = value * 10 + (unsigned)(*text - '0');
	}
	if (value > max)
		return -EINVAL;
	*ret_length = (uint8_t)value;
	return 0;
}

int
prefix_parse(const char *text, struct prefix *ret_prefix)
{
	char buf[IP_TEXT_SIZE];
	const char *slash = strchr(text, '/');
	size_t n = slash ? (size_t)(slash - text) : strlen(text);
	struct prefix prefix;
	unsigned bits;

	if (n >= sizeof(buf))
		return -EINVAL;
	memcpy(buf, text, n);
	buf[n] = '\0';
	if (ip_parse(buf, &prefix.address) < 0)
		return -EINVAL;
	bits = family_bits(prefix.address.family);
	prefix.length = (uint8_t)bits;
	if (slash && parse_length(slash + 1, bits, &prefix.length) < 0)
		return -EINVAL;
	if (!is_zero_from(&prefix.address, prefix.length))
		return -EDOM;
	*ret_prefix = prefix;
	return 0;
}

const char *
prefix_format(const struct prefix *prefix, char buf[PREFIX_TEXT_SIZE])
{
	char *end;

	ip_format(&prefix->address, buf);
	end = buf + strlen(buf);
	*end++ = '/';
	*put_number(end, prefix->length) = '\0';
	return buf;
}

int
prefix_compare(const struct prefix *a, const struct prefix *b)
{
	int order = ip_compare(&a->address, &b->address);

	return order ? order : (int)a->length - (int)b->length;
}

int
prefix_compare_void(const void *a, const void *b)
{
	return prefix_compare(a, b);
}

bool
prefix_contains_ip(const struct prefix *outer, const struct ip *ip)
{
	unsigned whole = outer->length / 8, rest = outer->length % 8;

	if (outer->address.family != ip->family || memcmp(outer->address.bytes, ip->bytes, whole))
		return false;
	return rest == 0 || (outer->address.bytes[whole] ^ ip->bytes[whole]) >> (8 - rest) == 0;
}

bool
prefix_contains(const struct prefix *outer, const struct prefix *inner)
{
	return outer->length <= inner->length && prefix_contains_ip(outer, &inner->address);
}

bool
prefix_overlaps(const struct prefix *a, const struct prefix *b)
{
	return prefix_contains(a, b) || prefix_contains(b, a);
}

struct prefix
prefix_of_ip(const struct ip *ip)
{
	return (struct prefix){ .address = *ip, .length = (uint8_t)family_bits(ip->family) };
}

struct prefix
prefix_child(const struct prefix *outer, unsigned length, uint64_t index)
{
	struct prefix child = { .address = outer->address, .length = (uint8_t)length };
	unsigned byte = length / 8, bits = length % 8; /* the last byte may be begun only */

	if (bits > 0)
		child.address.bytes[byte] |= (uint8_t)(index << (8 - bits));
	for (index >>= bits; index > 0 && byte > 0; index >>= 8)
		child.address.bytes[--byte] |= (uint8_t)index;
	return child;
}

struct ip
prefix_last(const struct prefix *prefix)
{
	struct ip last = prefix->address;

	for (unsigned bit = prefix->length; bit < family_bits(last.family); bit++)
		last.bytes[bit / 8] |= (uint8_t)(0x80 >> (bit % 8));
	return last;
}
