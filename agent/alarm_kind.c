/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The types of alarms: how bad, how long before it counts, what it means, what to do.
 *
 * Critical: traffic is or may be lost now, or nobody can act. Major: it is carried, but a failure
 * more would hurt, or somebody has to find out why. Minor: a safety net is missing, or something
 * was forgotten. Delays keep what ends by itself within seconds from waking anybody; autofbf(1) has
 * the same list for people, and a test compares the two.
 */
#include "alarm.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

const char *const alarm_severity_names[ALARM_SEVERITIES] = { "cleared", "minor", "major",
	"critical" };

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };
enum { LULL = 20 * SECOND }; /* what comes back within it has not ended */
enum { READINGS = 2 };       /* polls: one figure alone begins or ends nothing */

static const struct alarm_kind kinds[ALARM_TYPES] = {
	[ALARM_DOWN_ELEMENT_OWNS_UNITS] = { "down-element-owns-units", ALARM_CRITICAL, 3 * SECOND,
	    0, 0, 0, "The router still sends units to an element that is out of service.",
	    "autofbf status tells what holds the edits back, autofbf diff which they are; when a "
	    "guard does and what it saw is true: autofbf thaw GROUP" },
	[ALARM_COMMIT_PENDING] = { "commit-pending", ALARM_MAJOR, 2 * SECOND, 0, ALARM_CRITICAL,
	    5 * SECOND, "Edits are wanted and the router has not confirmed them.",
	    "autofbf sessions tells at which stage it waits; look on the router for who commits or "
	    "holds the ephemeral instance" },
	[ALARM_COMMIT_FAILED] = { "commit-failed", ALARM_CRITICAL, 0, 0, 0, 0,
	    "The router refused the last edits. They are tried again when the wish changes or "
	    "after 30 s.",
	    "autofbf events --kind commit has the router's answer; when its cause is gone: autofbf "
	    "audit now" },
	[ALARM_DATABASE_FULL] = { "database-full", ALARM_CRITICAL, 0, 0, 0, 0,
	    "The router's ephemeral database takes no more. Nothing is tried again by itself.",
	    "make room in the ephemeral database, then: autofbf audit now" },
	[ALARM_GUARD_ENGAGED] = { "guard-engaged", ALARM_CRITICAL, 0, 0, 0, 0,
	    "A guard holds the layout: nobody is left, most of the group was lost at once, or the "
	    "router restarted; or NAT pool routes that most lost together are not believed.",
	    "autofbf status GROUP tells why and what ends it; with nobody left: bring an element "
	    "back, thaw does nothing; otherwise, when what it saw is true: autofbf thaw GROUP" },
	[ALARM_BELOW_MIN_ALIVE] = { "below-min-alive", ALARM_CRITICAL, 0, 0, 0, 0,
	    "Fewer elements are healthy than min-alive; the failed route moves the path to "
	    "another router.",
	    "bring elements back: autofbf status GROUP" },
	[ALARM_AGENT_BLIND] = { "agent-blind", ALARM_MINOR, 10 * SECOND, 0, ALARM_CRITICAL, MINUTE,
	    "A NETCONF session with the router is lost: a failure cannot be acted on.",
	    "autofbf sessions has the last error; look after the way to the router, its keys and "
	    "its limit of sessions" },
	[ALARM_CAPACITY_EXCEEDED] = { "capacity-exceeded", ALARM_CRITICAL, 0, LULL, 0, 0,
	    "An element carries more than its capacity, by units.",
	    "bring elements back (autofbf status GROUP) or draw traffic to the other path: autofbf "
	    "path alter on GROUP" },
	[ALARM_CAPACITY_NEAR] = { "capacity-near", ALARM_MAJOR, 0, LULL, 0, 0,
	    "An element carries more than 80 % of its capacity, by units.",
	    "bring elements back (autofbf status GROUP), or plan for more of them: autofbf profile "
	    "add-element" },
	[ALARM_ELEMENT_DOWN] = { "element-down", ALARM_MAJOR, 0, 2 * SECOND, 0, 0,
	    "An element is out of service; the others carry its units.",
	    "autofbf events ELEMENT tells what was seen, autofbf sessions ELEMENT how it looks "
	    "now" },
	[ALARM_DRIFT_REPAIRED] = { "drift-repaired", ALARM_MAJOR, 0, 0, 0, 0,
	    "The last audit found lists that somebody else had changed, and had them repaired.",
	    "find who writes the ephemeral instance: autofbf events --kind drift" },
	[ALARM_TWO_WRITERS] = { "two-writers", ALARM_MAJOR, 0, 0, 0, 0,
	    "The same repair was needed three times in a row; that entry is left alone.",
	    "find who else writes it, then: autofbf audit now" },
	[ALARM_DAMPED] = { "damped", ALARM_MAJOR, 0, MINUTE, 0, 0,
	    "An element failed so often that it is kept out for longer.",
	    "autofbf events ELEMENT; to keep it out while it is repaired: autofbf element offline "
	    "ELEMENT" },
	[ALARM_NAT_POOL_MISSING] = { "nat-pool-missing", ALARM_MAJOR, 0, 0, 0, 0,
	    "A route of an element's NAT pool is not active on the router: answers do not reach "
	    "the element.",
	    "autofbf status ELEMENT names the pool; look after what the element announces "
	    "outside, and after the import policy" },
	[ALARM_NAT_POOL_STOLEN] = { "nat-pool-stolen", ALARM_MAJOR, 0, 0, 0, 0,
	    "The route of an element's NAT pool leads elsewhere: answers do not reach the element.",
	    "autofbf status ELEMENT names the pool and where it leads; find who announces it and "
	    "why the import policy takes it, or the static route" },
	[ALARM_NAT_BLOCKS_EXCEEDED] = { "nat-blocks-exceeded", ALARM_CRITICAL, 0, LULL, 0, 0,
	    "The hosts that an element carries need more than 95 % of its port blocks: new ones "
	    "get none.",
	    "bring elements back (autofbf status GROUP), or give the element a larger pool: "
	    "autofbf nat ELEMENT" },
	[ALARM_NAT_BLOCKS_NEAR] = { "nat-blocks-near", ALARM_MAJOR, 0, LULL, 0, 0,
	    "The hosts that an element carries need more than 80 % of its port blocks.",
	    "bring elements back (autofbf status GROUP), or plan for a larger pool: autofbf nat "
	    "ELEMENT" },
	[ALARM_SILENT_ELEMENT] = { "silent-element", ALARM_MAJOR, 0, LULL, 0, 0,
	    "Packets are sent into an element and hardly any come back, although BGP and BFD are "
	    "up.",
	    "autofbf kpi ELEMENT shows both directions; to take it out: autofbf element offline "
	    "ELEMENT",
	    READINGS },
	[ALARM_DRAINED_STILL_CARRYING] = { "drained-still-carrying", ALARM_MAJOR, MINUTE, LULL, 0,
	    0, "An element that owns no units carries traffic.",
	    "do not work on it yet: autofbf kpi ELEMENT, autofbf diff; look for routes that lead "
	    "to it past the filters",
	    READINGS },
	[ALARM_TRAFFIC_NOT_MOVED] = { "traffic-not-moved", ALARM_MAJOR, 0, 0, 0, 0,
	    "A commit moved units, and the counters do not show it.",
	    "autofbf kpi GROUP; look whether the filters of router-config are applied to all "
	    "interfaces" },
	[ALARM_UNLISTED_SUBSCRIBERS] = { "unlisted-subscribers", ALARM_MAJOR, MINUTE, 0, 0, 0,
	    "Packets of subscribers that no list names are dropped.",
	    "autofbf kpi GROUP counts them; compare the pools of the profile with the addresses "
	    "in use: autofbf layout" },
	[ALARM_FEW_ROUTES] = { "few-routes", ALARM_MAJOR, LULL, LULL, 0, 0,
	    "An element in service has fewer active routes than required-routes: it may swallow "
	    "what it gets.",
	    "autofbf sessions ELEMENT counts them; look after what the element announces, and "
	    "after the import policy; to take it out: autofbf element offline ELEMENT",
	    READINGS, READINGS },
	[ALARM_UNPROTECTED_SESSION] = { "unprotected-session", ALARM_MINOR, MINUTE, 0, 0, 0,
	    "A BGP session is up without its BFD: a silent death would cost BGP's hold time.",
	    "autofbf sessions ELEMENT; configure BFD on the element, or bfd ignore in the "
	    "profile" },
	[ALARM_SLOW_BFD] = { "slow-bfd", ALARM_MINOR, MINUTE, LULL, 0, 0,
	    "A BFD session notices a death later than 1.5 times what is configured.",
	    "autofbf sessions ELEMENT; after an adaptation, on the router: clear bfd adaptation; "
	    "or the element's own timers are slower: change them, or set bfd-detection-time",
	    READINGS },
	[ALARM_LONG_HOLD_DOWN] = { "long-hold-down", ALARM_MINOR, 10 * MINUTE, 0, 0, 0,
	    "An element that is up has been kept out for more than ten minutes.",
	    "autofbf status ELEMENT tells what it waits for; one that awaits you: autofbf element "
	    "online ELEMENT" },
	[ALARM_FORCED_LONG] = { "forced-long", ALARM_MINOR, 8 * HOUR, 0, 0, 0,
	    "An element has been offline by an operator for more than eight hours.",
	    "when it was forgotten: autofbf element online ELEMENT" },
	[ALARM_FROZEN_LONG] = { "frozen-long", ALARM_MINOR, HOUR, 0, 0, 0,
	    "A group has been frozen by an operator for more than an hour: nothing is acted on.",
	    "when it was forgotten: autofbf thaw GROUP" },
	[ALARM_ALTERED_LONG] = { "altered-long", ALARM_MINOR, 24 * HOUR, 0, 0, 0,
	    "A group's path has been altered by an operator for more than a day.",
	    "when it was forgotten: autofbf path alter off GROUP" },
	[ALARM_SHARE_OFF] = { "share-off", ALARM_MINOR, 5 * MINUTE, MINUTE, 0, 0,
	    "An element's traffic is more than 30 % off its share.",
	    "autofbf kpi GROUP; smaller units or other weights even it out: autofbf profile "
	    "reweight",
	    READINGS },
	[ALARM_SOURCE_STALE] = { "source-stale", ALARM_MINOR, 30 * SECOND, 0, 0, 0,
	    "A source of health has told nothing for three poll intervals, is not connected, or "
	    "did not tell of a session that changed.",
	    "autofbf sessions; BMP: is the station configured on the router, for all groups; "
	    "syslog: does the router send daemon.info here, is it allowed, is 'set protocols bgp "
	    "log-updown' there (the alarm ends with the next change that is told, or a restart "
	    "of the agent); poll: does it answer its operational commands; nat-routes: may the "
	    "agent's login class show routes, is the table there" },
	[ALARM_BASE_DRIFT] = { "base-drift", ALARM_MINOR, 10 * MINUTE, 0, 0, 0,
	    "The router's static base lists are not the profile's; overrides cover it until the "
	    "router restarts.",
	    "commit the base on the router: autofbf router-config --profile FILE --format set" },
	[ALARM_FAILED_ROUTE_MISSING] = { "failed-route-missing", ALARM_CRITICAL, 3 * SECOND, 0, 0,
	    0,
	    "The failed route is wanted and not installed: the path still leads here although too "
	    "few are left.",
	    "autofbf status tells what holds the edits back; by hand: the route of autofbf "
	    "router-config" },
	[ALARM_PROFILE_REFUSED] = { "profile-refused", ALARM_MINOR, 0, 0, 0, 0,
	    "The agent was told to read its profile's file again and did not take it: another "
	    "profile runs than a restart would.",
	    "mend the file and reload, or autofbf profile apply FILE" },
};

const struct alarm_kind *
alarm_kind(enum alarm_type type)
{
	if (type < 1 || type >= ALARM_TYPES)
		fatal("alarm type %d does not exist", (int)type);
	return &kinds[type];
}

static const char *
name_of(const struct alarm *alarm, const char *word, size_t size)
{
	if (size == strlen("ELEMENT") && strncmp(word, "ELEMENT", size) == 0)
		return alarm->element;
	if (size == strlen("GROUP") && strncmp(word, "GROUP", size) == 0)
		return alarm->group;
	return NULL;
}

char *
alarm_remedy(const struct alarm *alarm)
{
	const char *from = alarm_kind(alarm->type)->remedy;
	char *text = xstrdup("");

	while (*from) {
		size_t size = strcspn(from, " ;,:)"), gap = strspn(from + size, " ;,:)");
		const char *name = name_of(alarm, from, size);

		xappendf(&text, "%.*s%.*s", name ? (int)strlen(name) : (int)size,
		    name ? name : from, (int)gap, from + size);
		from += size + gap;
	}
	return text;
}
