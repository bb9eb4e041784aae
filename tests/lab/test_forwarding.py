#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The lab itself, without an agent: the static base forwards, each element its share, and what an
element's death costs when nobody moves anything."""
import json
import subprocess
import time

import lib
from lib import Failed, expect


def base_owners(lab):
    """address -> element of the base layout, as the static configuration was made from it."""
    done = subprocess.run([lib.BUILD / "autofbf", "layout", "--profile", lab.profile, "--json"],
                          text=True, capture_output=True, env=lab.env(), check=True)
    return lib.Owners(json.loads(done.stdout))


@lib.case("the static base forwards: every element its own subscribers, nobody loses", without_agent=True)
def base_forwards(lab):
    owner = base_owners(lab)
    lab.start_traffic()
    time.sleep(2)
    rows = lab.stop_traffic()
    lab.check_void()
    expect("lost packets", sum(int(row["lost"]) for row in rows), 0)
    sent = {}
    for row in rows:
        element = owner(row["subscriber"])
        sent[element] = sent.get(element, 0) + int(row["sent"])
    for element in lab.elements:
        seen = lab.forwarded(element)
        expect("%s, packets in both directions" % element, (seen["up"], seen["down"]),
               (sent[element], sent[element]))
        expect("%s, refused" % element, (seen["invalid"], seen["unsolicited"]), (0, 0))


@lib.case("an element dies and nobody moves anything: exactly its subscribers lose",
          touches=("fbf-02",), without_agent=True)
def black_hole(lab):
    owner = base_owners(lab)
    lab.start_traffic()
    time.sleep(1)
    lab.fail("fbf-02")
    time.sleep(1)
    lab.restore("fbf-02")
    lab.wait_sessions()
    sums = lib.lost_by_owner(lab.stop_traffic(), owner)
    lab.check_void("fbf-02")
    for element, (_, sent, lost, gap) in sums.items():
        if element != "fbf-02":
            expect("lost by subscribers of " + element, lost, 0)
        elif not (0 < lost < sent and gap > 500):
            raise Failed("subscribers of fbf-02 lost %d of %d, longest gap %.0f ms" % (lost, sent, gap))


@lib.case("an unlisted subscriber is dropped and counted, not let through", without_agent=True)
def unlisted(lab):
    static = (lab.dir / "static.xml").read_text()
    unit = "<prefix-list-item><name>10.64.0.0/26</name></prefix-list-item>"
    if static.count(unit) != 1:
        raise Failed("10.64.0.0/26 is not one base unit")
    (lab.dir / "hole.xml").write_text(static.replace(unit, ""))
    lab.check_invariants()  # from here on the configuration has the hole that we make
    lab.ctl("static", "set", lab.dir / "hole.xml")
    lib.wait_for("the filters have the hole", lambda: lab.numbers()["submitted"] ==
                 lab.numbers()["forwarded"] == "2")
    (lab.dir / "list").write_text("10.64.0.5\n10.64.0.70\n")
    out = lab.lab("exec", "client", lab.build / "probe", "send", "--to", "198.51.100.10", "--list",
                  lab.dir / "list", "--rate", 100, "--duration", 1)
    lost = {line.split(",")[0]: line.split(",")[4] for line in out.splitlines()[1:]}
    expect("lost of 50 each", lost, {"10.64.0.5": "50", "10.64.0.70": "0"})
    counted = [line.split()[2] for line in lab.ctl("counters").splitlines()
               if line.startswith("cgn-inside-v4 cgn-subscribers ")]
    expect("counted by the discard term", counted, ["50"])


lib.end()
