#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""labrouter's operational answers about what elements announce, asked by ncclient: no agent here."""
import contextlib
import logging
import pathlib
import subprocess
from xml.etree import ElementTree

import lib
from lib import expect

try:
    from ncclient import manager
    from ncclient.operations import RPCError
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
        with manager.connect(host="127.0.0.1", port=lab.ports["ssh"], username="lab", hostkey_verify=False,
                             allow_agent=False, look_for_keys=False, timeout=lib.labkit.DEADLINE,
                             key_filename=str(lab.dir / "user"), device_params={"name": "junos"}) as session:
            yield lab, lambda request: strip(ElementTree.fromstring(str(session.rpc(request))))[0]
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


lib.end()
