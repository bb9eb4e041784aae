#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Clients of labrouter, started by test_labrouter.py: VARIANT ROUTER DIR PORT BMP_PORT SYSLOG_PORT.

ncclient with its junos handler is a client that we did not write; paramiko's bare channel is for what
no client would send. (This file is not called ncclient.py because it would hide the module.)
"""
import json
import logging
import os
import pathlib
import random
import re
import socket
import struct
import subprocess
import sys
import time

import paramiko
from ncclient import manager
from ncclient.operations import RPCError
from ncclient.xml_ import to_ele

VARIANT, ROUTER, DIR, PORT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
BMP_PORT, SYSLOG_PORT = int(sys.argv[5]), int(sys.argv[6])
CTL = DIR / VARIANT / "ctl"
DEADLINE = 20
failures = 0
logging.disable(logging.CRITICAL)  # paramiko reports connections that a case means to lose


class Failed(Exception):
    """A case is not as it should be."""


def case(name, both=False):
    """Decorator: runs the function at once; afterwards nothing is armed, open or locked.

    both: also with base:1.1, where only the framing is another one."""
    def run(function):
        global failures
        if VARIANT != "eom" and not both:
            return function
        started = time.monotonic()
        try:
            function()
            print("ok %s: %s  (%.1f s)" % (VARIANT, name, time.monotonic() - started), flush=True)
        except Exception as error:  # every failure is one line, then the next case
            failures += 1
            print("not ok %s: %s: %s: %s" % (VARIANT, name, type(error).__name__, error), flush=True)
        for words in (("fault", "clear"), ("lock", "off"), ("resume",), ("drop", "all"), ("wait", "sessions", "=0")):
            ctl(*words)
        return function
    return run


def expect(what, got, wanted):
    if got != wanted:
        raise Failed("%s: got %r, wanted %r" % (what, got, wanted))


def expect_in(what, part, whole):
    if part not in whole:
        raise Failed("%s: %r is not in %r" % (what, part, whole[:600]))


def ctl(*words, code=0):
    result = subprocess.run([ROUTER, "ctl", CTL, *map(str, words)], text=True, capture_output=True,
                            timeout=DEADLINE)
    expect("ctl " + " ".join(map(str, words)) + " (" + result.stderr.strip() + ")", result.returncode, code)
    return result.stdout if code == 0 else result.stderr


def numbers():
    return dict(line.split(" ", 1) for line in ctl("status").splitlines())


def connect(**login):
    login = login or {"key_filename": str(DIR / "user")}
    return manager.connect(host="127.0.0.1", port=PORT, username="lab", hostkey_verify=False,
                           allow_agent=False, look_for_keys=False, timeout=DEADLINE,
                           device_params={"name": "junos"}, **login)


def rpc(m, text):
    return str(m.rpc(text))


def refused(what, call):
    """The error texts of an rpc-error."""
    try:
        call()
    except RPCError as error:
        return " ".join("%s %s %s" % (e.severity, e.tag, e.message) for e in (error.errlist or [error]))
    raise Failed(what + " was not refused")


OPEN = "<open-configuration><ephemeral-instance>%s</ephemeral-instance></open-configuration>"
READ = '<get-configuration database="ephemeral" ephemeral-instance="%s"/>'


def open_instance(m, name="autofbf"):
    return rpc(m, OPEN % name)


def items(listname, add=(), delete=()):
    text = "".join("<prefix-list-item><name>%s</name></prefix-list-item>" % p for p in add)
    text += "".join('<prefix-list-item delete="delete"><name>%s</name></prefix-list-item>' % p for p in delete)
    return to_ele("<policy-options><prefix-list><name>%s</name>%s</prefix-list></policy-options>" % (listname, text))


def load(m, config):
    return str(m.load_configuration(format="xml", action="merge", config=config))


def write(m, config):
    open_instance(m)
    load(m, config)
    rpc(m, "<commit-configuration/>")
    rpc(m, "<close-configuration/>")


def empty_instance(m):
    """Back to nothing, whatever the last case left."""
    open_instance(m)
    rpc(m, '<load-configuration action="override" format="xml"><configuration/></load-configuration>')
    rpc(m, "<commit-configuration/>")
    rpc(m, "<close-configuration/>")


def prefixes(text, listname):
    text = re.sub(r">\s+<", "><", text)
    found = re.search(r"<prefix-list><name>%s</name>(.*?)</prefix-list>" % listname, text)
    return re.findall(r"<name>([^<]*)</name>", found.group(1)) if found else None


# ---- what an agent does --------------------------------------------------------------------------

@case("ncclient: open, load, commit, read back, close", both=True)
def _():
    before = numbers()
    m = connect()
    empty_instance(m)
    expect("base:1.1", "urn:ietf:params:netconf:base:1.1" in m.server_capabilities, VARIANT == "chunked")
    expect_in("capabilities", "http://xml.juniper.net/netconf/junos/1.0", list(m.server_capabilities))
    expect("open is empty", re.sub(r"\s|message-id=\"[^\"]*\"", "", open_instance(m)), "<rpc-reply></rpc-reply>")
    expect_in("load", "<ok/>", load(m, items("one-ovr-v4", ["10.64.0.64/26", "10.64.0.192"])))
    expect_in("commit", "<ok/>", rpc(m, "<commit-configuration/>"))
    expect("candidate is the instance", prefixes(str(m.get_config(source="candidate")), "one-ovr-v4"),
           ["10.64.0.64/26", "10.64.0.192/32"])
    expect("running is static", prefixes(str(m.get_config(source="running")), "one-ovr-v4"), ["192.0.2.255/32"])
    rpc(m, "<close-configuration/>")
    expect("read back", prefixes(rpc(m, READ % "autofbf"), "one-ovr-v4"), ["10.64.0.64/26", "10.64.0.192/32"])
    expect("merged is the union", prefixes(ctl("merged"), "one-ovr-v4"),
           ["192.0.2.255/32", "10.64.0.64/26", "10.64.0.192/32"])
    expect("static is as it was", numbers()["static-revision"], before["static-revision"])
    write(m, items("one-ovr-v4", delete=["10.64.0.64/26"]))
    expect("deleted", prefixes(rpc(m, READ % "autofbf"), "one-ovr-v4"), ["10.64.0.192/32"])
    m.close_session()


@case("filters select, attributes and namespaces are Junos'", both=True)
def _():
    m = connect()
    reply = rpc(m, '<get-configuration database="committed"><configuration><policy-options><prefix-list>'
                "<name>two-base-v4</name></prefix-list></policy-options></configuration></get-configuration>")
    expect("one list", prefixes(reply, "two-base-v4"), ["10.64.0.64/26", "10.64.0.192/26"])
    expect("no other", prefixes(reply, "one-base-v4"), None)
    expect("no system", "configuration-database" in reply, False)
    filtered = str(m.get_config("running", ("subtree", "<configuration><system/></configuration>")))
    expect_in("system", "<instance>", re.sub(r"\s", "", filtered))
    expect("no policy", "prefix-list" in filtered, False)


@case("deleting what is not there is a warning, and the rest is done")
def _():
    m = connect()
    empty_instance(m)
    open_instance(m)
    text = refused("ncclient raises for warnings", lambda: load(
        m, items("one-ovr-v4", add=["10.64.0.64/26"], delete=["10.9.9.0/24"])))
    expect("warning", text, "warning operation-failed statement not found")
    rpc(m, "<commit-configuration/>")
    expect("the rest", prefixes(str(m.get_config(source="candidate")), "one-ovr-v4"), ["10.64.0.64/26"])


@case("what the ephemeral database refuses")
def _():
    m = connect()
    open_instance(m)
    for config, want in (
            ("<groups><name>x</name></groups>", "not supported"),
            ("<policy-options><prefix-list><name>x</name><apply-path>a</apply-path></prefix-list></policy-options>",
             "not supported"),
            ("<no-such-thing/>", "syntax error"),
            ("<policy-options><prefix-list><name>x</name><prefix-list-item><name>300.1.1.1</name>"
             "</prefix-list-item></prefix-list></policy-options>", "invalid prefix"),
            ("<routing-options><static><route><name>300.1.1.1</name><discard/></route></static></routing-options>",
             "invalid prefix")):
        expect_in(config, want, refused(config, lambda c=config: load(m, to_ele(c))))
    expect_in("update", "unsupported load action", refused(
        "update", lambda: rpc(m, '<load-configuration action="update"><configuration/></load-configuration>')))


@case("replace, set and delete lines, override")
def _():
    m = connect()
    empty_instance(m)
    open_instance(m)
    m.load_configuration(action="set", format="text", config=[
        "set policy-options prefix-list x 10.1.0.0/16", "set policy-options prefix-list x 10.2.0.0/16",
        "set routing-options static route 198.51.100.1/32 discard"])
    m.load_configuration(action="set", format="text", config=["delete policy-options prefix-list x 10.1.0.0/16"])
    candidate = str(m.get_config(source="candidate"))
    expect("set", prefixes(candidate, "x"), ["10.2.0.0/16"])
    expect_in("route", "<discard/>", candidate)
    expect_in("bad line", "syntax error", refused("bad line", lambda: m.load_configuration(
        action="set", format="text", config=["set protocols ospf"])))
    rpc(m, '<load-configuration action="replace" format="xml"><configuration><policy-options>'
        '<prefix-list replace="replace"><name>x</name><prefix-list-item><name>10.3.0.0/16</name>'
        "</prefix-list-item></prefix-list></policy-options></configuration></load-configuration>")
    expect("replace", prefixes(str(m.get_config(source="candidate")), "x"), ["10.3.0.0/16"])


@case("an open instance is locked, its uncommitted changes die with the session")
def _():
    one, two = connect(), connect()
    empty_instance(one)
    open_instance(one)
    load(one, items("one-ovr-v4", ["10.64.0.64/26"]))
    expect_in("lock", "configuration database locked by", refused("second open", lambda: open_instance(two)))
    open_instance(two, "second")
    rpc(two, "<close-configuration/>")
    one.close_session()
    ctl("wait", "sessions", "=1")
    open_instance(two)
    expect("nothing left", prefixes(str(two.get_config(source="candidate")), "one-ovr-v4"), None)


@case("close drops what was not committed")
def _():
    m = connect()
    empty_instance(m)
    open_instance(m)
    load(m, items("one-ovr-v4", ["10.64.0.64/26"]))
    rpc(m, "<close-configuration/>")
    expect("nothing", prefixes(ctl("merged"), "one-ovr-v4"), ["192.0.2.255/32"])


@case("a load without open lands in the static candidate")
def _():
    m = connect()
    before = numbers()
    load(m, items("one-ovr-v4", ["10.64.0.64/26"]))
    after = numbers()
    expect("static loads", int(after["static-loads"]), int(before["static-loads"]) + 1)
    expect("static", after["static-revision"], before["static-revision"])
    expect("candidate differs", after["candidate-revision"] != before["candidate-revision"], True)
    expect_in("discard", "<ok/>", rpc(m, "<discard-changes/>"))
    expect("as before", numbers()["candidate-revision"], before["candidate-revision"])


@case("an instance that does not exist: open fails, reading is an empty success")
def _():
    m = connect()
    expect_in("open", "does not exist", refused("open", lambda: open_instance(m, "nobody")))
    expect("empty", "configuration" in rpc(m, READ % "nobody"), False)
    empty_instance(m)
    expect("also when it is empty", "configuration" in rpc(m, READ % "autofbf"), False)


@case("an operation that nobody knows is a syntax error")
def _():
    m = connect()
    text = refused("unknown", lambda: rpc(m, "<get-flow-session-summary-information/>"))
    expect("error", text, "error operation-failed syntax error")


@case("commit with synchronize, NETCONF commit, validate, lock, kill-session")
def _():
    m, other = connect(), connect()
    empty_instance(m)
    open_instance(m)
    load(m, items("two-ovr-v4", ["10.64.0.64/26"]))
    expect_in("commit", "<ok/>", rpc(m, "<commit-configuration><synchronize/></commit-configuration>"))
    expect_in("commit", "<ok/>", str(m.commit()))
    expect("committed", prefixes(ctl("ephemeral"), "two-ovr-v4"), ["10.64.0.64/26"])
    other.lock()
    rpc(m, "<close-configuration/>")
    expect_in("locked", "locked by", refused("load", lambda: load(m, items("x", ["10.0.0.0/8"]))))
    m.kill_session(other.session_id)
    ctl("wait", "sessions", "=1")
    load(m, items("x", ["10.0.0.0/8"]))
    rpc(m, "<discard-changes/>")


@case("password, a stranger's key, an unknown subsystem")
def _():
    connect(password="lab").close_session()
    for login in ({"password": "wrong"}, {"key_filename": str(DIR / "stranger")}):
        try:
            connect(**login)
        except Exception:
            continue
        raise Failed("a stranger came in with %s" % login)
    transport = paramiko.Transport(("127.0.0.1", PORT))
    transport.connect(username="lab", password="lab")
    channel = transport.open_session()
    try:
        channel.invoke_subsystem("sftp")
    except (paramiko.SSHException, EOFError):  # EOFError: the router's close was seen before its refusal
        return
    finally:
        transport.close()
    raise Failed("sftp was granted")


# ---- operational state ---------------------------------------------------------------------------

@case("peers come from the configuration; a failure is seen as Junos shows it")
def _():
    m = connect()
    peers = ctl("peers")
    expect("peers", sorted(line.split()[0] for line in peers.splitlines()), ["10.1.1.2", "10.1.9.2", "fd00:1:2::2"])
    ctl("peer", "down", "10.1.1.2", "cause", "bfd")
    ctl("peer", "down", "fd00:1:2::2", "cause", "hold-timer")
    summary = re.sub(r">\s+<", "><", rpc(m, "<get-bgp-summary-information/>"))
    expect_in("down", "<down-peer-count>2</down-peer-count>", summary)
    down = re.search(r"<peer-address>10.1.1.2</peer-address>.*?</bgp-peer>", summary).group(0)
    expect_in("age of a peer that is down", '<elapsed-time seconds="', down)
    expect("no ribs", "bgp-rib" in down, False)
    neighbors = re.sub(r">\s+<", "><", rpc(m, "<get-bgp-neighbor-information/>"))
    expect_in("port when up", "<peer-address>10.1.9.2+179</peer-address>", neighbors)
    expect_in("no port when down", "<peer-address>10.1.1.2</peer-address>", neighbors)
    expect_in("cause", "<last-flap-event>BfdDown</last-flap-event>", neighbors)
    bfd = re.sub(r">\s+<", "><", rpc(m, "<get-bfd-session-information><extensive/></get-bfd-session-information>"))
    expect_in("bfd", "<session-neighbor>10.1.1.2</session-neighbor><session-state>Down</session-state>", bfd)
    expect_in("bfd of a peer whose BGP went first",
              "<session-neighbor>fd00:1:2::2</session-neighbor><session-state>AdminDown</session-state>", bfd)
    ctl("peer", "up", "all")
    expect("up", numbers()["peers-up"], "3")
    for name in ("system-uptime", "route-engine", "software"):
        expect_in(name, name + "-information", rpc(m, "<get-%s-information/>" % name))


@case("rpd off is an error, not peers that are down; on: everything is young")
def _():
    m = connect()
    ctl("rpd", "off")
    text = refused("summary", lambda: rpc(m, "<get-bgp-summary-information/>"))
    expect_in("error", "the routing subsystem is not running", text)
    expect_in("uptime", "system-booted-time", rpc(m, "<get-system-uptime-information/>"))
    ctl("rpd", "on")
    expect("up", numbers()["peers-up"], "3")
    age = int(re.search(r'seconds="(\d+)"', rpc(m, "<get-bgp-summary-information/>")).group(1))
    expect("young", age < 60, True)


@case("reboot: sessions cut, ephemeral data lost or kept, another host key")
def _():
    m = connect()
    empty_instance(m)
    write(m, items("one-ovr-v4", ["10.64.0.64/26"]))
    ctl("reboot", "keep")
    ctl("wait", "sessions", "=0")
    expect("kept", prefixes(ctl("merged"), "one-ovr-v4"), ["192.0.2.255/32", "10.64.0.64/26"])
    ctl("reboot", "empty", "host-key", DIR / "host2", "for", "50")
    ctl("wait", "booting", "=0")
    expect("lost", prefixes(ctl("merged"), "one-ovr-v4"), ["192.0.2.255/32"])
    transport = paramiko.Transport(("127.0.0.1", PORT))
    transport.start_client(timeout=DEADLINE)
    key = transport.get_remote_server_key().get_base64()
    transport.close()
    expect("host key", key, (DIR / "host2.pub").read_text().split()[1])
    ctl("reboot", "empty", "host-key", DIR / "host")
    ctl("reboot", "empty", "host-key", DIR / "no-such-key", code=1)
    ctl("wait", "booting", "=0")


# ---- faults --------------------------------------------------------------------------------------

@case("pause before and after: `wait paused`, then resume", both=True)
def _():
    m = connect()
    m.async_mode = True
    for when, commits in (("before", 0), ("after", 1)):
        before = int(numbers()["commits"])
        ctl("pause", "commit", when)
        m.async_mode = False
        open_instance(m)
        load(m, items("one-ovr-v4", ["10.64.0.%d" % (commits + 1)]))
        m.async_mode = True
        pending = m.rpc("<commit-configuration/>")
        ctl("wait", "paused")
        expect("commits while paused " + when, int(numbers()["commits"]) - before, commits)
        ctl("resume")
        pending.event.wait(DEADLINE)
        expect("commits", int(numbers()["commits"]) - before, 1)
        m.async_mode = False
        rpc(m, "<close-configuration/>")


@case("a request that is held when its client dies is never executed")
def _():
    m = connect()
    open_instance(m)
    load(m, items("one-ovr-v4", ["10.64.0.64/26"]))
    commits = numbers()["commits"]
    ctl("pause", "commit", "before")
    m.async_mode = True
    m.rpc("<commit-configuration/>")
    ctl("wait", "paused")
    ctl("drop", "all")
    ctl("wait", "sessions", "=0")
    expect("resumed", ctl("resume"), "resumed 0\n")
    expect("commits", numbers()["commits"], commits)
    expect("instance", numbers()["open-instances"], "0")


@case("reply lost: before and after the commit", both=True)
def _():
    for when, commits in (("before", 0), ("after", 1)):
        m = connect()
        open_instance(m)
        before = int(numbers()["commits"])
        ctl("fault", "commit", "lost-" + when)
        try:
            m.rpc("<commit-configuration/>")
        except Exception:
            pass
        else:
            raise Failed("a reply came")
        ctl("wait", "sessions", "=0")
        expect("commits", int(numbers()["commits"]) - before, commits)


@case("errors and warnings on demand, database full, slow")
def _():
    m = connect()
    open_instance(m)
    ctl("fault", "load", "full")
    text = refused("full", lambda: load(m, items("x", ["10.0.0.0/8"])))
    expect_in("full", "configuration database size limit exceeded", text)
    expect_in("two errors", "statement creation failed", text)
    expect("nothing loaded", prefixes(str(m.get_config(source="candidate")), "x"), None)
    ctl("fault", "commit", "error", "text", "commit <failed> & so on")
    expect_in("error", "commit <failed> & so on", refused("commit", lambda: rpc(m, "<commit-configuration/>")))
    ctl("fault", "load", "warning", "text", "mind the gap")
    expect_in("warning", "mind the gap", refused("load", lambda: load(m, items("x", ["10.0.0.0/8"]))))
    expect("and loaded", prefixes(str(m.get_config(source="candidate")), "x"), ["10.0.0.0/8"])
    ctl("fault", "get", "slow", "number", "30", "times", "2")
    started = time.monotonic()
    m.get_config(source="candidate")
    m.get_config(source="candidate")
    expect("late", time.monotonic() - started >= 0.06, True)
    expect("used up", ctl("fault"), "")


@case("another user has the instance")
def _():
    m = connect()
    ctl("lock", "on", "autofbf", "luke")
    expect_in("lock", "luke terminal", refused("open", lambda: open_instance(m)))
    ctl("lock", "off")
    open_instance(m)


# ---- raw clients ---------------------------------------------------------------------------------

class Raw:
    """The bare subsystem."""

    def __init__(self):
        self.transport = paramiko.Transport(("127.0.0.1", PORT))
        self.transport.connect(username="lab", password="lab")
        self.channel = self.transport.open_session()
        self.channel.settimeout(DEADLINE)
        self.channel.invoke_subsystem("netconf")
        self.bytes = b""

    def send(self, data):
        self.channel.sendall(data if isinstance(data, bytes) else data.encode())

    def read_until(self, mark):
        while mark not in self.bytes:
            data = self.channel.recv(65536)
            if not data:
                raise Failed("the router closed; read %r" % self.bytes[-200:])
            self.bytes += data
        found, self.bytes = self.bytes.split(mark, 1)
        return found.decode()

    def is_closed(self):
        while True:
            data = self.channel.recv(65536)
            if not data:
                return True
            self.bytes += data

    def hello(self):
        self.send("<hello xmlns='urn:ietf:params:xml:ns:netconf:base:1.0'><capabilities><capability>"
                  "urn:ietf:params:netconf:base:1.0</capability></capabilities></hello>]]>]]>")
        return self.read_until(b"]]>]]>")

    def close(self):
        self.transport.close()


@case("comments before hello, text after the mark, several requests in one write")
def _():
    raw = Raw()
    hello = raw.hello()
    expect("starts with a comment", hello.startswith("<!-- No zombies"), True)
    expect_in("user", "<!-- user lab, class j-super-user -->", hello)
    raw.send("<rpc message-id='1&amp;\"'><get-software-information/></rpc>]]>]]>\n"
             "<rpc message-id='2' x='y'><close-session/></rpc>]]>]]>")
    expect_in("attribute", 'message-id="1&amp;&quot;"', raw.read_until(b"]]>]]>"))
    second = raw.read_until(b"]]>]]>")
    expect_in("attributes", 'message-id="2" x="y"', second)
    expect_in("ok", "<nc:ok/>", second)
    expect("closed", raw.is_closed(), True)
    expect("exit status", raw.channel.recv_exit_status(), 0)
    raw.close()


@case("broken replies: garbage, dtd, half, silent, big", both=True)
def _():
    for kind, want in (("garbage", "not xml"), ("dtd", "<!DOCTYPE"), ("big", "xxxxxxxx")):
        raw = Raw()
        raw.hello()
        ctl("fault", "show", kind, "number", "1")
        raw.send("<rpc><get-software-information/></rpc>]]>]]>")
        expect_in(kind, want, raw.read_until(want.encode()) + want)
        raw.close()
    raw = Raw()
    raw.hello()
    for kind in ("half", "silent"):
        ctl("fault", "show", kind)
        raw.send("<rpc message-id='%s'><get-software-information/></rpc>]]>]]>" % kind)
    raw.send("<rpc message-id='last'><get-software-information/></rpc>]]>]]>")
    text = raw.read_until(b"]]>]]>")
    expect("half a reply, none, then a whole one", ("half" in text, "silent" in text, "last" in text),
           (True, False, True))
    raw.close()


@case("hostile messages end their session and nothing else")
def _():
    witness = connect()
    deep = "<rpc>" + "<a>" * 5000 + "</a>" * 5000 + "</rpc>"
    for text in ("<rpc><<<", "<!DOCTYPE x [<!ENTITY e 'e'>]><rpc><get-software-information>&e;"
                 "</get-software-information></rpc>", deep, "<other/>", "<hello/>", "\0\0\0", "<rpc></rpc>x"):
        raw = Raw()
        raw.hello()
        raw.send(text + "]]>]]>")
        expect("closed after %r" % text[:40], raw.is_closed(), True)
        raw.close()
    for text in ("<rpc/>", "<rpc><a/><b/></rpc>", "<rpc>text</rpc>"):
        raw = Raw()
        raw.hello()
        raw.send(text + "]]>]]>")
        expect_in("refusal of " + text, "missing-element", raw.read_until(b"]]>]]>"))
        raw.close()
    raw = Raw()
    raw.send("<rpc><get-software-information/></rpc>]]>]]>")
    expect("rpc before hello", raw.is_closed(), True)
    raw.close()
    expect_in("witness", "lab-rt", rpc(witness, "<get-software-information/>"))


@case("random operations do not end the router (SEED=%s)" % (
    seed := int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))))
def _():
    rng = random.Random(seed)
    names = ["open-configuration", "load-configuration", "commit", "close-configuration", "get-config", "edit-config",
             "get-configuration", "configuration", "configuration-set", "policy-options", "prefix-list", "name",
             "prefix-list-item", "ephemeral-instance", "source", "candidate", "filter", "config", "target", "lock",
             "kill-session", "session-id", "get-bgp-neighbor-information", "instance", "unlock", "groups", "x:y"]
    texts = ["", "autofbf", "10.0.0.0/8", "set policy-options prefix-list a 10.0.0.0/8\ndelete x", "1", "default", "&lt;"]
    attributes = ["", ' delete="delete"', ' action="override"', ' format="text"', ' database="ephemeral"',
                  ' operation="replace"', ' ephemeral-instance="autofbf"', ' xmlns="urn:x"', ' replace="replace"']

    def tree(depth):
        name = rng.choice(names)
        inside = rng.choice(texts) if depth == 0 or rng.random() < 0.3 else "".join(
            tree(depth - 1) for _ in range(rng.randrange(3)))
        return "<%s%s>%s</%s>" % (name, rng.choice(attributes), inside, name)

    requests = int(numbers()["requests"])
    for _ in range(6):
        raw = Raw()
        raw.hello()
        for _ in range(60):
            raw.send("<rpc>%s</rpc>]]>]]>" % tree(rng.randrange(6)))
            raw.read_until(b"]]>]]>")
        raw.close()
    expect("requests", int(numbers()["requests"]) - requests, 360)
    m = connect()
    rpc(m, "<discard-changes/>")
    ctl("static", "set", "tests/fixtures/labrouter/static.xml")  # chance may have committed anything
    empty_instance(m)


@case("connections over the limit, half a login and silence: others are served")
def _():
    sockets = [socket.create_connection(("127.0.0.1", PORT)) for _ in range(40)]
    for s in sockets:
        s.close()
    silent = socket.create_connection(("127.0.0.1", PORT))
    silent.sendall(b"SSH-2.0-nobody\r\n")
    end = time.monotonic() + DEADLINE
    while True:
        try:
            m = connect()
            break
        except Exception:
            if time.monotonic() > end:
                raise
    expect_in("served", "lab-rt", rpc(m, "<get-software-information/>"))
    silent.close()


@case("20,000 items in one load", both=True)
def _():
    m = connect()
    empty_instance(m)
    open_instance(m)
    load(m, items("many", ["10.%d.%d.%d" % (i >> 16, i >> 8 & 255, i & 255) for i in range(20000)]))
    rpc(m, "<commit-configuration/>")
    rpc(m, "<close-configuration/>")
    expect("count", ctl("ephemeral").count("<prefix-list-item>"), 20000)
    empty_instance(m)


# ---- BMP and syslog ------------------------------------------------------------------------------

class Station:
    """A BMP station: one session, its messages as (type, peer, reason)."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", BMP_PORT))
        self.accept()

    def accept(self):
        self.listener.settimeout(DEADLINE)
        self.stream, _ = self.listener.accept()
        self.stream.settimeout(DEADLINE)

    def read(self, size):
        data = b""
        while len(data) < size:
            part = self.stream.recv(size - len(data))
            if not part:
                raise Failed("the BMP session ended")
            data += part
        return data

    def next(self):
        version, size, kind = struct.unpack("!BIB", self.read(6))
        expect("version", version, 3)
        body = self.read(size - 6)
        if kind == 4:
            return (kind, None, None)
        address = body[10:26] if body[1] & 0x80 else body[22:26]
        peer = socket.inet_ntop(socket.AF_INET6 if len(address) == 16 else socket.AF_INET, address)
        if kind == 2:
            expect("size of Peer Down", size, {1: 70, 2: 51, 3: 70, 4: 49, 5: 49}[body[42]])
        if kind == 3:
            expect("size of Peer Up", size, 6 + 42 + 20 + 29 + 29)
        return (kind, peer, body[42] if kind == 2 else None)

    def until(self, wanted):
        """Everything up to the wanted message, without End-of-RIB."""
        seen = []
        while not seen or seen[-1] != wanted:
            message = self.next()
            if message[0] != 0:
                seen.append(message)
        return seen

    def wait_for_end(self):
        while self.stream.recv(65536):
            pass

    def close(self):
        self.stream.close()
        self.listener.close()


@case("BMP as FRR sends it: state of all at connect, Down before Up, repeated Downs, reason 5", both=True)
def _():
    station = Station()
    expect("initiation", station.next(), (4, None, None))
    expect("state", {m[1] for m in station.until((3, "fd00:1:2::2", None))} >= {"10.1.9.2", "10.1.1.2"}, True)
    ctl("wait", "bmp-connected")
    for cause, reason in (("bfd", 2), ("hold-timer", 2), ("admin", 2), ("notification", 3), ("closed", 4)):
        ctl("peer", "down", "10.1.1.2", "cause", cause)
        station.until((2, "10.1.1.2", reason))
        ctl("peer", "up", "10.1.1.2")
        expect("a Down just before the Up", (2, "10.1.1.2", reason) in station.until((3, "10.1.1.2", None)), True)
    ctl("peer", "down", "fd00:1:2::2")
    station.until((2, "fd00:1:2::2", 2))
    station.until((2, "fd00:1:2::2", 2))
    ctl("peer", "unmonitored", "10.1.1.2")
    station.until((2, "10.1.1.2", 5))
    ctl("bmp", "restart")
    station.accept()
    expect("anew", station.next(), (4, None, None))
    station.until((2, "fd00:1:2::2", 2))
    ctl("rpd", "off")
    station.wait_for_end()
    ctl("rpd", "on")
    station.accept()
    station.until((3, "fd00:1:2::2", None))
    ctl("bmp", "garbage")
    while b"GET / HTTP" not in station.stream.recv(65536):
        pass
    station.close()
    ctl("wait", "bmp-connected", "=0")


@case("syslog: the lines of rpd, bfdd and mgd", both=True)
def _():
    collector = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    collector.settimeout(DEADLINE)
    collector.bind(("127.0.0.1", SYSLOG_PORT))
    head = {"eom": r"<%d>[A-Z][a-z]{2} [ 0-9]\d \d\d:\d\d:\d\d  lab-rt %s\[\d+\]: %s: ",
            "chunked": r"<%d>1 \d{4}-\d\d-\d\dT[0-9:.]+Z lab-rt %s \d+ %s (-|\[junos@2636\.\S+ [^\]]*\]) "}[VARIANT]

    def expect_line(priority, daemon, tag, text):
        line = collector.recv(4096).decode()
        if not re.fullmatch(head % (priority, daemon, tag) + text, line):
            raise Failed("line %r, wanted %s %s" % (line, tag, text))

    ctl("peer", "down", "10.1.1.2", "cause", "bfd")
    expect_line(28, "bfdd", "BFDD_STATE_UP_TO_DOWN", r"BFD Session 10\.1\.1\.2 .*state Up -> Down .*Local diag: CtlExpire "
                r"Remote diag: None Reason: Detect Timer Expiry\.")
    expect_line(28, "bfdd", "BFDD_TRAP_SHOP_STATE_DOWN",
                r"local discriminator: \d+, new state: down, interface: \S+, peer addr: 10\.1\.1\.2")
    expect_line(28, "rpd", "RPD_BGP_NEIGHBOR_STATE_CHANGED", r"BGP peer 10\.1\.1\.2 \(External AS \d+\) changed state from "
                r"Established to Idle \(event BfdDown\) \(instance master\)")
    ctl("peer", "up", "10.1.1.2")
    expect_line(28, "rpd", "RPD_BGP_NEIGHBOR_STATE_CHANGED", r".*from OpenConfirm to Established \(event RecvKeepAlive\).*")
    expect_line(29, "bfdd", "BFDD_TRAP_SHOP_STATE_UP", r".*new state: up.*")
    ctl("peer", "down", "10.1.1.2", "cause", "hold-timer")
    expect_line(28, "rpd", "RPD_BGP_NEIGHBOR_STATE_CHANGED", r".*\(event HoldTime\).*")
    expect_line(28, "bfdd", "BFDD_STATE_UP_TO_DOWN", r".*AdminDown .*Reason: Received Upstream Destroy Session\.")
    expect_line(28, "bfdd", "BFDD_TRAP_SHOP_STATE_DOWN", r".*new state: admin down.*")
    ctl("syslog", "off")
    ctl("peer", "up", "10.1.1.2")
    ctl("syslog", "on")
    empty_instance(connect())
    expect_line(189, "mgd", "UI_EPHEMERAL_COMMIT", r"User 'lab' has requested commit on 'autofbf' ephemeral database")
    expect_line(189, "mgd", "UI_EPHEMERAL_COMMIT_COMPLETED", r"commit complete on 'autofbf' ephemeral database")
    ctl("static", "set", "tests/fixtures/labrouter/static.xml")
    expect_line(189, "mgd", "UI_COMMIT_COMPLETED", r"commit complete")
    collector.close()


# ---- signal routes -------------------------------------------------------------------------------

def routes(*words):
    """A <routing-options> of static discard routes; "-PREFIX" deletes one."""
    def make(prefixes):
        return "".join('<route delete="delete"><name>%s</name></route>' % p[1:] if p[0] == "-" else
                       "<route><name>%s</name><discard/><no-install/><no-readvertise/></route>" % p for p in prefixes)
    v4, v6 = [w for w in words if ":" not in w], [w for w in words if ":" in w]
    return to_ele("<routing-options>%s%s</routing-options>" % (
        "<static>%s</static>" % make(v4) if v4 else "",
        "<rib><name>inet6.0</name><static>%s</static></rib>" % make(v6) if v6 else ""))


def exported(policy):
    """{route: rest of the line} of one export policy."""
    return dict(line.split(" ", 2)[1:] for line in ctl("exported", policy).splitlines())


@case("a signal route: in the table, the conditions and the exports, gone with a reboot", both=True)
def _():
    m = connect()
    empty_instance(m)
    ask = "<get-route-information><table>inet.0</table><destination>192.0.2.128</destination><exact/></get-route-information>"
    expect("no route", re.sub(r"\s", "", rpc(m, ask)).count("<route-table>"), 0)
    expect("as usual", exported("export-outside-v4")["10.64.0.0/24"], "accept term normal")
    before = numbers()
    write(m, routes("192.0.2.128/32", "2001:db8::128"))
    reply = re.sub(r">\s+<", "><", rpc(m, ask))
    for part in ("<table-name>inet.0</table-name>", "<rt-destination>192.0.2.128/32</rt-destination>",
                 "<active-tag>*</active-tag>", "<protocol-name>Static</protocol-name>", "<nh-type>Discard</nh-type>"):
        expect_in("route", part, reply)
    expect_in("all tables", "2001:db8::128/128", rpc(m, "<get-route-information/>"))
    expect("prepended", exported("export-outside-v4"), {
        "10.64.0.0/24": 'accept term failed as-path-prepend "64500 64500 64500"',
        "rest-v4": "default", "rest-v6": "default"})
    expect("rejected", exported("export-inside-v6")["::/0"], "reject term failed")
    after = numbers()
    expect("numbers", (after["discard-routes"], int(after["exported-changes"]) - int(before["exported-changes"])), ("2", 1))
    last = json.loads((DIR / VARIANT / "journal" / "index.jsonl").read_text().splitlines()[-1])
    expect_in("journal", 'export-outside-v4 10.64.0.0/24 accept term failed as-path-prepend "64500 64500 64500"', last["exported"])
    expect_in("merged in the journal", "192.0.2.128/32", (DIR / VARIANT / "journal" / last["merged"]).read_text())
    ctl("reboot", "keep")
    ctl("wait", "booting", "=0")
    expect("kept", numbers()["discard-routes"], "2")
    m = connect()
    write(m, routes("-192.0.2.128"))  # the length is implied
    expect("withdrawn", exported("export-outside-v4")["10.64.0.0/24"], "accept term normal")
    expect("the other stays", exported("export-inside-v6")["::/0"], "reject term failed")
    ctl("reboot", "empty")
    ctl("wait", "booting", "=0")
    expect("lost", (numbers()["discard-routes"], exported("export-inside-v6")["::/0"]), ("0", "default"))


@case("show route: below, covering, of an instance, while rpd is off")
def _():
    m = connect()
    empty_instance(m)
    write(m, routes("192.0.2.128/32", "192.0.2.129/32", "192.0.2.0/24"))

    def found(inside):
        return re.findall(r"<rt-destination>([^<]*)<", rpc(m, "<get-route-information>%s</get-route-information>" % inside))

    expect("below", found("<table>inet.0</table><destination>192.0.2.128/31</destination>"), ["192.0.2.128/32", "192.0.2.129/32"])
    expect("covering", found("<table>inet.0</table><destination>192.0.2.7</destination>"), ["192.0.2.0/24"])
    expect("covering in every table", found("<destination>192.0.2.7</destination>"), ["192.0.2.0/24", "128.0.0.0/1"])
    expect("exact", found("<destination>192.0.2.7</destination><exact/>"), [])
    expect("instance", found("<table>one-in.inet.0</table>"), ["0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1"])
    expect_in("not a prefix", "invalid ip address", refused("x", lambda: found("<destination>x</destination>")))
    ctl("rpd", "off")
    expect_in("rpd", "not running", refused("off", lambda: found("")))
    ctl("rpd", "on")


@case("switchover: another source address for BMP and syslog")
def _():
    collector = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    collector.settimeout(DEADLINE)
    collector.bind(("127.0.0.1", SYSLOG_PORT))
    station = Station()
    expect("before", station.stream.getpeername()[0], "127.0.0.1")
    for source in ("127.0.0.2", "127.0.0.1"):
        ctl("reboot", "keep", "host-key", DIR / "host", "source", source)
        station.wait_for_end()
        station.accept()
        expect("BMP", station.stream.getpeername()[0], source)
        ctl("wait", "booting", "=0")
        ctl("syslog", "line", source)
        line, address = collector.recvfrom(4096)
        while not line.endswith(source.encode()):
            line, address = collector.recvfrom(4096)
        expect("syslog", address[0], source)
    for bad, want in (("192.0.2.77", "no address of this machine"), ("::1", "another family"), ("x", "no address")):
        expect_in(bad, want, ctl("source", bad, code=1))
    ctl("source", "127.0.0.3")
    station.wait_for_end()
    station.accept()
    expect("without a reboot", station.stream.getpeername()[0], "127.0.0.3")
    ctl("source", "127.0.0.1")
    station.close()
    collector.close()
    ctl("wait", "bmp-connected", "=0")


# ---- the rest ------------------------------------------------------------------------------------

@case("control socket: what is wrong is said")
def _():
    for words, want in ((["nonsense"], "unknown command"), (["peer", "down", "9.9.9.9"], "no peer"),
                        (["peer", "down"], "wrong words"), (["fault", "x", "full"], "no step"),
                        (["fault", "load", "x"], "no kind"), (["wait", "x"], "no number"),
                        (["wait", "commits", "999999", "timeout", "10"], "timed out"),
                        (["static", "set", "/nonexistent"], "cannot be read"), (["bmp", "x"], "wrong words"),
                        (["lock", "on", "nobody"], "does not exist"), (["peer", "up", "all", "cause", "x"], "want bfd")):
        expect_in(" ".join(words), want, ctl(*words, code=1))
    expect_in("help", "wait NAME", ctl("help"))
    result = subprocess.run([ROUTER, "ctl", DIR / "nothing", "status"], capture_output=True, text=True)
    expect("no router", (result.returncode, "no router" in result.stderr), (1, True))


@case("the operator's commit: static replaced, instance kept, time changed")
def _():
    m = connect()
    empty_instance(m)
    write(m, items("one-ovr-v4", ["10.64.0.64/26"]))
    changed = DIR / VARIANT / "changed.xml"
    text = pathlib.Path("tests/fixtures/labrouter/static.xml").read_text()
    changed.write_text(text.replace("10.64.0.128/26", "10.64.0.128/25"))
    before = numbers()
    ctl("static", "set", changed, "user", "luke")
    expect("revision", numbers()["static-revision"] != before["static-revision"], True)
    expect("static", prefixes(ctl("static"), "one-base-v4"), ["10.64.0.0/26", "10.64.0.128/25"])
    expect("merged", prefixes(ctl("merged"), "one-ovr-v4"), ["192.0.2.255/32", "10.64.0.64/26"])
    uptime = rpc(m, "<get-system-uptime-information/>")
    expect_in("who", "<user>luke</user>", uptime)
    ctl("static", "set", "tests/fixtures/labrouter/static.xml")
    expect("back", numbers()["static-revision"], before["static-revision"])


@case("the operator loads into what is there: lists grow, terms go last, replace and delete do what they say")
def _():
    def loading(change, code=0):
        path = DIR / VARIANT / "load.xml"
        path.write_text("<configuration><policy-options>%s</policy-options></configuration>" % change)
        return ctl("static", "load", path, code=code)

    def terms(name):
        policy = re.search(r"<name>%s</name>.*?</policy-statement>" % name, ctl("static"), re.S).group(0)
        return re.findall(r"<term>\s*<name>([^<]*)", policy)

    policy = re.search(r"<policy-statement>\s*<name>([^<]*)", ctl("static")).group(1)
    before, names = numbers(), terms(policy)
    loading("<prefix-list><name>one-base-v4</name><prefix-list-item><name>10.64.9.0/26</name></prefix-list-item>"
            "</prefix-list><prefix-list delete='delete'><name>never-there</name></prefix-list>")
    grown = prefixes(ctl("static"), "one-base-v4")
    expect("the list grew", grown, prefixes(pathlib.Path("tests/fixtures/labrouter/static.xml").read_text(),
                                            "one-base-v4") + ["10.64.9.0/26"])
    loading("<prefix-list replace='replace'><name>one-base-v4</name><prefix-list-item><name>10.64.8.0/26</name>"
            "</prefix-list-item></prefix-list>")
    expect("replaced", prefixes(ctl("static"), "one-base-v4"), ["10.64.8.0/26"])
    loading("<policy-statement><name>%s</name><term><name>new</name><from><route-filter><address>10.1.0.0/16"
            "</address><exact/></route-filter><route-filter><address>10.2.0.0/16</address><exact/></route-filter>"
            "</from></term></policy-statement>" % policy)
    expect("the new term is the last", terms(policy), names + ["new"])
    expect("both addresses", [a in ctl("static") for a in ("10.1.0.0/16", "10.2.0.0/16")], [True, True])
    expect("commits", int(numbers()["static-commits"]), int(before["static-commits"]) + 3)
    revision = numbers()["static-revision"]
    for bad in ("<prefix-list><name>one-base-v4</name><prefix-list-item><name>10.64/99</name></prefix-list-item>"
                "</prefix-list>", "<"):
        expect_in("refused", "load.xml", loading(bad, code=1))
    expect("nothing of it", numbers()["static-revision"], revision)
    ctl("static", "set", "tests/fixtures/labrouter/static.xml")
    expect("back", numbers()["static-revision"], before["static-revision"])


@case("the journal has every change, in order, with whole files")
def _():
    journal = DIR / VARIANT / "journal"
    lines = [json.loads(line) for line in (journal / "index.jsonl").read_text().splitlines()]
    expect("numbers", [line["seq"] for line in lines], list(range(1, len(lines) + 1)))
    expect("first", lines[0]["event"], "start")
    for event in ("commit", "static-commit", "reboot") if VARIANT == "eom" else ("commit",):
        expect("some " + event, any(line["event"] == event for line in lines), True)
    for line in lines:
        for key in ("merged", "static"):
            text = (journal / line[key]).read_text()
            expect(line[key], (text.startswith("<configuration>"), text.endswith("</configuration>\n")), (True, True))
    expect("commits", sum(line["event"] == "commit" for line in lines), int(numbers()["commits"]))
    expect("transcript", (DIR / VARIANT / "transcript").read_text(errors="replace").count("<open-configuration>") > 5, True)


sys.exit(1 if failures else 0)
