#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""autofbf trace on the simulator: what it says of a router that is right, degraded, forced, split,
translating, and broken by hand."""
import contextlib
import ipaddress
import json
import os
import random
import re

import lib
from lib import case, expect, sim, wait_for

SERVER4, SERVER6 = "198.51.100.10", "2001:db8:ff::10"
SEED = int(os.environ.get("SEED", random.randrange(1 << 32)))
print("# seed %d" % SEED)
pick = random.Random(SEED)


def trace(lab, *words, code=0):
    return json.loads(lab.cli("trace", *words, "--json", code=code))


def server_of(address):
    return SERVER6 if ":" in address else SERVER4


def subscribers(lab, count):
    """Random addresses of the first group's pools, of both families in turn."""
    pools = [ipaddress.ip_network(pool["prefix"]) for pool in lab.group["pool"]]
    return [str(pool[pick.randrange(1, min(pool.num_addresses, 1 << 63))])
            for pool in pools for _ in range(count // len(pools))]


def where(lab, address):
    return json.loads(lab.cli("where", address, "--json"))["autofbf:match"][0]


def static_set(lab, text):
    path = lab.dir / "by-hand.xml"
    path.write_text(text)
    lab.ctl("static", "set", path)


@contextlib.contextmanager
def unchecked(**options):
    """For what the checker rightly calls a violation."""
    lab = lib.labkit.Sim(lib.BUILD, **options)
    try:
        lab.start_router()
        lab.stop("checker")
        lab.start_agent()
        lab.settle()
        yield lab
    finally:
        lab.close()


def agree(lab, count):
    """trace and the agent name one element for random addresses; returns what trace said."""
    said = []
    for address in subscribers(lab, count):
        got, want = trace(lab, address, server_of(address)), where(lab, address)
        (who,) = got["subscribers"]
        expect("%s, the elements of its legs" % address, {leg["element"] for leg in got["legs"]},
               {want["effective-element"]})
        expect("%s, base and standby" % address, (who["base-element"], who.get("standby")),
               (want["base-element"], want.get("standby")))
        expect("%s, sides" % address, [leg["side"] for leg in got["legs"]], ["inside", "outside"])
        expect("%s, routes are the router's answers" % address,
               {leg["route"]["active"] for leg in got["legs"]}, {True})
        expect("%s, notes" % address, got["notes"], [])
        said.append(who)
    return said


def fits(text):
    """80 columns, but for a word that is longer by itself."""
    for line in text.splitlines():
        if len(line) > 80 and " " in line[9:].strip():
            raise lib.Failed("more than 80 columns: " + line)


@case("healthy: both directions at the base, for random subscribers of both families")
def _():
    with sim() as lab:
        expect("causes", {who["cause"] for who in agree(lab, 24)}, {"base"})
        text = lab.cli("trace", "10.64.0.5", SERVER4)
        fits(text)
        expect("the verdict first", text.splitlines()[0], "OK       both directions cross fbf-01")
        got = trace(lab, SERVER4, "10.64.0.5")
        expect("from the Internet", [(leg["direction"], leg["side"]) for leg in got["legs"]],
               [("packet", "outside"), ("answer", "inside")])


@case("subscriber to subscriber: four legs, each subscriber at one element")
def _():
    with sim() as lab:
        for a, b in zip(*[iter(subscribers(lab, 8))] * 2):
            if server_of(a) != server_of(b):
                continue
            got = trace(lab, a, b)
            expect("legs", [(leg["direction"], leg["side"], leg["subscriber"]) for leg in got["legs"]],
                   [("packet", "inside", a), ("packet", "outside", b), ("answer", "inside", b),
                    ("answer", "outside", a)])
            for address in (a, b):
                expect(address, {leg["element"] for leg in got["legs"] if leg["subscriber"] == address},
                       {where(lab, address)["effective-element"]})


@case("degraded and forced: who is displaced, from where, by whom, and who is next")
def _():
    with sim() as lab:
        heir = where(lab, "10.64.0.70")["standby"]
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        lab.settle()
        causes = {who["base-element"]: who["cause"] for who in agree(lab, 24)}
        expect("the others'", {cause for element, cause in causes.items() if element != "fbf-02"}, {"base"})
        who = trace(lab, "10.64.0.70", SERVER4)["subscribers"][0]
        expect("where it went", (who["cause"], who["base-element"], who["element"]),
               ("displaced", "fbf-02", heir))
        text = lab.cli("trace", "10.64.0.70", SERVER4)
        fits(text)
        for part in ("displaced: the base is fbf-02, DOWN since", heir + "-ovr-v4 10.64.0.64/26 (ephemeral)",
                     "would take over"):
            expect("'%s' in %s" % (part, text), part in " ".join(text.split()), True)
        lab.element_up("fbf-02")
        lab.wait_effective([256] * 4)
        lab.cli("element", "offline", "fbf-02", "--reason", "new power supply", "--yes")
        lab.wait_effective([None, 0, None, None])
        lab.settle()
        who = trace(lab, "10.64.0.70", SERVER4)["subscribers"][0]
        expect("cause", who["cause"], "forced")
        expect("who and why are told", bool(re.match(
            r"offline since [0-9:.]+ by .+: new power supply", who["base-state"])), True)


@case("a unit that is split: the piece is told")
def _():
    split = [{"family": family, "survivors": 2, "bits": 2} for family in ("ipv4", "ipv6")]
    pools = [{"prefix": "10.64.0.0/22", "unit-length": 26}, {"prefix": "2001:db8:64::/54", "unit-length": 58}]
    weights = {"fbf-01": 3, "fbf-02": 2, "fbf-03": 2, "fbf-04": 2}
    with sim(overrides={"group/split": split, "group/pool": pools, "group/mass-event-share": 100},
             change=lambda group: [e.update({"weight": [{"epoch": 0, "weight": weights[e["id"]]}]})
                                   for e in group["element"]]) as lab:
        for element in ("fbf-02", "fbf-03"):
            lab.element_down(element)
            wait_for("out", lambda: lab.effective()["ipv4"][element] == 0)
            lab.settle()
        lists = lab.ctl("ephemeral")
        pieces = re.findall(r"<name>(10\.64\.[0-9.]+)/2[78]</name>", lists)
        expect("some units are split", bool(pieces), True)
        who = trace(lab, pieces[0], SERVER4)["subscribers"][0]
        expect("a piece", (who["piece"], who["cause"]), (True, "displaced"))
        expect("told", "is split" in " ".join(lab.cli("trace", pieces[0], SERVER4).split()), True)
        agree(lab, 24)


@case("the outside filter takes one unit to another element by hand: exit 4, and both are named")
def _():
    with unchecked() as lab:
        static = lab.ctl("static")
        outside = static.index("cgn-outside-v4", static.index("<firewall>"))
        term = static.index("<name>fbf-03-ovr</name>", outside)
        at = static.index("<destination-prefix-list>", term)
        static_set(lab, static[:at] + "<destination-address><name>10.64.0.0/27</name></destination-address>" +
                   static[at:])
        got = trace(lab, "10.64.0.5", SERVER4, code=4)
        expect("verdict", got["verdict"], "different-elements")
        expect("elements", [leg["element"] for leg in got["legs"]], ["fbf-01", "fbf-03"])
        expect("named", "fbf-01" in got["faults"][0] and "fbf-03" in got["faults"][0], True)
        expect("exit code of the screen", lab.cli("trace", "10.64.0.5", SERVER4, code=4).startswith("FAULT"), True)
        expect("the other half", trace(lab, "10.64.0.40", SERVER4)["verdict"], "same-element")
        static_set(lab, static)
        expect("mended", trace(lab, "10.64.0.5", SERVER4)["verdict"], "same-element")


@case("no filter on an interface, a unit in no list, a table without its live route: exit 4, and how it ends")
def _():
    with unchecked(overrides={"mode": "monitor"}) as lab:  # else the agent mends the hole at once
        static = lab.ctl("static")

        def broken(text, *pair):
            static_set(lab, text)
            got = trace(lab, *pair, code=4)
            return got["verdict"], " ".join(got["faults"])

        at = static.index("<filter>", static.index("<name>s0</name>"))
        end = static.index("</filter>", at) + len("</filter>")
        verdict, faults = broken(static[:at] + static[end:], "10.64.0.5", SERVER4)
        expect("no filter", (verdict, "s0.0 applies no filter" in faults), ("bypass", True))
        unit = re.search(r"<prefix-list-item>\s*<name>10\.64\.0\.64/26</name>\s*</prefix-list-item>", static)
        verdict, faults = broken(static.replace(unit.group(0), ""), "10.64.0.70", SERVER4)
        expect("no list", (verdict, "counter cgn-subscribers" in faults), ("dropped", True))
        live = static.replace("<next-hop>10.1.1.2</next-hop>", "<reject/>")
        verdict, faults = broken(live, "10.64.0.5", SERVER4)
        expect("no live route", (verdict, "128.0.0.0/1" in faults), ("dropped", True))
        static_set(lab, static)
        expect("mended", trace(lab, "10.64.0.5", SERVER4)["verdict"], "same-element")


@case("what groups add is not known: a note says where they are applied, at each level that is read")
def _():
    with unchecked(overrides={"mode": "monitor"}) as lab:
        static = lab.ctl("static")
        for before, where in (
                (r"<configuration[^>]*>", "at the top"), (r"<policy-options>", "in policy-options"),
                (r"<interfaces>", "in interfaces"), (r"<interface>\s*<name>s0</name>", "in interfaces"),
                (r"<interface>\s*<name>s0</name>\s*<unit>\s*<name>0</name>", "in interfaces"),
                (r"<firewall>", "in firewall"), (r"<routing-instances>", "in routing-instances"),
                (r"<instance>\s*<name>fbf-01-in</name>", "in routing-instances"),
                (r"<name>fbf-01-in</name>[^.]*<routing-options>", "in routing-instances")):
            at = re.search(before, static).end()
            static_set(lab, static[:at] + "<apply-groups>MORE</apply-groups>" + static[at:])
            notes = " ".join(trace(lab, "10.64.0.5", SERVER4)["notes"])
            expect("%s told: %s" % (before, notes), "apply-groups" in notes and where in notes, True)


@case("a base list that is not the profile's: the override back to the base is base drift")
def _():
    with unchecked() as lab:
        static = lab.ctl("static")
        item = re.search(r"<prefix-list-item>\s*<name>10\.64\.0\.0/26</name>\s*</prefix-list-item>", static).group(0)
        there = static.replace(item, "", 1)
        at = there.index("</prefix-list>", there.index("<name>fbf-02-base-v4</name>"))
        static_set(lab, there[:at] + item + there[at:])
        lab.cli("audit", "now")
        wait_for("the override", lambda: "10.64.0.0/26" in lab.ctl("ephemeral"))
        got = trace(lab, "10.64.0.5", SERVER4)
        who = got["subscribers"][0]
        expect("cause", (who["element"], who["base-element"], who["why"], who["cause"]),
               ("fbf-01", "fbf-02", "override", "base-drift"))
        expect("told", "base drift: by the profile this is its base, the router's base lists say fbf-02" in
               " ".join(lab.cli("trace", "10.64.0.5", SERVER4).split()), True)


@case("the agent may not write: the router still sends to the dead element, and trace says so")
def _():
    with unchecked(overrides={"mode": "monitor"}) as lab:
        lab.element_down("fbf-01")
        wait_for("the agent knows", lambda: lab.family_of("fbf-01", "ipv4")["state"] == "down")
        got = wait_for("it wants another", lambda: [
            t for t in [trace(lab, "10.64.0.5", SERVER4, code=4)]
            if t["subscribers"][0]["wanted-element"] != "fbf-01"])[0]
        expect("verdict", got["verdict"], "fault")
        expect("both legs", {leg["element"] for leg in got["legs"]}, {"fbf-01"})
        expect("said", ("fbf-01 is down since" in got["faults"][0], "the agent wants it at" in got["notes"][0]),
               (True, True))


@case("NAT: the way back is the pool's route; exact for deterministic; a stolen pool is a fault")
def _():
    with unchecked(profile="cgn-dual-stack.json", overrides={"mode": "monitor"}) as lab:
        pools = {}
        for element, _, prefix in lab.pool_routes():
            pools.setdefault(element, []).append(prefix)
        for address in subscribers(lab, 24):
            got = trace(lab, address, server_of(address))
            inside, *back = got["legs"]
            expect("element", {leg["element"] for leg in back}, {inside["element"]})
            if ":" in address:
                expect("filtered", [leg.get("nat-pool") for leg in back], [None])
                continue
            expect("pools", [leg["nat-pool"] for leg in back], pools[inside["element"]])
            expect("by BGP", {leg["route"]["protocol"] for leg in back}, {"BGP"})
            if inside["element"] == "fbf-03":
                said = json.loads(lab.cli("where", address, "--json"))["autofbf:nat"][0]
                expect("exact", [(leg["destination"], leg["first-port"], leg["last-port"]) for leg in back],
                       [(said["public"], said["first-port"], said["last-port"])])
        fits(lab.cli("trace", "10.64.0.130", SERVER4))
        expect("a public address", "203.0.113.130 is a public address of fbf-03" in
               lab.cli("trace", SERVER4, "203.0.113.130", code=2), True)
        (peer, prefix), (thief, _) = [(p, f) for e, p, f in lab.pool_routes() if e in ("fbf-01", "fbf-02")]
        lab.ctl("route", peer, prefix, "down")
        got = trace(lab, "10.64.0.5", SERVER4, code=4)
        expect("missing: the supernet drops it", (got["verdict"], got["legs"][1]["route"]["prefix"]),
               ("dropped", "203.0.113.0/24"))
        lab.ctl("route", peer, prefix, "up")
        lab.ctl("route", thief, prefix, "up", "local-preference", 200)
        got = trace(lab, "10.64.0.5", SERVER4, code=4)
        expect("stolen", (got["verdict"], [leg["element"] for leg in got["legs"]]),
               ("different-elements", ["fbf-01", "fbf-02"]))


@case("two groups with the same prefixes: the group has to be named, and each has its own interface")
def _():
    with sim(profile="premium-beside-large.json") as lab:
        groups = {group["id"]: group for group in lab.groups}
        shared = next(str(a[5]) for a in [ipaddress.ip_network(p["prefix"]) for p in lab.groups[0]["pool"]]
                      if all(any(ipaddress.ip_network(p["prefix"]).version == a.version and
                                 ipaddress.ip_network(p["prefix"]).overlaps(a) for p in g["pool"])
                             for g in lab.groups))
        expect("ambiguous", "name the GROUP: large, premium" in
               lab.cli("trace", shared, server_of(shared), code=2), True)
        for name, group in groups.items():
            got = trace(lab, shared, server_of(shared), name)
            expect("interface", got["legs"][0]["interface"], group["inside-interface"][0])
            expect("elements", {leg["element"] for leg in got["legs"]} <= {e["id"] for e in group["element"]}, True)


@case("out of files, without an agent: the same legs as live")
def _():
    with sim() as lab:
        lab.element_down("fbf-04")
        lab.wait_effective([None, None, None, 0])
        lab.settle()
        (lab.dir / "now.xml").write_text(lab.ctl("static"))
        (lab.dir / "ephemeral.xml").write_text(lab.ctl("ephemeral"))
        files = ["--profile", lab.profile, "--configuration", lab.dir / "now.xml", "--ephemeral",
                 lab.dir / "ephemeral.xml"]
        for address in subscribers(lab, 8):
            live, saved = trace(lab, address, server_of(address)), trace(lab, address, server_of(address), *files)
            for leg in live["legs"] + saved["legs"]:
                leg["route"].pop("active")
                leg["route"].pop("via", None)
            expect("legs of " + address, saved["legs"], live["legs"])


@case("a slow router is waited for; the agent says when it answers too late, and goes on")
def _():
    with sim(overrides={"router/reply-timeout": 20000}) as lab:
        lab.ctl("fault", "get", "slow", "number", 15500)
        trace(lab, "10.64.0.5", SERVER4)
    with sim(overrides={"router/reply-timeout": 1200, "poll-interval": 500}) as lab:
        lab.ctl("fault", "show", "slow", "number", 800, "always")  # a poll after the other
        text = lab.cli("trace", "10.64.0.5", SERVER4, code=1)
        expect("what is told: " + text, "the router has not answered within 2.4 s" in text, True)
        lab.ctl("fault", "clear")
        trace(lab, "10.64.0.5", SERVER4)


@case("usage: what is no address, no subscriber, no group, no file, no agent")
def _():
    with sim() as lab:
        for code, words, says in (
                (2, ("10.64.0.5", "x"), "'x' is no address"),
                (2, ("10.64.0.5", "::1"), "not of one family"),
                (2, ("192.0.2.1", "192.0.2.2"), "in a pool"),
                (2, ("10.64.0.5", SERVER4, "nobody"), "no group 'nobody'"),
                (2, ("10.64.0.5", SERVER4, "--configuration", "x"), "--profile FILE"),
                (2, ("10.64.0.5", SERVER4, "--routes", "x"), "go with --configuration"),
                (2, ("10.64.0.5", SERVER4, "--configuration", lab.dir / "none", "--profile", lab.profile),
                 "No such file"),
                (2, ("10.64.0.5", SERVER4, "--configuration", lab.profile, "--profile", lab.profile), "no XML")):
            expect(" ".join(map(str, words)), says in lab.cli("trace", *words, code=code), True)
        lab.cli("trace", "10.64.0.5", SERVER4, "cgn")
        lab.stop("agent")
        lab.cli("trace", "10.64.0.5", SERVER4, code=3)


lib.end()
