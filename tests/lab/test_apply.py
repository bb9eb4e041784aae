#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A fifth element comes to four and leaves again, under traffic, as README tells: see changeset.py."""
import changeset
import lib
from lib import Failed, expect

NEW = "fbf-05"
PEERS = ("10.1.5.2", "10.2.5.2", "fd00:1:5::2", "fd00:2:5::2")
PORTS = ("eo5.0", "eo6.0", "eo7.0", "eo8.0")


def make_four(groups):
    """Four of eight: the links of a fifth are there, nobody knows them."""
    group = groups[0]
    group["element"] = group["element"][:4]
    group["outside-interface"] = [name for name in group["outside-interface"] if name not in PORTS]


def cable_fifth(groups):
    groups[0]["element"].append({
        "id": NEW, "ipv4": {"inside": {"peer": PEERS[0]}, "outside": {"peer": PEERS[1]}},
        "ipv6": {"inside": {"peer": PEERS[2]}, "outside": {"peer": PEERS[3]}}})


def established(lab):
    return [line for line in lab.ctl("peers").splitlines() if line.split()[0] in PEERS and "Established" in line]


@lib.case("a fifth element comes, is given units and goes: moved units only, no packet lost at any other step",
          profile="eight-dual-stack.json", change=make_four, cabling=cable_fifth)
def five(lab):
    with changeset.two_routers(lab, "eight-dual-stack.json", make_four, PEERS) as routers:
        traffic = changeset.Traffic(lab)
        changeset.bring(routers, traffic, NEW, "--ipv4-inside", PEERS[0], "--ipv4-outside", PEERS[1],
                        "--ipv6-inside", PEERS[2], "--ipv6-outside", PEERS[3])
        changeset.move(routers, traffic, "reweight", NEW, "1")
        served = lab.forwarded(NEW)
        if not any(served.values()):
            raise Failed("no packet went through %s: %r" % (NEW, served))
        _, after = changeset.move(routers, traffic, "remove-element", NEW)
        expect("units of %s at the end" % NEW, NEW in changeset.units_of(after).values(), False)
        traffic.step("BGP sessions taken out")
        lab.sessions(NEW, "remove")
        lib.wait_for("the router has no session with it", lambda: not established(lab))
        lab.settle()
        traffic.finish()


lib.end()
