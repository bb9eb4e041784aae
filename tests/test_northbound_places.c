/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who finds a place at the NETCONF server when many want one: readers do not lock the operator out,
 * and neither they nor a lack of descriptors fill the log. Roles and accept(2) are this file's own.
 */
#define _GNU_SOURCE
#include "northbound_rig.h"

#include <sys/syscall.h>

#include "northbound_peer.h"

static enum northbound_role next_role;
static const char *next_who;
static int accept_failures, accept_calls;

void
northbound_accounts_load(struct northbound_accounts *ret_accounts)
{
}

enum northbound_role
northbound_peer_role(const struct northbound_accounts *accounts, int fd, char **ret_who)
{
	*ret_who = xstrdup(next_who);
	return next_role;
}

/* In place of the C library's. */
int
accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	accept_calls++;
	if (accept_failures > 0) {
		accept_failures--;
		errno = EMFILE;
		return -1;
	}
	return (int)syscall(SYS_accept4, fd, address, size, flags);
}

static char last_warning[256];

static void
keep_warning(void *arg, enum log_level level, const char *tag, const char *line)
{
	struct fixture *fixture = arg;

	if (level > LOG_LEVEL_WARN)
		return;
	fixture->warnings++;
	snprintf(last_warning, sizeof(last_warning), "%s", line);
}

static void
open_as(struct fixture *fixture, struct client *client, enum northbound_role role, const char *who)
{
	next_role = role;
	next_who = who;
	open_session(fixture, client, "1.1");
}

static void
check_turned_away(struct fixture *fixture, enum northbound_role role, const char *who)
{
	struct client client;

	next_role = role;
	next_who = who;
	open_client(fixture, &client);
	wait_gone(&client);
	close_client(&client);
}

static void
test_places_are_kept(void **state)
{
	enum { READERS = 48, OPERATORS = 60, MOST = 64 };
	struct fixture *fixture = *state;
	struct client clients[MOST];

	log_init(LOG_LEVEL_DEBUG, keep_warning, fixture);
	for (int i = 0; i < READERS; i++)
		open_as(fixture, &clients[i], ROLE_READ, i % 4 ? "grafana" : "carol");
	check_turned_away(fixture, ROLE_READ, "carol");
	assert_int_equal(fixture->warnings, 1);
	assert_non_null(strstr(last_warning, "carol turned away: there are 48 clients, 36 of them "
	                                     "of grafana"));
	for (int i = READERS; i < OPERATORS; i++)
		open_as(fixture, &clients[i], ROLE_OPERATE, "alice");
	check_turned_away(fixture, ROLE_OPERATE, "alice");
	for (int i = OPERATORS; i < MOST; i++)
		open_as(fixture, &clients[i], ROLE_ADMINISTER, "root");
	check_turned_away(fixture, ROLE_ADMINISTER, "root");
	assert_int_equal(fixture->warnings, 1); /* one a minute */
	check_good(&clients[MOST - 1]);
	close_client(&clients[0]);
	check_good(&clients[1]); /* the loop has seen the end of the first by now */
	open_as(fixture, &clients[0], ROLE_ADMINISTER, "root");
	for (int i = 0; i < MOST; i++)
		close_client(&clients[i]);
	fixture->warnings = 0;
}

static void
test_no_descriptors(void **state)
{
	enum { FAILURES = 2 };
	struct fixture *fixture = *state;
	struct client client;

	log_init(LOG_LEVEL_DEBUG, keep_warning, fixture);
	accept_failures = FAILURES;
	accept_calls = 0;
	open_as(fixture, &client, ROLE_ADMINISTER, "root");
	check_good(&client);
	assert_int_equal(accept_calls, FAILURES + 1);
	assert_int_equal(fixture->warnings, 1);
	assert_non_null(strstr(last_warning, "Too many open files"));
	close_client(&client);
	fixture->warnings = 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_places_are_kept),
		TEST(test_no_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
