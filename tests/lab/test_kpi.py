#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Key figures with real packets: the kernel's counters as the router tells them, a drained element,
one that takes packets and gives none back, and the proof of a failover."""
import time

import lib
from lib import Failed, expect, wait_for

IDLE = 100  # packets a second of BGP and BFD
VICTIM = "fbf-02"


def loads(lab, element):
    entry = next(e for e in lab.status()["group"][0]["element"] if e["id"] == element)
    return {load["side"]: load for load in entry["load"]}


def sent(load):
    return int(load["sent"]["packets-per-second"])


def received(load):
    return int(load["received"]["packets-per-second"])


def has_rates(lab):
    return all("window" in load for e in lab.elements for load in loads(lab, e).values())


def alarms(lab):
    return {(a["type"], a.get("element")) for a in lab.status().get("alarm", [])}


def begin(lab):
    """Traffic, and rates of a window in which it flowed."""
    lab.start_traffic()
    wait_for("rates of all elements", lambda: has_rates(lab) and all(
        sent(loads(lab, e)["inside"]) > lab.rate / 8 for e in lab.elements))


def same_as_elements(lab, stopped):
    """What the router has sent in and got back is what the elements say, and BGP and BFD."""
    for element in lab.elements:
        load = wait_for("a reading after the traffic", lambda e=element: (
            lambda found: all(lib.seconds(x["measured"]) > stopped for x in found.values()) and found)(
                loads(lab, e)))
        own, control = lab.forwarded(element), IDLE * (time.time() - lab.began)
        for way, side in (("up", "inside"), ("down", "outside")):
            extra = int(load[side]["sent"]["packets"]) - own[way]
            if not 0 <= extra <= control:
                raise Failed("%s, %s: %d packets more by the router's counter than forwarded" % (
                    element, side, extra))


@lib.case("load is what the elements forward; offline takes it to nothing within one poll",
          touches=(VICTIM,))
def drained(lab):
    begin(lab)
    lab.cli("element", "offline", VICTIM, "--yes")
    lab.settle()
    lab.wait_forwarded()
    done = time.time()

    def first_window_after():
        load = loads(lab, VICTIM)["inside"]
        at = lib.seconds(load["measured"])
        return "window" in load and at - load["window"] / 1000 > done and load
    load = wait_for("a window after the commit", first_window_after)
    if sent(load) > IDLE:
        raise Failed("the drained element still gets %d packets a second" % sent(load))
    expect("alarms", {t for t, _ in alarms(lab)} & {"traffic-not-moved", "drained-still-carrying"}, set())
    lab.stop_traffic()
    same_as_elements(lab, time.time())


@lib.case("an element that keeps BGP and BFD and forwards nothing raises silent-element, nothing moves",
          touches=(VICTIM,))
def silent(lab):
    begin(lab)
    before, commits = lab.layout_ids(), lab.commits()
    lab.lab("exec", VICTIM, "nft",
            "add table inet grey; add chain inet grey hole { type filter hook forward priority -10; "
            "policy drop; }")
    wait_for("silent-element", lambda: ("silent-element", VICTIM) in alarms(lab))
    shown = lab.cli("alarms")
    if "silent-element" not in shown or VICTIM not in shown:
        raise Failed("autofbf alarms shows:\n" + shown)
    lab.check_void(VICTIM)
    expect("sessions went down", lab.downs(), [])
    expect("layouts", lab.layout_ids(), before)
    expect("commits", lab.commits(), commits)
    lab.lab("exec", VICTIM, "nft", "delete table inet grey")
    wait_for("it is cleared", lambda: ("silent-element", VICTIM) not in alarms(lab))
    lab.stop_traffic()


@lib.case("a failover is proved by counters", touches=(VICTIM,))
def proved(lab):
    begin(lab)
    lab.fail(VICTIM)

    def moved():
        stage = next(r for r in lab.status()["reaction"] if r["stage"] == "traffic-moved")
        return int(stage["count"]) == 1 and stage
    stage = wait_for("the counters show it", moved)
    print("# traffic moved, by counters: %.0f ms after the event" % (int(stage["maximum"]) / 1000))
    expect("traffic-not-moved", ("traffic-not-moved", VICTIM) in alarms(lab), False)
    lab.stop_traffic()


lib.end()
