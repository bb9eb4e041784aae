#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""NAT return paths on the simulator: where, and what is announced to the core."""
import json

import lib
from lib import case, expect, sim, wait_for


def where(lab, target, code=0):
    """The nat entries of the answer, by element and pool."""
    answer = json.loads(lab.cli("where", target, "--json", code=code))
    return {(n["element"], n["pool"]): n for n in answer.get("autofbf:nat", [])}


def host_of(lab, element):
    """An address that the element carries by the base layout."""
    layout = json.loads(lab.cli("layout", "--json"))
    units = layout["groups"][0]["families"][0]["units"]
    return next(u for u in units if u["base-element"] == element)["prefix"].split("/")[0]


@case("where: from public addresses to elements and hosts, and back; through a failure")
def _():
    with sim(profile="cgn-dual-stack.json") as lab:
        expect("napt", list(where(lab, "203.0.113.9")), [("fbf-01", "public")])
        expect("in words", "ask fbf-01" in lab.cli("where", "203.0.113.9"), True)
        expect("a port", where(lab, "203.0.113.131:1024")["fbf-03", "fixed"]["host"], "10.64.3.0")
        hosts = where(lab, "203.0.113.131")["fbf-03", "fixed"]
        expect("no port", (hosts["first-host"], hosts["last-host"]), ("10.64.3.0", "10.64.3.255"))

        host = host_of(lab, "fbf-03")
        block = where(lab, host)["fbf-03", "fixed"]
        public = "%s:%d" % (block["public"], block["first-port"])
        expect("and back", where(lab, public)["fbf-03", "fixed"]["host"], host)
        expect("in words", "becomes %s ports %d to %d" % (
            block["public"], block["first-port"], block["last-port"]) in lab.cli("where", host), True)
        expect("carried", "note" in where(lab, public)["fbf-03", "fixed"], False)

        lab.element_down("fbf-03")
        lab.wait_effective([None, None, 0, None])
        taker = {element for element, _ in where(lab, host)}
        expect("one other carries it", len(taker) == 1 and "fbf-03" not in taker, True)
        expect("the rule still tells who had it", where(lab, public)["fbf-03", "fixed"]["host"], host)
        note = where(lab, public)["fbf-03", "fixed"]["note"]
        expect("and who has it now", note.startswith("%s carries %s now" % (*taker, host)), True)
        lab.element_up("fbf-03")
        wait_for("it is back", lambda: ("fbf-03", "fixed") in where(lab, host))


def base_units(lab, element):
    layout = json.loads(lab.cli("layout", "--json"))["groups"][0]["families"][0]["units"]
    return [u["prefix"] for u in layout if u["base-element"] == element]


@case("plan: who would not be translated by a survivor")
def _():
    with sim(profile="cgn-dual-stack.json") as lab:
        own = base_units(lab, "fbf-03")
        expect("its rule has all", "not translated" in lab.cli("plan", "--down", "fbf-02"), False)

    def narrow(group):
        group["element"][2]["ipv4"]["nat-pool"][0]["host-prefix"] = own

    with sim(profile="cgn-dual-stack.json", change=narrow) as lab:
        answer = json.loads(lab.cli("plan", "--down", "fbf-02", "--json"))
        v4 = next(f for f in answer["autofbf:family"] if f["family"] == "ipv4")
        gains = next(float(e["gains"]) for e in v4["element"] if e["id"] == "fbf-03")
        gap = v4["untranslated-by"][0]
        expect("all that it gains", (gap["element"], gap["units"], v4["untranslated"]), ("fbf-03", gains, gains))
        expect("the first of them", gap["first"] in base_units(lab, "fbf-02"), True)
        text = " ".join(lab.cli("plan", "--down", "fbf-02").split())
        expect("in words", "%d get new public addresses, %d are not translated any more" % (
            v4["moved"] - gains, gains) in text, True)
        expect("a warning", "would not be translated by fbf-03 (first %s)" % gap["first"] in text, True)


@case("port blocks: alarms at 80 and 95 %, and what plan says of survivors")
def _():
    # fbf-02 has 8064 blocks, and 4096 hosts by the base layout, a third more when another one is out
    def busy(group):
        group["nat"]["ipv4"]["blocks-per-host"] = "1.45"

    with sim(profile="cgn-dual-stack.json", change=busy) as lab:
        answer = json.loads(lab.cli("plan", "--down", "fbf-01", "--json"))
        v4 = next(f for f in answer["autofbf:family"] if f["family"] == "ipv4")
        blocks = v4["port-blocks"][0]
        expect("before", (blocks["element"], blocks["available"], blocks["before"]), ("fbf-02", "8064", "5939"))
        expect("then", 0.95 * 8064 < int(blocks["after"]) < 8064, True)
        expect("a warning", "fbf-02 would need %s of 8064 port blocks" % blocks["after"] in
               " ".join(lab.cli("plan", "--down", "fbf-01").split()), True)
        expect("no alarm", "nat-blocks" in lab.cli("alarms", code=None), False)
        lab.element_down("fbf-01")
        wait_for("an alarm", lambda: "nat-blocks-exceeded" in lab.cli("alarms", code=None))
        state = json.loads(lab.cli("status", "fbf-02", "--json"))["autofbf:state"]["group"][0]["element"][0]
        now = next(f for f in state["family"] if f["family"] == "ipv4")["port-blocks"]
        expect("as planned", now["now"], blocks["after"])
        lab.element_up("fbf-01")
        wait_for("its end", lambda: "nat-blocks" not in lab.cli("alarms", code=None))


@case("where: what it refuses")
def _():
    with sim(profile="cgn-dual-stack.json") as lab:
        for code, target, text in (
                (2, "203.0.113.9:0", "is no port, 1 to 65535"),
                (2, "203.0.113.9:70000", "is no port, 1 to 65535"),
                (2, "203.0.113.0/26:80", "a port goes with an address"),
                (2, "[203.0.113.9]:80", "a port goes with an address"),
                (2, "10.64.0.1:80", "is in no NAT pool"),
                (2, "nonsense:80", "is not an address"),
                (1, "198.51.100.77", "is in no pool of the profile")):
            expect(target, text in lab.cli("where", target, code=code), True)


@case("router-config: what is announced to the core is the supernet, not the subscribers")
def _():
    signal = {"ipv4": {"alter-route": "192.0.2.129/32"}}
    with sim(profile="cgn-dual-stack.json", overrides={"group/signal": signal}) as lab:
        def exported(policy):
            rows = (line.split(" ", 2) for line in lab.ctl("exported", policy).splitlines())
            return {route: action for _, route, action in rows if not route.startswith("rest-")}

        expect("to the core", exported("cgn-export-outside-v4"), {"203.0.113.0/24": "accept term normal"})
        lab.cli("path", "alter", "on", "--reason", "work", "--yes")
        wait_for("a longer path", lambda: "as-path-prepend" in exported("cgn-export-outside-v4")["203.0.113.0/24"])


lib.end()
