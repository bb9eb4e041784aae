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


@case("more traps than a master that hangs has room for hold up no page")
def _():
    with published(http=True, change=publishlib.many_elements) as publisher:
        lab, snmpd = publisher.lab, publisher.processes["snmpd"]
        snmpd.send_signal(signal.SIGSTOP)
        lab.ctl("peer", "down", *[peer for element in lab.elements for peer in lab.peers_of(element)])
        wait_for("a hundred alarms", lambda: len(lab.status().get("alarm", ())) > 100)
        wait_for("the loss of the master", lambda: "the master agent is gone" in publisher.log("publish"))
        expect("/healthz", healthz(publisher), 200)
        snmpd.send_signal(signal.SIGCONT)
        publisher.wait_served()
        expect_gets(publisher)


UNREACHABLE = {"Type": "agent-unreachable", "Key": "agent"}


def page(publisher, path):
    with urllib.request.urlopen("http://127.0.0.1:%d%s" % (publisher.http_port, path), timeout=DEADLINE) as answer:
        return answer.read().decode()


@case("an agent that hangs: its age is told, then that it is unreachable; the session goes on when it does")
def _():
    with published(http=True) as publisher:
        agent = publisher.lab.processes["agent"]
        wait_trap(publisher, "autofbfAlarmCleared", **UNREACHABLE)  # of the start
        agent.send_signal(signal.SIGSTOP)
        oldest = 0
        while not traps(publisher, "autofbfAlarmRaised"):
            oldest = max(oldest, number(publisher.get("autofbfAgentDataAge.0")[0]))
            expect_gets(publisher, 3)
        wait_trap(publisher, "autofbfAlarmRaised", **UNREACHABLE)
        agent.send_signal(signal.SIGCONT)
        wait_trap(publisher, "autofbfAlarmCleared", times=2, seconds=40, **UNREACHABLE)
        if oldest < 1500:
            raise Failed("the data grew no older than %d ms" % oldest)
        publisher.wait_served()
        print("# sessions with the agent: %d" % publisher.log("publish").count("the agent is there"))
        agent.send_signal(signal.SIGSTOP)
        wait_for("/healthz to say so", lambda: healthz(publisher) == 503)
        expect("reachable", publisher.get("autofbfAgentReachable.0"), ["2"])
        expect_gets(publisher)
        metrics = page(publisher, "/metrics")
        if "autofbf_up 0" not in metrics or "autofbf_data_age_seconds" not in metrics:
            raise Failed("/metrics does not say it: %s" % metrics)
        agent.send_signal(signal.SIGCONT)
        wait_for("/healthz to say so", lambda: healthz(publisher) == 200)
        publisher.wait_served()
        wait_trap(publisher, "autofbfAlarmCleared", times=3, seconds=40, **UNREACHABLE)


@case("an agent that was never there is unreachable; that ends also for a publisher that did not tell it")
def _():
    with published() as publisher:
        wait_trap(publisher, "autofbfAlarmCleared", **UNREACHABLE)
        publisher.lab.kill_agent()
        publisher.stop("publish", signal.SIGKILL)
        publisher.start_publish()
        varbinds, _ = wait_trap(publisher, "autofbfAlarmRaised", **UNREACHABLE)
        print("# %s" % varbinds["autofbfAlarmCause"])
        publisher.stop("publish", signal.SIGKILL)
        publisher.lab.start_agent()
        publisher.lab.settle()
        publisher.start_publish()
        wait_trap(publisher, "autofbfAlarmCleared", times=2, seconds=40, **UNREACHABLE)
        expect("times that it was raised", len(traps(publisher, "autofbfAlarmRaised")), 1)


@case("a publisher that was held does not take it for the agent's silence")
def _():
    with published() as publisher:
        for _ in range(3):
            publisher.processes["publish"].send_signal(signal.SIGSTOP)
            began = lib.moment(publisher.lab.status()["now"])
            wait_for("longer than its patience",
                     lambda: (lib.moment(publisher.lab.status()["now"]) - began).total_seconds() > 4)
            publisher.processes["publish"].send_signal(signal.SIGCONT)
            wait_for("a new picture", lambda: number(publisher.get("autofbfAgentDataAge.0")[0]) < 1500)
        if "has not answered" in publisher.log("publish"):
            raise Failed("the agent is called unreachable")


def ask(where, path):
    """A connection that has asked for a page and has not taken what comes after the first bytes; the bytes."""
    scraper = socket.socket(socket.AF_UNIX)
    scraper.settimeout(DEADLINE)
    scraper.connect(str(where))
    scraper.sendall(b"GET %s HTTP/1.0\r\n\r\n" % path.encode())
    return scraper, scraper.recv(len("HTTP/1.1 200"))


@case("the publisher ends while a scraper has not taken its answer")
def _():
    with published(snmp=False, change=publishlib.many_elements) as publisher:
        publisher.stop("publish")
        for path in ("/metrics", "/status.json"):
            where = publisher.dir / path.strip("/")
            publisher.start_publish("--no-snmp", "--http", "unix:%s" % where)
            wait_for("the agent", lambda: ask(where, "/healthz")[1].endswith(b"200"))
            scraper, begin = ask(where, path)
            expect(path, begin, b"HTTP/1.1 200")
            expect("exit code", publisher.stop("publish"), 0)
            scraper.close()


lib.end()
