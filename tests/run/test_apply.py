#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Another profile under a running agent, on the simulator: by autofbf profile apply and by SIGHUP."""
import contextlib
import json
import os
import pty
import re
import signal
import socket
import subprocess
from xml.etree import ElementTree

import lib
from lib import case, expect, moment, records, sim, wait_for

UNITS = 1024
NOBODY = "65534"
SPARE = {"id": "fbf-05", "weight": [{"epoch": 1, "weight": 0}],
         "ipv4": {"inside": {"peer": "10.1.5.2"}, "outside": {"peer": "10.2.5.2"}},
         "ipv6": {"inside": {"peer": "fd00:1:5::2"}, "outside": {"peer": "fd00:2:5::2"}}}


ALL_PEERS = [address % n for n in range(1, 5)
             for address in ("10.1.%d.2", "10.2.%d.2", "fd00:1:%d::2", "fd00:2:%d::2")]


def add_spare(group):
    """A fifth element that the router knows and that has no weight yet."""
    group["element"].append(json.loads(json.dumps(SPARE)))


@contextlib.contextmanager
def five(**options):
    with sim(change=add_spare, **options) as lab:
        wait_up(lab, "fbf-05")
        lab.settle()
        yield lab


def wait_up(lab, element):
    wait_for("%s is up" % element,
             lambda: all(lab.family_of(element, f)["state"] == "up" for f in ("ipv4", "ipv6")))


def copy_profile(lab, name="next.json"):
    """A file of the operator's, beside the agent's."""
    path = lab.dir / name
    path.write_text(lab.profile.read_text())
    for key in ("user", "known_hosts"):
        if not (path.parent / key).exists():
            raise lib.Failed("the file must lie where the keys are")
    return path


def edit(path, change):
    """change(group, root) on the profile's tree."""
    tree = json.loads(path.read_text())
    change(tree["autofbf:profile"]["group"][0], tree["autofbf:profile"])
    path.write_text(json.dumps(tree, indent=1))
    return path


def element(group, name):
    return next(e for e in group["element"] if e["id"] == name)


def apply(lab, path, *words, code=0):
    return lab.cli("profile", "apply", path, "--yes", *words, code=code)


def answer(lab, path, word):
    """What apply shows on a terminal where somebody answers its question."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(lab.build / "autofbf", ["autofbf", "--socket", str(lab.socket), "profile", "apply", str(path)],
                  lab.env())
    text, asked = b"", False
    with contextlib.suppress(OSError):  # its end
        while part := os.read(terminal, 4096):
            text += part
            if b"[y/N]" in text and not asked:
                asked = True
                os.write(terminal, word + b"\n")
    os.close(terminal)
    os.waitpid(pid, 0)
    return " ".join(text.decode().split())


def commit_base(lab, path):
    """The operator commits what router-config says."""
    target = lab.dir / "base.xml"
    target.write_text(lab.cli("router-config", "--profile", path, "--format", "xml"))
    lab.ctl("static", "load", target)


def terms(lab, name):
    """Of a filter in the router's static configuration, in their order."""
    tree = ElementTree.fromstring(lab.ctl("static"))
    return [term.findtext("name") for f in tree.iterfind("firewall/family/*/filter") if f.findtext("name") == name
            for term in f.iterfind("term")]


def entries(lab):
    """Of each list in the instance."""
    return {entry.findtext("name"): len(entry.findall("prefix-list-item"))
            for entry in ElementTree.fromstring(lab.ctl("ephemeral")).iter("prefix-list")}


def owners(lab):
    """{(family, unit): element} as wanted."""
    layout = json.loads(lab.cli("layout", "--json"))
    return {(f["family"], u["prefix"]): u["element"] for f in layout["groups"][0]["families"] for u in f["units"]}


def on_router(lab):
    """Entries of all override lists: what the agent has added in the instance."""
    return sum(f["override-entries"] for e in lab.status()["group"][0]["element"]
               for f in lab.families(e).values())


def sessions(lab):
    wait_for("bmp", lambda: lab.numbers()["bmp-connected"] == "1")
    numbers = lab.numbers()
    return {name: numbers[name] for name in ("sessions", "bmp-sessions", "bmp-connected", "peers-up")}, \
        lab.counter("reconnects")


def running(lab):
    return lab.status()["profile-id"]


def refused(lab, path, *words, says):
    """The agent says no, says why, and goes on as it was."""
    before, file = (running(lab), lab.commits()), lab.profile.read_text()
    text = apply(lab, path, *words, code=1)
    for word in says:
        if word not in text:
            raise lib.Failed("the refusal does not say %r: %s" % (word, text))
    expect("the agent after a refusal", (running(lab), lab.commits()), before)
    expect("the file after a refusal", lab.profile.read_text(), file)
    return text


# ---- an element comes ---------------------------------------------------------------------------

@case("an element comes: one commit, only the units that profile diff names move, and they are the minimum")
def _():
    with five() as lab:
        new = copy_profile(lab)
        lab.cli("profile", "reweight", new, "fbf-05", "1", "--yes")
        diff = json.loads(lab.cli("profile", "diff", new, "--json", code=4))
        expect("moved is the minimum", diff["moved"], diff["minimum"])
        before, kept = owners(lab), sessions(lab)
        expect("dry run", "would take it" in lab.cli("profile", "apply", new, "--dry-run"), True)
        expect("commits after the dry run", lab.commits(), 0)
        text = apply(lab, new, "--reason", "ticket 4711")
        expect("it says what comes next", "base lists" in text, True)
        lab.settle()
        expect("commits", lab.commits(), 1)
        after = owners(lab)
        moved = [key for key in before if before[key] != after[key]]
        expect("units that moved", len(moved), diff["moved"])
        expect("they went to the new element", {after[key] for key in moved}, {"fbf-05"})
        expect("effective", lab.effective()["ipv4"], {"fbf-01": 205, "fbf-02": 205, "fbf-03": 205,
                                                      "fbf-04": 205, "fbf-05": 204})
        expect("sessions", sessions(lab), kept)
        expect("the agent's file is the operator's", lab.profile.read_text(), new.read_text())
        told = [r["text"] for r in records(lab) if r["kind"] == "profile"]
        expect("records of it", len(told), 1)
        expect("the record names who and why", "by root: ticket 4711" in told[0] or os.getuid() != 0, True)
        decisions = [r for r in records(lab) if r["kind"] == "decision"][-2:]
        expect("units of the decisions", sum(r["moved"] for r in decisions), diff["moved"])
        lab.restart_agent()
        expect("commits after a restart", lab.commits(), 1)


@case("then the base lists: overrides vanish, nobody moves, at no step")
def _():
    with five() as lab:
        new = copy_profile(lab)
        lab.cli("profile", "reweight", new, "fbf-05", "1", "--yes")
        apply(lab, new)
        lab.settle()
        expect("overrides", on_router(lab), 408)
        wanted = lab.effective()
        commit_base(lab, new)
        expect("effective as soon as the base is committed", lab.effective(), wanted)
        wait_for("overrides are gone", lambda: on_router(lab) == 0)
        lab.settle()
        expect("effective", lab.effective(), wanted)
        expect("commits", lab.commits(), 2)
        expect("cause", [r["cause"] for r in records(lab) if r["kind"] == "commit"][-1],
               "new base lists on the router")
        expect("base drift", lab.group_family("ipv4")["base-drift"], 0)
        expect("nobody else wrote", [r["text"] for r in records(lab) if "drift" in r["kind"] + r["text"]], [])


@case("the router is away: the new profile runs, and is on the router when that is back")
def _():
    with five() as lab:
        new = copy_profile(lab)
        lab.cli("profile", "reweight", new, "fbf-05", "1", "--yes")
        lab.stop("router")
        wait_for("no session", lambda: not lab.status()["router"]["edit-session"])
        apply(lab, new)
        wanted = running(lab)
        lab.start_router()
        lab.settle()
        wait_for("effective", lambda: lab.effective()["ipv4"]["fbf-05"] == 204)
        expect("profile", running(lab), wanted)
        commit_base(lab, new)
        wait_for("overrides are gone", lambda: on_router(lab) == 0)
        expect("effective", lab.effective()["ipv6"]["fbf-05"], 204)


@case("while another commit is under way: the next one brings the new profile")
def _():
    with five() as lab:
        new = copy_profile(lab)
        lab.cli("profile", "reweight", new, "fbf-05", "1", "--yes")
        lab.ctl("fault", "commit", "pause-before")
        lab.cli("element", "offline", "fbf-02", "--reason", "x", "--yes")
        lab.ctl("wait", "paused")
        apply(lab, new)
        lab.ctl("resume")
        wait_for("both commits", lambda: lab.commits() == 2)
        lab.settle()
        expect("fbf-02 carries nothing", lab.effective()["ipv4"]["fbf-02"], 0)
        expect("all units are carried", sum(lab.effective()["ipv4"].values()), UNITS)
        expect("repairs", [r for r in records(lab) if r["kind"] == "drift"], [])


@case("the whole way of a new element, as README has it: weight 0, configuration, up, weight 1, base lists, and out")
def _():
    peers = [SPARE[f][s]["peer"] for f in ("ipv4", "ipv6") for s in ("inside", "outside")]
    with sim(router_options=[word for peer in ALL_PEERS + peers for word in ("--peer", peer)]) as lab:
        wait_up(lab, "fbf-01")
        lab.ctl("peer", "down", *peers)
        new = copy_profile(lab)
        lab.cli("profile", "add-element", new, "--group", "cgn", "--id", "fbf-05", "--weight", "0", "--ipv4-inside",
                peers[0], "--ipv4-outside", peers[1], "--ipv6-inside", peers[2], "--ipv6-outside", peers[3], "--yes")
        apply(lab, new)
        lab.settle()
        commit_base(lab, new)
        expect("terms of the filter", terms(lab, "cgn-outside-v4"),
               ["local"] + ["fbf-%02d-%s" % (n, kind) for kind in ("ovr", "base") for n in range(1, 6)]
               + ["subscribers", "rest"])
        lab.ctl("peer", "up", *peers)
        wait_up(lab, "fbf-05")
        expect("commits so far", lab.commits(), 0)
        lab.cli("profile", "reweight", new, "fbf-05", "1", "--yes")
        apply(lab, new)
        lab.settle()
        expect("effective", lab.effective()["ipv4"]["fbf-05"], 204)
        commit_base(lab, new)
        wait_for("overrides are gone", lambda: on_router(lab) == 0)
        expect("commits", lab.commits(), 2)
        lab.cli("profile", "remove-element", new, "fbf-05", "--yes")
        apply(lab, new)
        lab.settle()
        commit_base(lab, new)
        wait_for("overrides are gone", lambda: on_router(lab) == 0)
        expect("the router forgets the element", "fbf-05" in lab.ctl("static"), False)
        expect("base drift", lab.group_family("ipv4")["base-drift"], 0)


# ---- refusals ------------------------------------------------------------------------------------

@case("a change in place is refused, with both figures; --force takes it")
def _():
    with sim() as lab:
        new = edit(copy_profile(lab), lambda g, r: element(g, "fbf-02").update(weight=[{"epoch": 0, "weight": 3}]))
        text = refused(lab, new, says=["moves", "% of group cgn ipv4", "the least is", "new epoch", "--force"])
        expect("the screen warned, too", "more than the minimum" in text, True)
        apply(lab, new, "--force")
        lab.settle()
        expect("effective", lab.effective()["ipv4"]["fbf-02"], UNITS // 2)
        expect("commits", lab.commits(), 1)


@case("an element that is not up gets no units of others: not a new one, not one that is down")
def _():
    with sim() as lab:
        new = edit(copy_profile(lab), lambda g, r: g["element"].append(dict(SPARE, weight=[{"epoch": 1, "weight": 1}])))
        refused(lab, new, says=["no prefix-list fbf-05-ovr-v4", "weight 0 first"])
    with five() as lab:
        new = copy_profile(lab)
        lab.cli("profile", "reweight", new, "fbf-05", "1", "--yes")
        lab.element_down("fbf-05")
        wait_for("down is seen", lambda: lab.family_of("fbf-05", "ipv4")["state"] == "down")
        refused(lab, new, says=["fbf-05 would get 204 ipv4 units", "is not up", "--force"])


@case("a retirement is refused while another element is out; of the dead one it moves nothing")
def _():
    with sim() as lab:
        lab.element_down("fbf-03")
        lab.wait_effective([None, None, 0, None])
        lab.settle()
        new = copy_profile(lab)
        lab.cli("profile", "remove-element", new, "fbf-02", "--yes")
        refused(lab, new, says=["fbf-02 would retire", "while fbf-03 is out (down)", "bring fbf-03 back first"])
        before, commits = owners(lab), lab.commits()
        dead = copy_profile(lab, "dead.json")
        lab.cli("profile", "remove-element", dead, "fbf-03", "--yes")
        apply(lab, dead)
        lab.settle()
        expect("owners", owners(lab), before)
        expect("commits", lab.commits(), commits)
        expect("status of the tombstone",
               [e["removed"] for e in lab.status()["group"][0]["element"] if e["id"] == "fbf-03"], [True])


@case("an element that retires while it is offline: nobody is told of its order any more, and it is kept")
def _():
    with sim() as lab:
        lab.cli("element", "offline", "fbf-02", "--reason", "retires", "--yes")
        lab.wait_effective([None, 0, None, None])
        lab.settle()
        new = copy_profile(lab)
        lab.cli("profile", "remove-element", new, "fbf-02", "--yes")
        expect("it says what is kept", "offline of fbf-02 is kept" in " ".join(apply(lab, new).split()), True)
        lab.settle()
        expect("held", "offline by operator none" in lab.cli("status"), True)
        commit_base(lab, new)
        wait_for("overrides are gone", lambda: on_router(lab) == 0)
        expect("the order", "fbf-02" in (lab.dir / "state" / "state.json").read_text(), True)


@case("a spare that carries a dead element's units: not taken away unsaid, nor dealt otherwise")
def _():
    def add_failed_weight(group):
        add_spare(group)
        element(group, "fbf-05")["failed-weight"] = 1

    def words(text):
        return " ".join(text.split())

    with sim(change=add_failed_weight) as lab:
        wait_up(lab, "fbf-05")
        gone, split = copy_profile(lab, "gone.json"), copy_profile(lab, "split.json")
        told = lab.cli("profile", "remove-element", gone, "fbf-05", "--yes")
        expect("the file knows nothing of who is out", "This is with all elements up" in told, True)
        edit(split, lambda g, r: element(g, "fbf-05").update({"failed-weight": 3}))
        for new in (gone, split):
            expect("with all up", "move at once" in words(lab.cli("profile", "apply", new, "--dry-run")), False)
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        lab.settle()
        carried = lab.effective()["ipv4"]["fbf-05"]
        expect("the spare carries", carried > 0, True)
        refused(lab, gone, says=["fbf-05 would retire", "while fbf-02 is out (down)"])
        told = words(lab.cli("profile", "apply", gone, "--dry-run", "--force"))
        moving = re.search(r"note: (\d+) of 1024 ipv4 units of group cgn move at once; out: fbf-02", told)
        expect("the agent tells: %s" % told, moving and int(moving.group(1)) >= carried, True)
        told = answer(lab, split, b"n")
        expect("told before it asks: %s" % told, re.search(r"move at once; out: fbf-02 Go on\? .*not done", told) is None,
               False)
        expect("nothing was done", lab.effective()["ipv4"]["fbf-05"], carried)
        told = answer(lab, split, b"y")
        expect("told once", told.count("ipv4 units of group cgn move at once"), 1)
        expect("also of a split", "ipv4 units of group cgn move at once; out: fbf-02" in told, True)
        lab.settle()
        expect("they did", lab.effective()["ipv4"]["fbf-05"] > carried, True)


@case("a spare that the router has no lists for may not take over a dead element's units")
def _():
    with sim() as lab:
        says = ["no prefix-list fbf-05-ovr-v4", "weight 0 first, without failed-weight"]
        new = edit(copy_profile(lab), lambda g, r: g["element"].append(dict(SPARE, **{"failed-weight": 1})))
        refused(lab, new, says=says)
        apply(lab, edit(copy_profile(lab, "idle.json"), lambda g, r: add_spare(g)))
        refused(lab, new, says=says)
        edit(new, lambda g, r: g.update({"hold-down": 9}))
        apply(lab, new, "--force")
        apply(lab, edit(new, lambda g, r: g.update({"hold-down": 8})))  # it is no worse than it was


@case("nobody is left: what was written stays, so lists keep their names and elements their lines")
def _():
    with sim() as lab:
        for name in lab.elements:
            lab.element_down(name)
            wait_for("%s is down" % name, lambda n=name: lab.family_of(n, "ipv4")["state"] == "down")
        wait_for("nobody is left", lambda: lab.group_family("ipv4")["freeze"] == "nobody-left")
        wait_for("the last commit", lambda: lab.status()["router"]["stage"] == "idle")
        kept = on_router(lab)
        expect("overrides", kept > 0, True)
        new = copy_profile(lab)
        edit(new, lambda g, r: element(g, "fbf-04")["ipv4"].update({"override-list": "north-v4"}))
        refused(lab, new, "--force", says=["nobody of group cgn ipv4 is left", "names of their lists"])
        refused(lab, edit(copy_profile(lab), lambda g, r: g["element"].pop(0)), "--force", says=["is left"])
        apply(lab, edit(copy_profile(lab), lambda g, r: g.update({"hold-down": 1})))
        expect("overrides are there", on_router(lab), kept)
        for name in lab.elements:
            lab.element_up(name)
        lab.wait_effective([256] * 4)


@case("nobody is left and nobody will be: a family or a group that is given up may go")
def _():
    def without_v6(group, root):
        for one in group["element"]:
            del one["ipv6"]
        group["pool"] = [pool for pool in group["pool"] if ":" not in pool["prefix"]]

    with sim() as lab:
        for name in lab.elements:
            lab.ctl("peer", "down", *[a for a in ALL_PEERS if ":" in a and a.split(":")[2] == name[-1]])
            wait_for("%s is down" % name, lambda n=name: lab.family_of(n, "ipv6")["state"] == "down")
        wait_for("nobody is left", lambda: lab.group_family("ipv6")["freeze"] == "nobody-left")
        wait_for("the last commit", lambda: lab.status()["router"]["stage"] == "idle")
        refused(lab, edit(copy_profile(lab), lambda g, r: element(g, "fbf-04")["ipv6"].update(
            {"override-list": "north-v6"})), "--force", says=["leave all of ipv6 out", "if it is given up"])
        apply(lab, edit(copy_profile(lab), without_v6))
        lab.settle()
        expect("families", [f["family"] for f in lab.status()["group"][0]["family"]], ["ipv4"])
        wait_for("nothing of it is left", lambda: not [n for n, count in entries(lab).items() if count and "-v6" in n])


@case("a frozen family takes no other base, not even by force; timers and names it does")
def _():
    with five() as lab:
        new = copy_profile(lab)
        lab.cli("profile", "reweight", new, "fbf-05", "1", "--yes")
        lab.cli("freeze", "cgn", "--reason", "migration")
        refused(lab, new, "--force", says=["ipv4 of group cgn is frozen", "thaw cgn"])
        apply(lab, edit(copy_profile(lab, "calm.json"), lambda g, r: g.update({"hold-down": 7, "name": "CGNAT"})))
        expect("freeze", lab.group_family("ipv4")["freeze"], "operator")
        lab.cli("thaw", "cgn", "--reason", "done")
        apply(lab, new, "--force")  # over calm.json
        lab.settle()
        expect("effective", lab.effective()["ipv4"]["fbf-05"], 204)


@case("wrong files: each is named with its place, and the agent goes on")
def _():
    with sim() as lab:
        before = running(lab)

        def says(text, *words):
            for word in words:
                expect("%r is said in %r" % (word, text), word in text, True)

        new = edit(copy_profile(lab), lambda g, r: g.update({"hold-downs": 5}))
        says(apply(lab, new, code=2), "next.json:", "/group[cgn]/hold-downs", "newer autofbf?")
        new.write_text(lab.profile.read_text()[:-20])
        says(apply(lab, new, code=2), "next.json:", "JSON")
        new = edit(copy_profile(lab), lambda g, r: r["router"].update({"instance": "other"}))
        refused(lab, new, "--force", says=["/router/instance", "would stay behind"])
        says(apply(lab, lab.dir / "none.json", code=2), "none.json")
        new.write_text(lab.profile.read_text() + " " * 1000000)
        says(apply(lab, new, code=2), "next.json", "an agent takes 1000000", "reload")
        says(lab.cli("plan", "--profile", new, code=2), "an agent takes 1000000")
        new.write_text(lab.profile.read_text().ljust(1000000))
        says(apply(lab, new), "runs this profile already")
        expect("profile", running(lab), before)
        lab.stop("agent")
        lab.profile.write_text(lab.profile.read_text())
        says(lab.cli("profile", "apply", lab.profile, "--yes", code=3), "agent")
        lab.start_agent()
        lab.settle()


@case("the agent's file was edited meanwhile: refused, unless it says the same or by force")
def _():
    with sim() as lab:
        new = edit(copy_profile(lab), lambda g, r: g.update({"hold-down": 9}))
        edit(lab.profile, lambda g, r: g.update({"hold-down": 8}))
        refused(lab, new, says=["was edited since the agent read it"])
        apply(lab, lab.profile)  # the edit itself
        apply(lab, new)
        lab.profile.write_text("{ half")
        edit(new, lambda g, r: g.update({"hold-down": 10}))
        refused(lab, new, says=["was edited"])
        apply(lab, new, "--force")
        expect("file", lab.profile.read_text(), new.read_text())


@case("a directory that cannot be written: refused with the remedy, nothing applied")
def _():
    with sim() as lab:
        new = edit(copy_profile(lab), lambda g, r: g.update({"hold-down": 9}))
        shelf = lab.dir / "etc"
        shelf.mkdir()
        for name in ("user", "known_hosts"):
            os.link(lab.dir / name, shelf / name)
        (shelf / "profile.json").write_text(lab.profile.read_text())
        lab.stop("agent")
        lab.profile, lab.socket = shelf / "profile.json", lab.dir / "state" / "agent.sock"
        argv = lab.agent_argv()
        if os.getuid() == 0:  # somebody to whom permissions mean something
            subprocess.run(["chown", "-R", NOBODY, lab.dir / "state", lab.dir / "user", lab.dir / "known_hosts"],
                           check=True)
            os.chmod(lab.dir, 0o755)
            argv = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", *argv]
        else:
            os.chmod(shelf, 0o555)
        lab.start("agent", argv)
        lab.settle()
        refused(lab, new, says=["profile.json", "cannot make a file in its directory", "give the directory"])
        os.chmod(shelf, 0o755)


# ---- what stays ----------------------------------------------------------------------------------

@case("another name or another order moves nothing and makes no commit")
def _():
    with sim() as lab:
        kept, ids = sessions(lab), lab.layout_ids()
        file = lab.profile.read_text()

        def turn(group, root):
            group["element"].reverse()
            group["pool"].reverse()

        new = edit(copy_profile(lab), turn)
        expect("other order", "runs this profile already" in apply(lab, new), True)
        expect("result", json.loads(apply(lab, new, "--json"))["result"], "runs already")
        expect("the file", lab.profile.read_text(), file)
        apply(lab, edit(new, lambda g, r: element(g, "fbf-02").update(name="nine-two")))
        lab.settle()
        expect("name", [e["name"] for e in lab.status()["group"][0]["element"]][1], "nine-two")
        expect("commits", lab.commits(), 0)
        expect("layout-ids", lab.layout_ids(), ids)
        expect("sessions", sessions(lab), kept)
        wait_for("a poll under the new profile", lambda: lab.numbers())
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])


@case("health stays: down stays down, hold-down goes on, offline and its reason stay")
def _():
    with five(overrides={"group/hold-down": 120, "group/quorum": 0}) as lab:
        lab.element_down("fbf-03")
        lab.wait_effective([None, None, 0, None])
        lab.cli("element", "offline", "fbf-04", "--reason", "new software", "--yes")
        lab.element_down("fbf-02")
        lab.wait_effective([UNITS, 0, 0, 0])
        lab.element_up("fbf-02")
        wait_for("hold-down", lambda: lab.family_of("fbf-02", "ipv4")["state"] == "hold-down")
        lab.settle()

        def picture():
            """What must stay the same, and the times, which are computed from ages at each look."""
            same, times = [], []
            for entry in lab.status()["group"][0]["element"]:
                same.append((entry["id"], entry.get("forced-reason")))
                for family in entry["family"]:
                    reason = family["reason"].split(" (")[0]  # any poll may be the last source of the same word
                    same.append([reason] + [family.get(k) for k in ("state", "healthy", "effective-units")])
                    times += [moment(family[k]) for k in ("since", "hold-until") if family.get(k)]
            return same, times

        (before, times), commits = picture(), lab.commits()
        apply(lab, edit(copy_profile(lab), lambda g, r: g.update({"name": "CGNAT", "damping": {"flaps": 0}})))
        lab.settle()
        after, times_after = picture()
        expect("elements", after, before)
        expect("times", [abs((a - b).total_seconds()) < 0.5 for a, b in zip(times, times_after)], [True] * len(times))
        expect("commits", lab.commits(), commits)
        apply(lab, edit(copy_profile(lab), lambda g, r: g.update({"hold-down": 1})))
        wait_up(lab, "fbf-02")
        lab.cli("element", "online", "fbf-04", "--yes")
        lab.wait_effective([None, None, 0, None])


@case("NAT pools: what is known of their routes stays")
def _():
    with sim(profile="cgn-dual-stack.json") as lab:
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        lab.settle()
        before, commits, polls = lab.effective(), lab.commits(), lab.counter("polls")
        apply(lab, edit(copy_profile(lab), lambda g, r: g.update({"name": "CGNAT"})))
        expect("effective", lab.effective(), before)
        wait_for("polls", lambda: lab.counter("polls") > polls + 3)
        lab.settle()
        expect("effective after some polls", lab.effective(), before)
        expect("commits", lab.commits(), commits)
        lab.element_up("fbf-02")
        lab.wait_effective([64] * 4)


@case("NAT pools: new ones take nobody out before they were seen, and are told until then")
def _():
    added = "203.0.113.240/28"
    with sim(profile="cgn-dual-stack.json") as lab:
        before, commits = lab.effective(), lab.commits()
        new = edit(copy_profile(lab), lambda g, r: element(g, "fbf-04")["ipv4"]["nat-pool"].append(
            {"id": "third", "prefix": added}))
        told = lab.cli("profile", "apply", new, "--dry-run")
        expect("the dry run tells", "pool third %s of fbf-04 is new" % added in " ".join(told.split()), True)
        apply(lab, new)
        wait_for("an alarm", lambda: "nat-pool-missing" in lab.cli("alarms", code=None))
        expect("it says what is new", "new, so the element stays in service" in lab.cli("alarms", "--json", code=None),
               True)
        polls = lab.counter("polls")
        wait_for("polls", lambda: lab.counter("polls") > polls + 3)
        expect("in service", (lab.family_of("fbf-04", "ipv4")["state"], lab.effective()), ("up", before))
        lab.ctl("route", "10.2.4.2", added, "up")
        wait_for("the alarm ends", lambda: "nat-pool-missing" not in lab.cli("alarms", code=None))
        expect("commits", lab.commits(), commits)
        lab.ctl("route", "10.2.4.2", added, "down")
        wait_for("it leaves", lambda: lab.effective()["ipv4"]["fbf-04"] == 0)


@case("NAT pools: an element that was removed leaves its own behind, and the agent can still tell its state")
def _():
    with sim(profile="cgn-dual-stack.json") as lab:
        new = copy_profile(lab)
        lab.cli("profile", "remove-element", new, "fbf-01", "--yes")
        apply(lab, new)
        lab.wait_effective([0, None, None, None])
        lab.settle()
        entry = lab.family_of("fbf-01", "ipv4")
        expect("pools of the tombstone", entry.get("nat-pool", []), [])
        expect("the others have theirs", len(lab.family_of("fbf-04", "ipv4")["nat-pool"]), 2)
        expect("where", "in no pool" in lab.cli("where", "203.0.113.1", code=1), True)
        for words in (("plan", "--down", "fbf-01"), ("element", "offline", "fbf-01", "--yes")):
            expect(words[0], "any more (removed); there are: fbf-02, " in lab.cli(*words, code=2), True)


@case("monitor becomes active: now it writes, and back: now it does not")
def _():
    with sim(overrides={"mode": "monitor"}) as lab:
        lab.element_down("fbf-02")
        wait_for("wanted", lambda: lab.family_of("fbf-02", "ipv4")["wanted-units"] == 0)
        expect("commits", lab.commits(), 0)
        new = edit(copy_profile(lab), lambda g, r: r.update({"mode": "active"}))
        expect("note", "the mode is active now" in apply(lab, new), True)
        lab.wait_effective([None, 0, None, None])
        lab.settle()
        expect("commits", lab.commits(), 1)
        apply(lab, edit(new, lambda g, r: r.update({"mode": "monitor"})))
        lab.element_down("fbf-03")
        wait_for("wanted", lambda: lab.family_of("fbf-03", "ipv4")["wanted-units"] == 0)
        expect("commits", lab.commits(), 1)


@case("monitor for many audits: what is not written is no second writer, and is written when it may be")
def _():
    with sim(overrides={"mode": "monitor"}) as lab:
        lab.element_down("fbf-02")
        wait_for("wanted", lambda: lab.family_of("fbf-02", "ipv4")["wanted-units"] == 0)
        audits = lab.counter("audits")
        wait_for("audits", lambda: lab.counter("audits") >= audits + 4)
        audit = lab.status()["audit"]
        expect("drift", (audit["drift"], audit.get("two-writers", [])), (0, []))
        expect("edits wait", lab.group_family("ipv4")["pending-edits"] > 0, True)
        apply(lab, edit(copy_profile(lab), lambda g, r: r.update({"mode": "active"})))
        lab.wait_effective([None, 0, None, None])


@case("monitor while a commit waits for the lock, or was refused: nothing is written any more")
def _():
    for step in ("lock", "load"):
        with sim() as lab:
            new = edit(copy_profile(lab), lambda g, r: r.update({"mode": "monitor"}))
            if step == "lock":
                lab.ctl("lock", "on")
            else:
                lab.ctl("fault", "load", "error", "text", "statement creation failed")
            lab.element_down("fbf-02")
            wait_for("refused", lambda: lab.counter("refused" if step == "lock" else "load-errors") >= 1)
            apply(lab, new)
            wait_for("nothing waits to be written",
                     lambda: not {"commit-pending", "commit-failed"} & set(lab.cli("alarms", code=None).split()))
            lab.ctl("lock", "off")
            if step == "load":
                lab.cli("audit", "now")
            wait_for("the router's turn is over", lambda: lab.status()["router"]["stage"] == "idle")
            expect("commits", lab.commits(), 0)
            expect("wanted", lab.family_of("fbf-02", "ipv4")["wanted-units"], 0)
            apply(lab, edit(new, lambda g, r: r.update({"mode": "active"})))
            lab.wait_effective([None, 0, None, None])


@case("monitor while a load is under way: it is dropped, not committed")
def _():
    with sim() as lab:
        new = edit(copy_profile(lab), lambda g, r: r.update({"mode": "monitor"}))
        lab.ctl("pause", "load", "before")
        lab.element_down("fbf-02")
        lab.ctl("wait", "paused")
        apply(lab, new)
        lab.ctl("resume")
        wait_for("the router's turn is over", lambda: lab.status()["router"]["stage"] == "idle")
        expect("commits", lab.commits(), 0)
        expect("nothing was written", sum(entries(lab).values()), 0)
        expect("alarms", {"commit-pending", "commit-failed"} & set(lab.cli("alarms", code=None).split()), set())
        apply(lab, edit(new, lambda g, r: r.update({"mode": "active"})))
        lab.wait_effective([None, 0, None, None])


@case("taken back while its commit is under way: what follows is no drift, and the way back has its cause")
def _():
    with five() as lab:
        old, new = copy_profile(lab, "old.json"), copy_profile(lab)
        lab.cli("profile", "reweight", new, "fbf-05", "1", "--yes")
        lab.ctl("pause", "commit", "before")
        apply(lab, new)
        lab.ctl("wait", "paused")
        apply(lab, old, "--force")
        lab.ctl("resume")
        wait_for("both commits", lambda: lab.commits() == 2)
        lab.settle()
        expect("effective", lab.effective()["ipv4"], {**dict.fromkeys(lab.elements, 256), "fbf-05": 0})
        expect("drift", [r["text"] for r in records(lab) if r["kind"] == "drift"], [])
        expect("causes", [r["cause"] for r in records(lab) if r["kind"] == "commit"], ["another profile"] * 2)


@case("an element leaves the file altogether: its list goes, and its offline is kept for its return")
def _():
    with sim() as lab:
        old = copy_profile(lab, "old.json")
        lab.element_down("fbf-01")
        lab.wait_effective([0, None, None, None])
        lab.settle()
        lab.cli("element", "offline", "fbf-04", "--reason", "sold", "--yes")
        lab.wait_effective([0, None, None, 0])
        lab.element_up("fbf-01")
        lab.wait_effective([None, None, None, 0])
        lab.cli("element", "online", "fbf-04", "--yes")
        lab.wait_effective([256] * 4)
        lab.element_down("fbf-01")
        lab.wait_effective([0, None, None, None])
        lab.settle()
        expect("fbf-04 has overrides", lab.family_of("fbf-04", "ipv4")["override-entries"] > 0, True)
        lab.element_up("fbf-01")
        lab.wait_effective([256] * 4)
        lab.cli("element", "offline", "fbf-01", "--reason", "sold", "--yes")
        lab.wait_effective([0, None, None, None])
        lab.settle()
        new = edit(copy_profile(lab), lambda g, r: g["element"].pop(0))
        refused(lab, new, says=["moves", "% of group cgn"])
        text = apply(lab, new, "--force")
        expect("the order that is left is said", "offline of fbf-01 is kept" in text, True)
        lab.settle()
        expect("elements", sorted(lab.effective()["ipv4"]), ["fbf-02", "fbf-03", "fbf-04"])
        expect("nothing is foreign", lab.status()["audit"].get("foreign-list", []), [])
        apply(lab, old, "--force")
        lab.settle()
        expect("offline again", lab.effective()["ipv4"]["fbf-01"], 0)


@case("a successor that takes over lists with names of their own: the terms are its own, and the tombstone has none")
def _():
    def name_lists(group):
        for f, v in (("ipv4", "v4"), ("ipv6", "v6")):
            element(group, "fbf-02")[f].update({"base-list": "place-two-" + v, "override-list": "moved-two-" + v})

    with sim(change=name_lists) as lab:
        new = copy_profile(lab)
        lab.cli("profile", "replace", new, "fbf-02", "fbf-22", "--yes")
        apply(lab, new, "--force")
        wait_up(lab, "fbf-22")
        lab.settle()
        expect("effective", lab.effective()["ipv4"], {"fbf-01": 256, "fbf-02": 0, "fbf-03": 256, "fbf-04": 256,
                                                      "fbf-22": 256})
        expect("commits", lab.commits(), 0)
        expect("base drift", lab.group_family("ipv4")["base-drift"], 0)
        lab.element_down("fbf-01")
        wait_for("its units are gone", lambda: lab.effective()["ipv4"]["fbf-01"] == 0)
        lab.settle()
        expect("fbf-22 has some of them", lab.family_of("fbf-22", "ipv4")["override-entries"] > 0, True)
        address = next(unit.split("/")[0] for (f, unit), owner in owners(lab).items()
                       if f == "ipv4" and owner == "fbf-22")
        expect("where", "fbf-22" in lab.cli("where", address), True)
        legs = json.loads(lab.cli("trace", address, "198.51.100.10", "--json"))["legs"]
        expect("elements on the way", [leg["element"] for leg in legs], ["fbf-22"] * 2)
        lab.element_up("fbf-01")
        wait_for("overrides are gone", lambda: on_router(lab) == 0)
        lab.settle()


def rename(path):
    return edit(path, lambda g, r: element(g, "fbf-01")["ipv4"].update({"override-list": "north-v4"}))


def read_both(lab, new):
    """By hand, as autofbf(1) has it: the terms of fbf-01 read the new list beside the old one. Then the
    agent would take the profile that names it."""
    tree = ElementTree.fromstring(lab.ctl("static"))
    policy = tree.find("policy-options")
    policy.append(ElementTree.fromstring("<prefix-list><name>north-v4</name><prefix-list-item>"
                                         "<name>192.0.2.255/32</name></prefix-list-item></prefix-list>"))
    for side, match in (("inside", "source"), ("outside", "destination")):
        names = [t.find("from") for f in tree.iterfind("firewall/family/inet/filter")
                 if f.findtext("name") == "cgn-%s-v4" % side
                 for t in f.iterfind("term") if t.findtext("name") == "fbf-01-ovr"]
        expect("terms", len(names), 1)
        names[0].append(ElementTree.fromstring("<%s-prefix-list><name>north-v4</name></%s-prefix-list>"
                                               % (match, match)))
    target = lab.dir / "both.xml"
    target.write_bytes(ElementTree.tostring(tree))
    lab.ctl("static", "load", target)
    wait_for("the list is known", lambda: "would take it" in lab.cli("profile", "apply", new, "--dry-run", code=None))


def apply_locked(lab, new):
    """The agent runs it, and cannot write it yet."""
    lab.ctl("lock", "on")
    apply(lab, new)
    wait_for("the lock is another's", lambda: lab.counter("refused") >= 1)


def carrier(lab, unit):
    """Whom a packet crosses, by the router's own filters and lists."""
    walk = json.loads(lab.cli("trace", unit.split("/")[0], "198.51.100.10", "--json", code=None))
    return {leg["element"] for leg in walk["legs"]}


@case("another override list: terms that read both come first, and nobody moves at any step")
def _():
    with sim() as lab:
        base = owners(lab)
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        lab.settle()
        moved = next(key[1] for key, owner in owners(lab).items()
                     if key[0] == "ipv4" and base[key] == "fbf-02" and owner == "fbf-01")
        new = rename(copy_profile(lab))
        for words in ([], ["--force"]):
            refused(lab, new, *words, says=["override-list of fbf-01 ipv4", "the router has no such list",
                                            "term fbf-01-ovr from source-prefix-list north-v4"])
        read_both(lab, new)
        expect("terms read both", carrier(lab, moved), {"fbf-01"})
        commits = lab.commits()
        apply(lab, new)
        lab.settle()
        expect("commits", lab.commits(), commits + 1)
        lists = entries(lab)
        expect("entries of the old list", lists.get("fbf-01-ovr-v4", 0), 0)
        expect("the new one has some", lists["north-v4"] > 0, True)
        expect("applied", carrier(lab, moved), {"fbf-01"})
        commit_base(lab, new)
        wait_for("terms of the new profile", lambda: "fbf-01-ovr-v4</name></source" not in lab.ctl("static"))
        expect("in the end", carrier(lab, moved), {"fbf-01"})


@case("override lists that are exchanged, or another one's: refused, even by force")
def _():
    def exchange(group, root):
        for this, other in (("fbf-01", "fbf-02"), ("fbf-02", "fbf-01")):
            element(group, this)["ipv4"]["override-list"] = other + "-ovr-v4"

    with sim() as lab:
        refused(lab, edit(copy_profile(lab), exchange), "--force",
                says=["override-list of fbf-01 ipv4", "the running profile uses that list"])


@case("another override list, and the family freezes before the commit: the old list keeps what it has")
def _():
    with sim() as lab:
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        lab.settle()
        kept = entries(lab)
        new = rename(copy_profile(lab))
        read_both(lab, new)
        apply_locked(lab, new)
        lab.cli("freeze", "cgn", "--reason", "look first")
        lab.ctl("lock", "off")
        wait_for("the router's turn is over", lambda: lab.status()["router"]["stage"] == "idle")
        expect("entries", {name: n for name, n in entries(lab).items() if n}, {name: n for name, n in kept.items() if n})
        lab.cli("thaw", "cgn", "--reason", "seen")
        wait_for("the old list is empty", lambda: entries(lab).get("fbf-01-ovr-v4", 0) == 0)
        expect("the new one", entries(lab)["north-v4"], kept["fbf-01-ovr-v4"])


@case("another override list that does not get through: the way back to the old one is open")
def _():
    with sim() as lab:
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        lab.settle()
        kept, old = entries(lab), copy_profile(lab, "old.json")
        new = rename(copy_profile(lab))
        read_both(lab, new)
        apply_locked(lab, new)
        apply(lab, old)
        lab.ctl("lock", "off")
        lab.settle()
        expect("entries", {name: n for name, n in entries(lab).items() if n}, {name: n for name, n in kept.items() if n})


# ---- listeners and sessions ------------------------------------------------------------------------

@case("another port: that listener begins anew; a port that is taken is refused and nothing changes")
def _():
    with sim() as lab:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            new = edit(copy_profile(lab), lambda g, r: r["bmp"].update(port=taken.getsockname()[1]))
            refused(lab, new, says=["bmp listener", "cannot bind"])
        expect("bmp stands", lab.numbers()["bmp-connected"], "1")
        port = lib.labkit.free_port()
        apply(lab, edit(new, lambda g, r: r["bmp"].update(port=port)))
        with socket.create_connection(("127.0.0.1", port)):
            pass
        wait_for("the old port is closed", lambda: lab.numbers()["bmp-connected"] == "0")
        lab.settle()
        lab.element_down("fbf-02")  # polls see it
        lab.wait_effective([None, 0, None, None])
        expect("commits", lab.commits(), 1)


@case("listeners on all addresses, and back to loopback, on the ports that they have")
def _():
    with sim() as lab:
        new = copy_profile(lab)
        for address in ("0.0.0.0", "127.0.0.1"):
            edit(new, lambda g, r: [r[name].update(address=address) for name in ("bmp", "syslog")])
            apply(lab, new)
            lab.wait_bmp()
        lab.settle()
        commits = lab.commits()
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        expect("commits", lab.commits(), commits + 1)


@case("another account's key file: both sessions begin anew and nobody moves")
def _():
    with sim() as lab:
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        lab.settle()
        before, commits = lab.effective(), lab.commits()
        for name in ("user", "user.pub"):
            (lab.dir / ("other" + name[4:])).write_bytes((lab.dir / name).read_bytes())
        os.chmod(lab.dir / "other", 0o600)
        apply(lab, edit(copy_profile(lab), lambda g, r: r["router"].update({"key-file": "other"})))
        lab.settle()
        expect("effective", lab.effective(), before)
        expect("commits", lab.commits(), commits)
        expect("sessions at the router", lab.numbers()["sessions"], "2")


@case("intervals change under way")
def _():
    with sim(overrides={"poll-interval": 600000, "audit-interval": 600000}) as lab:
        apply(lab, edit(copy_profile(lab), lambda g, r: r.update({"poll-interval": 500})))
        polls = lab.counter("polls")
        wait_for("polls", lambda: lab.counter("polls") > polls + 2)


# ---- SIGHUP ----------------------------------------------------------------------------------------

def reload(lab):
    before = len([r for r in records(lab) if r["kind"] == "profile"])
    lab.processes["agent"].send_signal(signal.SIGHUP)

    def told():
        rows = [r for r in records(lab) if r["kind"] == "profile"]
        return rows[-1]["text"] if len(rows) > before else None
    return wait_for("the record of the reload", told)


@case("SIGHUP: the file is read again by the same rules, and a refusal is recorded")
def _():
    with five() as lab:
        first = running(lab)
        good = lab.profile.read_text()
        lab.profile.write_text("{ half")
        expect("broken", "not reloaded, the old one runs on" in reload(lab), True)
        wait_for("an alarm tells", lambda: "profile-refused" in lab.cli("alarms"))
        lab.profile.write_text(good)
        edit(lab.profile, lambda g, r: element(g, "fbf-02").update(weight=[{"epoch": 0, "weight": 3}]))
        expect("in place", "the least is" in reload(lab), True)
        os.rename(lab.profile, lab.dir / "away")
        expect("gone", "profile.json" in reload(lab), True)
        os.rename(lab.dir / "away", lab.profile)
        lab.profile.write_text(good)
        expect("profile", running(lab), first)
        kept = sessions(lab)
        lab.cli("profile", "reweight", lab.profile, "fbf-05", "1", "--yes")
        expect("taken", "by reload" in reload(lab), True)
        wait_for("the alarm has gone", lambda: "profile-refused" not in lab.cli("alarms"))
        lab.settle()
        expect("effective", lab.effective()["ipv4"]["fbf-05"], 204)
        expect("commits", lab.commits(), 1)
        expect("sessions", sessions(lab), kept)
        lab.cli("events", "--kind", "profile")


@case("why: nothing is said of decisions under another profile that this one cannot know")
def _():
    with five() as lab:
        new = copy_profile(lab)
        lab.cli("profile", "reweight", new, "fbf-05", "1", "--yes")
        before = owners(lab)
        apply(lab, new)
        lab.settle()
        after = owners(lab)
        unit = next(key[1] for key in before if key[0] == "ipv4" and before[key] != after[key])
        text = lab.cli("why", unit)
        expect("it says where the story begins", "another profile" in text, True)
        expect("it names the change", "-> fbf-05: another profile" in text, True)


lib.end()
