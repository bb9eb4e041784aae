# SPDX-License-Identifier: BSD-3-Clause
"""Cases against a whole program run: one "ok"/"not ok" line each. Used by tests/run/test_*.py."""
import contextlib
import datetime
import json
import os
import pathlib
import signal
import struct
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools" / "lab"))
import labkit  # noqa: E402
from labkit import Failed, wait_for  # noqa: E402,F401

BUILD = TOP / os.environ.get("BUILD", "build/release")
if "san" in BUILD.name:
    labkit.DEADLINE = 60
failures = 0


def expect(what, got, wanted):
    if got != wanted:
        raise Failed("%s: got %r, wanted %r" % (what, got, wanted))


def show_logs(lab):
    for log in lab.logs():
        if log.exists():
            print("--- %s" % log)
            print("\n".join(log.read_text(errors="replace").splitlines()[-40:]))


class Ahead(labkit.Sim):
    """A lab whose time can be put forward: of the agent and the router together."""

    def __init__(self, build, overrides=None, step=10, **options):
        """step: seconds between polls, and between audits; time is put forward by so many."""
        intervals = {"poll-interval": step * 1000, "audit-interval": step * 1000, "router/reply-timeout": 600000}
        super().__init__(build, overrides={**intervals, **(overrides or {})}, **options)
        self.step, self.seconds = step, 0
        self.jump(0)

    def env(self):
        return dict(super().env(), AUTOFBF_CLOCK_AHEAD=str(self.dir / "ahead"))

    def start(self, name, argv):
        if name in ("agent", "router"):
            argv = [self.build / "tests" / "ahead" / argv[0].name, *argv[1:]]
        return super().start(name, argv)

    def jump(self, seconds):
        """At once, whatever is under way. Written in place: it is mapped."""
        self.seconds += seconds
        with open(self.dir / "ahead", "r+b" if self.seconds else "wb") as clock:
            clock.write(struct.pack("q", self.seconds))

    def is_read_since(self, at):
        """The router was polled, its lists were read, and the counters that are known to be there."""
        status = self.status()
        times = [load["measured"] for group in status["group"] for element in group["element"]
                 for load in element.get("load", ()) if "measured" in load]
        times.append(next(s["last-message"] for s in status["source"] if s["name"] == "poll"))
        times.append(status["audit"]["last"])
        return all(moment(text).timestamp() >= at for text in times)

    def advance(self, seconds):
        """In steps, each with a look at the router, as it would be if that time had passed."""
        for left in range(seconds, 0, -self.step):
            self.jump(min(left, self.step))
            now = time.time() + self.seconds
            wait_for("a look at the router after %d s" % self.seconds, lambda at=now: self.is_read_since(at))


@contextlib.contextmanager
def sim(kind=labkit.Sim, **options):
    """A running lab that is in sync; ended whatever happens; the checker must be content."""
    lab = kind(BUILD, **options)
    ok = False
    try:
        lab.start_router()
        lab.start_agent()
        lab.settle()
        yield lab
        lab.check_invariants()
        for name in ("agent", "router"):  # also how a sanitizer tells of a leak
            code = lab.stop(name)
            if code not in (0, None):
                raise Failed("the %s ended with %d" % (name, code))
        ok = True
    finally:
        if not ok:
            show_logs(lab)
        lab.close(keep=not ok)


def records(lab):
    lines = (lab.dir / "state" / "events.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def timeline(lab):
    """What the agent recorded, as comments, in seconds since its first record."""
    rows = records(lab)
    start = moment(rows[0]["when"])
    for row in rows:
        at = moment(row["when"])
        print("# %7.3f s  %-9s %-7s %s" % ((at - start).total_seconds(), row["kind"], row["subject"],
                                           row["text"][:120]))


def case(name):
    """Decorator: runs the function as one case, at once."""
    def run(function):
        global failures
        try:
            function()
            print("ok %s" % name, flush=True)
        except Exception as error:  # every failure is one line, then the next case
            failures += 1
            print("not ok %s: %s: %s" % (name, type(error).__name__, error), flush=True)
        return function
    return run


def end():
    sys.exit(1 if failures else 0)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
