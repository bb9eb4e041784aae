#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Everything at once, at random: peers, sources, sessions, faults, reboots, kills, an operator.

Each run has a seed of its own. After a while of disorder the faults end, but some elements stay down
or offline: the agent must settle on the layout that the profile and the set of elements alone give.
Then everything heals: no override may be left. When it is quiet, audits may not commit anything. The
invariant checker looks at every configuration that the router had meanwhile.

SEED=N makes the first run that of this seed; ROUNDS=N makes N runs. For hours of it, with other profiles
under way: stories.py.
"""
import json
import os
import random
import signal
import subprocess
import time

import lib
from lib import Failed, case, expect, sim, wait_for

ROUNDS = int(os.environ.get("ROUNDS", 6))
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(1000000)))
DISORDER_S = 2.0
PROFILES = ("four-dual-stack.json", "four-dual-stack.json", "eight-dual-stack.json", "v6-only.json",
            "premium-beside-large.json", "sixteen-with-split-and-spare.json")
CAUSES = ("bfd", "hold-timer", "admin", "notification", "closed", "interface", "unknown")
STEPS = ("hello", "open", "load", "commit", "close", "get", "show", "any")
FAULTS = ("slow", "lost-before", "lost-after", "error", "warning", "garbage", "dtd", "half", "silent", "full",
          "pause-before", "pause-after")
ALTER = {"ipv4": "192.0.2.129/32", "ipv6": "2001:db8:5::2/128"}
OVERRIDES = {"poll-interval": 300, "audit-interval": 500, "router/reply-timeout": 1000,
             "router/connect-timeout": 1000, "router/commit-timeout": 1500}

class Chaos:
    """A lab and what was done to it; everything that is drawn comes from one random generator."""

    def __init__(self, lab, rng):
        self.lab, self.rng = lab, rng
        self.members = [(group, e) for group in lab.groups for e in group["element"] if not e.get("removed")]
        self.peers = [peer for _, e in self.members for peer in self.peers_of(e)]
        self.offline, self.doubtful = set(), set()
        self.said = []

    @staticmethod
    def peers_of(element):
        return [element[f][s]["peer"] for f in ("ipv4", "ipv6") if f in element for s in ("inside", "outside")]

    # ---- words; each is noted, so that a failed run can be read -------------------------------
    def ctl(self, *words):
        self.said.append("%.2f ctl %s" % (time.monotonic() - self.start, " ".join(map(str, words))))
        return self.lab.ctl(*words)

    def cli(self, *words, code=None):
        self.said.append("%.2f autofbf %s" % (time.monotonic() - self.start, " ".join(words)))
        return self.lab.cli(*words, code=code)

    # ---- disorder -----------------------------------------------------------------------------
    def move_peer(self):
        verb = self.rng.choice(("down", "down", "up", "up", "flap", "bgp-up", "bfd-up", "bfd-down", "unmonitored"))
        peers = self.rng.sample(self.peers, self.rng.randint(1, 2))
        self.ctl("peer", verb, *peers, "cause", self.rng.choice(CAUSES))

    def move_element(self):
        _, element = self.rng.choice(self.members)
        self.ctl("peer", self.rng.choice(("down", "down", "up")), *self.peers_of(element), "cause",
                 self.rng.choice(CAUSES))

    def move_many(self):
        some = self.rng.sample(self.members, self.rng.randint(2, len(self.members)))
        verb = self.rng.choice(("down", "up", "up"))
        for _, element in some:
            self.ctl("peer", verb, *self.peers_of(element), "cause", self.rng.choice(CAUSES))

    def disturb_source(self):
        self.ctl(*self.rng.choice((("bmp", "off"), ("bmp", "on"), ("bmp", "restart"), ("bmp", "garbage"),
                                   ("syslog", "off"), ("syslog", "on"), ("syslog", "restart"),
                                   ("rpd", "off"), ("rpd", "on"), ("rpd", "on", "peers-down"))))

    def disturb_session(self):
        self.ctl(*self.rng.choice((("drop", "all"), ("lock", "on"), ("lock", "off"), ("resume",),
                                   ("static", "set", self.lab.dir / "static.xml"))))

    def disturb_reply(self):
        words = [self.rng.choice(STEPS), self.rng.choice(FAULTS)]
        if words[1] == "slow":
            words += ["number", str(self.rng.choice((20, 200, 700, 2000)))]
        self.ctl("fault", *words, "times", self.rng.randint(1, 3))

    def reboot(self):
        words = ["reboot", self.rng.choice(("keep", "empty"))]
        words += self.rng.choice(([], ["peers-down"], ["for", "400"]))
        self.ctl(*words)

    def kill_agent(self):
        self.said.append("%.2f agent killed" % (time.monotonic() - self.start))
        self.lab.kill_agent()
        time.sleep(self.rng.choice((0, 0.3)))
        self.lab.start_agent()

    def stop_for_a_while(self):
        name = self.rng.choice(("agent", "router"))
        self.said.append("%.2f %s stopped" % (time.monotonic() - self.start, name))
        process = self.lab.processes[name]
        process.send_signal(signal.SIGSTOP)
        time.sleep(self.rng.choice((0.1, 0.5)))
        process.send_signal(signal.SIGCONT)

    def order(self, word, name):
        """Who is offline is remembered here too: what the agent promised must survive its death."""
        reason = ("--reason", "chaos") if word == "offline" else ()
        try:
            self.cli("element", word, name, *reason, "--yes", code=0)
        except Failed as error:
            self.said.append("     " + str(error).splitlines()[0])
            if "exit 1" not in str(error):  # refused: nothing changed; else nobody knows
                self.doubtful.add(name)
            return
        self.doubtful.discard(name)
        (self.offline.add if word == "offline" else self.offline.discard)(name)

    def operate(self):
        _, element = self.rng.choice(self.members)
        group = self.rng.choice(self.lab.groups)["id"]
        word = self.rng.choice(("offline", "offline", "online", "freeze", "thaw", "alter", "audit", "look"))
        if word in ("offline", "online"):
            self.order(word, element["id"])
        elif word in ("freeze", "thaw"):
            self.cli(word, group, "--reason", "chaos")
        elif word == "alter":
            self.cli("path", "alter", self.rng.choice(("on", "off")), "--reason", "chaos", "--yes")
        elif word == "audit":
            self.cli("audit", "now")
        else:
            self.cli(*self.rng.choice((("status",), ("events",), ("diff",), ("layout", "--json"), ("sessions",))))

    def disorder(self):
        self.start = time.monotonic()
        acts = [self.move_peer] * 8 + [self.move_element] * 8 + [self.move_many] + [self.disturb_source] * 4 + \
               [self.disturb_session] * 3 + [self.disturb_reply] * 6 + [self.reboot, self.kill_agent] + \
               [self.stop_for_a_while] + [self.operate] * 5
        while time.monotonic() < self.start + DISORDER_S:
            self.rng.choice(acts)()
            time.sleep(self.rng.choice((0, 0, 0.02, 0.1, 0.2)))

    # ---- order --------------------------------------------------------------------------------
    def heal_router(self):
        for words in (("fault", "clear"), ("resume",), ("lock", "off"), ("rpd", "on"), ("bmp", "on"),
                      ("syslog", "on")):
            self.ctl(*words)
        wait_for("the router is up", lambda: self.lab.numbers()["booting"] == "0")
        self.ctl("resume")
        wait_for("the agent answers", self.lab.status)
        wait_for("audit now", lambda: self.cli("audit", "now", code=0))  # "full" waits for this word

    def healed(self, down, offline):
        """Every element up but those; offline ones by the operator, who says only what is news."""
        self.heal_router()  # before the peers: with rpd on or a boot they all return
        for _, element in self.members:
            self.ctl("peer", "down" if element["id"] in down else "up", *self.peers_of(element))
        for group in self.lab.groups:
            self.cli("thaw", group["id"], "--reason", "healed")
        away = {e["id"] for g in self.lab.status()["group"] for e in g["element"]
                if "forced" in e and not e["removed"]}
        expect("kept offline", sorted(away - self.doubtful),
               sorted((self.offline - self.doubtful) & {e["id"] for _, e in self.members}))
        self.offline = set(offline)
        for _, element in self.members:
            name = element["id"]
            if name in away and name not in offline:
                wait_for("online %s" % name, lambda n=name: self.cli("element", "online", n, "--yes", code=0))
        for name in sorted(offline - away):
            wait_for("offline %s" % name, lambda n=name: self.cli(
                "element", "offline", n, "--reason", "rest", "--yes", code=0))
        if any("alter-route" in side for g in self.lab.groups for side in g.get("signal", {}).values()
               if isinstance(side, dict)):
            wait_for("path alter off", lambda: self.cli("path", "alter", "off", "--yes", code=0))

    def draw_rest(self):
        """Who stays out: in each group less than half."""
        out = []
        for group in self.lab.groups:
            mine = [e["id"] for g, e in self.members if g is group]
            out += self.rng.sample(mine, self.rng.randint(0, (len(mine) - 1) // 2))
        down = {name for name in out if self.rng.random() < 0.5}
        return down, set(out) - down

    def wanted_ids(self, out):
        words = ["--down", ",".join(sorted(out))] if out else []
        tree = json.loads(self.lab.cli("layout", "--profile", self.lab.profile, *words, "--json"))
        return {(g["id"], f["family"]): f["layout-id"] for g in tree["groups"] for f in g["families"]}

    def live_ids(self, status):
        return {(g["id"], f["family"]): f["layout-id"] for g in status["group"] for f in g["family"]}

    def bring_back(self, status):
        """What a group with manual revert asks of its operator."""
        for group in status["group"]:
            for element in group["element"]:
                if any(family["awaits-operator"] for family in element["family"]):
                    self.cli("element", "online", element["id"], "--yes")

    def is_quiet(self, wanted):
        status = self.lab.in_sync()
        if not status:
            raise Failed("not in sync")
        self.bring_back(status)
        differ = {key: status_id for key, status_id in self.live_ids(status).items() if status_id != wanted[key]}
        if differ:
            raise Failed("layouts %s" % ", ".join("%s %s" % key for key in differ))
        for group in status["group"]:
            for family in group["family"]:
                if "hold-until" in family.get("failed-route", {}):
                    raise Failed("%s %s: the failed route is held" % (group["id"], family["family"]))
            for element in group["element"]:
                for family in element["family"]:
                    if family["wanted-units"] != family["effective-units"] or \
                            family["wanted-share"] != family["effective-share"]:
                        raise Failed("%s %s: not as wanted" % (element["id"], family["family"]))
        return status

    def rest(self, out):
        """Quiet on the layout of this set, and no audit finds anything to do."""
        wanted = self.wanted_ids(out)
        wait_for("quiet without %s" % (sorted(out) or "nobody"), lambda: self.is_quiet(wanted))
        commits, audits = self.lab.commits(), self.lab.counter("audits")
        for i in range(3):
            self.cli("audit", "now", code=0)
            wait_for("audit", lambda n=audits + i: self.lab.counter("audits") > n)
        wait_for("still quiet", lambda: self.is_quiet(wanted))  # a restart may have been found meanwhile
        expect("commits by audits of a router that is right", self.lab.commits(), commits)

    def tell(self):
        """What a reader of a failed run wants to know."""
        text = self.said + self.cli("status").splitlines() + self.cli("events").splitlines()[-60:]
        print("\n".join("# " + line for line in text))


def overrides_left(lab):
    text = lab.ctl("ephemeral")
    return [line for line in text.splitlines() if "prefix-list-item" in line or "<route>" in line]

def draw_groups(name, rng):
    """The groups of an example, with times short enough for a test."""
    groups = json.loads((lib.TOP / "profiles" / name).read_text())["autofbf:profile"]["group"]
    for group in groups:
        group.update({"hold-down": rng.randint(0, 1), "startup-wait": 2, "mass-event-window": 1500})
        group["damping"] = {"flaps": rng.choice((0, 2, 3)), "window": 20, "initial": 2, "maximum": 4}
        if "signal" in group:
            group["signal"]["revert-hold"] = 1
    groups[0]["signal"] = {"revert-hold": 1, **{f: {"alter-route": ALTER[f]} for f in ALTER if any(
        f in element for element in groups[0]["element"])}}
    return groups


def run(seed):
    rng = random.Random(seed)
    name = rng.choice(PROFILES)
    router_options = rng.choice(((), ("--base-1.1",), ("--bmp-habit", "junos"), ("--syslog-tcp",)))
    with sim(profile=name, overrides={"group": draw_groups(name, rng), **OVERRIDES},
             router_options=router_options) as lab:
        chaos = Chaos(lab, rng)
        revision, before = lab.numbers()["static-revision"], lab.commits()
        try:
            chaos.disorder()
            down, offline = chaos.draw_rest()
            chaos.healed(down, offline)
            chaos.rest(down | offline)
            chaos.healed(set(), set())
            chaos.rest(set())
            expect("overrides", overrides_left(lab), [])
            expect("static configuration", lab.numbers()["static-revision"], revision)
            bound = 2 * len(chaos.said) + 10
            if lab.commits() - before > bound:
                raise Failed("%d commits for %d disturbances" % (lab.commits() - before, len(chaos.said)))
        except (Failed, OSError, subprocess.SubprocessError):
            chaos.tell()
            raise


def main():
    print("# SEED=%d" % SEED, flush=True)
    for number in range(ROUNDS):
        @case("disorder heals, seed %d" % (SEED + number))
        def _(seed=SEED + number):
            run(seed)
    lib.end()


if __name__ == "__main__":
    main()
