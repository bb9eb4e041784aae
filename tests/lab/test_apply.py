#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The set of elements changes under traffic: a fifth element comes to four, then the new base lists
are committed, then it leaves again. Only units that profile diff counts may lose packets. A second
router, simulated, has an agent of its own; the two are compared before, between and after."""
import contextlib
import json
import time

import lib
from lib import Failed, expect

NEW = "fbf-05"


def make_five(groups):
    """Five of eight, and the fifth has no weight: the router and its links are ready for it."""
    group = groups[0]
    group["element"] = group["element"][:5]
    group["element"][4]["weight"] = [{"epoch": 0, "weight": 0}]
    group["outside-interface"] = [name for name in group["outside-interface"]
                                  if name not in ("eo6.0", "eo7.0", "eo8.0")]


def wait_up(lab):
    lib.wait_for("%s is up" % NEW,
                 lambda: all(lab.family_of(NEW, f)["state"] == "up" for f in ("ipv4", "ipv6")), 60)


def write_next(lab, *words):
    """The operator's file, one epoch further; what its diff says."""
    path = lab.dir / "next.json"
    path.write_text(lab.profile.read_text())
    lab.cli("profile", words[0], path, *words[1:], "--yes")
    diff = json.loads(lab.cli("profile", "diff", path, "--json", code=4))
    expect("moves are the minimum", diff["moved"], diff["minimum"])
    return path, diff["moved"]


def units_of(owners):
    return {network: element for version in owners.units.values() for network, element in version}


def check_losses(lab, steps, before, after):
    """steps: [(wall clock, may moved units lose packets)]. Returns the losses of each."""
    lost = [0] * len(steps)
    for at, subscriber in lab.losses():
        i = max((n for n, (start, _) in enumerate(steps) if start <= at), default=-1)
        if i < 0 or not steps[i][1] or before(subscriber) == after(subscriber):
            raise Failed("step %d: %s of %s lost a packet" % (i, subscriber, before(subscriber)))
        lost[i] += 1
    return lost


def commit_base(lab):
    target = lab.dir / "base.xml"
    target.write_text(lab.cli("router-config", "--profile", lab.profile, "--format", "xml"))
    lab.ctl("static", "load", target)


def no_overrides(lab):
    return not any(items for name, items in lab.overrides().items() if "-ovr-" in name)


@contextlib.contextmanager
def second_router():
    """The same groups and nothing in common with the lab but the profile."""
    south = lib.labkit.Sim(lib.BUILD, profile="eight-dual-stack.json", change=lambda group: make_five([group]))
    south.checked = False
    try:
        south.start_router()
        south.start_agent()
        south.settle()
        yield south
    finally:
        south.close()


def compare(north, south, code):
    files = []
    for lab, name in ((north, "NORTH"), (south, "SOUTH")):
        layout = json.loads(lab.cli("layout", "--json"))
        layout["hostname"] = name  # both run on this machine
        files.append(lab.dir / (name + ".json"))
        files[-1].write_text(json.dumps(layout))
    return " ".join(north.cli("compare", *files, code=code).split())


def follow(north, south, *words):
    """The moment between: only NORTH has the new profile. Then SOUTH gets it."""
    said = compare(north, south, 4)
    if "apply the profile of NORTH on SOUTH too" not in said:
        raise Failed("the moment between is not explained: " + said[:500])
    path, _ = write_next(south, *words)
    south.cli("profile", "apply", path, "--reason", "rollout", "--yes")
    south.settle()
    compare(north, south, 0)


def change_set(lab, south, *words):
    """Applies, then commits the base lists, with packets all the time."""
    compare(lab, south, 0)
    path, moves = write_next(lab, *words)
    before, commits = lib.owners(lab), lab.commits()
    lab.start_traffic()
    time.sleep(1)
    steps = [(time.time(), True)]
    lab.cli("profile", "apply", path, "--reason", "rollout", "--yes")
    lab.settle()
    lab.wait_forwarded()
    after = lib.owners(lab)
    old, new = units_of(before), units_of(after)
    expect("units that moved", sum(old[u] != new[u] for u in old), moves)
    expect("commits", lab.commits(), commits + 1)
    expect("sessions", lab.counter("reconnects"), 0)
    follow(lab, south, *words)
    steps.append((time.time(), False))
    commit_base(lab)
    lib.wait_for("the overrides are gone", lambda: no_overrides(lab))
    lab.settle()
    lab.wait_forwarded()
    time.sleep(1)
    rows = lab.stop_traffic()
    lab.check_void()
    lost = check_losses(lab, steps, before, after)
    expect("lost when the base lists came", lost[1], 0)
    expect("owners after that", units_of(lib.owners(lab)), new)
    print("# %s: %d units move, %d of %d packets lost" % (
        " ".join(words), moves, lost[0], sum(int(row["sent"]) for row in rows)))


@lib.case("a fifth element comes and goes: moved units only, no packet lost when the base lists come",
          profile="eight-dual-stack.json", change=make_five)
def five(lab):
    wait_up(lab)
    with second_router() as south:
        change_set(lab, south, "reweight", NEW, "1")
        served = lab.forwarded(NEW)
        if not any(served.values()):
            raise Failed("no packet went through %s: %r" % (NEW, served))
        change_set(lab, south, "reweight", NEW, "0")


lib.end()
