#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Policy with real packets: several elements lost in different orders, units that are split, each
element taken out of service and back."""
import ipaddress
import math

import lib
from lib import Failed, Watch, expect, wait_for

LOST = ("fbf-02", "fbf-05", "fbf-07")
ORDERS = (LOST, LOST[::-1], ("fbf-05", "fbf-02", "fbf-07"))


def lose_in_order(lab, watch, order, seen):
    """seen: {frozenset of lost elements: layout-ids}, over all orders."""
    name = " ".join(order)
    for i, element in enumerate(order):
        gone = frozenset(order[:i + 1])
        watch.step("%s: %s dies" % (name, element), element)
        lab.fail(element)
        wait_for("%s is out" % element, lambda e=element: all(
            units[e] == 0 for units in lab.effective().values()))
        watch.done()
        ids = lab.layout_ids()
        expect("layout-ids without %s" % " ".join(sorted(gone)), ids, seen.setdefault(gone, ids))
    watch.step("%s: all return" % name, *order)
    for element in order:
        lab.restore(element)
    wait_for("the base is back", lambda: lab.layout_ids() == seen[frozenset()])
    watch.done()


def undamped(groups):
    groups[0]["damping"] = {"flaps": 0}


@lib.case("eight elements lose 1, 2, 3 in different orders: the same layouts, others lose nothing",
          touches=LOST, profile="eight-dual-stack.json", change=undamped, lab_options=("--timeout", 30))
def orders(lab):
    lab.rate = 5000
    seen = {frozenset(): lab.layout_ids()}
    watch = Watch(lab)
    for order in ORDERS:
        lose_in_order(lab, watch, order, seen)
    lost, _ = watch.finish()
    print("# lost %s" % {what: n for what, n in lost.items() if n})
    lab.check_void(*LOST)
    expect("sets seen", len(seen), 7)
    expect("different layouts", len({ids["ipv4"] for ids in seen.values()}), 7)


def splitting(groups):
    group = groups[0]
    group["split"] = [{"family": "ipv4", "survivors": 2, "bits": 2},
                      {"family": "ipv6", "survivors": 2, "bits": 1}]
    group["pool"] = [{"prefix": "10.64.0.0/22", "unit-length": 26},
                     {"prefix": "2001:db8:64::/54", "unit-length": 58}]
    group["mass-event-share"] = 100
    for element, weight in zip(group["element"], (3, 2, 2, 2)):
        element["weight"] = [{"epoch": 0, "weight": weight}]


def pieces(lab):
    """{unit of the base: {piece: element}} as the router's override lists have it."""
    found = {}
    for name, items in lab.overrides().items():
        for network in map(ipaddress.ip_network, items):
            unit = network.supernet(new_prefix=26 if network.version == 4 else 58)
            if network != unit:
                found.setdefault(unit, {})[network] = name.split("-ovr-")[0]
    return found


def trips(lab, addresses):
    """{element: packets up, packets down} of 20 packets from each address."""
    (lab.dir / "list").write_text("".join("%s\n" % a for a in addresses))
    before = {e: lab.forwarded(e) for e in lab.elements}
    lab.lab("exec", "client", lab.build / "probe", "send", "--to", "198.51.100.10", "--to",
            "2001:db8:ff::10", "--list", lab.dir / "list", "--rate", 20 * len(addresses),
            "--duration", 1, "--csv", lab.dir / "trips.csv")
    after = {e: lab.forwarded(e) for e in lab.elements}
    return {e: tuple(after[e][way] - before[e][way] for way in ("up", "down")) for e in lab.elements}


def pieces_take_their_ways(lab):
    split = pieces(lab)
    if {unit.version for unit in split} != {4, 6}:
        raise Failed("pieces in the router's lists: %s" % split)
    if not any(len(set(owners.values())) > 1 for owners in split.values()):
        raise Failed("no unit is divided between two elements: %s" % split)
    ways = [(piece, element) for owners in split.values() for piece, element in owners.items()]
    wanted = {e: (20 * sum(1 for _, owner in ways if owner == e),) * 2 for e in lab.elements}
    expect("packets of one subscriber in each piece", trips(lab, [piece[1] for piece, _ in ways]), wanted)
    print("# %d units in %d pieces" % (len(split), len(ways)))


def split_and_merge(lab):
    first, watch = lab.layout_ids(), Watch(lab)
    for element in ("fbf-02", "fbf-03"):
        expect("pieces before %s dies" % element, pieces(lab), {})
        watch.step(element + " dies", element)
        lab.fail(element)
        wait_for(element + " is out", lambda e=element: all(
            units[e] == 0 for units in lab.effective().values()))
        watch.done()
    lost, _ = watch.finish()
    print("# lost %s" % {what: n for what, n in lost.items() if n})
    pieces_take_their_ways(lab)
    watch = Watch(lab, base=watch.base)
    watch.step("both return", "fbf-02", "fbf-03")
    for element in ("fbf-02", "fbf-03"):
        lab.restore(element)
    wait_for("the base is back", lambda: lab.layout_ids() == first)
    watch.done()
    watch.finish()
    expect("overrides left", {n: i for n, i in lab.overrides().items() if i}, {})


@lib.case("two of four left: units are split, every piece takes its way, merged again",
          touches=("fbf-02", "fbf-03"), change=splitting)
def split(lab):
    split_and_merge(lab)
    lab.check_void("fbf-02", "fbf-03")


def change_seconds(lab):
    """How long the router's filters took to change after the last commit."""
    rows = [line.split() for line in lab.ctl("forwarding").splitlines()]
    last = [(int(at), int(took)) for at, commit, _, _, took in rows if commit == rows[-1][1]]
    return (last[-1][0] - last[0][0] + last[0][1]) / 1e6


def move(lab, watch, element, word, reached):
    """One planned move; returns how many packets a subscriber may lose: in flight, or sent while the
    inside filter is new already and the outside filter is not."""
    watch.step("%s %s" % (word, element), element)
    lab.cli("element", word, element, *(("--reason", "rehearsal") if word == "offline" else ()), "--yes")
    wait_for("%s %s" % (word, element), reached)
    watch.done()
    return 1 + math.ceil(change_seconds(lab) * lab.rate / lab.subscribers)


@lib.case("each element offline and online in turn: at most packets in flight of its own are lost")
def rotation(lab):
    first, watch, may_lose = lab.layout_ids(), Watch(lab), {}
    for element in lab.elements:
        may_lose["offline " + element] = move(lab, watch, element, "offline", lambda e=element: all(
            units[e] == 0 for units in lab.effective().values()))
        seen = lab.forwarded(element)
        lab.settle()
        expect("packets through %s while it is out" % element, lab.forwarded(element), seen)
        may_lose["online " + element] = move(lab, watch, element, "online",
                                             lambda: lab.layout_ids() == first)
    lost, per_subscriber = watch.finish()
    lab.check_void()
    print("# lost %s" % {what: "%d of at most %d each" % (n, may_lose[what])
                         for what, n in lost.items() if n})
    for (what, subscriber), n in per_subscriber.items():
        if n > may_lose[what]:
            raise Failed("%s: %s lost %d packets" % (what, subscriber, n))
    expect("commits", lab.commits(), 8)


lib.end()
