#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Nothing that publishes delays a failover: reaction times with the publisher well, hung, killed, and
with an snmpd that hangs, side by side. Times are printed and not judged: the machine is shared."""
import pathlib
import re
import signal

import lib
from lib import case, expect, wait_for
from labkit import Failed
from publishlib import published

FAILOVERS = 4
STAGES = ("sent", "committed", "read-back")


def reaction(lab):
    """{stage: (count, sum in us, {upper limit in us: cumulative count})}"""
    return {r["stage"]: (int(r["count"]), int(r["sum"]),
                         {int(b["up-to"]): int(b["count"]) for b in r.get("bucket", [])})
            for r in lab.status().get("reaction", [])}


def difference(before, after):
    ret = {}
    for stage in STAGES:
        count0, sum0, buckets0 = before.get(stage, (0, 0, {}))
        count1, sum1, buckets1 = after[stage]
        ret[stage] = (count1 - count0, sum1 - sum0,
                      {up_to: n - buckets0.get(up_to, 0) for up_to, n in buckets1.items()})
    return ret


def resident(process):
    text = pathlib.Path("/proc/%d/status" % process.pid).read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text).group(1))


def failovers(lab, during):
    """Elements die and return; during(n) happens right after the n-th death. What the agent measured."""
    before = reaction(lab)
    commits = lab.commits()
    for n in range(FAILOVERS):
        element = lab.elements[n % len(lab.elements)]
        lab.element_down(element)
        during(n)
        lab.wait_effective([0 if e == element else None for e in lab.elements])
        lab.element_up(element)
        lab.wait_effective([256] * 4)
        lab.settle()
    expect("commits", lab.commits() - commits, 2 * FAILOVERS)
    return difference(before, reaction(lab))


def show(columns):
    """Cumulative counts side by side, one line a bucket that is not the same as the one before."""
    for stage in STAGES:
        print("# %-18s %s" % (stage, " ".join("%16s" % name for name in columns)))
        limits = sorted(next(iter(columns.values()))[stage][2])
        for up_to in limits:
            row = [column[stage][2].get(up_to, 0) for column in columns.values()]
            if any(row):
                print("#   <= %9.1f ms  %s" % (up_to / 1000, " ".join("%16d" % n for n in row)))
            if all(n == column[stage][0] for n, column in zip(row, columns.values())):
                break
        means = [column[stage][1] / max(1, column[stage][0]) / 1000 for column in columns.values()]
        print("#   mean             %s" % " ".join("%13.2f ms" % mean for mean in means))


@case("failovers with the publisher well, snmpd stopped, publisher stopped, publisher killed, and none")
def _():
    with published(overrides={"group/damping": {"flaps": 0}}) as publisher:
        lab = publisher.lab
        agent = lab.processes["agent"]
        columns = {"well": failovers(lab, lambda n: None)}
        start = resident(agent)

        snmpd = publisher.processes["snmpd"]
        snmpd.send_signal(signal.SIGSTOP)
        columns["snmpd stopped"] = failovers(lab, lambda n: None)
        snmpd.send_signal(signal.SIGCONT)

        hung = publisher.processes["publish"]
        hung.send_signal(signal.SIGSTOP)
        columns["publish stopped"] = failovers(lab, lambda n: None)
        hung.send_signal(signal.SIGCONT)

        def kill(n):
            publisher.stop("publish", signal.SIGKILL)
            publisher.start_publish()
        columns["publish killed"] = failovers(lab, kill)

        publisher.stop("publish")
        columns["no publisher"] = failovers(lab, lambda n: None)
        show(columns)
        for name, column in columns.items():
            if any(column[stage][0] < FAILOVERS for stage in STAGES):
                raise Failed("%s: fewer reactions than failovers: %s" % (name, column))
        grown = resident(agent) - start
        print("# the agent's memory grew by %d kB" % grown)
        if "san" not in lib.BUILD.name and grown > 8192:
            raise Failed("the agent's memory grew by %d kB" % grown)
        publisher.start_publish()
        wait_for("a picture by SNMP", lambda: publisher.get("autofbfAgentReachable.0") == ["1"])


lib.end()
