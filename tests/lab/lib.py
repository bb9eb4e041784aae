# SPDX-License-Identifier: BSD-3-Clause
"""Cases in the real lab: one "ok"/"not ok" line each. Used by tests/lab/test_*.py.

A run in which the machine interfered (labreal.Void) is repeated, at most twice, and that is printed;
a broken promise is never repeated. Without root every case is skipped, and says so.
"""
import contextlib
import os
import pathlib
import signal
import sys

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


def end():
    sys.exit(1 if failures else 0)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
