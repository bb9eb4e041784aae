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


def lose(lab, *elements):
    """The pool routes of these; all peers stay up. For `restore`."""
    gone = [route for route in lab.pool_routes() if route[0] in (elements or lab.elements)]
    for _, peer, prefix in gone:
        lab.ctl("route", peer, prefix, "down")
    wait_for("held", lambda: "nat-hold" in lab.group_family("ipv4"))
    return gone


def restore(lab, gone):
    for _, peer, prefix in gone:
        lab.ctl("route", peer, prefix, "up")
    wait_for("believed again", lambda: "nat-hold" not in lab.group_family("ipv4"))


def wait_polls(lab, count):
    polls = lab.counter("polls")
    wait_for("many reads say so", lambda: lab.counter("polls") > polls + count)


def has_failed_route(lab):
    return "192.0.2.128/32" in lab.ctl("ephemeral")


def signal(min_alive):
    return {"group/signal": {"revert-hold": 1, "ipv4": {"min-alive": min_alive, "failed-route": "192.0.2.128/32"}}}


@case("all pool routes of all elements vanish: the router's trouble, nothing moves, no failed route")
def _():
    with sim(profile=CGN, overrides=signal(2)) as lab:
        commits = lab.commits()
        gone = lose(lab)
        wait_polls(lab, 6)
        family, status = lab.group_family("ipv4"), lab.status()
        expect("not believed", ("NAT pool routes of 4 of 4 elements" in family["nat-hold"], family["freeze"]),
               (True, "no"))
        expect("in service", [v4(lab, e)["state"] for e in lab.elements], ["up"] * 4)
        expect("why", "no route outside; not believed" in v4(lab, "fbf-01")["reason"], True)
        expect("but not well", status["severity"], "critical")
        expect("what to look at", "cgn v4 needs you: the NAT pool routes of 4 of 4" in footer(lab) and
               "import policy and the outside table" in footer(lab), True)
        expect("in the check", "v4 NAT pool routes not believed" in lab.cli("status", "--check", code=2), True)
        alarms = lab.cli("alarms", code=None)
        expect("an alarm, and which not", ("guard-engaged" in alarms, "element-down" in alarms), (True, False))
        expect("nothing moved", (units(lab), lab.commits()), ([64] * 4, commits))
        expect("the other family", "nat-hold" in lab.group_family("ipv6"), False)
        lab.cli("thaw", "cgn")
        wait_for("the operator says so", lambda: has_failed_route(lab))
        expect("no unit moved", units(lab), [64] * 4)
        restore(lab, gone)
        wait_for("it thaws", lambda: lab.group_family("ipv4")["freeze"] == "no")
        expect("the story", ["NAT pool routes are not believed" in lab.cli("events", "--kind", "freeze"),
                             "NAT pool routes are believed again" in lab.cli("events", "--kind", "freeze")], [True] * 2)
        timeline(lab)


@case("the pool routes of three of four vanish: not believed until they return")
def _():
    with sim(profile=CGN, overrides={"group/mass-event-window": 1000}) as lab:
        commits = lab.commits()
        gone = lose(lab, "fbf-01", "fbf-03", "fbf-04")
        wait_polls(lab, 6)
        expect("still", "of 3 of 4" in lab.group_family("ipv4")["nat-hold"], True)
        restore(lab, gone)
        lab.settle()
        expect("nothing moved at all", (units(lab), lab.commits()), ([64] * 4, commits))


@case("while pool routes are not believed, sessions are: who dies is left at once, and returns")
def _():
    with sim(profile=CGN, overrides={"group/mass-event-window": 1000, **signal(3)}) as lab:
        gone = lose(lab, "fbf-01", "fbf-03", "fbf-04")
        lab.element_down("fbf-02")
        wait_for("the one with routes is left", lambda: (units(lab)[1], sum(units(lab))) == (0, 256))
        expect("by both families", units(lab, "ipv6")[1], 0)
        expect("nobody else", 0 in [units(lab)[e] for e in (0, 2, 3)], False)
        expect("three are alive", (has_failed_route(lab), lab.group_family("ipv4")["alive"]), (False, 3))
        expect("no freeze", lab.group_family("ipv4")["freeze"], "no")
        lab.element_down("fbf-01", cause="hold-timer", families=("ipv4",), sides=("outside",))
        wait_for("one without routes is left", lambda: [units(lab)[e] for e in (0, 1)] == [0, 0])
        expect("two carry all", sum(units(lab)), 256)
        wait_for("two are too few", lambda: has_failed_route(lab))
        wait_polls(lab, 6)
        expect("not believed still", "of 3 of 4" in lab.group_family("ipv4")["nat-hold"], True)
        lab.element_up("fbf-02")
        lab.element_up("fbf-01", families=("ipv4",), sides=("outside",))
        lab.wait_effective([64] * 4)
        wait_for("enough", lambda: not has_failed_route(lab))
        expect("without its routes", v4(lab, "fbf-01")["healthy"], True)
        restore(lab, gone)
        lab.settle()
        expect("as it was", units(lab), [64] * 4)


@case("most sessions end while pool routes are not believed: a mass event; then the operator believes the routes")
def _():
    with sim(profile=CGN) as lab:
        lose(lab, "fbf-01", "fbf-03", "fbf-04")
        lab.element_down("fbf-01", families=("ipv4",), cause="hold-timer")
        lab.element_down("fbf-02", families=("ipv4",), cause="hold-timer")
        lab.element_down("fbf-04", families=("ipv4",), cause="hold-timer")
        wait_for("looked at, then acted on", lambda: units(lab) == [0, 0, 256, 0])
        expect("it was one", "-> mass-event" in lab.cli("events", "--kind", "freeze"), True)
        expect("not believed still", "nat-hold" in lab.group_family("ipv4"), True)
        lab.element_up("fbf-02", families=("ipv4",))
        wait_for("one is back", lambda: units(lab)[1] > 0)
        lab.cli("element", "offline", "fbf-03", "--reason", "by hand", "--yes")
        wait_for("an operator may still", lambda: units(lab) == [0, 256, 0, 0])
        lab.cli("element", "online", "fbf-03", "--yes")
        wait_for("and back", lambda: units(lab)[2] > 0)
        lab.cli("thaw", "cgn")
        wait_for("only who has routes", lambda: units(lab) == [0, 256, 0, 0])
        expect("out", v4(lab, "fbf-03")["state"], "down")


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
        wait_for("held", lambda: "NAT pool routes of 4 of 4" in lab.group_family("ipv4").get("nat-hold", ""))
        wait_polls(lab, 2)
        expect("nothing moved", (units(lab), lab.commits()), ([64] * 4, commits))


lib.end()
