# SPDX-License-Identifier: BSD-3-Clause
"""Process 1 of the lab: makes the namespaces, starts the daemons, and ends with everything in it."""
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import threading
import time

import labnat
from labfrr import DAEMONS, bfdd, core_bgpd, daemon_command, element_bgpd, give_to_frr, router_bgpd, zebra
from labplan import SERVERS, LabError, Plan

EDGE_TABLE, EDGE_RULE = 20000, 20000  # beside labrouter's, which begin at 1001
HIDDEN_RULE = 19000
FROM_INSIDE = 100  # table and rule of an element


def run(*argv, text=None):
    done = subprocess.run(argv, input=text, text=True, capture_output=True, check=False)
    if done.returncode:
        raise LabError("%s: %s" % (" ".join(argv), done.stderr.strip() or done.returncode))
    return done.stdout


def start_time(pid):
    """Clock ticks after boot at which the process started: tells a pid from its successor. None: it has
    ended. A zombie has as well: not every process 1 that adopts an orphan reaps it."""
    try:
        fields = pathlib.Path("/proc/%s/stat" % pid).read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def write_state(directory, state):
    """Whole or not at all: others may read at any moment."""
    new = directory / "lab.json.new"
    new.write_text(json.dumps(state) + "\n")
    new.replace(directory / "lab.json")


class Builder:
    """Makes the namespaces; runs as process 1 of the lab."""

    def __init__(self, plan, directory, prefix, options):
        self.plan, self.dir, self.prefix, self.options = plan, directory, prefix, options
        self.frr = directory / "frr"

    def ns(self, node):
        return "%s-%s" % (self.prefix, node)

    def inside(self, node, *argv, text=None):
        return run("nsenter", "--net=/run/netns/" + self.ns(node), *argv, text=text)

    def ip(self, node, lines, family=""):
        """A batch; -6 cannot be said per line."""
        run("ip", *(["-6"] if family == "6" else []), "-n", self.ns(node), "-batch", "-",
            text="\n".join(lines) + "\n")

    def namespaces(self):
        for node in self.plan.nodes:
            run("ip", "netns", "add", self.ns(node))
            forwarding = "0" if node in self.plan.edge_nodes else "1"
            settings = {"ipv6.conf.all.accept_dad": "0", "ipv6.conf.default.accept_dad": "0",
                        "ipv4.conf.all.rp_filter": "0", "ipv4.conf.default.rp_filter": "0",
                        "ipv4.conf.all.send_redirects": "0",
                        "ipv4.conf.default.send_redirects": "0",
                        "ipv6.ip_nonlocal_bind": "1", "ipv4.ip_nonlocal_bind": "1",
                        "ipv4.ip_forward": forwarding, "ipv6.conf.all.forwarding": forwarding}
            self.inside(node, "sh", "-e", text="".join(
                "echo %s >/proc/sys/net/%s\n" % (v, k.replace(".", "/"))
                for k, v in settings.items()))
            self.ip(node, ["link set lo up"])

    def cable(self, a, device_a, b, device_b, addresses):
        """A veth pair with addresses [(a's, b's, length)]."""
        run("ip", "link", "add", device_a, "netns", self.ns(a), "type", "veth", "peer", "name",
            device_b, "netns", self.ns(b))
        for node, device, index in ((a, device_a, 0), (b, device_b, 1)):
            lines = ["link set %s up" % device]
            for pair in addresses:
                nodad = " nodad" if ":" in pair[index] else ""
                lines.append("addr add %s/%d dev %s%s" % (pair[index], pair[2], device, nodad))
            self.ip(node, lines)

    def edges(self):
        for edge in self.plan.edges:
            for node, port, link in ((edge.client, edge.client_port, edge.client_link),
                                     (edge.server, edge.server_port, edge.server_link)):
                self.cable("router", port, node, port, [(*link["ipv4"], 30), (*link["ipv6"], 64)])
            for family in SERVERS:
                self.edge_routes(edge, family)

    def edge_routes(self, edge, family):
        flag = "6" if family == "ipv6" else ""
        client, server = edge.client_link[family], edge.server_link[family]
        pools, host = edge.pools_of(family), SERVERS[family]
        self.ip(edge.client, ["route add local %s dev lo" % pool for pool in pools] +
                ["route add default via %s" % client[0]], flag)
        self.ip(edge.server, ["addr add %s dev lo" % host, "route add default via %s" % server[0]],
                flag)
        # The Internet knows no way to subscribers whom it sees translated, and what no element has
        # announced goes nowhere.
        outside = [edge.server_port] + [e.link("out").device for e in self.plan.elements if e.id in edge.elements]
        self.ip("router", ["rule add pref %d iif %s to %s blackhole" % (HIDDEN_RULE, port, pool)
                           for pool in edge.hidden_of(family) for port in outside] +
                ["route add blackhole %s metric 1000000" % p for p in edge.supernets_of(family)], flag)
        table = EDGE_TABLE + edge.number if edge.number else "main"
        lines = ["route add %s via %s table %s" % (pool, client[1], table) for pool in pools]
        lines.append("route add %s via %s table %s" % (host, server[1], table))
        if edge.number:
            lines += ["rule add pref %d iif %s lookup %d" % (EDGE_RULE + edge.number, port, table)
                      for port in edge.interfaces(self.plan)]
        self.ip("router", lines, flag)

    def elements(self):
        for e in self.plan.elements:
            for link in e.links:
                self.cable("router", link.device, e.id, link.port,
                           [(router, peer, length) for _, router, peer, length in link.peers])
            for family, lines in element_routes(self.plan, e).items():
                self.ip(e.id, lines + ["rule add pref %d iif in lookup %d" % (FROM_INSIDE, FROM_INSIDE)], family)
            for family in SERVERS:  # no default for what belongs to no translation
                self.ip(e.id, ["route add blackhole %s" % pool.network for pool in e.nat[family]],
                        "6" if family == "ipv6" else "")
            subscribers = {family: self.plan.pools_of(int(family[3])) for family in SERVERS}
            self.inside(e.id, "sh", "-ec", "nft -f - && "
                        "echo 0 >/proc/sys/net/netfilter/nf_conntrack_tcp_loose",
                        text=STATEFUL + labnat.ruleset(e.nat, subscribers))

    def daemons(self):
        bgpd = {"router": lambda run_dir: router_bgpd(self.plan, run_dir)}
        for e in self.plan.elements:
            bgpd[e.id] = lambda run_dir, e=e: element_bgpd(self.plan, e, run_dir)
        for edge in self.plan.edges:
            bgpd[edge.server] = lambda run_dir, edge=edge: core_bgpd(edge, run_dir)
        for node, make in bgpd.items():
            run_dir = self.frr / node
            run_dir.mkdir(parents=True)
            files = {"zebra": zebra(self.plan, run_dir, node == "router"), "bgpd": make(run_dir),
                     "bfdd": bfdd(run_dir, self.options["bfd"])}
            if node in self.plan.edge_nodes:
                del files["bfdd"]
            for daemon, lines in files.items():
                (run_dir / (daemon + ".conf")).write_text("\n".join(lines) + "\n")
            give_to_frr(run_dir)
            for daemon in filter(files.get, DAEMONS):
                self.inside(node, *daemon_command(run_dir, daemon, self.plan.bgpd_options(node)))

    def build(self):
        self.namespaces()
        self.edges()
        self.elements()
        self.daemons()


STATEFUL = """table inet stateful {
 counter up { }
 counter down { }
 counter invalid { }
 counter unsolicited { }
 chain forward {
  type filter hook forward priority filter; policy drop;
  iifname "in" counter name "up"
  iifname "out" counter name "down"
  ct state invalid counter name "invalid" drop
  ct state established,related accept
  iifname "in" oifname "out" ct state new accept
  iifname "out" counter name "unsolicited"
 }
}
"""
def element_routes(plan, element):
    """{"" or "6": batch lines}; also after a link came back, because the kernel forgets them.

    What comes from inside leaves outside whoever it is for: a packet from subscriber to subscriber too.
    """
    batches = {}
    for family, version, flag in (("ipv4", 4, ""), ("ipv6", 6, "6")):
        gateways = {link.port: router for link in element.links
                    for f, router, _, _ in link.peers if f == family}
        if gateways:
            default = "route replace default via %s dev out" % gateways["out"]
            batches[flag] = [default, "%s table %d" % (default, FROM_INSIDE)] + [
                "route replace %s via %s dev in" % (p, gateways["in"])
                for p in plan.pools_of(version)]
    return batches


def end_with(owner):
    """The lab ends when the process behind this pidfd does, however that happens."""
    main_thread = threading.main_thread().ident

    def watch():
        select.select([owner], [], [])
        signal.pthread_kill(main_thread, signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def holder(directory, prefix, options, ready, owner):
    """Process 1: build, say so, then reap orphans until somebody says stop or the owner is gone."""
    outer_pid = os.readlink("/proc/self")  # /proc is still the outer one: our number outside
    started = start_time(outer_pid)
    run("mount", "-t", "proc", "proc", "/proc")
    pathlib.Path("/run/netns").mkdir(exist_ok=True)
    run("mount", "-t", "tmpfs", "tmpfs", "/run/netns")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Before there is anything that would have to be ended: whatever happens to lab up, lab down finds us.
    write_state(directory, {"holder": int(outer_pid), "started": started, "prefix": prefix,
                            "elements": options["elements"], "spares": options["spares"]})
    if owner >= 0:
        end_with(owner)
    try:
        cabling = json.loads((directory / "cabling.json").read_text())
        plan = Plan(cabling, options["elements"], options["spares"])
        Builder(plan, directory, prefix, options).build()
        os.write(ready, b"ok\n")
        os.close(ready)
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                time.sleep(0.2)
    except (LabError, OSError, KeyError, ValueError) as error:
        os.write(ready, ("%s\n" % str(error).replace("\n", " ")).encode())
    finally:
        end_everybody()


def end_everybody():
    """A polite end for all others in this PID namespace; what is left dies with process 1."""
    deadline = time.monotonic() + 2
    try:
        os.kill(-1, signal.SIGTERM)
        os.kill(-1, signal.SIGCONT)
        while time.monotonic() < deadline and os.waitpid(-1, os.WNOHANG) is not None:
            time.sleep(0.01)
    except (ProcessLookupError, ChildProcessError):
        pass
