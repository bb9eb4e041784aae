#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A CGN group with real packets: IPv4 is translated and comes back by the routes of NAT pools, IPv6
is not and comes back by the outside filter. The server tells by which address it knows a subscriber."""
import ipaddress
import json
import time

import changeset
import lib
import labnat
from lib import Failed, expect

PROFILE = "cgn-dual-stack.json"
VICTIM = "fbf-02"
UNITS = 8  # of each element that are looked at
NEW, NEW_POOL = "fbf-05", "203.0.113.240/28"
NEW_PEERS = ("10.1.5.2", "10.2.5.2", "fd00:1:5::2", "fd00:2:5::2")


def hosts(lab):
    """Some IPv4 subscribers, {address: element}: the first, the last and one in between of some units."""
    found, left = {}, {element: UNITS for element in lab.elements}
    for network, element in lib.owners(lab).units[4]:
        if left[element] > 0:
            left[element] -= 1
            for host in (network[0], network[17], network[-1]):
                found[str(host)] = element
    return found


def pools(lab, element):
    entry = next(e for e in lab.group["element"] if e["id"] == element)
    return labnat.pools_of(lab.group, entry, "ipv4")


def check_sources(lab, wanted):
    """Every subscriber has an address of its element's pools, of a deterministic one exactly its block.
    wanted: {subscriber: element}; returns {subscriber: public address}."""
    seen = lab.seen_as(list(wanted))
    expect("subscribers without an answer", sorted(set(wanted) - set(seen)), [])
    for subscriber, (address, port) in seen.items():
        owner = [pool for pool in pools(lab, wanted[subscriber]) if ipaddress.ip_address(address) in pool.network]
        if not owner:
            raise Failed("%s of %s is seen as %s" % (subscriber, wanted[subscriber], address))
        if owner[0].kind == "deterministic":
            public, first, last = owner[0].block_of(subscriber)
            if str(public) != address or not first <= port <= last:
                raise Failed("%s is seen as %s port %d, its block is %s %d-%d" % (
                    subscriber, address, port, public, first, last))
    return {subscriber: address for subscriber, (address, _) in seen.items()}


def check_where(lab, wanted):
    """`where` finds the way back from what the server sees: the element, of a deterministic pool the host.
    Returns the kinds of pools that were seen."""
    kinds, seen = set(), lab.seen_as(list(wanted))
    for subscriber, (address, port) in seen.items():
        (found,) = json.loads(lab.cli("where", "%s:%d" % (address, port), "--json"))["autofbf:nat"]
        expect("element of %s:%d" % (address, port), found["element"], wanted[subscriber])
        kinds.add(found["kind"])
        if found["kind"] == "deterministic":
            expect("host of %s:%d" % (address, port), found["host"], subscriber)
            (back,) = json.loads(lab.cli("where", subscriber, "--json"))["autofbf:nat"]
            expect("public address of %s" % subscriber, back["public"], address)
    return kinds


def check_refusals(lab):
    for element in lab.elements:
        counted = lab.forwarded(element)
        expect("%s: untranslated, invalid" % element, (counted["untranslated"], counted["invalid"]), (0, 0))


def now_owners(lab, subscribers):
    owner = lib.owners(lab)
    return {subscriber: owner(subscriber) for subscriber in subscribers}


def all_at_base(lab):
    return all(set(units.values()) == {64} for units in lab.effective().values())


def gone(lab, element, families):
    return all(lab.effective()[family][element] == 0 for family in families)


@lib.case("public addresses: of the owner's pool, the same again, deterministic to the port; IPv6 unchanged",
          profile=PROFILE)
def sources(lab):
    lab.start_echo()
    subscribers = hosts(lab)
    first = check_sources(lab, subscribers)
    expect("asked again", check_sources(lab, subscribers), first)
    expect("kinds", sorted(pool.kind for e in lab.elements for pool in pools(lab, e)),
           ["deterministic", "napt", "napt", "napt", "pba"])
    one_of_each = {subscriber: element for subscriber, element in subscribers.items()
                   if subscriber.endswith((".17", ".81", ".145", ".209"))}
    expect("asked where", check_where(lab, one_of_each), {"napt", "pba", "deterministic"})
    v6 = [str(network[1]) for network, _ in lib.owners(lab).units[6][::32]]
    expect("IPv6", {s: address for s, (address, _) in lab.seen_as(v6).items()}, {s: s for s in v6})
    check_refusals(lab)


@lib.case("black hole: displaced subscribers get addresses of the takers, nobody else loses; and back",
          profile=PROFILE, touches=(VICTIM,))
def black_hole(lab):
    lab.start_echo()
    subscribers = hosts(lab)
    first = check_sources(lab, subscribers)
    watch = lib.Watch(lab)
    time.sleep(1)
    watch.step("%s dies" % VICTIM, VICTIM)
    lab.fail(VICTIM)
    lib.wait_for("its units have moved", lambda: gone(lab, VICTIM, ("ipv4", "ipv6")))
    watch.done()
    owner = now_owners(lab, subscribers)
    second = check_sources(lab, owner)
    for subscriber, element in subscribers.items():
        expect("%s of %s has its address still" % (subscriber, element),
               second[subscriber] == first[subscriber], element != VICTIM)
    watch.step("%s returns" % VICTIM, VICTIM)
    lab.restore(VICTIM)
    lib.wait_for("the base is back", lambda: all_at_base(lab), 60)
    watch.done()
    lost, each = watch.finish()
    lab.check_void(VICTIM)
    expect("addresses as at first", check_sources(lab, subscribers), first)
    # A pool's route is seen by poll: IPv4 may be found well later than IPv6, by BGP and BFD.
    if lab.commits() not in (2, 3):
        raise Failed("%d commits for the failure and the return" % lab.commits())
    check_refusals(lab)
    worst = max(count for (what, _), count in each.items()) * lab.subscribers / lab.rate
    print("# lost %s; the longest outage of a subscriber is about %.1f s" % (lost, worst))
    if not lost["%s dies" % VICTIM] or worst > 2:
        raise Failed("lost %s, the worst subscriber %.1f s" % (lost, worst))


@lib.case("a pool route is withdrawn, BGP stays up: IPv4 leaves the element, IPv6 stays, and it comes back",
          profile=PROFILE, touches=("fbf-04",))
def withdrawn(lab):
    element, pool = "fbf-04", str(pools(lab, "fbf-04")[1].network)
    lab.start_echo()
    subscribers = hosts(lab)
    watch = lib.Watch(lab)
    time.sleep(1)
    watch.step("%s withdraws %s" % (element, pool), element)
    lab.pool_route(element, pool, "withdraw")
    lib.wait_for("its IPv4 units have moved", lambda: gone(lab, element, ("ipv4",)))
    watch.done()
    expect("IPv6 units of %s" % element, lab.effective()["ipv6"][element], 64)
    check_sources(lab, now_owners(lab, subscribers))
    watch.step("%s announces it again" % element, element)
    lab.pool_route(element, pool, "announce")
    lib.wait_for("the base is back", lambda: all_at_base(lab), 60)
    watch.done()
    lost, _ = watch.finish()
    lab.check_void()
    print("# lost %s" % lost)
    check_sources(lab, subscribers)
    check_refusals(lab)


@lib.case("an element announces another's pool: the import policy refuses it, nobody loses", profile=PROFILE)
def stolen(lab):
    pool = str(pools(lab, VICTIM)[0].network)
    lab.start_echo()
    subscribers = hosts(lab)
    watch = lib.Watch(lab)
    watch.step("fbf-01 announces %s" % pool)
    lab.pool_route("fbf-01", pool, "announce")
    first = check_sources(lab, subscribers)
    expect("routes", [line.split()[4] for line in lab.ctl("routes").splitlines() if line.startswith("inet.0 %s " % pool)],
           ["from=%s" % lab.peers_of(VICTIM, families=("ipv4",), sides=("outside",))[0]])
    expect("asked again", check_sources(lab, subscribers), first)
    watch.done()
    watch.finish()
    lab.check_void()
    expect("commits", lab.commits(), 0)
    check_refusals(lab)


def cable_fifth(groups):
    inside4, outside4, inside6, outside6 = ({"peer": peer} for peer in NEW_PEERS)
    groups[0]["element"].append({
        "id": NEW, "ipv4": {"inside": inside4, "outside": outside4, "nat-pool": [{"id": "new", "prefix": NEW_POOL}]},
        "ipv6": {"inside": inside6, "outside": outside6}})


@lib.case("a fifth element comes: the units that move get addresses of its own pool, nobody else another one",
          profile=PROFILE, cabling=cable_fifth)
def fifth(lab):
    inside4, outside4, inside6, outside6 = NEW_PEERS
    lab.start_echo()
    subscribers = hosts(lab)
    first = check_sources(lab, subscribers)
    with changeset.two_routers(lab, PROFILE, lambda groups: None, NEW_PEERS, ((outside4, NEW_POOL),)) as routers:
        traffic = changeset.Traffic(lab)
        changeset.bring(routers, traffic, NEW, "--ipv4-inside", inside4, "--ipv4-outside", outside4,
                        "--ipv6-inside", inside6, "--ipv6-outside", outside6, "--nat-pool", "new=" + NEW_POOL)
        expect("addresses while it has no units", check_sources(lab, subscribers), first)
        changeset.move(routers, traffic, "reweight", NEW, "1")
        traffic.finish()
    owner = now_owners(lab, subscribers)
    second = check_sources(lab, owner)
    for subscriber, element in subscribers.items():
        expect("%s of %s has its address still" % (subscriber, element),
               second[subscriber] == first[subscriber], owner[subscriber] == element)
    moved = {str(network[0]): element for network, element in lib.owners(lab).units[4] if element == NEW}
    expect("units of the new element", len(moved), lab.effective()["ipv4"][NEW])
    check_sources(lab, moved)
    check_where(lab, moved)
    check_refusals(lab)


lib.end()
