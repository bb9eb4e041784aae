# SPDX-License-Identifier: BSD-3-Clause
"""The real lab (tools/lab/lab) behind the questions that labkit.Bench answers: namespaces, FRR,
packets, the agent inside the router's namespace, the checker beside it."""
import contextlib
import copy
import csv
import json
import os
import re
import subprocess
import time
from xml.etree import ElementTree

import labkit
from labkit import TOP, Failed

LAB = TOP / "tools/lab/lab"
SERVERS = ("198.51.100.10", "2001:db8:ff::10")
ECHO_PORT = 7008


class Void(Exception):
    """The machine, not the agent, spoiled this run: it proves nothing in either direction."""


def need_root():
    """Before anything is begun, a directory and a note of it included."""
    if os.geteuid():
        raise Failed("the lab needs root: network namespaces, routes, nftables (make demo SIMULATE=1 does not)")


def end_politely(process):
    """Nothing when it has ended. lab up takes down what it has begun, which a kill -9 leaves no time for."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(labkit.DEADLINE)
        process.kill()


class Real(labkit.Bench):
    subscribers = 512  # both families together
    rate = 10000  # packets per second

    def __init__(self, build, profile="four-dual-stack.json", overrides=None, lab_options=(), change=None,
                 cabling=None, stays=False):
        """change: a function that may change the profile's groups. cabling: another that adds to those of
        a copy what is built and not yet known to the agent and the router. stays: this program may end
        before it."""
        super().__init__(build, "afbf-")
        self.lab_options = list(map(str, lab_options))
        if not stays:
            self.lab_options += ["--owner", str(os.getpid())]
        self.ctl_path = self.dir / "labrouter.sock"
        self.profile = self.dir / "profile.json"
        self.checker = None
        self.started = set()
        self.began = time.time()
        tree = json.loads((TOP / "profiles" / profile).read_text())
        root = tree["autofbf:profile"]
        root.update({"poll-interval": 1000, "audit-interval": 2000})
        for group in root["group"]:
            group.update({"hold-down": 2, "startup-wait": 10})
        self.take_profile(tree, overrides or {})
        if change:
            change(self.groups)
        self.source = self.dir / "source.json"
        self.source.write_text(json.dumps(tree, indent=1))
        if cabling:
            tree = copy.deepcopy(tree)
            cabling(tree["autofbf:profile"]["group"])
        built = self.dir / "cabling.json"  # by it lab up knows the directory as a lab's
        built.write_text(json.dumps(tree, indent=1))
        self.lab_options += ["--cabling", str(built)]

    def lab(self, command, *words, timeout=60, text=""):
        """Runs a subcommand of tools/lab/lab on this lab, with that text as its standard input."""
        said = "lab %s %s" % (command, " ".join(map(str, words)))
        process = subprocess.Popen([LAB, command, "--dir", self.dir, *map(str, words)], text=True, env=self.env(),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with process:
            try:
                out, errors = process.communicate(text, timeout)
            except subprocess.TimeoutExpired:
                raise Failed("%s: not done after %g s" % (said, timeout)) from None
            finally:
                end_politely(process)
        if process.returncode:
            raise Failed("%s: exit %d: %s%s" % (said, process.returncode, out, errors))
        return out

    # ---- processes -----------------------------------------------------------------------------
    def start_router(self):
        """Everything but the agent."""
        self.lab("up", "--profile", self.source, "--build", self.build, *self.lab_options)
        self.began = time.time()
        with open(self.dir / "checker.log", "wb") as log:
            self.checker = subprocess.Popen([TOP / "tools/lab/check-invariants", "--follow",
                                             self.journal], stdout=log, stderr=log,
                                            preexec_fn=labkit.die_with_parent)
        labkit.wait_for("the checker", lambda: "following" in (self.dir / "checker.log").read_text())

    def start_agent(self):
        self.lab("start", "--name", "agent", "router", *self.agent_argv())
        self.started.add("agent")

    def stop(self, name, sig="TERM"):
        """Signals a program of the lab and returns its exit code."""
        if name not in self.started:
            return None
        self.started.discard(name)
        done = subprocess.run([LAB, "stop", "--dir", self.dir, name, "--signal", sig], text=True,
                              capture_output=True, timeout=labkit.DEADLINE, check=False)
        if "lab stop:" in done.stderr:
            raise Failed(done.stderr)
        return done.returncode

    def kill_agent(self):
        self.stop("agent", "KILL")

    def restart_agent(self):
        self.stop("agent")
        self.start_agent()
        self.settle()

    # ---- what happens to elements ----------------------------------------------------------------
    def fail(self, element):
        """The element drops every packet, silently; returns the wall clock of that moment."""
        return float(self.lab("blackhole", element))

    def restore(self, element):
        self.lab("restore", element)

    def links_down(self, element):
        at = float(self.lab("link", element, "in", "down"))
        self.lab("link", element, "out", "down")
        return at

    def links_up(self, element):
        for port in ("in", "out"):
            self.lab("link", element, port, "up")

    def kill_daemons(self, element):
        """FRR dies, the kernel goes on forwarding."""
        times = [float(self.lab("daemon", element, daemon, "kill")) for daemon in ("bgpd", "bfdd", "zebra")]
        return times[0]

    def start_daemons(self, element):
        for daemon in ("zebra", "bfdd", "bgpd"):
            self.lab("daemon", element, daemon, "start")

    def pool_route(self, element, prefix, action):
        """The element withdraws or announces the route of a NAT pool; BGP goes on."""
        return float(self.lab("pool", element, prefix, action))

    def sessions(self, element, action):
        """The router gets ("add") or loses ("remove") the BGP sessions of an element."""
        return float(self.lab("sessions", element, action))

    def wait_sessions(self, timeout=20):
        """Until every BGP session is Established and BFD is up."""
        self.lab("wait", "--timeout", timeout, timeout=timeout + 10)

    def downs(self):
        """[(wall clock, element, peer, reason)] of the BGP downs that FRR logged since the start."""
        lines = self.lab("downs", "--since", "%.6f" % self.began).splitlines()
        return [(float(at), element, peer, reason) for at, element, peer, reason in
                (line.split(" ", 3) for line in lines)]

    def check_void(self, *touched):
        """A down of an element that the case did not touch is a paused machine, not a result."""
        strays = sorted({element for _, element, _, _ in self.downs()} - set(touched))
        if strays:
            raise Void("FRR logged a down of %s, which this case did not touch" % ", ".join(strays))

    def forwarded(self, element):
        """Packets the element took from its inside and from its outside port, and what it refused."""
        return json.loads(self.lab("counters", element))

    # ---- traffic -------------------------------------------------------------------------------
    def start_traffic(self, edge=0):
        """From the subscribers of the groups behind one inside interface: c0, c1, ..."""
        suffix = str(edge or "")
        pools = [pool["prefix"] for group in self.groups for pool in group["pool"]
                 if group["inside-interface"][0].split(".")[0] == "c%d" % edge]
        words = [word for server in SERVERS for word in ("--to", server)]
        words += [word for pool in pools for word in ("--pool", pool)]
        (self.dir / ("run/probe%s.log" % suffix)).unlink(missing_ok=True)
        self.lab("start", "--name", "probe" + suffix, "client" + suffix, self.build / "probe", "send", *words,
                 "--count", self.subscribers // len(pools), "--rate", self.rate,
                 "--csv", self.dir / ("probe%s.csv" % suffix),
                 "--losses", self.dir / ("losses%s.csv" % suffix))
        self.started.add("probe" + suffix)

    def stop_traffic(self, edge=0):
        """The probe's rows: subscriber, family, sent, received, lost, longest_gap_ms."""
        suffix = str(edge or "")
        code = self.stop("probe" + suffix)
        log = (self.dir / ("run/probe%s.log" % suffix)).read_text()
        own = re.search(r"own: send-errors (\d+) late (\d+) overruns (\d+)", log)
        if code != 0 or not own:
            raise Failed("the probe ended with %s: %s" % (code, log))
        if int(own.group(1)) or int(own.group(3)):
            raise Void("the probe itself lost packets: " + own.group(0))
        return self._table("probe%s.csv" % suffix)

    def losses(self, edge=0):
        """After stop_traffic: [(wall clock, subscriber)] of every lost packet, in order of sending."""
        return [(int(row["sent_at_us"]) / 1e6, row["subscriber"])
                for row in self._table("losses%s.csv" % (edge or ""))]

    def _table(self, name):
        with open(self.dir / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def start_echo(self):
        """A server that tells its clients who they are to it."""
        self.lab("start", "--name", "echo", "server", TOP / "tools/lab/echo.py", "serve", ECHO_PORT, *SERVERS)
        self.started.add("echo")
        log = self.dir / "run/echo.log"
        labkit.wait_for("the echo server", lambda: "serving" in log.read_text())

    def seen_as(self, subscribers, port=0):
        """{subscriber: (address, port) by which the server knows it}; all of one family. Who has no
        answer is missing."""
        server = SERVERS[":" in subscribers[0]]
        shown = self.lab("exec", "client", TOP / "tools/lab/echo.py", "ask", server, ECHO_PORT,
                         text="".join("%s %d\n" % (subscriber, port) for subscriber in subscribers))
        return {words[0]: (words[2], int(words[3])) for words in map(str.split, shown.splitlines())}

    # ---- what the router and the core say --------------------------------------------------------
    def overrides(self):
        """{list: set of prefixes} in the ephemeral database."""
        tree = ElementTree.fromstring(self.ctl("ephemeral"))
        return {node.findtext("name"): {item.findtext("name") for item in node.iter("prefix-list-item")}
                for node in tree.iter("prefix-list")}

    def core_path(self, prefix, server="server"):
        """AS path with which the core hears a prefix from the router, or None."""
        shown = self.lab("exec", server, "vtysh", "--vty_socket", self.dir / "frr" / server, "-c",
                         "show bgp %s unicast json" % ("ipv6" if ":" in prefix else "ipv4"))
        paths = json.loads(shown)["routes"].get(prefix)
        return paths[0]["path"] if paths else None

    def wait_forwarded(self):
        """Until the kernel forwards as the last commit says."""
        def same():
            numbers = self.numbers()
            return numbers["submitted"] == numbers["forwarded"]
        labkit.wait_for("forwarding follows the last commit", same)

    # ---- end -----------------------------------------------------------------------------------
    def check_invariants(self):
        """Ends the checker; it must be content. What follows is not checked any more."""
        if not self.checker:
            return
        self.checker.terminate()
        code = self.checker.wait(timeout=labkit.DEADLINE)
        self.checker = None
        if code != 0:
            raise Failed("the checker: " + (self.dir / "checker.log").read_text()[-2000:])

    def logs(self):
        return [self.dir / "run/agent.log", self.dir / "run/labrouter.log", self.dir / "checker.log",
                self.dir / "holder.log"]

    def close(self, keep=False):
        if self.checker:
            self.checker.terminate()
            self.checker.wait()
            self.checker = None
        self.lab("down")  # also when lab up did not come to its end
        if not keep:
            subprocess.run(["rm", "-rf", self.dir], check=False)
