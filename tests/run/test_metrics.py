#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""autofbf-publish by HTTP: what independent readers make of it, hostile clients, and Prometheus itself."""
import json
import os
import pathlib
import resource
import socket
import subprocess
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

import lib
import publishlib
from lib import case, expect, wait_for
from labkit import TOP, Failed, die_with_parent, free_port
from publishlib import published


def with_http():
    return published(snmp=False, http=True)


def fetch(publisher, path, code=200):
    try:
        with urllib.request.urlopen("http://127.0.0.1:%d%s" % (publisher.http_port, path), timeout=15) as answer:
            got, body = answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        got, body = error.code, error.read().decode()
    expect("status of %s" % path, got, code)
    return body


def wait_healthy(publisher):
    return wait_for("a healthy publisher", lambda: fetch(publisher, "/healthz"))


def raw(publisher, data, timeout=15):
    """Sends bytes, returns all that comes until the end."""
    with socket.create_connection(("127.0.0.1", publisher.http_port), timeout=timeout) as s:
        s.sendall(data)
        answer = b""
        while True:
            try:
                piece = s.recv(65536)
            except ConnectionResetError:  # it closed before it had read all of this
                return answer
            if not piece:
                return answer
            answer += piece


def samples(publisher):
    """{(name, labels as a sorted tuple): value}"""
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(fetch(publisher, "/metrics"))
            for sample in family.samples}


@case("promtool and an independent parser accept /metrics; its numbers are the status's")
def _():
    with with_http() as publisher:
        lab = publisher.lab
        wait_healthy(publisher)
        lab.element_down("fbf-02")
        lab.wait_effective([None, 0, None, None])
        lab.settle()

        def same():
            status, seen = lab.in_sync(), samples(publisher)
            wanted = {tuple(sorted((("group", "cgn"), ("element", e["id"]), ("family", f["family"])))):
                      float(f["effective-share"]) for g in status["group"] for e in g["element"]
                      for f in e["family"]}
            got = {labels: value for (name, labels), value in seen.items()
                   if name == "autofbf_element_effective_units"}
            commits = seen[("autofbf_router_commits_total", ())] == int(status["router"]["commits"])
            return got == wanted and commits and seen
        seen = wait_for("the numbers of the status", same)
        expect("autofbf_up", seen[("autofbf_up", ())], 1)
        checked = subprocess.run(["promtool", "check", "metrics"], input=fetch(publisher, "/metrics"), text=True,
                                 capture_output=True, timeout=60)
        expect("promtool check metrics says", checked.stderr + checked.stdout, "")
        expect("its exit code", checked.returncode, 0)
        names = {name for name, _ in seen}
        for name in ("autofbf_alarm", "autofbf_reaction_seconds_bucket", "autofbf_element_sent_bytes_total"):
            if name not in names:
                raise Failed("%s is not there" % name)
        labels = {label for _, pairs in seen for label, _ in pairs}
        print("# %d samples, labels %s" % (len(seen), " ".join(sorted(labels))))
        prefixes = [p["prefix"] for f in ("ipv4", "ipv6") for p in lab.group.get(f, {}).get("pool", [])]
        for (name, pairs) in seen:
            if any(prefix == value for prefix in prefixes for _, value in pairs):
                raise Failed("a prefix is a label of %s" % name)
        status = json.loads(fetch(publisher, "/status.json"))["autofbf:state"]
        expect("host by /status.json", status["hostname"], lab.status()["hostname"])


@case("the agent goes: 503, autofbf_up 0 and nothing else; it comes: all is back")
def _():
    with with_http() as publisher:
        wait_healthy(publisher)
        publisher.lab.kill_agent()
        wait_for("503", lambda: fetch(publisher, "/healthz", 503))
        seen = samples(publisher)
        expect("what is left", {name for name, _ in seen},
               {"autofbf_up", "autofbf_data_age_seconds", "autofbf_publish_interval_seconds"})
        expect("its interval", seen[("autofbf_publish_interval_seconds", ())], 1)
        expect("autofbf_up", seen[("autofbf_up", ())], 0)
        expect("/status.json", fetch(publisher, "/status.json", 503), "{}\n")
        publisher.lab.start_agent()
        publisher.lab.settle()
        wait_healthy(publisher)


@case("what is no good request gets its status, and nobody else notices")
def _():
    with with_http() as publisher:
        wait_healthy(publisher)
        long_head = b"GET /healthz HTTP/1.1\r\n" + b"X: " + b"a" * 100000
        for data, status in ((b"POST /metrics HTTP/1.1\r\n\r\n", 405), (b"GET /nothing HTTP/1.1\r\n\r\n", 404),
                             (b"GET / HTTP/2.0\r\n\r\n", 505), (b"\x16\x03\x01\x00\xa5\x01", 400),
                             (b"GET /" + b"a" * 200 + b" HTTP/1.1\r\n\r\n", 414), (b"\r\n\r\n", 400),
                             (b"GET \x00 HTTP/1.1\r\n\r\n", 400)):
            answer = raw(publisher, data)
            expect("answer to %r" % data[:20], answer.split(b" ")[1:2], [str(status).encode()])
        answer = raw(publisher, long_head)
        if answer and b" 431 " not in answer:
            raise Failed("a head of 100 kB: %r" % answer[:60])
        head = raw(publisher, b"HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        if not head.endswith(b"\r\n\r\n") or b"Content-Length: " not in head:
            raise Failed("HEAD: %r" % head[-60:])
        fetch(publisher, "/healthz")


@case("slow and silent clients lose their place after ten seconds; more of them than fit wait")
def _():
    with with_http() as publisher:
        wait_healthy(publisher)
        before = publisher.memory()
        crowd = []
        for i in range(200):
            s = socket.create_connection(("127.0.0.1", publisher.http_port), timeout=60)
            s.sendall(b"GET /metrics HTTP/1.1\r\nX: "[: 3 + i % 20])
            crowd.append(s)
        pid = publisher.processes["publish"].pid
        count = len(os.listdir("/proc/%d/fd" % pid))
        print("# %d connections, the publisher has %d descriptors" % (len(crowd), count))
        if count > 60:
            raise Failed("%d descriptors" % count)
        for s in crowd[32:]:
            s.close()
        fetch(publisher, "/healthz")  # after the first 32 have lost their places
        for s in crowd[:32]:
            s.close()
        grown = publisher.memory() - before
        print("# memory grew by %d kB" % grown)
        if "san" not in lib.BUILD.name and grown > 4096:
            raise Failed("memory grew by %d kB" % grown)


def cpu_seconds(pid):
    fields = pathlib.Path("/proc/%d/stat" % pid).read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@case("out of file descriptors: it does not spin, does not flood its log, and serves again afterwards")
def _():
    with with_http() as publisher:
        wait_healthy(publisher)
        pid = publisher.processes["publish"].pid
        used = len(os.listdir("/proc/%d/fd" % pid))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 4, used + 4))
        crowd = [socket.create_connection(("127.0.0.1", publisher.http_port), timeout=60) for _ in range(20)]
        wait_for("the end of descriptors", lambda: "accept: Too many open files" in publisher.log("publish"))
        lines, used_cpu = publisher.log("publish").count("accept:"), cpu_seconds(pid)
        wait_for("three more tries", lambda: publisher.log("publish").count("accept:") >= lines + 3)
        spent = cpu_seconds(pid) - used_cpu
        print("# %.2f s of CPU in three tries" % spent)
        if spent > 1:
            raise Failed("%.2f s of CPU" % spent)
        for s in crowd:
            s.close()
        wait_healthy(publisher)


@case("memory does not grow with requests")
def _():
    with with_http() as publisher:
        wait_healthy(publisher)
        for _ in range(50):
            fetch(publisher, "/metrics")
        before = publisher.memory()
        for path in ("/metrics", "/status.json", "/healthz") * 200:
            fetch(publisher, path)
        grown = publisher.memory() - before
        print("# memory grew by %d kB in 600 requests" % grown)
        if "san" not in lib.BUILD.name and grown > 2048:
            raise Failed("memory grew by %d kB" % grown)


@case("a UNIX socket: 0660, a stale one is replaced, one in use is not, and it goes with the publisher")
def _():
    with lib.sim() as lab:
        publisher = publishlib.Publisher(lab)
        path = publisher.dir / "http.sock"
        try:
            stale = socket.socket(socket.AF_UNIX)
            stale.bind(str(path))
            stale.close()
            publisher.start_publish("--no-snmp", "--http", "unix:%s" % path)

            def ask():
                with socket.socket(socket.AF_UNIX) as s:
                    s.connect(str(path))
                    s.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
                    return b"200 OK" in s.recv(4096)
            wait_for("an answer", ask)
            expect("mode", path.stat().st_mode & 0o777, 0o660)
            second = subprocess.run([lab.build / "autofbf-publish", "--no-snmp", "--http", "unix:%s" % path],
                                    text=True, capture_output=True, env=lab.env(), timeout=60)
            expect("exit code of a second one", second.returncode, 1)
            if "somebody listens there already" not in second.stderr:
                raise Failed(second.stderr)
            expect("exit code", publisher.stop("publish"), 0)
            expect("the socket is left behind", path.exists(), False)
        finally:
            publisher.close()


@case("the alert rules: promtool's check and test")
def _():
    for words in (["check", "rules", "tools/monitoring/autofbf.rules.yml"],
                  ["test", "rules", "tests/fixtures/publish/rules.test.yml"]):
        result = subprocess.run(["promtool", *words], text=True, capture_output=True, cwd=TOP, timeout=120)
        if result.returncode != 0:
            raise Failed(result.stdout + result.stderr)


def alerts(port):
    with urllib.request.urlopen("http://127.0.0.1:%d/api/v1/alerts" % port, timeout=15) as answer:
        return {(a["labels"]["alertname"], a["labels"].get("element", ""), a["state"])
                for a in json.load(answer)["data"]["alerts"]}


def target_is_up(port):
    with urllib.request.urlopen("http://127.0.0.1:%d/api/v1/targets" % port, timeout=15) as answer:
        return [t["health"] for t in json.load(answer)["data"]["activeTargets"]] == ["up"]


def seen_when_unhealthy(publisher, elements):
    """The samples of one scrape, when these elements and no others are not healthy in it."""
    seen = [(name, dict(labels), value) for (name, labels), value in samples(publisher).items()]
    health = [(labels["element"], value) for name, labels, value in seen if name == "autofbf_element_healthy"]
    return seen if {element for element, value in health if value == 0} == elements else None


@case("a removed element says so in the labels that the rules look at; the layout and the mode are labels, too")
def _():
    overrides = {"logging": None, "router/host-key": None}  # the simulator has keys of its own, and no syslog
    with published(snmp=False, http=True, profile="weights-and-epochs.json", overrides=overrides) as publisher:
        # One of weight 0 owns nothing, so it comes by way of hold-down: later than the others.
        seen = wait_for("all but the removed one are healthy", lambda: seen_when_unhealthy(publisher, {"fbf-06"}))
        expect("removed", {labels["element"] for name, labels, _ in seen if name == "autofbf_element_info"
                           and labels["removed"] == "true"}, {"fbf-06"})
        expect("layouts", {labels["layout_id"] for name, labels, _ in seen if name == "autofbf_group_info"},
               {f["layout-id"] for g in publisher.lab.status()["group"] for f in g["family"]})
        expect("mode", [labels["mode"] for name, labels, _ in seen if name == "autofbf_agent_info"], ["active"])


@case("Prometheus scrapes the running lab: the target is up, a dead element fires, its return ends it")
def _():
    with with_http() as publisher:
        lab = publisher.lab
        wait_healthy(publisher)
        port = free_port()
        config = publisher.dir / "prometheus.yml"
        config.write_text(json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(TOP / "tools/monitoring/autofbf.rules.yml")],
            "scrape_configs": [{"job_name": "autofbf",
                                "static_configs": [{"targets": ["127.0.0.1:%d" % publisher.http_port]}]}]}))
        publisher.start("prometheus", ["/usr/bin/prometheus", "--config.file=%s" % config,
                                       "--storage.tsdb.path=%s" % (publisher.dir / "tsdb"),
                                       "--web.listen-address=127.0.0.1:%d" % port], die_with_parent)
        wait_for("the target", lambda: target_is_up(port), 60)
        expect("alerts of a healthy lab", {a for a in alerts(port) if a[2] == "firing"}, set())
        lab.element_down("fbf-02")
        wait_for("the alert", lambda: ("AutofbfElementDown", "fbf-02", "firing") in alerts(port), 60)
        print("# %s" % " ".join(sorted("%s(%s)" % (name, state) for name, _, state in alerts(port))))
        lab.element_up("fbf-02")
        wait_for("its end", lambda: not any(a[0] == "AutofbfElementDown" for a in alerts(port)), 60)


lib.end()
