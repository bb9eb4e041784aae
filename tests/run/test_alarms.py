#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Alarms on the simulator: raised and cleared, told to subscribers, shown, and never against the status."""
import contextlib
import datetime
import json
import re
import socket
import xml.etree.ElementTree as ElementTree

from ncclient import manager
from ncclient.xml_ import to_ele

import lib
from lib import case, expect, moment, records, sim, timeline, wait_for

NETCONF = "urn:ietf:params:xml:ns:netconf:base:1.0"
OURS = "{urn:autofbf:yang:autofbf}"
NOTIFICATION = "{urn:ietf:params:xml:ns:netconf:notification:1.0}notification"
LOAD = """<load-configuration action="merge" format="xml"><configuration><policy-options><prefix-list>
<name>%s</name><prefix-list-item%s><name>%s</name></prefix-list-item></prefix-list></policy-options>
</configuration></load-configuration>"""


class Subscriber:
    """A NETCONF client of its own on the agent's socket: the notifications about alarms, as they come."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(lib.labkit.DEADLINE)
        self.socket.connect(str(path))
        self.buffer = b""
        self._send('<hello xmlns="%s"><capabilities><capability>urn:ietf:params:netconf:base:1.0</capability>'
                   "</capabilities></hello>" % NETCONF)
        self._read()
        self._send('<rpc message-id="1" xmlns="%s"><create-subscription '
                   'xmlns="urn:ietf:params:xml:ns:netconf:notification:1.0"/></rpc>' % NETCONF)
        expect("subscribed", self._read().find("{%s}ok" % NETCONF) is not None, True)

    def _send(self, text):
        self.socket.sendall(text.encode() + b"]]>]]>")

    def _read(self):
        while b"]]>]]>" not in self.buffer:
            piece = self.socket.recv(65536)
            if not piece:
                raise lib.Failed("the agent closed the subscription")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"]]>]]>", 1)
        return ElementTree.fromstring(text)

    def next(self):
        """(name of the notification, {leaf: text}) of the next one about an alarm."""
        while True:
            message = self._read()
            if message.tag != NOTIFICATION:
                continue
            body = message[1]
            name = body.tag.replace(OURS, "")
            if name.startswith("alarm-"):
                return name, {leaf.tag.replace(OURS, ""): leaf.text for leaf in body}

    def close(self):
        self.socket.close()


@contextlib.contextmanager
def other_writer(lab):
    """A function that puts an item into a list of the instance, or takes it out."""
    with manager.connect(host="127.0.0.1", port=lab.ports["ssh"], username="other", hostkey_verify=False,
                         key_filename=str(lab.dir / "user"), device_params={"name": "junos"},
                         allow_agent=False, look_for_keys=False) as session:
        def write(name, prefix, delete=False):
            for rpc in ("<open-configuration><ephemeral-instance>autofbf</ephemeral-instance></open-configuration>",
                        LOAD % (name, ' delete="delete"' if delete else "", prefix),
                        "<commit-configuration/>", "<close-configuration/>"):
                session.rpc(to_ele(rpc))
        yield write


def alarms(lab, *names):
    """{(type, key): alarm}, by the CLI; what is critical is never shown with severity ok."""
    status = lab.status()
    if any(a["severity"] == "critical" for a in status.get("alarm", ())):
        expect("severity with a critical alarm is ok", status["severity"] == "ok", False)
    tree = json.loads(lab.cli("alarms", *names, "--json"))["autofbf:state"]
    return {(a["type"], a["key"]): a for a in tree.get("alarm", ())}


def types(lab, *names):
    return sorted(t for t, _ in alarms(lab, *names))


def raised(lab, kind, key, severity):
    return wait_for("%s %s %s" % (severity, kind, key),
                    lambda: (a := alarms(lab).get((kind, key))) and a["severity"] == severity and a)


def cleared(lab, kind, key):
    wait_for("%s %s is cleared" % (kind, key), lambda: (kind, key) not in alarms(lab))


def told(lab):
    """Texts of the records of kind alarm."""
    return [row["text"] for row in records(lab) if row["kind"] == "alarm"]


@case("an element that dies and returns: raised, told with all fields, shown, cleared")
def _():
    with sim() as lab:
        expect("none at rest", alarms(lab), {})
        expect("says so", lab.cli("alarms"), "no alarms\n")
        expect("nothing to check", lab.cli("alarms", "--check"), "OK - no alarms\n")
        for command in ("alarms", "status"):
            lab.cli(command, "--check", "--json", code=0)
        subscriber = Subscriber(lab.socket)
        lab.element_down("fbf-02")
        alarm = raised(lab, "element-down", "cgn/fbf-02", "major")
        name, fields = subscriber.next()
        expect("notification", name, "alarm-raised")
        for leaf in ("type", "key", "severity", "since", "remedy", "group", "element"):
            expect(leaf, fields[leaf], alarm[leaf])
        expect("cause", "ipv4: " in fields["cause"] and "bfd" in fields["cause"], True)
        expect("names in the remedy", "autofbf events fbf-02" in alarm["remedy"], True)
        lab.wait_effective([None, 0, None, None])
        expect("of the element", types(lab, "fbf-02"), ["element-down"])
        expect("of another", types(lab, "fbf-01"), [])
        expect("in the status", "MAJ element-down cgn/fbf-02" in lab.cli("status"), True)
        expect("in the table", "do: autofbf events fbf-02" in lab.cli("alarms"), True)
        expect("check", lab.cli("alarms", "--check", code=1).startswith("ALARMS 1 major - element-down cgn/fbf-02"), True)
        for command in ("alarms", "status"):
            lab.cli(command, "--check", "--json", code=1)
        lab.cli("alarms", "nobody", code=2)
        lab.element_up("fbf-02")
        cleared(lab, "element-down", "cgn/fbf-02")
        name, fields = subscriber.next()
        expect("notification", name, "alarm-cleared")
        expect("the same", (fields["type"], fields["key"], fields["since"]),
               (alarm["type"], alarm["key"], alarm["since"]))
        expect("cleared after it began", moment(fields["cleared"]) > moment(fields["since"]), True)
        subscriber.close()
        lab.settle()
        expect("recorded", [text.split(":")[0] for text in told(lab)],
               ["major element-down cgn/fbf-02", "cleared element-down cgn/fbf-02"])
        commit = next(row for row in records(lab) if row["kind"] == "commit")
        alarm = next(row for row in records(lab) if row["kind"] == "alarm")
        expect("the router was asked before", moment(commit["open-sent"]) < moment(alarm["when"]), True)
        expect("as events", lab.cli("events", "--kind", "alarm").count("element-down"), 2)
        expect("of the group", lab.cli("events", "--group", "cgn", "--kind", "alarm").count("element-down"), 2)
        expect("in the log", "warn  alarm: AUTOFBF_ALARM: fbf-02: major" in (lab.dir / "agent.log").read_text(), True)


@case("a commit that is not confirmed: major, then critical; the dead element owns units meanwhile")
def _():
    with sim() as lab:
        subscriber = Subscriber(lab.socket)
        lab.ctl("fault", "commit", "pause-before")
        lab.element_down("fbf-03")
        raised(lab, "commit-pending", "router", "major")
        raised(lab, "down-element-owns-units", "cgn/fbf-03", "critical")
        alarm = raised(lab, "commit-pending", "router", "critical")
        expect("cause", "stage committing, cause: fbf-03 down" in alarm["cause"], True)
        expect("check", lab.cli("alarms", "--check", code=2).startswith("ALARMS 2 critical, 1 major - "), True)
        for command in ("alarms", "status"):
            lab.cli(command, "--check", code=2)
            expect("a slip is not critical", "no group or element 'cng'" in lab.cli(command, "cng", "--check", code=3), True)
        for command, part in (("alarms", "alarm"), ("status", "router")):
            tree = json.loads(lab.cli(command, "--check", "--json", code=2))["autofbf:state"]
            expect("%s --check --json prints JSON" % command, part in tree, True)
        lab.ctl("resume")
        lab.settle()
        cleared(lab, "commit-pending", "router")
        cleared(lab, "down-element-owns-units", "cgn/fbf-03")
        seen = [(name, fields["type"], fields["severity"]) for name, fields in (subscriber.next() for _ in range(6))]
        expect("the step was told, too", [s for s in seen if s[1] == "commit-pending"],
               [("alarm-raised", "commit-pending", "major"), ("alarm-raised", "commit-pending", "critical"),
                ("alarm-cleared", "commit-pending", "critical")])
        subscriber.close()
        timeline(lab)


@case("edits that the router refuses, and a full database, until the next commit")
def _():
    with sim() as lab:
        lab.ctl("fault", "load", "error", "text", "statement creation failed")
        lab.element_down("fbf-01")
        alarm = raised(lab, "commit-failed", "router", "critical")
        expect("cause", "statement creation failed" in alarm["cause"], True)
        lab.element_down("fbf-02")  # another wish: tried again
        cleared(lab, "commit-failed", "router")
        lab.settle()
        lab.ctl("fault", "load", "full")
        lab.element_up("fbf-01")
        raised(lab, "database-full", "router", "critical")
        lab.cli("audit", "now")
        cleared(lab, "database-full", "router")
        lab.settle()


@case("edits that the router refused, or had no room for, and that nobody wants any more: forgotten")
def _():
    for kind, alarm, words in (("full", "database-full", "the router's ephemeral database is full"),
                               ("error", "commit-failed", "the router refused the edits")):
        with sim() as lab:
            lab.element_down("fbf-01")
            lab.wait_effective([0, None, None, None])
            lab.ctl("fault", "load", kind)
            lab.element_up("fbf-01")
            raised(lab, alarm, "router", "critical")
            expect("on the screen", words in lab.cli("status"), True)
            lab.element_down("fbf-01")
            wait_for("as the router has it", lambda: not any(
                lab.family_of("fbf-01", family)["wanted-units"] for family in ("ipv4", "ipv6")))
            lab.cli("audit", "now")
            cleared(lab, alarm, "router")
            expect("still on the screen", words in lab.cli("status"), False)


@case("nobody left, and fewer than min-alive: critical, per family, until they are back")
def _():
    signal = {family: {"min-alive": 2, "failed-route": route}
              for family, route in (("ipv4", "192.0.2.128/32"), ("ipv6", "2001:db8:5::1/128"))}
    with sim(overrides={"group/signal": {"revert-hold": 1, **signal}, "group/mass-event-share": 100}) as lab:
        for element in ("fbf-01", "fbf-02", "fbf-03"):
            lab.element_down(element)
        alarm = raised(lab, "below-min-alive", "cgn/ipv6", "critical")
        expect("family", (alarm["group"], alarm["family"], "element" in alarm), ("cgn", "ipv6", False))
        wait_for("the route", lambda: "192.0.2.128/32 installed" in
                 alarms(lab)["below-min-alive", "cgn/ipv4"]["cause"])
        lab.element_down("fbf-04")
        alarm = raised(lab, "guard-engaged", "cgn/ipv4", "critical")
        expect("cause", alarm["cause"].startswith("nobody-left: "), True)
        expect("remedy", "autofbf thaw cgn" in alarm["remedy"], True)
        raised(lab, "down-element-owns-units", "cgn/fbf-04", "critical")
        expect("the screen has the worst three", re.search(r"\n +and \d+ more: autofbf alarms\n", lab.cli("status")) is not None, True)
        lab.ctl("peer", "up", "all")
        lab.settle()
        wait_for("all cleared", lambda: not alarms(lab))
        expect("check", lab.cli("alarms", "--check"), "OK - no alarms\n")


@case("drift that an audit had repaired; a storm of it is suppressed and counted")
def _():
    with sim(overrides={"audit-interval": 60000}) as lab, other_writer(lab) as write:
        for _ in range(6):  # twelve edges
            write("fbf-01-ovr-v4", "10.64.128.0/26")
            lab.cli("audit", "now")
            raised(lab, "drift-repaired", "router", "major")
            lab.settle()
            lab.cli("audit", "now")
            cleared(lab, "drift-repaired", "router")
        expect("told", len(told(lab)), 10)
        expect("suppressed", lab.status()["alarms-suppressed"], "2")
        expect("the table says so", "2 changes were not told" in " ".join(lab.cli("alarms").split()), True)


@case("two writers: an alarm about the list, until the operator's word")
def _():
    with sim(overrides={"audit-interval": 2000}) as lab, other_writer(lab) as write:
        for _ in range(3):
            commits = lab.commits()
            write("fbf-02-ovr-v4", "10.64.128.64/26")
            wait_for("repaired or left", lambda c=commits: lab.commits() == c + 2 or lab.status()["audit"].get("two-writers"))
        raised(lab, "two-writers", "fbf-02-ovr-v4", "major")
        lab.cli("audit", "now")
        cleared(lab, "two-writers", "fbf-02-ovr-v4")
        lab.settle()


@case("a NAT pool that is missing, and one that another element has")
def _():
    with sim(profile="cgn-dual-stack.json") as lab:
        _, own, pool = lab.pool_routes("fbf-01")[0]
        _, other, _ = lab.pool_routes("fbf-02")[0]
        lab.ctl("route", own, pool, "down")
        alarm = raised(lab, "nat-pool-missing", "cgn/fbf-01/ipv4/public", "major")
        expect("the pool", pool + ": no route outside" in alarm["cause"], True)
        lab.ctl("route", other, pool, "up")
        alarm = raised(lab, "nat-pool-stolen", "cgn/fbf-01/ipv4/public", "major")
        expect("by whom", "%s leads to %s, of fbf-02" % (pool, other) in alarm["cause"], True)
        cleared(lab, "nat-pool-missing", "cgn/fbf-01/ipv4/public")
        lab.ctl("route", other, pool, "down")
        lab.ctl("route", own, pool, "up")
        cleared(lab, "nat-pool-stolen", "cgn/fbf-01/ipv4/public")
        wait_for("and the element is back", lambda: not alarms(lab))
        lab.settle()


@case("two NAT pools of an element are two alarms")
def _():
    with sim(profile="cgn-dual-stack.json") as lab:
        for _, own, pool in lab.pool_routes("fbf-04"):
            lab.ctl("route", own, pool, "down")
        for name in ("first", "second"):
            alarm = raised(lab, "nat-pool-missing", "cgn/fbf-04/ipv4/" + name, "major")
            expect("its pool", "pool %s " % name in alarm["cause"], True)


@case("a router that does not answer: blind, minor after 10 s; an order that was forgotten outlives restarts")
def _():
    with sim() as lab:
        lab.cli("element", "offline", "fbf-04", "--reason", "line card", "--yes")
        lab.wait_effective([None, None, None, 0])
        expect("work is no alarm", alarms(lab), {})
        lab.stop("agent")
        path = lab.dir / "state" / "state.json"
        long_ago = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=9)
        path.write_text(re.sub(r"20\d\d-[^\"]*Z", long_ago.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), path.read_text()))
        lab.start_agent()
        lab.settle()
        alarm = raised(lab, "forced-long", "cgn/fbf-04", "minor")
        expect("since it was said", abs((moment(alarm["since"]) - long_ago).total_seconds()) < 1, True)
        expect("by whom and why", alarm["cause"].endswith("line card") and alarm["cause"].startswith("by "), True)
        lab.stop("router")
        alarm = raised(lab, "agent-blind", "router", "minor")
        expect("cause", "both sessions are lost" in alarm["cause"], True)
        lab.cli("status", "--check", code=2)
        lab.start_router()
        cleared(lab, "agent-blind", "router")
        lab.cli("element", "online", "fbf-04", "--yes")
        cleared(lab, "forced-long", "cgn/fbf-04")
        lab.settle()


lib.end()
