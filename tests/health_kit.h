/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scripts of events in virtual time, for test_health and test_guard. One command a line:
 *   group N [hold=S] [quorum=P] [scope=W] [bfd=W] [weights=W,W..] [share=P] [window=MS] [wait=S]
 *           [only=v4] [domains=X,,Y..] [flaps=N] [damp=WINDOW,INITIAL,MAXIMUM] [revert=manual]
 *           [routes=N] [nat=N]  elements a, b, c...; always the first line; nat: pools 0.. of
 *                               each element, IPv4
 *   calm [age=S]                lists read: all own units; poll: all BGP (and BFD) up
 *   wait MS                     time passes, timers fire when they are due
 *   SOURCE ELEMENT FAMILY SIDE WORD [CAUSE] [age=S] [ago=MS] [instance=NAME]
 *                               bmp|syslog|poll, a.., v4|v6, in|out, each may be *;
 *                               up down bfd-up bfd-down unknown
 *   lost SOURCE     owns ELEMENT FAMILY yes|no     forced ELEMENT yes|no
 *   routes ELEMENT FAMILY SIDE N [ago=MS] [instance=NAME]    a poll's count
 *   pool ELEMENT N WHERE [ago=MS]    a poll's route of a pool; each may be *; WHERE: here, none,
 *                               discard, else (no element), or an element
 *   revert ELEMENT yes|no       by the operator, and the answer
 * and what is wanted:
 *   set FAMILY abc|-            the healthy set
 *   is ELEMENT FAMILY STATE     why ELEMENT FAMILY WORDS... (a part of the reason)
 *   changes N                   state changes since the last time this was asked
 *   due ELEMENT FAMILY MS       hold-down ends so much later; damped ELEMENT FAMILY MS
 *   downs ELEMENT FAMILY N      awaits ELEMENT FAMILY yes|no
 *   next MS|never               the next timer
 *   peer ELEMENT FAMILY SIDE BGP BFD [unprotected] [flaps=N] [has=ROUTES] [lacks=0|1]
 *                               [edge=MS ago, -1: never]
 *   verdicts FAMILY yes|no     route ELEMENT N active|missed|unknown [by=ELEMENT]
 */
#ifndef AUTOFBF_TESTS_HEALTH_KIT_H
#define AUTOFBF_TESTS_HEALTH_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "error.h"
#include "health.h"

enum { KIT_MAX_WORDS = 16, KIT_MAX_ELEMENTS = 8, KIT_MAX_POOLS = 4 };

struct kit {
	const char *script;
	size_t line;
	struct profile profile;
	struct health *health;
	struct mtime now;
	size_t changes;
	void *more; /* of the test that knows more commands */
	void (*on_start)(struct kit *kit);
	void (*on_event)(struct kit *kit);
	struct mtime (*deadline)(struct kit *kit);
	bool (*on_command)(struct kit *kit, size_t argc, char **argv);
};

#define kit_fail(kit, ...) \
	do { \
		print_error("%s, line %zu: ", (kit)->script, (kit)->line); \
		print_error(__VA_ARGS__); \
		print_error("\n"); \
		fail(); \
	} while (0)

/* ---- a profile ------------------------------------------------------------------------------- */

static inline struct ip
kit_address(size_t element, enum family family, enum side side)
{
	char text[IP_TEXT_SIZE];
	struct ip ip;

	if (family == FAMILY_IPV4)
		snprintf(text, sizeof(text), "10.%zu.%d.2", element, (int)side);
	else
		snprintf(text, sizeof(text), "2001:db8:%zx:%d::2", element, (int)side);
	assert_int_equal(ip_parse(text, &ip), 0);
	return ip;
}

static inline void
kit_element_init(struct profile_element *element, size_t e, enum bfd_mode bfd, uint16_t weight)
{
	char id[2] = { (char)('a' + e), '\0' };

	element->id = xstrdup(id);
	element->name = xstrdup(id);
	element->weights = xcalloc(1, sizeof(*element->weights));
	element->weight_count = 1;
	element->weights[0].weight = weight;
	element->failed_weight = weight;
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		element->family[f].present = true;
		for (enum side s = 0; s < SIDE_COUNT; s++) {
			struct profile_peer *peer = &element->family[f].peer[s];
			peer->address = kit_address(e, f, s);
			peer->instance = xstrdup("master");
			peer->bfd = bfd;
		}
	}
}

static inline void
kit_profile_init(struct profile *profile, size_t elements)
{
	struct profile_group *group = xcalloc(1, sizeof(*group));

	*profile = (struct profile){ .poll_interval_ms = 10000, .groups = group, .group_count = 1 };
	group->id = xstrdup("g");
	group->name = xstrdup("g");
	group->elements = xcalloc(elements, sizeof(*group->elements));
	group->element_count = elements;
	group->hold_down_s = 30;
	group->quorum_percent = 50;
	group->startup_wait_s = 30;
	group->mass_window_ms = 5000;
	group->mass_share_percent = 50;
	for (size_t e = 0; e < elements; e++)
		kit_element_init(&group->elements[e], e, BFD_IF_PRESENT, 1);
}

static inline void
kit_pools_init(struct profile_element_family *family, size_t e, size_t count)
{
	char text[32];

	family->nat_pools = xcalloc(count, sizeof(*family->nat_pools));
	family->nat_pool_count = count;
	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "203.0.113.%zu/28", e * 32 + i * 16);
		assert_int_equal(prefix_parse(text, &family->nat_pools[i].prefix), 0);
		snprintf(text, sizeof(text), "p%zu", i);
		family->nat_pools[i].id = xstrdup(text);
	}
}

static inline void
kit_pools_done(struct profile_element_family *family)
{
	for (size_t i = 0; i < family->nat_pool_count; i++)
		free(family->nat_pools[i].id);
	free(family->nat_pools);
}

static inline void
kit_profile_done(struct profile *profile)
{
	struct profile_group *group = profile->groups;

	for (size_t e = 0; e < group->element_count; e++) {
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; s < SIDE_COUNT; s++)
				free(group->elements[e].family[f].peer[s].instance);
		kit_pools_done(&group->elements[e].family[FAMILY_IPV4]);
		free(group->elements[e].id);
		free(group->elements[e].name);
		free(group->elements[e].weights);
		free(group->elements[e].failure_domain);
	}
	free(group->elements);
	free(group->pools);
	free(group->id);
	free(group->name);
	free(group);
}

/* ---- words ----------------------------------------------------------------------------------- */

static inline const char *
kit_option(size_t argc, char **argv, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 1; i < argc; i++)
		if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
			return argv[i] + length + 1;
	return NULL;
}

static inline long
kit_number(size_t argc, char **argv, const char *name, long otherwise)
{
	const char *text = kit_option(argc, argv, name);

	return text ? strtol(text, NULL, 10) : otherwise;
}

static inline int
kit_find(const char *const *names, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (names[i] && strcmp(names[i], word) == 0)
			return (int)i;
	return -1;
}

static inline enum family
kit_family(struct kit *kit, const char *word)
{
	int family = kit_find(family_tags, FAMILY_COUNT, word);

	if (family < 0)
		kit_fail(kit, "%s is no family", word);
	return (enum family)family;
}

static inline size_t
kit_element(struct kit *kit, const char *word)
{
	size_t e = (size_t)(word[0] - 'a');

	if (word[0] < 'a' || word[1] || e >= kit->profile.groups[0].element_count)
		kit_fail(kit, "%s is no element", word);
	return e;
}

/* ---- time and events ------------------------------------------------------------------------- */

static inline void
kit_settle(struct kit *kit)
{
	if (kit->on_event)
		kit->on_event(kit);
}

static inline struct mtime
kit_next(struct kit *kit)
{
	struct mtime next = health_deadline(kit->health);

	return kit->deadline ? mtime_min(next, kit->deadline(kit)) : next;
}

/* Timers fire one by one, each at its time; a timer that is due does not fire for ever. */
static inline void
kit_wait(struct kit *kit, long ms)
{
	struct mtime end = mtime_add_ms(kit->now, ms), next;
	size_t fired = 0;

	while ((next = kit_next(kit)).us <= end.us) {
		if (next.us > kit->now.us)
			kit->now = next;
		health_tick(kit->health, kit->now);
		kit_settle(kit);
		if (++fired > 10000)
			kit_fail(kit, "a timer that is due does not go away");
	}
	kit->now = end;
}

static inline void
kit_feed(struct kit *kit, const struct event *event)
{
	health_feed(kit->health, event, kit->now);
	kit_settle(kit);
}

static inline bool
kit_event_word(struct event *event, const char *word)
{
	static const struct {
		const char *word;
		enum event_kind kind;
	} kinds[] = { { "up", EVENT_BGP_UP }, { "down", EVENT_BGP_DOWN },
		{ "bfd-up", EVENT_BFD_UP }, { "bfd-down", EVENT_BFD_DOWN },
		{ "unknown", EVENT_UNKNOWN } };
	int cause = kit_find(event_cause_names, CAUSE_COUNT, word);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].word, word) == 0) {
			event->kind = kinds[i].kind;
			return true;
		}
	if (cause >= 0)
		event->cause = (enum event_cause)cause;
	return cause >= 0;
}

static inline void
kit_feed_words(struct kit *kit, int source, size_t argc, char **argv)
{
	const char *instance = kit_option(argc, argv, "instance");
	const struct profile_group *group = kit->profile.groups;
	struct event event = { .source = (enum event_source)source,
		.established_s = kit_number(argc, argv, "age", -1),
		.at = mtime_add_ms(kit->now, -kit_number(argc, argv, "ago", 0)) };

	snprintf(event.instance, sizeof(event.instance), "%s", instance ? instance : "");
	for (size_t i = 4; i < argc; i++)
		if (!strchr(argv[i], '=') && !kit_event_word(&event, argv[i]))
			kit_fail(kit, "%s is no event", argv[i]);
	for (size_t e = 0; e < group->element_count; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; s < SIDE_COUNT; s++) {
				if ((*argv[1] != '*' && e != kit_element(kit, argv[1])) ||
				    (*argv[2] != '*' && f != kit_family(kit, argv[2])) ||
				    (*argv[3] != '*' && s != (*argv[3] == 'o')))
					continue;
				event.peer = group->elements[e].family[f].peer[s].address;
				kit_feed(kit, &event);
			}
}

static inline void
kit_own(struct kit *kit, const char *element, const char *family, bool owns)
{
	for (size_t e = 0; e < kit->profile.groups[0].element_count; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			if ((*element != '*' && e != kit_element(kit, element)) ||
			    (*family != '*' && f != kit_family(kit, family)))
				continue;
			health_set_owns(kit->health, 0, e, f, owns, kit->now);
		}
	kit_settle(kit);
}

static inline void
kit_count_routes(struct kit *kit, size_t argc, char **argv)
{
	struct ip peer = kit_address(
	    kit_element(kit, argv[1]), kit_family(kit, argv[2]), (enum side)(*argv[3] == 'o'));
	const char *instance = kit_option(argc, argv, "instance");

	health_set_routes(kit->health, &peer, instance ? instance : "master",
	    strtol(argv[4], NULL, 10), mtime_add_ms(kit->now, -kit_number(argc, argv, "ago", 0)),
	    kit->now);
	kit_settle(kit);
}

/* "here", "none", "discard", "refused", "else", or an element's name: where the route of e's pool
 * leads. */
static inline struct health_route
kit_route(struct kit *kit, size_t e, const char *where)
{
	struct health_route route = { .answered = true, .present = strcmp(where, "none") != 0 };

	if (strcmp(where, "refused") == 0)
		return (struct health_route){ .refusal = "permission denied" };
	route.to_known = route.present && strcmp(where, "discard") != 0;
	if (strcmp(where, "else") == 0)
		assert_int_equal(ip_parse("198.51.100.1", &route.to), 0);
	else if (route.to_known)
		route.to = kit_address(strcmp(where, "here") == 0 ? e : kit_element(kit, where),
		    FAMILY_IPV4, SIDE_OUTSIDE);
	return route;
}

static inline void
kit_set_pools(struct kit *kit, size_t argc, char **argv)
{
	const struct profile_group *group = kit->profile.groups;
	struct mtime asked_at = mtime_add_ms(kit->now, -kit_number(argc, argv, "ago", 0));

	for (size_t e = 0; e < group->element_count; e++) {
		struct health_route routes[KIT_MAX_POOLS];

		if (*argv[1] != '*' && e != kit_element(kit, argv[1]))
			continue;
		for (size_t p = 0; p < KIT_MAX_POOLS; p++) {
			routes[p] = kit_route(kit, e, argv[3]);
			if (*argv[2] != '*' && p != strtoul(argv[2], NULL, 10))
				routes[p] = (struct health_route){ 0 };
		}
		health_set_pools(kit->health, 0, e, FAMILY_IPV4, routes, asked_at, kit->now);
	}
	kit_settle(kit);
}

static inline void kit_line(struct kit *kit, char *line);

static inline void
kit_calm(struct kit *kit, size_t argc, char **argv)
{
	char bfd[] = "poll * * * bfd-up", bgp[64], pools[] = "pool * * here";

	snprintf(bgp, sizeof(bgp), "poll * * * up age=%ld", kit_number(argc, argv, "age", 9999));
	kit_own(kit, "*", "*", true);
	if (kit->profile.groups[0].elements[0].family[FAMILY_IPV4].peer[0].bfd != BFD_IGNORE)
		kit_line(kit, bfd);
	kit_line(kit, bgp);
	kit_line(kit, pools);
	kit_wait(kit, 0);
	kit->changes = 0;
}

/* ---- the group ------------------------------------------------------------------------------- */

static inline void
kit_count_change(void *arg, size_t g, size_t e, enum family f, enum health_state from,
    enum health_state to, const char *reason)
{
	struct kit *kit = arg;

	if (from == to || !reason || !*reason)
		kit_fail(kit, "a change from %d to %d, reason '%s'", (int)from, (int)to, reason);
	kit->changes++;
}

/* "x,,y": the elements' failure domains, in order. */
static inline void
kit_domains(struct profile_group *group, const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *word;

	for (size_t e = 0; e < group->element_count && (word = strsep(&rest, ",")); e++)
		if (*word)
			group->elements[e].failure_domain = xstrdup(word);
	free(copy);
}

static inline void
kit_policy(struct kit *kit, size_t argc, char **argv)
{
	struct profile_group *group = kit->profile.groups;
	const char *damp = kit_option(argc, argv, "damp");
	const char *revert = kit_option(argc, argv, "revert");
	uint32_t routes = (uint32_t)kit_number(argc, argv, "routes", 0);
	size_t pools = (size_t)kit_number(argc, argv, "nat", 0);

	group->return_path[FAMILY_IPV4] = pools > 0 ? RETURN_NAT_ROUTES : RETURN_FILTER;
	for (size_t e = 0; e < group->element_count && pools > 0; e++)
		kit_pools_init(&group->elements[e].family[FAMILY_IPV4], e, pools);
	group->damping_flaps = (uint8_t)kit_number(argc, argv, "flaps", 0);
	group->damping_window_s = 600;
	group->damping_initial_s = 60;
	group->damping_maximum_s = 1800;
	if (damp && sscanf(damp, "%u,%u,%u", &group->damping_window_s, &group->damping_initial_s,
	                &group->damping_maximum_s) != 3)
		kit_fail(kit, "damp=%s is not three numbers", damp);
	if (revert)
		group->revert = (enum revert)kit_find(revert_names, REVERT_COUNT, revert);
	if (kit_option(argc, argv, "domains"))
		kit_domains(group, kit_option(argc, argv, "domains"));
	for (size_t e = 0; e < group->element_count; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; s < SIDE_COUNT; s++)
				group->elements[e].family[f].peer[s].required_routes = routes;
}

static inline void
kit_start(struct kit *kit, size_t argc, char **argv)
{
	const char *scope = kit_option(argc, argv, "scope"), *bfd = kit_option(argc, argv, "bfd");
	const char *weights = kit_option(argc, argv, "weights");
	const char *only = kit_option(argc, argv, "only");
	size_t count = strtoul(argv[1], NULL, 10);
	struct profile_group *group;

	kit_profile_init(&kit->profile, count);
	group = kit->profile.groups;
	group->hold_down_s = (uint32_t)kit_number(argc, argv, "hold", 30);
	group->quorum_percent = (uint8_t)kit_number(argc, argv, "quorum", 50);
	group->mass_share_percent = (uint8_t)kit_number(argc, argv, "share", 50);
	group->mass_window_ms = (uint32_t)kit_number(argc, argv, "window", 5000);
	group->startup_wait_s = (uint32_t)kit_number(argc, argv, "wait", 30);
	if (scope)
		group->scope =
		    (enum failure_scope)kit_find(failure_scope_names, SCOPE_COUNT, scope);
	kit_policy(kit, argc, argv);
	for (size_t e = 0; e < count; e++) {
		struct profile_element *element = &group->elements[e];
		if (weights) {
			element->weights[0].weight = (uint16_t)strtoul(weights, NULL, 10);
			weights = strchr(weights, ',') ? strchr(weights, ',') + 1 : weights;
		}
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			element->family[f].present = !only || strcmp(only, family_tags[f]) == 0;
			for (enum side s = 0; bfd && s < SIDE_COUNT; s++)
				element->family[f].peer[s].bfd =
				    (enum bfd_mode)kit_find(bfd_mode_names, BFD_MODE_COUNT, bfd);
		}
	}
	kit->now = (struct mtime){ 1000000000000 };
	kit->health = health_new(&kit->profile, kit->now);
	health_on_change(kit->health, kit_count_change, kit);
	if (kit->on_start)
		kit->on_start(kit);
}

/* ---- what is wanted -------------------------------------------------------------------------- */

static inline void
kit_want_set(struct kit *kit, char **argv)
{
	char set[KIT_MAX_ELEMENTS + 1] = "";
	size_t length = 0;

	for (size_t e = 0; e < kit->profile.groups[0].element_count; e++)
		if (health_is_healthy(kit->health, 0, e, kit_family(kit, argv[1])))
			set[length++] = (char)('a' + e);
	if (strcmp(length ? set : "-", argv[2]) != 0)
		kit_fail(kit, "healthy %s: %s, not %s", argv[1], length ? set : "-", argv[2]);
}

static inline void
kit_want_peer(struct kit *kit, size_t argc, char **argv)
{
	bool unprotected = argc > 6 && strcmp(argv[6], "unprotected") == 0;
	struct health_view view;
	const struct health_peer_view *peer = &view.peer[*argv[3] == 'o'];
	long edge_ms;

	health_view(kit->health, 0, kit_element(kit, argv[1]), kit_family(kit, argv[2]), &view);
	edge_ms = peer->edge_at.us == INT64_MIN ? -1 : (long)mtime_diff_ms(kit->now, peer->edge_at);
	if (strcmp(verdict_names[peer->bgp], argv[4]) != 0 ||
	    strcmp(verdict_names[peer->bfd], argv[5]) != 0 || peer->unprotected != unprotected ||
	    peer->flaps != (uint32_t)kit_number(argc, argv, "flaps", peer->flaps) ||
	    peer->routes != kit_number(argc, argv, "has", peer->routes) ||
	    peer->lacks_routes != kit_number(argc, argv, "lacks", peer->lacks_routes) ||
	    edge_ms != kit_number(argc, argv, "edge", edge_ms))
		kit_fail(kit, "peer is bgp %s, bfd %s%s, flaps %u, routes %lld%s, edge %ld ms ago",
		    verdict_names[peer->bgp], verdict_names[peer->bfd],
		    peer->unprotected ? ", unprotected" : "", peer->flaps, (long long)peer->routes,
		    peer->lacks_routes ? ", lacks routes" : "", edge_ms);
}

static inline void
kit_want_route(struct kit *kit, size_t argc, char **argv)
{
	const char *by = kit_option(argc, argv, "by"), *word;
	struct health_pool_view view;

	health_pool_view(kit->health, 0, kit_element(kit, argv[1]), FAMILY_IPV4,
	    strtoul(argv[2], NULL, 10), &view);
	word = view.active         ? "active"
	       : view.is_discarded ? "discarded"
	       : view.known        ? "missed"
	       : view.refusal      ? "refused"
	                           : "unknown";
	if (strcmp(word, argv[3]) != 0 ||
	    (by && (!view.taken_by || strcmp(by, view.taken_by) != 0)))
		kit_fail(kit, "pool %s of %s is %s, taken by %s", argv[2], argv[1], word,
		    view.taken_by ? view.taken_by : "nobody");
}

static inline void
kit_want_time(struct kit *kit, const char *what, struct mtime t, const char *wanted)
{
	char text[32] = "never";

	if (!mtime_is_never(t))
		snprintf(text, sizeof(text), "%lld", (long long)mtime_diff_ms(t, kit->now));
	if (strcmp(text, wanted) != 0)
		kit_fail(kit, "%s: %s, not %s", what, text, wanted);
}

static inline void
kit_want_member(struct kit *kit, size_t argc, char **argv)
{
	char words[256] = "";
	struct health_view view;

	health_view(kit->health, 0, kit_element(kit, argv[1]), kit_family(kit, argv[2]), &view);
	for (size_t i = 3; i < argc; i++) {
		strncat(words, i > 3 ? " " : "", sizeof(words) - strlen(words) - 1);
		strncat(words, argv[i], sizeof(words) - strlen(words) - 1);
	}
	if (strcmp(argv[0], "due") == 0)
		kit_want_time(kit, "hold-down ends", view.hold_until, words);
	else if (strcmp(argv[0], "damped") == 0)
		kit_want_time(kit, "damping ends", view.damped_until, words);
	else if (strcmp(argv[0], "downs") == 0 && view.downs != strtoul(words, NULL, 10))
		kit_fail(kit, "%s %s: %u downs", argv[1], argv[2], view.downs);
	else if (strcmp(argv[0], "awaits") == 0 && view.awaits_operator != (*words == 'y'))
		kit_fail(kit, "%s %s: awaits the operator is not %s", argv[1], argv[2], words);
	else if (strcmp(argv[0], "then-awaits") == 0 && view.then_awaits != (*words == 'y'))
		kit_fail(kit, "%s %s: will await the operator is not %s", argv[1], argv[2], words);
	else if (strcmp(argv[0], "is") == 0 && strcmp(words, health_state_names[view.state]) != 0)
		kit_fail(kit, "%s %s is %s (%s), not %s", argv[1], argv[2],
		    health_state_names[view.state], view.reason, words);
	else if (strcmp(argv[0], "why") == 0 && !strstr(view.reason, words))
		kit_fail(kit, "%s %s: reason is '%s'", argv[1], argv[2], view.reason);
}

/* ---- the interpreter ------------------------------------------------------------------------- */

static inline bool
kit_want(struct kit *kit, size_t argc, char **argv)
{
	static const char *const member_words[] = { "is", "why", "due", "damped", "downs", "awaits",
		"then-awaits" };
	const char *word = argv[0];

	if (strcmp(word, "set") == 0) {
		kit_want_set(kit, argv);
	} else if (kit_find(member_words, sizeof(member_words) / sizeof(*member_words), word) >=
	           0) {
		kit_want_member(kit, argc, argv);
	} else if (strcmp(word, "peer") == 0) {
		kit_want_peer(kit, argc, argv);
	} else if (strcmp(word, "route") == 0) {
		kit_want_route(kit, argc, argv);
	} else if (strcmp(word, "next") == 0) {
		kit_want_time(kit, "next timer", health_deadline(kit->health), argv[1]);
	} else if (strcmp(word, "verdicts") == 0) {
		if (health_has_verdicts(kit->health, 0, kit_family(kit, argv[1])) !=
		    (argv[2][0] == 'y'))
			kit_fail(kit, "verdicts: not %s", argv[2]);
	} else if (strcmp(word, "changes") == 0) {
		if (kit->changes != strtoul(argv[1], NULL, 10))
			kit_fail(kit, "%zu changes, not %s", kit->changes, argv[1]);
		kit->changes = 0;
	} else {
		return false;
	}
	return true;
}

static inline void
kit_command(struct kit *kit, size_t argc, char **argv)
{
	int source = kit_find(event_source_names, SOURCE_COUNT, argv[0]);

	if (strcmp(argv[0], "group") == 0) {
		kit_start(kit, argc, argv);
	} else if (strcmp(argv[0], "calm") == 0) {
		kit_calm(kit, argc, argv);
	} else if (strcmp(argv[0], "wait") == 0) {
		kit_wait(kit, strtol(argv[1], NULL, 10));
	} else if (source >= 0 && argc > 4) {
		kit_feed_words(kit, source, argc, argv);
	} else if (strcmp(argv[0], "lost") == 0) {
		source = kit_find(event_source_names, SOURCE_COUNT, argv[1]);
		kit_feed(kit, &(struct event){ .kind = EVENT_SOURCE_LOST,
		                  .source = (enum event_source)source,
		                  .at = kit->now });
	} else if (strcmp(argv[0], "owns") == 0) {
		kit_own(kit, argv[1], argv[2], argv[3][0] == 'y');
	} else if (strcmp(argv[0], "forced") == 0) {
		health_set_forced(
		    kit->health, 0, kit_element(kit, argv[1]), argv[2][0] == 'y', kit->now);
		kit_settle(kit);
	} else if (strcmp(argv[0], "pool") == 0) {
		kit_set_pools(kit, argc, argv);
	} else if (strcmp(argv[0], "routes") == 0) {
		kit_count_routes(kit, argc, argv);
	} else if (strcmp(argv[0], "revert") == 0) {
		if (health_revert(kit->health, 0, kit_element(kit, argv[1]), kit->now) !=
		    (argv[2][0] == 'y'))
			kit_fail(kit, "%s: reverted is not %s", argv[1], argv[2]);
		kit_settle(kit);
	} else if (!kit_want(kit, argc, argv) &&
	           !(kit->on_command && kit->on_command(kit, argc, argv))) {
		kit_fail(kit, "%s is no command", argv[0]);
	}
}

static inline void
kit_line(struct kit *kit, char *line)
{
	char *argv[KIT_MAX_WORDS], *word;
	size_t argc = 0;

	while ((word = strsep(&line, " \t")) && argc < KIT_MAX_WORDS)
		if (*word)
			argv[argc++] = word;
	if (argc)
		kit_command(kit, argc, argv);
}

static inline void
kit_run(struct kit *kit, const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		kit->line++;
		kit_line(kit, line);
	}
	health_free(kit->health);
	kit_profile_done(&kit->profile);
	free(copy);
}

#endif
