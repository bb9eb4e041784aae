#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Groups with real packets: two whose prefixes overlap, with a signal route that they share, and one
of unequal elements."""
import lib
from lib import Failed, Watch, expect, wait_for

LARGE, PREMIUM = 0, 1
SIGNALS = ("192.0.2.128/32", "2001:db8:dead::80/128")
NORMAL, LONGER = "65000", "65000 65000 65000 65000"  # AS paths
POOLS = (("server", "10.64.0.0/16"), ("server", "2001:db8:64::/48"),
         ("server1", "10.64.0.0/20"), ("server1", "2001:db8:64::/52"))


def out(lab, group, element):
    """The element serves nothing, and all units of its group are served."""
    units = lab.effective(group=group)
    totals = {"ipv4": (1024, 256), "ipv6": (1024, 256)}
    return all(units[f][element] == 0 and sum(units[f].values()) == totals[f][group] for f in units)


def lists_of(lab, *prefixes):
    """The override lists of the elements whose names begin like that."""
    return {name: items for name, items in lab.overrides().items() if name.startswith(prefixes)}


def large_loses_one(lab, large, premium, first):
    large.step("fbf-02 dies", "fbf-02")
    premium.step("fbf-02 dies")
    lab.fail("fbf-02")
    wait_for("fbf-02 is out", lambda: out(lab, LARGE, "fbf-02"))
    large.done()
    premium.done()
    expect("the other group's layouts", lab.layout_ids(group=PREMIUM), first[PREMIUM])
    expect("the other group's lists", lists_of(lab, "prm-"), {})
    expect("commits", lab.commits(), 1)


def premium_loses_one(lab, large, premium):
    ids, lists = lab.layout_ids(group=LARGE), lists_of(lab, "fbf-")
    premium.step("prm-01 dies", "prm-01")
    large.step("prm-01 dies")
    lab.fail("prm-01")
    wait_for("prm-01 is out", lambda: out(lab, PREMIUM, "prm-01"))
    premium.done()
    large.done()
    expect("the large group's layouts", lab.layout_ids(group=LARGE), ids)
    expect("the large group's lists", lists_of(lab, "fbf-"), lists)


def signalled(lab, path):
    """The signal routes are there (or not), and every pool is announced with that path."""
    shown = {line.split()[1] for line in lab.ctl("routes").splitlines() if "discard" in line.split()}
    paths = {prefix: lab.core_path(prefix, server) for server, prefix in POOLS}
    if set(paths.values()) != {path}:
        raise Failed("the core hears %s" % paths)
    return shown >= set(SIGNALS) if path == LONGER else not shown & set(SIGNALS)


def large_loses_two(lab, large, premium, first):
    """Fewer than min-alive: the failed route, at which the export policies of both groups look."""
    premium_ids = lab.layout_ids(group=PREMIUM)
    expect("no signal yet", signalled(lab, NORMAL), True)
    large.step("fbf-03 dies", "fbf-03")
    premium.step("fbf-03 dies")
    lab.fail("fbf-03")
    wait_for("fbf-03 is out", lambda: out(lab, LARGE, "fbf-03"))
    wait_for("the pools are announced with a longer path", lambda: signalled(lab, LONGER))
    exported = lab.ctl("exported", "large-export-outside-v4")
    expect("by the policy's term", "10.64.0.0/16 accept term failed" in exported, True)
    large.done()
    premium.done()
    expect("the other group's layouts", lab.layout_ids(group=PREMIUM), premium_ids)


def all_return(lab, large, premium, first):
    large.step("fbf-02 and fbf-03 return", "fbf-02", "fbf-03")
    premium.step("fbf-02 and fbf-03 return")
    lab.restore("fbf-02")
    lab.restore("fbf-03")
    wait_for("the large group is whole", lambda: lab.layout_ids(group=LARGE) == first[LARGE])
    expect("the signal is kept for revert-hold", signalled(lab, LONGER), True)
    wait_for("the signal is withdrawn", lambda: signalled(lab, NORMAL))
    large.done()
    premium.done()
    large.step("prm-01 returns")
    premium.step("prm-01 returns", "prm-01")
    lab.restore("prm-01")
    lab.wait_sessions()
    wait_for("prm-01 awaits the operator", lambda: "element online prm-01" in " ".join(
        lab.cli("status").split()))
    lab.cli("element", "online", "prm-01", "--yes")
    wait_for("the premium group is whole", lambda: lab.layout_ids(group=PREMIUM) == first[PREMIUM])
    large.done()
    premium.done()
    expect("overrides left", {n: i for n, i in lab.overrides().items() if i}, {})


def premium_profile(groups):
    for group in groups:
        group["signal"]["revert-hold"] = 5
        group["mass-event-share"] = 100
    for family in ("ipv4", "ipv6"):
        groups[LARGE]["signal"][family]["min-alive"] = 3


@lib.case("two groups, overlapping prefixes, a shared signal route: nothing in one moves the other",
          touches=("fbf-02", "fbf-03", "prm-01"), profile="premium-beside-large.json",
          change=premium_profile)
def two_groups(lab):
    lab.rate = 4000
    first = [lab.layout_ids(group=group) for group in (LARGE, PREMIUM)]
    large, premium = Watch(lab, LARGE), Watch(lab, PREMIUM)
    large_loses_one(lab, large, premium, first)
    premium_loses_one(lab, large, premium)
    large_loses_two(lab, large, premium, first)
    all_return(lab, large, premium, first)
    for name, watch in (("large", large), ("premium", premium)):
        lost, _ = watch.finish()
        print("# %s lost %s" % (name, {what: n for what, n in lost.items() if n}))
    lab.check_void("fbf-02", "fbf-03", "prm-01")


SHARES = {  # weight, failed-weight
    "big-01": (4, 8), "small-02": (1, 1), "small-03": (1, 1), "small-04": (1, 1)}


def near(lab, what, wanted):
    """Both families are within one unit of the exact shares."""
    for family, units in lab.effective().items():
        for element, share in wanted.items():
            if abs(units[element] - share) >= 1:
                raise Failed("%s: %s of %s has %d, wanted %.2f" % (
                    what, element, family, units[element], share))
    return True


def after_loss(counts, victim):
    """Exact shares after the first failure: what the victim had, spread by failed weights."""
    total = sum(failed for element, (_, failed) in SHARES.items() if element != victim)
    return {element: 0 if element == victim else counts[element] + counts[victim] * failed / total
            for element, (_, failed) in SHARES.items()}


@lib.case("a big element among small ones: counts by weight and failed-weight, others lose nothing",
          touches=("big-01", "small-02"), profile="mixed-big-small.json", overrides=lib.RETURN)
def weighted(lab):
    weights = sum(weight for weight, _ in SHARES.values())
    near(lab, "base", {e: 1024 * weight / weights for e, (weight, _) in SHARES.items()})
    first, counts = lab.layout_ids(), lab.effective()["ipv4"]
    watch = Watch(lab)
    for victim in ("big-01", "small-02"):
        watch.step(victim + " dies", victim)
        lab.fail(victim)
        wait_for(victim + " is out", lambda v=victim: near(lab, v + " out", after_loss(counts, v)))
        watch.done()
        watch.step(victim + " returns", victim)
        lab.restore(victim)
        wait_for(victim + " is back", lambda: lab.layout_ids() == first)
        watch.done()
    lost, _ = watch.finish()
    print("# lost %s" % {what: n for what, n in lost.items() if n})
    lab.check_void("big-01", "small-02")
    expect("commits", lab.commits(), 4)


lib.end()
