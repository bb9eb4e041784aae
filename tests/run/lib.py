# SPDX-License-Identifier: BSD-3-Clause
"""Cases against a whole program run: one "ok"/"not ok" line each. Used by tests/run/test_*.py."""
import contextlib
import datetime
import json
import os
import pathlib
import signal
import sys

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


@contextlib.contextmanager
def sim(**options):
    """A running lab that is in sync; ended whatever happens; the checker must be content."""
    lab = labkit.Sim(BUILD, **options)
    ok = False
    try:
        lab.start_router()
        lab.start_agent()
        lab.settle()
        yield lab
        lab.check_invariants()
        code = lab.stop("agent")
        if code not in (0, None):
            raise Failed("the agent ended with %d" % code)
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
