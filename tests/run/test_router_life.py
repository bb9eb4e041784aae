#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What routers do: reboot, switch over, lose rpd, answer rubbish, answer nothing."""
import xml.etree.ElementTree

import lib
from lib import case, expect, sim, timeline, wait_for


def moved(lab):
    def reached():
        eff = lab.effective()
        return all(c["fbf-02"] == 0 and sum(c.values()) == 1024 for c in eff.values())
    return wait_for("fbf-02 owns nothing", reached)


def reboot(lab, data):
    """The router restarts; all sessions but fbf-02's come back, young."""
    lab.ctl("reboot", data, "peers-down")
    wait_for("sessions dropped and back", lambda: lab.counter("reconnects") >= 1)
    for element in lab.elements:
        if element != "fbf-02":
            lab.element_up(element)


@case("reboot, ephemeral data lost: the base at once, the overrides back without an operator")
def _():
    with sim() as lab:
        lab.element_down("fbf-02")
        moved(lab)
        lab.settle()
        before = lab.layout_ids()
        reboot(lab, "empty")
        moved(lab)
        lab.settle()
        expect("layout-ids", lab.layout_ids(), before)


@case("reboot with old data kept: read back, no commit that is not needed")
def _():
    with sim() as lab:
        lab.element_down("fbf-02")
        moved(lab)
        lab.settle()
        commits = lab.commits()
        reboot(lab, "keep")
        lab.settle()
        moved(lab)
        expect("commits", lab.commits(), commits)


@case("boot storm: all sessions young, nobody moves")
def _():
    with sim() as lab:
        ids = lab.layout_ids()
        lab.ctl("reboot", "empty")
        wait_for("sessions dropped and back", lambda: lab.counter("reconnects") >= 1)
        lab.settle()
        expect("commits", lab.commits(), 0)
        expect("layout-ids", lab.layout_ids(), ids)
        for change in ("no -> router-restart", "router-restart -> no"):
            expect("'%s' is recorded for both families" % change, lab.cli("events").count(change), 2)
        timeline(lab)


@case("rpd off is no verdict: nothing moves")
def _():
    with sim() as lab:
        lab.ctl("rpd", "off")
        failures = lab.counter("poll-failures")
        polls = lab.counter("polls")
        wait_for("three more polls", lambda: lab.counter("polls") >= polls + 3)
        expect("commits", lab.commits(), 0)
        lab.ctl("rpd", "on")
        lab.settle()
        expect("commits", lab.commits(), 0)
        lab.element_down("fbf-02")
        moved(lab)


@case("everybody down at once: frozen, nothing is written")
def _():
    with sim() as lab:
        for element in lab.elements:
            lab.element_down(element)
        wait_for("frozen", lambda: lab.group_family("ipv4")["freeze"] != "no")
        polls = lab.counter("polls")
        wait_for("three more polls", lambda: lab.counter("polls") >= polls + 3)
        owned = lab.effective()
        expect("all units still have an owner", [sum(c.values()) for c in owned.values()], [1024, 1024])
        for element in lab.elements:
            lab.element_up(element)
        lab.wait_effective([256] * 4)
        timeline(lab)


@case("a real mass event (two of three) is acted on after two looks")
def _():
    with sim(overrides={"group/mass-event-share": 40}) as lab:
        lab.element_down("fbf-02")
        lab.element_down("fbf-03")
        lab.wait_effective([512, 0, 0, 512])
        lab.settle()
        timeline(lab)


for kind in ("garbage", "dtd", "half", "silent", "big"):
    @case("the router answers %s: session dropped, reconnect, right in the end" % kind)
    def _(kind=kind):
        words = ["fault", "open", kind] + (["number", "80"] if kind == "big" else [])
        with sim(overrides={"router/reply-timeout": 1000}) as lab:
            lab.ctl(*words)
            lab.element_down("fbf-02")
            moved(lab)
            lab.settle()
            expect("commits", lab.commits(), 1)


@case("the router is slow: one commit, late")
def _():
    with sim() as lab:
        lab.ctl("fault", "commit", "slow", "number", "1500")
        lab.element_down("fbf-02")
        moved(lab)
        lab.settle()
        expect("commits", lab.commits(), 1)


@case("an operator's static commit with another base is read at once")
def _():
    with sim(overrides={"audit-interval": 600000}) as lab:
        tree = xml.etree.ElementTree.parse(lab.dir / "static.xml")
        lists = {node.findtext("{*}name"): node for node in tree.iterfind(".//{*}prefix-list")
                 if node.find("{*}prefix-list-item") is not None}
        item = lists["fbf-01-base-v4"].find("{*}prefix-list-item")
        lists["fbf-01-base-v4"].remove(item)
        lists["fbf-02-base-v4"].append(item)  # by hand, to the wrong element
        changed = lab.dir / "changed.xml"
        tree.write(changed)
        lab.ctl("static", "set", changed)
        wait_for("an override for the unit that went astray", lambda: lab.commits() == 1)
        lab.settle()
        lab.wait_effective([256] * 4)


lib.end()
