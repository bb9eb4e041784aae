# SPDX-License-Identifier: BSD-3-Clause
"""A lab with an agent in it, for the demo, the tests and the benchmarks.

Sim: labrouter --simulate, no namespaces and no FRR. Real: namespaces, FRR and packets (tools/lab/lab).
Both answer the same questions. Waits for conditions with a deadline, never for time to pass. What is
started is ended by its pid, also after a failure; what a kill -9 leaves no time for, the kernel does.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
DEADLINE = 30


class Failed(Exception):
    """Something is not as it should be."""


PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def die_with_parent():
    """For preexec_fn: the child gets SIGTERM when this program ends, also by kill -9."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def end_on_signal(text):
    """SIGINT and SIGTERM end this program by way of its clean-up, and with this text. A second one does
    not cut the clean-up short. What was ignored at the start stays ignored, as by nohup."""
    def end(*_):
        signal.pthread_sigmask(signal.SIG_BLOCK, heeded)  # for the programs of the clean-up as well
        for number in heeded:
            signal.signal(number, lambda *_: None)  # the other one may have come already
        sys.exit(text)

    heeded = [n for n in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(n) != signal.SIG_IGN]
    for number in heeded:
        signal.signal(number, end)


def hold_signals():
    """SIGINT and SIGTERM wait from here on, until release_signals() with what this returns, if ever. For
    what must not be done by half; programs that are begun meanwhile do not hear them."""
    return signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))


def release_signals(mask):
    """One that has come meanwhile is heeded in this call."""
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def end_process(processes, name, sig):
    """Takes it out of the dict and ends it, also when it is stopped. Its exit code; None: not there."""
    process = processes.pop(name, None)
    if not process:
        return None
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.send_signal(sig)
    try:
        return process.wait(timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise Failed("%s did not end on signal %d" % (name, sig))


RESERVATIONS = {}


def free_port(kind=socket.SOCK_STREAM):
    """Below the ports that connections get by themselves, and nobody else's while this program lives:
    labs run side by side, and what is free now is listened on only later."""
    for port in random.SystemRandom().sample(range(10000, 32000), 1000):
        name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with socket.socket(socket.AF_INET, kind) as s, contextlib.suppress(OSError):
            name.bind("\0autofbf-port-%d" % port)
            s.bind(("127.0.0.1", port))
            RESERVATIONS[port] = name
            return port
        name.close()
    raise Failed("no free port on loopback")


def release_ports(ports):
    """As often as you like."""
    for port in ports:
        if port in RESERVATIONS:
            RESERVATIONS.pop(port).close()


def wait_for(what, condition, seconds=None):
    """Polls until condition() is true; returns what it returned."""
    seconds = seconds or DEADLINE
    end = time.monotonic() + seconds
    why = ""
    while time.monotonic() < end:
        try:
            last = condition()
            if last:
                return last
            why = ""
        except (Failed, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            why = " (%s)" % error
        time.sleep(0.02)
    raise Failed("waited %d s for: %s%s" % (seconds, what, why))


def need_profile(build, profile):
    """Before anything is begun: what is wrong with a profile, as the agent tells it."""
    done = subprocess.run([TOP / build / "autofbfd", "-n", "-f", profile], text=True, capture_output=True,
                          stdin=subprocess.DEVNULL, env=Bench.env(), check=False)
    if done.returncode:
        raise Failed(done.stderr.strip())


class Bench:
    """What Sim and Real have in common: a directory, a profile, a labrouter's control, an agent's CLI."""

    def __init__(self, build, prefix):
        self.build = pathlib.Path(build)
        if not self.build.is_absolute():
            self.build = TOP / self.build
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix=prefix))
        self.socket = self.dir / "agent.sock"
        self.journal = self.dir / "journal"
        (self.dir / "state").mkdir()

    def take_profile(self, tree, overrides):
        """Remembers the tree and applies {"path/to/leaf": value}; None removes; group = the first."""
        root = tree["autofbf:profile"]
        for key, value in overrides.items():
            target = root
            *path, last = key.split("/")
            for part in path:
                target = target["group"][0] if part == "group" else target.setdefault(part, {})
            if value is None:
                target.pop(last, None)
            else:
                target[last] = value
        self.groups = root["group"]
        self.group = root["group"][0]
        self.elements = [e["id"] for e in self.group["element"]]
        return tree

    @staticmethod
    def env():
        return dict(os.environ, AUTOFBF_YANG_DIR=str(TOP / "yang"))

    def agent_argv(self):
        return [self.build / "autofbfd", "-d", "-f", self.profile, "--socket", self.socket,
                "--state-dir", self.dir / "state"]

    # ---- questions --------------------------------------------------------------------------
    def ctl(self, *words):
        result = subprocess.run([self.build / "labrouter", "ctl", self.ctl_path, *map(str, words)], text=True,
                                capture_output=True, timeout=DEADLINE)
        if result.returncode != 0:
            raise Failed("control %s: %s" % (" ".join(map(str, words)), result.stderr or result.stdout))
        return result.stdout

    def numbers(self):
        """labrouter's `status` as a dict."""
        ret = {}
        for line in self.ctl("status").splitlines():
            name, _, value = line.replace("=", " ").partition(" ")
            ret[name.strip(":")] = value.strip()
        return ret

    def commits(self):
        return int(self.numbers()["commits"])

    def cli(self, *words, code=0):
        result = subprocess.run([self.build / "autofbf", "--socket", self.socket, *map(str, words)], text=True,
                                capture_output=True, timeout=DEADLINE, env=self.env(),
                                stdin=subprocess.DEVNULL)
        if code is not None and result.returncode != code:
            raise Failed("autofbf %s: exit %d, wanted %d: %s%s" % (
                " ".join(map(str, words)), result.returncode, code, result.stdout, result.stderr))
        return result.stdout + (result.stderr if code else "")

    def status(self):
        return json.loads(self.cli("status", "--json"))["autofbf:state"]

    @staticmethod
    def families(entry):
        """{family: its subtree} of a group or an element in the status."""
        return {family["family"]: family for family in entry["family"]}

    def family_of(self, element, family, status=None):
        """The status of one element and family."""
        for entry in (status or self.status())["group"][0]["element"]:
            if entry["id"] == element:
                return self.families(entry)[family]
        raise Failed("no element %s in the status" % element)

    def group_family(self, family, status=None):
        return self.families((status or self.status())["group"][0])[family]

    def effective(self, status=None, group=0):
        """{family: {element id: effective units}} of one group, by default of the first."""
        group = (status or self.status())["group"][group]
        ret = {"ipv4": {}, "ipv6": {}}
        for element in group["element"]:
            for family, entry in self.families(element).items():
                ret[family][element["id"]] = entry["effective-units"]
        return ret

    def layout_ids(self, status=None, group=0):
        group = (status or self.status())["group"][group]
        return {family: entry["layout-id"] for family, entry in self.families(group).items()}

    def counter(self, name):
        """A counter of the agent's router sessions."""
        return int(self.status()["router"][name])

    def in_sync(self):
        """No edits pending, lists read, sessions up, nothing frozen."""
        status = self.status()
        router = status["router"]
        if not (router["edit-session"] and router["read-session"] and router["lists-known"]):
            return False
        for group in status["group"]:
            for entry in group["family"]:
                if entry["pending-edits"] or entry["freeze"] != "no":
                    return False
        return router["stage"] == "idle" and status

    def settle(self, seconds=None):
        return wait_for("agent in sync with the router", self.in_sync, seconds)

    def wait_bmp(self):
        """Until the router has connected, unless the profile does without."""
        wait_for("BMP", lambda: all(source["connected"] for source in self.status()["source"]
                                    if source["name"] == "bmp" and source["enabled"]))

    def wait_effective(self, wanted, seconds=None):
        """wanted: list of counts in element order, the same for both families; None: any."""
        def reached():
            eff = self.effective()
            return all(w is None or eff[f].get(e) == w for f in eff for e, w in zip(self.elements, wanted))
        return wait_for("effective units %s" % wanted, reached, seconds)

    # ---- faults -----------------------------------------------------------------------------
    def peers_of(self, element, families=("ipv4", "ipv6"), sides=("inside", "outside")):
        entry = next(e for e in self.group["element"] if e["id"] == element)
        return [entry[f][s]["peer"] for f in families if f in entry for s in sides]

    def pool_routes(self, element=None):
        """[(element, outside peer, prefix)] of the NAT pools of all groups, or of one element."""
        return [(entry["id"], entry[family]["outside"]["peer"], pool["prefix"])
                for group in self.groups for entry in group["element"] if element in (None, entry["id"])
                for family in ("ipv4", "ipv6") for pool in entry.get(family, {}).get("nat-pool", ())]

    def element_down(self, element, cause="bfd", **which):
        for peer in self.peers_of(element, **which):
            self.ctl("peer", "down", peer, "cause", cause)

    def element_up(self, element, **which):
        for peer in self.peers_of(element, **which):
            self.ctl("peer", "up", peer)


class Sim(Bench):
    """labrouter --simulate, the agent and the checker on loopback ports of their own."""

    checked = True  # a measurement does without the checker: it would take a core from the others

    def __init__(self, build, profile="four-dual-stack.json", overrides=None, router_options=(), change=None):
        super().__init__(build, "autofbf-sim-")
        self.change = change
        self.processes = {}
        self.router_options = list(router_options)
        self.ports = {name: free_port() for name in ("ssh", "bmp", "syslog")}
        self.ctl_path = self.dir / "router.ctl"
        self.journal.mkdir()
        self._keys()
        self._profile(profile, overrides or {})

    def _key(self, name):
        path = self.dir / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
        return path

    def _keys(self):
        known = ""
        for name in ("host", "user", "host2"):
            self._key(name)
        for name in ("host", "host2"):  # two routing engines
            public = (self.dir / (name + ".pub")).read_text().split()
            known += "[127.0.0.1]:%d %s %s\n" % (self.ports["ssh"], public[0], public[1])
        (self.dir / "known_hosts").write_text(known)
        (self.dir / "authorized_keys").write_text((self.dir / "user.pub").read_text())

    def _profile(self, name, overrides):
        tree = json.loads((TOP / "profiles" / name).read_text())
        root = tree["autofbf:profile"]
        root["router"].update({"address": ["127.0.0.1"], "port": self.ports["ssh"], "key-file": "user",
                               "known-hosts": "known_hosts"})
        root["bmp"] = {"port": self.ports["bmp"]}
        root["syslog"] = {"port": self.ports["syslog"]}
        root.update({"poll-interval": 500, "audit-interval": 1000})
        for group in root["group"]:
            group.update({"hold-down": 1, "startup-wait": 3})
        if self.change:
            self.change(root["group"][0])
        tree = self.take_profile(tree, overrides)
        self.profile = self.dir / "profile.json"
        self.profile.write_text(json.dumps(tree, indent=1))
        with open(self.dir / "static.xml", "w") as out:
            subprocess.run([self.build / "autofbf", "router-config", "--profile", self.profile, "--format",
                            "xml"], stdout=out, check=True, env=self.env())

    def other_host_key(self):
        """The other routing engine's, which the profile knows."""
        return self.dir / "host2"

    def strange_host_key(self):
        """One that nobody knows."""
        return self._key("strange")

    def peer_options(self):
        """labrouter's peers as the real lab has them: interfaces ei1.0, eo1.0, an AS for each element."""
        words, number = [], 0
        for group in self.groups:
            for element in group["element"]:
                number += 1
                for family, side in ((f, s) for f in ("ipv4", "ipv6") if f in element for s in ("inside", "outside")):
                    peer = element[family][side]
                    port = peer.get("interface", "%s%d.0" % ("ei" if side == "inside" else "eo", number))
                    words += ["--peer", "+%s,as=%d,instance=%s,interface=%s" % (
                        peer["peer"], 65100 + number, peer.get("instance", "master"), port)]
        return words

    # ---- processes --------------------------------------------------------------------------
    def start(self, name, argv):
        log = open(self.dir / (name + ".log"), "ab")
        self.processes[name] = subprocess.Popen([str(a) for a in argv], stdout=log, stderr=log,
                                                stdin=subprocess.DEVNULL, env=self.env(),
                                                preexec_fn=die_with_parent)
        log.close()
        return self.processes[name]

    def stop(self, name, sig=signal.SIGTERM):
        return end_process(self.processes, name, sig)

    def start_router(self):
        self.start("router", [self.build / "labrouter", "--config", self.dir / "static.xml", "--simulate",
                              "--listen", "127.0.0.1:%d" % self.ports["ssh"], "--host-key", self.dir / "host",
                              "--authorized-keys", self.dir / "authorized_keys", "--control", self.ctl_path,
                              "--journal", self.journal, "--bmp", "127.0.0.1:%d" % self.ports["bmp"],
                              "--syslog", "127.0.0.1:%d" % self.ports["syslog"], *self.peer_options(),
                              *self.router_options])
        wait_for("labrouter's control socket", lambda: self.ctl("status"))
        for _, peer, prefix in self.pool_routes():
            self.ctl("route", peer, prefix, "up")
        if self.checked and "checker" not in self.processes:
            self.start("checker", [TOP / "tools/lab/check-invariants", "--follow", self.journal])
            wait_for("the checker", lambda: "following" in (self.dir / "checker.log").read_text())

    def start_agent(self):
        self.start("agent", self.agent_argv())

    def kill_agent(self):
        self.stop("agent", signal.SIGKILL)

    def restart_agent(self):
        self.stop("agent")
        self.start_agent()
        self.settle()

    # ---- end --------------------------------------------------------------------------------
    def check_invariants(self):
        code = self.stop("checker")
        if code != 0:
            raise Failed("the checker saw a violation: " + (self.dir / "checker.log").read_text()[-2000:])

    def logs(self):
        return [self.dir / (name + ".log") for name in ("agent", "router", "checker")]

    def close(self, keep=False):
        for name in list(self.processes):
            with contextlib.suppress(Failed):
                self.stop(name)
        release_ports(self.ports.values())
        if not keep:
            subprocess.run(["rm", "-rf", self.dir], check=False)

    # ---- what the demo asks of every lab --------------------------------------------------------
    def fail(self, element):
        """The element dies; returns the wall clock of that moment."""
        at = time.time()
        self.ctl("peer", "down", *self.peers_of(element))
        return at

    def restore(self, element):
        self.ctl("peer", "up", *self.peers_of(element))
