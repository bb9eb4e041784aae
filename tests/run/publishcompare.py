# SPDX-License-Identifier: BSD-3-Clause
"""Every instance of a walk against /status.json of the same picture, and the other way round. What belongs
to what is written here a second time, by the names in the MIB file; the program has a table of its own."""
import ipaddress
import json
import re
import urllib.request

from labkit import DEADLINE, Failed, wait_for
from publishlib import FAMILIES, MIB, SIDES, object_of, text_index

# Where the name of an object does not say it. An object's name without that of its table is the leaf's.
LEAVES = {
    "autofbfAgentLayoutAlgorithm": "algorithm", "autofbfAgentAuditInterval": "audit/interval",
    "autofbfRouterAuditLast": "audit/last", "autofbfRouterAuditDrift": "audit/drift",
    "autofbfRouterTwoWriters": "audit/two-writers", "autofbfRouterForeignLists": "audit/foreign-list",
    "autofbfRouterEditsAdded": "edits/added", "autofbfRouterEditsRemoved": "edits/removed",
    "autofbfRouterRepairs": "edits/repairs", "autofbfRouterLastCommitEvent": "last-commit/first-event",
    "autofbfReactionObservations": "count", "autofbfReactionBucketObservations": "count",
    "autofbfReactionTime": "sum", "autofbfAlarmsSuppressed": "alarms-suppressed",
    "autofbfAlarmsLastChange": "alarms-last-change", "autofbfLoadInterfaces": "interface",
}
PARTS = (  # beginnings of such names, in their table, and the container they stand for
    ("GroupFrozenSince", "operator-freeze/at"), ("GroupFrozen", "operator-freeze/"),
    ("GroupAlteredSince", "operator-alter/at"), ("GroupAltered", "operator-alter/"),
    ("ElementForcedSince", "forced/at"), ("ElementForced", "forced/"), ("Unlisted", "unlisted/"),
    ("LoadSent", "sent/"), ("LoadReceived", "received/"), ("RouterLastCommit", "last-commit/"),
    ("SignalPrefix", "route"), ("NatPoolPrefix", "prefix"), ("NatPoolVia", "via"),
    ("SessionAddress", "address"), ("RouterAddress", "router/address"), ("AlarmGroupId", "group"),
    ("AlarmElementId", "element"), ("Router", "router/"), ("Agent", ""))
SCALES = dict.fromkeys(("autofbfElementCapacity", "autofbfElementLoadBase", "autofbfElementLoadNow",
                        "autofbfElementLoadWorst"), 1000)
SCALES.update(dict.fromkeys(("autofbfElementFamilyWantedShare", "autofbfElementFamilyEffectiveShare"), 1000000))
OWN = {"autofbfAgentReachable", "autofbfAgentDataAge", "autofbfAgentDataTime", "autofbfAlarmsActive",
       "autofbfElementGroupId", "autofbfElementFamilyNatExpected", "autofbfElementFamilyNatActive"}


def kebab(name):
    text = re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
    return text.replace("packet-rate", "packets-per-second").replace("bit-rate", "bits-per-second")


def table_of(name):
    """"autofbfElement" of autofbfElementWeight; None: a scalar."""
    parent = MIB[name][0][:-1]
    return next((other[:-len("Entry")] for other, (oid, *_) in MIB.items() if oid == parent), None)


def leaf_of(name):
    if name in LEAVES:
        return LEAVES[name]
    short = name[len("autofbf"):]
    for begin, path in PARTS:
        if short.startswith(begin):
            return path + kebab(short[len(begin):]) if path.endswith("/") or not path else path
    return kebab(name[len(table_of(name)):])


def labels(syntax):
    return {label: int(number) for label, number in re.findall(r"(\w+)\((\d+)\)", syntax)}


def camel(text):
    return re.sub(r"-(\w)", lambda m: m.group(1).upper(), text)


def entries(state, rows):
    """(name of the table, index, subtree) of every row that the state has."""
    yield None, (0,), state
    for source in state.get("source", ()):
        yield "autofbfSource", (labels(MIB["autofbfSource"][2])[source["name"]],), source
    for group in state["group"]:
        yield "autofbfGroup", text_index(group["id"]), group
        for family in group["family"]:
            index = text_index(group["id"]) + (FAMILIES[family["family"]],)
            yield "autofbfGroupFamily", index, family
            for kind, leaf in ((1, "failed-route"), (2, "alter-route")):
                if leaf in family:
                    yield "autofbfSignal", index + (kind,), family[leaf]
        for element in group["element"]:
            yield from element_entries(element)
    stages = labels(MIB["autofbfReactionStage"][2])
    for reaction in state.get("reaction", ()):
        yield "autofbfReaction", (stages[camel(reaction["stage"])],), reaction
        for bucket in reaction.get("bucket", ()):
            yield "autofbfReactionBucket", (stages[camel(reaction["stage"])], int(bucket["up-to"])), bucket
    places = {(rows[oid], rows.get(MIB["autofbfAlarmKey"][0] + oid[-1:])): oid[-1:]
              for oid in rows if object_of(oid) == "autofbfAlarmType"}
    for alarm in state.get("alarm", ()):
        yield "autofbfAlarm", places.get((alarm["type"], alarm["key"]), (0,)), alarm


def element_entries(element):
    own = text_index(element["id"])
    yield "autofbfElement", own, element
    for load in element.get("load", ()):
        yield "autofbfLoad", own + (SIDES[load["side"]],), load
    for family in element["family"]:
        index = own + (FAMILIES[family["family"]],)
        yield "autofbfElementFamily", index, family
        for steered in family.get("steered", ()):
            yield "autofbfSteered", index + (SIDES[steered["side"]],), steered
        for peer in family["peer"]:
            yield "autofbfSession", index + (SIDES[peer["side"]],), peer
        for pool in family.get("nat-pool", ()):
            yield "autofbfNatPool", index + text_index(pool["id"]), pool


def find(node, path):
    for word in path.split("/"):
        node = node.get(word) if isinstance(node, dict) else None
    return node


def address_value(name, value):
    prefix = ipaddress.ip_network(value, strict=False)
    if name.endswith("Type"):
        return {4: 1, 6: 2}[prefix.version]
    return prefix.prefixlen if name.endswith("Length") else prefix.network_address.packed


def wanted_value(name, value):
    """What the MIB should make of a leaf."""
    syntax = MIB[name][2]
    if syntax == "InetAddress" or syntax.startswith(("InetAddressType", "InetAddressPrefixLength")):
        return address_value(name, value)
    if syntax == "TruthValue":
        return 1 if value else 2
    if syntax == "InetVersion":
        return FAMILIES[value]
    if syntax == "AutofbfVerdict":
        return {"unknown": 1, "down": 2, "up": 3}[value]
    if syntax.startswith("INTEGER"):
        return labels(syntax)[camel(value)]
    if syntax == "DateAndTime":
        return re.match(r"(\S+)T(\d+):(\d+):(\d+)\.(\d)", value).groups()
    if re.match("Counter|Gauge|Unsigned", syntax):
        return int(float(value) * SCALES.get(name, 1) + 1e-6) if name in SCALES else int(float(value))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def shown_value(name, text, wanted):
    """What the walk says, as wanted_value does."""
    if isinstance(wanted, bytes):
        return bytes.fromhex(text.strip('"').replace(" ", ""))
    if isinstance(wanted, int):
        return int(text.split()[0])
    if isinstance(wanted, tuple):
        day, hour, minute, second, tenth = re.match(r"([\d-]+),(\d+):(\d+):(\d+)\.(\d)", text).groups()
        return ("%d-%02d-%02d" % tuple(map(int, day.split("-"))), "%02d" % int(hour), "%02d" % int(minute),
                "%02d" % int(second), tenth)
    return text.strip('"').replace('\\"', '"')


def own_values(state):
    """{oid: number} of what is no leaf."""
    ret = {MIB["autofbfAgentReachable"][0] + (0,): "1",
           MIB["autofbfAlarmsActive"][0] + (0,): str(len(state.get("alarm", ())))}
    for group in state["group"]:
        for element in group["element"]:
            ret[MIB["autofbfElementGroupId"][0] + text_index(element["id"])] = group["id"]
            for family in element["family"]:
                index = text_index(element["id"]) + (FAMILIES[family["family"]],)
                pools = family.get("nat-pool", ())
                known = [pool["active"] for pool in pools if "active" in pool]
                if pools:
                    ret[MIB["autofbfElementFamilyNatExpected"][0] + index] = str(len(pools))
                if known:
                    ret[MIB["autofbfElementFamilyNatActive"][0] + index] = str(sum(known))
    return ret


NONE = {"autofbfAlarmCause": "", "autofbfAlarmRemedy": "", "autofbfAlarmGroupId": "", "autofbfAlarmElementId": "",
        "autofbfAlarmFamily": 0}


def compare(rows, state):
    """Each instance has its leaf and each leaf its instance. The number of instances of each table."""
    left = dict(rows)
    faults, counts = [], {}
    columns = {}
    for name, (_, access, _, _) in MIB.items():
        if access == "read-only" and name not in OWN:
            columns.setdefault(table_of(name), []).append(name)
    for oid, wanted in own_values(state).items():
        if left.pop(oid, "").split(" ")[0] != wanted:
            faults.append("%s: %s, wanted %s" % (oid, rows.get(oid), wanted))
    for table, index, node in entries(state, rows):
        for name in columns[table]:
            text, value = left.pop(MIB[name][0] + index, None), find(node, leaf_of(name))
            wanted = wanted_value(name, value) if value is not None else NONE.get(name) if table else None
            shown = shown_value(name, text, wanted) if text is not None and wanted is not None else text
            if shown != wanted and not (isinstance(wanted, str) and len(wanted) > 200 and wanted.startswith(shown)):
                faults.append("%s.%s: %r, wanted %r" % (name, index, shown, wanted))
            counts[table or "scalars"] = counts.get(table or "scalars", 0) + (text is not None)
    age = [oid for oid in left if object_of(oid) not in ("autofbfAgentDataAge", "autofbfAgentDataTime")]
    faults += ["%s: no leaf of the state" % (oid,) for oid in age]
    if faults:
        raise Failed("%d differences: %s" % (len(faults), "; ".join(faults[:5])))
    return counts


def same_picture(publisher, **how):
    """A walk and the state that it was made from. Needs a publisher with HTTP."""
    def same():
        with urllib.request.urlopen("http://127.0.0.1:%d/status.json" % publisher.http_port,
                                    timeout=DEADLINE) as answer:
            state = json.loads(answer.read())["autofbf:state"]
        rows = dict(publisher.walk(**how))
        taken = wanted_value("autofbfAgentDataTime", state["now"])
        shown = shown_value("autofbfAgentDataTime", rows.get(MIB["autofbfAgentDataTime"][0] + (0,), ""), taken)
        return shown == taken and (rows, state)
    return wait_for("a walk and a state of one picture", same)
