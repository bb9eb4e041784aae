/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scripts for the guards: the language of health_kit.h, and
 *   read ok|fail [restart=S] [ago=MS]   the router was read; it restarted S seconds ago
 *   operator freeze|thaw
 *   freeze FAMILY NAME                  because FAMILY WORDS...
 *   hold FAMILY no|WORDS...             pool routes are believed, or not, because
 *   look MS|never                       ends MS|never (the guards' timer)
 *   confirmed FAMILY yes|no             that nobody is left
 *   miss ELEMENTS|*|-                   a poll has found the pools of all others, and none of these
 */
#include "health_kit.h"

#include "guard.h"

#define POOLS(count) "group 4 bfd=ignore nat=" #count "\n calm\n read ok\n"
#define NEXT_POLL "wait 10000\n "
#define MISSED(elements) \
	"miss " elements "\n" NEXT_POLL "miss " elements "\n" NEXT_POLL "miss " elements "\n"

/* Four elements, all in use, the router read once and long running. */
#define FOUR "group 4 bfd=ignore\n calm\n read ok\n freeze v4 no\n freeze v6 no\n"

static const struct {
	const char *name;
	const char *text;
} scripts[] = {
	/* ---- start ---- */
	{ "starts frozen, until every element has a verdict and the router was read",
	    "group 2 bfd=ignore\n"
	    "freeze v4 startup\n because v4 just started\n"
	    "owns * * yes\n bmp * v4 * up\n freeze v4 startup\n read ok\n"
	    "freeze v4 no\n freeze v6 startup\n bmp * v6 * up\n freeze v6 no\n ends never" },
	{ "or startup-wait is over",
	    "group 2 bfd=ignore wait=20\n"
	    "owns * * yes\n bmp a * * up\n ends 20000\n wait 19999\n freeze v4 startup\n"
	    "wait 1\n freeze v4 no\n set v4 ab" },
	{ "a family that nobody serves is never frozen",
	    "group 2 only=v4\n freeze v6 no\n wait 60000\n freeze v6 no\n freeze v4 nobody-left" },
	{ "most of a group found dead at the start: looked at before anything moves",
	    "group 4 bfd=ignore\n owns * * yes\n bmp d * * up\n bmp a v4 in down\n"
	    "wait 7000\n bmp b v4 in down\n wait 7000\n bmp c v4 in down\n freeze v4 startup\n"
	    "read ok\n freeze v4 mass-event\n look 1000\n wait 1000\n read ok\n"
	    "freeze v4 no\n set v4 d" },
	{ "found dead, but owning nothing any more: nothing to look at",
	    "group 4 bfd=ignore\n owns * * no\n owns d * yes\n bmp d * * up\n"
	    "bmp a v4 in down\n bmp b v4 in down\n bmp c v4 in down\n"
	    "read ok\n freeze v4 no\n set v4 d" },

	/* ---- single failures ---- */
	{ "one failure is acted on at once",
	    FOUR "bmp a * * down\n freeze v4 no\n freeze v6 no\n look never" },
	{ "two of four within the window are half, not more",
	    FOUR "bmp a v4 in down\n wait 4000\n bmp b v4 in down\n freeze v4 no" },
	{ "one of two is one element",
	    "group 2 bfd=ignore\n calm\n read ok\n bmp a v4 in down\n freeze v4 no" },
	{ "one that weighs more than all others, too",
	    "group 3 weights=5,1,1 bfd=ignore\n calm\n read ok\n bmp a v4 in down\n freeze v4 no\n"
	    "bmp b v4 in down\n freeze v4 mass-event" },
	{ "spares weigh nothing",
	    "group 4 weights=1,1,0,0 bfd=ignore\n calm\n read ok\n"
	    "bmp c v4 in down\n bmp d v4 in down\n bmp a v4 in down\n freeze v4 no\n"
	    "bmp b v4 in down\n freeze v4 mass-event" },
	{ "just within the window, and just not", FOUR
	    "bmp a v4 in down\n bmp b v4 in down\n wait 4999\n bmp c v4 in down\n"
	    "freeze v4 mass-event\n"
	    "bmp a v6 in down\n bmp b v6 in down\n wait 5000\n bmp c v6 in down\n freeze v6 no" },
	{ "three of four, slowly",
	    FOUR "bmp a v4 in down\n wait 5000\n bmp b v4 in down\n wait 5000\n bmp c v4 in down\n"
	         "freeze v4 no\n set v4 d" },

	/* ---- mass events ---- */
	{ "three of four within five seconds: frozen, two reads, then acted on", FOUR
	    "bmp a v4 in down\n wait 10\n bmp b v4 in down\n freeze v4 no\n wait 10\n"
	    "bmp c v4 in down\n freeze v4 mass-event\n freeze v6 no\n look 0\n"
	    "because v4 3 of 4 elements (75 % of the weight)\n"
	    "wait 200\n read ok ago=50\n freeze v4 mass-event\n look 950\n"
	    "because v4 one read confirms it\n"
	    "wait 900\n read ok\n freeze v4 mass-event\n look 50\n" /* too soon after the first */
	    "wait 50\n read ok\n freeze v4 no\n look never\n set v4 d" },
	{ "all pool routes gone at once: the router's table, not the elements, and nobody is out",
	    POOLS(2) "miss *\n" NEXT_POLL "miss *\n hold v4 no\n" NEXT_POLL
	             "miss *\n set v4 abcd\n freeze v4 no\n hold v6 no\n look never\n"
	             "hold v4 NAT pool routes of 4 of 4 elements (100 % of the weight) are gone\n"
	             "is a v4 up\n why a v4 no route outside; not believed: most are gone\n"
	             "wait 500\n miss -\n set v4 abcd\n hold v4 most NAT pool routes are back\n"
	             "why a v4 all sides up\n ends 15000\n wait 15000\n hold v4 no\n set v4 abcd" },
	{ "and however often they are read as gone, they are doubted; an operator may know better",
	    POOLS(1) MISSED(
	        "abcd") "wait 1000\n miss *\n read ok\n wait 1000\n miss *\n read ok\n"
	                "set v4 abcd\n wait 9000\n miss *\n read ok\n wait 3600000\n hold v4 of 4\n"
	                "freeze v4 no\n operator thaw\n hold v4 no\n set v4 -\n freeze v4 "
	                "nobody-left\n"
	                "confirmed v4 no\n wait 1000\n miss *\n read ok\n wait 1000\n miss *\n "
	                "read ok\n"
	                "confirmed v4 yes\n freeze v4 nobody-left\n hold v4 no" },
	{ "the pool routes of three of four are doubted, too, until the operator thaws",
	    POOLS(2) MISSED(
	        "abc") "set v4 abcd\n look never\n freeze v4 no\n"
	               "hold v4 look at the import policy and the outside table\n"
	               "operator thaw\n freeze v4 no\n hold v4 no\n set v4 d\n" NEXT_POLL
	               "miss abc\n read ok\n freeze v4 no\n hold v4 no\n set v4 d\n" NEXT_POLL
	               "miss bc\n owns a v4 no\n wait 30000\n set v4 ad" },
	{ "meanwhile the fourth dies: it is left at once, and returns after hold-down",
	    POOLS(1) MISSED(
	        "abc") "bmp d v4 in down\n set v4 abc\n freeze v4 no\n owns d v4 no\n"
	               "wait 60000\n miss abc\n hold v4 of 3 of 4\n bmp d v4 in up\n"
	               "is d v4 hold-down\n wait 29999\n set v4 abc\n wait 1\n set v4 abcd" },
	{ "one of the three dies, its routes are not known then: it is left, the others are not",
	    POOLS(1) MISSED(
	        "abc") "bmp a v4 out down\n set v4 bcd\n freeze v4 no\n owns a v4 no\n"
	               "wait 60000\n miss bc\n set v4 bcd\n hold v4 of 3 of 4\n"
	               "bmp a v4 out up\n is a v4 hold-down\n miss abc\n wait 29999\n set v4 bcd\n"
	               "wait 1\n set v4 abcd\n hold v4 of 3 of 4\n wait 60000\n set v4 abcd" },
	{ "and back at once, in hold-down: the others are lost by that as little",
	    POOLS(1)
	        MISSED("abc") "bmp a v4 in down\n set v4 bcd\n owns a v4 no\n wait 4000\n"
	                      "bmp a v4 in up\n is a v4 hold-down\n freeze v4 no\n set v4 bcd\n"
	                      "wait 5000\n bmp b v4 in down\n bmp c v4 in down\n freeze v4 no\n"
	                      "set v4 d\n hold v4 of 3 of 4" },
	{ "nor do most that are not believed take their other family along",
	    "group 4 bfd=ignore nat=1 scope=element\n calm\n read ok\n" MISSED(
	        "abc") "set v4 abcd\n hold v4 of 3 of 4\n freeze v6 no\n set v6 abcd" },
	{ "an agent that starts while two are dead and two have lost their routes: these stay",
	    "group 4 bfd=ignore nat=1\n owns * * yes\n bmp * v6 * up\n bmp a v4 in down\n"
	    "bmp b v4 out down\n bmp c v4 * up\n bmp d v4 * up\n miss abcd\n read ok\n"
	    "freeze v4 no\n owns a v4 no\n owns b v4 no\n set v4 cd\n" NEXT_POLL
	    "miss abcd\n" NEXT_POLL "miss abcd\n set v4 cd\n freeze v4 no\n"
	    "hold v4 NAT pool routes of 2 of 4 elements (50 % of the weight)\n"
	    "wait 60000\n miss abcd\n set v4 cd\n hold v4 of 2 of 4" },
	{ "but one of two who are left is one",
	    POOLS(1) "bmp a v4 in down\n wait 6000\n bmp b v4 in down\n" MISSED(
	        "d") "set v4 c\n hold v4 no" },
	{ "one that is in hold-down as the routes vanish gets its units back, too",
	    POOLS(1) "bmp a v4 in down\n owns a v4 no\n wait 60000\n miss -\n bmp a v4 in up\n"
	             "is a v4 hold-down\n" NEXT_POLL MISSED(
	                 "*") "hold v4 of 4 of 4\n is a v4 hold-down\n set v4 bcd\n"
	                      "wait 30000\n miss *\n set v4 abcd" },
	{ "and one whose routes were not read yet",
	    POOLS(1) "bmp a v4 out down\n owns a v4 no\n wait 60000\n miss -\n wait 100\n"
	             "bmp a v4 out up\n is a v4 down\n wait 9900\n " MISSED(
	                 "*") "hold v4 of 4 of 4\n is a v4 hold-down\n set v4 bcd\n"
	                      "wait 30000\n miss *\n set v4 abcd" },
	{ "not one that was without its routes long before, whatever its session did then",
	    POOLS(1)
	        MISSED("a") "owns a v4 no\n wait 60000\n bmp a v4 in down\n wait 10000\n" MISSED(
	            "*") "hold v4 of 3 of 4\n bmp a v4 in up\n is a v4 down\n wait 60000\n"
	                 "miss *\n set v4 bcd\n hold v4 of 3 of 4" },
	{ "nor one that our start has found without its routes",
	    "group 4 bfd=ignore nat=1\n owns a * no\n owns b * yes\n owns c * yes\n owns d * yes\n "
	    "bmp * * * up\n miss *\n"
	    "read ok\n freeze v4 no\n set v4 bcd\n" NEXT_POLL "miss *\n" NEXT_POLL
	    "miss *\n hold v4 of 3 of 4\n wait 60000\n set v4 bcd" },
	{ "what is not believed is no fall, neither of the first nor of the last",
	    "group 4 bfd=ignore nat=1 flaps=1 damp=600,60,600\n calm\n read ok\n miss "
	    "ab\n" NEXT_POLL "miss ab\n" NEXT_POLL
	    "miss ab\n downs a v4 1\n owns a v4 no\n wait 9000\n"
	    "miss abcd\n hold v4 of 4 of 4\n downs a v4 0\n downs b v4 0\n downs d v4 0\n"
	    "is a v4 hold-down\n wait 30000\n set v4 abcd\n bmp a v4 in down\n downs a v4 1" },
	{ "a fall by its session, and one that was believed, are",
	    "group 4 bfd=ignore nat=1 flaps=1 damp=600,60,600\n calm\n read ok\n"
	    "bmp a v4 in down\n owns a v4 no\n wait 1000\n bmp a v4 in up\n downs a v4 1\n" MISSED(
	        "abcd") "hold v4 of 4 of 4\n downs a v4 1\n downs b v4 0\n is a v4 hold-down\n"
	                "operator thaw\n downs b v4 1" },
	{ "one of the three is taken out by hand: the others stay",
	    POOLS(1)
	        MISSED("abc") "forced a yes\n set v4 bcd\n wait 60000\n miss abc\n set v4 bcd\n"
	                      "hold v4 of 3 of 4\n forced a no\n set v4 abcd" },
	{ "most sessions die meanwhile: a mass event like any other",
	    POOLS(1) MISSED(
	        "abc") "wait 60000\n bmp a v4 in down\n set v4 bcd\n freeze v4 no\n"
	               "bmp b v4 in down\n set v4 cd\n freeze v4 no\n bmp d v4 in down\n"
	               "freeze v4 mass-event\n because v4 3 of 4 elements\n look 0\n read ok\n"
	               "wait 1000\n read ok\n freeze v4 no\n set v4 c\n hold v4 of 3 of 4" },
	{ "and when they return at once, nothing was",
	    POOLS(1)
	        MISSED("abc") "bmp * v4 out down\n freeze v4 mass-event\n set v4 -\n wait 500\n"
	                      "bmp * v4 out up\n set v4 abcd\n read ok\n wait 2000\n freeze v4 "
	                      "no\n miss abc\n"
	                      "hold v4 of 3 of 4\n set v4 abcd" },
	{ "most are back: the hold ends, and what is lost then is believed",
	    POOLS(1) MISSED("abc") "wait 60000\n miss a\n hold v4 most NAT pool routes are back\n"
	                           "wait 14999\n set v4 abcd\n wait 1\n hold v4 no\n set v4 bcd\n "
	                           "freeze v4 no" },
	{ "one that is without its routes for long is out still, until they are here",
	    POOLS(1) MISSED("d") "owns d v4 no\n set v4 abc\n wait 60000\n miss d\n" MISSED(
	        "abcd") "set v4 abc\n hold v4 of 3 of 4\n wait 60000\n miss abcd\n"
	                "set v4 abc\n miss abc\n wait 30000\n set v4 abcd\n hold v4 of 3 of 4\n"
	                "miss *\n" NEXT_POLL "miss *\n" NEXT_POLL "miss *\n set v4 abcd\n"
	                "hold v4 of 4 of 4" },
	{ "who was lost a moment before is part of it, and gets its units back after hold-down",
	    POOLS(1) "miss a\n" NEXT_POLL "miss ab\n" NEXT_POLL
	             "miss ab\n set v4 bcd\n owns a v4 no\n"
	             "hold v4 no\n wait 9000\n miss abc\n hold v4 of 3 of 4\n freeze v4 no\n"
	             "is a v4 hold-down\n wait 30000\n miss abc\n set v4 abcd" },
	{ "half of them are not more than half",
	    POOLS(1) "miss ab\n" NEXT_POLL "miss ab\n" NEXT_POLL "miss ab\n freeze v4 no\n"
	             "set v4 cd" },
	{ "two are missed a poll before the two others: one event, before anything moves",
	    POOLS(1) "miss cd\n" NEXT_POLL "miss abcd\n hold v4 no\n" NEXT_POLL
	             "miss abcd\n set v4 abcd\n hold v4 NAT pool routes of 4 of 4\n" NEXT_POLL
	             "miss abcd\n set v4 abcd\n freeze v4 no" },
	{ "losses by pools are one event within a poll interval and the window",
	    "group 4 bfd=ignore nat=1\n calm\n read ok\n" /* the clock of polls is not one */
	    "pool a 0 none\n pool b 0 none\n wait 10000\n pool a 0 none\n pool b 0 none\n"
	    "wait 10000\n pool a 0 none\n pool b 0 none\n hold v4 no\n set v4 cd\n"
	    "wait 100\n pool c 0 none\n pool d 0 none\n hold v4 4 of 4\n set v4 abcd" },
	{ "one is lost as two others miss a poll: it goes when they are back for good",
	    POOLS(1) "miss a\n" NEXT_POLL "miss a\n" NEXT_POLL
	             "miss abc\n hold v4 of 3 of 4\n" NEXT_POLL
	             "miss a\n hold v4 most NAT pool routes are back\n"
	             "ends 15000\n wait 14999\n look never\n set v4 abcd\n wait 1\n hold v4 no\n"
	             "set v4 bcd\n freeze v4 no" },
	{ "sessions that fail while pools are missed somewhere else are looked at as ever",
	    POOLS(1) "miss d\n bmp a v4 in down\n bmp b v4 in down\n freeze v4 no\n"
	             "bmp c v4 in down\n freeze v4 mass-event\n look 0\n because v4 3 of 4\n"
	             "read ok\n wait 1000\n read ok\n freeze v4 no\n set v4 d" },
	{ "sessions that are back without their routes: doubted until these are here, too",
	    POOLS(1) "bmp * v4 out down\n freeze v4 mass-event\n wait 500\n bmp * v4 out up\n"
	             "hold v4 NAT pool routes of 4 of 4\n set v4 abcd\n"
	             "hold v4 were not read since their sessions ended; until most are back\n"
	             "wait 100\n miss *\n read ok\n hold v4 are gone, their sessions were up\n"
	             "wait 1000\n miss *\n read ok\n wait 900\n freeze v4 no\n set v4 "
	             "abcd\n" NEXT_POLL "miss -\n wait 15000\n hold v4 no\n set v4 abcd" },
	{ "who comes back after nobody was left waits for the poll that reads the others' routes",
	    POOLS(1) "bmp * v4 out down\n read ok\n wait 1000\n read ok\n freeze v4 nobody-left\n"
	             "wait 60000\n bmp * v4 out up\n miss bcd\n read ok\n set v4 a\n ends "
	             "15000\n" NEXT_POLL
	             "freeze v4 nobody-left\n miss -\n wait 2000\n freeze v4 no\n set v4 abcd" },
	{ "elements on one host that lose their pools are as many",
	    "group 3 bfd=ignore nat=1 domains=x,x,x\n calm\n read ok\n miss *\n" NEXT_POLL
	    "miss *\n" NEXT_POLL "miss *\n hold v4 of 3 of 3\n set v4 abc" },
	{ "after a restart of the router routes may be slower than sessions",
	    POOLS(1) "bmp * v4 out down\n read ok restart=1\n freeze v4 router-restart\n"
	             "bmp * v4 out up\n miss bcd\n" NEXT_POLL "miss bcd\n" NEXT_POLL
	             "miss bcd\n" NEXT_POLL "miss bcd\n read ok restart=32\n freeze v4 no\n"
	             "hold v4 NAT pool routes of 3 of 4\n set v4 abcd\n" NEXT_POLL
	             "miss -\n read ok restart=42\n wait 15000\n hold v4 no\n set v4 abcd" },
	{ "one element's pools are one failure",
	    "group 4 bfd=ignore nat=1\n calm\n read ok\n pool a 0 b\n wait 10000\n pool a 0 b\n"
	    "wait 10000\n pool a 0 b\n set v4 bcd\n freeze v4 no" },
	{ "an answer to an older question does not count",
	    FOUR "bmp * v4 in down\n freeze v4 mass-event\n wait 100\n"
	         "read ok ago=150\n look 0\n because v4 not looked yet\n"
	         "read ok\n wait 1000\n read ok\n freeze v4 nobody-left" },
	{ "a read that fails starts the count again, every second",
	    FOUR "bmp a v4 in down\n bmp b v4 in down\n bmp c v4 in down\n"
	         "read ok\n wait 1000\n read fail\n freeze v4 mass-event\n look 1000\n"
	         "because v4 the router could not be read\n"
	         "wait 1000\n read fail\n wait 1000\n read ok\n freeze v4 mass-event\n look 1000\n"
	         "wait 1000\n read ok\n freeze v4 no" },
	{ "all back: nothing happened",
	    FOUR "bmp a v4 in down\n bmp b v4 in down\n bmp c v4 in down\n freeze v4 mass-event\n"
	         "wait 700\n bmp a v4 in up\n bmp b v4 in up\n freeze v4 mass-event\n"
	         "bmp c v4 in up\n because v4 are back\n ends 2000\n wait 1\n"
	         "bmp c v4 in down\n wait 1000\n bmp c v4 in up\n" /* Up, Down, Up */
	         "wait 1999\n freeze v4 mass-event\n wait 1\n"
	         "freeze v4 no\n set v4 abcd\n look never" },
	{ "all but one back: the one is confirmed and acted on",
	    FOUR "bmp a v4 in down\n bmp b v4 in down\n bmp c v4 in down\n read ok\n"
	         "wait 500\n bmp a v4 in up\n bmp b v4 in up\n freeze v4 mass-event\n"
	         "wait 500\n read ok\n freeze v4 mass-event\n look 1000\n wait 1000\n read ok\n"
	         "freeze v4 no\n set v4 abd" },
	{ "another one while it is looked at: counts again",
	    FOUR "bmp a v4 in down\n bmp b v4 in down\n bmp c v4 in down\n read ok\n wait 900\n"
	         "bmp d v4 in down\n wait 100\n read ok\n freeze v4 mass-event\n look 1000\n"
	         "wait 1000\n read ok\n freeze v4 nobody-left" },
	{ "out by scope, while its own sessions are up: a contradiction, until it is back",
	    "group 4\n calm\n read ok\n"
	    "syslog a v4 in bfd-down\n syslog b v4 in bfd-down\n syslog c v4 in bfd-down\n"
	    "freeze v4 mass-event\n freeze v6 mass-event\n"
	    "read ok\n wait 900\n read ok\n because v6 contradicts\n"
	    "freeze v6 mass-event\n set v6 d\n"
	    "wait 100\n set v6 abcd\n wait 2000\n freeze v6 no\n" /* settled, and far below the
	                                                             quorum */
	    "read ok\n wait 1000\n read ok\n freeze v4 no\n set v4 d" },
	{ "acted on once, not again", FOUR
	    "bmp a v4 in down\n bmp b v4 in down\n bmp c v4 in down\n"
	    "read ok\n wait 1000\n read ok\n freeze v4 no\n wait 100\n read ok\n freeze v4 no\n"
	    "bmp a v4 in down\n freeze v4 no" },
	{ "share 75: three of four are not more",
	    "group 4 share=75 bfd=ignore\n calm\n read ok\n"
	    "bmp a v4 in down\n bmp b v4 in down\n bmp c v4 in down\n freeze v4 no\n"
	    "bmp d v4 in down\n freeze v4 mass-event" },
	{ "the operator's soft offline is no loss",
	    FOUR "forced a yes\n forced b yes\n forced c yes\n freeze v4 no\n set v4 d" },
	{ "who takes the lost ones out by hand has decided",
	    FOUR "bmp a v4 in down\n bmp b v4 in down\n bmp c v4 in down\n freeze v4 mass-event\n"
	         "forced a yes\n forced b yes\n freeze v4 mass-event\n forced c yes\n wait 2000\n"
	         "freeze v4 no\n set v4 d" },
	{ "the operator thaws a mass event",
	    FOUR "bmp a v4 in down\n bmp b v4 in down\n bmp c v4 in down\n freeze v4 mass-event\n"
	         "operator thaw\n freeze v4 no\n look never\n wait 100\n freeze v4 no" },

	/* ---- restarts ---- */
	{ "a router that restarted is waited for",
	    FOUR "bmp * * * down\n freeze v4 mass-event\n wait 800\n read fail\n wait 3000\n"
	         "read ok restart=3\n freeze v4 router-restart\n freeze v6 router-restart\n"
	         "because v4 the router restarted\n look never\n"
	         "wait 20000\n freeze v4 router-restart\n"
	         "bmp a * * up\n ends 5000\n" /* nobody-left ends; the wait begins with the first */
	         "set v4 a\n freeze v4 router-restart\n wait 2000\n"
	         "bmp b * * up\n bmp c * * up\n freeze v4 router-restart\n look 28000\n"
	         "wait 28000\n freeze v4 router-restart\n read ok ago=1\n look 0\n"
	         "read fail\n look 1000\n freeze v4 router-restart\n wait 1000\n read ok\n"
	         "freeze v4 no\n set v4 abc\n look never" },
	{ "everybody back ends it", FOUR
	    "bmp * * * down\n wait 3000\n read ok restart=3\n freeze v4 router-restart\n"
	    "wait 9000\n bmp a * * up\n bmp b * * up\n bmp c * * up\n freeze v4 router-restart\n"
	    "bmp d * * up\n ends 2000\n wait 2000\n freeze v4 router-restart\n ends 3000\n"
	    "wait 3000\n freeze v4 no\n freeze v6 no" },
	{ "a restart that nobody felt freezes two seconds",
	    FOUR "wait 10000\n read ok restart=2\n freeze v4 router-restart\n wait 2000\n"
	         "freeze v4 no\n wait 8000\n read ok restart=12\n"
	         "bmp a v4 in down\n freeze v4 no" },
	{ "who is last to return flaps, and the second Down is lost: waited for as long as a mass "
	  "event",
	    FOUR
	    "wait 10000\n read ok restart=2\n bmp a v4 in down\n"
	    "bmp a v4 in up\n ends 2000\n wait 2000\n freeze v6 no\n freeze v4 router-restart\n"
	    "ends 3000\n bmp a v4 in down\n wait 1000\n bmp a v4 in up\n wait 4999\n"
	    "freeze v4 router-restart\n wait 1\n freeze v4 no\n set v4 abcd" },
	{ "a restart that is felt later",
	    FOUR "wait 10000\n read ok restart=2\n wait 5000\n freeze v4 no\n"
	         "bmp a v4 in down\n freeze v4 no\n bmp b v4 in down\n bmp c v4 in down\n"
	         "freeze v4 router-restart\n freeze v6 no" },
	{ "the same restart, told again with trembling ages", FOUR
	    "bmp * * * down\n wait 3000\n read ok restart=3\n wait 10000\n bmp a * * up\n"
	    "wait 20000\n read ok restart=32\n bmp b * * up\n wait 10000\n read ok restart=44\n"
	    "freeze v4 no" },
	{ "an agent that starts after a boot waits for sessions",
	    "group 4 bfd=ignore\n owns * * yes\n bmp * * * down\n freeze v4 startup\n"
	    "read ok restart=90\n freeze v4 router-restart\n look 0\n read ok restart=90\n"
	    "wait 40000\n"
	    "freeze v4 router-restart\n bmp a * * up\n freeze v4 router-restart\n wait 10000\n"
	    "bmp b * * up\n bmp c * * up\n bmp d * * up\n wait 5000\n freeze v4 no\n"
	    "set v4 abcd" },
	{ "after a restart nobody is moved whose sessions are up",
	    "group 4\n calm\n read ok\n wait 10000\n bmp * * * down\n read ok restart=3\n"
	    "poll * * * bfd-up\n bmp a * * up\n bmp b * * up\n bmp c * * up\n set v6 abc\n"
	    "wait 25000\n bmp c v4 in down\n bmp c v4 in up\n syslog c v4 in bfd-up\n"
	    "is c v6 down-by-scope\n ends 5000\n wait 5000\n read ok\n freeze v4 no\n"
	    "is c v6 hold-down\n freeze v6 router-restart\n wait 4999\n freeze v6 router-restart\n"
	    "wait 1\n set v6 abc\n freeze v6 no" },
	{ "one that starts on an old router does not",
	    "group 4 bfd=ignore\n calm\n read ok restart=400\n freeze v4 no" },
	{ "a boot that is not told",
	    "group 4 bfd=ignore\n calm\n read ok restart=never\n freeze v4 no\n wait 10000\n"
	    "read ok restart=86400\n bmp a v4 in down\n freeze v4 no" },
	{ "the operator thaws a restart",
	    FOUR "bmp * * * down\n wait 3000\n read ok restart=3\n bmp a * * up\n"
	         "freeze v4 router-restart\n operator thaw\n freeze v4 no\n set v4 a" },

	/* ---- nobody ---- */
	{ "nobody left: the layout stands; the first back does not get everything at once",
	    FOUR "bmp a v4 in down\n wait 6000\n bmp b v4 in down\n wait 6000\n bmp c v4 in down\n"
	         "wait 6000\n freeze v4 no\n bmp d v4 in down\n freeze v4 nobody-left\n"
	         "because v4 no element is healthy\n read ok\n wait 60000\n freeze v4 nobody-left\n"
	         "ends never\n bmp d v4 in up\n freeze v4 nobody-left\n because v4 waits a "
	         "moment\n ends 5000\n"
	         "wait 4999\n freeze v4 nobody-left\n wait 1\n freeze v4 no\n set v4 d" },
	{ "all back end it soon",
	    "group 2 bfd=ignore\n calm\n read ok\n bmp a v4 in down\n wait 9000\n"
	    "bmp b v4 in down\n freeze v4 nobody-left\n look 0\n read ok\n look 1000\n"
	    "wait 1000\n read ok\n look never\n wait 8000\n bmp b v4 in up\n bmp a v4 in up\n ends "
	    "2000\n wait 2000\n"
	    "freeze v4 no\n set v4 ab" },
	{ "nobody left, and the router cannot be read: it may have restarted",
	    "group 2 bfd=ignore\n calm\n read ok\n wait 10\n bmp * v4 in down\n operator thaw\n"
	    "freeze v4 nobody-left\n look 0\n read ok ago=5\n look 0\n read fail\n look 1000\n"
	    "bmp b v4 in up\n wait 60000\n freeze v4 nobody-left\n because v4 a read of the "
	    "router\n"
	    "read ok\n freeze v4 no\n set v4 b" },
	{ "restarted, and nobody was left",
	    "group 2 share=100 bfd=ignore\n calm\n read ok\n wait 10000\n bmp * v4 in down\n"
	    "freeze v4 nobody-left\n read ok restart=5\n freeze v4 router-restart" },
	{ "thaw cannot help when nobody is there",
	    FOUR "bmp * v4 in down\n operator thaw\n freeze v4 nobody-left" },

	{ "nobody left is confirmed by two reads a second apart",
	    "group 2 share=100 bfd=ignore\n calm\n read ok\n confirmed v4 no\n bmp * v4 in down\n"
	    "freeze v4 nobody-left\n read ok\n confirmed v4 no\n look 1000\n wait 900\n read ok\n"
	    "confirmed v4 no\n look 100\n wait 100\n read fail\n confirmed v4 no\n look 1000\n"
	    "wait 1000\n read ok\n confirmed v4 yes\n confirmed v6 no\n look never\n"
	    "operator freeze\n confirmed v4 no\n operator thaw\n confirmed v4 yes\n"
	    "bmp a v4 in up\n freeze v4 nobody-left\n confirmed v4 no\n look never\n"
	    "bmp a v4 in down\n confirmed v4 no\n look 0" },
	{ "and not while a mass event or a restart is looked at",
	    FOUR "bmp * v4 in down\n freeze v4 mass-event\n read ok\n confirmed v4 no\n wait 1000\n"
	         "read ok\n freeze v4 nobody-left\n confirmed v4 no\n wait 1000\n read ok\n"
	         "confirmed v4 yes\n wait 1000\n read ok restart=2\n freeze v4 router-restart\n"
	         "confirmed v4 no" },

	/* ---- failure domains ---- */
	{ "two elements on one host are one failure, however much they weigh",
	    "group 4 weights=4,4,1,1 domains=x,x,,y bfd=ignore\n calm\n read ok\n"
	    "bmp a v4 in down\n bmp b v4 in down\n freeze v4 no\n set v4 cd\n"
	    "bmp c v4 in down\n freeze v4 mass-event\n because v4 3 of 4 elements" },
	{ "two hosts are two", "group 4 domains=x,x,y,y bfd=ignore\n calm\n read ok\n"
	                       "bmp a v4 in down\n bmp c v4 in down\n freeze v4 no\n"
	                       "bmp b v4 in down\n freeze v4 mass-event" },
	{ "without domains each element is its own",
	    FOUR "bmp a v4 in down\n bmp b v4 in down\n bmp c v4 in down\n freeze v4 mass-event" },

	/* ---- the operator ---- */
	{ "frozen and thawed by an operator",
	    FOUR "operator freeze\n freeze v4 operator\n freeze v6 operator\n"
	         "because v4 frozen by an operator; `autofbf thaw g`\n"
	         "bmp a v4 in down\n wait 60000\n freeze v4 operator\n operator thaw\n"
	         "freeze v4 no\n set v4 bcd" },
	{ "unknown is not down: silence freezes nothing and moves nobody",
	    FOUR "lost poll\n lost bmp\n wait 3600000\n freeze v4 no\n set v4 abcd" },
};

static struct guard *
guard_of(struct kit *kit)
{
	return kit->more;
}

static void
start(struct kit *kit)
{
	kit->more = guard_new(&kit->profile, kit->now);
}

static void
update(struct kit *kit)
{
	guard_update(guard_of(kit), kit->health, kit->now);
}

static struct mtime
deadline(struct kit *kit)
{
	return guard_deadline(guard_of(kit));
}

static void
read_router(struct kit *kit, size_t argc, char **argv)
{
	const char *restart = kit_option(argc, argv, "restart");
	struct mtime asked_at = mtime_add_ms(kit->now, -kit_number(argc, argv, "ago", 0));
	struct mtime restarted_at =
	    mtime_add_ms(asked_at, -1000 * kit_number(argc, argv, "restart", 864000));

	if (restart && strcmp(restart, "never") == 0)
		restarted_at = MTIME_NEVER;
	guard_polled(
	    guard_of(kit), kit->health, argv[1][0] == 'o', restarted_at, asked_at, kit->now);
}

static void
miss_pools(struct kit *kit, const char *missed)
{
	for (size_t e = 0; e < kit->profile.groups[0].element_count; e++) {
		const char *id = kit->profile.groups[0].elements[e].id;
		bool is_missed = *missed == '*' || strstr(missed, id);
		struct health_route routes[KIT_MAX_POOLS];

		for (size_t p = 0; p < KIT_MAX_POOLS; p++)
			routes[p] = kit_route(kit, e, is_missed ? "none" : "here");
		health_set_pools(kit->health, 0, e, FAMILY_IPV4, routes, kit->now, kit->now);
	}
	kit_settle(kit);
}

static void
want_freeze(struct kit *kit, char **argv)
{
	enum freeze freeze = guard_freeze(guard_of(kit), 0, kit_family(kit, argv[1]));
	const char *reason = guard_reason(guard_of(kit), 0, kit_family(kit, argv[1]));

	if (strcmp(freeze_names[freeze], argv[2]) != 0)
		kit_fail(kit, "%s: frozen %s (%s), not %s", argv[1], freeze_names[freeze], reason,
		    argv[2]);
	if ((freeze == FREEZE_NOT) != (*reason == '\0'))
		kit_fail(kit, "%s: frozen %s, reason '%s'", argv[1], freeze_names[freeze], reason);
}

static void
want_confirmed(struct kit *kit, char **argv)
{
	if (guard_is_confirmed(guard_of(kit), 0, kit_family(kit, argv[1])) != (argv[2][0] == 'y'))
		kit_fail(kit, "%s: confirmed is not %s", argv[1], argv[2]);
}

static void
want_words(struct kit *kit, const char *reason, size_t argc, char **argv)
{
	char words[256] = "";

	for (size_t i = 2; i < argc; i++) {
		strncat(words, i > 2 ? " " : "", sizeof(words) - strlen(words) - 1);
		strncat(words, argv[i], sizeof(words) - strlen(words) - 1);
	}
	if (!strstr(reason, words))
		kit_fail(kit, "%s: reason is '%s'", argv[1], reason);
}

static void
order(struct kit *kit, const char *word)
{
	guard_operator(guard_of(kit), kit->health, 0, word[0] == 'f', kit->now);
	kit_settle(kit);
}

static void
want_hold(struct kit *kit, size_t argc, char **argv)
{
	const char *reason = guard_hold_reason(guard_of(kit), 0, kit_family(kit, argv[1]));

	if (strcmp(argv[2], "no") != 0)
		want_words(kit, reason, argc, argv);
	else if (*reason)
		kit_fail(kit, "%s: held: %s", argv[1], reason);
}

static bool
command(struct kit *kit, size_t argc, char **argv)
{
	if (strcmp(argv[0], "read") == 0)
		read_router(kit, argc, argv);
	else if (strcmp(argv[0], "miss") == 0)
		miss_pools(kit, argv[1]);
	else if (strcmp(argv[0], "operator") == 0)
		order(kit, argv[1]);
	else if (strcmp(argv[0], "freeze") == 0)
		want_freeze(kit, argv);
	else if (strcmp(argv[0], "because") == 0)
		want_words(
		    kit, guard_reason(guard_of(kit), 0, kit_family(kit, argv[1])), argc, argv);
	else if (strcmp(argv[0], "hold") == 0)
		want_hold(kit, argc, argv);
	else if (strcmp(argv[0], "confirmed") == 0)
		want_confirmed(kit, argv);
	else if (strcmp(argv[0], "look") == 0)
		kit_want_time(kit, "look at", guard_look_at(guard_of(kit)), argv[1]);
	else if (strcmp(argv[0], "ends") == 0)
		kit_want_time(kit, "guard's timer", guard_deadline(guard_of(kit)), argv[1]);
	else
		return false;
	return true;
}

static void
test_scripts(void **state)
{
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct kit kit = { .script = scripts[i].name,
			.on_start = start,
			.on_event = update,
			.deadline = deadline,
			.on_command = command };
		kit_run(&kit, scripts[i].text);
		guard_free(kit.more);
	}
}

/* Every call says truly whether some freeze changed. */
static void
test_changed(void **state)
{
	struct mtime now = { 1000000000 };
	struct profile profile;
	struct health *health;
	struct guard *guard;

	kit_profile_init(&profile, 2);
	health = health_new(&profile, now);
	guard = guard_new(&profile, now);
	assert_false(guard_update(guard, health, now));
	assert_true(guard_operator(guard, health, SIZE_MAX, true, now));
	assert_false(guard_operator(guard, health, 0, true, now));
	assert_true(guard_operator(guard, health, 0, false, now));
	now = mtime_add_ms(now, 60000);
	assert_true(guard_update(guard, health, now)); /* nobody */
	assert_false(guard_update(guard, health, now));
	assert_int_equal(guard_freeze(guard, 0, FAMILY_IPV6), FREEZE_NOBODY);
	for (size_t i = 0; i < FREEZE_COUNT; i++)
		assert_non_null(freeze_names[i]);
	guard_free(guard);
	guard_free(NULL);
	health_free(health);
	kit_profile_done(&profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_changed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
