#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""make lab-up, interrupted at several moments, leaves nothing, or what make lab-down ends; and lab up
replaces only what is a lab's."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import lib
import labbuild
from lib import BUILD, TOP, Failed, expect, labkit, wait_for

# What there is below the lab's directory when lab-up has come that far.
MOMENTS = {"nothing is built yet": "profile.json", "namespaces are being made": "lab.json",
           "sessions come up": "labrouter.sock", "the agent starts": "run/agent.pid"}


def processes_of(place):
    """Everybody who was begun with it as TMPDIR, whoever has adopted them since."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if b"TMPDIR=%s\0" % str(place).encode() in path.read_bytes():
                found.append("%s %s" % (path.parent.name, (path.parent / "cmdline").read_bytes().replace(b"\0", b" ")))
    return found


def command(place, what):
    return [TOP / "tools/lab/rehearse", what, "--build", BUILD, "--note", place / "note"]


def environment(place):
    return dict(os.environ, TMPDIR=str(place))


@contextlib.contextmanager
def begun(place, moment):
    """lab-up as in a terminal, where it has come to the moment."""
    up = subprocess.Popen(command(place, "up"), env=environment(place), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    with up:
        wait_for(moment, lambda: up.poll() is not None or list(place.glob("afbf-*/" + MOMENTS[moment])))
        if up.poll() is not None:
            raise Failed("lab-up ended by itself: " + up.stdout.read())
        yield up


def down(place):
    done = subprocess.run(command(place, "down"), env=environment(place), text=True, capture_output=True,
                          timeout=labkit.DEADLINE, check=False)
    expect("lab-down's exit code", (done.returncode, done.stderr), (0, ""))
    return done.stdout


def nothing_is_left(place):
    wait_for("nobody is left of %s" % place, lambda: not processes_of(place))
    expect("files", sorted(map(str, place.iterdir())), [])


def case(name):
    def run(function):
        if os.geteuid():
            print("ok %s # SKIP needs root" % name, flush=True)
            return
        with tempfile.TemporaryDirectory(prefix="afbf-up-", ignore_cleanup_errors=True) as tmp:
            place = pathlib.Path(tmp)
            place.chmod(0o711)  # FRR gives up root
            try:
                skipped = function(place)
                print("ok " + name + (" # SKIP " + skipped if skipped else ""), flush=True)
            except Exception as error:  # every failure is one line, then the next case
                lib.failures += 1
                print("not ok %s: %s: %s" % (name, type(error).__name__, error), flush=True)
            finally:
                subprocess.run(command(place, "down"), env=environment(place), check=False, capture_output=True)
    return run


def interrupted(place, moment, interrupt):
    with begun(place, moment) as up:
        if not processes_of(place):
            raise Failed("no process of the lab was found")
        interrupt(up)
        said = up.communicate(timeout=labkit.DEADLINE)[0]
    expect("exit code", up.returncode, 1)
    if "nothing of it is left" not in said or "Traceback" in said:
        raise Failed("it says: " + said)
    nothing_is_left(place)
    expect("lab-down says", down(place), "lab-down: no lab is up\n")


def ctrl_c(up):
    os.killpg(up.pid, signal.SIGINT)


def impatient(up):
    for _ in range(2):
        ctrl_c(up)
        up.terminate()


for when, name, how in (
        ("nothing is built yet", "Ctrl-C", ctrl_c),
        ("namespaces are being made", "SIGTERM", subprocess.Popen.terminate),
        ("the agent starts", "Ctrl-C and SIGTERM, twice", impatient)):
    case("lab-up, %s when %s: nothing is left" % (name, when))(
        lambda place, when=when, how=how: interrupted(place, when, how))


STAGED = """import importlib.machinery, importlib.util, os, pathlib, signal, sys
sys.path.insert(0, {tools!r})
import labreal
class Staged(labreal.Real):
    def take_profile(self, *args):
        if {moment!r} == "is being made":
            os.kill(os.getpid(), signal.SIGTERM)
        return super().take_profile(*args)
    def start_router(self):
        self.checker = self
    def terminate(self):  # the checker, when lab-up has come to its end
        if {moment!r} == "is up":
            os.kill(os.getpid(), signal.SIGTERM)
    def wait(self): pass
    def start_agent(self): pass
    def settle(self): pass
    def wait_bmp(self): pass
labreal.Real = Staged
loader = importlib.machinery.SourceFileLoader("program", {program!r})
program = importlib.util.module_from_spec(importlib.util.spec_from_loader("program", loader))
loader.exec_module(program)
program.main()
"""


def staged(place, moment, program, *words):
    """The program with a lab that it only believes in, and a SIGTERM at that very moment."""
    text = STAGED.format(tools=str(TOP / "tools/lab"), moment=moment, program=str(TOP / "tools/lab" / program))
    done = subprocess.run([sys.executable, "-c", text, *words, "--build", BUILD], env=environment(place), text=True,
                          capture_output=True, timeout=labkit.DEADLINE, check=False)
    if done.returncode != 1 or "interrupted" not in done.stderr or "Traceback" in done.stderr:
        raise Failed("it ended with %d and says: %s%s" % (done.returncode, done.stdout, done.stderr))
    nothing_is_left(place)


for when in ("is being made", "is up"):
    case("lab-up, SIGTERM when its lab %s: nothing is left" % when)(
        lambda place, when=when: staged(place, when, "rehearse", "up", "--note", place / "note"))
case("the demo, SIGTERM when its lab is being made: nothing is left")(
    lambda place: staged(place, "is being made", "demo"))


@case("lab-up, kill -9 of it and of lab up: lab-down ends what is left, and a second lab-up is refused")
def killed(place):
    with begun(place, "sessions come up") as up:
        os.killpg(up.pid, signal.SIGKILL)
    if not processes_of(place):
        raise Failed("nothing is left: this proves nothing")
    second = subprocess.run(command(place, "up"), env=environment(place), text=True, capture_output=True,
                            timeout=labkit.DEADLINE, check=False)
    if second.returncode != 1 or "make lab-down ends it" not in second.stderr:
        raise Failed("a second lab-up: " + second.stdout + second.stderr)
    down(place)
    nothing_is_left(place)


@case("a lab up that takes too long is ended, with what it has begun")
def late(place):
    program = "import subprocess, sys; sys.path.insert(0, %r); import labkit, labreal\n" \
        "class Late(subprocess.Popen):\n" \
        "    def communicate(self, text, timeout):\n" \
        "        labkit.wait_for('namespaces are being made', (lab.dir / 'lab.json').exists)\n" \
        "        raise subprocess.TimeoutExpired(self.args, timeout)\n" \
        "lab = labreal.Real(%r, stays=True)\n" \
        "subprocess.Popen = Late\n" \
        "try: lab.lab('up', '--profile', lab.source, '--build', lab.build, timeout=7)\n" \
        "except labreal.Failed as error: print(error)" % (str(TOP / "tools/lab"), str(BUILD))
    said = subprocess.run([sys.executable, "-c", program], env=environment(place), text=True, capture_output=True,
                          timeout=labkit.DEADLINE, check=False)
    if "not done after 7 s" not in said.stdout:
        raise Failed("it says: " + said.stdout + said.stderr)
    wait_for("nobody is left of %s" % place, lambda: not processes_of(place))


@case("lab down ends with the lab, also where nobody reaps what it has killed")
def unreaped(place):
    directory = place / "lab"
    directory.mkdir()
    (directory / "cabling.json").write_text((TOP / "profiles/four-dual-stack.json").read_text())
    with subprocess.Popen(["sleep", "600"]) as holder:
        try:
            labbuild.write_state(directory, {"holder": holder.pid, "started": labbuild.start_time(holder.pid),
                                             "prefix": "none", "elements": 4, "spares": []})
            done = subprocess.run([TOP / "tools/lab/lab", "down", "--dir", directory], text=True, capture_output=True,
                                  timeout=labkit.DEADLINE, check=False)
            expect("lab down", (done.returncode, done.stdout, done.stderr), (0, "lab down: %s\n" % directory, ""))
            expect("it was killed", holder.wait(), -signal.SIGTERM)
        finally:
            holder.kill()


@case("lab up replaces nothing in a directory that no lab has made")
def foreign(place):
    kept = place / "run" / "kept"
    kept.parent.mkdir()
    kept.write_text("mine\n")
    done = subprocess.run([TOP / "tools/lab/lab", "up", "--dir", place, "--build", BUILD], text=True,
                          capture_output=True, timeout=labkit.DEADLINE, check=False)
    if done.returncode != 1 or "choose another --dir" not in done.stderr:
        raise Failed("it says: " + done.stdout + done.stderr)
    expect("what is there", (kept.read_text(), sorted(p.name for p in place.iterdir()), place.stat().st_mode & 0o777),
           ("mine\n", ["run"], 0o711))


@case("lab-up tells what is wrong with a profile, and begins nothing or ends it")
def wrong_profile(place):
    (place / "bad.json").write_text('{ "autofbf:profile": {')
    for profile, wanted in ((place / "none.json", "No such file"), (place / "bad.json", "bad.json:1"),
                            (TOP / "profiles/minimal.json", "group cgn has no inside-interface")):
        done = subprocess.run([*command(place, "up"), "--profile", profile], env=environment(place), text=True,
                              capture_output=True, timeout=labkit.DEADLINE, check=False)
        if done.returncode != 1 or wanted not in done.stderr or "Traceback" in done.stderr:
            raise Failed("of %s it says: %s%s" % (profile, done.stdout, done.stderr))
    wait_for("nobody is left", lambda: not processes_of(place))
    expect("lab-down says", down(place), "lab-down: no lab is up\n")


@case("without root lab-up and the demo say so, and begin nothing")
def no_root(place):
    place.chmod(0o777)
    for argv in (command(place, "up"), [TOP / "tools/lab/demo", "--build", BUILD]):
        try:
            done = subprocess.run(argv, env=environment(place), text=True, capture_output=True, user=65534,
                                  group=65534, timeout=labkit.DEADLINE, check=False)
        except PermissionError:
            return "the checkout is not for others to read"
        if done.returncode != 1 or "needs root" not in done.stderr or "Traceback" in done.stderr:
            raise Failed("it says: " + done.stdout + done.stderr)
    expect("files", list(place.iterdir()), [])
    return None


lib.end()
