#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whoever autofbf-publish talks to hangs: snmpd, the agent, a scraper; and the publisher itself."""
import contextlib
import signal
import socket
import subprocess
import urllib.error
import urllib.request

import lib
import publishlib
from lib import case, expect, wait_for
from labkit import DEADLINE, Failed
from publishlib import number, published, traps, wait_trap


def healthz(publisher):
    """Status of /healthz."""
    try:
        with urllib.request.urlopen("http://127.0.0.1:%d/healthz" % publisher.http_port, timeout=DEADLINE) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def expect_gets(publisher, count=20):
    """Each GET is answered within a second, without a second try."""
    command = ["/usr/bin/snmpget", "-v2c", "-c", publishlib.COMMUNITY, "-t", "1", "-r", "0", "-Oqv",
               publisher.where(), "autofbfAgentDataAge.0"]
    answers = [subprocess.run(command, text=True, capture_output=True, env=publisher.env(), timeout=DEADLINE)
               for _ in range(count)]
    expect("GETs without an answer", [a.stderr for a in answers if a.returncode != 0], [])


def fill_queue(path):
    """Connections to a socket until no more fit: other subagents do that too when their master hangs."""
    held = []
    while True:
        held.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK))
        try:
            held[-1].connect(str(path))
        except BlockingIOError:
            return held


@case("a master that was late for a ping is served at once when it goes on")
def _():
    with published() as publisher:
        for times in (1, 2):
            publisher.processes["snmpd"].send_signal(signal.SIGSTOP)
            wait_for("the loss of a master that hangs",
                     lambda: publisher.log("publish").count("the master agent is gone") >= times)
            publisher.processes["snmpd"].send_signal(signal.SIGCONT)
            publisher.wait_served()
            expect_gets(publisher)


@case("a master whose queue is full holds up neither pages nor the end")
def _():
    with published(http=True) as publisher:
        snmpd = publisher.processes["snmpd"]
        snmpd.send_signal(signal.SIGSTOP)
        with contextlib.ExitStack() as stack:
            for connection in fill_queue(publisher.agentx):
                stack.enter_context(connection)
            tries = "Failed to connect to the agentx master agent"
            wait_for("two tries in vain", lambda: publisher.log("publish").count(tries) >= 2)
            expect("/healthz", healthz(publisher), 200)
            if "has not answered" in publisher.log("publish"):
                raise Failed("the agent is called unreachable, but snmpd hangs")
        snmpd.send_signal(signal.SIGCONT)
        publisher.wait_served()
        expect_gets(publisher)
        snmpd.send_signal(signal.SIGSTOP)
        with contextlib.ExitStack() as stack:
            for connection in fill_queue(publisher.agentx):
                stack.enter_context(connection)
            wait_for("a try in vain", lambda: publisher.log("publish").count(tries) >= 3)
            expect("exit code", publisher.stop("publish"), 0)
        snmpd.send_signal(signal.SIGCONT)


lib.end()
