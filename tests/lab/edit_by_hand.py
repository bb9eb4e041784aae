#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: edit_by_hand.py PORT KEY_FILE LIST PREFIX... -- ncclient as an operator would use it.

Opens the ephemeral instance, adds the prefixes to the list, commits, reads back, closes. Runs inside
the router's namespace.
"""
import sys

from ncclient import manager
from ncclient.xml_ import new_ele, sub_ele, to_ele

port, key, name, prefixes = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
with manager.connect(host="127.0.0.1", port=int(port), username="autofbf", key_filename=key,
                     hostkey_verify=False, allow_agent=False, look_for_keys=False,
                     device_params={"name": "junos"}) as session:
    opening = new_ele("open-configuration")
    sub_ele(opening, "ephemeral-instance").text = "autofbf"
    session.dispatch(opening)
    items = "".join("<prefix-list-item><name>%s</name></prefix-list-item>" % p for p in prefixes)
    loading = new_ele("load-configuration", {"action": "merge", "format": "xml"})
    loading.append(to_ele("<configuration><policy-options><prefix-list><name>%s</name>%s</prefix-list>"
                          "</policy-options></configuration>" % (name, items)))
    session.dispatch(loading)
    session.commit()
    back = str(session.get_config(source="candidate"))
    session.dispatch(new_ele("close-configuration"))
missing = [p for p in prefixes if p not in back]
sys.exit("not read back: %s" % " ".join(missing) if missing else 0)
