#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the lab promises to whoever works on it: no leftovers, sessions that tell why they ended,
announcements that follow the element's legs, edits by hand that move packets."""
import json
import os
import pathlib
import re
import signal
import subprocess

import lib
from lib import Failed, expect, wait_for


def namespace_members(pid):
    """Processes in the PID namespace whose first process is pid."""
    wanted = os.readlink("/proc/%d/ns/pid" % pid)
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/ns/pid"):
        try:
            if os.readlink(path) == wanted:
                found.append(int(path.parts[2]))
        except OSError:
            continue
    return found


@lib.case("kill -9 of the holder leaves no daemon and no namespace", without_agent=True)
def no_leftovers(lab):
    holder = json.loads((lab.dir / "lab.json").read_text())["holder"]
    members = namespace_members(holder)
    if len(members) < 17:
        raise Failed("only %d processes in the lab" % len(members))
    networks = {os.readlink("/proc/%d/ns/net" % pid) for pid in members}
    os.kill(holder, signal.SIGKILL)
    wait_for("every process is gone", lambda: not any(
        pathlib.Path("/proc/%d" % pid).exists() for pid in members))
    listed = subprocess.run(["ip", "netns", "list"], text=True, capture_output=True, check=True).stdout
    expect("namespaces outside", [n for n in listed.split() if n.startswith("lab")], [])
    left = {os.readlink(path) for path in pathlib.Path("/proc").glob("[0-9]*/ns/net") if path.exists()}
    expect("processes in the lab's network namespaces", networks & left - {os.readlink("/proc/self/ns/net")},
           set())


def peer(lab, address):
    """{"state":, "bfd":, "cause":, ...} as the router tells it."""
    for line in lab.ctl("peers").splitlines():
        words = line.split()
        if words[0] == address:
            return {"state": words[1], **dict(w.split("=", 1) for w in words[2:])}
    raise Failed("%s is no peer" % address)


def tells(lab, address, *causes):
    wait_for("%s is down, cause %s" % (address, " or ".join(causes)), lambda: (
        lambda p: p["state"] != "Established" and p["cause"] in causes)(peer(lab, address)), 20)


@lib.case("sessions tell why they ended", touches=("fbf-01", "fbf-02", "fbf-03", "fbf-04"),
          without_agent=True)
def causes(lab):
    lab.fail("fbf-01")
    tells(lab, "10.1.1.2", "bfd")
    lab.lab("daemon", "fbf-02", "bgpd", "kill")
    tells(lab, "10.1.2.2", "closed", "bfd")  # its bfdd takes the session down a moment later
    lab.lab("link", "fbf-03", "in", "down")
    # FRR 8.4 overwrites what it said first with "Waiting for NHT": any cause will do.
    wait_for("10.1.3.2 is down", lambda: peer(lab, "10.1.3.2")["state"] != "Established")
    expect("the other leg", peer(lab, "10.2.3.2")["state"], "Established")
    lab.lab("daemon", "fbf-04", "bgpd", "stop")
    tells(lab, "10.1.4.2", "hold-timer")
    lab.restore("fbf-01")
    lab.lab("daemon", "fbf-02", "bgpd", "start")
    lab.lab("link", "fbf-03", "in", "up")
    lab.lab("daemon", "fbf-04", "bgpd", "cont")
    lab.wait_sessions()
    wait_for("the router sees them all", lambda: all(
        peer(lab, a)["state"] == "Established" and peer(lab, a)["bfd"] == "Up"
        for e in lab.elements for a in lab.peers_of(e)))


def default_inside(lab, element):
    """Prefixes that the router hears from the element's inside peers."""
    shown = lab.lab("exec", "router", "vtysh", "--vty_socket", lab.dir / "frr/router", "-c",
                    "show bgp neighbors json")
    neighbors = json.loads(shown)
    return [info["acceptedPrefixCounter"] for address in lab.peers_of(element, sides=("inside",))
            for info in neighbors[address]["addressFamilyInfo"].values()]


@lib.case("an element without its outside leg takes its default inside back", touches=("fbf-01",),
          without_agent=True)
def default_follows(lab):
    wait_for("a default of each family", lambda: default_inside(lab, "fbf-01") == [1, 1])
    lab.lab("link", "fbf-01", "out", "down")
    wait_for("none", lambda: default_inside(lab, "fbf-01") == [0, 0])
    lab.lab("link", "fbf-01", "out", "up")
    wait_for("again", lambda: default_inside(lab, "fbf-01") == [1, 1])


@lib.case("an edit by hand (ncclient) moves a unit, both directions, and nothing else",
          without_agent=True)
def by_hand(lab):
    static = (lab.dir / "static.xml").read_text()
    port = str(json.loads(lab.profile.read_text())["autofbf:profile"]["router"]["port"])
    home = re.findall("<prefix-list[^>]*><name>(.{6})", static.split("<name>10.64.0.0/26</name>")[0])[-1]
    taker = next(e for e in lab.elements if e != home)
    (lab.dir / "list").write_text("10.64.0.5\n")

    def trip():
        before = {e: lab.forwarded(e) for e in lab.elements}
        lab.lab("exec", "client", lab.build / "probe", "send", "--to", "198.51.100.10", "--list",
                lab.dir / "list", "--rate", 50, "--duration", 1)
        return {e: (lab.forwarded(e)["up"] - before[e]["up"], lab.forwarded(e)["down"] - before[e]["down"])
                for e in lab.elements}

    expect("before", {e: n for e, n in trip().items() if n != (0, 0)}, {home: (50, 50)})
    lab.lab("exec", "router", lib.TOP / "tests/lab/edit_by_hand.py", port, lab.dir / "id_ed25519",
            taker + "-ovr-v4", "10.64.0.0/26")
    wait_for("forwarding follows", lambda: lab.numbers()["forwarded"] == "2")
    expect("after", {e: n for e, n in trip().items() if n != (0, 0)}, {taker: (50, 50)})
    expect("commits", lab.commits(), 1)


lib.end()
