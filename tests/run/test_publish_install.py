#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""autofbf-publish as it is installed: its user beside Debian's snmpd, and the units."""
import contextlib
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import tempfile
import types

import lib
from lib import case, expect, wait_for
from labkit import TOP, Bench, Failed, die_with_parent
from publishlib import Publisher, configuration_of_the_readme

SNMPD_UNIT = pathlib.Path("/lib/systemd/system/snmpd.service")
STRANGER = pwd.getpwnam("nobody")


def become_stranger():
    """For preexec_fn: as the unit's User= does, so that root's rights hide nothing."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(STRANGER.pw_gid)
        os.setuid(STRANGER.pw_uid)
    die_with_parent()


@contextlib.contextmanager
def place():
    """A publisher without agent and lab, in a directory where every user may look."""
    where = pathlib.Path(tempfile.mkdtemp(prefix="autofbf-publish-"))
    where.chmod(0o755)
    os.umask(0o022)
    shutil.copy(lib.BUILD / "autofbf-publish", where)
    shutil.copytree(TOP / "yang", where / "yang")
    publisher = Publisher(types.SimpleNamespace(dir=where, build=where, socket=where / "none", env=Bench.env))
    publisher.agentx = where / "agentx" / "master"
    try:
        yield publisher
    finally:
        for name in ("publish", "snmpd"):
            print("# %s: %s" % (name, publisher.log(name)[-1500:].replace("\n", "\n#   ")))
        publisher.close()
        shutil.rmtree(where)


def snmpd_configuration(publisher, **other):
    """The README's lines about AgentX, with our path and a group that exists; other: words instead."""
    lines = [line.split() for line in configuration_of_the_readme()]
    conf = {words[0]: words[1:] for words in lines if words[0] in ("master", "agentXSocket", "agentXPerms")}
    expect("where the program looks", conf["agentXSocket"], re.findall(
        r"--agentx.*\(default (.*)\)", subprocess.run([lib.BUILD / "autofbf-publish", "--help"], text=True,
                                                      capture_output=True, timeout=30).stdout))
    conf["agentXSocket"] = [str(publisher.agentx)]
    expect("the group that is let in", conf["agentXPerms"].pop(), "autofbf-publish")
    user = conf["agentXPerms"].pop() if os.getuid() == 0 else str(os.getuid())
    conf["agentXPerms"] += [user, str(STRANGER.pw_gid if os.getuid() == 0 else os.getgid())]
    conf.update(other)
    return "".join("%s %s\n" % (name, " ".join(words)) for name, words in conf.items())


def start_snmpd(publisher, conf):
    """As Debian's unit does."""
    (publisher.dir / "snmpd.conf").write_text(conf + "agentAddress udp:127.0.0.1:%d\n" % publisher.snmp_port)
    user = ["-u", "Debian-snmp", "-g", "Debian-snmp"] if os.getuid() == 0 else []
    publisher.start("snmpd", ["/usr/sbin/snmpd", "-LOw", *user, "-I", "-smux,mteTrigger,mteTriggerConf", "-f", "-C",
                              "-c", publisher.dir / "snmpd.conf"])
    wait_for("snmpd's AgentX socket", publisher.agentx.exists)


def start_publish(publisher):
    publisher.start_publish("--yang-dir", publisher.lab.dir / "yang", preexec=become_stranger)


@case("with the documented snmpd.conf the publisher's user reaches the master agent, without it is told why not")
def _():
    unit = SNMPD_UNIT.read_text()
    if "RuntimeDirectory=agentx\n" not in unit:
        raise Failed("%s does not make /run/agentx: %s" % (SNMPD_UNIT, unit))
    with place() as publisher:
        start_publish(publisher)
        said = str(publisher.agentx) + ": no master agent: "
        wait_for("no snmpd", lambda: said + "No such file or directory" in publisher.log("publish"))
        publisher.agentx.parent.mkdir()  # as the unit's RuntimeDirectory= does
        publisher.agentx.parent.chmod(0o755)
        start_snmpd(publisher, snmpd_configuration(publisher))
        wait_for("the master agent", lambda: "the master agent is there" in publisher.log("publish"))
        publisher.stop("snmpd")
        shutil.rmtree(publisher.agentx.parent)
        if os.getuid() == 0:  # snmpd's own way, and its default
            start_snmpd(publisher, snmpd_configuration(publisher, agentXPerms=[]).replace("agentXPerms \n", ""))
            wait_for("no way in", lambda: said + "Permission denied" in publisher.log("publish"))
            publisher.stop("snmpd")
            shutil.rmtree(publisher.agentx.parent)
        # A directory that snmpd makes, where no unit does, with the documented rights.
        start_snmpd(publisher, snmpd_configuration(publisher))
        wait_for("the master agent", lambda: publisher.log("publish").count("the master agent is there") == 2)
        expect("exit code", publisher.stop("publish"), 0)
        times = publisher.log("publish").count(said)
        if times > 4:
            raise Failed("the reason is told %d times" % times)


DIST = TOP / "tools" / "dist"
UNITS = {"autofbf.service": "autofbfd", "autofbf-publish.service": "autofbf-publish"}
ANALYZE = shutil.which("systemd-analyze")  # of package systemd, which a container may lack


def settings(unit, section="Service"):
    """{key: [values]} of a section of a unit."""
    ret = {}
    parts = re.split(r"(?m)^\[(\w+)\]$", (DIST / unit).read_text())
    for line in parts[parts.index(section) + 1].splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            ret.setdefault(key, []).append(value)
    return ret


@case("the units: two users, limits, options that the programs know")
def _():
    users = {}
    for unit, program in UNITS.items():
        said = settings(unit)
        command = said["ExecStart"][0].split()
        expect("program of %s" % unit, pathlib.Path(command[0]).name, program)
        help_text = subprocess.run([lib.BUILD / program, "--help"], text=True, capture_output=True, timeout=30).stdout
        hinted = re.findall(r"OPTIONS=(--[\w-]+)", (DIST / unit).read_text())
        for option in [word for word in command[1:] if word.startswith("-")] + hinted:
            if not re.search(r"(^|\s)%s\b" % re.escape(option), help_text):
                raise Failed("%s: %s does not know %s" % (unit, program, option))
        users[unit] = said["User"]
        if not re.search(r"(?m)^u %s " % said["User"][0], (DIST / "autofbf.sysusers").read_text()):
            raise Failed("autofbf.sysusers does not make the user of %s" % unit)
        expect("%s: %s" % (unit, "NoNewPrivileges"), said["NoNewPrivileges"], ["yes"])
        expect("%s: %s" % (unit, "CapabilityBoundingSet"), said["CapabilityBoundingSet"], [""])
        expect("%s: started again" % unit, said["Restart"], ["always"])
        expect("%s: without end" % unit, settings(unit, "Unit").get("StartLimitIntervalSec"), ["0"])
    expect("autofbf.service: its state", settings("autofbf.service").get("StateDirectoryMode"), ["0750"])
    if users["autofbf.service"] == users["autofbf-publish.service"]:
        raise Failed("both run as %s" % users["autofbf.service"])
    for limit in ("MemoryMax", "TasksMax", "LimitNOFILE", "LimitCORE"):
        if limit not in settings("autofbf-publish.service"):
            raise Failed("autofbf-publish.service: no %s" % limit)


def analyze(*words):
    result = subprocess.run([ANALYZE, *map(str, words)], text=True, capture_output=True, timeout=60)
    expect(" ".join(map(str, words)), (result.returncode, result.stderr), (0, ""))


@case("systemd takes the units, and finds them little exposed%s" % ("" if ANALYZE else " # SKIP no systemd-analyze"))
def _():
    if not ANALYZE:
        return
    with tempfile.TemporaryDirectory() as where:
        for unit, program in UNITS.items():
            copy = pathlib.Path(where, unit)
            copy.write_text((DIST / unit).read_text().replace("/usr/sbin/" + program, str(lib.BUILD / program)))
            analyze("verify", "--man=no", copy)
            # Tenths of its "exposure level" of 0 to 10; one that says nothing has 9.6.
            analyze("security", "--no-pager", "--offline=true",
                    "--threshold=%d" % {"autofbfd": 40, "autofbf-publish": 20}[program], copy)


def make(*words, **variables):
    """make with these variables in its environment, and without what an outer make hands down."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    env.update(variables)
    result = subprocess.run(["make", "-s", *map(str, words)], cwd=TOP, env=env, text=True, capture_output=True,
                            timeout=300)
    expect("make %s" % " ".join(map(str, words)), (result.returncode, result.stderr), (0, ""))
    return result.stdout


@case("another PREFIX or version, also after a build: its programs are in the units, its files in the pages, its YANG modules in the programs")
def _():
    with tempfile.TemporaryDirectory() as where:
        out = pathlib.Path(where)
        pages = [out / "man" / page.name for page in sorted((TOP / "tools" / "man").glob("autofbf*"))]
        units, module = [out / "dist" / unit for unit in UNITS], out / "agent/profile_yang.o"
        for prefix in ("/usr", "/opt/one", "/opt/two"):
            make("O=%s" % out, "PREFIX=%s" % prefix, module, *units, *pages)
            named = set(re.findall(r"(/\S*)/share/", "".join(page.read_text() for page in pages)))
            expect("where pages say that files are", named, {prefix})
            for unit, program in zip(units, UNITS.values()):
                expect(unit.name, re.findall("(?m)^ExecStart=(\\S+)", unit.read_text()),
                       ["%s/sbin/%s" % (prefix, program)])
            expect("compiled in", b"%s/share/autofbf/yang\0" % prefix.encode() in module.read_bytes(), True)
        built = module.stat().st_mtime_ns
        make("O=%s" % out, "PREFIX=%s" % prefix, module, *units)
        expect("nothing is built twice", module.stat().st_mtime_ns, built)
        for version in ("one", "two"):
            make("O=%s" % out, "VERSION=v-%s" % version, out / "agent/main.o")
            expect("version", b"v-%s" % version.encode() in (out / "agent/main.o").read_bytes(), True)
        built = (out / "agent/main.o").stat().st_mtime_ns
        make("O=%s" % out, out / "agent/main.o", GIT_DIR="/nonexistent")
        expect("built anew because git says nothing", (out / "agent/main.o").stat().st_mtime_ns, built)
        commands = make("-n", "O=%s" % out, "PREFIX=%s" % prefix, "install")
        for unit in units:
            expect("%s is installed" % unit, len(re.findall(r"install .*%s" % re.escape(str(unit)), commands)), 1)
        for page in pages:
            expect("%s is installed" % page, len(re.findall(r"for page in .*%s\b" % re.escape(str(page)), commands)), 1)


lib.end()
