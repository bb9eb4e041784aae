#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""autofbf trace against real packets: for random pairs of subscriber and server, and of two
subscribers, every element counts what it sees of them, and that must be what trace says; healthy,
degraded, and broken by hand.

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
# What leaves the outside has its public source; public4 keeps both.
WITNESS = """table inet witness {
%s set public4 { typeof ip saddr . ip saddr . udp sport; flags dynamic; size 65535; }
 chain seen { type filter hook forward priority -300
%s }
 chain left { type filter hook postrouting priority 300
  oifname out meta nfproto ipv4 meta l4proto udp add @public4 { ct original ip saddr . ip saddr . udp sport }
 }
}
""" % ("".join(" set %s%d { type ipv%d_addr . ipv%d_addr; flags dynamic; size 65535; }\n" % (w, v, v, v)
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


def entries(lab, element):
    """(name of the set, its concatenated values) of the element's witness."""
    listing = json.loads(lab.lab("exec", element, "nft", "-j", "list", "table", "inet", "witness"))
    for entry in listing["nftables"]:
        for item in entry.get("set", {}).get("elem", ()):
            item = item["elem"]["val"] if "elem" in item else item
            yield entry["set"]["name"], [value if isinstance(value, int) else str(ipaddress.ip_address(value))
                                         for value in item["concat"]]


def witnessed(lab):
    """{("up" or "down", source, destination): set of elements that saw it}, {subscriber: set of its
    (public address, port)}"""
    seen, public = {}, {}
    for element in lab.elements:
        for name, (first, second, *port) in entries(lab, element):
            if name == "public4":
                public.setdefault(first, set()).add((second, *port))
            else:
                seen.setdefault((name[:-1], first, second), set()).add(element)
    return seen, public


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
    """{side: [its legs]} by trace."""
    said = json.loads(lab.cli("trace", *pair, "--json", code=code))
    return {side: [leg for leg in said["legs"] if leg["side"] == side] for side in ("inside", "outside")}


def elements_of(legs):
    return {leg.get("element") for leg in legs}


def is_told(leg, address, port):
    """The leg says that the answer may carry this public address and port."""
    return ipaddress.ip_address(address) in ipaddress.ip_network(leg["nat-pool"]) and (
        "first-port" not in leg or (leg["destination"] == address and
                                    leg["first-port"] <= port <= leg["last-port"]))


def compare(lab, pairs, code=0):
    """Real packets and trace name the same elements for every pair; returns what trace said."""
    set_witnesses(lab)
    got, (seen, public), said = send(lab, pairs), witnessed(lab), {}
    for pair in pairs:
        subscriber, server = pair
        legs = said[pair] = traced(lab, pair, code)
        expect("%s -> %s, on the way in" % pair, elements_of(legs["inside"]), seen.get(("up", subscriber, server)))
        expect("%s -> %s, on the way back" % pair, elements_of(legs["outside"]),
               seen.get(("down", server, subscriber)))
        sent, received = got[pair]
        expect("%s -> %s, all answered" % pair, sent > 0 and received == sent, code == 0)
        expect("%s has a source address outside" % subscriber, subscriber in public, version_of(subscriber) == 4)
        for address, port in public.get(subscriber, ()):
            translates = [leg for leg in legs["outside"] if "nat-pool" in leg]
            expect("%s is seen as %s port %d, as told" % (subscriber, address, port),
                   any(is_told(leg, address, port) for leg in translates), address != subscriber)
    return said


def move_away(lab, element):
    lab.fail(element)
    wait_for("%s owns nothing" % element, lambda: all(c[element] == 0 for c in lab.effective().values()))
    lab.settle()
    lab.wait_forwarded()


# ---- from subscriber to subscriber ----

NEIGHBOURS, NEIGHBOUR_PORT = 20, 7009


def let_subscribers_meet(lab, listeners):
    """They are all in the client's namespace: what they send each other must leave it all the same. And
    the elements let them in from outside, where nobody else may begin."""
    for flag, word, version in (("-4", "ip", 4), ("-6", "ip6", 6)):
        pools = [p["prefix"] for p in lab.group["pool"] if ipaddress.ip_network(p["prefix"]).version == version]
        gateway = json.loads(lab.lab("exec", "client", "ip", "-j", flag, "route", "show", "default"))[0]["gateway"]
        lines = ["rule add pref 2 lookup local", "route add default via %s table 200" % gateway]
        lines += ["rule add pref 1 iif lo to %s lookup 200" % pool for pool in pools] + ["rule del pref 0"]
        lab.lab("exec", "client", "ip", flag, "-batch", "-", text="\n".join(lines) + "\n")
        among = "{ %s }" % ", ".join(pools)
        for element in lab.elements:
            lab.lab("exec", element, "nft", "add rule inet stateful forward iifname out oifname in "
                    "%s saddr %s %s daddr %s accept" % (word, among, word, among))
    lab.lab("exec", "client", "sh", "-c", "echo 1 > /proc/sys/net/ipv4/conf/all/accept_local")
    lab.lab("start", "--name", "listeners", "client", lib.TOP / "tools/lab/echo.py", "serve", NEIGHBOUR_PORT,
            *listeners)
    lab.started.add("listeners")
    log = lab.dir / "run/listeners.log"
    wait_for("the listeners", lambda: "serving" in log.read_text())


def random_neighbours(lab, count):
    addresses = [[str(pool[pick.randrange(1, min(pool.num_addresses, 1 << 80) - 1)]) for _ in range(2)]
                 for pool in (ipaddress.ip_network(p["prefix"]) for p in lab.group["pool"])
                 for _ in range(count // len(lab.group["pool"]))]
    return [(a, b) for a, b in addresses if a != b]


def compare_neighbours(lab, pairs):
    """Of each packet and its answer all four legs; returns the elements that were crossed."""
    set_witnesses(lab)
    ask = 'while read a b; do echo "$a 0" | %s ask "$b" %d || exit; done' % (
        lib.TOP / "tools/lab/echo.py", NEIGHBOUR_PORT)
    answers = lab.lab("exec", "client", "sh", "-c", ask, text="".join("%s %s\n" % pair for pair in pairs))
    expect("who is heard, and by which address", [line.split()[::2] for line in answers.splitlines()],
           [[a, a] for a, _ in pairs])
    seen, _ = witnessed(lab)
    for a, b in pairs:
        said = json.loads(lab.cli("trace", a, b, "--json"))
        expect("%s -> %s" % (a, b), {(leg["direction"], leg["side"], leg["subscriber"]): {leg["element"]}
                                     for leg in said["legs"]},
               {("packet", "inside", a): seen.get(("up", a, b)), ("packet", "outside", b): seen.get(("down", a, b)),
                ("answer", "inside", b): seen.get(("up", b, a)), ("answer", "outside", a): seen.get(("down", b, a))})
    return {element for elements in seen.values() for element in elements}


def crossed(said):
    return set().union(*(elements_of(legs) for sides in said.values() for legs in sides.values()))


def healthy_and_degraded(lab):
    add_servers(lab)
    healthy = compare(lab, random_pairs(lab, PAIRS))
    expect("elements that were crossed", crossed(healthy), set(lab.elements))
    move_away(lab, "fbf-02")
    degraded = compare(lab, sorted(set(random_pairs(lab, PAIRS // 2)) | {
        pair for pair, sides in healthy.items() if elements_of(sides["inside"]) == {"fbf-02"}}))
    expect("elements that were crossed then", crossed(degraded), set(lab.elements) - {"fbf-02"})
    for version in (4, 6):
        expect("IPv%d was compared" % version, version in {version_of(a) for a, _ in degraded}, True)


@lib.case("trace agrees with what packets do: random pairs of both families, with a server and among "
          "subscribers, healthy and degraded", touches=("fbf-02",))
def agrees(lab):
    pairs = random_neighbours(lab, NEIGHBOURS)
    let_subscribers_meet(lab, sorted({b for _, b in pairs}))
    expect("elements between neighbours", compare_neighbours(lab, pairs), set(lab.elements))
    healthy_and_degraded(lab)
    expect("elements between them then", compare_neighbours(lab, pairs), set(lab.elements) - {"fbf-02"})


@lib.case("trace agrees with what packets do: NAT, by pool, address and port block; healthy and degraded",
          touches=("fbf-02",), profile="cgn-dual-stack.json")
def agrees_with_nat(lab):
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
    for sides in said.values():
        expect("both elements", (elements_of(sides["inside"]), elements_of(sides["outside"])),
               ({"fbf-01"}, {"fbf-03"}))
    compare(lab, [("10.64.0.70", SERVERS[4][0]), ("10.64.0.130", SERVERS[4][2])])


lib.end()
