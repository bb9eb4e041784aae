#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""autofbf trace against real packets: for random pairs of subscriber and server every element counts
what it sees of them, and that must be what trace says; healthy, degraded, and broken by hand.

Each element's witness is an nftables set of its own, filled before the element's state check, so that
a packet which comes out of the wrong side of the wrong element is seen there too.
"""
import ipaddress
import json
import os
import random

import lib
from lib import expect, wait_for

PAIRS = 100
SERVERS = {4: ["198.51.100.%d" % i for i in (10, 33, 34, 35)], 6: ["2001:db8:ff::%x" % i for i in (16, 51, 52, 53)]}
PORT = 7008
SEED = int(os.environ.get("SEED", random.randrange(1 << 32)))
print("# seed %d" % SEED)
pick = random.Random(SEED)

SETS = [(way, version) for way in ("up", "down") for version in (4, 6)]
# In the forward hook addresses are the subscriber's own, whether or not the element translates.
WITNESS = "table inet witness {\n%s chain seen { type filter hook forward priority -300\n%s}\n}\n" % (
    "".join(" set %s%d { type ipv%d_addr . ipv%d_addr; flags dynamic; size 65535; }\n" % (w, v, v, v)
            for w, v in SETS),
    "".join("  iifname %s meta nfproto ipv%d add @%s%d { %s saddr . %s daddr }\n" % (
        "in" if w == "up" else "out", v, w, v, *("ip" if v == 4 else "ip6",) * 2) for w, v in SETS))


def version_of(address):
    return ipaddress.ip_address(address).version


def add_servers(lab):
    """More addresses to talk to, behind the first server, and a reflector on all of them."""
    for version, (known, *more) in SERVERS.items():
        flag = "-%d" % version
        route = json.loads(lab.lab("exec", "router", "ip", "-j", flag, "route", "get", known))[0]
        for address in more:
            lab.lab("exec", "server", "ip", flag, "addr", "add", address, "dev", "lo")
            lab.lab("exec", "router", "ip", flag, "route", "add", address, "via", route["gateway"])
    listen = [word for address in SERVERS[4] + SERVERS[6] for word in ("--listen", address)]
    lab.lab("start", "--name", "servers", "server", lab.build / "probe", "reflect", "--port", PORT, *listen)
    lab.started.add("servers")
    log = lab.dir / "run/servers.log"
    wait_for("the reflector", lambda: "reflecting" in log.read_text())


def set_witnesses(lab):
    path = lab.dir / "witness.nft"
    path.write_text("table inet witness\ndelete table inet witness\n" + WITNESS)
    for element in lab.elements:
        lab.lab("exec", element, "nft", "-f", path)


def witnessed(lab):
    """{("up" or "down", source, destination): set of elements that saw it}"""
    seen = {}
    for element in lab.elements:
        listing = json.loads(lab.lab("exec", element, "nft", "-j", "list", "table", "inet", "witness"))
        for entry in listing["nftables"]:
            for item in entry.get("set", {}).get("elem", ()):
                source, destination = (item.get("elem", {}).get("val", item) if "elem" in item else item)["concat"]
                key = (entry["set"]["name"][:-1], *(str(ipaddress.ip_address(a)) for a in (source, destination)))
                seen.setdefault(key, set()).add(element)
    return seen


def random_pairs(lab, count):
    pools = [ipaddress.ip_network(pool["prefix"]) for pool in lab.group["pool"]]
    pairs = set()
    while len(pairs) < count:
        pool = pools[len(pairs) % len(pools)]
        subscriber = pool[pick.randrange(1, min(pool.num_addresses, 1 << 80) - 1)]
        pairs.add((str(subscriber), pick.choice(SERVERS[pool.version])))
    return sorted(pairs)


def send(lab, pairs):
    """Some packets of each pair; {pair: (sent, received)}."""
    got = {}
    for server in SERVERS[4] + SERVERS[6]:
        mine = [subscriber for subscriber, to in pairs if to == server]
        if not mine:
            continue
        (lab.dir / "list").write_text("".join(address + "\n" for address in mine))
        out = lab.lab("exec", "client", lab.build / "probe", "send", "--to", server, "--port", PORT, "--list",
                      lab.dir / "list", "--rate", 10 * len(mine), "--duration", 1)
        for line in out.splitlines()[1:]:
            subscriber, _, sent, received, *_ = line.split(",")
            got[(str(ipaddress.ip_address(subscriber)), server)] = (int(sent), int(received))
    expect("pairs that were sent", sorted(got), sorted(pairs))
    return got


def traced(lab, pair, code):
    """{side: element} by trace."""
    said = json.loads(lab.cli("trace", *pair, "--json", code=code))
    return {leg["side"]: leg.get("element") for leg in said["legs"]}


def compare(lab, pairs, code=0):
    """Real packets and trace name the same elements for every pair; returns what trace said."""
    set_witnesses(lab)
    got, seen, said = send(lab, pairs), witnessed(lab), {}
    for pair in pairs:
        subscriber, server = pair
        said[pair] = traced(lab, pair, code)
        expect("%s -> %s, on the way in" % pair, seen.get(("up", subscriber, server)), {said[pair]["inside"]})
        expect("%s -> %s, on the way back" % pair, seen.get(("down", server, subscriber)), {said[pair]["outside"]})
        sent, received = got[pair]
        expect("%s -> %s, all answered" % pair, sent > 0 and received == sent, code == 0)
    return said


def move_away(lab, element):
    lab.fail(element)
    wait_for("%s owns nothing" % element, lambda: all(c[element] == 0 for c in lab.effective().values()))
    lab.settle()
    lab.wait_forwarded()


def healthy_and_degraded(lab):
    add_servers(lab)
    healthy = compare(lab, random_pairs(lab, PAIRS))
    expect("every element was crossed", {e for said in healthy.values() for e in said.values()}, set(lab.elements))
    move_away(lab, "fbf-02")
    pairs = sorted(set(random_pairs(lab, PAIRS // 2)) | {p for p, said in healthy.items()
                                                         if said["inside"] == "fbf-02"})
    degraded = compare(lab, pairs)
    expect("nobody crosses the dead one", "fbf-02" in {e for s in degraded.values() for e in s.values()}, False)
    for version in (4, 6):
        expect("IPv%d was compared" % version, version in {version_of(a) for a, _ in degraded}, True)


@lib.case("trace agrees with what packets do: random pairs of both families, healthy and degraded",
          touches=("fbf-02",))
def agrees(lab):
    healthy_and_degraded(lab)


@lib.case("a unit whose way back was moved by hand: trace names both elements, and packets die so")
def broken(lab):
    add_servers(lab)
    static = lab.ctl("static")
    outside = static.index("cgn-outside-v4", static.index("<firewall>"))
    at = static.index("<destination-prefix-list>", static.index("<name>fbf-03-ovr</name>", outside))
    lab.check_invariants()  # from here on the configuration breaks the promise
    (lab.dir / "broken.xml").write_text(
        static[:at] + "<destination-address><name>10.64.0.0/26</name></destination-address>" + static[at:])
    before = int(lab.numbers()["submitted"])
    lab.ctl("static", "set", lab.dir / "broken.xml")
    wait_for("the filters have it", lambda: int(lab.numbers()["submitted"]) > before and
             lab.numbers()["submitted"] == lab.numbers()["forwarded"])
    said = compare(lab, [("10.64.0.5", SERVERS[4][0]), ("10.64.0.60", SERVERS[4][1])], code=4)
    expect("both elements", {tuple(sorted(s.items())) for s in said.values()},
           {(("inside", "fbf-01"), ("outside", "fbf-03"))})
    compare(lab, [("10.64.0.70", SERVERS[4][0]), ("10.64.0.130", SERVERS[4][2])])


lib.end()
