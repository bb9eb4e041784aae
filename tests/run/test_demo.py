#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The demo itself: a claim that is false ends it with 1, and whatever ends it leaves no process behind.

Real namespaces too where this runs as root and not under a sanitizer.
"""
import os
import pathlib
import signal
import subprocess
import tempfile

from lib import BUILD, TOP, Failed, case, end, expect, labkit, wait_for

KINDS = ["--simulate"] + ([] if os.geteuid() or "san" in BUILD.name else [""])


def start(kind, build=BUILD, tmp=None):
    env = dict(os.environ, TMPDIR=tmp or tempfile.gettempdir())
    # A suite that runs in the background was given SIGINT ignored; the demo is to be tested as from a terminal.
    return subprocess.Popen([TOP / "tools/lab/demo", *kind.split(), "--build", build], text=True, env=env,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def read_until(demo, text):
    """What the demo printed, up to a line with this text."""
    lines = []
    for line in demo.stdout:
        lines.append(line)
        if text in line:
            return
    raise Failed("the demo ended before it said %r: %s" % (text, "".join(lines)[-2000:]))


def mentioning(text):
    """Processes with this text in their command line."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in words:
            found.append("%s: %s" % (path.parent.name, words[:120]))
    return found


def end_by(kind, number):
    with tempfile.TemporaryDirectory(prefix="autofbf-demo-", ignore_cleanup_errors=True) as tmp:
        os.chmod(tmp, 0o711)  # FRR gives up root
        demo = start(kind, tmp=tmp)
        read_until(demo, "no commit so far")
        if not mentioning(tmp):
            raise Failed("no process of the lab was found")
        demo.send_signal(number)
        demo.stdout.read()
        demo.wait(timeout=labkit.DEADLINE)
        if demo.returncode == 0:
            raise Failed("the demo ended with 0")
        wait_for("no process of %s" % tmp, lambda: not mentioning(tmp))


for how in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
    for which in KINDS:
        case("%s in the middle of the demo%s leaves no process" % (how.name, " " + which if which else ""))(
            lambda kind=which, number=how: end_by(kind, number))


@case("a claim that is false ends the demo with 1")
def _():
    with tempfile.TemporaryDirectory(prefix="autofbf-demo-") as tmp:
        for program in ("autofbfd", "autofbf"):
            os.symlink(BUILD / program, pathlib.Path(tmp) / program)
        liar = pathlib.Path(tmp) / "labrouter"  # says one commit more than there were
        liar.write_text('#!/bin/sh\n[ "$1 $3" = "ctl status" ] || exec "%s" "$@"\n'
                        '"%s" "$@" | awk \'/^commits/ { sub(/[0-9]+/, $NF + 1) } { print }\'\n' %
                        (BUILD / "labrouter", BUILD / "labrouter"))
        liar.chmod(0o755)
        demo = start("--simulate", build=tmp, tmp=tmp)
        output = demo.communicate(timeout=120)[0]
        expect("exit code", demo.returncode, 1)
        if "FALSE no commit so far" not in output or "all true" in output:
            raise Failed("it says: " + output[-2000:])


end()
