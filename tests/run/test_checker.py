#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The invariant checker must see planted faults, each by its name, and nothing where nothing is.

A journal is made of a small static configuration (tests/fixtures/checker/static.xml: elements a and
b, units a b a b in both families) and edits of its text, as labrouter would write it.
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

TOP = pathlib.Path(__file__).resolve().parents[2]
CHECKER = TOP / "tools/lab/check-invariants"
STATIC = (TOP / "tests/fixtures/checker/static.xml").read_text()
SENTINEL4 = "<prefix-list-item><name>192.0.2.255/32</name></prefix-list-item>"
failed = 0


def item(prefix):
    return "<prefix-list-item><name>%s</name></prefix-list-item>" % prefix


def body(name):
    """A list's own text, which is what edits work on."""
    return re.search(r"<prefix-list><name>%s</name>.*?</prefix-list>" % name, STATIC, re.S).group(0)


def with_list(text, name, edit):
    old = re.search(r"<prefix-list><name>%s</name>.*?</prefix-list>" % name, text, re.S).group(0)
    new = edit(old)
    assert new != old, "the edit of %s changes nothing" % name
    return text.replace(old, new)


def add(text, name, *prefixes):
    return with_list(text, name, lambda old: old.replace(
        "</prefix-list>", "".join(map(item, prefixes)) + "</prefix-list>"))


def drop(text, name, prefix):
    return with_list(text, name, lambda old: old.replace(item(prefix), ""))


def swap(text, old, new, count=1):
    assert old in text, "%s is not there" % old
    return text.replace(old, new, count)


def in_filter(text, name, edit):
    old = re.search(r"<filter><name>%s</name>.*?</filter>\s*(?=<filter>|</inet)" % name, text, re.S).group(0)
    new = edit(old)
    assert new != old, "the edit of %s changes nothing" % name
    return text.replace(old, new)


def term(text, name):
    return re.search(r"<term><name>%s</name>.*?</term>" % name, text, re.S).group(0)


# Element a is dead: its units (the first and third of each family) are b's for the moment.
MOVED = add(add(STATIC, "b-ovr-v4", "10.64.0.0/26", "10.64.0.128/26"), "b-ovr-v6",
            "2001:db8:64::/58", "2001:db8:64:80::/58")


# Half of a's first unit, in two pieces, is b's.
PIECES = add(STATIC, "b-ovr-v4", "10.64.0.0/28", "10.64.0.48/28")
ROUTE4 = ("<static><route><name>192.0.2.128/32</name><discard/><no-install/><no-readvertise/></route>"
          "</static>")
ROUTE6 = ("<rib><name>inet6.0</name><static><route><name>2001:db8:dead::80/128</name><discard/>"
          "<no-install/><no-readvertise/></route></static></rib>")


def signal_route(text, route=ROUTE4):
    return swap(text, "<routing-options>", "<routing-options>" + route)


OWN_ROUTE = signal_route(STATIC, "<static><route><name>0.0.0.0/0</name><discard/></route></static>")


def two_groups():
    """A second group: elements c and d, the same pools, interfaces of its own."""
    other = STATIC
    for old, new in (("a", "c"), ("b", "d")):
        other = re.sub(r"\b%s-(in|out|base|ovr)\b" % old, r"%s-\1" % new, other)
        other = other.replace("<name>%s</name>" % old, "<name>%s</name>" % new)
    other = re.sub(r"\bg-(inside|outside|subscribers)", r"h-\1", other)
    other = other.replace("<name>c0</name>", "<name>c1</name>").replace("<name>s0</name>", "<name>s1</name>")
    first, second = ElementTree.fromstring(STATIC), ElementTree.fromstring(other)
    for path in ("interfaces", "policy-options", "firewall/family/inet", "firewall/family/inet6",
                 "routing-instances"):
        where = "/".join("{*}" + name for name in path.split("/"))
        mine = {ElementTree.tostring(child) for child in first.find(where)}
        first.find(where).extend(
            child for child in second.find(where) if ElementTree.tostring(child) not in mine)
    ElementTree.register_namespace("", "http://xml.juniper.net/xnm/1.1/xnm")
    text = ElementTree.tostring(first, "unicode")
    return re.sub(r">\s+<", "><", text).replace("</filter><", "</filter>\n<")


def pool(element, *prefixes):
    """The import policy of an element with NAT pools."""
    routes = "".join("<route-filter><address>%s</address><exact/></route-filter>" % p for p in prefixes)
    return ("<policy-statement><name>%s-import-v4</name><term><name>pools</name><from>%s</from><then><accept/>"
            "</then></term><term><name>rest</name><then><reject/></then></term></policy-statement>" % (
                element, routes))


def nat(discard="203.0.113.0/24", a=("203.0.113.0/25",), b=("203.0.113.128/26", "203.0.113.192/26")):
    """The IPv4 subscribers are translated: no outside filter, import policies, a discard route."""
    text = STATIC.replace("<filter-name>g-outside-v4</filter-name>", "")
    text = in_filter(text, "g-outside-v4", lambda f: "")
    text = swap(text, "<policy-options>", "<policy-options>" + pool("a", *a) + pool("b", *b))
    return signal_route(text, "<static><route><name>%s</name><discard/></route></static>" % discard)


NAT = nat()


class Journal:
    def __init__(self, directory):
        self.dir = pathlib.Path(directory)
        self.seq = 0

    def step(self, merged, static=STATIC, event="commit", seq=None):
        self.seq = seq or self.seq + 1
        names = {"merged": "%06d.xml" % self.seq, "static": "%06d.static.xml" % self.seq}
        (self.dir / names["merged"]).write_text(merged)
        (self.dir / names["static"]).write_text(static)
        entry = {"seq": self.seq, "time_us": 0, "event": event, "session": 1, "instance": "autofbf",
                 "edits": 1, "static_hash": "0", **names}
        with open(self.dir / "index.jsonl", "a", encoding="utf-8") as index:
            index.write(json.dumps(entry) + "\n")


def result(output):
    return {line.split()[3].rstrip(":") for line in output.splitlines()
            if line.startswith("VIOLATION")}


def case(name, steps, wanted, says=""):
    """steps: [(merged, static, event)]; wanted: the kinds of violations, exactly; says: in the text."""
    global failed
    with tempfile.TemporaryDirectory() as directory:
        journal = Journal(directory)
        journal.step(STATIC, event="start")
        for merged, static, event in steps:
            journal.step(merged, static, event)
        done = subprocess.run([CHECKER, directory], text=True, capture_output=True, check=False)
    code = 1 if wanted else 0
    good = result(done.stdout) == set(wanted) and done.returncode == code and says in done.stdout
    failed += not good
    print("%s %s" % ("ok" if good else "not ok", name))
    if not good:
        print("wanted %s, exit %d; got exit %d:\n%s%s" %
              (sorted(wanted), code, done.returncode, done.stdout, done.stderr))


def merged_only(text):
    return [(text, STATIC, "commit")]


def everywhere(text, event="static-commit"):
    """The operator's own commit: static and merged say the same."""
    return [(text, text, event)]


def after_moving(name, edit):
    """A filter that the operator wrote wrong, and a's units moved to b."""
    static = in_filter(STATIC, name, edit)
    return [(static, static, "static-commit"), (in_filter(MOVED, name, edit), static, "commit")]


NO_OUTSIDE_OVERRIDE = in_filter(STATIC, "g-outside-v4", lambda f: f.replace(term(f, "b-ovr"), ""))
TWO_GROUPS = two_groups()
CASES = [
    ("nothing wrong: base, moved, base again",
     [(MOVED, STATIC, "commit"), (STATIC, STATIC, "commit")], []),
    ("nothing wrong: reboot empties the overrides", [(MOVED, STATIC, "commit"),
                                                     (STATIC, STATIC, "reboot")], []),
    ("nothing wrong: the operator commits another base",
     everywhere(add(drop(STATIC, "a-base-v4", "10.64.0.0/26"), "b-base-v4", "10.64.0.0/26")), []),
    ("nothing wrong: half a unit is moved", merged_only(add(STATIC, "b-ovr-v4", "10.64.0.0/27")), []),
    ("nothing wrong: a unit in four pieces, two of them elsewhere", merged_only(PIECES), []),
    ("nothing wrong: pieces of an IPv6 unit", merged_only(add(
        STATIC, "b-ovr-v6", "2001:db8:64::/60", "2001:db8:64:30::/60")), []),
    ("nothing wrong: split, merged again, whole", [
        (PIECES, STATIC, "commit"), (MOVED, STATIC, "commit"), (STATIC, STATIC, "commit")], []),
    ("nothing wrong: pieces without a base under them", [
        (add(add(drop(STATIC, "a-base-v4", "10.64.0.0/26"), "b-ovr-v4", "10.64.0.0/27"), "a-ovr-v4",
             "10.64.0.32/27"), drop(STATIC, "a-base-v4", "10.64.0.0/26"), "static-commit")], []),
    ("a piece is missing without a base under it", [
        (add(add(drop(STATIC, "a-base-v4", "10.64.0.0/26"), "b-ovr-v4", "10.64.0.0/28"), "a-ovr-v4",
             "10.64.0.32/27"), drop(STATIC, "a-base-v4", "10.64.0.0/26"), "static-commit")],
     ["no-owner"], "10.64.0.16-10.64.0.31"),
    ("a piece of an override that holds the whole unit", merged_only(
        add(PIECES, "a-ovr-v4", "10.64.0.0/26")), ["two-owners"], "10.64.0.0-10.64.0.15"),
    ("a piece that only one side knows", [
        (NO_OUTSIDE_OVERRIDE, NO_OUTSIDE_OVERRIDE, "static-commit"),
        (add(NO_OUTSIDE_OVERRIDE, "b-ovr-v4", "10.64.0.16/28"), NO_OUTSIDE_OVERRIDE, "commit")],
     ["inside-outside"], "10.64.0.16-10.64.0.31"),
    ("nothing wrong: a signal route", merged_only(signal_route(STATIC)), []),
    ("nothing wrong: signal routes of both families, taken back later", [
        (signal_route(signal_route(MOVED, ROUTE6)), STATIC, "commit"), (MOVED, STATIC, "commit")], []),
    ("nothing wrong: a signal route beside the operator's own", [
        (signal_route(OWN_ROUTE), OWN_ROUTE, "static-commit"), (OWN_ROUTE, OWN_ROUTE, "commit")], []),
    ("nothing wrong: two groups with the same pools", [
        (TWO_GROUPS, TWO_GROUPS, "static-commit"),
        (add(TWO_GROUPS, "d-ovr-v4", "10.64.0.0/26", "10.64.0.128/27"), TWO_GROUPS, "commit")], []),
    ("two groups: an address of the second without owner", everywhere(
        drop(TWO_GROUPS, "c-base-v4", "10.64.0.0/26")), ["no-owner"], "h-inside-v4"),
    ("two groups: only the second one's outside filter is wrong", everywhere(in_filter(
        TWO_GROUPS, "h-outside-v6", lambda f: f.replace(
            term(f, "c-base"), term(f, "c-base").replace("c-out", "d-out")))), ["inside-outside"],
     "h-inside-v6 and h-outside-v6"),
    ("two groups: one has no outside filter", everywhere(TWO_GROUPS.replace(
        "<filter-name>h-outside-v4</filter-name>", "")), ["one-sided"], "h-inside-v4"),
    ("two groups: a filter sends to the other group's element", everywhere(in_filter(
        TWO_GROUPS, "g-inside-v4", lambda f: f.replace(
            term(f, "a-base"), term(f, "a-base").replace("a-in", "c-in")))), ["inside-outside"]),
    ("nothing wrong: NAT, base and moved", [
        (NAT, NAT, "static-commit"), (add(NAT, "b-ovr-v4", "10.64.0.0/26"), NAT, "commit")], []),
    ("nothing wrong: two groups, one of them with NAT", everywhere(swap(
        TWO_GROUPS.replace("<filter-name>g-outside-v4</filter-name>", ""), "<policy-options>",
        "<policy-options>" + pool("a", "203.0.113.0/25") + pool("b", "203.0.113.128/25")).replace(
            "<routing-options>", "<routing-options><static><route><name>203.0.113.0/24</name><discard/></route>"
            "</static>", 1)), []),
    ("NAT: an address without owner", everywhere(drop(NAT, "a-base-v4", "10.64.0.0/26")), ["no-owner"]),
    ("NAT: only one of the elements has pools", everywhere(NAT.replace(pool("a", "203.0.113.0/25"), "")),
     ["one-sided"]),
    ("NAT: the outside filter is still there", everywhere(swap(
        STATIC, "<policy-options>", "<policy-options>" + pool("a", "203.0.113.0/25") +
        pool("b", "203.0.113.128/25")).replace("<routing-options>", "<routing-options><static><route><name>"
                                               "203.0.113.0/24</name><discard/></route></static>", 1)),
     ["nat-steered"], "g-outside-v4"),
    ("NAT: one pool in two elements", everywhere(nat(b=("203.0.113.64/26",))), ["nat-pool"], "overlaps a pool of a"),
    ("NAT: a pool inside another element's", everywhere(nat(a=("203.0.113.0/24",), discard="203.0.112.0/22")),
     ["nat-pool"], "203.0.113.128-203.0.113.191 overlaps a pool of a"),
    ("NAT: a pool without a discard route", everywhere(nat(discard="203.0.113.0/25")), ["nat-pool"],
     "is covered by no discard route"),
    ("NAT: a pool of subscriber addresses", everywhere(nat(a=("10.64.0.0/26",), discard="0.0.0.0/1")),
     ["nat-pool"], "holds subscribers"),
    ("an address without owner (base)", everywhere(drop(STATIC, "a-base-v4", "10.64.0.0/26")),
     ["no-owner"]),
    ("an IPv6 address without owner", everywhere(drop(STATIC, "b-base-v6", "2001:db8:64:40::/58")),
     ["no-owner"]),
    ("a term that accepts subscribers before any element", everywhere(in_filter(
        STATIC, "g-inside-v4", lambda f: swap(f, "<term>", "<term><name>oops</name><from>"
                                              "<source-address><name>10.64.0.64/26</name>"
                                              "</source-address></from><then><accept/></then></term>"
                                              "<term>"))),
     ["no-owner", "inside-outside"]),
    ("the discard term and a base unit are gone", everywhere(in_filter(
        drop(STATIC, "a-base-v4", "10.64.0.0/26"), "g-inside-v4",
        lambda f: f.replace(term(f, "subscribers"), ""))),
     ["no-owner", "one-sided", "inside-outside"]),
    ("the same unit in two override lists", merged_only(add(MOVED, "a-ovr-v4", "10.64.0.0/26")),
     ["two-owners"]),
    ("a piece of a unit in two override lists", merged_only(add(MOVED, "a-ovr-v6",
                                                                "2001:db8:64:8::/61")),
     ["two-owners"]),
    ("the same unit in two base lists", everywhere(add(STATIC, "b-base-v4", "10.64.0.0/26")),
     ["two-owners"]),
    ("terms in another order outside", everywhere(in_filter(
        add(STATIC, "b-base-v4", "10.64.0.0/26"), "g-outside-v4",
        lambda f: f.replace(term(f, "a-base"), "@").replace(term(f, "b-base"), term(f, "a-base"))
        .replace("@", term(f, "b-base")))), ["two-owners", "inside-outside"]),
    ("the outside filter misses an override term", after_moving(
        "g-outside-v4", lambda f: f.replace(term(f, "b-ovr"), "")), ["inside-outside"]),
    ("an override term outside sends to the wrong element", after_moving(
        "g-outside-v6", lambda f: f.replace(
            term(f, "b-ovr"), term(f, "b-ovr").replace("b-out", "a-out"))), ["inside-outside"]),
    ("outside sends base units to the wrong element", everywhere(in_filter(
        STATIC, "g-outside-v6", lambda f: f.replace(
            term(f, "a-base"), term(f, "a-base").replace("a-out", "b-out")))), ["inside-outside"]),
    ("the inside filter uses an outside instance", everywhere(in_filter(
        STATIC, "g-inside-v4", lambda f: f.replace(
            term(f, "a-base"), term(f, "a-base").replace("a-in", "a-out")))),
     ["wrong-side", "inside-outside"]),
    ("an instance that nobody defines", everywhere(in_filter(
        STATIC, "g-inside-v4", lambda f: swap(f, "a-in", "c-in"))), ["no-instance"]),
    ("an empty override list", everywhere(with_list(
        STATIC, "a-ovr-v4", lambda old: old.replace(SENTINEL4, ""))),
     ["empty-list", "sentinel-missing"]),
    ("an override list that is not there", everywhere(STATIC.replace(body("a-ovr-v4"), "")),
     ["empty-list", "sentinel-missing"]),
    ("a list with prefixes of the other family only", everywhere(with_list(
        STATIC, "a-ovr-v4", lambda old: old.replace("192.0.2.255/32", "2001:db8:dead::/128"))),
     ["empty-list"]),
    ("the sentinel is missing in static, units hide it", [
        (add(drop(STATIC, "b-ovr-v4", "192.0.2.255/32"), "b-ovr-v4", "10.64.0.0/26"),
         drop(STATIC, "b-ovr-v4", "192.0.2.255/32"), "static-commit")], ["sentinel-missing"]),
    ("an ephemeral commit removed the sentinel", merged_only(drop(MOVED, "b-ovr-v4",
                                                                  "192.0.2.255/32")),
     ["sentinel-missing", "static-lost"]),
    ("an item with host bits", merged_only(add(STATIC, "b-ovr-v4", "10.64.0.1/26")), ["bad-prefix"]),
    ("an item that is no prefix", merged_only(add(STATIC, "b-ovr-v4", "rubbish")), ["bad-prefix"]),
    ("the static configuration changed by an ephemeral commit",
     everywhere(add(STATIC, "autofbf-local-v4", "203.0.113.0/24"), "commit"), ["static-changed"]),
    ("a static item is lost", merged_only(drop(STATIC, "autofbf-local-v4", "224.0.0.0/4")),
     ["static-lost"]),
    ("a static base unit is lost", merged_only(drop(STATIC, "a-base-v4", "10.64.0.0/26")),
     ["static-lost", "no-owner"]),
    ("a static filter is lost", merged_only(in_filter(STATIC, "g-inside-v4", lambda f: "")),
     ["static-lost", "one-sided"]),
    ("an ephemeral item in a base list", merged_only(add(STATIC, "b-base-v4", "10.64.0.0/26")),
     ["base-edited", "two-owners"]),
    ("ephemeral data outside the lists", merged_only(swap(
        STATIC, "<routing-instances>", "<routing-instances><instance><name>x</name></instance>")),
     ["foreign-edit"]),
    ("an except nobody can judge", everywhere(in_filter(
        STATIC, "g-inside-v4", lambda f: swap(f, "<name>a-ovr-v4</name>",
                                              "<name>a-ovr-v4</name><except/>"))), ["unsupported"]),
    ("a file that is no XML", merged_only("<configuration>"), ["journal"]),
]


def follow_case():
    """--follow sees a fault that comes later and says so when it is told to stop."""
    global failed
    with tempfile.TemporaryDirectory() as directory:
        journal = Journal(directory)
        follower = subprocess.Popen([CHECKER, "--follow", directory], text=True,
                                    stdout=subprocess.PIPE)
        journal.step(STATIC, event="start")
        journal.step(add(STATIC, "b-ovr-v4", "10.64.0.1/26"))
        assert "following" in follower.stdout.readline()
        first = follower.stdout.readline()
        journal.step(add(MOVED, "a-ovr-v4", "10.64.0.0/26"))
        follower.send_signal(signal.SIGTERM)
        rest = follower.communicate(timeout=30)[0]
    good = result(first) == {"bad-prefix"} and "3 steps" in rest and follower.returncode == 1 and \
        "two-owners" in result(rest)
    failed += not good
    print("%s follow: a later step, and one written just before the end" % ("ok" if good else "not ok"))
    if not good:
        print(first, rest, follower.returncode)


def hole_case():
    global failed
    with tempfile.TemporaryDirectory() as directory:
        journal = Journal(directory)
        journal.step(STATIC, event="start")
        journal.step(STATIC, seq=3)
        done = subprocess.run([CHECKER, directory], text=True, capture_output=True, check=False)
    good = result(done.stdout) == {"journal"} and done.returncode == 1
    failed += not good
    print("%s a hole in the journal" % ("ok" if good else "not ok"))


def empty_case():
    global failed
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run([CHECKER, directory], text=True, capture_output=True, check=False)
    failed += done.returncode != 2
    print("%s nothing to check is not success" % ("ok" if done.returncode == 2 else "not ok"))


def main():
    began = time.monotonic()
    for one in CASES:
        case(*one)
    follow_case()
    hole_case()
    empty_case()
    print("# %.1f s" % (time.monotonic() - began))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
