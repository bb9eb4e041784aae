#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The traffic probe on loopback: what it counts, and that results are complete however a run ends."""
import csv
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools" / "lab"))
import labkit  # noqa: E402
from labkit import Failed  # noqa: E402

PROBE = TOP / os.environ.get("BUILD", "build/release") / "probe"
failures = 0


def free_port():
    return str(labkit.free_port(socket.SOCK_DGRAM))


def reflector(port, *addresses):
    words = [word for address in addresses for word in ("--listen", address)]
    process = subprocess.Popen([PROBE, "reflect", "--port", port, *words], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()  # it listens now
    return process


def end(process):
    process.terminate()
    if process.wait(timeout=20) != 0:
        raise Failed("the reflector ended with %d" % process.returncode)


def case(name):
    def run(function):
        global failures
        try:
            with tempfile.TemporaryDirectory() as directory:
                function(pathlib.Path(directory))
            print("ok %s" % name, flush=True)
        except Exception as error:  # every failure is one line, then the next case
            failures += 1
            print("not ok %s: %s: %s" % (name, type(error).__name__, error), flush=True)
        return function
    return run


def expect(what, got, wanted):
    if got != wanted:
        raise Failed("%s: got %r, wanted %r" % (what, got, wanted))


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@case("both families, nothing lost, fixed number of packets")
def nothing_lost(directory):
    port = free_port()
    (directory / "list").write_text("# comment\n127.9.0.1\n::1\n\n127.9.0.2\n")
    far = reflector(port, "127.0.0.1", "::1")
    done = subprocess.run([PROBE, "send", "--port", port, "--to", "127.0.0.1", "--to", "::1", "--list",
                           directory / "list", "--rate", "600", "--duration", "0.5", "--csv",
                           directory / "csv", "--losses", directory / "losses"],
                          text=True, capture_output=True, timeout=30, check=False)
    end(far)
    expect("exit code", done.returncode, 0)
    got = {r["subscriber"]: (r["family"], r["sent"], r["received"], r["lost"], r["longest_gap_ms"])
           for r in rows(directory / "csv")}
    expect("rows", got, {"127.9.0.1": ("ipv4", "100", "100", "0", "0.0"),
                         "127.9.0.2": ("ipv4", "100", "100", "0", "0.0"),
                         "::1": ("ipv6", "100", "100", "0", "0.0")})
    expect("losses", (directory / "losses").read_text(), "sent_at_us,subscriber,family\n")


@case("subscribers of a pool are spread over it, each share has one")
def pool(directory):
    port = free_port()
    far = reflector(port, "127.0.0.1")
    subprocess.run([PROBE, "send", "--port", port, "--to", "127.0.0.1", "--pool", "127.16.0.0/16", "--count",
                    "256", "--rate", "20000", "--duration", "0.1", "--csv", directory / "csv"],
                   capture_output=True, timeout=30, check=True)
    end(far)
    thirds = [int(r["subscriber"].split(".")[2]) for r in rows(directory / "csv")]
    expect("third bytes", thirds, list(range(256)))
    lasts = {int(r["subscriber"].split(".")[3]) % 4 for r in rows(directory / "csv")}
    expect("last bytes, modulo 4", lasts, {0, 1, 2, 3})


@case("the far end dies: losses, gaps and times of every subscriber")
def far_end_dies(directory):
    port = free_port()
    far = reflector(port, "127.0.0.1")
    near = subprocess.Popen([PROBE, "send", "--port", port, "--to", "127.0.0.1", "--pool", "127.16.0.0/16",
                             "--count", "4", "--rate", "400", "--csv", directory / "csv", "--losses",
                             directory / "losses"], stderr=subprocess.PIPE, text=True)
    near.stderr.readline()
    time.sleep(0.5)
    before = time.time()
    end(far)
    time.sleep(0.5)
    near.send_signal(signal.SIGTERM)
    summary = near.communicate(timeout=30)[1]
    expect("exit code", near.returncode, 0)
    lost = 0
    for row in rows(directory / "csv"):
        sent, answered, gone = (int(row[k]) for k in ("sent", "received", "lost"))
        expect("sent", sent, answered + gone)
        if not (answered > 0 and gone > 0 and 300 < float(row["longest_gap_ms"]) < 20000):
            raise Failed("%s" % row)
        lost += gone
    times = [int(r["sent_at_us"]) / 1e6 for r in rows(directory / "losses")]
    expect("lines of losses", len(times), lost)
    if min(times) < before - 0.1 or times != sorted(times):
        raise Failed("losses before the failure, or out of order")
    if "lost %d;" % lost not in summary:
        raise Failed("the summary says: " + summary)


@case("a far end that was never there: everything is lost, nothing is the probe's fault")
def never_there(directory):
    done = subprocess.run([PROBE, "send", "--port", free_port(), "--to", "127.0.0.9", "--list", "/dev/stdin",
                           "--rate", "100", "--duration", "0.2"], input="127.0.0.1\n", text=True,
                          capture_output=True, timeout=30, check=False)
    expect("exit code", done.returncode, 0)
    line = done.stdout.splitlines()[1].split(",")
    expect("received", line[3], "0")


@case("wrong words are refused with 2")
def usage(directory):
    for words in ((), ("send",), ("reflect",), ("send", "--to", "nowhere"), ("send", "--rate", "20001"),
                  ("send", "--pool", "10.0.0.1/8"), ("send", "--duration", "x"), ("fly",)):
        done = subprocess.run([PROBE, *words], capture_output=True, timeout=10, check=False)
        expect("probe " + " ".join(words), done.returncode, 2)


sys.exit(1 if failures else 0)
