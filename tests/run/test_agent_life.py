#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The agent in a bad place: no syslog daemon, a journal that stands still. It does its job."""
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


lib.end()
