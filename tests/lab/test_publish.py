#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""SNMP during a failover with real packets: the numbers of the status, the router's counters, a trap."""
import sys

import lib
from lib import TOP, case, expect, wait_for

sys.path.insert(1, str(TOP / "tests" / "run"))
import publishlib  # noqa: E402
from publishlib import SIDES, compare_with_status, number, text_index, value_of, wait_trap  # noqa: E402


def sent(rows, element, side="inside"):
    """Packets from the router to the element, by SNMP."""
    return number(value_of(rows, "autofbfLoadSentPackets", *text_index(element), SIDES[side]))


@case("a failover by SNMP: numbers of the status, counters of dead and living, raised and cleared",
      touches=("fbf-02",))
def _(lab):
    publisher = publishlib.Publisher(lab)
    try:
        publisher.start_snmptrapd()
        publisher.start_snmpd()
        publisher.start_publish()
        publisher.wait_served()
        lab.start_traffic(0)
        rows, status = publishlib.walk_of_status(publisher)
        compare_with_status(publisher, rows, status)
        lab.fail("fbf-02")
        wait_for("fbf-02 is out", lambda: lab.effective()["ipv4"]["fbf-02"] == 0)
        lab.settle()
        varbinds, _ = wait_trap(publisher, "autofbfAlarmRaised", Type="element-down", Key="cgn/fbf-02")
        print("# %s: %s" % (varbinds["autofbfAlarmRemedy"], varbinds["autofbfAlarmCause"]))
        rows, status = publishlib.walk_of_status(publisher)
        print("# %d numbers are the same" % compare_with_status(publisher, rows, status))
        first = dict(publisher.walk("autofbfLoadTable"))
        wait_for("more packets to fbf-01",
                 lambda: sent(dict(publisher.walk("autofbfLoadTable")), "fbf-01") > sent(first, "fbf-01") + 1000)
        later = dict(publisher.walk("autofbfLoadTable"))
        grown = {e: sent(later, e) - sent(first, e) for e in lab.elements}
        print("# packets to the elements meanwhile: %s" % grown)
        if grown["fbf-02"] > grown["fbf-01"] / 100:
            raise lib.Failed("the dead element still gets packets: %s" % grown)
        lab.restore("fbf-02")
        wait_for("fbf-02 is back", lambda: lab.effective()["ipv4"]["fbf-02"] == 256, 90)
        wait_trap(publisher, "autofbfAlarmCleared", Type="element-down", Key="cgn/fbf-02")
        lab.stop_traffic(0)
        expect("exit code", publisher.stop("publish"), 0)
    finally:
        publisher.close()


lib.end()
