# SPDX-License-Identifier: BSD-3-Clause
"""FRR in the lab: the configuration of every node's daemons, and questions to those that run."""
import json
import os
import pathlib
import pwd
import socket

from labplan import LabError

FRR = pathlib.Path("/usr/lib/frr")
DAEMONS = ("zebra", "bfdd", "bgpd")
ROUTER_AS, CORE_AS = 65000, 64900


# ---- FRR configuration ---------------------------------------------------------------------------

def frr_head(run, daemon):
    return ["hostname %s" % run.name, "log file %s/%s.log informational" % (run, daemon),
            "log timestamp precision 6"]


def bgp_head(asn, router_id):
    return ["router bgp %d" % asn, " bgp router-id %s" % router_id, " bgp log-neighbor-changes",
            " bgp graceful-restart-disable", " no bgp ebgp-requires-policy",
            " no bgp default ipv4-unicast", " no bgp network import-check", " timers bgp 3 9"]


def bgp_neighbor(address, asn, description, bfd=True):
    return [" neighbor %s remote-as %d" % (address, asn),
            " neighbor %s description %s" % (address, description),
            " neighbor %s timers connect 1" % address,
            " neighbor %s advertisement-interval 0" % address] + \
        ([" neighbor %s bfd profile fast" % address] if bfd else [])


def nat_list(plan, version, word):
    """Every NAT pool of the profile: an element may announce by mistake what is another's."""
    pools = plan.nat_pools("ipv%d" % version)
    return ["%s prefix-list NAT-%d permit %s" % (word, version, pool) for pool in pools] or \
        ["%s prefix-list NAT-%d deny any" % (word, version)]


def prefix_lists(plan):
    lines = []
    for version, word, default in ((4, "ip", "0.0.0.0/0"), (6, "ipv6", "::/0")):
        lines.append("%s prefix-list DEFAULT-%d seq 5 permit %s" % (word, version, default))
        lines.append("%s prefix-list NONE-%d seq 5 deny any" % (word, version))
        for i, pool in enumerate(plan.pools_of(version)):
            lines.append("%s prefix-list POOLS-%d seq %d permit %s" % (word, version, 5 + i, pool))
        for edge in plan.edges:
            lines += ["%s prefix-list EDGE%d-%d permit %s" % (word, edge.number, version, pool)
                      for pool in edge.announced("ipv%d" % version)]
        lines += nat_list(plan, version, word)
        lines += ["route-map HAVE-DEFAULT-%d permit 10" % version,
                  " match %s address prefix-list DEFAULT-%d" % (word, version)]
    return lines + ["route-map FLOOR permit 10", " set metric 1000"]


def address_family(family, networks, per_neighbor):
    version = int(family[3])
    lines = [" address-family %s unicast" % family] + ["  network %s" % network for network in networks]
    for address, statements in per_neighbor:
        lines.append("  neighbor %s activate" % address)
        lines += ["  neighbor %s %s" % (address, s.format(v=version)) for s in statements]
    return lines + [" exit-address-family"]


# Inside, the router announces the pools and wants a default; outside it is the other way round.
# The element's default inside exists only while it hears one outside: it vanishes with that leg.
ROUTER_POLICY = {"inside": ("prefix-list DEFAULT-{v} in", "prefix-list POOLS-{v} out"),
                 "outside": ("prefix-list POOLS-{v} in", "prefix-list NONE-{v} out",
                             "default-originate")}
ELEMENT_POLICY = {"inside": ("prefix-list POOLS-{v} in", "prefix-list NONE-{v} out",
                             "default-originate route-map HAVE-DEFAULT-{v}"),
                  "outside": ("prefix-list DEFAULT-{v} in", "prefix-list POOLS-{v} out",
                              "route-map FLOOR out")}


# Where subscribers are translated the element announces its NAT pools outside and nothing else; the
# router hears what its import policy (a route-map that labrouter writes) accepts.
NAT_POLICY = ("prefix-list DEFAULT-{v} in", "prefix-list NAT-{v} out")


def import_policy(element, family):
    return "%s-import-v%s" % (element.id, family[3])


def router_policy(element, side, family):
    """soft-reconfiguration: bgpd without graceful restart never answers a route refresh, so what was
    received before the policy was there must be kept."""
    if side == "outside" and element.nat[family]:
        return ("route-map %s in" % import_policy(element, family), "soft-reconfiguration inbound") + \
            ROUTER_POLICY[side][1:]
    return ROUTER_POLICY[side]


def element_policy(element, side, family):
    return NAT_POLICY if side == "outside" and element.nat[family] else ELEMENT_POLICY[side]


def core_policy(edge, family):
    """The core hears the edge's pools, as the policy wants them that looks at its signal routes."""
    policy = edge.export.get(family)
    return ("prefix-list NONE-{v} in", "prefix-list EDGE%d-{v} out" % edge.number) + \
        (("route-map %s out" % policy,) if policy else ())


def router_neighbors(element):
    return [line for link in element.links for family, _, peer, _ in link.peers
            for line in bgp_neighbor(peer, element.asn, "%s-%s-%s" % (element.id, link.side, family))]


def router_policies(elements, family):
    """For address_family()."""
    return [(peer, router_policy(e, link.side, family)) for e in elements for link in e.links
            for f, _, peer, _ in link.peers if f == family]


def router_bgpd(plan, run):
    lines = frr_head(run, "bgpd") + bgp_head(ROUTER_AS, "10.255.255.1")
    known = [e for e in plan.elements if e.id not in plan.spares]
    for e in known:
        lines += router_neighbors(e)
    for edge in plan.edges:
        for family, (_, core) in edge.server_link.items():
            lines += bgp_neighbor(core, CORE_AS + edge.number, "%s-%s" % (edge.server, family), False)
    for family in ("ipv4", "ipv6"):
        supernets = [supernet for edge in plan.edges for supernet in edge.supernets_of(family)]
        lines += address_family(family, plan.pools_of(int(family[3])) + supernets, router_policies(known, family) + [
            (edge.server_link[family][1], core_policy(edge, family)) for edge in plan.edges])
    lines += [" bmp targets agent", "  bmp monitor ipv4 unicast post-policy",
              "  bmp monitor ipv6 unicast post-policy", "  bmp stats interval 5000",
              "  bmp connect 127.0.0.1 port %d min-retry 100 max-retry 1000" % plan.bmp_port, " exit"]
    return lines + ["exit"] + prefix_lists(plan)


def element_bgpd(plan, element, run):
    lines = frr_head(run, "bgpd") + bgp_head(element.asn, "10.255.0.%d" % element.number)
    for link in element.links:
        for family, router, _, _ in link.peers:
            lines += bgp_neighbor(router, ROUTER_AS, "router-%s-%s" % (link.side, family))
    for family in ("ipv4", "ipv6"):
        own = [str(pool.network) for pool in element.nat[family]]
        lines += address_family(family, plan.pools_of(int(family[3])) + own, [
            (router, element_policy(element, link.side, family)) for link in element.links
            for f, router, _, _ in link.peers if f == family])
    return lines + ["exit"] + prefix_lists(plan)


def core_bgpd(edge, run):
    lines = frr_head(run, "bgpd") + bgp_head(CORE_AS + edge.number, edge.server_link["ipv4"][1])
    for family, (router, _) in edge.server_link.items():
        lines += bgp_neighbor(router, ROUTER_AS, "router-%s" % family, False)
        lines += [" address-family %s unicast" % family, "  neighbor %s activate" % router,
                  " exit-address-family"]
    return lines + ["exit"]


def zebra(plan, run, is_router):
    """The router's kernel has the routes of NAT pools that BGP has learned, and no others of BGP's."""
    lines = frr_head(run, "zebra")
    if not is_router or not plan.has_nat:
        return lines
    for version, word in ((4, "ip"), (6, "ipv6")):
        lines += nat_list(plan, version, word) + [
            "route-map NAT-%d permit 10" % version, " match %s address prefix-list NAT-%d" % (word, version),
            "exit", "%s protocol bgp route-map NAT-%d" % (word, version)]
    return lines


def bfdd(run, interval):
    return frr_head(run, "bfdd") + ["bfd", " profile fast", "  transmit-interval %d" % interval,
                                    "  receive-interval %d" % interval, "  detect-multiplier 3"]


# ---- talking to FRR ------------------------------------------------------------------------------

def converse(path, commands, timeout=2.0):
    """Commands to a daemon's vty socket; an answer ends with three zero bytes and a status. Yields
    each of them."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(timeout)
        sock.connect(str(path))
        for line in ("enable", *commands):
            sock.sendall(line.encode() + b"\0")
            answer = b""
            while answer[-4:-1] != b"\0\0\0":
                data = sock.recv(65536)
                if not data:
                    raise OSError("%s closed" % path)
                answer += data
            yield line, answer[:-4].decode()


def vty(path, *commands):
    """The last command's answer."""
    *_, (_, answer) = converse(path, commands)
    return answer


def configure(path, *lines):
    """What is well with bgpd has no answer."""
    for line, answer in converse(path, ("configure terminal", *lines)):
        if answer.strip():
            raise LabError("bgpd: %s: %s" % (line.strip(), answer.strip()))


def add_sessions(frr_dir, element):
    """Shut down until all is said: an address family that comes late ends a session that is up."""
    peers = [peer for link in element.links for _, _, peer, _ in link.peers]
    lines = ["router bgp %d" % ROUTER_AS]
    for peer in peers:
        lines += ["neighbor %s remote-as %d" % (peer, element.asn), "neighbor %s shutdown" % peer]
    lines += router_neighbors(element)
    for family in ("ipv4", "ipv6"):
        lines += address_family(family, [], router_policies([element], family))
    configure(frr_dir / "router/bgpd.vty", *lines, *["no neighbor %s shutdown" % peer for peer in peers])


def remove_sessions(frr_dir, element):
    configure(frr_dir / "router/bgpd.vty", "router bgp %d" % ROUTER_AS,
              *["no neighbor %s" % peer for link in element.links for _, _, peer, _ in link.peers])


def session_states(frr_dir):
    """{peer address: (bgp state, bfd status)} as the router's daemons see it."""
    try:
        bgp = json.loads(vty(frr_dir / "router/bgpd.vty", "show bgp neighbors json"))
        bfd = json.loads(vty(frr_dir / "router/bfdd.vty", "show bfd peers json"))
    except (OSError, ValueError):
        return {}
    status = {peer["peer"]: peer["status"] for peer in bfd}
    return {address: (peer.get("bgpState"), status.get(address, "none"))
            for address, peer in bgp.items() if isinstance(peer, dict)}


def learned_routes(frr_dir):
    """Prefixes of both families that some peer of the router announces."""
    try:
        tables = [json.loads(vty(frr_dir / "router/bgpd.vty", "show bgp %s unicast json" % family))
                  for family in ("ipv4", "ipv6")]
    except (OSError, ValueError):
        return set()
    return {prefix for table in tables for prefix, paths in table.get("routes", {}).items()
            if any(path.get("peerId") != "(unspec)" for path in paths)}


def all_up(plan, states):
    return all(states.get(peer) == ("Established", "up") for *_, peer in plan.sessions())


def give_to_frr(directory):
    user = pwd.getpwnam("frr")
    for path in [directory] + list(directory.iterdir()):
        os.chown(path, user.pw_uid, user.pw_gid)
        path.chmod(0o755 if path.is_dir() else 0o640)


def daemon_command(run_dir, daemon, bgpd_options):
    argv = [str(FRR / daemon), "-d", "-f", "%s/%s.conf" % (run_dir, daemon),
            "-i", "%s/%s.pid" % (run_dir, daemon), "-z", "%s/zserv.api" % run_dir,
            "--vty_socket", str(run_dir), "-A", "127.0.0.1", "-P", "0", "-u", "frr", "-g", "frr"]
    if daemon == "bfdd":
        argv += ["--bfdctl", "%s/bfdd.sock" % run_dir]
    return argv + (bgpd_options if daemon == "bgpd" else [])
