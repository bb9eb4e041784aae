# SPDX-License-Identifier: BSD-3-Clause
"""Cases in the real lab: one "ok"/"not ok" line each. Used by tests/lab/test_*.py.

A run in which the machine interfered (labreal.Void) is repeated, at most twice, and that is printed;
a broken promise is never repeated. Without root every case is skipped, and says so.
"""
import bisect
import contextlib
import datetime
import ipaddress
import json
import os
import pathlib
import signal
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools" / "lab"))
import labkit  # noqa: E402
import labreal  # noqa: E402
from labkit import Failed, wait_for  # noqa: E402,F401
from labreal import Void  # noqa: E402,F401

BUILD = TOP / os.environ.get("BUILD", "build/release")
REPEATS = 2
failures = 0


def expect(what, got, wanted):
    if got != wanted:
        raise Failed("%s: got %r, wanted %r" % (what, got, wanted))


def seconds(text):
    """Wall clock of a time as the state has it."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def show_logs(lab):
    for log in lab.logs():
        if log.exists():
            print("--- %s" % log)
            print("\n".join(log.read_text(errors="replace").splitlines()[-40:]))


def once(function, options):
    """One run of the case in a lab of its own."""
    lab = labreal.Real(BUILD, **options)
    ok = False
    try:
        lab.start_router()
        if not function.without_agent:
            lab.start_agent()
            lab.settle()
        function(lab)
        lab.check_invariants()
        code = lab.stop("agent")
        if code not in (0, None):
            raise Failed("the agent ended with %d" % code)
        ok = True
    except Void:
        ok = True
        raise
    except Exception:
        with contextlib.suppress(Failed):  # the lab may be gone
            lab.check_void(*function.touches)  # a paused machine explains the failure: repeat
        show_logs(lab)
        raise
    finally:
        lab.close(keep=not ok)


# FRR may bring one family back seconds after the other: both are to be in hold-down together.
RETURN = {"group/hold-down": 4}


def case(name, touches=(), without_agent=False, **options):
    """Decorator: runs the function as one case, at once. touches: elements that it makes fail."""
    def run(function):
        global failures
        function.touches, function.without_agent = touches, without_agent
        if os.geteuid():
            print("ok %s # SKIP needs root" % name, flush=True)
            return function
        for attempt in range(REPEATS + 1):
            try:
                once(function, options)
                print("ok %s" % name, flush=True)
                return function
            except Void as void:
                print("# void run %d of %s: %s" % (attempt + 1, name, void), flush=True)
            except Exception as error:  # every failure is one line, then the next case
                failures += 1
                print("not ok %s: %s: %s" % (name, type(error).__name__, error), flush=True)
                return function
        failures += 1
        print("not ok %s: %d runs, all void" % (name, REPEATS + 1), flush=True)
        return function
    return run


def lost_by_owner(rows, owner_of):
    """{owner: [subscribers, sent, lost, longest gap ms]}; owner_of: address -> element."""
    sums = {}
    for row in rows:
        entry = sums.setdefault(owner_of(row["subscriber"]), [0, 0, 0, 0.0])
        entry[0] += 1
        entry[1] += int(row["sent"])
        entry[2] += int(row["lost"])
        entry[3] = max(entry[3], float(row["longest_gap_ms"]))
    return sums


class Owners:
    """Which element serves an address, by one group's layout."""

    def __init__(self, layout, group=0):
        self.starts = {4: [], 6: []}
        self.units = {4: [], 6: []}
        for family in layout["groups"][group]["families"]:
            for unit in family["units"]:
                network = ipaddress.ip_network(unit["prefix"])
                self.starts[network.version].append(int(network[0]))
                self.units[network.version].append((network, unit["element"]))

    def unit(self, address):
        """(network, element)"""
        ip = ipaddress.ip_address(address)
        return self.units[ip.version][bisect.bisect_right(self.starts[ip.version], int(ip)) - 1]

    def __call__(self, address):
        return self.unit(address)[1]


def owners(lab, group=0):
    """By the layout that stands now."""
    return Owners(json.loads(lab.cli("layout", "--json")), group)


class Watch:
    """Traffic of one group through a series of steps. Says for every lost packet whether it may be.

    In each step some elements are touched. Who may lose packets in it: their subscribers, and units
    that were displaced before and are displaced again. The units that an element has in the base
    stay with it unless it is touched.
    """

    def __init__(self, lab, group=0, base=None):
        self.lab, self.group, self.steps = lab, group, []
        self.now = owners(lab, group)
        self.base = base or self.now
        lab.start_traffic(group)

    def step(self, what, *touched):
        """From now on. Without elements: nobody may lose anything."""
        self.steps.append((time.time(), what, touched, self.now))

    def done(self):
        """The step has ended: the router forwards by the layout that the agent now shows."""
        self.lab.settle()
        self.lab.wait_forwarded()
        self.now = owners(self.lab, self.group)
        *_, what, touched, _ = self.steps[-1]
        for version, units in self.base.units.items():
            for network, element in units:
                before, after = self.steps[-1][3](network[0]), self.now(network[0])
                if before == element and element not in touched:
                    expect("%s, %s of %s is at" % (what, network, element), after, element)
        self.steps.append((time.time(), "after " + what, (), self.now))

    def finish(self):
        """Ends the traffic. {what: lost packets} of the steps; each subscriber's rows."""
        time.sleep(0.3)  # the last step's traffic
        rows = self.lab.stop_traffic(self.group)
        lost, per_subscriber = {what: 0 for _, what, *_ in self.steps}, {}
        for at, subscriber in self.lab.losses(self.group):
            i = bisect.bisect_right([start for start, *_ in self.steps], at) - 1
            if i < 0:
                raise Failed("%s lost a packet before anything happened" % subscriber)
            _, what, touched, before = self.steps[i]
            after = self.steps[i + 1][3] if i + 1 < len(self.steps) else before
            involved = {before(subscriber), self.base(subscriber)} & set(touched)
            if not involved and before(subscriber) == after(subscriber):
                raise Failed("%s, %.3f s into it: %s of %s lost a packet" % (
                    what, at - self.steps[i][0], subscriber, before(subscriber)))
            lost[what] += 1
            key = (what, subscriber)
            per_subscriber[key] = per_subscriber.get(key, 0) + 1
        if not rows or any(int(row["received"]) == 0 for row in rows):
            raise Failed("a subscriber never had an answer")
        return lost, per_subscriber


def end():
    sys.exit(1 if failures else 0)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
