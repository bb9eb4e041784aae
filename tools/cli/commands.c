/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be asked: one entry for each command, in the order in which help lists them. An entry
 * has the command's words, its function, its usage and help, the options that it takes beside the
 * common ones, and how many names may follow. New commands are added here and nowhere else, but for
 * a new option, which main.c has to know.
 */
#include "commands.h"

const struct command commands[] = {
	{ { "status" }, command_status, "[GROUP|ELEMENT] [--check]",
	    "who carries what, what happened last, what to do next",
	    "--check prints one line and exits 0 (ok), 1 (degraded), 2 (critical) or 3 (not\n"
	    "known: any error), for monitoring; with GROUP or ELEMENT, of that group.\n"
	    "Without it the exit code is 0 also when degraded.\n"
	    "--json prints the container state of the YANG model (RFC 7951); with --check,\n"
	    "too, and the exit code is the same.",
	    { OPTION_CHECK }, 0, 1 },
	{ { "element", "offline" }, command_element_offline,
	    "NAME... [--reason TEXT]\n  [--yes] [--force]",
	    "force-fail elements: their units move to the others",
	    "This is the predecessor's `force-failed add`. It survives a restart of the\n"
	    "agent. On a terminal it shows what will move, and asks; scripts give --yes.\n"
	    "Sessions of the units that move are lost: elements share no state.\n"
	    "Refused when nobody would be left, and while the group is frozen.\n"
	    "--force does it also when nobody healthy is left. Then nothing moves: the layout\n"
	    "that stands freezes, and the router goes on sending to the elements it sends to\n"
	    "now, these included, until one is back. What takes the traffic away then is the\n"
	    "failed signal route, if the profile has one.",
	    { OPTION_REASON, OPTION_YES, OPTION_FORCE }, 1, 1024 },
	{ { "element", "online" }, command_element_online, "NAME... [--reason TEXT] [--yes]",
	    "end element offline: what is up takes its units back",
	    "This is the predecessor's `force-failed del`. It also brings back an element\n"
	    "that is ready and awaits you (revert manual).",
	    { OPTION_REASON, OPTION_YES }, 1, 1024 },
	{ { "layout" }, command_layout, "[GROUP] [--profile FILE] [--down E[,E...]]",
	    "which element owns which unit",
	    "With --profile it is computed here from the file, without an agent; else it is\n"
	    "what the agent has. --down: as if these elements were down as well. The tables\n"
	    "count; --json has every unit, or the pieces of one that is split, with its\n"
	    "element, base and standby. With GROUP: of that group alone.",
	    { OPTION_PROFILE, OPTION_DOWN }, 0, 1 },
	{ { "plan" }, command_plan,
	    "[GROUP] [--profile FILE] [--down E[,E...]] [--up E[,E...]]\n"
	    "  [--offline E[,E...]] [--online E[,E...]] [--weight E=N]...",
	    "what a failure or a change would move and cost",
	    "Nothing is changed. --down: elements fail. --up: they are back, hold-down\n"
	    "over. --offline, --online: as `element offline` and `element online` do.\n"
	    "--weight: another weight, from a new epoch on. --profile: another profile is\n"
	    "applied. Without any: what would move by itself, for one when a freeze ends.\n"
	    "Sessions of the units that move are lost: elements share no state. Names that\n"
	    "nobody has: exit 2.",
	    { OPTION_PROFILE, OPTION_DOWN, OPTION_UP, OPTION_OFFLINE, OPTION_ONLINE,
	        OPTION_WEIGHT },
	    0, 1 },
	{ { "compare" }, command_compare, "A.json B.json [--all]",
	    "whether two routers agree, and why not",
	    "A and B: what `autofbf layout --json` printed on each, taken at the same\n"
	    "moment; - for one of them: standard input. No agent is asked. Exit 0 when\n"
	    "every unit has the same element on both; else 4, with the reasons, the\n"
	    "likeliest first, and the units that differ, as ranges: the first 20 of each\n"
	    "family, or --all.",
	    { OPTION_ALL }, 2, 2 },
	{ { "diff" }, command_diff, "", "the router's override lists against the wanted ones",
	    "Lines that have to be added (+) and removed (-). Exit 4 when there are any.", { 0 }, 0,
	    0 },
	{ { "audit", "now" }, command_audit_now, "", "read the router's lists now, compare, repair",
	    "Also the word to try again after the router's database was full, and to repair\n"
	    "lists whose repair was stopped because two write them.",
	    { 0 }, 0, 0 },
	{ { "freeze" }, command_freeze, "[GROUP] --reason TEXT",
	    "let the layout stand as it is, whatever happens",
	    "Without GROUP: all groups. Survives a restart of the agent. Failed routes\n"
	    "neither come nor go meanwhile; path alter works.",
	    { OPTION_REASON }, 0, 1 },
	{ { "thaw" }, command_thaw, "[GROUP] [--reason TEXT]",
	    "end a freeze, an operator's or a guard's",
	    "Without GROUP: all groups. NAT pool routes that were not believed are believed.\n"
	    "Not that nobody is healthy: bring an element back.",
	    { OPTION_REASON }, 0, 1 },
	{ { "path", "alter" }, command_path_alter, "on|off [GROUP] --reason TEXT [--yes]",
	    "draw the traffic to the other path: the alter route",
	    "Installs (on) or withdraws (off) the static discard route that the profile\n"
	    "names as alter-route; the router's export policies that look at it do the\n"
	    "rest. Without GROUP: all groups that have one. Survives a restart of the agent\n"
	    "and a reboot of the router. on wants a reason. On a terminal both ask;\n"
	    "scripts give --yes.",
	    { OPTION_REASON, OPTION_YES }, 1, 2 },
	{ { "where" }, command_where, "ADDRESS[:PORT]|PREFIX", "which element carries an address",
	    "A unit that is split is shown by its pieces. An address of a NAT pool leads back\n"
	    "to its element and, where the NAT is deterministic, to the inside host.\n"
	    "IPv6: [ADDRESS]:PORT.",
	    { 0 }, 1, 1 },
	{ { "trace" }, command_trace,
	    "SRC DST [GROUP]\n"
	    "  [--configuration FILE --profile FILE\n   [--ephemeral FILE] [--routes FILE]]",
	    "a packet and its answer through the router's filters",
	    "Judged from the router's own configuration as it reads it back now, static and\n"
	    "ephemeral together: which term and list, which table, which element, in both\n"
	    "directions. Exit 4 unless both cross the same living element. With subscribers\n"
	    "at both ends there are four legs. GROUP: where several groups have the\n"
	    "address.\n"
	    "--configuration: of a file (show configuration | display xml), no agent is\n"
	    "asked;\n"
	    "--ephemeral: show ephemeral-configuration; --routes: show route; all in XML.",
	    { OPTION_PROFILE, OPTION_CONFIGURATION, OPTION_EPHEMERAL, OPTION_ROUTES }, 2, 3 },
	{ { "why" }, command_why, "ADDRESS|PREFIX",
	    "who carries an address, and by which decisions",
	    "The story is worked out again from the decisions in the history, oldest first. A\n"
	    "prefix stands for its first address and lies inside one unit.",
	    { 0 }, 1, 1 },
	{ { "events" }, command_events,
	    "[NAME] [--kind K[,K...]] [--group G]\n  [--since TIME|ID] [-n N] [-f]",
	    "what was seen and decided, and why",
	    "NAME: only those about this element, group or address. --kind: health,\n"
	    "decision, commit, alarm, freeze, operator, ... --group: about a group or its\n"
	    "elements. --since: an event's number, an age (90s, 15m, 2h, 3d) or a time in\n"
	    "UTC (2026-11-30T03:04, 03:04). -n: the last N of them (default 50, with\n"
	    "--since all). The agent keeps 1000, its file events.jsonl more. -f goes on until\n"
	    "the agent ends or you do. --json: one object a line.",
	    { 'f', 'n', OPTION_KIND, OPTION_GROUP, OPTION_SINCE }, 0, 1 },
	{ { "kpi" }, command_kpi, "[GROUP|ELEMENT] [--interval SECONDS]",
	    "load by the router's counters, and reaction times",
	    "What the router sends into each element, inside (from subscribers) and outside\n"
	    "(from the Internet), and how much of it comes back out on the other side;\n"
	    "units carried, and their share against the share of the load. --interval shows\n"
	    "it again every so many seconds until interrupted.",
	    { OPTION_INTERVAL }, 0, 1 },
	{ { "nat", "plan" }, command_nat_plan, "[GROUP|ELEMENT] [--profile FILE]",
	    "which hosts each element's NAT has to know",
	    "By the base layout of the agent's profile, or of FILE without an agent: the\n"
	    "hosts that each element carries while all are well and those that it is the\n"
	    "standby of, as the fewest prefixes; what its deterministic rules leave out of\n"
	    "them; and, with blocks-per-host, its port blocks against base and the worst\n"
	    "failure.",
	    { OPTION_PROFILE }, 0, 1 },
	{ { "nat" }, command_nat, "[GROUP|ELEMENT]",
	    "NAT pools, where their routes lead, who is behind them",
	    "A line a pool, of groups with return-path nat-routes: addresses, port blocks\n"
	    "(pba, deterministic), its route, and the hosts that the element carries now,\n"
	    "by the router's lists, and after the worst single failure.",
	    { 0 }, 0, 1 },
	{ { "alarms" }, command_alarms, "[GROUP|ELEMENT] [--check]",
	    "what is wrong now, since when, and what to do",
	    "The worst first. With GROUP or ELEMENT: of that alone, and what is about none.\n"
	    "--check prints one line and exits 0 (none), 1 (minor or major), 2 (critical) or\n"
	    "3 (not known: any error); with --json, too, the list in place of the line.\n"
	    "autofbf(1) lists all types with their thresholds; events --kind alarm is the\n"
	    "past.",
	    { OPTION_CHECK }, 0, 1 },
	{ { "sessions" }, command_sessions, "[GROUP|ELEMENT]",
	    "sessions to the router, sources, BGP and BFD peers", NULL, { 0 }, 0, 1 },
	{ { "log" }, command_log, "TAG LEVEL|default",
	    "the level of one tag of the agent's log, until it ends",
	    "TAG is the word before the colon in each line of the log. LEVEL: error, warn,\n"
	    "info or debug; default: as all other tags again.",
	    { 0 }, 2, 2 },
	{ { "router-config" }, command_router_config, "--profile FILE --format xml|set",
	    "the static configuration that the router needs", NULL,
	    { OPTION_PROFILE, OPTION_FORMAT }, 0, 0 },
	{ { "profile", "add-element" }, command_profile_add_element,
	    "FILE --group G --id ID\n  [--name N] [--weight W] [--failed-weight F]\n"
	    "  [--ipv4-inside A --ipv4-outside A] [--ipv6-inside A --ipv6-outside A]\n"
	    "  [--nat-pool ID=PREFIX[,...] [--nat-kind K] [--block-size N]\n"
	    "   [--host-prefix P[,...]]]\n"
	    "  [--dry-run] [--yes]",
	    "a new element, in a new epoch of the profile's group",
	    "Writes the file; no agent is asked or told. First it shows what moves, and\n"
	    "asks; scripts give --yes. --dry-run shows the change of the file and writes\n"
	    "nothing. The weight is 1 by default. Routing instance, bfd and required-routes\n"
	    "are those that all other elements of the group have. Where return packets\n"
	    "follow NAT routes it needs --nat-pool; kind, block size and hosts\n"
	    "(deterministic) are for all of them.",
	    { OPTION_GROUP, OPTION_ID, OPTION_NAME, OPTION_WEIGHT, OPTION_FAILED_WEIGHT,
	        OPTION_PEER, OPTION_PEER + 1, OPTION_PEER + 2, OPTION_PEER_LAST, OPTION_NAT_POOL,
	        OPTION_NAT_KIND, OPTION_BLOCK_SIZE, OPTION_HOST_PREFIX, OPTION_DRY_RUN,
	        OPTION_YES },
	    1, 1 },
	{ { "profile", "remove-element" }, command_profile_remove_element,
	    "FILE ID [--dry-run] [--yes]", "an element leaves for good, in a new epoch",
	    "Its line stays in the file as a tombstone: the layout before depends on it.",
	    { OPTION_DRY_RUN, OPTION_YES }, 2, 2 },
	{ { "profile", "reweight" }, command_profile_reweight, "FILE ID W [--dry-run] [--yes]",
	    "another weight for an element, from a new epoch on", NULL,
	    { OPTION_DRY_RUN, OPTION_YES }, 3, 3 },
	{ { "profile", "replace" }, command_profile_replace,
	    "FILE OLD NEW\n  [--name N] [--weight W] [--failed-weight F]\n"
	    "  [--ipv4-inside A] [--ipv4-outside A] [--ipv6-inside A] [--ipv6-outside A]\n"
	    "  [--dry-run] [--yes]",
	    "a new element in the place of another, in one epoch",
	    "What is not given the new one has from the old one, addresses and weight\n"
	    "included. Only the old one's units move.",
	    { OPTION_NAME, OPTION_WEIGHT, OPTION_FAILED_WEIGHT, OPTION_PEER, OPTION_PEER + 1,
	        OPTION_PEER + 2, OPTION_PEER_LAST, OPTION_DRY_RUN, OPTION_YES },
	    3, 3 },
	{ { "profile", "add-pool" }, command_profile_add_pool,
	    "FILE PREFIX UNIT-LENGTH --group G\n  [--dry-run] [--yes]",
	    "a new pool of subscribers, from a new epoch on", NULL,
	    { OPTION_GROUP, OPTION_DRY_RUN, OPTION_YES }, 3, 3 },
	{ { "profile", "end-pool" }, command_profile_end_pool,
	    "FILE PREFIX UNIT-LENGTH [--group G]\n  [--dry-run] [--yes]",
	    "a pool ends with a new epoch",
	    "Its line stays in the file. --group: where several groups have that pool.",
	    { OPTION_GROUP, OPTION_DRY_RUN, OPTION_YES }, 3, 3 },
	{ { "profile", "apply" }, command_profile_apply,
	    "FILE [--reason TEXT]\n  [--dry-run] [--yes] [--force]",
	    "the agent runs another profile, without a restart",
	    "Shows what moves, asks, and has the agent check it, keep it in its own file\n"
	    "and run it: health, operators' orders and sessions stay. Refused without\n"
	    "--force: more moves than the minimum, units for an element that is not up, a\n"
	    "retirement while another element of the group is out, lists that the router\n"
	    "does not have yet, an agent's file that was edited meanwhile.",
	    { OPTION_REASON, OPTION_DRY_RUN, OPTION_YES, OPTION_FORCE }, 1, 1 },
	{ { "profile", "diff" }, command_profile_diff, "FILE [OTHER]",
	    "what moves between the base layouts of two profiles",
	    "From OTHER, by default what the agent runs now, to FILE: units that get another\n"
	    "element, and the least that could be. Exit 4 when a unit loses its element.",
	    { 0 }, 1, 2 },
	{ { "version" }, command_version, "", "the version of this program", NULL, { 0 }, 0, 0 },
};

const size_t command_count = sizeof(commands) / sizeof(commands[0]);
