/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of NAT pools, in both directions.
 *
 * Deterministic NAT writes no log: who had a public address and port follows from the rule alone,
 * so what is computed here must be what the element computes. It is therefore kept apart from
 * everything that may change: no layout, no health, only a pool and its host prefixes. Whether the
 * element carries the host at all is asked elsewhere.
 *
 * Counts saturate at 2^64 - 1: an IPv6 pool may have more addresses than any number here, and then
 * "enough" is all that matters. What does not fit into 64 bits is beyond every block and host.
 */
#include "nat.h"

#include <errno.h>

static uint64_t
multiply(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t
add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t
nat_addresses(const struct prefix *prefix)
{
	unsigned bits = family_bits(prefix->address.family) - prefix->length;

	return bits < 64 ? UINT64_C(1) << bits : UINT64_MAX;
}

/* Position of an address in a prefix that contains it; saturates as counts do. */
static uint64_t
offset_of(const struct prefix *prefix, const struct ip *address)
{
	unsigned bytes = family_bits(address->family) / 8;
	uint64_t offset = 0;

	for (unsigned i = 0; i < bytes; i++) {
		uint8_t byte = address->bytes[i] ^ prefix->address.bytes[i]; /* no common bits */

		if (offset >> 56)
			return UINT64_MAX;
		offset = offset << 8 | byte;
	}
	return offset;
}

/* offset < nat_addresses(prefix) */
static struct ip
address_at(const struct prefix *prefix, uint64_t offset)
{
	struct ip address = prefix->address;

	for (unsigned i = family_bits(address.family) / 8; i-- > 0 && offset; offset >>= 8)
		address.bytes[i] |= (uint8_t)offset;
	return address;
}

uint32_t
nat_blocks_per_address(const struct profile_nat_pool *pool)
{
	return pool->block_size ? (NAT_LAST_PORT - NAT_FIRST_PORT + 1) / pool->block_size : 0;
}

uint64_t
nat_blocks(const struct profile_nat_pool *pool)
{
	return multiply(nat_addresses(&pool->prefix), nat_blocks_per_address(pool));
}

uint64_t
nat_hosts(const struct profile_nat_pool *pool)
{
	uint64_t hosts = 0;

	for (size_t i = 0; i < pool->host_count; i++)
		hosts = add(hosts, nat_addresses(&pool->hosts[i]));
	return hosts;
}

/* The host's number in the rule; -ERANGE: not in it. */
static int
number_of_host(const struct profile_nat_pool *pool, const struct ip *host, uint64_t *ret_number)
{
	uint64_t before = 0;

	for (size_t i = 0; i < pool->host_count; i++) {
		if (prefix_contains_ip(&pool->hosts[i], host)) {
			*ret_number = add(before, offset_of(&pool->hosts[i], host));
			return 0;
		}
		before = add(before, nat_addresses(&pool->hosts[i]));
	}
	return -ERANGE;
}

/* The other way round. */
static int
host_of_number(const struct profile_nat_pool *pool, uint64_t number, struct ip *ret_host)
{
	for (size_t i = 0; i < pool->host_count; i++) {
		uint64_t count = nat_addresses(&pool->hosts[i]);

		if (number < count) {
			*ret_host = address_at(&pool->hosts[i], number);
			return 0;
		}
		number -= count;
	}
	return -ERANGE;
}

int
nat_translate(
    const struct profile_nat_pool *pool, const struct ip *host, struct nat_block *ret_block)
{
	uint32_t blocks = nat_blocks_per_address(pool);
	uint64_t number;
	uint32_t first;

	if (blocks == 0 || number_of_host(pool, host, &number) < 0)
		return -ERANGE;
	if (number == UINT64_MAX || number / blocks >= nat_addresses(&pool->prefix))
		return -ERANGE;
	first = NAT_FIRST_PORT + (uint32_t)(number % blocks) * pool->block_size;
	ret_block->address = address_at(&pool->prefix, number / blocks);
	ret_block->first_port = (uint16_t)first;
	ret_block->last_port = (uint16_t)(first + pool->block_size - 1);
	return 0;
}

/* Number of the first host of a public address; -ERANGE: not an address of the pool. */
static int
number_of_address(
    const struct profile_nat_pool *pool, const struct ip *address, uint64_t *ret_number)
{
	uint32_t blocks = nat_blocks_per_address(pool);

	if (blocks == 0 || !prefix_contains_ip(&pool->prefix, address))
		return -ERANGE;
	*ret_number = multiply(offset_of(&pool->prefix, address), blocks);
	return *ret_number == UINT64_MAX ? -ERANGE : 0;
}

int
nat_host_of(const struct profile_nat_pool *pool, const struct ip *address, uint16_t port,
    struct ip *ret_host)
{
	uint64_t number;
	uint32_t block;

	if (port < NAT_FIRST_PORT || number_of_address(pool, address, &number) < 0)
		return -ERANGE;
	block = (uint32_t)(port - NAT_FIRST_PORT) / pool->block_size;
	if (block >= nat_blocks_per_address(pool))
		return -ERANGE;
	return host_of_number(pool, add(number, block), ret_host);
}

int
nat_hosts_of(const struct profile_nat_pool *pool, const struct ip *address, struct ip *ret_first,
    struct ip *ret_last)
{
	uint64_t hosts = nat_hosts(pool), first, last;

	if (number_of_address(pool, address, &first) < 0 || first >= hosts)
		return -ERANGE;
	last = add(first, nat_blocks_per_address(pool) - 1);
	if (host_of_number(pool, first, ret_first) < 0)
		return -ERANGE;
	return host_of_number(pool, last < hosts ? last : hosts - 1, ret_last);
}
