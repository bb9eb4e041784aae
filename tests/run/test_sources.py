#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each source alone, and rubbish on each: events get through, the rest is counted."""
import socket

import lib
from lib import case, expect, sim, wait_for


def moved(lab):
    return wait_for("fbf-02 owns nothing",
                    lambda: all(c["fbf-02"] == 0 for c in lab.effective().values()))


def source(lab, name):
    return next(s for s in lab.status()["source"] if s["name"] == name)


for only in ("bmp", "syslog", "poll"):
    @case("only %s: a failure is found" % only)
    def _(only=only):
        overrides = {"poll-interval": 300 if only == "poll" else 600000}
        for source in ("bmp", "syslog"):
            if source != only:
                overrides[source + "/enabled"] = False
        with sim(overrides=overrides) as lab:
            lab.element_down("fbf-02")
            moved(lab)


@case("rubbish on BMP and syslog is counted, the sources keep working")
def _():
    with sim() as lab:
        for payload in (b"\x00" * 64, b"\x03\xff\xff\xff\xff\x03", b"GET / HTTP/1.0\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", lab.ports["bmp"])) as s:
                s.sendall(payload)
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for payload in (b"", b"<", b"\xff" * 2000, b"<999999999>1 - - - - - -"):
            udp.sendto(payload, ("127.0.0.1", lab.ports["syslog"]))
        udp.close()
        wait_for("counted", lambda: int(source(lab, "bmp")["errors"]) >= 2)
        lab.element_down("fbf-02")
        moved(lab)


lib.end()
