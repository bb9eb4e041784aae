# SPDX-License-Identifier: BSD-3-Clause
"""What the lab looks like: the profile that the agent runs, as nodes, links and edges."""
import ipaddress
import re

import labnat

SERVERS = {"ipv4": "198.51.100.10", "ipv6": "2001:db8:ff::10"}  # of every server: see Edge
ELEMENT_AS = 65100


class LabError(Exception):
    """Something a person must know: thing, place, remedy."""


def plain(node):
    """RFC 7951 names without their module prefix."""
    if isinstance(node, dict):
        return {key.split(":")[-1]: plain(value) for key, value in node.items()}
    return [plain(item) for item in node] if isinstance(node, list) else node


def family_of(prefix):
    return "ipv%d" % ipaddress.ip_network(prefix).version


class Link:
    """One side (in or out) of an element, both families."""

    def __init__(self, element, side, number):
        self.side = side
        self.device = ("ei%d" if side == "inside" else "eo%d") % number  # at the router
        self.port = "in" if side == "inside" else "out"  # at the element
        self.peers = []  # (family, router's address, element's address, length)
        for family in ("ipv4", "ipv6"):
            if family not in element:
                continue
            peer = ipaddress.ip_address(element[family][side]["peer"])
            network = ipaddress.ip_network((peer, 24 if peer.version == 4 else 64), strict=False)
            router = network[1] if peer != network[1] else network[2]
            self.peers.append((family, str(router), str(peer), network.prefixlen))


class Element:
    def __init__(self, group, element, number):
        self.id = element["id"]
        self.number = number
        self.asn = ELEMENT_AS + number
        self.links = [Link(element, side, number) for side in ("inside", "outside")]
        self.nat = {family: labnat.pools_of(group, element, family) for family in SERVERS}

    def link(self, port):
        return next(link for link in self.links if link.port == port)


class Edge:
    """Where the subscribers of some groups and their part of the Internet are: c<n> and s<n>.

    Pools of groups behind different edges may overlap, and every server has the same addresses: an
    edge other than the first has a routing table of its own for all that comes from its interfaces
    and its elements.
    """

    def __init__(self, number, groups):
        self.number = number
        self.client, self.server = ("client%d" % number, "server%d" % number) if number else \
            ("client", "server")
        self.client_port, self.server_port = "c%d" % number, "s%d" % number
        self.pools = sorted({p["prefix"] for group in groups for p in group["pool"]})
        self.hidden = {p["prefix"] for group in groups for p in group["pool"]
                       if group.get("nat", {}).get(family_of(p["prefix"]), {}).get("return-path") == "nat-routes"}
        self.supernets = sorted({prefix for group in groups for nat in group.get("nat", {}).values()
                                 for prefix in nat.get("supernet", ())})
        self.elements = {e["id"] for group in groups for e in group["element"]}
        self.client_link = {"ipv4": ("172.30.%d.1" % (255 - number), "172.30.%d.2" % (255 - number)),
                            "ipv6": ("fd00:c:%x::1" % number, "fd00:c:%x::2" % number)}
        self.server_link = {"ipv4": ("172.31.%d.1" % (255 - number), "172.31.%d.2" % (255 - number)),
                            "ipv6": ("fd00:5:%x::1" % number, "fd00:5:%x::2" % number)}
        self.export = {family: "%s-export-outside-v%s" % (group["id"], family[3])
                       for family in SERVERS for group in reversed(groups)
                       if {"failed-route", "alter-route"} & set(group.get("signal", {}).get(family, {}))}

    def pools_of(self, family):
        return [p for p in self.pools if family_of(p) == family]

    def hidden_of(self, family):
        """Pools that the Internet does not know: it sees NAT pools in their place."""
        return [p for p in self.pools_of(family) if p in self.hidden]

    def supernets_of(self, family):
        return [p for p in self.supernets if family_of(p) == family]

    def announced(self, family):
        """What the core hears."""
        return [p for p in self.pools_of(family) if p not in self.hidden] + self.supernets_of(family)

    def interfaces(self, plan):
        return [self.client_port, self.server_port] + [
            link.device for e in plan.elements if e.id in self.elements for link in e.links]


def edges_of(groups):
    """One for each inside interface cN of the profile; the first also takes whatever has another name."""
    numbers = {}
    for group in groups:
        if not group.get("inside-interface"):
            raise LabError("group %s has no inside-interface: the lab needs one, c0.0 (see profiles/README.md)" %
                           group["id"])
        match = re.match(r"c(\d+)(\.|$)", group["inside-interface"][0])
        numbers.setdefault(int(match.group(1)) if match else 0, []).append(group)
    return [Edge(number, numbers[number]) for number in sorted(numbers)]


class Plan:
    def __init__(self, profile, limit=None, spares=()):
        """profile: all that is cabled. spares: elements whose BGP sessions the router does not have."""
        profile = plain(profile)["profile"]
        elements = [(group, e) for group in profile["group"] for e in group["element"]
                    if not e.get("removed")]
        self.edges = edges_of(profile["group"])
        if limit is not None and not 1 <= limit <= len(elements):
            raise LabError("--elements %d: the profile has %d" % (limit, len(elements)))
        self.netconf = "127.0.0.1:%d" % profile["router"].get("port", 830)
        self.bmp_port = profile.get("bmp", {}).get("port", 11019)
        self.syslog = "127.0.0.1:%d" % profile.get("syslog", {}).get("port", 5514)
        self.elements = [Element(*e, i + 1) for i, e in enumerate(elements[:limit])]
        self.spares = set(spares)
        self.pools = sorted({p["prefix"] for group in profile["group"] for p in group["pool"]})
        self.edge_nodes = [node for edge in self.edges for node in (edge.client, edge.server)]
        self.nodes = ["router"] + self.edge_nodes + [e.id for e in self.elements]

    def pools_of(self, version):
        return [p for p in self.pools if ipaddress.ip_network(p).version == version]

    def nat_pools(self, family):
        """All NAT pools, as text."""
        return [str(pool.network) for e in self.elements for pool in e.nat[family]]

    def awaited_pools(self):
        """NAT pools whose routes the router can hear."""
        return {str(pool.network) for e in self.elements if e.id not in self.spares
                for pools in e.nat.values() for pool in pools}

    @property
    def has_nat(self):
        return any(e.nat[family] for e in self.elements for family in SERVERS)

    def bgpd_options(self, node):
        """Learned routes stay out of the kernel: there is no VRF to put them in. But return packets
        follow the routes of NAT pools, and those alone the router's zebra takes (labfrr.zebra)."""
        is_router = node == "router"
        return ([] if is_router and self.has_nat else ["-n"]) + (["-M", "bmp"] if is_router else [])

    def sessions(self):
        """(element id, side, family, router's address, element's address) of every BGP session."""
        return [(e.id, link.side, family, router, peer) for e in self.elements if e.id not in self.spares
                for link in e.links for family, router, peer, _ in link.peers]

    def element(self, name):
        for e in self.elements:
            if name in (e.id, "e%d" % e.number):
                return e
        raise LabError("%s: no such element; there are %s" %
                       (name, " ".join(e.id for e in self.elements)))

    def node(self, name):
        return name if name in self.nodes else self.element(name).id
