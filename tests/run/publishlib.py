# SPDX-License-Identifier: BSD-3-Clause
"""autofbf-publish beside a simulated lab, with an snmpd, an snmptrapd and the tools of Net-SNMP, all of
them children of the test with configurations, ports and directories of their own."""
import contextlib
import json
import pathlib
import re
import signal
import socket
import subprocess

import lib
from labkit import DEADLINE, TOP, Failed, die_with_parent, end_process, free_port, wait_for

COMMUNITY = "test"
MIB_FILE = TOP / "snmp-mib" / "AUTOFBF-MIB.txt"


def configuration_of_the_readme():
    """The snmpd.conf that the README shows."""
    text = (TOP / "README.md").read_text()
    start = text.index("      agentAddress")
    return [line.strip() for line in text[start:text.index("\n\n", start)].splitlines()]


class Publisher:
    """Processes around one lab (a labkit.Sim that runs). Ended by pid."""

    def __init__(self, lab):
        self.lab = lab
        self.dir = lab.dir / "publish"
        self.dir.mkdir()
        self.processes = {}
        self.agentx = self.dir / "agentx"
        self.snmp_port, self.trap_port, self.http_port = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM), free_port()

    def env(self):
        return dict(self.lab.env(), SNMP_PERSISTENT_DIR=str(self.dir / "snmp"), SNMPCONFPATH=str(self.dir),
                    MIBDIRS="%s:%s" % (TOP / "tests/mibs", TOP / "snmp-mib"), MIBS="AUTOFBF-MIB")

    def start(self, name, argv, preexec=die_with_parent):
        log = open(self.dir / (name + ".log"), "ab")
        self.processes[name] = subprocess.Popen([str(a) for a in argv], stdout=log, stderr=log,
                                                stdin=subprocess.DEVNULL, env=self.env(),
                                                preexec_fn=preexec)
        log.close()
        return self.processes[name]

    def log(self, name):
        path = self.dir / (name + ".log")
        return path.read_text(errors="replace") if path.exists() else ""

    def stop(self, name, sig=signal.SIGTERM):
        return end_process(self.processes, name, sig)

    def start_snmpd(self):
        conf = self.dir / "snmpd.conf"
        conf.write_text("master agentx\ndontLogTCPWrappersConnects yes\nagentXSocket %s\n"
                        "rwcommunity %s 127.0.0.1\ntrap2sink 127.0.0.1:%d %s\nagentAddress udp:127.0.0.1:%d\n"
                        % (self.agentx, COMMUNITY, self.trap_port, COMMUNITY, self.snmp_port))
        self.start("snmpd", ["/usr/sbin/snmpd", "-f", "-Lo", "-C", "-c", conf, "-I", "-smux"])
        wait_for("snmpd's AgentX socket", self.agentx.exists)

    def start_snmptrapd(self, configuration="disableAuthorization yes\n"):
        conf = self.dir / "snmptrapd.conf"
        conf.write_text(configuration)
        self.start("snmptrapd", ["/usr/sbin/snmptrapd", "-f", "-Lo", "-C", "-c", conf, "-F",
                                 "TRAP %v\\n", "-OQ", "-Oe", "udp:127.0.0.1:%d" % self.trap_port])
        wait_for("snmptrapd", lambda: "NET-SNMP version" in self.log("snmptrapd"))

    def start_publish(self, *options, interval=1, preexec=die_with_parent):
        self.start("publish", [self.lab.build / "autofbf-publish", "-d", "--socket", self.lab.socket,
                               "--agentx", self.agentx, "--interval", str(interval), *options], preexec)

    def tool(self, name, *words, code=0):
        """snmpwalk and its kin. Values as numbers, dates and texts as they are."""
        result = subprocess.run(["/usr/bin/" + name, "-v2c", "-c", COMMUNITY, "-t", "5", "-r", "1",
                                 *map(str, words)], text=True, capture_output=True, env=self.env(),
                                timeout=DEADLINE, errors="replace")
        if code is not None and result.returncode != code:
            raise Failed("%s %s: %d: %s%s" % (name, " ".join(map(str, words)), result.returncode,
                                              result.stdout[-300:], result.stderr[-300:]))
        return result.stdout

    def where(self):
        return "127.0.0.1:%d" % self.snmp_port

    def walk(self, what="autofbfObjects", tool="snmpwalk", options=()):
        """[(oid as a tuple of numbers, value text)] in the order of the answer."""
        text = self.tool(tool, "-One", "-OQ", *options, self.where(), what)
        rows = []
        for line in re.split(r"\n(?=\.1\.3)", text.strip()):
            oid, _, value = line.partition(" = ")
            if value.startswith("No Such") or value.startswith("No more"):
                continue
            rows.append((tuple(int(n) for n in oid.strip(".").split(".")), value))
        return rows

    def get(self, *names):
        return self.tool("snmpget", "-Oqve", self.where(), *names).splitlines()

    def wait_served(self):
        """The subagent is registered and has a picture of the agent."""
        return wait_for("a picture by SNMP", lambda: self.get("autofbfAgentReachable.0") == ["1"])

    def memory(self):
        """Resident kilobytes of the publisher."""
        text = pathlib.Path("/proc/%d/status" % self.processes["publish"].pid).read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1))

    def close(self):
        for name in list(self.processes):
            with contextlib.suppress(Failed):
                self.stop(name)


def many_elements(group):
    """64 elements in place of four."""
    first = group["element"][0]
    group["element"] = []
    for i in range(64):
        element = json.loads(json.dumps(first))
        element["id"] = "e%02d" % i
        element.pop("name", None)
        for family, base in (("ipv4", "10.%d.0.%d"), ("ipv6", "2001:db8:%d::%d")):
            for number_, side in enumerate(("inside", "outside")):
                element[family][side]["peer"] = base % (200 + number_, i + 2)
        group["element"].append(element)


@contextlib.contextmanager
def published(snmp=True, http=False, **options):
    """A lab in sync, and the publisher beside it: with snmpd and snmptrapd, with HTTP, or with both."""
    with lib.sim(**options) as lab:
        publisher = Publisher(lab)
        try:
            if snmp:
                publisher.start_snmptrapd()
                publisher.start_snmpd()
            publisher.start_publish(*(() if snmp else ("--no-snmp",)),
                                    *(("--http", "127.0.0.1:%d" % publisher.http_port) if http else ()))
            if snmp:
                publisher.wait_served()
            yield publisher
            code = publisher.stop("publish")
            if code not in (0, None):
                raise Failed("autofbf-publish ended with %d" % code)
        except BaseException:
            for name in ("publish", "snmpd", "snmptrapd"):
                print("--- %s\n%s" % (name, publisher.log(name)[-3000:]))
            raise
        finally:
            publisher.close()


def read_mib():
    """The MIB file: {name: (oid, access, syntax, index names)} of every OBJECT-TYPE, by reading its text."""
    text = re.sub(r"--.*", "", MIB_FILE.read_text())
    text = re.sub(r'"[^"]*"', '""', text).split(";", 1)[1]  # after the imports
    parents = {"netSnmpPlaypen": (1, 3, 6, 1, 4, 1, 8072, 9999, 9999)}
    objects = {}
    pattern = re.compile(r"^(\w+)\s+(MODULE-IDENTITY|OBJECT IDENTIFIER|OBJECT-TYPE|NOTIFICATION-TYPE)\s*"
                         r"((?:(?!::=).)*)::=\s*\{\s*(\w+)\s+(\d+)\s*\}", re.M | re.S)
    for name, kind, body, parent, number in pattern.findall(text):
        oid = parents[parent] + (int(number),)
        parents[name] = oid
        if kind not in ("OBJECT-TYPE", "NOTIFICATION-TYPE"):
            continue
        access = re.search(r"MAX-ACCESS\s+([\w-]+)", body)
        syntax = re.search(r"SYNTAX\s+(.*?)\s*(?:UNITS|MAX-ACCESS|STATUS)", body, re.S)
        listed = re.search(r"(?:INDEX|OBJECTS)\s*\{([^}]*)\}", body)
        objects[name] = (oid, access.group(1) if access else "notification",
                         syntax.group(1) if syntax else "",
                         [word.strip() for word in listed.group(1).split(",")] if listed else [])
    return objects


MIB = read_mib()
FAMILIES = {"ipv4": 1, "ipv6": 2}
SIDES = {"inside": 1, "outside": 2}


def text_index(text):
    return (len(text),) + tuple(text.encode())


def value_of(rows, name, *index):
    """Value of an instance in a walk turned into a dict; None: there is none."""
    return rows.get(MIB[name][0] + index)


def number(text):
    """"5", "256 units" -> the number."""
    return int(text.split()[0])


def layout_ids(rows):
    oid = MIB["autofbfGroupFamilyLayoutId"][0]
    return {key: value for key, value in rows.items() if key[:len(oid)] == oid}


def columns():
    """{name: oid} of the objects that can be read."""
    return {name: oid for name, (oid, access, _, _) in MIB.items() if access == "read-only"}


def object_of(oid):
    """Name of the object an instance belongs to; None: the MIB file knows none."""
    for name, own in columns().items():
        if oid[:len(own)] == own:
            return name
    return None


def compare_with_status(publisher, rows, status):
    """Numbers of the walk against those of the status of the same moment."""
    count = 0
    for group in status["group"]:
        for family in group["family"]:
            index = text_index(group["id"]) + (FAMILIES[family["family"]],)
            for name, leaf in (("Units", "units"), ("Displaced", "displaced"), ("Misplaced", "misplaced"),
                               ("PendingEdits", "pending-edits"), ("Alive", "alive"), ("Pieces", "pieces")):
                lib.expect("autofbfGroupFamily%s" % name,
                       number(value_of(rows, "autofbfGroupFamily" + name, *index)), family[leaf])
                count += 1
            lib.expect("layout-id", value_of(rows, "autofbfGroupFamilyLayoutId", *index).strip('"'),
                   family["layout-id"])
        for element in group["element"]:
            for family in element["family"]:
                index = text_index(element["id"]) + (FAMILIES[family["family"]],)
                states = ["unknown", "down", "down-by-scope", "hold-down", "up"]
                lib.expect("state of %s" % element["id"],
                       number(value_of(rows, "autofbfElementFamilyState", *index)),
                       states.index(family["state"]) + 1)
                for name, leaf in (("BaseUnits", "base-units"), ("WantedUnits", "wanted-units"),
                                   ("EffectiveUnits", "effective-units"), ("Downs", "downs"),
                                   ("BaseEntries", "base-entries"), ("OverrideEntries", "override-entries")):
                    lib.expect("autofbfElementFamily%s of %s" % (name, element["id"]),
                           number(value_of(rows, "autofbfElementFamily" + name, *index)), family[leaf])
                    count += 1
                for peer in family["peer"]:
                    lib.expect("flaps of %s" % peer["address"],
                           number(value_of(rows, "autofbfSessionFlaps", *index, SIDES[peer["side"]])),
                           peer["flaps"])
    lib.expect("commits", number(value_of(rows, "autofbfRouterCommits", 0)), int(status["router"]["commits"]))
    return count


def walk_of_status(publisher):
    """A walk and a status of the same layout, at rest: the picture is newer than the change."""
    def same():
        status = publisher.lab.in_sync()
        rows = dict(publisher.walk())
        again = publisher.lab.in_sync()
        if not status or not again:
            return None
        wanted = sorted(f["layout-id"] for g in status["group"] for f in g["family"])
        if sorted(v.strip('"') for v in layout_ids(rows).values()) != wanted:
            return None
        if status["router"]["commits"] != again["router"]["commits"]:
            return None
        if number(value_of(rows, "autofbfRouterCommits", 0)) != int(status["router"]["commits"]):
            return None
        return rows, again
    return wait_for("a walk at the status's layout-id", same)


def traps(publisher, name):
    """Traps of that name that snmptrapd has printed: [{object name without index: value}]."""
    found = []
    for line in publisher.log("snmptrapd").splitlines():
        if not line.startswith("TRAP ") or "::" + name not in line:
            continue
        varbinds = {}
        order = []
        for part in line[5:].split("\t"):
            oid, _, value = part.partition(" = ")
            order.append(oid.split("::")[-1].split(".")[0])
            varbinds[order[-1]] = value.strip('"')
        found.append((varbinds, order))
    return found


def wait_trap(publisher, name, times=1, seconds=90, **wanted):
    """wanted: Type=..., Key=...: values of autofbfAlarmType and so on. times: the first, the second...
    seconds: to wait for it, for what must come before the minute that suppressed ones wait."""
    def reached():
        found = [trap for trap in traps(publisher, name)
                 if all(trap[0].get("autofbfAlarm" + key) == value for key, value in wanted.items())]
        return len(found) >= times and found[times - 1]
    return wait_for("trap %s %s, number %d" % (name, wanted, times), reached, seconds)
