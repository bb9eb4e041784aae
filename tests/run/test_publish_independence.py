#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Nothing that publishes delays a failover: reaction times with the publisher well, hung, killed, and
with an snmpd that hangs, side by side. The machine is shared, so no time is judged by itself: from the event
to the first byte sent, half of the failovers must not take much longer than half of those of the same run
with no publisher at all."""
import contextlib
import pathlib
import re
import signal

import lib
from lib import case, expect
from labkit import Failed
from publishlib import published

FAILOVERS = 4
SITUATIONS = ("no publisher", "well", "snmpd stopped", "publish stopped", "publish killed")
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


def median(column, stage="sent"):
    """Of that stage, in us: the upper limit of the bucket that it lies in."""
    count, _, buckets = column[stage]
    return next((up_to for up_to in sorted(buckets) if 2 * buckets[up_to] >= count), float("inf"))


@contextlib.contextmanager
def stopped(process):
    process.send_signal(signal.SIGSTOP)
    yield
    process.send_signal(signal.SIGCONT)


def measure(publisher, situation):
    """The failovers of one situation; all is well again after it."""
    def kill(n):
        publisher.stop("publish", signal.SIGKILL)
        publisher.start_publish()

    with contextlib.ExitStack() as stack:
        if situation == "no publisher":
            publisher.stop("publish")
            stack.callback(publisher.start_publish)
        elif situation.endswith(" stopped"):
            stack.enter_context(stopped(publisher.processes[situation.split()[0]]))
        column = failovers(publisher.lab, kill if situation == "publish killed" else lambda n: None)
    publisher.wait_served()
    if any(column[stage][0] < FAILOVERS for stage in STAGES):
        raise Failed("%s: fewer reactions than failovers: %s" % (situation, column))
    return column


def is_slower(column, undisturbed):
    return median(column) > 3 * median(undisturbed) + 5000


@case("failovers with the publisher well, snmpd stopped, publisher stopped, publisher killed, and none")
def _():
    with published(overrides={"group/damping": {"flaps": 0}}) as publisher:
        watched = {"agent": publisher.lab.processes["agent"], "snmpd": publisher.processes["snmpd"]}
        columns = {"no publisher": measure(publisher, "no publisher")}
        start = {name: resident(process) for name, process in watched.items()}
        for situation in SITUATIONS[1:]:
            columns[situation] = measure(publisher, situation)
        show(columns)
        for situation in SITUATIONS[1:]:
            if not is_slower(columns[situation], columns["no publisher"]):
                continue
            again = measure(publisher, situation)  # others use the machine too, but not twice at the same place
            show({situation: again})
            if is_slower(again, columns["no publisher"]) and is_slower(again, measure(publisher, "no publisher")):
                raise Failed("%s delays a failover" % situation)
        for name, process in watched.items():
            grown = resident(process) - start[name]
            print("# %s's memory grew by %d kB" % (name, grown))
            if "san" not in lib.BUILD.name and grown > 8192:
                raise Failed("%s's memory grew by %d kB" % (name, grown))


lib.end()
