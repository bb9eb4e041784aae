#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""autofbf-publish by SNMP: a real snmpd, a real snmptrapd and Net-SNMP's tools beside a simulated lab."""
import os
import re
import signal
import subprocess

import lib
import publishcompare
import publishlib
from lib import case, expect, wait_for
from labkit import TOP, Failed
from publishlib import (MIB, columns, compare_with_status, number, object_of, published, wait_trap,
                        walk_of_status)


@case("a failover: snmpwalk, snmpbulkwalk and snmptable show the numbers of the status")
def _():
    with published(http=True) as publisher:
        lab = publisher.lab
        for fail in (False, True):
            if fail:
                lab.element_down("fbf-02")
                lab.wait_effective([None, 0, None, None])
                lab.settle()
            rows, status = walk_of_status(publisher)
            count = compare_with_status(publisher, rows, status)
            print("# %d numbers are the same, %d instances" % (count, len(rows)))
            bulk, state = publishcompare.same_picture(publisher, tool="snmpbulkwalk", options=("-Cr50",))
            print("# by snmpbulkwalk: %s" % publishcompare.compare(bulk, state))
            table = publisher.tool("snmptable", "-Ci", "-Cf", "|", publisher.where(),
                                   "autofbfElementFamilyTable")
            lines = [line.split("|") for line in table.splitlines() if "|" in line]
            place = lines[0].index("autofbfElementFamilyEffectiveUnits")
            shown = sorted(number(line[place]) for line in lines[1:])
            expect("effective units by snmptable", shown,
                   sorted(n for units in lab.effective(status).values() for n in units.values()))


# Objects that have no instance even in the rich lab, and why; their DESCRIPTIONs say the same.
ABSENT = {
    "autofbfRouterLastError": "nothing went wrong", "autofbfRouterTwoWriters": "nobody else writes",
    "autofbfRouterForeignLists": "there are none", "autofbfElementFamilyHoldUntil": "no hold-down now",
    "autofbfElementFamilyDampedUntil": "not damped", "autofbfSignalHoldUntil": "enough are alive",
    "autofbfUnlistedDiscontinuity": "none was seen", "autofbfUnlistedUnavailable": "there are figures",
    "autofbfLoadDiscontinuity": "none was seen", "autofbfLoadUnavailable": "there are figures",
    "autofbfSteeredDiscontinuity": "none was seen", "autofbfSteeredUnavailable": "there are figures",
    "autofbfSessionInstance": "not in the profile", "autofbfNatPoolViaType": "every route leads home",
    "autofbfNatPoolVia": "every route leads home", "autofbfNatPoolTakenBy": "every route leads home",
}


def rich(group):
    """NAT is there already; signal routes, failure domains and capacities as well."""
    group["capacity"] = {"label": "Gb/s", "unit-load": "0.1"}
    group["signal"] = {"ipv4": {"min-alive": 1, "failed-route": "192.0.2.128/32",
                                "alter-route": "192.0.2.129/32"}}
    for element in group["element"]:
        element.update({"capacity": "400.0", "failure-domain": "rack-%s" % element["id"]})


def types_of(text):
    """{oid: type word} of snmpwalk's long form."""
    return {tuple(int(n) for n in m.group(1).split(".")): m.group(2)
            for m in re.finditer(r"^\.([\d.]+) = ([\w-]+):", text, re.M)}


def wanted_type(syntax):
    base = syntax.split()[0]
    known = {"INTEGER": "INTEGER", "Counter64": "Counter64", "CounterBasedGauge64": "Counter64",
             "Counter32": "Counter32", "Gauge32": "Gauge32", "Unsigned32": "Gauge32",
             "InetAddressPrefixLength": "Gauge32", "TruthValue": "INTEGER", "InetVersion": "INTEGER",
             "InetAddressType": "INTEGER", "AutofbfVerdict": "INTEGER"}
    return {known.get(base, "STRING")} | ({"Hex-STRING"} if base == "InetAddress" else set())


@case("the walk is in order, each OID once, complete and of the types that the MIB file says")
def _():
    with published(http=True, profile="cgn-dual-stack.json", change=rich) as publisher:
        lab = publisher.lab
        lab.cli("element", "offline", "fbf-03", "--reason", "work", "--yes")
        lab.cli("path", "alter", "on", "--reason", "drill", "--yes")
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, 0, None])
        lab.cli("freeze", "--reason", "hands off")
        wait_for("an alarm by SNMP", lambda: number(publisher.get("autofbfAlarmsActive.0")[0]) > 0)
        wait_for("the freeze by SNMP", lambda: publisher.walk("autofbfGroupFrozenBy"))
        rows = publisher.walk("autofbfMIB")
        oids = [oid for oid, _ in rows]
        if any(a >= b for a, b in zip(oids, oids[1:])):
            raise Failed("the walk is not strictly ascending")
        strangers = [oid for oid in oids if not object_of(oid)]
        expect("instances that the MIB file does not know", strangers, [])
        seen = {object_of(oid) for oid in oids}
        missing = {name for name in columns() if name not in seen}
        expect("objects without an instance and without a reason", sorted(missing - set(ABSENT)), [])
        text = publisher.tool("snmpwalk", "-One", "-m", "", publisher.where(), ".1.3.6.1.4.1.8072.9999")
        for oid, kind in types_of(text).items():
            name = object_of(oid)
            allowed = wanted_type(MIB[name][2]) | ({"Hex-STRING"} if "DateAndTime" in MIB[name][2] else set())
            if kind not in allowed:
                raise Failed("%s is %s, the MIB says %s" % (name, kind, MIB[name][2]))
        print("# %d instances of %d objects; %d objects have none, each for a reason"
              % (len(rows), len(seen), len(missing)))
        counts = publishcompare.compare(*publishcompare.same_picture(publisher))
        print("# instances that are the state's: %s" % counts)
        expect("tables without a row", set(map(publishcompare.table_of, columns())) - {None} - set(counts), set())
        lost = set()
        for oid in oids[::7]:
            dotted = "." + ".".join(map(str, oid))
            if "No Such" in publisher.tool("snmpget", "-One", "-OQ", publisher.where(), dotted):
                lost.add(oid)
        # The sessions of the dead element may have lost a value meanwhile; then a new walk has none either.
        wait_for("a walk without the %d instances that GET does not find" % len(lost),
                 lambda: not lost & set(dict(publisher.walk())))


@case("64 elements x 2 families: a walk is complete, many walks at once are the same")
def _():
    with published(change=publishlib.many_elements) as publisher:
        rows, status = walk_of_status(publisher)
        expect("elements", len(status["group"][0]["element"]), 64)
        print("# %d instances, %d kB" % (len(rows), publisher.memory()))
        compare_with_status(publisher, rows, status)
        before = publisher.memory()
        command = ["/usr/bin/snmpbulkwalk", "-v2c", "-c", publishlib.COMMUNITY, "-t", "10", "-Cr25", "-One",
                   "-OQ", publisher.where(), "autofbfElementFamilyTable"]
        for _ in range(3):
            walks = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                      env=publisher.env()) for _ in range(10)]
            answers = [walk.communicate()[0] for walk in walks]
            for answer in answers:
                oids = [line.split(" = ")[0] for line in answer.splitlines() if line.startswith(".1.3")]
                if len(oids) < 64 * 2 * 10 or len(oids) != len(set(oids)):
                    raise Failed("a walk has %d instances, %d of them different" % (len(oids), len(set(oids))))
            if len({len(answer.splitlines()) for answer in answers}) != 1:
                raise Failed("walks at the same time differ")
        grown = publisher.memory() - before
        print("# memory grew by %d kB" % grown)
        if "san" not in lib.BUILD.name and grown > 8192:
            raise Failed("memory grew by %d kB" % grown)


@case("a walk sees one picture: the data time stands still while it goes on")
def _():
    with published() as publisher:
        def data_time(oid="autofbfAgentReachable"):
            return publisher.tool("snmpgetnext", "-Oqve", publisher.where(), "autofbfAgentDataAge.0").strip()
        first = data_time()
        started = publisher.lab.status()["now"]
        while (lib.moment(publisher.lab.status()["now"]) - lib.moment(started)).total_seconds() < 4:
            expect("the picture's time during a walk", data_time(), first)
        newest = publisher.get("autofbfAgentDataTime.0")[0]
        if newest == first:
            raise Failed("GET does not answer from the newest picture")
        wait_for("a new picture after the walk", lambda: publisher.get("autofbfAgentDataTime.0")[0] != newest)


@case("an alarm becomes a trap with the varbinds that the MIB file promises, and so does its end")
def _():
    with published() as publisher:
        lab = publisher.lab
        lab.element_down("fbf-02")
        for name, change in (("autofbfAlarmRaised", None), ("autofbfAlarmCleared", lab.element_up)):
            if change:
                change("fbf-02")
            varbinds, order = wait_trap(publisher, name, Type="element-down", Key="cgn/fbf-02")
            expect("varbinds of %s" % name, order[2:], MIB[name][3])
            expect("element", varbinds["autofbfAlarmElementId"], "fbf-02")
            expect("host", varbinds["autofbfAgentHostname"], lab.status()["hostname"])
            print("# %s: %s" % (name, varbinds["autofbfAlarmCause"]))


@case("snmpd absent at the start, killed, restarted, stopped: served again each time, traps not lost")
def _():
    with lib.sim() as lab:
        publisher = publishlib.Publisher(lab)
        try:
            publisher.start_publish()
            wait_for("the agent", lambda: "the agent is there" in publisher.log("publish"))
            lab.element_down("fbf-02")
            wait_for("the alarm", lambda: "element-down" in lab.cli("alarms"))
            publisher.start_snmptrapd()
            publisher.start_snmpd()
            publisher.wait_served()
            wait_trap(publisher, "autofbfAlarmRaised", Type="element-down")  # from before snmpd was there
            before = publisher.memory()
            publisher.stop("snmpd", signal.SIGKILL)
            publisher.agentx.unlink()
            lab.element_up("fbf-02")
            wait_for("no alarm", lambda: "element-down" not in lab.cli("alarms"))
            publisher.start_snmpd()
            publisher.wait_served()
            wait_trap(publisher, "autofbfAlarmCleared", Type="element-down")
            snmpd = publisher.processes["snmpd"]
            snmpd.send_signal(signal.SIGSTOP)
            wait_for("the loss of a master that hangs",
                     lambda: publisher.log("publish").count("the master agent is gone") >= 2, 60)
            snmpd.send_signal(signal.SIGCONT)
            publisher.wait_served()
            grown = publisher.memory() - before
            print("# memory grew by %d kB" % grown)
            if "san" not in lib.BUILD.name and grown > 4096:
                raise Failed("memory grew by %d kB" % grown)
            expect("exit code", publisher.stop("publish"), 0)
        finally:
            publisher.close()


@case("the agent is away: its data grows old, then only that is published; it is found again")
def _():
    with published() as publisher:
        lab = publisher.lab
        lab.kill_agent()
        wait_for("an old picture", lambda: number(publisher.get("autofbfAgentDataAge.0")[0]) > 1500)
        wait_for("unreachable", lambda: publisher.get("autofbfAgentReachable.0") == ["2"])
        names = {object_of(oid) for oid, _ in publisher.walk()}
        expect("what is still published", names,
               {"autofbfAgentReachable", "autofbfAgentDataAge", "autofbfAgentDataTime"})
        wait_trap(publisher, "autofbfAlarmRaised", Type="agent-unreachable", Key="agent", Severity="3")
        lab.start_agent()
        lab.settle()
        publisher.wait_served()
        # The first one was that of the publisher's start.
        wait_trap(publisher, "autofbfAlarmCleared", times=2, Type="agent-unreachable", Key="agent")
        rows, status = walk_of_status(publisher)
        compare_with_status(publisher, rows, status)


@case("SET is refused: nothing is writable, and nothing breaks")
def _():
    with published() as publisher:
        for name, kind, value in (("autofbfAgentHostname.0", "s", "x"), ("autofbfAgentReachable.0", "i", "2"),
                                  ("autofbfAlarmSeverity.99", "i", "1")):
            oid = ".".join(map(str, MIB[name.split(".")[0]][0])) + "." + name.split(".")[1]
            done = subprocess.run(["/usr/bin/snmpset", "-v2c", "-c", publishlib.COMMUNITY, "-m", "",
                                   publisher.where(), oid, kind, value], text=True, capture_output=True,
                                  env=publisher.env(), timeout=60)
            if "notWritable" not in done.stderr and "noAccess" not in done.stderr:
                raise Failed("SET %s: %s%s" % (name, done.stdout, done.stderr))
        expect("reachable", publisher.get("autofbfAgentReachable.0"), ["1"])


@case("a publisher that is killed and started again has the same rows under the same indexes")
def _():
    with published() as publisher:
        lab = publisher.lab
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        lab.settle()
        before = {oid for oid in dict(publisher.walk("autofbfElementFamilyTable"))}
        publisher.stop("publish", signal.SIGKILL)
        publisher.start_publish()
        publisher.wait_served()
        expect("rows", {oid for oid in dict(publisher.walk("autofbfElementFamilyTable"))}, before)
        lab.restart_agent()


@case("the snmpd.conf of README and manual works: SNMPv3 user, view, trap sink")
def _():
    manual = (TOP / "tools/man/autofbf-publish.8").read_text().replace("\\e\n         ", "")
    lines = publishlib.configuration_of_the_readme()
    for line in lines:
        if " ".join(line.split()) not in " ".join(manual.split()):
            raise Failed("the manual does not say %r" % line)
    secrets = ["-v3", "-u", "nms", "-l", "authPriv", "-a", "SHA-256", "-A", "AUTH-SECRET", "-x", "AES", "-X",
               "PRIV-SECRET", "-t", "5"]
    with lib.sim() as lab:
        publisher = publishlib.Publisher(lab)
        try:
            conf = re.sub("agentXSocket.*", "agentXSocket %s" % publisher.agentx, "\n".join(lines))
            conf = re.sub("agentAddress.*", "agentAddress udp:127.0.0.1:%d" % publisher.snmp_port, conf)
            conf = re.sub("agentXPerms.*", "agentXPerms 0660 0755 %d %d" % (os.getuid(), os.getgid()), conf)
            conf = conf.replace("192.0.2.10:162", "127.0.0.1:%d" % publisher.trap_port)
            engine = "0x8000000001020304"  # so that the receiver can know whose traps these are
            (publisher.dir / "v3.conf").write_text(conf + "\nexactEngineID %s\n" % engine)
            publisher.start_snmptrapd("createUser -e %s nms SHA-256 AUTH-SECRET AES PRIV-SECRET\n"
                                      "authUser log nms\n" % engine)
            publisher.start("snmpd", ["/usr/sbin/snmpd", "-f", "-Lo", "-C", "-c", publisher.dir / "v3.conf",
                                      "-I", "-smux"])
            wait_for("snmpd's AgentX socket", publisher.agentx.exists)
            publisher.start_publish()
            walk = ["/usr/bin/snmpwalk", *secrets, "-OQ", publisher.where()]

            def served():
                return subprocess.run([*walk, "autofbfElementFamilyState"], text=True, capture_output=True,
                                      env=publisher.env(), timeout=30).stdout
            wait_for("a walk by SNMPv3", lambda: served().count(" = up") == 8)
            outside = subprocess.run([*walk, ".1.3.6.1.2.1.4"], text=True, capture_output=True,
                                     env=publisher.env(), timeout=30).stdout
            if "No Such" not in outside and "No more" not in outside:
                raise Failed("the view shows more than it should: %s" % outside[:200])
            lab.element_down("fbf-02")
            wait_trap(publisher, "autofbfAlarmRaised", Type="element-down")
            faults = [line for line in publisher.log("snmpd").splitlines() if "rror" in line or "nknown" in line]
            expect("what snmpd says against the configuration", faults, [])
            expect("exit code", publisher.stop("publish"), 0)
        finally:
            publisher.close()


@case("options: what is wrong is said, with exit code 2 or 1")
def _():
    program = lib.BUILD / "autofbf-publish"
    for words, code, text in ((["--interval", "0"], 2, "1 to 3600"), (["--no-snmp"], 2, "nothing to do"),
                              (["x"], 2, "unexpected argument"), (["--nonsense"], 2, "--help"),
                              (["--http", "192.0.2.1:80"], 1, "only loopback"),
                              (["--http", "127.0.0.1"], 1, "port is missing"),
                              (["--http", "localhost:1"], 1, "127.0.0.1:9643"),
                              (["--yang-dir", "/nowhere"], 1, "/nowhere")):
        result = subprocess.run([program, "--agentx", "/dev/null/none", *words], text=True, capture_output=True,
                                timeout=lib.labkit.DEADLINE, cwd=TOP)
        expect("exit code of %s" % words, result.returncode, code)
        if text not in result.stderr:
            raise Failed("%s: %r does not say %r" % (words, result.stderr, text))
    for words, text in ((["--help"], "usage: autofbf-publish"), (["--version"], "autofbf-publish ")):
        result = subprocess.run([program, *words], text=True, capture_output=True, timeout=30)
        expect("exit code of %s" % words, result.returncode, 0)
        if text not in result.stdout:
            raise Failed("%s says %r" % (words, result.stdout))


lib.end()
