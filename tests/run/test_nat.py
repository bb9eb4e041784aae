#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""NAT return paths on the simulator: where, and what is announced to the core."""
import ipaddress
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
        expect("all pools of a prefix", sorted(where(lab, "203.0.113.0/24")), [
            ("fbf-01", "public"), ("fbf-02", "blocks"), ("fbf-03", "fixed"), ("fbf-04", "first"), ("fbf-04", "second")])
        expect("in words", lab.cli("where", "203.0.113.0/24").count("NAT pool"), 5)
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


@case("port blocks: by what the router's lists say, not by what monitor mode would like")
def _():
    def busy(group):
        group["nat"]["ipv4"]["blocks-per-host"] = "1.45"

    with sim(profile="cgn-dual-stack.json", change=busy, overrides={"mode": "monitor"}) as lab:
        lab.element_down("fbf-01")
        wait_for("it is out", lambda: lab.family_of("fbf-01", "ipv4")["healthy"] is False)
        looks = lab.counter("polls")
        wait_for("alarms had their time", lambda: lab.counter("polls") > looks + 4)
        expect("the wish is no fact", "nat-blocks" in lab.cli("alarms", code=None), False)
        place = json.loads(lab.cli("nat", "fbf-02", "--json"))["nat"][0]
        expect("hosts and blocks of the same lists", (place["hosts"], place["port-blocks"]["now"]), (4096, 5939))
        lab.element_up("fbf-01")
        wait_for("it is back", lambda: lab.family_of("fbf-01", "ipv4")["healthy"])


def collapse(prefixes):
    return [str(n) for n in ipaddress.collapse_addresses(ipaddress.ip_network(p) for p in prefixes)]


@case("nat plan: what each element is to translate, as the fewest prefixes, with and without an agent")
def _():
    with sim(profile="cgn-dual-stack.json") as lab:
        own = base_units(lab, "fbf-03")

    def reweight(group):  # units of one that has more weight come together
        group["element"][1]["weight"] = [{"epoch": 0, "weight": 5}]
        group["nat"]["ipv4"]["blocks-per-host"] = "1.5"

    with sim(profile="cgn-dual-stack.json", change=reweight) as lab:
        units = json.loads(lab.cli("layout", "--json"))["groups"][0]["families"][0]["units"]
        answer = json.loads(lab.cli("nat", "plan", "--json"))
        offline = json.loads(lab.cli("nat", "plan", "--profile", lab.profile, "--json"))
        expect("with and without an agent", answer == offline, True)
        expect("no IPv6", [f["family"] for f in answer["families"]], ["ipv4"])
        for element in answer["families"][0]["elements"]:
            for kind, leaf in (("base", "base-element"), ("standby", "standby")):
                mine = [u["prefix"] for u in units if u[leaf] == element["id"]]
                expect("%s %s" % (element["id"], kind), element[kind]["prefixes"], collapse(mine))
                expect("hosts", element[kind]["hosts"], 64 * len(mine))
            expect("rules", "lacks" in element, element["id"] == "fbf-03")
        expect("fewer than units", any(len(e["base"]["prefixes"]) * 64 < e["base"]["hosts"]
                                       for e in answer["families"][0]["elements"]), True)
        expect("all", answer["families"][0]["elements"][2]["lacks"], {"hosts": 0, "prefixes": []})
        expect("in words", "cover all of these" in lab.cli("nat", "plan", "fbf-03"), True)
        blocks = answer["families"][0]["elements"][1]["port-blocks"]
        expect("blocks", (blocks["available"], blocks["base"]), (8064, 1.5 * answer[
            "families"][0]["elements"][1]["base"]["hosts"]))
        expect("too few", "TOO FEW" in lab.cli("nat", "plan", "fbf-02"), True)
        lab.cli("nat", "plan", "nobody", code=2)
        lab.cli("nat", "nobody", code=2)

    def narrow_rule(group):
        group["element"][2]["ipv4"]["nat-pool"][0]["host-prefix"] = own

    with sim(profile="cgn-dual-stack.json", change=narrow_rule) as lab:
        fixed = json.loads(lab.cli("nat", "plan", "fbf-03", "--json"))["families"][0]["elements"]
        expect("one element", [e["id"] for e in fixed], ["fbf-03"])
        expect("what it lacks", fixed[0]["lacks"], fixed[0]["standby"])
        expect("in words", "which nobody would translate" in lab.cli("nat", "plan", "fbf-03"), True)

    def half_a_rule(group):  # of the first unit that it is the standby of
        first = ipaddress.ip_network(fixed[0]["lacks"]["prefixes"][0])
        narrow_rule(group)
        group["element"][2]["ipv4"]["nat-pool"][0]["host-prefix"].append(str(next(first.subnets(new_prefix=27))))

    with sim(profile="cgn-dual-stack.json", change=half_a_rule) as lab:
        less = json.loads(lab.cli("nat", "plan", "fbf-03", "--json"))["families"][0]["elements"][0]["lacks"]
        expect("the parts that it does not have", less["hosts"], fixed[0]["lacks"]["hosts"] - 32)
        whole = [ipaddress.ip_network(p) for p in fixed[0]["lacks"]["prefixes"]]
        rule = next(whole[0].subnets(new_prefix=27))
        expect("which", [str(n) for n in ipaddress.collapse_addresses([*whole[0].address_exclude(rule), *whole[1:]])],
               less["prefixes"])


@case("nat: pools, routes and hosts, healthy and in a failure")
def _():
    with sim(profile="cgn-dual-stack.json") as lab:
        def view(*names):
            return {p["element"]: p for p in json.loads(lab.cli("nat", *names, "--json"))["nat"]}

        wait_for("routes", lambda: all(q.get("active") for p in view().values() for q in p["pools"]))
        places = view()
        expect("elements", list(places), ["fbf-01", "fbf-02", "fbf-03", "fbf-04"])
        expect("hosts", sum(p["hosts"] for p in places.values()), 16384)
        expect("worst", all(p["hosts-worst"] > p["hosts"] for p in places.values()), True)
        pool = places["fbf-02"]["pools"][0]
        expect("blocks", (pool["kind"], pool["addresses"], pool["port-blocks"]), ("pba", 64, 8064))
        expect("needed", places["fbf-02"]["port-blocks"]["now"], 4096)
        expect("napt has none", "port-blocks" in places["fbf-01"]["pools"][0], False)
        expect("two pools", [q["id"] for q in places["fbf-04"]["pools"]], ["first", "second"])
        text = lab.cli("nat")
        expect("a line a pool and a sum", [line.split()[0] for line in text.splitlines()[1:7]],
               ["cgn"] * 4 + ["second", "sum"])
        expect("sums", text.splitlines()[6].split(), ["sum", "240", "24448", "5", "of", "5", "lead", "here", "16384"])
        expect("one", list(view("fbf-02")), ["fbf-02"])
        lab.element_down("fbf-01")
        lab.wait_effective([0, None, None, None])
        worst = places["fbf-02"]["hosts-worst"]
        wait_for("hosts", lambda: 4096 < view()["fbf-02"]["hosts"] <= worst)
        expect("its pool", "away with its outside session" in lab.cli("nat", "fbf-01"), True)
        lab.element_up("fbf-01")
    with sim() as lab:
        lab.cli("nat", code=2)


@case("nat: hosts of units of several lengths are counted, not reckoned by a mean")
def _():
    def lengths(group):
        group["pool"].append({"prefix": "10.65.0.0/23", "unit-length": 24})
        pool = group["element"][2]["ipv4"]["nat-pool"][0]
        del pool["host-prefix"]
        pool["kind"] = "pba"

    with sim(profile="cgn-dual-stack.json", change=lengths) as lab:
        units = json.loads(lab.cli("layout", "--json"))["groups"][0]["families"][0]["units"]
        for place in json.loads(lab.cli("nat", "--json"))["nat"]:
            mine = [ipaddress.ip_network(u["prefix"]) for u in units if u["base-element"] == place["element"]]
            expect(place["element"], place["hosts"], sum(n.num_addresses for n in mine))
            expect("worst", place["hosts-worst"] > place["hosts"], True)


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
