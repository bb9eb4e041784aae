#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a plan says, and what then happens; and two routers compared.

Each plan is asked for before a thing is done, and counted against what the layouts, the router's lists and
the records of commits say afterwards. SEED=n in the environment repeats a run.
"""
import contextlib
import json
import os
import random
import subprocess
import time

import lib
from lib import TOP, case, expect, records, sim, wait_for

SEED = int(os.environ.get("SEED", time.time()))
chance = random.Random(SEED)
print("# SEED=%d" % SEED)


def plan(lab, *words):
    answer = json.loads(lab.cli("plan", *words, "--json"))
    return {f["family"]: f for f in answer["autofbf:family"]}, answer


def total(families, leaf):
    return sum(int(f[leaf]) for f in families.values())


def owners(lab):
    """{(family, prefix): element} of the layout that stands."""
    layout = json.loads(lab.cli("layout", "--json"))
    return {(family["family"], unit["prefix"]): unit["element"]
            for group in layout["groups"] for family in group["families"] for unit in family["units"]}


def moved(before, after):
    ret = {"ipv4": 0, "ipv6": 0}
    for unit, element in before.items():
        ret[unit[0]] += after[unit] != element
    return ret


def overrides(lab, family):
    return sum(f["override-entries"] for e in lab.status()["group"][0]["element"]
               for f in e["family"] if f["family"] == family)


def edits_of(lab, rows):
    return sum(row["edits"] for row in records(lab)[rows:] if row["kind"] == "commit")


def check(lab, words, act, reached):
    """The plan of `words` against what `act` does."""
    families, _ = plan(lab, *words)
    before, rows = owners(lab), len(records(lab))
    act()
    wait_for("the plan to have happened: %s" % (words,), reached)
    lab.settle()
    happened = moved(before, owners(lab))
    for name, family in families.items():
        expect("%s of %s moved" % (words, name), happened[name], family["moved"])
        expect("%s of %s entries" % (words, name), overrides(lab, name), family["entries"])
        for element in family["element"]:
            expect("%s of %s has" % (words, element["id"]), lab.effective()[name][element["id"]],
                   float(element["after"]))
    expect("%s edits of the commit" % (words,), edits_of(lab, rows),
           total(families, "adds") + total(families, "removes"))
    return families


def carries(lab, element, wanted):
    return lambda: all((lab.effective()[f][element] > 0) == wanted for f in ("ipv4", "ipv6"))


@case("what a failure and a return move, add and remove is what plan said")
def _():
    with sim(overrides={"group/mass-event-share": 100, "group/quorum": 0}) as lab:
        out = []
        for _ in range(6):
            alive = [e for e in lab.elements if e not in out]
            if out and (len(alive) == 1 or chance.random() < 0.5):
                element = chance.choice(out)
                check(lab, ("--up", element), lambda e=element: lab.restore(e), carries(lab, element, True))
                out.remove(element)
            else:
                element = chance.choice(alive)
                check(lab, ("--down", element), lambda e=element: lab.fail(e), carries(lab, element, False))
                out.append(element)
            print("# out: %s" % (", ".join(out) or "nobody"))


@case("what element offline and online move is what plan said, also split")
def _():
    split = [{"family": "ipv4", "survivors": 3, "bits": 2}]
    pools = [{"prefix": "10.64.0.0/22", "unit-length": 26}, {"prefix": "2001:db8:64::/55", "unit-length": 58}]
    with sim(overrides={"group/split": split, "group/pool": pools}) as lab:
        families, _ = plan(lab, "--offline", "fbf-03")
        rows = len(records(lab))
        lab.cli("element", "offline", "fbf-03", "--yes")
        wait_for("offline", carries(lab, "fbf-03", False))
        lab.settle()
        expect("edits", edits_of(lab, rows), total(families, "adds") + total(families, "removes"))
        expect("entries of IPv4", overrides(lab, "ipv4"), families["ipv4"]["entries"])
        layout = json.loads(lab.cli("layout", "--json"))
        shares = {e["id"]: e["effective"] for f in layout["groups"][0]["families"] if f["family"] == "ipv4"
                  for e in f["elements"]}
        expect("shares", shares, {e["id"]: float(e["after"]) for e in families["ipv4"]["element"]})
        families, answer = plan(lab, "--up", "fbf-03")
        expect("an operator's word is not ended by sessions", total(families, "moved"), 0)
        expect("... and that is said", "online does" in answer["autofbf:note"][0], True)
        check_online = plan(lab, "--online", "fbf-03")[0]
        rows = len(records(lab))
        lab.cli("element", "online", "fbf-03", "--yes")
        wait_for("online", carries(lab, "fbf-03", True))
        lab.settle()
        expect("edits", edits_of(lab, rows), total(check_online, "adds") + total(check_online, "removes"))


@case("frozen: plan says what a thaw will move")
def _():
    with sim() as lab:
        lab.cli("freeze", "--reason", "test")
        lab.element_down("fbf-02")
        wait_for("seen", lambda: lab.family_of("fbf-02", "ipv6")["state"] == "down")
        families, _ = plan(lab)
        expect("frozen", [f["frozen"] for f in families.values()], [True, True])
        expect("moved", total(families, "moved"), 512)
        expect("in words", "once it is thawed" in lab.cli("plan"), True)
        before = owners(lab)
        lab.cli("thaw")
        wait_for("moved", carries(lab, "fbf-02", False))
        lab.settle()
        expect("as said", moved(before, owners(lab)), {n: f["moved"] for n, f in families.items()})


@case("without the router a plan has moves, and no lines")
def _():
    with sim() as lab:
        lab.stop("router")
        wait_for("not reached", lambda: not lab.status()["router"]["edit-session"])
        families, _ = plan(lab, "--down", "fbf-02")
        expect("moved", families["ipv4"]["moved"], 256)
        text = lab.cli("plan", "--down", "fbf-02")
        expect("in words", "256 of 1024 units (25.0 %) lose their sessions" in text, True)
        lab.start_router()
        lab.settle()


def profile_command(lab, *words):
    subprocess.run([lab.build / "autofbf", "profile", *map(str, words), "--yes"], check=True, env=lab.env(),
                   stdout=subprocess.DEVNULL)


def other_file(lab):
    """A copy of the profile that runs, to be changed."""
    path = lab.dir / "other.json"
    path.write_text(lab.profile.read_text())
    return path


@case("a weight by plan is the same weight in a profile, and what apply then does")
def _():
    with sim() as lab:
        other = other_file(lab)
        weighted, _ = plan(lab, "--weight", "fbf-02=3")
        profile_command(lab, "reweight", other, "fbf-02", 3)
        families, answer = plan(lab, "--profile", other)
        expect("the same answer", families, weighted)
        expect("nothing speaks against it", "autofbf:warning" in answer, False)
        for family in families.values():
            expect("the minimum", family["moved"], family["minimum"])
        check(lab, ("--profile", other), lambda: lab.cli("profile", "apply", other, "--yes"),
              lambda: lab.effective()["ipv6"]["fbf-02"] == 512)


@case("what profile apply refuses, plan warns of, in the same words")
def _():
    with sim() as lab:
        other = other_file(lab)
        tree = json.loads(other.read_text())
        for element in tree["autofbf:profile"]["group"][0]["element"]:
            if element["id"] == "fbf-03":
                element["weight"] = [{"epoch": 0, "weight": 3}]
        other.write_text(json.dumps(tree))
        families, answer = plan(lab, "--profile", other)
        expect("more than the minimum", families["ipv4"]["moved"] > families["ipv4"]["minimum"], True)
        refusal = lab.cli("profile", "apply", other, "--yes", code=1).split("refused: ")[-1].strip()
        expect("the same words", answer["autofbf:warning"], ["profile apply is refused: " + refusal])


@case("exit codes of plan")
def _():
    with sim() as lab:
        for words in (("--down", "x"), ("--weight", "x=1"), ("--weight", "fbf-02"), ("--weight", "fbf-02=-1"),
                      ("--weight", "fbf-02=1.5"), ("--weight", "=1"), ("x",), ("--profile", "/nonexistent"),
                      ("--profile", lab.dir / "static.xml"), ("--down", "fbf-01,,fbf-02"), ("--force",),
                      ("--down", "fbf-01", "--up", "fbf-02,fbf-01"), ("--offline", "fbf-01", "--online", "fbf-01"),
                      ("--weight", "fbf-01=2", "--weight", "fbf-01=3")):
            lab.cli("plan", *words, code=2)
        lab.stop("agent")
        lab.cli("plan", code=3)
        lab.start_agent()
        lab.settle()


# ---- two routers -----------------------------------------------------------------------------------


@contextlib.contextmanager
def two(**options):
    with sim(**options) as north, sim(**options) as south:
        yield north, south


def compare(north, south, code, *words):
    files = []
    for lab, name in ((north, "NORTH"), (south, "SOUTH")):
        layout = json.loads(lab.cli("layout", "--json"))
        layout["hostname"] = name  # both run on this machine
        files.append(lab.dir / (name + ".json"))
        files[-1].write_text(json.dumps(layout))
    return north.cli("compare", *files, *words, code=code)


def explained(north, south, *words):
    """The output, as one line."""
    return " ".join(compare(north, south, 4, *words).split())


@case("two routers that saw things in other orders agree")
def _():
    with two(overrides={"group/mass-event-share": 100, "group/quorum": 0}) as (north, south):
        for lab, order in ((north, ("fbf-01", "fbf-03")), (south, ("fbf-03", "fbf-04", "fbf-01"))):
            for element in order:
                lab.fail(element)
                wait_for("out", carries(lab, element, False))
        south.restore("fbf-04")
        wait_for("back", carries(south, "fbf-04", True))
        for lab in (north, south):
            lab.settle()
        text = compare(north, south, 0)
        expect("a line a family", text.count("agree, layout-id"), 2)
        expect("nothing else", len(text.splitlines()), 2)


@case("two routers that differ: which units, and why")
def _():
    with two() as (north, south):
        expect("agree", compare(north, south, 0).count("agree"), 2)
        north.element_down("fbf-02")
        wait_for("out", carries(north, "fbf-02", False))
        north.settle()
        text = explained(north, south)
        expect("why", "fbf-02 is down on NORTH, up on SOUTH" in text, True)
        expect("how many", text.count("256 of 1024 units differ"), 2)
        expect("which", "10.64.0.64/26 fbf-03 fbf-02" in text, True)
        expect("not all", "236 ranges more" in text, True)
        expect("all", explained(north, south, "--all").count("/26"), 256)
        answer = json.loads(compare(north, south, 4, "--json"))
        expect("kinds", [r["kind"] for r in answer["reasons"]][:2], ["health"] * 2)
        south.cli("element", "offline", "fbf-02", "--yes")
        wait_for("out", carries(south, "fbf-02", False))
        south.settle()
        expect("the same units, whatever the reason", compare(north, south, 0).count("agree, layout-id"), 2)
        north.element_up("fbf-02")
        wait_for("back", carries(north, "fbf-02", True))
        north.settle()
        expect("why", "by an operator on SOUTH only" in explained(north, south), True)
        south.cli("element", "online", "fbf-02", "--yes")
        wait_for("back", carries(south, "fbf-02", True))
        south.settle()
        expect("agree again", compare(north, south, 0).count("agree"), 2)


@case("one router frozen, one with another epoch")
def _():
    with two() as (north, south):
        north.cli("freeze", "--reason", "test")
        for lab in (north, south):
            lab.element_down("fbf-04")
        wait_for("out on one", carries(south, "fbf-04", False))
        wait_for("seen on the other", lambda: north.family_of("fbf-04", "ipv6")["state"] == "down")
        south.settle()
        expect("why", "NORTH is frozen and keeps the layout of before" in explained(north, south), True)
        north.cli("thaw")
        wait_for("out on both", carries(north, "fbf-04", False))
        for lab in (north, south):
            lab.element_up("fbf-04")
            wait_for("back", carries(lab, "fbf-04", True))
            lab.settle()
        other = other_file(north)
        profile_command(north, "reweight", other, "fbf-02", 3)
        north.cli("profile", "apply", other, "--yes")
        wait_for("its weight", lambda: north.effective()["ipv4"]["fbf-02"] == 512)
        text = explained(north, south)
        why = "NORTH has epoch 1 of cgn ipv4, SOUTH has 0: apply the profile of NORTH on SOUTH too"
        expect("why", why in text, True)


def offline(*words):
    return subprocess.run([lib.BUILD / "autofbf", "layout", "--profile", TOP / "profiles/four-dual-stack.json",
                           "--json", *words], check=True, capture_output=True, text=True,
                          env=lib.labkit.Bench.env()).stdout


@case("exit codes of compare")
def _():
    bench = lib.labkit.Bench(lib.BUILD, "autofbf-compare-")
    try:
        good, other = bench.dir / "a.json", bench.dir / "b.json"
        good.write_text(offline())
        other.write_text(offline("--down", "fbf-02"))
        edited = bench.dir / "edited.json"
        edited.write_text(good.read_text().replace('"element":"fbf-01"', '"element":"fbf-03"', 1))
        cut = bench.dir / "cut.json"
        cut.write_text(good.read_text()[:5000])
        lines = bench.dir / "lines.json"
        lines.write_text(json.dumps(json.loads(good.read_text()), indent=3))
        bench.cli("compare", good, good)
        bench.cli("compare", good, lines)
        bench.cli("compare", good, other, code=4)
        for words in ((good,), (good, good, good), (good, "/nonexistent"), (good, edited), (cut, good), ("-", "-"),
                      (good, TOP / "profiles/four-dual-stack.json"), (good, "/dev/null"), (good, bench.dir)):
            bench.cli("compare", *words, code=2)
        piped = subprocess.run([bench.build / "autofbf", "compare", "-", good], input=good.read_text(), text=True,
                               capture_output=True, env=bench.env())
        expect("from standard input", (piped.returncode, piped.stdout.count("agree")), (0, 2))
    finally:
        subprocess.run(["rm", "-rf", bench.dir], check=False)


lib.end()
