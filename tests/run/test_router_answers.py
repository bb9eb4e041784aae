#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""labrouter's operational answers about what elements announce, asked by ncclient: no agent here."""
import contextlib
import logging
from xml.etree import ElementTree

import lib
from lib import expect

try:
    from ncclient import manager
    from ncclient.operations import RPCError
    from ncclient.transport.errors import TransportError
except ImportError:
    print("ok labrouter's answers # SKIP python3-ncclient is not installed")
    lib.end()

logging.disable(logging.CRITICAL)


@contextlib.contextmanager
def router(profile):
    """labrouter alone; yields the lab and a function that asks it and returns the answer's element."""
    lab = lib.labkit.Sim(lib.BUILD, profile=profile)
    try:
        lab.start_router()
        session = manager.connect(host="127.0.0.1", port=lab.ports["ssh"], username="lab", hostkey_verify=False,
                                  allow_agent=False, look_for_keys=False, timeout=lib.labkit.DEADLINE,
                                  key_filename=str(lab.dir / "user"), device_params={"name": "junos"})
        yield lab, lambda request: strip(ElementTree.fromstring(str(session.rpc(request))))[0]
        with contextlib.suppress(TransportError):  # a case may have ended it by a reboot
            session.close_session()
        lab.check_invariants()
    finally:
        lab.close()


def strip(root):
    """Without namespaces."""
    for node in root.iter():
        node.tag = node.tag.split("}")[-1]
    return root


def text(node, path):
    found = node.find(path)
    return None if found is None else (found.text or "").strip()


def route(ask, prefix, table="inet.0", exact=True):
    """[(active, next hop, interface)] of a destination's entries, in order."""
    answer = ask("<get-route-information><table>%s</table><destination>%s</destination>%s</get-route-information>" % (
        table, prefix, "<exact/>" if exact else ""))
    return [(text(entry, "active-tag") == "*", text(entry, "nh/to"), text(entry, "nh/via"))
            for entry in answer.iter("rt-entry") if text(entry, "protocol-name") == "BGP"]


@lib.case("a pool route: active by its element, gone with the session, back with it, withdrawn, stolen")
def _():
    with router("cgn-dual-stack.json") as (lab, ask):
        by = {}
        for element, peer, prefix in lab.pool_routes():
            ((active, hop, _),) = route(ask, prefix)
            expect("route of %s" % prefix, (active, hop), (True, peer))
            by.setdefault(element, (peer, prefix))
        (peer, prefix), (other, _) = by["fbf-01"], by["fbf-02"]
        expect("not in another family's table", route(ask, prefix, "inet6.0"), [])
        expect("an address in it", len(route(ask, prefix.split("/")[0], exact=False)), 1)
        lab.ctl("peer", "down", peer)
        expect("session down", route(ask, prefix), [])
        lab.ctl("peer", "up", peer)
        expect("session up", [hop for _, hop, _ in route(ask, prefix)], [peer])
        lab.ctl("route", peer, prefix, "down")
        expect("withdrawn", route(ask, prefix), [])
        lab.ctl("route", peer, prefix, "up")
        lab.ctl("route", other, prefix, "up", "local-preference", 200)
        expect("stolen", [entry[:2] for entry in route(ask, prefix)], [(True, other), (False, peer)])
        lab.ctl("route", other, prefix, "down")
        lab.ctl("route", other, prefix, "up")
        expect("not stolen", [entry[:2] for entry in route(ask, prefix)], [(True, peer), (False, other)])


def interface(ask, name, style="<statistics/><detail/>"):
    """{"input-packets": n, ...} of a logical interface; None: it has no statistics."""
    answer = ask("<get-interface-information>%s<interface-name>%s</interface-name></get-interface-information>" % (style, name))
    expect("%s in the answer" % name, [text(entry, "name") for entry in answer.iter("logical-interface")], [name])
    statistics = answer.find(".//logical-interface/traffic-statistics")
    return None if statistics is None else {leaf.tag: int(leaf.text) for leaf in statistics}


def counter(ask, filter_name, name):
    """(packets, bytes); None: there is none."""
    for entry in ask("<get-firewall-information/>").iter("filter-information"):
        for one in entry.iter("counter"):
            if (text(entry, "filter-name"), text(one, "counter-name")) == (filter_name, name):
                return int(text(one, "packet-count")), int(text(one, "byte-count"))
    return None


def refused(call):
    try:
        call()
    except RPCError as error:
        return str(error)
    return "answered"


@lib.case("interface counters: made up, cleared, with a rate, in both directions, not there at all")
def _():
    with router("four-dual-stack.json") as (lab, ask):
        everything = ask("<get-interface-information><detail/></get-interface-information>")
        names = [text(entry, "name") for entry in everything.iter("logical-interface")]
        port = text(everything, "physical-interface/name")
        expect("each once", len(names), len(set(names)))
        expect("edges and two for each element", (len(names) >= 10, "s0.0" in names), (True, True))
        expect("cleared", text(everything, "physical-interface/statistics-cleared"), "Never")
        lab.ctl("traffic", "in", names[0], "add", 7, "size", 100)
        lab.ctl("traffic", "out", names[0], "add", 5)
        zero = {"input-packets": 0, "input-bytes": 0, "output-packets": 0, "output-bytes": 0}
        expect("added", interface(ask, names[0]),
               {"input-packets": 7, "input-bytes": 700, "output-packets": 5, "output-bytes": 5000})
        expect("brief", interface(ask, names[0], ""), {"input-packets": 7, "output-packets": 5})
        expect("terse", interface(ask, names[0], "<terse/>"), None)
        expect("another", interface(ask, names[1]), zero)
        answer = ask("<get-interface-information><detail/><interface-name>%s</interface-name></get-interface-information>" % port)
        expect("port", text(answer, "physical-interface/traffic-statistics/input-packets"), "7")
        lab.ctl("counters", "clear", "interfaces")
        expect("cleared", interface(ask, names[0]), zero)
        answer = ask("<get-interface-information><detail/></get-interface-information>")
        expect("when", "UTC" in text(answer, "physical-interface/statistics-cleared"), True)
        lab.ctl("traffic", "out", names[0], "rate", 1000)
        lib.wait_for("packets", lambda: interface(ask, names[0])["output-packets"] > 100)
        lab.ctl("traffic", "out", names[0], "rate", 0)
        stopped = interface(ask, names[0])
        expect("stopped", interface(ask, names[0]), stopped)
        lab.ctl("counters", "off")
        expect("off", interface(ask, names[0]), None)
        expect("no such device", "et-9/9/9 not found" in refused(lambda: interface(ask, "et-9/9/9")), True)


@lib.case("filter counters: by filter, cleared, restarted by a commit, not there, refused; by rpd's leave")
def _():
    with router("four-dual-stack.json") as (lab, ask):
        where = ("cgn-inside-v4", "fbf-01-base")
        lab.ctl("traffic", "term", *where, "add", 3, "size", 60)
        expect("counted", counter(ask, *where), (3, 180))
        expect("of another filter", counter(ask, "cgn-outside-v4", where[1]), (0, 0))
        one = ask("<get-firewall-filter-information><filtername>%s</filtername><counter>%s</counter>"
                  "</get-firewall-filter-information>" % where)
        expect("asked for one", [text(entry, "counter-name") for entry in one.iter("counter")], [where[1]])
        lab.ctl("fault", "counters", "error", "text", "busy")
        expect("fault", "busy" in refused(lambda: counter(ask, *where)), True)
        lab.ctl("fault", "show", "error", "text", "busy")
        expect("fault of any show", "busy" in refused(lambda: counter(ask, *where)), True)
        lab.ctl("rpd", "off")
        expect("rpd has no part in it", counter(ask, *where), (3, 180))
        lab.ctl("rpd", "on")
        lab.ctl("static", "set", lab.dir / "static.xml")
        expect("a commit", counter(ask, *where), (3, 180))
        lab.ctl("counters", "restart-on-commit", "on")
        lab.ctl("static", "set", lab.dir / "static.xml")
        expect("restarted", counter(ask, *where), (0, 0))
        lab.ctl("traffic", "term", *where, "add", 1)
        lab.ctl("counters", "off")
        expect("off", counter(ask, *where), None)
        lab.ctl("counters", "on")
        expect("on", counter(ask, *where), (1, 1000))
        lab.ctl("reboot", "keep")
        lab.ctl("wait", "booting", "=0")
        expect("after a reboot", "%s %s 0 0" % where in lab.ctl("counters").splitlines(), True)


lib.end()
