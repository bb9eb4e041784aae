#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The main job with real packets: an element dies, its units move in one commit, nobody else loses
a packet; it comes back, the base is restored in one commit."""
import time

import lib
from lib import Failed, expect

VICTIM = "fbf-02"


def moved(lab):
    """The victim has nothing, every survivor 341 or 342 units, in both families."""
    return all(units[VICTIM] == 0 and
               sorted(units[e] for e in units if e != VICTIM) == [341, 341, 342]
               for units in lab.effective().values())


def base(lab):
    return all(set(units.values()) == {256} for units in lab.effective().values())


def others_lost_nothing(rows, owner):
    sums = lib.lost_by_owner(rows, owner)
    for element, (_, _, lost, gap) in sums.items():
        if element != VICTIM:
            expect("lost by subscribers of %s (longest gap %.0f ms)" % (element, gap), lost, 0)
    return sums[VICTIM]


def fail_and_return(lab, fail, restore, worst_ms):
    """worst_ms: the victim's subscribers must be served again after that."""
    first, owner = lab.layout_ids(), lib.owners(lab)
    expect("commits before", lab.commits(), 0)
    lab.start_traffic()
    time.sleep(1)
    fail(VICTIM)
    lib.wait_for("the units have moved", lambda: moved(lab))
    lab.settle()
    time.sleep(1)
    _, sent, lost, gap = others_lost_nothing(lab.stop_traffic(), owner)
    lab.check_void(VICTIM)
    if not sent > lost or gap > worst_ms:
        raise Failed("%s's subscribers lost %d of %d, longest gap %.0f ms" % (VICTIM, lost, sent, gap))
    print("# %s: lost %d of %d, longest gap %.0f ms" % (VICTIM, lost, sent, gap))
    expect("commits for the failure", lab.commits(), 1)

    lab.start_traffic()
    restore(VICTIM)
    lib.wait_for("the base is back", lambda: base(lab), 60)
    lab.settle()
    time.sleep(0.5)
    others_lost_nothing(lab.stop_traffic(), owner)
    lab.check_void(VICTIM)
    expect("commits for the return", lab.commits(), 2)
    expect("layout ids", lab.layout_ids(), first)


@lib.case("black hole: 0/341/341/342, others lose nothing, base back, one commit each",
          touches=(VICTIM,), overrides=lib.RETURN)
def black_hole(lab):
    fail_and_return(lab, lab.fail, lab.restore, 2000)


@lib.case("both links down: the same", touches=(VICTIM,), overrides=lib.RETURN)
def links(lab):
    fail_and_return(lab, lab.links_down, lab.links_up, 2000)


@lib.case("all daemons of the element killed: the same", touches=(VICTIM,), overrides=lib.RETURN)
def daemons(lab):
    fail_and_return(lab, lab.kill_daemons, lab.start_daemons, 2000)


@lib.case("filters change 50 ms apart: moved subscribers only", touches=(VICTIM,),
          lab_options=("--skew", 50), overrides=lib.RETURN)
def skew(lab):
    fail_and_return(lab, lab.fail, lab.restore, 3000)


lib.end()
