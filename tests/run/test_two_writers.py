#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Another program writes into our ephemeral instance: what it may do to our lists, and to its own."""
import contextlib
import json
import re

from ncclient import manager
from ncclient.xml_ import to_ele

import lib
from lib import case, expect, records, sim, wait_for

LOAD = """<load-configuration action="merge" format="xml"><configuration><policy-options>%s</policy-options>
</configuration></load-configuration>"""
LIST = "<prefix-list><name>%s</name><prefix-list-item%s><name>%s</name></prefix-list-item></prefix-list>"
OPEN = "<open-configuration><ephemeral-instance>autofbf</ephemeral-instance></open-configuration>"


@contextlib.contextmanager
def other_writer(lab):
    """A function that puts an item into a list of the instance, or takes it out."""
    with manager.connect(host="127.0.0.1", port=lab.ports["ssh"], username="other", hostkey_verify=False,
                         key_filename=str(lab.dir / "user"), device_params={"name": "junos"},
                         allow_agent=False, look_for_keys=False) as session:
        def write(name, prefix, delete=False):
            load = LOAD % (LIST % (name, ' delete="delete"' if delete else "", prefix))
            for rpc in (OPEN, load, "<commit-configuration/>", "<close-configuration/>"):
                session.rpc(to_ele(rpc))
        yield write


@contextlib.contextmanager
def without_checker():
    """For what the checker rightly calls a violation."""
    lab = lib.labkit.Sim(lib.BUILD)
    try:
        lab.start_router()
        lab.stop("checker")
        lab.start_agent()
        lab.settle()
        yield lab
    finally:
        lab.close()


def one_entry(lab):
    """(list, prefix) of an override that is there."""
    text = lab.ctl("ephemeral")
    return (re.search(r"<name>(fbf-0.-ovr-v4)</name>", text).group(1),
            re.search(r"<name>(10\.64[^<]*)</name>", text).group(1))


def fail_one(lab):
    lab.element_down("fbf-02")
    wait_for("fbf-02 owns nothing", lambda: all(c["fbf-02"] == 0 for c in lab.effective().values()))
    lab.settle()


def apply(lab, leaves):
    tree = json.loads(lab.profile.read_text())
    tree["autofbf:profile"].update(leaves)
    path = lab.dir / "next.json"
    path.write_text(json.dumps(tree))
    lab.cli("profile", "apply", path, "--yes")


@case("two writers: repaired twice, then left alone and said; the operator's word tries again")
def _():
    with sim(overrides={"audit-interval": 2000}) as lab, other_writer(lab) as write:
        fail_one(lab)
        name, prefix = one_entry(lab)
        for repairs in (1, 2):
            commits = lab.commits()
            write(name, prefix, delete=True)
            wait_for("repair %d" % repairs, lambda c=commits: lab.commits() == c + 2)
        write(name, prefix, delete=True)
        commits = lab.commits()
        wait_for("said", lambda: name in lab.status()["audit"].get("two-writers", []))
        audits = lab.counter("audits")
        wait_for("another audit", lambda: lab.counter("audits") > audits)
        expect("commits after that", lab.commits(), commits)
        expect("on the screen", name + " needs you" in " ".join(lab.cli("status").split()), True)
        expect("recorded once", lab.cli("events").count("two writers"), 1)
        lab.cli("audit", "now")
        wait_for("repaired", lambda: prefix in lab.ctl("ephemeral"))
        lab.settle()


@case("another profile forgets the second writer, and writes everything again")
def _():
    with sim(overrides={"audit-interval": 2000}) as lab, other_writer(lab) as write:
        fail_one(lab)
        name, prefix = one_entry(lab)
        for _ in range(3):
            wait_for("it is there", lambda: prefix in lab.ctl("ephemeral"))
            write(name, prefix, delete=True)
        wait_for("left alone", lambda: name in lab.status()["audit"].get("two-writers", []))
        apply(lab, {"mode": "monitor"})
        wait_for("no alarm", lambda: "two-writers" not in lab.cli("alarms", code=None))
        expect("it is not there", prefix in lab.ctl("ephemeral"), False)
        apply(lab, {"mode": "active"})
        wait_for("written", lambda: prefix in lab.ctl("ephemeral"))


@case("what is not ours in the instance is told, and stays")
def _():
    with sim() as lab, other_writer(lab) as write:
        write("other-list", "203.0.113.0/24")
        wait_for("told", lambda: "other-list" in lab.status()["audit"].get("foreign-list", []))
        expect("on the screen", "other-list" in lab.cli("status"), True)
        fail_one(lab)
        expect("left alone", "203.0.113.0/24" in lab.ctl("ephemeral"), True)


@case("an item in a base list of the instance counts as base: our override wins over it")
def _():
    with without_checker() as lab, other_writer(lab) as write:
        layout = json.loads(lab.cli("layout", "--json"))
        unit = next(u["prefix"] for u in layout["groups"][0]["families"][0]["units"] if u["element"] == "fbf-02")
        write("fbf-01-base-v4", unit)  # its term comes before fbf-02's
        wait_for("put right", lambda: lab.commits() == 2)
        lab.settle()
        lab.wait_effective([256] * 4)
        expect("told", "fbf-01-base-v4" in lab.status()["audit"]["foreign-list"], True)
        write("fbf-01-base-v4", unit, delete=True)
        wait_for("the override is gone", lambda: unit not in lab.ctl("ephemeral"))


@case("new base lists are no drift, also where somebody has an item of his own in one")
def _():
    with without_checker() as lab, other_writer(lab) as write:
        write("fbf-01-base-v4", "203.0.113.0/24")
        wait_for("told", lambda: "fbf-01-base-v4" in lab.status()["audit"].get("foreign-list", []))
        new = lab.dir / "new.json"
        new.write_text(lab.profile.read_text())
        lab.cli("profile", "reweight", new, "fbf-02", "2", "--yes")
        lab.cli("profile", "apply", new, "--yes")
        lab.settle()
        expect("overrides", "<name>10.64" in lab.ctl("ephemeral"), True)
        base = lab.dir / "base.xml"
        base.write_text(lab.cli("router-config", "--profile", new, "--format", "xml"))
        lab.ctl("static", "load", base)
        wait_for("overrides are gone", lambda: "<name>10.64" not in lab.ctl("ephemeral"))
        lab.settle()
        expect("nobody else wrote", [r["text"] for r in records(lab) if "drift" in r["kind"] + r["text"]], [])


lib.end()
