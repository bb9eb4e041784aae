#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""NAT pools and health on the simulator: routes that vanish, that another element takes, and all of them at once."""
import re

import lib
from lib import case, expect, sim, timeline, wait_for

CGN = "cgn-dual-stack.json"
POOLS = {"fbf-01": "203.0.113.0/26", "fbf-02": "203.0.113.64/26", "fbf-04": "203.0.113.224/28"}
OUTSIDE = {"fbf-01": "10.2.1.2", "fbf-02": "10.2.2.2", "fbf-04": "10.2.4.2"}


def v4(lab, element):
    return lab.family_of(element, "ipv4")


def pool(lab, element, prefix):
    return next(p for p in v4(lab, element)["nat-pool"] if p["prefix"] == prefix)


def units(lab, family="ipv4"):
    return list(lab.effective()[family].values())


def override_families(lab):
    """Families of the lists in the agent's instance."""
    return set(re.findall(r"fbf-0\d-ovr-(v[46])", lab.ctl("ephemeral")))


def column(lab, element):
    """The word in the column "nat" of the status screen."""
    row = next(line for line in lab.cli("status").splitlines() if line.startswith(element + " "))
    return next(word for word in row.split() if "/" in word)


def footer(lab):
    return " ".join(lab.cli("status").split("\nnext ", 1)[1].split())


@case("a pool route is lost: the family leaves after the third poll, and comes back with its route")
def _():
    with sim(profile=CGN) as lab:
        expect("at first", column(lab, "fbf-04"), "2/2")
        expect("the other family has no such column", lab.cli("status").count("nat-routes"), 1)
        before, base = lab.counter("polls"), units(lab)
        lab.ctl("route", OUTSIDE["fbf-04"], POOLS["fbf-04"], "down")
        wait_for("it leaves", lambda: v4(lab, "fbf-04")["state"] == "down")
        expect("more than two polls", lab.counter("polls") - before >= 3, True)
        expect("why", v4(lab, "fbf-04")["reason"], "pool second 203.0.113.224/28: no route outside")
        expect("the column", column(lab, "fbf-04"), "1/2")
        expect("who is needed", "fbf-04 needs you: nobody announces its pool second" in footer(lab), True)
        expect("the element", "pool second 203.0.113.224/28, napt: HAS NO ROUTE" in lab.cli("status", "fbf-04"), True)
        wait_for("its units are gone", lambda: units(lab)[3] == 0)
        expect("the sibling stays", units(lab, "ipv6"), [64] * 4)
        expect("only the overrides of its family are written", override_families(lab), {"v4"})
        expect("an alarm", "nat-pool-missing" in lab.cli("alarms", code=None), True)
        lab.ctl("route", OUTSIDE["fbf-04"], POOLS["fbf-04"], "up")
        wait_for("it is back", lambda: units(lab) == base)
        expect("both routes", column(lab, "fbf-04"), "2/2")
        expect("no reason to worry", v4(lab, "fbf-04")["healthy"], True)
        wait_for("the alarm ends", lambda: "nat-pool-missing" not in lab.cli("alarms", code=None))
        timeline(lab)


@case("a pool is stolen: the thief is named, and keeps serving")
def _():
    with sim(profile=CGN) as lab:
        lab.ctl("route", OUTSIDE["fbf-02"], POOLS["fbf-01"], "up", "local-preference", "200")
        wait_for("it leaves", lambda: v4(lab, "fbf-01")["state"] == "down")
        stolen = pool(lab, "fbf-01", POOLS["fbf-01"])
        expect("what is known", (stolen["active"], stolen["via"], stolen["taken-by"]), (False, "10.2.2.2", "fbf-02"))
        expect("why", v4(lab, "fbf-01")["reason"],
               "pool public 203.0.113.0/26: its route leads to fbf-02 (10.2.2.2)")
        expect("next", "fbf-01 needs you: its pool public 203.0.113.0/26 leads to fbf-02 (10.2.2.2)" in footer(lab),
               True)
        expect("the thief", (v4(lab, "fbf-02")["state"], column(lab, "fbf-02")), ("up", "1/1"))
        expect("an alarm", "nat-pool-stolen" in lab.cli("alarms", code=None), True)
        lab.ctl("route", OUTSIDE["fbf-02"], POOLS["fbf-01"], "down")
        lab.wait_effective([64] * 4)


@case("a discard route for exactly the pool: told as such, not as no route")
def _():
    with sim(profile=CGN) as lab:
        text = (lab.dir / "static.xml").read_text()
        own = "<route><name>%s</name><discard/></route>" % POOLS["fbf-04"]
        text, places = re.subn(r"(?=<route[^>]*><name>203\.0\.113\.0/24<)", own, text)
        expect("a place for it", places, 1)
        (lab.dir / "changed.xml").write_text(text)
        lab.ctl("static", "set", lab.dir / "changed.xml")
        wait_for("it leaves", lambda: v4(lab, "fbf-04")["state"] == "down")
        expect("why", v4(lab, "fbf-04")["reason"], "pool second 203.0.113.224/28: its route has no next hop (discard)")
        expect("its leaf", pool(lab, "fbf-04", POOLS["fbf-04"])["discarded"], True)
        expect("in autofbf nat", '"discarded"' in lab.cli("nat", "fbf-04", "--json"), True)
        expect("who is needed", "its pool second 203.0.113.224/28 has a route without a next hop" in footer(lab), True)
        expect("the element", "napt: LEADS NOWHERE (discard)" in lab.cli("status", "fbf-04"), True)
        wait_for("an alarm", lambda: "its route has no next hop (discard)" in lab.cli("alarms", code=None))
        expect("which", "nat-pool-stolen" in lab.cli("alarms", code=None), True)


@case("one poll without the route moves nothing, but is shown")
def _():
    with sim(profile=CGN, overrides={"poll-interval": 4000}) as lab:
        commits, polls = lab.commits(), lab.counter("polls")
        wait_for("a poll is over", lambda: lab.counter("polls") > polls)
        lab.ctl("route", OUTSIDE["fbf-01"], POOLS["fbf-01"], "down")
        wait_for("a poll misses it", lambda: pool(lab, "fbf-01", POOLS["fbf-01"])["active"] is False)
        lab.ctl("route", OUTSIDE["fbf-01"], POOLS["fbf-01"], "up")
        status = lab.status()
        expect("in service", lab.family_of("fbf-01", "ipv4", status)["state"], "up")
        expect("degraded", status["severity"], "degraded")
        wait_for("it is seen again", lambda: pool(lab, "fbf-01", POOLS["fbf-01"])["active"])
        wait_for("all is well", lambda: lab.status()["severity"] == "ok")
        expect("commits", lab.commits(), commits)


@case("a dead session acts at once; its element returns when its routes were read")
def _():
    with sim(profile=CGN) as lab:
        lab.element_down("fbf-02", cause="hold-timer", families=("ipv4",), sides=("outside",))
        wait_for("it leaves", lambda: units(lab)[1] == 0)
        expect("its routes went with it", (column(lab, "fbf-02"), "active" in pool(lab, "fbf-02", POOLS["fbf-02"])),
               ("0/1", False))
        lab.ctl("route", OUTSIDE["fbf-02"], POOLS["fbf-02"], "down")
        lab.element_up("fbf-02", families=("ipv4",), sides=("outside",))
        wait_for("up, and without its route", lambda: "no route outside" in v4(lab, "fbf-02")["reason"])
        expect("out", v4(lab, "fbf-02")["healthy"], False)
        lab.ctl("route", OUTSIDE["fbf-02"], POOLS["fbf-02"], "up")
        lab.wait_effective([64] * 4)


@case("polls that fail say nothing about pools")
def _():
    with sim(profile=CGN) as lab:
        commits = lab.commits()
        lab.ctl("rpd", "off")
        before = lab.counter("polls")
        wait_for("some polls without a verdict", lambda: lab.counter("polls") > before + 5)
        expect("in service", units(lab), [64] * 4)
        expect("the last known", column(lab, "fbf-04"), "2/2")
        lab.ctl("rpd", "on")
        lab.settle()
        expect("commits", lab.commits(), commits)


@case("the router refuses to tell pool routes: said, nobody is out for it, and a failed element comes back")
def _():
    with sim(profile=CGN, overrides={"group/hold-down": 1}) as lab:
        commits = lab.commits()
        lab.ctl("fault", "routes", "error", "text", "permission denied", "always")
        wait_for("it is told", lambda: pool(lab, "fbf-04", POOLS["fbf-04"]).get("refusal") == "permission denied")
        expect("in autofbf nat", '"refusal"' in lab.cli("nat", "fbf-04", "--json"), True)
        expect("the last known", column(lab, "fbf-04"), "2/2")
        expect("the element", "pool second 203.0.113.224/28, napt: CANNOT BE READ: permission denied" in
               " ".join(lab.cli("status", "fbf-04").split()), True)
        expect("who is needed", "cgn needs you: 5 of its NAT pool routes cannot be read: public 203.0.113.0/26 of fbf-01: "
               "permission denied" in footer(lab), True)
        polls = lab.counter("polls")
        wait_for("more polls", lambda: lab.counter("polls") > polls + 4)
        expect("nobody is out", (units(lab), lab.commits()), ([64] * 4, commits))
        told = [e for e in lab.cli("events", "--kind", "router").splitlines() if "cannot be read" in e]
        expect("said once", (len(told), "pool public of fbf-01, 203.0.113.0/26 in inet.0: permission denied" in told[0]),
               (1, True))
        lab.element_down("fbf-02", cause="hold-timer", families=("ipv4",), sides=("outside",))
        wait_for("it leaves", lambda: units(lab)[1] == 0)
        lab.element_up("fbf-02", families=("ipv4",), sides=("outside",))
        lab.wait_effective([64] * 4)
        expect("nothing is known of it", (column(lab, "fbf-02"), v4(lab, "fbf-02")["state"]), ("?/1", "up"))
        lab.restart_agent()
        lab.settle()
        expect("in service", [v4(lab, e)["state"] for e in lab.elements], ["up"] * 4)
        lab.ctl("fault", "clear")
        wait_for("they are read", lambda: column(lab, "fbf-04") == "2/2")
        wait_for("it is said", lambda: "NAT pool routes are read again" in lab.cli("events", "--kind", "router"))


@case("all pool routes of all elements vanish: the router's trouble, nothing moves, no failed route")
def _():
    signal = {"ipv4": {"min-alive": 2, "failed-route": "192.0.2.128/32"}}
    with sim(profile=CGN, overrides={"group/signal": signal}) as lab:
        commits = lab.commits()
        for _, peer, prefix in lab.pool_routes():
            lab.ctl("route", peer, prefix, "down")
        wait_for("nobody is left", lambda: not any(v4(lab, e)["healthy"] for e in lab.elements))
        polls = lab.counter("polls")
        wait_for("many reads say so", lambda: lab.counter("polls") > polls + 6)
        frozen = lab.group_family("ipv4")
        expect("held", (frozen["freeze"], "NAT pool routes of 4 of 4 elements" in frozen["freeze-reason"]),
               ("mass-event", True))
        expect("what to look at", "import policy and the outside table" in footer(lab), True)
        expect("an alarm", "guard-engaged" in lab.cli("alarms", code=None), True)
        expect("nothing moved", (units(lab), lab.commits()), ([64] * 4, commits))
        expect("the other family", lab.group_family("ipv6")["freeze"], "no")
        lab.cli("thaw", "cgn")
        wait_for("the operator says so", lambda: "192.0.2.128/32" in lab.ctl("ephemeral"))
        expect("no unit moved", units(lab), [64] * 4)
        for _, peer, prefix in lab.pool_routes():
            lab.ctl("route", peer, prefix, "up")
        wait_for("it thaws", lambda: lab.group_family("ipv4")["freeze"] == "no")
        timeline(lab)


@case("the pool routes of three of four vanish: held until they return")
def _():
    with sim(profile=CGN, overrides={"group/mass-event-window": 1000}) as lab:
        commits = lab.commits()
        gone = [r for r in lab.pool_routes() if r[0] != "fbf-02"]
        for _, peer, prefix in gone:
            lab.ctl("route", peer, prefix, "down")
        wait_for("held", lambda: lab.group_family("ipv4")["freeze"] == "mass-event")
        polls = lab.counter("polls")
        wait_for("many reads say so", lambda: lab.counter("polls") > polls + 6)
        expect("still", lab.group_family("ipv4")["freeze"], "mass-event")
        for _, peer, prefix in gone:
            lab.ctl("route", peer, prefix, "up")
        wait_for("it thaws", lambda: lab.group_family("ipv4")["freeze"] == "no")
        lab.settle()
        expect("nothing moved at all", (units(lab), lab.commits()), ([64] * 4, commits))


@case("two lose their pool routes a poll before the two others: one event, nothing moves")
def _():
    with sim(profile=CGN, overrides={"poll-interval": 2000, "group/mass-event-window": 500}) as lab:
        commits = lab.commits()
        for late in (False, True):
            for element, peer, prefix in lab.pool_routes():
                if (element in ("fbf-01", "fbf-02")) == late:
                    lab.ctl("route", peer, prefix, "down")
            wait_for("a poll misses them", lambda: all(
                pool(lab, e, POOLS[e])["active"] is False for e in (("fbf-02", "fbf-01") if late else ("fbf-04",))))
        wait_for("all are out", lambda: not any(v4(lab, e)["healthy"] for e in lab.elements))
        frozen = lab.group_family("ipv4")
        expect("held", (frozen["freeze"], "NAT pool routes of 4 of 4" in frozen["freeze-reason"]), ("mass-event", True))
        expect("nothing moved", (units(lab), lab.commits()), ([64] * 4, commits))


lib.end()
