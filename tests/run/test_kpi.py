#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Key figures: rates by made-up counters, what is not known, proof of a commit, silence."""
import contextlib
import json
import subprocess

import lib
from lib import case, expect, sim, wait_for

SIDES = ("inside", "outside")


def entry_of(lab, element):
    return next(e for e in lab.status()["group"][0]["element"] if e["id"] == element)


def loads(lab, element):
    return {load["side"]: load for load in entry_of(lab, element).get("load", [])}


def interface(lab, element, side):
    return wait_for("an interface %s of %s" % (side, element),
                    lambda: loads(lab, element)[side]["interface"][0])


def flow(lab, element, up, down, back=True):
    """up: packets a second from subscribers, through the element; down: to them."""
    inside, outside = (interface(lab, element, side) for side in SIDES)
    for direction, name, rate in (("out", inside, up), ("in", outside, up if back else 0),
                                  ("out", outside, down), ("in", inside, down if back else 0)):
        lab.ctl("traffic", direction, name, "rate", rate)


def rate(load, direction):
    return int(load[direction]["packets-per-second"])


def near(got, wanted):
    return abs(got - wanted) <= max(5, wanted * 0.15)


def flows(lab, element, up, down):
    """The agent shows these rates."""
    load = loads(lab, element)
    return all("window" in load[side] for side in SIDES) and near(rate(load["inside"], "sent"), up) and \
        near(rate(load["outside"], "received"), up) and near(rate(load["outside"], "sent"), down) and \
        near(rate(load["inside"], "received"), down)


def alarms(lab):
    return {(a["type"], a.get("element")) for a in lab.status().get("alarm", [])}


def stage(lab, name):
    return int(next(r for r in lab.status()["reaction"] if r["stage"] == name)["count"])


@case("rates, their window and their sum are the router's counters")
def _():
    with sim() as lab:
        for number, element in enumerate(lab.elements):
            flow(lab, element, 1000 * (number + 1), 2000 * (number + 1))
        for number, element in enumerate(lab.elements):
            wait_for("rates of " + element,
                     lambda e=element, n=number + 1: flows(lab, e, 1000 * n, 2000 * n))
        load = loads(lab, "fbf-01")["inside"]
        expect("bits of packets of 1000 bytes", near(int(load["sent"]["bits-per-second"]),
                                                     8000 * rate(load, "sent")), True)
        shown = lab.cli("kpi", "cgn")
        if "averages over" not in shown or "\nsum " not in shown or "\naverage " not in shown:
            raise lib.Failed("autofbf kpi shows:\n" + shown)
        one = json.loads(lab.cli("kpi", "fbf-02", "--json"))["autofbf:state"]
        expect("elements of the JSON", [e["id"] for g in one["group"] for e in g["element"]], ["fbf-02"])
        lab.cli("kpi", "nobody", code=2)


@case("a router without counters gives a reason, not zeros; reset counters give no rate")
def _():
    with sim() as lab:
        # So high that what comes after the reset cannot have overtaken it at the next reading.
        flow(lab, "fbf-01", 1000000, 1000000)
        wait_for("rates", lambda: flows(lab, "fbf-01", 1000000, 1000000))
        flow(lab, "fbf-01", 3000, 3000)
        lab.ctl("counters", "clear", "interfaces")
        wait_for("the discontinuity is told", lambda: "discontinuity" in loads(lab, "fbf-01")["inside"])
        wait_for("rates again", lambda: flows(lab, "fbf-01", 3000, 3000))
        lab.ctl("counters", "off")
        gone = wait_for("a reason", lambda: (lambda load: "unavailable" in load and load)(
            loads(lab, "fbf-01")["inside"]))
        expect("figures beside the reason", "sent" in gone, False)
        lab.settle()  # verdicts do not depend on counters
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        lab.ctl("counters", "on")
        wait_for("rates once more", lambda: flows(lab, "fbf-01", 3000, 3000), 60)


@case("who was steered, and who is in no list, is counted by the filters' terms")
def _():
    with sim() as lab:
        lab.ctl("traffic", "term", "cgn-inside-v4", "fbf-03-base", "rate", 700)
        lab.ctl("traffic", "term", "cgn-inside-v4", "fbf-03-ovr", "rate", 300)
        lab.ctl("traffic", "term", "cgn-inside-v6", "cgn-subscribers", "rate", 50)

        def steered():
            family = next(f for f in entry_of(lab, "fbf-03")["family"] if f["family"] == "ipv4")
            return next(s for s in family["steered"] if s["side"] == "inside")
        wait_for("the terms' rates", lambda: near(int(steered()["packets-per-second"]), 1000))
        expect("packets by override", 0 < int(steered()["override-packets"]) < int(steered()["packets"]), True)

        def unlisted(family):
            entry = next(f for f in lab.status()["group"][0]["family"] if f["family"] == family)
            return int(entry["unlisted"].get("packets-per-second", -1))
        wait_for("unlisted IPv6", lambda: near(unlisted("ipv6"), 50))
        expect("unlisted IPv4", unlisted("ipv4"), 0)
        rows = {line.split()[0]: line.split()[1:] for line in lab.cli("kpi", "cgn").splitlines() if line.strip()}
        expect("columns of " + " ".join(rows["STEERED,"]), len(rows["unlisted"]), 2)
        expect("unlisted IPv4 is shown", rows["unlisted"][0], "0")
        expect("unlisted IPv6 is shown", near(int(rows["unlisted"][1]), 50), True)


def no_counter(lab, name):
    """The static configuration without what counts there."""
    text = (lab.dir / "static.xml").read_text()
    path = lab.dir / "fewer.xml"
    path.write_text(text.replace("<count>%s</count>" % name, "", 1))
    lab.ctl("static", "set", path)


@case("a counter that the router does not have is named, in the JSON and below the table")
def _():
    with sim() as lab:
        wait_for("all are there", lambda: "no figures" not in lab.cli("kpi", "cgn"))
        no_counter(lab, "fbf-01-ovr")
        wait_for("it is named", lambda: "no counter fbf-01-ovr in filter cgn-inside-v4" in
                 " ".join(lab.cli("kpi", "cgn").split()))
        steered = entry_of(lab, "fbf-01")["family"][0]["steered"][0]
        expect("figures beside the reason", sorted(steered), ["side", "unavailable"])


@case("counters that cost the session are spared, with the reason; everything else goes on")
def _():
    with sim() as lab:
        for element in lab.elements:
            interface(lab, element, "inside")
        lab.ctl("fault", "counters", "garbage")
        gone = wait_for("the reason", lambda: [reason for reason in (
            loads(lab, "fbf-01")["inside"].get("unavailable", ""),
            next(f for f in lab.status()["group"][0]["family"] if f["family"] == "ipv4")["unlisted"].get(
                "unavailable", "")) if "cannot be read" in reason])
        expect("when it is tried again: " + gone[0], "30 polls later" in gone[0], True)
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        wait_for("the poll goes on", lambda: lab.in_sync())
        expect("sessions lost", sum("read session" in r["text"] and "cannot be read" in r["text"]
                                    for r in lib.records(lab)), 1)


@case("a counter that a commit restarted and that has overtaken itself gives no rate")
def _():
    with sim() as lab:
        lab.ctl("counters", "restart-on-commit", "on")

        def steered():
            family = next(f for f in entry_of(lab, "fbf-03")["family"] if f["family"] == "ipv4")
            return next(s for s in family["steered"] if s["side"] == "inside")
        lab.ctl("traffic", "term", "cgn-inside-v4", "fbf-03-base", "rate", 10)
        wait_for("a rate", lambda: near(int(steered()["packets-per-second"]), 10))
        expect("no discontinuity yet", "discontinuity" in steered(), False)
        lab.ctl("traffic", "term", "cgn-inside-v4", "fbf-03-base", "rate", 100000)
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        wait_for("the discontinuity is told", lambda: "discontinuity" in steered())
        wait_for("the rate", lambda: near(int(steered()["packets-per-second"]), 100000))


@contextlib.contextmanager
def live_table(lab):
    """The process of kpi --interval; ended whatever happens."""
    argv = [lib.BUILD / "autofbf", "--socket", lab.socket, "kpi", "cgn", "--interval", "1"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=lab.env()) as child:
        try:
            yield child
        finally:
            child.kill()


@case("kpi --interval shows the table again and again, also after a restart of the agent, and ends with its reader")
def _():
    with sim() as lab, live_table(lab) as child:
        def await_tables(wanted):
            tables = 0
            for line in child.stdout:
                tables += line.startswith("group cgn")
                if tables == wanted:
                    break
            expect("tables", tables, wanted)
        await_tables(3)
        lab.stop("agent")
        # A query that was cut in the middle may say something else first.
        expect("says why", any("no agent at" in line for line in child.stderr), True)
        lab.start_agent()
        await_tables(1)
        child.stdout.close()
        child.wait(lib.labkit.DEADLINE)


@case("kpi --interval ends with its reader also while the agent is away")
def _():
    with sim() as lab, live_table(lab) as child:
        expect("a table", any(line.startswith("group cgn") for line in child.stdout), True)
        lab.stop("agent")
        expect("the agent is away", any("no agent at" in line for line in child.stderr), True)
        child.stdout.close()
        child.wait(lib.labkit.DEADLINE)


@case("a failover is proved by counters, and timed stage by stage")
def _():
    with sim() as lab:
        for element in lab.elements:
            flow(lab, element, 3000, 3000)
        wait_for("rates", lambda: all(flows(lab, e, 3000, 3000) for e in lab.elements))
        lab.element_down("fbf-02")
        flow(lab, "fbf-02", 0, 0)
        for element in ("fbf-01", "fbf-03", "fbf-04"):
            flow(lab, element, 4000, 4000)
        wait_for("traffic-moved was measured", lambda: stage(lab, "traffic-moved") == 1)
        expect("the other stages", [stage(lab, s) for s in ("sent", "committed", "read-back")], [1, 1, 1])
        expect("alarms", ("traffic-not-moved", "fbf-02") in alarms(lab), False)
        away = wait_for("time away from base", lambda: int(
            lab.status()["group"][0]["family"][0]["displaced-seconds"]))
        lab.element_up("fbf-02")
        lab.settle()
        wait_for("base again", lambda: lab.status()["group"][0]["family"][0]["displaced"] == 0)
        expect("it counts", int(lab.status()["group"][0]["family"][0]["displaced-seconds"]) >= away, True)


def steer(lab, element, family, rate):
    lab.ctl("traffic", "term", "cgn-inside-" + family, element + "-base", "rate", rate)


def fail_by_family(group):
    group["failure-scope"] = "family"


@case("a family that an element lost alone is proved by the filters' terms")
def _():
    with sim(change=fail_by_family) as lab:
        for element in lab.elements:
            flow(lab, element, 3000, 3000)
            for family in ("v4", "v6"):
                steer(lab, element, family, 1500)
        wait_for("rates", lambda: flows(lab, "fbf-02", 3000, 3000) and all(
            "window" in steered for f in entry_of(lab, "fbf-02")["family"] for steered in f["steered"]))
        lab.element_down("fbf-02", families=("ipv6",))
        wait_for("its IPv6 units are gone", lambda: float(
            lab.family_of("fbf-02", "ipv6")["effective-share"]) == 0)
        expect("units of IPv4", float(lab.family_of("fbf-02", "ipv4")["effective-share"]) > 0, True)
        steer(lab, "fbf-02", "v6", 0)
        for element in ("fbf-01", "fbf-03", "fbf-04"):
            steer(lab, element, "v6", 2000)
        wait_for("traffic-moved was measured", lambda: stage(lab, "traffic-moved") == 1)


@case("traffic that goes on to a dead element is an alarm, until it stops")
def _():
    with sim() as lab:
        for element in lab.elements:
            flow(lab, element, 3000, 3000)
        wait_for("rates", lambda: all(flows(lab, e, 3000, 3000) for e in lab.elements))
        lab.element_down("fbf-02")
        wait_for("traffic-not-moved", lambda: ("traffic-not-moved", "fbf-02") in alarms(lab))
        flow(lab, "fbf-02", 0, 0)
        for element in ("fbf-01", "fbf-03", "fbf-04"):
            flow(lab, element, 4000, 4000)
        wait_for("it is cleared", lambda: ("traffic-not-moved", "fbf-02") not in alarms(lab))
        expect("load of the drained element", [rate(load, "sent") for load in loads(lab, "fbf-02").values()],
               [0, 0])


@case("an element that takes and does not give is silent; nothing moves for it")
def _():
    with sim() as lab:
        for element in lab.elements:
            flow(lab, element, 3000, 3000)
        wait_for("rates", lambda: flows(lab, "fbf-03", 3000, 3000))
        commits = lab.commits()
        flow(lab, "fbf-03", 3000, 3000, back=False)
        wait_for("silent-element", lambda: ("silent-element", "fbf-03") in alarms(lab))
        expect("alarms of the others", [e for t, e in alarms(lab) if t == "silent-element"], ["fbf-03"])
        expect("commits", lab.commits(), commits)
        flow(lab, "fbf-03", 3000, 3000)
        wait_for("it is cleared", lambda: ("silent-element", "fbf-03") not in alarms(lab))


def name_an_interface(group):
    group["element"][0]["ipv4"]["inside"]["interface"] = "xe-9/9/9.0"


@case("an interface that the profile names is the one that is read")
def _():
    with sim(change=name_an_interface) as lab:
        lab.ctl("traffic", "out", "xe-9/9/9.0", "rate", 1500)
        wait_for("its rate", lambda: near(rate(loads(lab, "fbf-01")["inside"], "sent"), 1500))
        expect("it is named", "xe-9/9/9.0" in loads(lab, "fbf-01")["inside"]["interface"], True)


def share_an_interface(group):
    for element in group["element"][:2]:
        for family in ("ipv4", "ipv6"):
            element[family]["inside"]["interface"] = "irb.100"


@case("an interface that two elements share is no element's load")
def _():
    with sim(change=share_an_interface) as lab:
        lab.ctl("traffic", "out", "irb.100", "rate", 1500)
        for element in ("fbf-01", "fbf-02"):
            wait_for("a reason", lambda e=element: "irb.100: other elements use it as well" in
                     loads(lab, e)["inside"].get("unavailable", ""))
        wait_for("a load of its own", lambda: "sent" in loads(lab, "fbf-03")["inside"])


lib.end()
