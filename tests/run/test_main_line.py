#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The main job on the simulator: an element dies and returns, the operator works, the agent restarts."""
import json
import subprocess
import sys

import lib
from lib import case, expect, records, sim, wait_for


def one_failure(lab, element="fbf-02"):
    """Effective counts after one of four equal elements is out: 0 and 341 or 342."""
    def reached():
        eff = lab.effective()
        for counts in eff.values():
            if counts[element] != 0 or sum(counts.values()) != 1024:
                return False
            if any(c not in (341, 342) for e, c in counts.items() if e != element):
                return False
        return eff
    return wait_for("0 and 341 or 342", reached)


@case("a dead element's units move in one commit, and come back in one")
def _():
    with sim() as lab:
        lab.wait_effective([256] * 4)
        first, revision = lab.layout_ids(), lab.numbers()["static-revision"]
        expect("commits at rest", lab.commits(), 0)
        lab.element_down("fbf-02")
        one_failure(lab)
        lab.settle()
        expect("commits after the failure", lab.commits(), 1)
        lab.element_up("fbf-02")
        lab.wait_effective([256] * 4)
        lab.settle()
        expect("commits after the return", lab.commits(), 2)
        expect("layout-ids", lab.layout_ids(), first)
        expect("static configuration", lab.numbers()["static-revision"], revision)
        records = [json.loads(line) for line in (lab.dir / "state/events.jsonl").read_text().splitlines()]
        expect("cause of the return", [r["cause"] for r in records if r["kind"] == "commit"][-1],
               "fbf-02 up: hold-down over")


@case("first failure: exactly the failed element's units move, each to its published standby")
def _():
    with sim() as lab:
        def units():
            layout = json.loads(lab.cli("layout", "--json"))
            return {(f["family"], u["prefix"]): u for f in layout["groups"][0]["families"] for u in f["units"]}
        before = units()
        lab.element_down("fbf-03")
        one_failure(lab, "fbf-03")
        lab.settle()
        after = units()
        expect("units", set(after), set(before))
        for key, unit in before.items():
            wanted = unit["standby"] if unit["element"] == "fbf-03" else unit["element"]
            expect("owner of %s" % key[1], after[key]["element"], wanted)


def without(node, names):
    """The tree without what only an agent can tell."""
    if isinstance(node, dict):
        return {key: without(value, names) for key, value in node.items() if key not in names}
    return [without(item, names) for item in node] if isinstance(node, list) else node


@case("live and offline layout say the same")
def _():
    alive = ("hostname", "now", "state", "force-failed")
    with sim() as lab:
        for words in ((), ("--down", "fbf-01,fbf-04")):
            live = json.loads(lab.cli("layout", *words, "--json"))
            offline = json.loads(lab.cli("layout", "--profile", lab.profile, *words, "--json"))
            expect("told by the agent", sorted(set(live) - set(offline)), ["hostname", "now"])
            if without(live, alive) != offline:
                raise lib.Failed("layout %s: live and offline differ" % " ".join(words))


@case("one family: an explicit BGP cause moves that family only")
def _():
    with sim(router_options=("--bmp-habit", "junos"), overrides={"poll-interval": 600000}) as lab:
        lab.element_down("fbf-01", cause="hold-timer", families=("ipv6",), sides=("inside",))
        wait_for("v6 moved", lambda: lab.effective()["ipv6"]["fbf-01"] == 0)
        lab.settle()
        expect("v4", lab.effective()["ipv4"]["fbf-01"], 256)


@case("operator: offline, survives a restart, online; nobody else moves")
def _():
    with sim() as lab:
        first = lab.layout_ids()
        lab.cli("element", "offline", "fbf-04", "--reason", "new software", "--yes")
        one_failure(lab, "fbf-04")
        lab.settle()
        commits = lab.commits()
        lab.restart_agent()
        expect("commits by the restart", lab.commits(), commits)
        one_failure(lab, "fbf-04")
        screen = lab.cli("status")
        expect("the screen names the reason", "new software" in screen, True)
        expect("status is readable on 80 columns", max(map(len, screen.splitlines())) <= 80, True)
        lab.cli("element", "online", "fbf-04", "--yes")
        lab.wait_effective([256] * 4)
        lab.settle()
        expect("layout-ids", lab.layout_ids(), first)


@case("operator: a word during a commit: decisions and commits keep their own cause, plan and time")
def _():
    with sim() as lab:
        lab.ctl("fault", "commit", "pause-before")
        lab.cli("element", "offline", "fbf-02", "--yes")
        lab.ctl("wait", "paused")
        lab.cli("element", "online", "fbf-02", "--yes")
        lab.ctl("resume")
        wait_for("both commits", lambda: lab.commits() == 2)
        lab.settle()
        records = [json.loads(line) for line in (lab.dir / "state/events.jsonl").read_text().splitlines()]
        decisions = [r for r in records if r["kind"] == "decision"][-4:]
        commits = [r for r in records if r["kind"] == "commit"]
        causes = ["operator: offline", "operator: online"]
        expect("causes of decisions", [r["cause"] for r in decisions], [c for c in causes for _ in range(2)])
        expect("causes of commits", [r["cause"] for r in commits], causes)
        expect("plans of commits", [r["plan"] for r in commits], [decisions[1]["id"], decisions[3]["id"]])
        expect("first events differ", len({r["first-event"] for r in commits}), 2)


@case("operator: the last healthy element is not taken offline")
def _():
    with sim() as lab:
        lab.cli("element", "offline", "fbf-01", "fbf-02", "fbf-03", "--reason", "x", "--yes")
        lab.wait_effective([0, 0, 0, 1024])
        text = lab.cli("element", "offline", "fbf-04", "--reason", "x", "--yes", code=1)
        expect("refusal", "fbf-0" in text or "healthy" in text, True)
        expect("unknown name lists what exists",
               "fbf-02" in lab.cli("element", "offline", "nobody", "--reason", "x", "--yes", code=2), True)


@case("operator: freeze holds the layout, thaw lets it follow")
def _():
    with sim() as lab:
        lab.cli("freeze", "cgn", "--reason", "migration")
        lab.element_down("fbf-02")
        wait_for("down is seen", lambda: lab.family_of("fbf-02", "ipv4")["state"] == "down")
        expect("commits while frozen", lab.commits(), 0)
        text = lab.cli("element", "offline", "fbf-03", "--yes", code=1)
        expect("the remedy is said once", text.count("thaw cgn"), 1)
        lab.cli("thaw", "cgn", "--reason", "done")
        one_failure(lab)


@case("a freeze survives a restart, and with it the layout that stands")
def _():
    with sim() as lab:
        lab.element_down("fbf-02")
        one_failure(lab)
        lab.settle()
        lab.cli("freeze", "cgn", "--reason", "migration")
        lab.element_down("fbf-03")
        wait_for("down is seen", lambda: lab.family_of("fbf-03", "ipv4")["state"] == "down")
        ids = lab.layout_ids()
        lab.stop("agent")
        lab.start_agent()
        wait_for("lists read", lambda: lab.status()["router"]["lists-known"])
        wait_for("down is seen", lambda: lab.family_of("fbf-03", "ipv4")["state"] == "down")
        expect("layout-ids", lab.layout_ids(), ids)
        lab.cli("diff")
        expect("commits", lab.commits(), 1)
        lab.cli("thaw", "cgn", "--reason", "done")
        lab.wait_effective([512, 0, 0, 512])


@case("agent restart moves nobody, also with an element down")
def _():
    with sim() as lab:
        lab.element_down("fbf-02")
        one_failure(lab)
        lab.settle()
        commits, ids = lab.commits(), lab.layout_ids()
        lab.restart_agent()
        expect("commits", lab.commits(), commits)
        expect("layout-ids", lab.layout_ids(), ids)
        one_failure(lab)


@case("an audit without drift makes no commit; drift is repaired; diff tells")
def _():
    with sim() as lab:
        lab.element_down("fbf-02")
        one_failure(lab)
        lab.settle()
        commits = lab.commits()
        lab.cli("diff")
        done = lab.counter("audits")
        lab.cli("audit", "now")
        wait_for("audit", lambda: lab.counter("audits") > done)
        expect("commits", lab.commits(), commits)


@case("monitor mode computes and never writes")
def _():
    with sim(overrides={"mode": "monitor"}) as lab:
        lab.element_down("fbf-02")
        wait_for("wanted", lambda: lab.family_of("fbf-02", "ipv4")["wanted-units"] == 0)
        expect("diff exits 4", bool(lab.cli("diff", code=4)), True)
        expect("commits", lab.commits(), 0)


def commits_of(lab, group):
    lines = lab.cli("events", "--group", group, "--kind", "decision,commit", "--json").splitlines()
    return [(e["id"], e.get("groups")) for e in map(json.loads, lines) if e["kind"] == "commit"]


def commits_in(lab):
    return [e for e in records(lab) if e["kind"] == "commit"]


def ids_of(log):
    return {json.loads(line)["id"] for line in log.read_text().splitlines()}


@case("the commits of a group: one may be about several; found after a restart, and while they come")
def _():
    with sim(profile="premium-beside-large.json") as lab:
        lab.start("follow", [lab.build / "autofbf", "--socket", lab.socket, "events", "-f", "--json", "--group",
                             "premium", "--kind", "decision,commit"])
        wait_for("the past", lambda: "premium" in (lab.dir / "follow.log").read_text())
        lab.element_down("fbf-02")
        wait_for("it leaves", lambda: lab.effective()["ipv4"]["fbf-02"] == 0)
        lab.settle()
        lab.cli("element", "offline", "prm-01", "--yes")
        wait_for("it leaves", lambda: lab.effective(group=1)["ipv4"]["prm-01"] == 0)
        lab.settle()
        lab.cli("path", "alter", "on", "large", "--reason", "drill", "--yes")
        lab.settle()
        large, premium = commits_of(lab, "large"), commits_of(lab, "premium")
        expect("of large", {groups for _, groups in large}, {"large", "large,premium"})
        expect("of premium", {groups for _, groups in premium}, {"premium", "large,premium"})
        expect("of both: the route that they share", large[-1], premium[-1])
        wait_for("followed", lambda: [(e["id"], e["groups"]) for e in map(json.loads, (
            lab.dir / "follow.log").read_text().splitlines()) if e["kind"] == "commit"] == premium)
        lab.restart_agent()
        expect("after a restart", (commits_of(lab, "large"), commits_of(lab, "premium")), (large, premium))


@case("a commit of lists that no group of the profile names any more is about none of those that are left")
def _():
    def offline(lab, element):
        lab.cli("element", "offline", element, "--yes")
        lab.settle()

    with sim(profile="premium-beside-large.json") as lab:
        offline(lab, "prm-01")
        follow = lab.dir / "follow.log"
        lab.start("follow", [lab.build / "autofbf", "--socket", lab.socket, "events", "-f", "--json", "--group", "large"])
        wait_for("the past", lambda: "\n" in follow.read_text())
        tree = json.loads(lab.profile.read_text())
        tree["autofbf:profile"]["group"].pop(1)
        path = lab.dir / "next.json"
        path.write_text(json.dumps(tree))
        lab.cli("profile", "apply", path, "--yes", "--force")
        wait_for("its commit", lambda: "groups" not in commits_in(lab)[-1])
        lab.settle()
        offline(lab, "fbf-02")
        first, gone, last = [e["id"] for e in commits_in(lab)]
        expect("those of large", commits_of(lab, "large"), [(last, "large")])
        wait_for("followed", lambda: last in ids_of(follow))
        expect("it is not followed", {first, gone} & ids_of(follow), set())


@case("events that are asked for and no longer kept: that is said")
def _():
    with sim() as lab:
        def notes(*words):
            return subprocess.run([lab.build / "autofbf", "--socket", lab.socket, "events", "--json", *words],
                                  text=True, capture_output=True, env=lab.env(), check=True).stderr
        lab.stop("agent")
        path = lab.dir / "state" / "events.jsonl"
        last = json.loads(path.read_text().splitlines()[-1])
        with open(path, "a") as file:
            for number in range(1, 1001):
                print(json.dumps({**last, "id": last["id"] + number}), file=file)
        lab.start_agent()
        lab.settle()
        for words in (("--since", "3d"), ("-n", "2000")):
            expect("the limit is named", "keeps nothing from before %sZ" % last["when"][:19] in notes(*words), True)
        expect("since then, all", len(lab.cli("events", "--since", "3d").splitlines()), 1000)
        expect("nobody asked for them", notes("--kind", "drift"), "")


@case("no agent: exit 3; where and events answer")
def _():
    with sim() as lab:
        expect("where", "fbf-0" in lab.cli("where", "10.64.3.9"), True)
        expect("events", "started" in lab.cli("events"), True)
        lab.stop("agent")
        lab.cli("status", code=3)


lib.end()
