# SPDX-License-Identifier: BSD-3-Clause
"""NAT of the lab's elements: the pools of the profile as nftables rules, and the arithmetic behind.

napt and pba pools: an address of the pool that stays with its subscriber, ports as they come (the
kernel knows no port blocks, so that a pba pool is just as exact here as its addresses). Deterministic
pools: exactly the address and the ports of RFC 7422 section 2, one map entry a host.
"""
import ipaddress

FIRST_PORT, LAST_PORT = 1024, 65535
HOSTS_MAX = 1 << 17  # map entries that nft still takes in a second or two
WORDS = {"ipv4": "ip", "ipv6": "ip6"}


class Pool:
    def __init__(self, node):
        self.id = node["id"]
        self.network = ipaddress.ip_network(node["prefix"])
        self.kind = node.get("kind", "napt")
        self.block_size = int(node.get("block-size", 256))
        self.hosts = [ipaddress.ip_network(p) for p in node.get("host-prefix", ())]

    def blocks(self):
        """(host, public address, first port, last port) of every host of a deterministic pool, in
        the order of its rule; hosts beyond the last block have none."""
        per_address = (LAST_PORT - FIRST_PORT + 1) // self.block_size
        number = 0
        for network in self.hosts:
            for i in range(min(network.num_addresses, self.network.num_addresses * per_address - number)):
                first = FIRST_PORT + number % per_address * self.block_size
                yield network[i], self.network[number // per_address], first, first + self.block_size - 1
                number += 1

    def block_of(self, host):
        """(public address, first port, last port); None: the rule has no block for this host."""
        return next((tuple(block) for one, *block in self.blocks() if one == ipaddress.ip_address(host)), None)

    def span(self):
        return "%s-%s" % (self.network[0], self.network[-1]) if self.network.num_addresses > 1 else \
            str(self.network[0])


def pools_of(group, element, family):
    """The element's pools in the order of their ids; none where return packets follow the filter."""
    if group.get("nat", {}).get(family, {}).get("return-path") != "nat-routes":
        return []
    return [Pool(node) for node in sorted(element.get(family, {}).get("nat-pool", ()), key=lambda n: n["id"])]


def deterministic_rules(pool, number, family):
    """(map definition, rule) of a deterministic pool."""
    if sum(network.num_addresses for network in pool.hosts) > HOSTS_MAX:
        raise ValueError("nat-pool %s: more than %d hosts are too many for the lab" % (pool.id, HOSTS_MAX))
    entries = ",\n   ".join("%s : %s . %d-%d" % block for block in pool.blocks())
    kind = "%s_addr" % family
    return (" map fixed%d {\n  type %s : interval %s . inet_service\n  flags interval\n"
            "  elements = {\n   %s }\n }\n" % (number, kind, kind, entries),
            "  oifname \"out\" meta l4proto { tcp, udp } snat %s addr . port to %s saddr map @fixed%d\n" % (
                WORDS[family], WORDS[family], number))


def shared_rules(pools, word, subscribers):
    """A subscriber has one of the pools, and in it always the same address."""
    rules = ""
    for i, pool in enumerate(pools):
        share = "jhash %s saddr mod %d == %d " % (word, len(pools), i) if i + 1 < len(pools) else ""
        rules += "  oifname \"out\" %s saddr { %s } %ssnat %s to %s persistent\n" % (
            word, subscribers, share, word, pool.span())
    return rules


def family_rules(family, pools, subscribers):
    maps = rules = ""
    subscribers = ", ".join(subscribers)
    for number, pool in enumerate(p for p in pools if p.kind == "deterministic"):
        one_map, rule = deterministic_rules(pool, number, family)
        maps += one_map
        rules += rule
    shared = [p for p in pools if p.kind != "deterministic"]
    if shared:
        rules += shared_rules(shared, WORDS[family], subscribers)
    return (
        "table %s nat {\n%s chain translate {\n  type nat hook postrouting priority srcnat; policy accept;\n"
        "%s }\n}\n" % (WORDS[family], maps, rules) +
        # What is not translated must not leave: nobody would find the way back.
        "table inet stateful {\n counter untranslated { }\n chain untranslated_%s {\n"
        "  type filter hook postrouting priority 150; policy accept;\n"
        "  oifname \"out\" %s saddr { %s } counter name \"untranslated\" drop\n }\n}\n" % (
            family, WORDS[family], subscribers))


def ruleset(pools, subscribers):
    """pools, subscribers: {family: [...]}; "" when nothing is translated."""
    return "".join(family_rules(family, pools[family], subscribers[family])
                   for family in WORDS if pools.get(family))
