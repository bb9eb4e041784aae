#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""labrouter by itself, with both framings: ncclient (Debian's, junos handler) and raw clients against
it, its control socket, BMP and syslog."""
import importlib.util
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile

import lib
from labkit import TOP, die_with_parent, end_process, free_port
from lib import BUILD

CLIENT = TOP / "tests/run/labrouter_client.py"
OPTIONS = {"eom": ["--syslog-format", "bsd"], "chunked": ["--base-1.1", "--syslog-format", "structured"]}


def make_keys(directory):
    for name, kind in (("host", "ed25519"), ("host2", "ed25519"), ("user", "rsa"), ("stranger", "ed25519")):
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", directory / name], check=True)
    (directory / "authorized_keys").write_bytes((directory / "user.pub").read_bytes())


def start(directory, variant, bmp, syslog):
    """The process, and the port that it listens on, from its own words."""
    home = directory / variant
    home.mkdir()
    with open(home / "log", "wb") as log:
        router = subprocess.Popen(
            [BUILD / "labrouter", "--config", "tests/fixtures/labrouter/static.xml", "--listen", "127.0.0.1:0",
             "--host-key", directory / "host", "--authorized-keys", directory / "authorized_keys",
             "--password", "lab", "--control", home / "ctl", "--journal", home / "journal",
             "--transcript", home / "transcript", "--simulate", "--bmp", "127.0.0.1:%d" % bmp,
             "--syslog", "127.0.0.1:%d" % syslog, "--bmp-repeat", "200", *OPTIONS[variant]],
            cwd=TOP, text=True, stdout=subprocess.PIPE, stderr=log, preexec_fn=die_with_parent)
    return router, router.stdout.readline().strip()


def run(directory, variant):
    bmp, syslog = free_port(), free_port(socket.SOCK_DGRAM)
    router, ready = start(directory, variant, bmp, syslog)

    @lib.case("%s: started" % variant)
    def _():
        lib.expect("says that it is ready", "ready" in ready, True)

    try:
        if ready:
            client = [sys.executable, CLIENT, variant, BUILD / "labrouter", directory, ready.split()[-1], str(bmp), str(syslog)]
            lib.failures += subprocess.run(client, cwd=TOP, check=False).returncode != 0
    finally:
        code = end_process({"router": router}, "router", signal.SIGTERM)

    @lib.case("%s: clean end on SIGTERM, and the control socket is removed" % variant)
    def _():
        lib.expect("exit code", code, 0)
        lib.expect("control socket", (directory / variant / "ctl").exists(), False)

    if code or not ready:
        print((directory / variant / "log").read_text(errors="replace"))


if importlib.util.find_spec("ncclient") and importlib.util.find_spec("paramiko"):
    with tempfile.TemporaryDirectory() as place:
        make_keys(pathlib.Path(place))
        for name in OPTIONS:
            run(pathlib.Path(place), name)
else:
    print("ok labrouter # SKIP python3-ncclient is not installed")
lib.end()
