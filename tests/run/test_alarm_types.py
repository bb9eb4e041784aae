#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each type of alarm that takes its time, raised and cleared through the agent, in a time that is put forward."""
import json
import re

import lib
from lib import Ahead, case, expect, records, sim, wait_for


def alarms(lab):
    tree = json.loads(lab.cli("alarms", "--json"))["autofbf:state"]
    return {(a["type"], a["key"]): a for a in tree.get("alarm", ())}


def raised(lab, kind, key, severity):
    return wait_for("%s %s %s" % (severity, kind, key),
                    lambda: (a := alarms(lab).get((kind, key))) and a["severity"] == severity and a)


def standing(lab, kind, key):
    expect("%s %s stands" % (kind, key), (kind, key) in alarms(lab), True)


def cleared(lab, kind, key):
    wait_for("%s %s is cleared" % (kind, key), lambda: (kind, key) not in alarms(lab))


def absent(lab, kind, key):
    expect("%s %s before its time" % (kind, key), (kind, key) in alarms(lab), False)


def told(lab, kind, key):
    """What was recorded of it, in order."""
    return [row["text"] for row in records(lab) if row["kind"] == "alarm" and " %s %s: " % (kind, key) in row["text"]]


def interfaces(lab, element):
    entry = next(e for e in lab.status()["group"][0]["element"] if e["id"] == element)
    return len(entry["load"]) == 2 and [load["interface"][0] for load in entry["load"]]


def send(lab, element, rate, back=None):
    """Packets a second into the element on both sides, and out of it (default: as many)."""
    for name in wait_for("the interfaces of " + element, lambda: interfaces(lab, element)):
        lab.ctl("traffic", "out", name, "rate", rate)
        lab.ctl("traffic", "in", name, "rate", rate if back is None else back)


def steer(lab, element, rate):
    """Packets a second of IPv4 by the filters' terms."""
    for side in ("inside", "outside"):
        lab.ctl("traffic", "term", "cgn-%s-v4" % side, element + "-base", "rate", rate)


def with_capacity(group):
    group["capacity"] = {"label": "Gbps", "unit-load": "0.1"}
    for element in group["element"]:
        element["capacity"] = "80.0"


@case("capacity-near and capacity-exceeded: by units, and not before the load was down for two readings")
def _():
    with sim(kind=Ahead, change=with_capacity) as lab:
        expect("at rest", alarms(lab), {})
        lab.element_down("fbf-01")
        alarm = raised(lab, "capacity-near", "cgn/fbf-02", "major")
        expect("figures", alarm["cause"], "68.2 of 80.0 Gbps")
        absent(lab, "capacity-exceeded", "cgn/fbf-02")
        lab.element_down("fbf-04")
        alarm = raised(lab, "capacity-exceeded", "cgn/fbf-02", "critical")
        expect("figures", alarm["cause"], "102.4 of 80.0 Gbps")
        for command in (("alarms",), ("status",), ("status", "cgn")):
            lab.cli(*command, "--check", code=2)
        lab.element_up("fbf-01")
        lab.element_up("fbf-04")
        lab.advance(10)
        lab.wait_effective([256] * 4)
        standing(lab, "capacity-exceeded", "cgn/fbf-02")
        expect("critical by the alarm alone", "alarm capacity-exceeded cgn/fbf-02" in
               lab.cli("status", "cgn", "--check", code=2), True)
        lab.advance(30)
        cleared(lab, "capacity-exceeded", "cgn/fbf-02")
        cleared(lab, "capacity-near", "cgn/fbf-02")


@case("slow-bfd: what the router says is configured, or the profile, and only when it lasts")
def _():
    with sim(kind=Ahead) as lab:
        peer = lab.peers_of("fbf-03")[0]
        lab.ctl("peer", "bfd-adapt", peer)
        lab.advance(30)
        absent(lab, "slow-bfd", "cgn/fbf-03/ipv4")
        lab.advance(50)
        alarm = raised(lab, "slow-bfd", "cgn/fbf-03/ipv4", "minor")
        expect("cause", alarm["cause"], "inside side: 2700 ms, configured 900")
        sessions = lab.cli("sessions", "fbf-03")
        expect("both times", ("2700/900ms SLOW" in sessions, "900/900ms" in sessions), (True, True))
        expect("on the screen", "detects in 2700 ms, SLOW: configured 900 ms" in
               " ".join(lab.cli("status", "fbf-03").split()), True)
        lab.ctl("peer", "bfd-clear", peer)
        lab.advance(10)
        standing(lab, "slow-bfd", "cgn/fbf-03/ipv4")
        lab.advance(30)
        cleared(lab, "slow-bfd", "cgn/fbf-03/ipv4")
    with sim(kind=Ahead, overrides={"group/bfd-detection-time": 300}) as lab:
        lab.advance(80)
        expect("all are slow by the profile", sorted(alarms(lab)), sorted(
            ("slow-bfd", "cgn/%s/%s" % (e, f)) for e in lab.elements for f in ("ipv4", "ipv6")))


def with_required_routes(group):
    for element in group["element"]:
        element["ipv4"]["outside"]["required-routes"] = 1


@case("few-routes: an element in service without its required routes; one that is kept out is down for that reason")
def _():
    with sim(kind=Ahead, change=with_required_routes, overrides={"group/hold-down": 60}) as lab:
        peer = lab.peers_of("fbf-02", families=("ipv4",))[1]
        lab.ctl("peer", "routes-lost", peer)
        wait_for("too few are seen", lambda: "FEW" in lab.cli("sessions", "fbf-02"))
        absent(lab, "few-routes", "cgn/fbf-02/ipv4")
        lab.advance(20)
        alarm = raised(lab, "few-routes", "cgn/fbf-02/ipv4", "major")
        expect("cause", alarm["cause"], "outside %s: 0 of 1 routes" % peer)
        expect("the only one", len(alarms(lab)), 1)
        lab.wait_effective([256] * 4)
        lab.ctl("peer", "routes-back", peer)
        lab.advance(10)
        standing(lab, "few-routes", "cgn/fbf-02/ipv4")
        lab.advance(30)
        cleared(lab, "few-routes", "cgn/fbf-02/ipv4")
        lab.ctl("peer", "routes-lost", "all")
        lab.advance(20)
        for element in lab.elements:
            raised(lab, "few-routes", "cgn/%s/ipv4" % element, "major")
        lab.cli("element", "offline", "fbf-02", "--yes")
        lab.advance(30)
        cleared(lab, "few-routes", "cgn/fbf-02/ipv4")
        lab.cli("element", "online", "fbf-02", "--yes")
        lab.ctl("peer", "routes-back", "all")
        lab.advance(100)
        expect("all is well", alarms(lab), {})
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        lab.element_up("fbf-02")
        lab.ctl("peer", "routes-lost", peer)
        lab.advance(30)
        alarm = raised(lab, "element-down", "cgn/fbf-02", "major")
        expect("why it is out", "outside %s: 0 active routes, 1 required" % peer in alarm["cause"], True)
        absent(lab, "few-routes", "cgn/fbf-02/ipv4")
        lab.ctl("peer", "routes-back", peer)
        lab.advance(80)
        lab.wait_effective([256] * 4)


@case("unprotected-session: Established, and its BFD never came")
def _():
    with sim(kind=Ahead) as lab:
        peer = lab.peers_of("fbf-02")[1]
        lab.stop("agent")
        lab.ctl("peer", "bfd-down", peer)
        lab.start_agent()
        lab.settle()
        lab.advance(50)
        absent(lab, "unprotected-session", "cgn/fbf-02/ipv4")
        lab.advance(20)
        alarm = raised(lab, "unprotected-session", "cgn/fbf-02/ipv4", "minor")
        expect("cause", alarm["cause"], "outside side: BGP up, BFD never was")
        lab.ctl("peer", "bfd-up", peer)
        cleared(lab, "unprotected-session", "cgn/fbf-02/ipv4")


@case("damped: three falls, and until the element serves again")
def _():
    with sim(kind=Ahead) as lab:
        for number in range(3):
            lab.element_down("fbf-04")
            lab.wait_effective([None, None, None, 0])
            absent(lab, "damped", "cgn/fbf-04")
            lab.element_up("fbf-04")
            if number < 2:
                lab.wait_effective([256] * 4)
                lab.jump(6)  # steady: not one failure with the next
        alarm = raised(lab, "damped", "cgn/fbf-04", "major")
        expect("cause", alarm["cause"], "ipv4: 3 falls; ipv6: 3 falls")
        lab.advance(70)
        lab.wait_effective([256] * 4)
        lab.advance(70)
        cleared(lab, "damped", "cgn/fbf-04")


@case("long-hold-down: kept out for more than ten minutes")
def _():
    with sim(kind=Ahead, step=60, overrides={"group/hold-down": 1200}) as lab:
        lab.element_down("fbf-01")
        lab.wait_effective([0, None, None, None])
        lab.element_up("fbf-01")
        lab.advance(540)
        absent(lab, "long-hold-down", "cgn/fbf-01")
        lab.advance(120)
        alarm = raised(lab, "long-hold-down", "cgn/fbf-01", "minor")
        expect("families", "ipv4: " in alarm["cause"] and "ipv6: " in alarm["cause"], True)
        lab.advance(600)
        lab.wait_effective([256] * 4)
        cleared(lab, "long-hold-down", "cgn/fbf-01")


@case("frozen-long, altered-long and forced-long: orders that were forgotten")
def _():
    signal = {family: {"alter-route": route} for family, route in
              (("ipv4", "192.0.2.129/32"), ("ipv6", "2001:db8:5::2/128"))}
    with sim(kind=Ahead, step=1800, overrides={"group/signal": signal}) as lab:
        lab.cli("element", "offline", "fbf-04", "--yes")
        lab.cli("path", "alter", "on", "cgn", "--reason", "works on the ring", "--yes")
        lab.settle()
        lab.cli("freeze", "cgn", "--reason", "audit")
        lab.advance(1800)
        expect("in the first hour", alarms(lab), {})
        lab.advance(3600)
        alarm = raised(lab, "frozen-long", "cgn", "minor")
        expect("by whom and why", alarm["cause"].startswith("by ") and alarm["cause"].endswith(": audit"), True)
        lab.cli("thaw", "cgn")
        cleared(lab, "frozen-long", "cgn")
        lab.advance(6 * 3600)
        absent(lab, "forced-long", "cgn/fbf-04")
        lab.advance(3600)
        raised(lab, "forced-long", "cgn/fbf-04", "minor")
        lab.cli("element", "online", "fbf-04", "--yes")
        cleared(lab, "forced-long", "cgn/fbf-04")
        absent(lab, "altered-long", "cgn")
        lab.advance(16 * 3600)
        alarm = raised(lab, "altered-long", "cgn", "minor")
        expect("why", alarm["cause"].endswith(": works on the ring"), True)
        lab.cli("path", "alter", "off", "cgn", "--yes")
        cleared(lab, "altered-long", "cgn")
        lab.settle()


@case("source-stale: polls without an answer, BMP that is not connected")
def _():
    with sim(kind=Ahead) as lab:
        lab.ctl("bmp", "off")
        wait_for("BMP is gone", lambda: not lab.status()["source"][0]["connected"])
        lab.jump(10)  # of the 30; a slow machine may need some itself
        absent(lab, "source-stale", "bmp")
        lab.jump(30)
        alarm = raised(lab, "source-stale", "bmp", "minor")
        expect("cause", alarm["cause"], "the router's BMP is not connected")
        lab.ctl("bmp", "on")
        cleared(lab, "source-stale", "bmp")
        lab.ctl("rpd", "off")
        lab.jump(10)
        absent(lab, "source-stale", "poll")
        lab.jump(30)
        alarm = raised(lab, "source-stale", "poll", "minor")
        expect("cause", alarm["cause"].startswith("no usable answer for "), True)
        lab.ctl("rpd", "on")
        lab.jump(10)
        cleared(lab, "source-stale", "poll")


@case("no verdict on anybody is not ok, at once, although nothing moves")
def _():
    with sim(kind=Ahead, overrides={"bmp/enabled": False}) as lab:
        lab.advance(60)
        lab.cli("status", "--check", code=0)
        lab.ctl("rpd", "off")
        lab.jump(10)
        wait_for("degraded", lambda: lab.status()["severity"] == "degraded")
        expect("carried", "carry all 1024+1024 units, nothing moved, no verdict on 4 in service" in
               lab.cli("status", "--check", code=1), True)
        lab.jump(40)
        screen = " ".join(lab.cli("status").split())
        expect("blind", "BLIND: no source has a verdict on 4 elements" in screen, True)
        expect("poll", re.search("poll FAILING for [0-9]", screen) is not None, True)
        expect("next", "cgn needs you: is rpd running" in screen, True)
        expect("errors", int(lab.status()["source"][2]["errors"]) > 0, True)
        lab.ctl("rpd", "on")
        lab.jump(10)
        wait_for("ok", lambda: lab.status()["severity"] == "ok")


def with_spare(group):
    """A fifth element, of which the router knows nothing."""
    group["element"].append({"id": "fbf-05", "weight": [{"epoch": 1, "weight": 0}],
                             "ipv4": {"inside": {"peer": "10.1.5.2"}, "outside": {"peer": "10.2.5.2"}}})


@case("element-down: a spare that never had a session, once startup-wait is over")
def _():
    with sim(kind=Ahead, overrides={"group/startup-wait": 30}) as lab:
        tree = json.loads(lab.profile.read_text())
        with_spare(tree["autofbf:profile"]["group"][0])
        other = lab.dir / "other.json"
        other.write_text(json.dumps(tree))
        lab.cli("profile", "apply", other, "--yes")
        wait_for("the spare", lambda: len(lab.status()["group"][0]["element"]) == 5)
        lab.advance(10)
        absent(lab, "element-down", "cgn/fbf-05")
        lab.advance(30)
        alarm = raised(lab, "element-down", "cgn/fbf-05", "major")
        expect("cause", alarm["cause"], "ipv4: no source has a verdict yet")
        expect("next", "fbf-05 is out of service and needs you: no source has a verdict yet; autofbf sessions fbf-05" in
               " ".join(lab.cli("status").split()), True)


def blind_polls(lab):
    return next(int(source["errors"]) for source in lab.status()["source"] if source["name"] == "poll")


@case("element-down: not of a spare while nobody can be asked, however long that takes")
def _():
    with sim(kind=Ahead, change=with_spare, overrides={"group/startup-wait": 30}) as lab:
        lab.ctl("fault", "show", "error", "text", "rpd is not running", "always")
        lab.stop("agent")
        lab.start_agent()
        wait_for("the lists", lambda: lab.status()["router"]["lists-known"])
        blind = blind_polls(lab)
        lab.jump(60)
        wait_for("a poll without a verdict", lambda: blind_polls(lab) > blind)
        absent(lab, "element-down", "cgn/fbf-05")
        lab.ctl("fault", "clear")
        lab.advance(60)
        expect("told", told(lab, "element-down", "cgn/fbf-05"), [])


@case("element-down: not of a spare before polls are answered, without startup-wait, after a start and an apply")
def _():
    with sim(change=with_spare, overrides={"group/startup-wait": 0}) as lab:
        lab.ctl("fault", "show", "pause-before")
        lab.restart_agent()
        absent(lab, "element-down", "cgn/fbf-05")
        lab.ctl("resume")
        tree = json.loads(lab.profile.read_text())
        spare = tree["autofbf:profile"]["group"][0]["element"].pop()
        wait_for("the spare", lambda: lab.family_of("fbf-05", "ipv4")["state"] == "up")
        other = lab.dir / "other.json"
        other.write_text(json.dumps(tree))
        lab.cli("profile", "apply", other, "--yes")
        wait_for("without it", lambda: len(lab.status()["group"][0]["element"]) == 4)
        lab.ctl("fault", "show", "pause-before")
        tree["autofbf:profile"]["group"][0]["element"].append(spare)
        other.write_text(json.dumps(tree))
        lab.cli("profile", "apply", other, "--yes")
        expect("its state", lab.family_of("fbf-05", "ipv4")["state"], "unknown")
        absent(lab, "element-down", "cgn/fbf-05")
        lab.ctl("resume")
        wait_for("the spare", lambda: lab.family_of("fbf-05", "ipv4")["state"] == "up")
        expect("told", told(lab, "element-down", "cgn/fbf-05"), [])


@case("source-stale: pool routes that cannot be read, also where BMP is no source")
def _():
    with sim(kind=Ahead, profile="cgn-dual-stack.json", overrides={"bmp/enabled": False}) as lab:
        lab.ctl("fault", "routes", "error", "text", "permission denied", "always")
        lab.advance(60)
        alarm = raised(lab, "source-stale", "nat-routes", "minor")
        expect("cause", alarm["cause"].endswith("in inet.0: permission denied"), True)
        lab.ctl("fault", "clear")
        lab.advance(20)
        cleared(lab, "source-stale", "nat-routes")


@case("source-stale: silence is no proof, a session that changed without a word is; the next word ends it")
def _():
    with sim(kind=Ahead) as lab:
        lab.advance(300)
        expect("a quiet network", alarms(lab), {})
        for source, silence, speak in (("syslog", ("syslog", "off"), ("syslog", "on")),
                                       ("bmp", ("bmp", "mute"), ("bmp", "restart"))):
            lab.ctl(*silence)
            lab.element_down("fbf-02")
            lab.advance(10)
            lab.wait_effective([None, 0, None, None])
            absent(lab, "source-stale", source)
            lab.advance(30)
            alarm = raised(lab, "source-stale", source, "minor")
            expect("cause", re.fullmatch(r"a session changed at \S+Z, and it has not said so", alarm["cause"]) is not None, True)
            expect("who", [key for kind, key in alarms(lab) if kind == "source-stale"], [source])
            lab.ctl(*speak)
            lab.element_up("fbf-02")
            cleared(lab, "source-stale", source)
            lab.advance(10)
            lab.wait_effective([256] * 4)
            lab.advance(60)
            expect("both speak", alarms(lab), {})


@case("source-stale: what changed while the router did not answer proves nothing")
def _():
    with sim(kind=Ahead) as lab:
        lab.advance(60)
        lab.ctl("syslog", "off")
        lab.ctl("rpd", "off")
        lab.jump(60)
        wait_for("no verdicts", lambda: ("source-stale", "poll") in alarms(lab))
        lab.ctl("rpd", "on", "peers-down")
        lab.jump(10)
        raised(lab, "element-down", "cgn/fbf-02", "major")
        lab.advance(60)
        expect("none", [key for kind, key in alarms(lab) if kind == "source-stale"], [])


@case("source-stale: nor does what changed while a single answer was missing")
def _():
    with sim(kind=Ahead) as lab:
        lab.advance(60)
        lab.ctl("syslog", "off")
        lab.ctl("rpd", "off")
        lab.ctl("drop", "all")
        wait_for("a new read session", lambda: [row for row in records(lab) if row["text"].startswith("read session up")][1:])
        lab.ctl("rpd", "on", "peers-down")
        lab.jump(10)
        raised(lab, "element-down", "cgn/fbf-02", "major")
        lab.advance(60)
        expect("none", [key for kind, key in alarms(lab) if kind == "source-stale"], [])


@case("source-stale: a receiver that came with another profile could not tell of what was before it")
def _():
    with sim(kind=Ahead, overrides={"syslog/enabled": False}) as lab:
        lab.advance(60)
        lab.element_down("fbf-02")
        lab.advance(60)
        tree = json.loads(lab.profile.read_text())
        tree["autofbf:profile"]["syslog"]["enabled"] = True
        other = lab.dir / "other.json"
        other.write_text(json.dumps(tree))
        lab.cli("profile", "apply", other, "--yes")
        lab.advance(60)
        expect("none", [key for kind, key in alarms(lab) if kind == "source-stale"], [])


@case("base-drift: another base on the router than the profile's")
def _():
    with sim(kind=Ahead, step=60) as lab:
        right = lab.dir / "static.xml"
        text = right.read_text()
        item = re.search(r"<name>fbf-01-base-v4</name>\s*(<prefix-list-item>\s*<name>[0-9./]+</name>\s*</prefix-list-item>)",
                         text)[1]
        wrong = lab.dir / "wrong.xml"  # the first unit of fbf-01 is fbf-02's
        wrong.write_text(text.replace(item, "", 1).replace("<name>fbf-02-base-v4</name>",
                                                           "<name>fbf-02-base-v4</name>" + item, 1))
        lab.ctl("static", "set", wrong)
        lab.advance(540)
        lab.settle()
        absent(lab, "base-drift", "cgn/ipv4")
        lab.advance(120)
        alarm = raised(lab, "base-drift", "cgn/ipv4", "minor")
        expect("cause", alarm["cause"], "1 of 1024 units have another owner in the static lists")
        lab.ctl("static", "set", right)
        cleared(lab, "base-drift", "cgn/ipv4")
        lab.settle()


@case("failed-route-missing: too few are left, and the commit with the route hangs")
def _():
    signal = {family: {"min-alive": 2, "failed-route": route} for family, route in
              (("ipv4", "192.0.2.128/32"), ("ipv6", "2001:db8:5::1/128"))}
    with sim(kind=Ahead, overrides={"group/signal": {"revert-hold": 1, **signal},
                                    "group/mass-event-share": 100}) as lab:
        lab.element_down("fbf-01")
        lab.element_down("fbf-02")
        lab.wait_effective([0, 0, None, None])
        lab.ctl("fault", "commit", "pause-before")
        lab.element_down("fbf-03")
        wait_for("it is wanted", lambda: ("below-min-alive", "cgn/ipv4") in alarms(lab))
        lab.jump(5)
        for family in ("ipv4", "ipv6"):
            alarm = raised(lab, "failed-route-missing", "cgn/" + family, "critical")
            expect("the route", alarm["cause"], signal[family]["failed-route"] + " is wanted and not installed")
        lab.ctl("resume")
        cleared(lab, "failed-route-missing", "cgn/ipv4")
        cleared(lab, "failed-route-missing", "cgn/ipv6")
        lab.ctl("peer", "up", "all")
        lab.advance(20)
        lab.settle()


@case("guard-engaged: a mass event until two reads confirm it, a router restart until the sessions are back")
def _():
    with sim(kind=Ahead) as lab:
        for element in ("fbf-01", "fbf-02", "fbf-03"):
            lab.element_down(element)
        edges = wait_for("the end of the freeze", lambda: (e := told(lab, "guard-engaged", "cgn/ipv4"))[1:] and e)
        expect("raised and cleared", [(edge.split(" ")[0], "mass-event: " in edge) for edge in edges],
               [("critical", True), ("cleared", True)])
        lab.ctl("peer", "up", "all")
        lab.advance(10)
        lab.wait_effective([256] * 4)
        lab.ctl("reboot", "keep", "peers-down")
        wait_for("a restart", lambda: alarms(lab)["guard-engaged", "cgn/ipv4"]["cause"].startswith("router-restart: "))
        lab.ctl("peer", "up", "all")
        cleared(lab, "guard-engaged", "cgn/ipv4")
        lab.settle()


@case("agent-blind: minor after ten seconds, critical after a minute")
def _():
    with sim(kind=Ahead) as lab:
        lab.stop("router")
        wait_for("blind", lambda: not lab.status()["router"]["read-session"])
        absent(lab, "agent-blind", "router")
        lab.jump(15)
        raised(lab, "agent-blind", "router", "minor")
        lab.jump(50)
        raised(lab, "agent-blind", "router", "critical")
        lab.start_router()
        cleared(lab, "agent-blind", "router")
        lab.settle()


@case("silent-element: two readings raise it, one good one does not clear it, two do")
def _():
    with sim(kind=Ahead) as lab:
        for element in lab.elements:
            send(lab, element, 3000)
        lab.advance(20)
        expect("nobody is silent", alarms(lab), {})
        send(lab, "fbf-03", 3000, back=0)
        lab.advance(40)
        raised(lab, "silent-element", "cgn/fbf-03", "major")
        send(lab, "fbf-03", 3000)
        lab.advance(20)
        standing(lab, "silent-element", "cgn/fbf-03")
        lab.advance(30)
        cleared(lab, "silent-element", "cgn/fbf-03")


@case("drained-still-carrying: no units for a minute, and more than one per cent of the packets")
def _():
    with sim(kind=Ahead) as lab:
        for element in lab.elements:
            send(lab, element, 3000)
        lab.advance(20)
        lab.cli("element", "offline", "fbf-04", "--yes")
        lab.wait_effective([None, None, None, 0])
        send(lab, "fbf-04", 400)
        lab.advance(40)
        absent(lab, "drained-still-carrying", "cgn/fbf-04")
        lab.advance(50)
        alarm = raised(lab, "drained-still-carrying", "cgn/fbf-04", "major")
        expect("cause", alarm["cause"].startswith("it owns no units, and "), True)
        send(lab, "fbf-04", 0)
        lab.advance(20)
        standing(lab, "drained-still-carrying", "cgn/fbf-04")
        lab.advance(40)
        cleared(lab, "drained-still-carrying", "cgn/fbf-04")


@case("share-off: more than 30 per cent off for five minutes, until it was right for one")
def _():
    with sim(kind=Ahead) as lab:
        for element in lab.elements:
            steer(lab, element, 8000 if element == "fbf-02" else 4000)
        lab.advance(270)
        absent(lab, "share-off", "cgn/fbf-02/ipv4")
        lab.advance(60)
        alarm = raised(lab, "share-off", "cgn/fbf-02/ipv4", "minor")
        expect("figures", re.fullmatch(r"(39|40)\.\d % of the steered packets, 25\.0 % of the units", alarm["cause"])
               is not None, True)
        steer(lab, "fbf-02", 4000)
        lab.advance(60)
        standing(lab, "share-off", "cgn/fbf-02/ipv4")
        lab.advance(40)
        cleared(lab, "share-off", "cgn/fbf-02/ipv4")


@case("unlisted-subscribers: dropped for a minute, per family, until nobody tries any more")
def _():
    with sim(kind=Ahead) as lab:
        lab.advance(20)
        lab.ctl("traffic", "term", "cgn-inside-v6", "cgn-subscribers", "rate", 50)
        lab.advance(40)
        absent(lab, "unlisted-subscribers", "cgn/ipv6")
        lab.advance(50)
        raised(lab, "unlisted-subscribers", "cgn/ipv6", "major")
        absent(lab, "unlisted-subscribers", "cgn/ipv4")
        lab.ctl("traffic", "term", "cgn-inside-v6", "cgn-subscribers", "rate", 0)
        lab.advance(120)
        cleared(lab, "unlisted-subscribers", "cgn/ipv6")


lib.end()
