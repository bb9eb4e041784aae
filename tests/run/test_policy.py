#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Policy on the simulator: damping, revert, splitting, signal routes, capacity, switchover.

Each case ends with its timeline, as comments: what the agent recorded, in seconds since the start.
"""
import json

import lib
from lib import case, expect, moment, records, sim, timeline, wait_for

SIGNAL4, SIGNAL6 = "192.0.2.128/32", "2001:db8:5::1/128"


def state(lab, element, family="ipv4"):
    return lab.family_of(element, family)["state"]


def age(lab, element):
    """Seconds since the last change of state of the element's families."""
    status = lab.status()
    since = max(moment(lab.family_of(element, f, status)["since"]) for f in ("ipv4", "ipv6"))
    return (moment(status["now"]) - since).total_seconds()


def ephemeral(lab):
    return lab.ctl("ephemeral")


@case("a flapping element is damped: out for longer each time, and says until when")
def _():
    damping = {"flaps": 3, "window": 600, "initial": 4, "maximum": 60}
    with sim(overrides={"group/hold-down": 0, "group/damping": damping}) as lab:
        for _ in range(2):
            lab.element_down("fbf-02")
            lab.wait_effective([None, 0, None, None])
            lab.element_up("fbf-02")
            lab.wait_effective([256] * 4)
            wait_for("steady service", lambda: age(lab, "fbf-02") > 3)
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        lab.element_up("fbf-02")
        wait_for("damped", lambda: "damped-until" in lab.family_of("fbf-02", "ipv4"))
        expect("state", state(lab, "fbf-02"), "hold-down")
        expect("the screen says so", "fbf-02" in lab.cli("status").split("next", 1)[1], True)
        commits = lab.commits()
        lab.wait_effective([256] * 4)
        expect("one commit for the return", lab.commits(), commits + 1)
        timeline(lab)


@case("revert manual: ready, but the operator brings it back")
def _():
    with sim(overrides={"group/revert": "manual"}) as lab:
        lab.element_down("fbf-03")
        lab.wait_effective([None, None, 0, None])
        lab.element_up("fbf-03")
        wait_for("awaits the operator", lambda: lab.family_of("fbf-03", "ipv4").get("awaits-operator"))
        expect("still out", lab.effective()["ipv4"]["fbf-03"], 0)
        expect("the screen says how", "element online fbf-03" in " ".join(lab.cli("status").split()), True)
        lab.cli("element", "online", "fbf-03", "--yes")
        lab.wait_effective([256] * 4)
        timeline(lab)


@case("split: two of four left, displaced units are cut where needed, and merged again")
def _():
    split = [{"family": "ipv4", "survivors": 2, "bits": 2}, {"family": "ipv6", "survivors": 2, "bits": 1}]
    pools = [{"prefix": "10.64.0.0/22", "unit-length": 26}, {"prefix": "2001:db8:64::/55", "unit-length": 58}]
    weights = {"fbf-01": 3, "fbf-02": 2, "fbf-03": 2, "fbf-04": 2}
    with sim(overrides={"group/split": split, "group/pool": pools, "group/mass-event-share": 100},
             change=lambda group: [e.update({"weight": [{"epoch": 0, "weight": weights[e["id"]]}]})
                                   for e in group["element"]]) as lab:
        first = lab.layout_ids()
        lab.element_down("fbf-02")
        wait_for("one out", lambda: lab.effective()["ipv4"]["fbf-02"] == 0)
        lab.settle()
        expect("no pieces yet", "/28" in ephemeral(lab), False)
        lab.element_down("fbf-03")
        wait_for("two out", lambda: lab.effective()["ipv4"]["fbf-03"] == 0)
        lab.settle()
        expect("pieces in the router's lists", "/28" in ephemeral(lab), True)
        layout = json.loads(lab.cli("layout", "--json"))
        v4 = next(f for f in layout["groups"][0]["families"] if f["family"] == "ipv4")
        expect("sum of shares", sum(e["effective"] for e in v4["elements"]), 16)
        expect("pieces in the layout", any(u["prefix"].endswith("/28") for u in v4["units"]), True)
        lab.element_up("fbf-02")
        lab.element_up("fbf-03")
        wait_for("merged again", lambda: lab.layout_ids() == first)
        lab.settle()
        expect("no pieces left", "/28" in ephemeral(lab), False)
        timeline(lab)


def signal(min_alive, **more):
    return {"revert-hold": 2, "ipv4": dict({"min-alive": min_alive, "failed-route": SIGNAL4}, **more),
            "ipv6": {"min-alive": min_alive, "failed-route": SIGNAL6}}


@case("failed signal route: installed below min-alive, kept for revert-hold, back after a reboot")
def _():
    with sim(overrides={"group/signal": signal(3), "group/mass-event-share": 100}) as lab:
        expect("not at rest", SIGNAL4.split("/")[0] in ephemeral(lab), False)
        lab.element_down("fbf-02")
        wait_for("one out", lambda: lab.effective()["ipv4"]["fbf-02"] == 0)
        lab.settle()
        expect("three are enough", SIGNAL4.split("/")[0] in ephemeral(lab), False)
        lab.element_down("fbf-03")
        wait_for("installed", lambda: SIGNAL4 in ephemeral(lab) and SIGNAL6 in ephemeral(lab))
        expect("two commits, lists and routes together", lab.commits(), 2)
        lab.ctl("reboot", "empty", "peers-down")
        for element in ("fbf-01", "fbf-04"):
            lab.element_up(element)
        wait_for("back after the reboot", lambda: SIGNAL4 in ephemeral(lab))
        lab.element_up("fbf-03")
        wait_for("withdrawn", lambda: SIGNAL4 not in ephemeral(lab))
        expect("three carry", lab.effective()["ipv4"]["fbf-03"] > 0, True)
        timeline(lab)


def tolerated(lab):
    """How many failures, and what one more brings; None: not told."""
    group = lab.status()["group"][0]
    return (group["failures-tolerated"], group["failures-limit"]) if "failures-limit" in group else None


@case("lists that cannot be read at a start are no reason for a signal route")
def _():
    with sim(overrides={"group/signal": signal(3), "router/reply-timeout": 500}) as lab:
        lab.element_down("fbf-02")
        wait_for("one out", lambda: lab.effective()["ipv4"]["fbf-02"] == 0)
        lab.settle()
        commits = lab.commits()
        lab.kill_agent()
        lab.ctl("fault", "get", "silent", "always")
        lab.start_agent()
        wait_for("startup is over", lambda: lab.group_family("ipv4")["freeze"] not in ("startup", "no"))
        polls = lab.counter("polls")
        wait_for("polls enough to confirm", lambda: lab.counter("polls") >= polls + 5)
        expect("nothing is said of what is not known", tolerated(lab), None)
        lab.ctl("fault", "clear")
        lab.settle()
        expect("what is known again", tolerated(lab), (0, "min-alive"))
        expect("three are enough", SIGNAL4 in ephemeral(lab), False)
        expect("commits", lab.commits(), commits)
        timeline(lab)


@case("nobody left: the layout stands, the signal route says so")
def _():
    with sim(overrides={"group/signal": signal(1)}) as lab:
        lab.ctl("peer", "down", "all")
        wait_for("installed", lambda: SIGNAL4 in ephemeral(lab))
        expect("all units still have an owner", sum(lab.effective()["ipv4"].values()), 1024)
        expect("nothing more is survived", (tolerated(lab), "SURVIVES" in lab.cli("status")), ((0, "already"), False))
        lab.ctl("peer", "up", "all")
        wait_for("withdrawn", lambda: SIGNAL4 not in ephemeral(lab))
        lab.settle()
        timeline(lab)


@case("path alter: on an operator's word, over a restart, seen in status")
def _():
    with sim(overrides={"group/signal": signal(0, **{"alter-route": "192.0.2.129/32"})}) as lab:
        lists = lab.effective()
        lab.cli("path", "alter", "on", "cgn", "--reason", "work on the core", "--yes")
        wait_for("installed", lambda: "192.0.2.129/32" in ephemeral(lab))
        expect("lists unchanged", lab.effective(), lists)
        lab.restart_agent()
        expect("after a restart", "192.0.2.129/32" in ephemeral(lab), True)
        expect("status says why", "work on the core" in lab.cli("status"), True)
        lab.cli("path", "alter", "off", "cgn", "--reason", "done", "--yes")
        wait_for("gone", lambda: "192.0.2.129/32" not in ephemeral(lab))
        timeline(lab)


@case("path alter without a group: only those that have a route; an order whose route is gone can be taken back")
def _():
    route = "192.0.2.129/32"
    name = "premium-beside-large.json"
    groups = json.loads((lib.TOP / "profiles" / name).read_text())["autofbf:profile"]["group"]
    for group, signals in zip(groups, ({"ipv4": {"alter-route": route}}, {})):
        group.update({"signal": signals, "startup-wait": 3})
    with sim(profile=name, overrides={"group": groups}) as lab:
        def ordered():
            return [g["id"] for g in lab.status()["group"] if "operator-alter" in g]

        mine = lab.group["id"]
        lab.cli("path", "alter", "on", "--reason", "all of them", "--yes")
        wait_for("installed", lambda: route in ephemeral(lab))
        expect("ordered", ordered(), [mine])
        expect("told of", {r["subject"] for r in records(lab) if r["kind"] == "operator"}, {mine})
        new = lab.dir / "next.json"
        tree = json.loads(lab.profile.read_text())
        del tree["autofbf:profile"]["group"][0]["signal"]
        new.write_text(json.dumps(tree))
        said = " ".join(lab.cli("profile", "apply", new, "--yes").split())
        expect("it says what is kept", "path alter of %s is kept" % mine in said, True)
        wait_for("withdrawn", lambda: route not in ephemeral(lab))
        lab.cli("path", "alter", "off", mine, "--yes")
        expect("taken back", ordered(), [])
        expect("nothing to take back", "no alter-route" in lab.cli("path", "alter", "off", mine, "--yes", code=1), True)


@case("capacity: said before it is exceeded, and when it is")
def _():
    def tell(group):
        group["capacity"] = {"label": "Gbps", "unit-load": "0.1"}
        for element in group["element"]:
            element["capacity"] = "80.0"
    with sim(change=tell, overrides={"group/mass-event-share": 100}) as lab:
        lab.element_down("fbf-02")  # 2048 units of 0.1: 51.2 each, then 68.3, then 102.4
        wait_for("at risk", lambda: any(r["kind"] == "capacity" for r in records(lab)))
        expect("RISK on the screen", "RISK" in lab.cli("status"), True)
        lab.element_down("fbf-03")
        wait_for("exceeded", lambda: any("over its capacity" in r["text"] for r in records(lab)))
        lab.element_up("fbf-02")
        lab.element_up("fbf-03")
        lab.wait_effective([256] * 4)
        timeline(lab)


@case("too few units for the weights: the decision tells who misses its exact share by a unit or more")
def _():
    def crowd(group):
        del group["element"][5:]
        group["pool"][0] = {"prefix": "10.64.0.0/24", "unit-length": 26}
        for element, weights in zip(group["element"], ((3, 3, 0), (4,), (2,), (6, 1), (6, 1))):
            element["weight"] = [{"epoch": epoch, "weight": w} for epoch, w in enumerate(weights)]
    with sim(profile="eight-dual-stack.json", change=crowd) as lab:
        decided = {family: wait_for("a decision", lambda f=family: [
            r["text"] for r in records(lab) if r["kind"] == "decision" and r["text"].startswith(f)])
                   for family in ("ipv4", "ipv6")}
        expect("missed", {family: "exact share missed by a unit or more: 1" in texts[-1]
                          for family, texts in decided.items()}, {"ipv4": True, "ipv6": False})
        timeline(lab)


def switchover(data):
    @case("routing engine switchover: new host key and source address, %s" % (
        "old data: no move, no commit" if data == "keep" else "no data: the overrides are back"))
    def _():
        with sim() as lab:
            lab.element_down("fbf-02")
            wait_for("out", lambda: lab.effective()["ipv4"]["fbf-02"] == 0)
            lab.settle()
            commits, ids = lab.commits(), lab.layout_ids()
            lab.ctl("reboot", data, "peers-down", "host-key", lab.other_host_key(), "source", "127.0.0.2")
            wait_for("dropped and back", lambda: lab.counter("reconnects") >= 1)
            for element in lab.elements:
                if element != "fbf-02":
                    lab.element_up(element)
            wait_for("out as before", lambda: lab.effective()["ipv4"]["fbf-02"] == 0)
            lab.settle()
            added = lab.commits() - commits  # without data: one, or one as each family thaws
            expect("commits", added in ((0,) if data == "keep" else (1, 2)), True)
            expect("layout-ids", lab.layout_ids(), ids)
            lab.element_down("fbf-03")  # heard from the new source address
            wait_for("out", lambda: lab.effective()["ipv4"]["fbf-03"] == 0)
            timeline(lab)


switchover("keep")
switchover("empty")


@case("a host key that is not pinned is refused, and said once")
def _():
    with sim() as lab:
        lab.ctl("reboot", "keep", "host-key", lab.strange_host_key())
        wait_for("refused", lambda: "host key" in lab.cli("status", code=None))
        refusals = [r for r in records(lab) if "host key" in r["text"]]
        expect("told once for each session", len(refusals) <= 2, True)
        lab.ctl("reboot", "keep", "host-key", lab.dir / "host")
        lab.settle()


@case("why: the story of one prefix")
def _():
    with sim() as lab:
        layout = json.loads(lab.cli("layout", "--json"))
        unit = next(u for u in layout["groups"][0]["families"][0]["units"] if u["element"] == "fbf-02")
        lab.element_down("fbf-02")
        wait_for("out", lambda: lab.effective()["ipv4"]["fbf-02"] == 0)
        lab.element_up("fbf-02")
        lab.wait_effective([256] * 4)
        story = lab.cli("why", unit["prefix"])
        expect("tells the successor", unit["standby"] in story, True)
        expect("tells the cause", "fbf-02 down" in story, True)
        expect("unknown space is no story", "203.0.113.1" in lab.cli("why", "203.0.113.1", code=1), True)


@case("the last survivor is taken out with --force only, and the layout stands")
def _():
    with sim() as lab:
        lab.cli("element", "offline", "fbf-01", "fbf-02", "fbf-03", "--reason", "x", "--yes")
        lab.wait_effective([0, 0, 0, 1024])
        text = lab.cli("element", "offline", "fbf-04", "--reason", "x", "--yes", code=1)
        expect("says what --force would do", "--force" in text, True)
        lab.cli("element", "offline", "fbf-04", "--reason", "x", "--yes", "--force")
        wait_for("frozen", lambda: lab.group_family("ipv4")["freeze"] != "no")
        lab.wait_effective([0, 0, 0, 1024])
        lab.cli("element", "online", "fbf-01", "fbf-02", "fbf-03", "fbf-04", "--yes")
        lab.wait_effective([256] * 4)


lib.end()
