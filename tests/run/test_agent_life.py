#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The agent in a bad place: no syslog daemon, a journal that stands still, a sick disk. It does its job."""
import fcntl
import os
import subprocess

import lib
from lib import case, expect, sim, wait_for


def fail_over(lab):
    lab.element_down("fbf-02")
    lab.wait_effective([None, 0, None, None])
    lab.settle()


# ---- the log -------------------------------------------------------------------------------------

@case("no syslog daemon: the agent starts, says so once, and does its job")
def _():
    with sim(overrides={"logging": {"target": "syslog"}}) as lab:
        fail_over(lab)
        if not os.path.exists("/dev/log"):
            expect("what it says", (lab.dir / "agent.log").read_text(),
                   "autofbfd: warning: /dev/log: No such file or directory; log lines are lost until a syslog "
                   "daemon runs\n")


@case("nobody reads standard error: lines are lost, the failover is not")
def _():
    with sim() as lab:
        lab.stop("agent")
        unread, full = os.pipe()
        fcntl.fcntl(full, fcntl.F_SETPIPE_SZ, 4096)
        lab.processes["agent"] = subprocess.Popen([str(word) for word in lab.agent_argv()], stderr=full,
                                                  stdin=subprocess.DEVNULL, env=lab.env(),
                                                  preexec_fn=lib.labkit.die_with_parent)
        os.close(full)
        lab.settle()
        fail_over(lab)
        os.set_blocking(unread, False)
        expect("the lines are whole", os.read(unread, 1 << 16)[-1:], b"\n")
        lab.element_up("fbf-02")
        lab.wait_effective([256] * 4)

        def told():
            try:
                return b"standard error did not take " in os.read(unread, 1 << 16)
            except BlockingIOError:
                return False
        wait_for("the loss is told", told)
        lab.stop("agent")
        os.close(unread)


# ---- the disk ------------------------------------------------------------------------------------

@case("a diary that cannot be opened: the agent starts, says why once, does its job, and writes when it can")
def _():
    with sim() as lab:
        lab.stop("agent")
        diary = lab.dir / "state/events.jsonl"
        before = [record["id"] for record in lib.records(lab)]
        os.rename(diary, lab.dir / "aside")
        diary.mkdir()
        lab.start_agent()
        lab.settle()
        fail_over(lab)
        expect("it is told", (lab.dir / "agent.log").read_text().count(
            "%s: cannot be written: Is a directory; records are in memory only; look at" % diary), 1)
        expect("in memory", "fbf-02" in lab.cli("events"), True)
        diary.rmdir()
        os.rename(lab.dir / "aside", diary)
        lab.element_up("fbf-02")
        lab.wait_effective([256] * 4)
        lab.settle()
        expect("the end of it is told", (lab.dir / "agent.log").read_text().count("is written again"), 1)
        ids = [record["id"] for record in lib.records(lab)]
        expect("ids", (ids[:len(before)], ids == sorted(set(ids)), len(ids) > len(before)), (before, True, True))


@case("orders that cannot be stored are refused, also with force, and nothing is changed")
def _():
    with sim() as lab:
        lab.cli("freeze", "cgn", "--reason", "look first")
        kept = (lab.dir / "state/state.json").read_text()
        in_the_way = lab.dir / "state/state.json.new"
        in_the_way.mkdir()
        for words in (["thaw", "cgn"], ["element", "offline", "fbf-02", "--force", "--yes"],
                      ["element", "online", "fbf-02", "--yes"]):
            result = subprocess.run([lab.build / "autofbf", "--socket", lab.socket, *words], text=True,
                                    capture_output=True, timeout=30, env=lab.env())
            expect("exit code", (words, result.stderr, result.returncode), (words, result.stderr, 1))
            expect("what it says", "cannot be written: Is a directory; nothing was changed; " in result.stderr, True)
        expect("frozen", lab.status()["group"][0]["family"][0]["freeze"], "operator")
        expect("the file", (lab.dir / "state/state.json").read_text(), kept)
        in_the_way.rmdir()
        lab.cli("thaw", "cgn")
        lab.cli("element", "offline", "fbf-02", "--yes")
        lab.wait_effective([None, 0, None, None])


@case("a state directory that is not there: the operator's orders are not known, so it does not start")
def _():
    with sim() as lab:
        lab.stop("agent")
        argv = lab.agent_argv()
        argv[argv.index("--state-dir") + 1] = lab.dir / "nowhere"
        result = subprocess.run(argv, text=True, capture_output=True, timeout=30)
        expect("exit code", result.returncode, 1)
        expect("remedy", "/nowhere: cannot be opened: No such file or directory; make it" in result.stderr, True)


lib.end()
