#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Chaos with other profiles under way: what test_chaos.py does, and edits of the profile, NAT routes,
other modes, static base commits, a second writer, readers and a publisher beside. Not part of the suite.

At the end the agent is compared with a fresh one on the same profile and the same health: whatever
happened before, both must say the same, the router must have it, and no alarm may be left.

SEED=N makes the first run that of this seed; ROUNDS=N makes N runs; SECONDS=N of disorder each.
"""
import contextlib
import ipaddress
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import traceback
import urllib.request
from xml.etree import ElementTree

import lib
import labkit
import test_chaos
from lib import Failed, case, expect, sim, wait_for

ROUNDS = int(os.environ.get("ROUNDS", 1))
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(1000000)))
SECONDS = float(os.environ.get("SECONDS", 6))
PROFILES = ("four-dual-stack.json", "cgn-dual-stack.json", "cgn-dual-stack.json", "premium-beside-large.json")
SPARES = range(5, 8)
SPARE_POOLS = {5: "203.0.113.240/29", 6: "203.0.113.248/30", 7: "203.0.113.252/30"}


def spare_peers(n):
    return ["10.1.%d.2" % n, "10.2.%d.2" % n, "fd00:1:%d::2" % n, "fd00:2:%d::2" % n]


NETCONF_END = "]]>]]>"
HELLO = ("<hello xmlns='urn:ietf:params:xml:ns:netconf:base:1.0'><capabilities>"
         "<capability>urn:ietf:params:netconf:base:1.0</capability></capabilities></hello>")
OPEN = "<open-configuration><ephemeral-instance>autofbf</ephemeral-instance></open-configuration>"
LOAD = ("<load-configuration action='merge' format='xml'><configuration><policy-options>%s</policy-options>"
        "</configuration></load-configuration>")


def read_reply(ssh):
    text, end = "", time.monotonic() + 3
    while NETCONF_END not in text:
        if time.monotonic() > end or ssh.poll() is not None:
            raise OSError("no answer")
        text += (ssh.stdout.read() or b"").decode()
        time.sleep(0.005)
    return text


def write_as_another(lab, change):
    """Opens, loads, commits and closes; what is refused ends it, else a load would be one of the static
    configuration. How it ended."""
    ssh = subprocess.Popen(["ssh", "-p", str(lab.ports["ssh"]), "-i", lab.dir / "user", "-o", "ConnectTimeout=2",
                            "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                            "-s", "x@127.0.0.1", "netconf"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    os.set_blocking(ssh.stdout.fileno(), False)

    def say(text):
        ssh.stdin.write((text + NETCONF_END).encode())
        ssh.stdin.flush()
    try:
        read_reply(ssh)
        say(HELLO)
        for words in (OPEN, LOAD % change, "<commit-configuration/>", "<close-configuration/>"):
            say("<rpc message-id='1'>%s</rpc>" % words)
            if "rpc-error" in read_reply(ssh):
                return "refused"
        return "done"
    except OSError as error:
        return str(error)
    finally:
        ssh.kill()
        ssh.communicate()


class Story(test_chaos.Chaos):
    def __init__(self, lab, rng):
        super().__init__(lab, rng)
        self.running = lab.profile.read_text()
        self.next = lab.dir / "next.json"
        self.nat = "nat" in lab.group
        self.fresh_agents = 0
        self.thefts, self.wrote, self.calm = [], False, False

    def ask(self, *words):
        """What is said on both channels, whatever the exit code."""
        self.said.append("%.2f autofbf %s" % (time.monotonic() - self.start, " ".join(map(str, words))))
        r = subprocess.run([self.lab.build / "autofbf", "--socket", self.lab.socket, *map(str, words)], text=True,
                           capture_output=True, timeout=60, env=self.lab.env(), stdin=subprocess.DEVNULL)
        if "Sanitizer" in r.stderr or "runtime error" in r.stderr or r.returncode < 0:
            raise Failed("autofbf %s: %s" % (words, r.stderr[-3000:]))
        return "%d %s %s" % (r.returncode, r.stdout, r.stderr)

    # ---- profile -----------------------------------------------------------------------------
    def retake(self):
        """The members are those of the running profile."""
        root = json.loads(self.running)["autofbf:profile"]
        self.lab.groups, self.lab.group = root["group"], root["group"][0]
        self.members = [(g, e) for g in self.lab.groups for e in g["element"] if not e.get("removed")]
        self.peers = [peer for _, e in self.members for peer in self.peers_of(e)]

    def edit_words(self):
        rng, group = self.rng, self.rng.choice(self.lab.groups)
        mine = [e["id"] for g, e in self.members if g is group]
        kind = rng.choice(("add", "add", "reweight", "reweight", "reweight", "remove", "replace", "pool", "end"))
        known = {e["id"] for g in self.lab.groups for e in g["element"]}
        used = {p for _, e in self.members for p in self.peers_of(e)}
        if kind == "add":
            free = [n for n in SPARES if not used & set(spare_peers(n))]
            if not free:
                return None
            n = rng.choice(free)
            name = "x-%02d" % n
            if name in known:
                name += "-%d" % rng.randrange(1000)
            words = ["add-element", self.next, "--group", group["id"], "--id", name, "--weight",
                     rng.choice(("0", "0", "1"))]
            p = spare_peers(n)
            fams = {f for e in group["element"] for f in ("ipv4", "ipv6") if f in e}
            if "ipv4" in fams:
                words += ["--ipv4-inside", p[0], "--ipv4-outside", p[1]]
            if "ipv6" in fams:
                words += ["--ipv6-inside", p[2], "--ipv6-outside", p[3]]
            if "nat" in group:
                words += ["--nat-pool", "p%d=%s" % (n, SPARE_POOLS[n])]
            return words
        if kind == "reweight":
            return ["reweight", self.next, rng.choice(mine), rng.choice(("0", "1", "1", "2", "3"))]
        if kind == "remove":
            return ["remove-element", self.next, rng.choice(mine)]
        if kind == "replace":
            return ["replace", self.next, rng.choice(mine), "r-%d" % rng.randrange(10000)]
        if kind == "pool":
            return ["add-pool", self.next, "10.%d.0.0/22" % rng.choice((70, 71, 72)), rng.choice(("26", "28")),
                    "--group", group["id"]]
        pools = [p for p in group["pool"] if "until" not in p]
        p = rng.choice(pools)
        if len(pools) < 3:
            return None
        return ["end-pool", self.next, p["prefix"], str(p["unit-length"]), "--group", group["id"]]

    def edit_tree(self):
        rng = self.rng
        tree = json.loads(self.running)
        root = tree["autofbf:profile"]
        group = rng.choice(root["group"])
        live = [e for e in group["element"] if not e.get("removed")]
        kind = rng.choice(("mode", "mode", "hold", "quorum", "scope", "damp", "signal", "name", "times", "nat", "natrm",
                           "failed", "revert", "bfd", "mass", "split", "order"))
        if kind == "mode":
            root["mode"] = rng.choice(("monitor", "active", "active"))
        elif kind == "hold":
            group["hold-down"] = rng.randint(0, 2)
        elif kind == "quorum":
            group["quorum"] = rng.choice((0, 30, 50, 80))
        elif kind == "scope":
            group["failure-scope"] = rng.choice(("auto", "family", "element"))
        elif kind == "damp":
            group["damping"] = {"flaps": rng.choice((0, 2, 3)), "window": 20, "initial": 2, "maximum": 4}
        elif kind == "signal":
            if "signal" in group and rng.random() < 0.5:
                del group["signal"]
            else:
                n = root["group"].index(group)
                group["signal"] = {"revert-hold": 1, "ipv4": {"alter-route": "192.0.2.%d/32" % (129 + n)}}
        elif kind == "name":
            rng.choice(live)["name"] = "name-%d" % rng.randrange(10000)
        elif kind == "times":
            root["poll-interval"] = rng.choice((300, 500, 1000))
            root["audit-interval"] = rng.choice((500, 1000))
        elif kind in ("nat", "natrm"):
            some = [e for e in live if e.get("ipv4", {}).get("nat-pool")]
            if not some:
                return None
            pools = rng.choice(some)["ipv4"]["nat-pool"]
            if kind == "nat":
                pools.append({"id": "n%d" % rng.randrange(1000), "prefix": "203.0.113.%d/29" % rng.choice((208, 216 + 24))})
            elif len(pools) > 1:
                pools.pop()
            else:
                return None
        elif kind == "failed":
            rng.choice(live)["failed-weight"] = rng.choice((0, 1, 2, 3))
        elif kind == "revert":
            group["revert"] = rng.choice(("automatic", "manual"))
        elif kind == "bfd":
            fam = rng.choice([f for f in ("ipv4", "ipv6") if any(f in e for e in live)])
            e = rng.choice([e for e in live if fam in e])
            e[fam]["inside"]["bfd"] = rng.choice(("if-present", "required", "ignore"))
        elif kind == "mass":
            group["mass-event-share"] = rng.choice((20, 50, 100))
        elif kind == "split":
            group["split"] = [{"family": rng.choice(("ipv4", "ipv6")), "survivors": 3, "bits": 1}]
        else:
            rng.shuffle(group["element"])
        self.said.append("%.2f edit %s" % (time.monotonic() - self.start, kind))
        return tree

    def draw_next(self):
        """True when next.json is a valid other profile."""
        self.next.write_text(self.running)
        if self.rng.random() < 0.5:
            words = self.edit_words()
            if not words:
                return False
            out = self.ask("profile", *words, "--yes")
            if self.next.read_text() == self.running:
                self.said.append("     " + " ".join(out.split())[-300:])
                return False
            return True
        tree = self.edit_tree()
        if tree is None:
            return False
        self.next.write_text(json.dumps(tree, indent=1))
        return True

    def took(self):
        self.running = self.lab.profile.read_text()
        self.retake()

    def apply_profile(self):
        if not self.draw_next():
            return
        force = ["--force"] if self.rng.random() < 0.5 else []
        out = self.ask("profile", "apply", self.next, "--yes", *force)
        self.said.append("     " + " ".join(out.split())[-300:])
        if self.lab.profile.read_text() != self.running:
            self.took()
            if self.rng.random() < 0.5:
                self.commit_base()

    def race(self):
        """Two applies at once, or one whose agent dies under it."""
        if not self.draw_next():
            return
        argv = [self.lab.build / "autofbf", "--socket", self.lab.socket, "profile", "apply"]

        def begin(path, *words):
            return subprocess.Popen([*argv, path, "--yes", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    stdin=subprocess.DEVNULL, env=self.lab.env())
        one, two = begin(self.next, "--force"), None
        if self.rng.random() < 0.4:
            other = self.lab.dir / "other.json"
            tree = json.loads(self.running)
            tree["autofbf:profile"]["group"][0]["quorum"] = self.rng.randint(1, 99)
            other.write_text(json.dumps(tree))
            two = begin(other)
            self.said.append("%.2f two applies" % (time.monotonic() - self.start))
        else:
            time.sleep(self.rng.random() * 0.4)
            self.kill_agent()
        for process in (one, two):
            if process and process.wait(timeout=60) < 0:
                raise Failed("apply ended with %d" % process.returncode)
        self.took()

    def hang_up(self):
        """Edits the agent's own file and reloads; with a kill in place of the answer now and then."""
        if not self.draw_next():
            return
        before = self.ask("status", "--json").split(" ", 1)[1]
        self.lab.profile.write_text(self.next.read_text())
        agent = self.lab.processes["agent"]
        agent.send_signal(signal.SIGHUP)
        time.sleep(self.rng.choice((0, 0.1, 0.3)))
        state = self.ask("status", "--json").split(" ", 1)[1]
        self.said.append("%.2f SIGHUP" % (time.monotonic() - self.start))
        try:
            changed = json.loads(before)["autofbf:state"]["profile-id"] != json.loads(state)["autofbf:state"]["profile-id"]
        except (ValueError, KeyError):
            changed = None
        if changed:
            self.took()
        else:  # refused, or not done yet; the file says what the operator wants anyhow
            self.said.append("     profile-id as before")
            self.lab.profile.write_text(self.running)
            agent.send_signal(signal.SIGHUP)

    def commit_base(self):
        path = self.lab.dir / "base.xml"
        source = self.lab.dir / "running.json"
        source.write_text(self.running)
        path.write_text(self.lab.cli("router-config", "--profile", source, "--format", "xml"))
        with_announce = self.announce if self.rng.random() < 0.8 else (lambda: None)
        try:
            self.ctl("static", "load", path)
        except Failed as error:  # locked
            if self.calm:
                raise
            self.said.append("     " + str(error)[:200])
            return
        with_announce()

    def announce(self):
        for g in self.lab.groups:
            for e in g["element"]:
                for f in ("ipv4", "ipv6"):
                    for pool in e.get(f, {}).get("nat-pool", ()):
                        self.ctl("route", e[f]["outside"]["peer"], pool["prefix"], "up")

    # ---- more disorder -------------------------------------------------------------------------
    def disturb_session(self):
        self.ctl(*self.rng.choice((("drop", "all"), ("lock", "on"), ("lock", "off"), ("resume",), ("lock", "on", "static"),
                                   ("lock", "off", "static"))))

    def disturb_nat(self):
        routes = self.lab.pool_routes()
        if routes:
            _, peer, prefix = self.rng.choice(routes)
            if self.rng.random() < 0.2:
                thief = self.rng.choice(routes)[1]
                if thief != peer:
                    self.ctl("route", thief, prefix, "up", "local-preference", "200")
                    self.thefts.append((thief, prefix))
            else:
                with contextlib.suppress(Failed):  # not announced
                    self.ctl("route", peer, prefix, self.rng.choice(("down", "up")))

    def one_family(self):
        _, e = self.rng.choice(self.members)
        fams = [f for f in ("ipv4", "ipv6") if f in e]
        f = self.rng.choice(fams)
        self.ctl("peer", self.rng.choice(("down", "up", "bfd-down", "bfd-up")), *(e[f][s]["peer"] for s in ("inside", "outside")),
                 "cause", self.rng.choice(test_chaos.CAUSES))

    def write_too(self):
        """A second writer, in a NETCONF session of its own, with items in our lists."""
        name = self.rng.choice(self.members)[1]["id"] + "-ovr-v4"
        items = self.rng.choice((["10.64.%d.0/26" % self.rng.randrange(16)], ["10.64.0.0/26", "10.99.0.0/26"], []))
        change = "<prefix-list%s><name>%s</name>%s</prefix-list>" % (
            "" if items else ' delete="delete"', name,
            "".join("<prefix-list-item><name>%s</name></prefix-list-item>" % item for item in items))
        self.said.append("%.2f second writer %s %s: %s" % (
            time.monotonic() - self.start, name, items or "delete", write_as_another(self.lab, change)))
        self.wrote = True

    def kill_agent(self):
        agent = self.lab.processes["agent"]
        if agent.poll() is not None:
            raise Failed("the agent ended by itself: %s" % agent.returncode)
        super().kill_agent()

    def readers(self):
        words = [("status",), ("events",), ("diff",), ("layout", "--json"), ("sessions",), ("nat",), ("kpi",), ("alarms",),
                 ("trace", "10.64.3.9", "198.51.100.10"), ("where", "10.64.3.9"), ("plan", "--down", self.members[0][1]["id"]),
                 ("why", "10.64.3.0/26"), ("kpi", "cgn"), ("alarms", "--json"), ("status", "--json")]
        some = [subprocess.Popen([self.lab.build / "autofbf", "--socket", str(self.lab.socket), *self.rng.choice(words)],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=self.lab.env(),
                                 stdin=subprocess.DEVNULL) for _ in range(4)]
        if self.rng.random() < 0.2:
            some[0].kill()
        for p in some:
            _, err = p.communicate(timeout=40)
            if b"Sanitizer" in err or b"runtime error" in err or p.returncode in (-6, -11):
                raise Failed("a reader: %s" % err.decode()[-3000:])

    def disorder(self):
        self.start = time.monotonic()
        acts = [self.move_peer] * 8 + [self.move_element] * 8 + [self.move_many] + [self.disturb_source] * 4 + \
               [self.disturb_session] * 3 + [self.disturb_reply] * 6 + [self.reboot, self.kill_agent] + \
               [self.stop_for_a_while] + [self.operate] * 6 + [self.apply_profile] * 20 + [self.hang_up] * 3 + [self.race] * 3 + \
               [self.commit_base] * 3 + [self.one_family] * 5 + [self.write_too] * 2 + [self.readers] * 2 + \
               [self.disturb_nat] * (6 if self.nat else 0)
        while time.monotonic() < self.start + SECONDS:
            self.rng.choice(acts)()
            if self.lab.processes["agent"].poll() is not None:
                raise Failed("the agent died: %s" % self.lab.processes["agent"].returncode)
            if self.lab.processes["router"].poll() is not None:
                raise Failed("the router died")
            time.sleep(self.rng.choice((0, 0, 0, 0.02, 0.1)))

    def healed(self, down, offline):
        self.heal_router()
        for thief, prefix in self.thefts:
            with contextlib.suppress(Failed):
                self.ctl("route", thief, prefix, "down")
        for n in SPARES:
            self.ctl("peer", "up", *spare_peers(n))
        self.announce()
        super().healed(down, offline)
        self.ctl("peer", "bfd-clear", "all")
        self.announce()

    def settle_profile(self):
        """The running profile, in mode active, and its base lists on the router."""
        self.said.append("---- order")
        self.calm = True
        self.lab.ctl("lock", "off", "static")
        self.healed(set(), set())
        tree = json.loads(self.running)
        tree["autofbf:profile"]["mode"] = "active"
        self.next.write_text(json.dumps(tree, indent=1))

        def apply():
            self.cli("profile", "apply", str(self.next), "--yes", "--force", code=0)
            return True
        wait_for("the last profile", apply)
        self.took()

    # ---- the router against the layout -----------------------------------------------------------
    def on_router(self, tree):
        lists = {}
        for entry in ElementTree.fromstring(re.sub(r'xmlns="[^"]*"', "", tree)).iter("prefix-list"):
            lists.setdefault(entry.findtext("name"), []).extend(
                ipaddress.ip_network(i.findtext("name")) for i in entry.findall("prefix-list-item"))
        return lists

    def router_owners(self):
        """{unit: element} by first match on the router's merged lists against the layout of the profile."""
        lists = self.on_router(self.lab.ctl("merged"))
        for g in json.loads(self.lab.cli("layout", "--json"))["groups"]:
            ids = {e["id"] for e in next(x for x in self.lab.groups if x["id"] == g["id"])["element"]}
            for f in g["families"]:
                v = "v4" if f["family"] == "ipv4" else "v6"
                where = {}
                for layer in ("base", "ovr"):
                    for i in ids:
                        for p in lists.get("%s-%s-%s" % (i, layer, v), ()):
                            where[(layer, p)] = i
                for u in f["units"]:
                    p = ipaddress.ip_network(u["prefix"])
                    owner = self.longest(where, p)
                    if owner != u["element"]:
                        raise Failed("%s %s: router %s, layout %s" % (g["id"], p, owner, u["element"]))

    @staticmethod
    def longest(where, p):
        for layer in ("ovr", "base"):
            q = p
            while q.prefixlen > 8:
                if (layer, q) in where:
                    return where[(layer, q)]
                q = q.supernet()
        return None

    def alarms(self):
        tree = json.loads(self.lab.cli("alarms", "--json", code=None))
        found = []

        def walk(x):
            if isinstance(x, dict):
                if "type" in x and "severity" in x:
                    found.append("%s %s %s" % (x["type"], x.get("key", ""), x.get("cause", "")))
                for y in x.values():
                    walk(y)
            elif isinstance(x, list):
                for y in x:
                    walk(y)
        walk(tree)
        return found

    def compare_with_fresh(self, offline):
        lab = self.lab
        home = lab.dir / ("fresh-%d" % self.fresh_agents)
        self.fresh_agents += 1
        (home / "state").mkdir(parents=True)
        tree = json.loads(lab.profile.read_text())
        root = tree["autofbf:profile"]
        root["mode"] = "monitor"
        root["bmp"]["port"], root["syslog"]["port"] = labkit.free_port(), labkit.free_port()
        for name in ("user", "known_hosts"):
            (home / name).write_bytes((lab.dir / name).read_bytes())
            (home / name).chmod(0o600)
        path = home / "profile.json"
        path.write_text(json.dumps(tree))
        sock = home / "agent.sock"
        lab.start("fresh", [lab.build / "autofbfd", "-d", "-f", path, "--socket", sock, "--state-dir", home / "state"])

        def cli(*words, code=0):
            r = subprocess.run([lab.build / "autofbf", "--socket", sock, *map(str, words)], text=True, capture_output=True,
                               env=lab.env(), stdin=subprocess.DEVNULL, timeout=60)
            if code is not None and r.returncode != code:
                raise Failed("fresh %s: %d %s%s" % (words, r.returncode, r.stdout[-1500:], r.stderr[-500:]))
            return r.stdout

        def up():
            s = json.loads(cli("status", "--json"))["autofbf:state"]
            return s["router"]["lists-known"] and all(f["freeze"] == "no" for g in s["group"] for f in g["family"])
        try:
            wait_for("the fresh agent", up)
            for name in sorted(offline):
                wait_for("fresh offline", lambda n=name: cli("element", "offline", n, "--reason", "x", "--yes"))

            def same():
                (home / "a.json").write_text(lab.cli("layout", "--json"))
                (home / "b.json").write_text(cli("layout", "--json"))
                r = subprocess.run([lab.build / "autofbf", "compare", home / "a.json", home / "b.json"], text=True,
                                   capture_output=True, env=lab.env())
                if r.returncode:
                    raise Failed("compare: %s%s" % (r.stdout[-1200:], r.stderr))
                cli("diff")
                return True
            wait_for("the fresh agent agrees", same)
        except Failed:
            print("\n".join("# fresh " + x for x in cli("status", code=None).splitlines()))
            raise
        finally:
            code = lab.stop("fresh")
        expect("the fresh agent's end", code, 0)

    def check_rest(self, out, offline):
        lab = self.lab
        wait_for("diff", lambda: lab.cli("diff", code=0) or True)
        self.router_owners()
        self.compare_with_fresh(offline)
        pools = [ipaddress.ip_network(p["prefix"]) for g in lab.groups for p in g["pool"] if "until" not in p]
        for _ in range(10):
            pool = self.rng.choice(pools)
            src = pool[self.rng.randrange(1, min(pool.num_addresses - 1, 1 << 60))]
            dst = "198.51.100.10" if pool.version == 4 else "2001:db8:ffff::10"
            group = next(g["id"] for g in lab.groups if any(ipaddress.ip_network(p["prefix"]) == pool for p in g["pool"]))
            r = subprocess.run([lab.build / "autofbf", "--socket", lab.socket, "trace", str(src), dst, group], text=True,
                               capture_output=True, env=lab.env())
            if r.returncode:
                raise Failed("trace %s %s: %d %s %s" % (src, group, r.returncode, r.stdout, r.stderr))

    def memory(self):
        text = pathlib.Path("/proc/%d/status" % self.lab.processes["agent"].pid).read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1))

    def event_log(self):
        rows = [json.loads(x) for x in (self.lab.dir / "state" / "events.jsonl").read_text().splitlines()]
        ids = [r["id"] for r in rows if "id" in r]
        if ids != sorted(set(ids)):
            raise Failed("ids of events: %s" % [b for a, b in zip(ids, ids[1:]) if b <= a][:5])
        for r in rows:
            if not r.get("text"):
                raise Failed("an event without text: %s" % r)


def run(seed):
    rng = random.Random(seed)
    name = os.environ.get("PROFILE") or rng.choice(PROFILES)
    options = [w for n in SPARES for p in spare_peers(n) for w in ("--peer", "+%s,as=%d" % (p, 65200 + n))]
    options += rng.choice(((), ("--base-1.1",), ("--bmp-habit", "junos"), ("--syslog-tcp",)))
    groups = json.loads((lib.TOP / "profiles" / name).read_text())["autofbf:profile"]["group"]
    if "nat" not in groups[0]:
        groups = test_chaos.draw_groups(name, rng)
    else:
        for group in groups:
            group.update({"hold-down": rng.randint(0, 1), "startup-wait": 2, "mass-event-window": 1500})
    with sim(profile=name, overrides={"group": groups, **test_chaos.OVERRIDES}, router_options=options) as lab:
        story = Story(lab, rng)
        judge = lab.check_invariants

        def check_invariants():
            """What a second writer did is not ours."""
            try:
                judge()
            except Failed:
                text = (lab.dir / "checker.log").read_text()
                ours = [x for x in text.splitlines() if x.startswith("VIOLATION") and not (
                    story.wrote and ("two-owners" in x and "override" in x))]
                if ours:
                    raise Failed("\n".join(ours)[:1500])
        lab.check_invariants = check_invariants
        port = labkit.free_port()
        lab.start("publish", [lab.build / "autofbf-publish", "-d", "--socket", lab.socket, "--agentx", lab.dir / "noagentx",
                              "--interval", "1", "--http", "127.0.0.1:%d" % port])
        try:
            story.disorder()
            story.settle_profile()
            down, offline = story.draw_rest()
            story.said.append("---- rest 1 down %s offline %s" % (down, offline))
            story.healed(down, offline)
            story.rest(down | offline)
            story.check_rest(down | offline, offline)
            story.said.append("---- rest 2 base")
            story.commit_base()
            story.announce()
            story.healed(set(), set())
            story.rest(set())
            expect("overrides", test_chaos.overrides_left(lab), [])
            story.check_rest(set(), set())

            def silent():
                left = [a for a in story.alarms() if not a.startswith(("nat-blocks", "nat-hosts", "capacity"))]
                if left:
                    raise Failed("; ".join(left))
                return True
            wait_for("no alarm is left", silent)
            story.event_log()
            text = urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port, timeout=20).read().decode()
            if "autofbf_" not in text:
                raise Failed("metrics: %s" % text[:300])
            expect("publisher's end", lab.stop("publish"), 0)
            if os.environ.get("VERBOSE"):
                story.tell()
            print("# profile %s, %d acts, memory %d kB" % (name, len(story.said), story.memory()))
        except Exception:
            traceback.print_exc(file=sys.stdout)
            story.tell()
            raise


def main():
    print("# SEED=%d" % SEED, flush=True)
    for number in range(ROUNDS):
        @case("a story ends well, seed %d" % (SEED + number))
        def _(seed=SEED + number):
            run(seed)
    lib.end()


if __name__ == "__main__":
    main()
