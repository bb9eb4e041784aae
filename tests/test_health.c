/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts of events for one group; the language is in health_kit.h. */
#include "health_kit.h"

/* a falls out of steady service, loses its units, and is back after a second. */
#define FALL "bmp a v4 in down\n owns a v4 no\n wait 1000\n bmp a v4 in up\n"
#define FLAPPY "group 4 bfd=ignore hold=0 quorum=0 flaps=3\n calm\n"

static const struct {
	const char *name;
	const char *text;
} scripts[] = {
	/* ---- start ---- */
	{ "a start moves nobody: owners go straight up, however young",
	    "group 4\n"
	    "set v4 -\n"
	    "calm age=1\n"
	    "set v4 abcd\n set v6 abcd\n is a v4 up\n next never" },
	{ "before the first verdict an owner is healthy, others are not",
	    "group 3\n"
	    "owns a v4 yes\n owns b v4 no\n"
	    "set v4 a\n is a v4 unknown\n verdicts v4 no\n" },
	{ "without the router's lists nobody that is up gets a verdict",
	    "group 2\n"
	    "bmp * * * up\n"
	    "wait 60000\n"
	    "is a v4 unknown\n why a v4 waiting for the router's lists\n verdicts v4 no\n"
	    "owns a * yes\n owns b * no\n"
	    "is a v4 up\n is b v4 hold-down\n verdicts v4 yes\n set v4 a" },
	{ "but a first verdict down needs no lists, and takes no sibling along",
	    "group 2\n"
	    "bmp a v4 in down\n"
	    "is a v4 down\n is a v6 unknown\n"
	    "why a v4 inside 10.0.0.2: bgp down (bmp)\n" },
	{ "a restarted agent waits for nobody whose sessions are old",
	    "group 4\n"
	    "owns * * yes\n owns a * no\n"
	    "bmp * * * up\n wait 10\n"
	    "is a v4 hold-down\n due a v4 29990\n"
	    "poll * * * bfd-up\n poll * * * up age=31\n wait 0\n"
	    "is a v4 up\n set v6 abcd" },
	{ "and the rest of the time for young ones",
	    "group 4\n"
	    "owns * * yes\n owns a * no\n"
	    "poll * * * bfd-up\n poll * * * up age=12\n wait 0\n"
	    "is a v4 hold-down\n due a v4 18000\n set v4 bcd\n"
	    "wait 17999\n set v4 bcd\n wait 1\n set v4 abcd" },
	{ "a BMP dump in any order brings nobody back early",
	    "group 4\n"
	    "owns * * yes\n owns a * no\n"
	    "bmp a * * up\n wait 0\n is a v4 hold-down\n"
	    "bmp b * * up\n bmp c * * up\n bmp d * * up\n wait 0\n"
	    "is a v4 hold-down\n set v4 bcd" },
	{ "a fresh router, nobody owns anything: nobody to wait for",
	    "group 4\n"
	    "owns * * no\n"
	    "poll * * * up age=1\n wait 0\n"
	    "set v4 abcd" },
	{ "lists that come late lift an owner out of hold-down",
	    "group 4\n"
	    "owns * * no\n owns d * yes\n bmp d * * up\n owns b * yes\n bmp b * * up\n"
	    "owns c * yes\n bmp c * * up\n"
	    "bmp a * * up\n wait 0\n is a v4 hold-down\n"
	    "owns a v4 yes\n is a v4 up\n is a v6 hold-down" },

	/* ---- one failure, many voices ---- */
	{ "BFD, BGP by syslog, BMP, poll: one failure",
	    "group 4\n calm\n"
	    "syslog a v4 in bfd-down bfd\n"
	    "is a v4 down\n is a v6 down-by-scope\n changes 2\n set v4 bcd\n set v6 bcd\n"
	    "why a v4 inside 10.0.0.2: bfd down (syslog)\n"
	    "why a v6 ipv4 failed: inside 10.0.0.2: bfd down (syslog)\n"
	    "syslog a v4 in down bfd\n bmp a v4 in down\n wait 100\n"
	    "poll a v4 in bfd-down bfd\n poll a v4 in down\n"
	    "changes 0\n peer a v4 in down down flaps=1" },
	{ "the sibling's own failure doubles nothing",
	    "group 4\n calm\n"
	    "bmp a v4 in down\n is a v6 down-by-scope\n changes 2\n"
	    "wait 160\n bmp a v4 out down\n bmp a v6 in down\n bmp a v6 out down\n"
	    "is a v6 down\n changes 1\n set v4 bcd\n set v6 bcd" },
	{ "FRR repeats Down once a second",
	    "group 4\n calm\n"
	    "bmp a * * down\n changes 3\n" /* v4, v6 by scope, v6 */
	    "wait 1000\n bmp a * * down\n wait 1000\n bmp a * * down\n changes 0\n"
	    "peer a v4 in down unknown flaps=1" },
	{ "a repeated Down that syslog's Up has overtaken is no failure",
	    "group 4 hold=0\n calm\n"
	    "bmp a * * down\n owns a * no\n wait 5000\n"
	    "syslog a * * bfd-up\n syslog a * * up\n wait 2000\n set v4 abcd\n changes 7\n"
	    "bmp a * * down\n changes 0\n bmp a * * up\n set v4 abcd\n set v6 abcd\n"
	    "bmp a v4 in down\n set v4 bcd" },
	{ "and a repeat does not forget why",
	    "group 4\n calm\n"
	    "syslog a v4 in down hold-timer\n wait 1000\n bmp a v4 in down\n"
	    "bmp a v4 in down notification-sent\n"
	    "why a v4 inside 10.0.0.2: bgp down, hold-timer (bmp)\n"
	    "bmp b v4 in down\n why b v4 bgp down (bmp)\n wait 10\n poll b v4 in down admin\n"
	    "why b v4 bgp down, admin (poll)" },
	{ "AdminDown is no failure",
	    "group 2\n calm\n"
	    "syslog a v4 in bfd-down admin\n poll a v4 out bfd-down admin\n"
	    "changes 0\n set v4 ab\n peer a v4 in up up" },
	{ "BGP dies first, BFD goes AdminDown after it: one family",
	    "group 2\n calm\n"
	    "syslog a v4 in down hold-timer\n syslog a v4 in bfd-down admin\n"
	    "changes 1\n set v4 b\n set v6 ab" },
	{ "a peer that never was up is down, and that is no flap",
	    "group 2\n owns * * yes\n"
	    "bmp a v4 in down\n is a v4 down\n peer a v4 in down unknown flaps=0" },

	/* ---- scope ---- */
	{ "explicit BGP causes take one family",
	    "group 4\n calm\n"
	    "bmp a v4 in down hold-timer\n bmp b v6 out down notification-sent\n"
	    "syslog c v4 in down notification-received\n bmp d v6 in down admin\n"
	    "set v4 bd\n set v6 ac" },
	{ "BFD and unknown causes take the element",
	    "group 4\n calm\n"
	    "bmp a v4 in down bfd\n bmp b v6 out down\n syslog c v4 in bfd-down\n"
	    "bmp d v4 in down closed\n"
	    "set v4 -\n set v6 -" },
	{ "an unknown cause without BFD is one family's",
	    "group 2 bfd=ignore\n calm\n"
	    "bmp a v4 in down\n set v4 b\n set v6 ab" },
	{ "if-present without a session, too", "group 2\n owns * * yes\n bmp * * * up\n"
	                                       "bmp a v4 in down\n set v4 b\n set v6 ab" },
	{ "required counts as having it", "group 2 bfd=required\n owns * * yes\n bmp * * * up\n"
	                                  "bmp a v4 in down\n set v4 b\n set v6 b" },
	{ "scope family", "group 2 scope=family\n calm\n"
	                  "syslog a v4 in bfd-down\n set v4 b\n set v6 ab" },
	{ "scope element", "group 2 scope=element\n calm\n"
	                   "bmp a v4 in down admin\n set v4 b\n set v6 b" },
	{ "one family only is trivial",
	    "group 2 only=v4\n calm\n"
	    "syslog a v4 in bfd-down\n set v4 b\n set v6 -\n wait 10000\n changes 1" },
	{ "BFD down right after an explicit cause widens the failure",
	    "group 2\n calm\n"
	    "bmp a v4 in down notification-sent\n set v6 ab\n"
	    "wait 40\n syslog a v4 in bfd-down bfd\n set v6 b\n is a v6 down-by-scope\n" },
	{ "much later it is another thing", "group 2\n calm\n"
	                                    "bmp a v4 in down notification-sent\n"
	                                    "wait 2000\n syslog a v4 in bfd-down bfd\n set v6 ab" },
	{ "a poll's BFD down after the BGP down widens nothing",
	    "group 2\n calm\n"
	    "bmp a v4 in down hold-timer\n"
	    "wait 40\n poll a v4 in bfd-down bfd\n set v6 ab" },
	{ "by scope with its sides up: settles, holds down, comes back alone",
	    "group 4\n calm\n"
	    "syslog a v4 in bfd-down\n owns a * no\n"
	    "next 1000\n wait 999\n is a v6 down-by-scope\n wait 1\n is a v6 hold-down\n"
	    "due a v6 29000\n wait 28999\n set v6 bcd\n wait 1\n set v6 abcd\n set v4 bcd" },
	{ "by scope does not go straight up because its units are still there",
	    "group 4\n calm\n"
	    "syslog a v4 in bfd-down\n owns a v6 yes\n wait 500\n is a v6 down-by-scope\n"
	    "wait 9499\n is a v6 hold-down\n due a v6 1\n"
	    "wait 1\n is a v6 up\n" /* but nobody moved them for ten seconds */ },
	{ "a family that flaps in hold-down leaves its serving sibling alone",
	    "group 4\n calm\n"
	    "syslog a v4 in bfd-down\n bmp a v4 in down\n owns a * no\n wait 40000\n"
	    "set v6 abcd\n"
	    "syslog a v4 in bfd-up\n bmp a v4 in up\n is a v4 hold-down\n"
	    "bmp a v4 in down\n is a v4 down\n set v6 abcd" },

	{ "nor does one that comes back as Up, Down, Up",
	    "group 4\n calm\n"
	    "syslog a v4 in bfd-down\n bmp a v4 in down\n wait 15000\n is a v6 up\n"
	    "bmp a v4 in up\n syslog a v4 in bfd-up\n is a v4 up\n"
	    "wait 1\n bmp a v4 in down\n is a v4 down\n set v6 abcd\n"
	    "wait 1000\n bmp a v4 in up\n poll a v4 in bfd-up\n is a v4 up\n wait 2000\n"
	    "bmp a v4 in down\n set v6 bcd" },

	/* ---- coming back ---- */
	{ "hold-down counts from the youngest side",
	    "group 4\n calm\n"
	    "bmp a v4 * down hold-timer\n owns a v4 no\n"
	    "wait 50000\n bmp a v4 in up\n poll a v4 * bfd-up\n is a v4 down\n"
	    "wait 7000\n bmp a v4 out up\n is a v4 hold-down\n due a v4 30000\n"
	    "wait 29999\n set v4 bcd\n wait 1\n set v4 abcd\n changes 3" },
	{ "Up, Down, Up: a flap starts hold-down again",
	    "group 4 bfd=ignore\n calm\n"
	    "bmp a v4 in down\n owns a v4 no\n wait 50000\n"
	    "bmp a v4 in up\n is a v4 hold-down\n wait 20000\n"
	    "bmp a v4 in down\n wait 1000\n bmp a v4 in up\n is a v4 hold-down\n"
	    "due a v4 30000\n wait 29999\n set v4 bcd\n wait 1\n set v4 abcd" },
	{ "a flap that only the age shows starts it again, too",
	    "group 4 bfd=ignore\n calm\n"
	    "bmp a v4 in down\n owns a v4 no\n wait 50000\n bmp a v4 in up\n wait 20000\n"
	    "poll a v4 in up age=5\n due a v4 25000\n peer a v4 in up unknown flaps=2\n"
	    "poll a v4 in up age=5\n due a v4 25000\n peer a v4 in up unknown flaps=2" },
	{ "the second family is waited for, one commit",
	    "group 4 bfd=ignore\n calm\n"
	    "bmp a * * down bfd\n owns a * no\n wait 50000\n"
	    "bmp a v4 * up\n wait 4000\n bmp a v6 * up\n"
	    "wait 29999\n set v4 bcd\n set v6 bcd\n due a v4 1\n"
	    "wait 1\n set v4 abcd\n set v6 abcd" },
	{ "but not longer than five seconds",
	    "group 4 bfd=ignore\n calm\n"
	    "bmp a * * down bfd\n owns a * no\n wait 50000\n"
	    "bmp a v4 * up\n wait 5001\n bmp a v6 * up\n wait 24999\n"
	    "set v4 abcd\n set v6 bcd\n wait 5001\n set v6 abcd" },
	{ "and not for one that is still down",
	    "group 4 bfd=ignore\n calm\n"
	    "bmp a * * down bfd\n owns a * no\n wait 50000\n bmp a v4 * up\n"
	    "wait 30000\n set v4 abcd\n set v6 bcd" },
	{ "a sibling that falls again ends the wait",
	    "group 4 bfd=ignore\n calm\n"
	    "bmp a * * down bfd\n owns a * no\n wait 50000\n"
	    "bmp a v4 * up\n wait 4000\n bmp a v6 * up\n wait 28000\n set v4 bcd\n"
	    "bmp a v6 in down\n wait 0\n set v4 abcd\n set v6 bcd" },
	{ "an element that still owns its units goes straight up",
	    "group 4 bfd=ignore\n calm\n"
	    "bmp a v4 in down hold-timer\n is a v4 down\n wait 100\n bmp a v4 in up\n"
	    "is a v4 up\n set v4 abcd" },
	{ "hold-down 0", "group 4 hold=0 bfd=ignore\n calm\n"
	                 "bmp a v4 in down hold-timer\n owns a v4 no\n wait 100\n bmp a v4 in up\n"
	                 "wait 0\n set v4 abcd" },

	/* ---- BFD ---- */
	{ "BGP up is not BFD up: where a session was seen, BFD must be up to join",
	    "group 4\n calm\n"
	    "syslog a v4 in bfd-down\n bmp a v4 in down\n owns a * no\n wait 50000\n"
	    "bmp a v4 in up\n is a v4 down\n why a v4 bfd down\n wait 3900\n"
	    "syslog a v4 in bfd-up\n is a v4 hold-down\n due a v4 30000" },
	{ "BGP alone died: its BFD must be told again, but that costs no time",
	    "group 4\n calm\n"
	    "bmp a v4 in down hold-timer\n owns a v4 no\n wait 50000\n"
	    "bmp a v4 in up\n is a v4 down\n why a v4 bfd is not up\n peer a v4 in up unknown "
	    "unprotected\n"
	    "wait 9000\n poll a v4 in bfd-up\n is a v4 hold-down\n due a v4 21000" },
	{ "required: Established with BFD never up stays up, unprotected, but may not join",
	    "group 2 bfd=required\n owns * * yes\n owns b v4 no\n bmp * * * up\n"
	    "wait 60000\n"
	    "is a v4 up\n peer a v4 in up unknown unprotected\n"
	    "is b v4 down\n why b v4 bfd is not up\n"
	    "poll b v4 * bfd-up\n wait 0\n is b v4 up\n peer b v4 in up up" },
	{ "a restarted agent does not join one whose BFD is down, whatever it hears first",
	    "group 4\n owns * * yes\n owns a v4 no\n"
	    "poll * * * up age=9999\n poll a v4 in bfd-down bfd\n wait 0\n"
	    "is a v4 down\n set v4 bcd" },
	{ "BFD down without an edge evacuates nobody",
	    "group 2\n owns * * yes\n bmp * * * up\n poll a v4 in bfd-down bfd\n"
	    "wait 60000\n set v4 ab\n peer a v4 in up down unprotected" },
	{ "a missed BFD edge is found by the poll",
	    "group 2\n calm\n wait 10000\n poll a v4 in bfd-down bfd\n set v4 b\n set v6 b" },
	{ "BFD taken away: BGP alone counts again",
	    "group 4\n calm\n"
	    "syslog a v4 in bfd-down\n owns a * no\n wait 20000\n is a v4 down\n"
	    "poll a v4 in unknown bfd\n is a v4 hold-down\n due a v4 10000\n"
	    "peer a v4 in up unknown" },
	{ "BFD administratively down does not keep anybody out",
	    "group 4\n calm\n"
	    "bmp a v4 in down hold-timer\n owns a v4 no\n wait 9000\n bmp a v4 in up\n"
	    "is a v4 down\n poll a v4 in bfd-down admin\n is a v4 hold-down" },
	{ "no BFD session while BGP is down means nothing",
	    "group 4\n calm\n"
	    "bmp a v4 in down hold-timer\n owns a v4 no\n poll a v4 in unknown bfd\n"
	    "bmp a v4 in up\n is a v4 down\n why a v4 bfd is not up" },

	/* ---- sources ---- */
	{ "BMP lost, poll still good",
	    "group 2\n calm\n bmp * * * up\n lost bmp\n changes 0\n peer a v4 in up up" },
	{ "all sources lost: the last known verdict stays",
	    "group 3\n calm\n bmp a v4 in down hold-timer\n owns a v4 no\n changes 1\n"
	    "lost bmp\n lost poll\n"
	    "is a v4 unknown\n is b v4 unknown\n set v4 bc\n set v6 abc\n verdicts v4 yes\n"
	    "wait 3600000\n set v4 bc\n"
	    "poll * * * bfd-up\n poll b v4 * up\n is b v4 up\n"
	    "poll a v4 in down\n is a v4 down\n set v4 bc" },
	{ "one side unknown, the other down: down is a fact",
	    "group 2\n calm\n lost poll\n is a v4 unknown\n bmp a v4 in down hold-timer\n"
	    "is a v4 down\n set v4 b" },
	{ "monitoring of a peer stopped (BMP reason 5) is not down",
	    "group 2\n owns * * yes\n bmp * * * up\n"
	    "bmp a v4 in unknown monitoring-stopped\n"
	    "is a v4 unknown\n set v4 ab\n bmp a v4 in up\n is a v4 up" },
	{ "a hold-down that was interrupted by silence goes on",
	    "group 4 bfd=ignore\n calm\n bmp * * * up\n lost poll\n"
	    "bmp a v4 in down hold-timer\n owns a v4 no\n wait 9000\n bmp a v4 in up\n"
	    "wait 10000\n lost bmp\n is a v4 unknown\n set v4 bcd\n wait 5000\n"
	    "bmp a v4 * up\n is a v4 hold-down\n due a v4 15000" },
	{ "an answer to an old question overrules nothing",
	    "group 2\n calm\n wait 1000\n"
	    "bmp a v4 in down hold-timer\n wait 100\n"
	    "poll a v4 in up age=5000 ago=150\n is a v4 down\n"
	    "poll a v4 in up age=5000 ago=100\n is a v4 down\n"
	    "wait 100\n bmp a v4 in up\n poll a v4 in down ago=50\n peer a v4 in up unknown "
	    "unprotected" },
	{ "a poll heals a missed Up and a missed Down",
	    "group 2 bfd=ignore\n calm\n bmp a v4 in down hold-timer\n wait 10000\n"
	    "poll a v4 in up age=8\n is a v4 up\n wait 10000\n"
	    "poll a v4 in down\n is a v4 down\n peer a v4 in down unknown flaps=2" },
	{ "a change that nobody vouched for before is no edge",
	    "group 2 bfd=ignore\n calm\n wait 1000\n bmp a v4 in unknown\n poll a v4 in unknown\n"
	    "wait 9000\n poll a v4 in down\n is a v4 down\n peer a v4 in down unknown edge=-1\n"
	    "wait 9000\n bmp a v4 in up\n wait 500\n peer a v4 in up unknown edge=500\n"
	    "bmp a v4 in down\n wait 100\n peer a v4 in down unknown edge=100" },
	{ "syslog tells edges, but vouches for three poll intervals only",
	    "group 2 bfd=ignore\n calm\n lost poll\n is a v4 unknown\n changes 4\n"
	    "syslog a v4 in down hold-timer\n is a v4 down\n set v4 b\n next 30000\n"
	    "wait 30000\n is a v4 unknown\n set v4 b\n next never" },
	{ "events of strangers, and of our peers in another instance",
	    "group 2\n owns * * yes\n"
	    "poll a v4 in down instance=OTHER\n is a v4 unknown\n"
	    "why a v4 inside seen in instance OTHER, the profile says master\n"
	    "bmp a v4 in down instance=65000:1\n syslog a v4 in down instance=OTHER\n"
	    "is a v4 unknown\n"
	    "syslog a v4 in down instance=0x7\n is a v4 down" },

	/* ---- quorum ---- */
	{ "below the quorum nobody waits, for good",
	    "group 4 bfd=ignore\n calm\n"
	    "bmp a v4 in down\n bmp b v4 in down\n owns a v4 no\n owns b v4 no\n wait 9000\n"
	    "bmp a v4 in up\n wait 0\n is a v4 hold-down\n set v4 cd\n" /* 50 % is not below */
	    "bmp c v4 in down\n wait 0\n is a v4 up\n set v4 ad\n"
	    "bmp c v4 in up\n bmp b v4 in up\n wait 0\n is a v4 up\n is b v4 hold-down" },
	{ "quorum 0: only when nobody is left",
	    "group 2 quorum=0 bfd=ignore\n calm\n"
	    "bmp a v4 in down\n owns a v4 no\n wait 9000\n bmp a v4 in up\n wait 0\n"
	    "is a v4 hold-down\n bmp b v4 in down\n wait 0\n is a v4 up\n set v4 a" },
	{ "spares without weight do not make a quorum",
	    "group 3 weights=1,1,0 bfd=ignore\n calm\n"
	    "bmp a v4 in down\n owns a v4 no\n wait 9000\n bmp a v4 in up\n wait 0\n"
	    "is a v4 hold-down\n" /* 1 of 2 is not below 50 % */
	    "bmp b v4 in down\n wait 0\n is a v4 up\n set v4 ac" },
	{ "a spare that returns waits like everybody",
	    "group 3 weights=1,1,0 bfd=ignore\n calm\n"
	    "bmp c v4 in down\n owns c v4 no\n wait 9000\n bmp c v4 in up\n wait 0\n"
	    "is c v4 hold-down\n set v4 ab" },
	{ "by scope is not called back by the quorum before it has settled",
	    "group 2 quorum=100\n calm\n"
	    "syslog a v4 in bfd-down\n owns a * no\n wait 999\n set v6 b\n wait 1\n set v6 ab" },

	/* ---- damping ---- */
	{ "three falls in ten minutes: out for a minute",
	    FLAPPY "downs a v4 0\n damped a v4 never\n" FALL "wait 100000\n set v4 abcd\n" FALL
	           "wait 100000\n set v4 abcd\n downs a v4 2\n" FALL
	           "is a v4 hold-down\n downs a v4 3\n damped a v4 60000\n due a v4 60000\n"
	           "why a v4 all sides up; damped for 60 s, down 3 times in 600 s\n"
	           "wait 59999\n set v4 bcd\n damped a v4 1\n wait 1\n set v4 abcd\n"
	           "damped a v4 never\n" },
	{ "two, and a third one too late",
	    FLAPPY FALL "wait 300000\n" FALL "wait 298001\n" FALL "wait 0\n is a v4 up\n downs a "
	                "v4 2" },
	{ "doubling with each further fall, up to the maximum",
	    "group 4 bfd=ignore hold=0 quorum=0 flaps=1 damp=600,60,150\n calm\n" FALL
	    "damped a v4 60000\n wait 65000\n is a v4 up\n" FALL
	    "damped a v4 120000\n wait 125000\n is a v4 up\n" FALL
	    "damped a v4 150000\n wait 155000\n is a v4 up\n" FALL "damped a v4 150000" },
	{ "the window counts from its return: long sentences are not forgotten while served",
	    "group 4 bfd=ignore hold=0 quorum=0 flaps=1 damp=100,300,3000\n calm\n" FALL
	    "damped a v4 300000\n wait 399000\n is a v4 up\n" FALL "damped a v4 600000" },
	{ "one window of steady service makes a clean sheet",
	    "group 4 bfd=ignore hold=0 quorum=0 flaps=2 damp=600,60,1800\n calm\n" FALL
	    "wait 5000\n" FALL
	    "damped a v4 60000\n wait 660000\n owns b v4 yes\n is a v4 up\n downs a v4 0\n" FALL
	    "wait 0\n is a v4 up\n downs a v4 1\n wait 5000\n" FALL "damped a v4 60000" },
	{ "damping counts from when all sides are up, and hold-down may be longer",
	    "group 4 bfd=ignore hold=100 quorum=0 flaps=1\n calm\n"
	    "bmp a v4 * down hold-timer\n owns a v4 no\n wait 50000\n bmp a v4 in up\n"
	    "wait 50000\n bmp a v4 out up\n damped a v4 60000\n due a v4 100000\n"
	    "wait 30000\n bmp a v4 out down\n wait 1000\n bmp a v4 out up\n downs a v4 1\n"
	    "damped a v4 60000\n wait 60000\n owns b v4 yes\n damped a v4 never\n is a v4 "
	    "hold-down\n"
	    "due a v4 40000" },
	{ "falls of one failure count once, by scope, too",
	    "group 4 hold=0 quorum=0 flaps=2\n calm\n"
	    "syslog a v4 in bfd-down\n bmp a v4 * down\n bmp a v6 in down\n downs a v4 1\n"
	    "downs a v6 1\n owns a * no\n wait 5000\n"
	    "syslog a * in bfd-up\n poll a * * bfd-up\n bmp a * * up\n wait 0\n is a v4 up\n is a "
	    "v6 "
	    "up\n"
	    "wait 5000\n syslog a v4 in bfd-down\n downs a v4 2\n downs a v6 2\n owns a * no\n"
	    "wait 1000\n damped a v6 59000\n is a v4 down" },
	{ "a family that is out already falls no deeper with its sibling",
	    "group 4 bfd=ignore hold=90 quorum=0 flaps=9\n calm\n"
	    "bmp a v6 in down hold-timer\n owns a v6 no\n wait 1000\n bmp a v6 in up\n"
	    "downs a v6 1\n bmp a v4 in down bfd\n is a v6 down-by-scope\n downs a v6 1\n"
	    "downs a v4 1" },
	{ "Up, Down, Up after a failure is one fall",
	    FLAPPY "bmp a v4 in down\n wait 1000\n bmp a v4 in up\n wait 1\n bmp a v4 in down\n"
	           "wait 1000\n bmp a v4 in up\n wait 1\n bmp a v4 in down\n downs a v4 1" },
	{ "falls in hold-down are none, nor are those of a forced element",
	    "group 4 bfd=ignore quorum=0 flaps=2\n calm\n" FALL "wait 5000\n" FALL
	    "wait 5000\n" FALL "downs a v4 1\n wait 30000\n is a v4 up\n"
	    "forced a yes\n wait 5000\n" FALL
	    "downs a v4 1\n wait 30000\n is a v4 up\n damped a v4 "
	    "never" },
	{ "off: falls are counted, nobody is damped",
	    "group 4 bfd=ignore hold=0 flaps=0\n calm\n" FALL "wait 5000\n" FALL "wait 5000\n" FALL
	    "downs a v4 3\n damped a v4 never\n wait 0\n is a v4 up" },
	{ "quorum does not cut damping short, only nobody does",
	    "group 4 bfd=ignore hold=30 flaps=1\n calm\n"
	    "bmp a v4 in down\n bmp b v4 in down\n bmp c v4 in down\n owns a v4 no\n owns b v4 no\n"
	    "owns c v4 no\n wait 1000\n bmp a v4 in up\n bmp b v4 in up\n wait 0\n set v4 d\n"
	    "damped a v4 60000\n next 60000\n wait 5000\n bmp d v4 in down\n wait 0\n "
	    "set v4 ab\n"
	    "owns d v4 no\n wait 1000\n bmp c v4 in up\n wait 0\n is c v4 hold-down\n"
	    "damped c v4 60000" },
	{ "below the quorum the end of damping is enough",
	    "group 4 bfd=ignore hold=100 flaps=1\n calm\n"
	    "bmp a v4 in down\n bmp b v4 in down\n bmp c v4 in down\n owns a v4 no\n owns b v4 no\n"
	    "wait 1000\n bmp a v4 in up\n wait 0\n next 60000\n wait 59999\n set v4 d\n wait 1\n"
	    "set v4 ad" },
	{ "who still owns its units returns at once, on parole",
	    "group 4 bfd=ignore hold=0 quorum=0 flaps=1\n calm\n"
	    "bmp a v4 in down\n bmp b v4 in down\n wait 300\n bmp a v4 in up\n bmp b v4 in up\n"
	    "set v4 abcd\n damped a v4 never\n wait 700\n"
	    "owns a v4 no\n is a v4 hold-down\n why a v4 its units were moved; damped for 60 s\n"
	    "damped a v4 59300\n set v4 bcd\n wait 59299\n set v4 bcd\n wait 1\n set v4 abcd\n"
	    "owns b v4 no\n is b v4 up" },
	{ "damped by scope with its units unmoved: in use, and says so",
	    "group 4 quorum=0 flaps=1\n calm\n"
	    "syslog a v4 in bfd-down\n wait 5000\n is a v6 hold-down\n damped a v6 55000\n"
	    "wait 4999\n is a v6 hold-down\n wait 1\n is a v6 up" },
	{ "a boot storm for the third time: everybody still owns, nobody is damped",
	    "group 3 bfd=ignore flaps=1\n calm\n"
	    "bmp * * * down\n wait 5000\n bmp * * * up\n set v4 abc\n wait 5000\n"
	    "bmp * * * down\n wait 5000\n bmp * * * up\n set v4 abc\n set v6 abc\n wait 900000\n "
	    "set v4 abc" },

	/* ---- revert manual ---- */
	{ "manual: ready, and waits for the operator",
	    "group 4 bfd=ignore quorum=0 revert=manual\n calm\n"
	    "revert a no\n bmp a * * down bfd\n owns a * no\n wait 1000\n bmp a * * up\n"
	    "awaits a v4 no\n then-awaits a v4 yes\n revert a no\n due a v4 30000\n changes 5\n"
	    "wait 30000\n is a v4 hold-down\n awaits a v4 yes\n then-awaits a v4 no\n"
	    "awaits a v6 yes\n due a v4 never\n next never\n"
	    "why a v4 `autofbf element online a`\n wait 9000000\n set v4 bcd\n changes 0\n"
	    "revert b no\n revert a yes\n set v4 abcd\n set v6 abcd\n awaits a v4 no\n"
	    "why a v4 an operator brought it back\n revert a no" },
	{ "the other family follows the operator's word",
	    "group 4 bfd=ignore quorum=0 revert=manual\n calm\n"
	    "bmp a * * down bfd\n owns a * no\n wait 1000\n bmp a v4 * up\n wait 20000\n"
	    "bmp a v6 * up\n wait 15000\n awaits a v4 yes\n awaits a v6 no\n then-awaits a v6 yes\n"
	    "revert a yes\n then-awaits a v6 no\n set v4 abcd\n set v6 bcd\n wait 15000\n set v6 "
	    "abcd\n wait 5000\n"
	    "bmp a v6 in down hold-timer\n owns a v6 no\n wait 1000\n bmp a v6 in up\n wait 30000\n"
	    "awaits a v6 yes\n set v6 bcd" },
	{ "who falls while it waits has to be ready again",
	    "group 4 bfd=ignore quorum=0 revert=manual\n calm\n" FALL
	    "wait 30000\n awaits a v4 yes\n bmp a v4 in down\n awaits a v4 no\n revert a no\n"
	    "wait 1000\n bmp a v4 in up\n revert a no\n wait 30000\n revert a yes\n set v4 abcd" },
	{ "a failure takes the operator's word away, of one family or of both",
	    "group 4 bfd=ignore quorum=0 revert=manual\n calm\n"
	    "bmp a * * down bfd\n owns a * no\n wait 1000\n bmp a v4 * up\n wait 20000\n"
	    "bmp a v6 * up\n wait 15000\n revert a yes\n set v4 abcd\n"
	    "bmp a v6 in down\n wait 1000\n bmp a v6 in up\n wait 30000\n awaits a v6 yes\n"
	    "revert a yes\n set v6 abcd\n wait 5000\n"
	    "bmp a * * down bfd\n owns a * no\n wait 1000\n bmp a v4 * up\n wait 20000\n"
	    "bmp a v6 * up\n wait 15000\n revert a yes\n set v4 abcd\n"
	    "wait 3000\n bmp a v4 in down bfd\n is a v6 down-by-scope\n wait 60000\n "
	    "set v6 bcd\n"
	    "awaits a v6 yes" },
	{ "quorum needs no operator",
	    "group 4 bfd=ignore revert=manual\n calm\n" FALL
	    "wait 60000\n set v4 bcd\n awaits a v4 yes\n bmp b v4 in down\n wait 0\n set v4 cd\n"
	    "bmp c v4 in down\n wait 0\n set v4 ad\n awaits a v4 no" },
	{ "nor does who still owns its units, or is found owning them",
	    "group 4 bfd=ignore quorum=0 revert=manual\n calm\n"
	    "bmp a v4 in down\n wait 100\n bmp a v4 in up\n set v4 abcd\n wait 5000\n" FALL
	    "wait 60000\n awaits a v4 yes\n owns a v4 yes\n set v4 abcd\n awaits a v4 no" },
	{ "a restarted agent leaves the decision, but spares need none",
	    "group 4 weights=1,1,0,1 bfd=ignore quorum=0 revert=manual\n"
	    "owns a * yes\n owns b * yes\n owns c * no\n owns d * no\n"
	    "poll * * * up age=9999\n wait 0\n set v4 abc\n awaits d v4 yes\n awaits c v4 no" },
	{ "damped first, then the operator",
	    "group 4 bfd=ignore hold=0 quorum=0 flaps=1 revert=manual\n calm\n" FALL
	    "wait 59999\n awaits a v4 no\n revert a no\n wait 1\n awaits a v4 yes\n damped a v4 "
	    "never\n"
	    "revert a yes\n set v4 abcd" },

	/* ---- required routes ---- */
	{ "fewer routes than required: may not join, and says so",
	    "group 4 bfd=ignore hold=0 quorum=0 routes=10\n calm\n" FALL
	    "peer a v4 in up unknown has=-1 lacks=0\n is a v4 hold-down\n" /* not told: no objection
	                                                                    */
	    "routes a v4 in 9\n is a v4 down\n why a v4 inside 10.0.0.2: 9 active routes, 10 "
	    "required\n"
	    "peer a v4 in up unknown has=9 lacks=1\n wait 60000\n set v4 bcd\n"
	    "routes a v4 in 10\n is a v4 hold-down\n peer a v4 in up unknown has=10 lacks=0\n"
	    "wait 0\n set v4 abcd" },
	{ "losing them takes nobody out, not even all of them",
	    "group 2 bfd=ignore routes=1\n calm\n"
	    "routes a v4 in 0\n routes a v4 out 0\n routes b v4 in 0\n routes b v4 out 0\n"
	    "peer a v4 in up unknown has=0 lacks=1\n wait 60000\n set v4 ab\n changes 0" },
	{ "who still owns its units returns without them",
	    "group 4 bfd=ignore routes=1\n calm\n"
	    "bmp a v4 in down\n wait 100\n routes a v4 out 0\n bmp a v4 in up\n is a v4 up\n"
	    "owns a v4 no\n is a v4 up" },
	{ "in hold-down it goes back to down",
	    "group 4 bfd=ignore routes=1\n calm\n" FALL
	    "wait 10000\n is a v4 hold-down\n routes a v4 out 0\n is a v4 down\n wait 25000\n"
	    "routes a v4 out 5\n wait 0\n is a v4 up" },
	{ "a new session is not told yet, and an old answer speaks of the old one",
	    "group 4 bfd=ignore quorum=0 routes=1\n calm\n routes a v4 in 0\n"
	    "peer a v4 in up unknown lacks=1\n" FALL "peer a v4 in up unknown has=-1 lacks=0\n"
	    "routes a v4 in 0 ago=1\n peer a v4 in up unknown has=-1\n"
	    "routes a v4 in 7 instance=OTHER\n peer a v4 in up unknown has=-1\n"
	    "bmp a v4 in down\n routes a v4 in 7\n peer a v4 in down unknown has=-1" },

	/* ---- the operator ---- */
	{ "forced is out in any state, and the machine runs on",
	    "group 3 bfd=ignore\n calm\n"
	    "forced a yes\n set v4 bc\n set v6 bc\n is a v4 up\n changes 0\n"
	    "bmp a v4 in down hold-timer\n is a v4 down\n bmp a v4 in up\n"
	    "forced a no\n set v4 abc" },
	{ "forced needs no verdict",
	    "group 2\n owns * * yes\n bmp b * * up\n verdicts v4 no\n forced a yes\n"
	    "verdicts v4 yes\n set v4 b" },
};

static void
test_scripts(void **state)
{
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct kit kit = { .script = scripts[i].name };
		kit_run(&kit, scripts[i].text);
	}
}

static void
test_names(void **state)
{
	for (size_t i = 0; i < HEALTH_STATE_COUNT; i++)
		assert_non_null(health_state_names[i]);
	for (size_t i = 0; i < VERDICT_COUNT; i++)
		assert_non_null(verdict_names[i]);
}

static void
test_removed_and_absent(void **state)
{
	struct profile profile;
	struct health *health;
	struct mtime now = { 0 };
	struct health_view view;
	struct event event = { .kind = EVENT_BGP_UP,
		.peer = kit_address(1, FAMILY_IPV4, SIDE_INSIDE) };

	kit_profile_init(&profile, 2);
	profile.groups[0].elements[1].removed = true;
	profile.groups[0].elements[0].family[FAMILY_IPV6].present = false;
	health = health_new(&profile, now);
	assert_false(health_feed(health, &event, now));
	assert_false(health_set_owns(health, 0, 1, FAMILY_IPV4, true, now));
	assert_false(health_is_healthy(health, 0, 1, FAMILY_IPV4));
	assert_true(health_has_verdicts(health, 0, FAMILY_IPV6));
	assert_false(health_has_verdicts(health, 0, FAMILY_IPV4));
	assert_int_equal(health_weight(&profile.groups[0].elements[1], FAMILY_IPV4), 0);
	assert_int_equal(health_weight(&profile.groups[0].elements[0], FAMILY_IPV6), 0);
	assert_int_equal(health_weight(&profile.groups[0].elements[0], FAMILY_IPV4), 1);
	health_view(health, 0, 1, FAMILY_IPV4, &view);
	assert_int_equal(view.state, HEALTH_UNKNOWN);
	health_free(health);
	health_free(NULL);
	kit_profile_done(&profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_removed_and_absent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
