#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The agent is killed at every state of the transaction, and of profile apply; the router's replies are
lost or late.

Where labrouter pauses decides where the agent stands when it dies. After its restart the router must
be right within one audit, and the checker must not have seen a violation.
"""
import json
import signal

import lib
from lib import case, expect, sim, wait_for


def moved(lab):
    def reached():
        eff = lab.effective()
        return all(c["fbf-02"] == 0 and sum(c.values()) == 1024 for c in eff.values())
    return wait_for("fbf-02 owns nothing", reached)


def kill_at(step, when):
    @case("killed at %s, %s it is carried out" % (step, when))
    def _():
        with sim() as lab:
            lab.ctl("fault", step, "pause-" + when)
            lab.element_down("fbf-02")
            lab.ctl("wait", "paused")
            lab.kill_agent()
            lab.ctl("resume")
            lab.start_agent()
            moved(lab)
            lab.settle()
            lab.element_up("fbf-02")
            lab.wait_effective([256] * 4)


for step in ("open", "load", "commit", "close", "get"):
    for when in ("before", "after"):
        kill_at(step, when)


# ---- in the middle of profile apply ----------------------------------------------------------------

class Mortal(lib.labkit.Sim):
    """Its first agent is one that dies by SIGKILL at a moment of tests/mortal/death.c."""

    def __init__(self, build, die_at):
        self.die_at = die_at
        super().__init__(build)

    def env(self):
        return dict(super().env(), AUTOFBF_DIE_AT=self.die_at)

    def start_agent(self):
        argv = self.agent_argv()
        if self.die_at:
            argv[0] = self.build / "tests" / "mortal" / argv[0].name
        self.start("agent", argv)

    def wait_dead(self):
        expect("the agent's end", self.processes.pop("agent").wait(lib.labkit.DEADLINE), -signal.SIGKILL)
        self.die_at = ""


def units(lab, *words):
    """{unit: element} of what the agent wants, or of what a profile's file says with all elements up."""
    layout = json.loads(lab.cli("layout", *words, "--json"))
    return {unit["prefix"]: unit["element"] for group in layout["groups"] for family in group["families"]
            for unit in family["units"]}


def write_next(lab):
    path = lab.dir / "next.json"
    path.write_text(lab.profile.read_text())
    lab.cli("profile", "reweight", path, "fbf-04", "3", "--yes")
    return path


def runs_wholly(lab, text):
    """The agent comes up with that file, the router goes by it, and another apply finds nothing in its way."""
    lab.start_agent()
    lab.settle()
    expect("the file", lab.profile.read_text(), text)
    wanted = units(lab, "--profile", lab.profile)
    expect("the layout", units(lab), wanted)
    count = sum(owner == "fbf-04" for owner in wanted.values())
    wait_for("the router is as the file says", lambda: sum(c["fbf-04"] for c in lab.effective().values()) == count)
    lab.cli("profile", "apply", lab.dir / "next.json", "--yes")
    lab.settle()
    expect("the layout of the new profile", units(lab), units(lab, "--profile", lab.dir / "next.json"))
    expect("commits", lab.commits(), 1)


def killed_in_apply(moment, says, is_new):
    @case("killed in profile apply, %s: the %s profile runs, wholly" % (says, "new" if is_new else "old"))
    def _():
        with sim(kind=Mortal, die_at=moment) as lab:
            old, new = lab.profile.read_text(), write_next(lab)
            lab.cli("profile", "apply", new, "--yes", code=3)
            lab.wait_dead()
            expect("commits", lab.commits(), 0)
            runs_wholly(lab, new.read_text() if is_new else old)


killed_in_apply("create", "nothing is written", False)
killed_in_apply("rename", "the new file lies beside the old one", False)
killed_in_apply("renamed", "the file is new and nothing was sent", True)


def killed_after_apply(step, when):
    @case("killed after profile apply at %s, %s it is carried out: the new profile runs, wholly" % (step, when))
    def _():
        with sim() as lab:
            new = write_next(lab)
            lab.ctl("fault", step, "pause-" + when)
            lab.cli("profile", "apply", new, "--yes")
            lab.ctl("wait", "paused")
            lab.kill_agent()
            lab.ctl("resume")
            runs_wholly(lab, new.read_text())


for step in ("open", "load", "commit"):
    for when in ("before", "after"):
        killed_after_apply(step, when)


# ---- replies ---------------------------------------------------------------------------------------

def lost_reply(step, when):
    @case("reply to %s lost, %s" % (step, "carried out" if when == "after" else "not carried out"))
    def _():
        with sim() as lab:
            lab.ctl("fault", step, "lost-" + when)
            lab.element_down("fbf-02")
            moved(lab)
            lab.settle()
            commits = lab.commits()
            expect("commits", commits in (1, 2), True)


for step in ("open", "load", "commit", "close"):
    for when in ("before", "after"):
        lost_reply(step, when)


@case("the commit's reply is lost and the lock is another's: what it was about is kept until its outcome is known")
def _():
    with sim() as lab:
        lab.ctl("fault", "commit", "pause-after")
        lab.element_down("fbf-02")
        lab.ctl("wait", "paused")
        lab.ctl("lock", "on")
        lab.ctl("drop", "all")
        lab.ctl("resume")
        wait_for("refusals", lambda: lab.counter("refused") >= 2)
        lab.ctl("lock", "off")
        moved(lab)
        lab.settle()
        commits = [e for e in lib.records(lab) if e["kind"] == "commit"]
        expect("records", [(e["text"].split(":")[0], e.get("groups")) for e in commits],
               [("refused", None), ("unknown", "cgn")])


@case("the instance is locked by another: nothing sent, done when it is free, plan of then")
def _():
    with sim() as lab:
        lab.ctl("lock", "on")
        lab.element_down("fbf-02")
        wait_for("refusals", lambda: lab.counter("refused") >= 2)
        expect("commits", lab.commits(), 0)
        lab.element_down("fbf-03", cause="admin")
        lab.ctl("lock", "off")
        moved(lab)
        lab.wait_effective([512, 0, 0, 512])
        lab.settle()
        expect("commits", lab.commits(), 1)


@case("an error in load: closed, alarmed, nothing half; repaired when the wish changes")
def _():
    with sim() as lab:
        lab.ctl("fault", "load", "error", "text", "statement creation failed")
        lab.element_down("fbf-02")
        wait_for("load error", lambda: lab.counter("load-errors") == 1)
        expect("commits", lab.commits(), 0)
        lab.cli("audit", "now")
        moved(lab)


def audited(lab):
    """More audits than make a second writer; what they found unwritten is nobody's drift."""
    audits = lab.counter("audits")
    wait_for("audits", lambda: lab.counter("audits") >= audits + 4)
    status = lab.status()
    expect("drift", (status["audit"]["drift"], status["audit"].get("two-writers", [])), (0, []))
    expect("edits wait", lab.group_family("ipv4", status)["pending-edits"] > 0, True)
    expect("commits", lab.commits(), 0)


@case("an error in load, and audits: still ours to write, alarmed, and tried again by itself")
def _():
    with sim() as lab:
        lab.ctl("fault", "load", "error", "text", "statement creation failed")
        lab.element_down("fbf-02")
        wait_for("load error", lambda: lab.counter("load-errors") == 1)
        audited(lab)
        expect("alarmed", "commit-failed" in lab.cli("alarms", code=None), True)
        wait_for("the next try", lambda: lab.commits() == 1, 60)
        moved(lab)
        wait_for("the alarm ends", lambda: "commit-failed" not in lab.cli("alarms", code=None))


@case("database full: not retried until the operator says")
def _():
    with sim() as lab:
        lab.ctl("fault", "load", "full")
        lab.element_down("fbf-02")
        wait_for("load error", lambda: lab.counter("load-errors") == 1)
        audited(lab)
        lab.cli("audit", "now")
        moved(lab)


@case("a warning beside a result is success and an audit")
def _():
    with sim() as lab:
        lab.ctl("fault", "load", "warning", "text", "statement not found")
        lab.element_down("fbf-02")
        moved(lab)
        lab.settle()
        expect("commits", lab.commits(), 1)


lib.end()
