# SPDX-License-Identifier: BSD-3-Clause
"""The set of elements changes under traffic, the way that README "Changing the element set" tells: the
agents first, the base lists last. Only units that profile diff counts may lose packets. A second
router, simulated, has an agent of its own; the two are compared before, between and after."""
import contextlib
import json
import time

import lib
from lib import Failed, expect


def write_next(lab, words, interface=None):
    """The operator's file, one epoch further; with another outside interface."""
    path = lab.dir / "next.json"
    tree = json.loads(lab.profile.read_text())
    if interface:
        tree["autofbf:profile"]["group"][0]["outside-interface"].append(interface)
    path.write_text(json.dumps(tree, indent=1))
    lab.cli("profile", *words[:1], path, *words[1:], "--yes")
    return path


def diff(lab, path):
    """How many units it moves: as few as can be."""
    told = json.loads(lab.cli("profile", "diff", path, "--json", code=None))
    expect("moves are the minimum", told["moved"], told["minimum"])
    return told["moved"]


def apply(lab, path):
    lab.cli("profile", "apply", path, "--reason", "rollout", "--yes")
    lab.settle()
    lab.take_profile(json.loads(lab.profile.read_text()), {})


def commit_base(lab):
    """What the operator loads and commits: filters, lists, instances, import policies."""
    target = lab.dir / "base.xml"
    target.write_text(lab.cli("router-config", "--profile", lab.profile, "--format", "xml"))
    lab.ctl("static", "load", target)
    lib.wait_for("the overrides are gone", lambda: no_overrides(lab))
    lab.settle()


def no_overrides(lab):
    return not any(e["override-entries"] for group in lab.status()["group"] for element in group["element"]
                   for e in lab.families(element).values())


def units_of(owners):
    return {network: element for version in owners.units.values() for network, element in version}


class Routers:
    """NORTH is the lab, SOUTH has the same groups and nothing else in common with it."""

    def __init__(self, north, south):
        self.north, self.south = north, south

    def compare(self, code):
        files = []
        for lab, name in ((self.north, "NORTH"), (self.south, "SOUTH")):
            layout = json.loads(lab.cli("layout", "--json"))
            layout["hostname"] = name  # both run on this machine
            files.append(lab.dir / (name + ".json"))
            files[-1].write_text(json.dumps(layout))
        return " ".join(self.north.cli("compare", *files, code=code).split())

    def agree(self):
        """In layout, health and profile."""
        said = self.compare(0)
        if "note" in said:
            raise Failed("the routers differ: " + said[:500])

    def give(self, words, interface=None):
        """A profile for NORTH, then for SOUTH; the moment between is explained. What diff said, and the
        owners before and after."""
        self.agree()
        north, south = (write_next(lab, words, interface) for lab in (self.north, self.south))
        moves, before, commits = diff(self.north, north), lib.owners(self.north), self.north.commits()
        apply(self.north, north)
        self.north.wait_forwarded()
        expect("commits", self.north.commits(), commits + bool(moves))
        said = self.compare(4 if moves else 0)
        if "apply the profile of NORTH on SOUTH too" not in said:
            raise Failed("the moment between is not explained: " + said[:500])
        apply(self.south, south)
        self.agree()
        return moves, before, lib.owners(self.north)

    def commit(self):
        for lab in (self.north, self.south):
            commit_base(lab)
        self.north.wait_forwarded()
        self.agree()


@contextlib.contextmanager
def two_routers(lab, profile, change, spare_peers, spare_routes=()):
    """spare_peers: addresses that SOUTH's router knows beyond the profile. spare_routes: (peer, prefix)
    that are heard from them."""
    options = [word for peer in spare_peers for word in ("--peer", "+" + peer)]
    south = lib.labkit.Sim(lib.BUILD, profile=profile, change=lambda group: change([group]), router_options=options)
    south.checked = False
    try:
        south.start_router()
        for peer in spare_peers:
            south.ctl("peer", "down", peer)
        for peer, prefix in spare_routes:
            south.ctl("route", peer, prefix, "up")
        south.start_agent()
        south.settle()
        yield Routers(lab, south)
    finally:
        south.close()


class Traffic:
    """Packets through all of it; in which step who may lose one."""

    def __init__(self, lab):
        self.lab, self.steps = lab, []
        lab.start_traffic()
        time.sleep(1)

    def step(self, what):
        self.steps.append([time.time(), what, None, None])

    def moved(self, before, after):
        """In the step that is under way the units may lose packets whose owners differ."""
        self.steps[-1][2:] = before, after

    def finish(self):
        """{step: lost packets}"""
        time.sleep(0.5)  # the last step's packets
        rows = self.lab.stop_traffic()
        self.lab.check_void()
        if not rows or any(int(row["received"]) == 0 for row in rows):
            raise Failed("a subscriber never had an answer")
        lost = {what: 0 for _, what, *_ in self.steps}
        for at, subscriber in self.lab.losses():
            i = max((n for n, step in enumerate(self.steps) if step[0] <= at), default=None)
            if i is None:
                raise Failed("%s lost a packet before anything happened" % subscriber)
            _, what, before, after = self.steps[i]
            if before is None or before(subscriber) == after(subscriber):
                raise Failed("%s: %s lost a packet, which nothing moved" % (what, subscriber))
            lost[what] += 1
        print("# lost of %d packets: %s" % (sum(int(row["sent"]) for row in rows),
                                            ", ".join("%s %d" % item for item in lost.items())))
        return lost


def move(routers, traffic, *words):
    """Units move to or from an element, then the base lists are committed, and nobody moves. Returns
    who has which unit at the end."""
    what = " ".join(map(str, words[:3]))
    traffic.step(what)
    moves, before, after = routers.give(words)
    traffic.moved(before, after)
    old, new = units_of(before), units_of(after)
    expect("units that moved", sum(old[u] != new[u] for u in old), moves)
    if not moves:
        raise Failed("%s moves nothing" % what)
    traffic.step("base lists after " + what)
    routers.commit()
    expect("owners after that", units_of(lib.owners(routers.north)), new)
    return before, after


def bring(routers, traffic, element, *words):
    """A new element that nobody knows but the cables: added without weight, committed with its BGP
    sessions, and up in the end. Nothing moves."""
    north = routers.north
    traffic.step("add-element")
    moves, before, after = routers.give(("add-element", "--group", north.group["id"], "--id", element,
                                         "--weight", "0", *words), "eo%d.0" % (len(north.elements) + 1))
    expect("moves", moves, 0)
    traffic.step("router-config")
    routers.commit()
    if any(north.family_of(element, family)["state"] == "up" for family in ("ipv4", "ipv6")):
        raise Failed("%s is up without BGP" % element)
    traffic.step("BGP sessions")
    north.sessions(element, "add")
    routers.south.element_up(element)
    for lab in (routers.north, routers.south):
        lib.wait_for("%s is up" % element, lambda lab=lab: all(
            lab.family_of(element, family)["state"] == "up" for family in ("ipv4", "ipv6")), 60)
    routers.agree()
    expect("owners", units_of(lib.owners(north)), units_of(before))
    expect("owners as applied", units_of(after), units_of(before))
