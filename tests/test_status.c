/* SPDX-License-Identifier: BSD-3-Clause */
/* The one word over the picture: each thing that makes it worse, alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "error.h"
#include "status.h"

/* Two healthy elements, IPv4 only, everything in order. */
static struct status *
make_status(void)
{
	struct status *status = xcalloc(1, sizeof(*status));
	struct status_group *group;

	status->edit_up = status->read_up = status->lists_known = true;
	status->group_count = 1;
	status->groups = group = xcalloc(1, sizeof(*group));
	group->id = xstrdup("g");
	group->family[FAMILY_IPV4].present = true;
	group->family[FAMILY_IPV4].units = 4;
	group->element_count = 2;
	group->elements = xcalloc(2, sizeof(*group->elements));
	for (int e = 0; e < 2; e++) {
		struct status_element *element = &group->elements[e];

		element->id = xstrdup(e ? "b" : "a");
		element->family[FAMILY_IPV4].present = true;
		element->family[FAMILY_IPV4].healthy = true;
		element->family[FAMILY_IPV4].state = HEALTH_UP;
		element->family[FAMILY_IPV4].effective_units = 2;
		element->family[FAMILY_IPV4].reason = xstrdup("r");
	}
	return status;
}

static void
lose_a(struct status *status, uint32_t still_owned)
{
	struct status_element_family *family = &status->groups[0].elements[0].family[FAMILY_IPV4];

	family->healthy = false;
	family->effective_units = still_owned;
}

static void
change_nothing(struct status *status)
{
}

static void
lose_edit_session(struct status *status)
{
	status->edit_up = false;
}

static void
lose_read_session(struct status *status)
{
	status->read_up = false;
}

static void
forget_lists(struct status *status)
{
	status->lists_known = false;
}

static void
lose_element(struct status *status)
{
	lose_a(status, 0);
}

static void
lose_element_with_units(struct status *status)
{
	lose_a(status, 1);
}

static void
misplace(struct status *status)
{
	status->groups[0].family[FAMILY_IPV4].misplaced = 1;
}

/* By an operator; it carries its units until they are moved. */
static void
take_out(struct status *status)
{
	lose_a(status, 2);
	status->groups[0].elements[0].forced = true;
	misplace(status);
}

static void
take_out_what_is_down(struct status *status)
{
	take_out(status);
	status->groups[0].elements[0].family[FAMILY_IPV4].state = HEALTH_DOWN;
}

static void
lose_both(struct status *status)
{
	lose_a(status, 0);
	status->groups[0].elements[1].family[FAMILY_IPV4].healthy = false;
	status->groups[0].elements[1].family[FAMILY_IPV4].effective_units = 0;
}

static void
lose_sight(struct status *status)
{
	status->groups[0].elements[0].family[FAMILY_IPV4].state = HEALTH_UNKNOWN;
}

static void
lose_sight_of_removed(struct status *status)
{
	lose_sight(status);
	status->groups[0].elements[0].removed = true;
}

static void
remove_element(struct status *status)
{
	lose_a(status, 0);
	status->groups[0].elements[0].removed = true;
}

static void
freeze(struct status *status)
{
	status->groups[0].family[FAMILY_IPV4].freeze = FREEZE_OPERATOR;
	status->groups[0].family[FAMILY_IPV4].freeze_reason = xstrdup("r");
}

static void
freeze_mass(struct status *status)
{
	freeze(status);
	status->groups[0].family[FAMILY_IPV4].freeze = FREEZE_MASS;
}

static void
freeze_mass_with_misplaced(struct status *status)
{
	freeze_mass(status);
	misplace(status);
}

static void
freeze_at_start(struct status *status)
{
	status->groups[0].family[FAMILY_IPV4].freeze = FREEZE_STARTUP;
}

static void
freeze_absent_family(struct status *status)
{
	status->groups[0].family[FAMILY_IPV6].freeze = FREEZE_NOBODY;
}

static void
add_two_writers(struct status *status)
{
	status->two_writer_count = 1;
	status->two_writers = xcalloc(1, sizeof(*status->two_writers));
	status->two_writers[0] = xstrdup("a-ovr-v4");
}

static void
drift_from_base(struct status *status)
{
	status->groups[0].family[FAMILY_IPV4].base_drift = 4;
}

/* Below min-alive, or not; with the failed route on the router, or not. */
static void
set_signal(struct status *status, uint32_t alive, bool wanted, bool installed)
{
	struct status_group_family *family = &status->groups[0].family[FAMILY_IPV4];

	family->alive = alive;
	family->min_alive = 2;
	family->has_failed_route = true;
	family->failed_wanted = wanted;
	family->failed_installed = installed;
}

static void
have_enough(struct status *status)
{
	set_signal(status, 2, false, false);
}

static void
have_too_few(struct status *status)
{
	set_signal(status, 1, true, false);
}

static void
signal_too_few(struct status *status)
{
	set_signal(status, 1, true, true);
}

static void
hold_signal(struct status *status)
{
	set_signal(status, 2, true, true);
}

static void
leave_signal(struct status *status)
{
	set_signal(status, 2, false, true);
}

static void
have_too_few_at_start(struct status *status)
{
	set_signal(status, 1, true, false);
	freeze_at_start(status);
}

static void
lack_alter_route(struct status *status)
{
	status->groups[0].family[FAMILY_IPV4].has_alter_route = true;
	status->groups[0].family[FAMILY_IPV4].alter_wanted = true;
}

static void
alter_path(struct status *status)
{
	lack_alter_route(status);
	status->groups[0].family[FAMILY_IPV4].alter_installed = true;
	status->groups[0].altered_by = xstrdup("alice");
	status->groups[0].altered_reason = xstrdup("r");
	status->groups[0].capacity_label = xstrdup("Gbps");
}

static void
fill_element(struct status *status)
{
	status->groups[0].elements[0].capacity = 34;
	status->groups[0].elements[0].load_now = 34;
	status->groups[0].elements[0].load_worst = 68;
	status->groups[0].elements[0].failure_domain = xstrdup("host-1");
}

static void
add_pool(struct status *status, bool known, bool active)
{
	struct status_element_family *family = &status->groups[0].elements[0].family[FAMILY_IPV4];

	family->pools = xcalloc(1, sizeof(*family->pools));
	family->pool_count = 1;
	family->pools[0] = (struct status_pool){
		.id = xstrdup("p"), .known = known, .active = active, .taken_by = xstrdup("b")
	};
}

static void
have_pool(struct status *status)
{
	add_pool(status, true, true);
}

static void
have_unread_pool(struct status *status)
{
	add_pool(status, false, false);
}

static void
lose_pool(struct status *status)
{
	add_pool(status, true, false);
}

static void
overload_element(struct status *status)
{
	fill_element(status);
	status->groups[0].elements[0].load_now = 34.001;
}

static void
lose_element_with_a_piece(struct status *status)
{
	lose_a(status, 0);
	status->groups[0].elements[0].family[FAMILY_IPV4].effective_share = 0.25;
}

static void
add_alarm(struct status *status, enum alarm_severity severity)
{
	status->alarms = xcalloc(1, sizeof(*status->alarms));
	status->alarms[status->alarm_count++] = (struct alarm){ .type = ALARM_COMMIT_FAILED,
		.severity = severity,
		.key = xstrdup("router"),
		.cause = xstrdup("no") };
}

static void
alarm_critically(struct status *status)
{
	add_alarm(status, ALARM_CRITICAL);
}

static void
alarm_majorly(struct status *status)
{
	add_alarm(status, ALARM_MAJOR);
}

static void
test_severity(void **state)
{
	static const struct {
		const char *name;
		void (*change)(struct status *status);
		enum status_severity want;
	} cases[] = {
		{ "all well", change_nothing, STATUS_OK },
		{ "edit session", lose_edit_session, STATUS_CRITICAL },
		{ "read session", lose_read_session, STATUS_DEGRADED },
		{ "lists", forget_lists, STATUS_CRITICAL },
		{ "an element is out", lose_element, STATUS_DEGRADED },
		{ "... and owns a unit", lose_element_with_units, STATUS_CRITICAL },
		{ "an operator took one out, it owns units", take_out, STATUS_DEGRADED },
		{ "... and it is down", take_out_what_is_down, STATUS_CRITICAL },
		{ "nobody left", lose_both, STATUS_CRITICAL },
		{ "no verdict on somebody", lose_sight, STATUS_DEGRADED },
		{ "... who is no more", lose_sight_of_removed, STATUS_OK },
		{ "a tombstone", remove_element, STATUS_OK },
		{ "a unit is misplaced", misplace, STATUS_DEGRADED },
		{ "frozen by the operator", freeze, STATUS_DEGRADED },
		{ "frozen by a guard", freeze_mass, STATUS_CRITICAL },
		{ "... before a unit is where it should be", freeze_mass_with_misplaced,
		    STATUS_CRITICAL },
		{ "starting", freeze_at_start, STATUS_DEGRADED },
		{ "a family that is not there", freeze_absent_family, STATUS_OK },
		{ "two writers", add_two_writers, STATUS_DEGRADED },
		{ "base drift", drift_from_base, STATUS_OK },
		{ "... and owns a piece", lose_element_with_a_piece, STATUS_CRITICAL },
		{ "as many as min-alive", have_enough, STATUS_OK },
		{ "fewer, and no failed route", have_too_few, STATUS_CRITICAL },
		{ "... while starting", have_too_few_at_start, STATUS_DEGRADED },
		{ "fewer, and the failed route", signal_too_few, STATUS_CRITICAL },
		{ "enough again, and it is held", hold_signal, STATUS_DEGRADED },
		{ "enough again, and it is still there", leave_signal, STATUS_DEGRADED },
		{ "altered", alter_path, STATUS_OK },
		{ "to be altered", lack_alter_route, STATUS_DEGRADED },
		{ "full", fill_element, STATUS_OK },
		{ "a pool route lost", lose_pool, STATUS_DEGRADED },
		{ "a pool route here", have_pool, STATUS_OK },
		{ "a pool route not read yet", have_unread_pool, STATUS_OK },
		{ "more than full", overload_element, STATUS_CRITICAL },
		{ "a critical alarm", alarm_critically, STATUS_CRITICAL },
		{ "a major one", alarm_majorly, STATUS_OK },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct status *status = make_status();

		cases[i].change(status);
		if (status_severity(status) != cases[i].want)
			fail_msg("%s: %s", cases[i].name,
			    status_severity_names[status_severity(status)]);
		status_free(status);
	}
	status_free(NULL);
}

/* A second group in which all is well. */
static void
add_group(struct status *status)
{
	struct status *other = make_status();

	status->groups = xreallocarray(status->groups, 2, sizeof(*status->groups));
	status->groups[1] = other->groups[0];
	status->groups[1].id[0] = 'h';
	status->group_count = 2;
	other->group_count = 0;
	status_free(other);
}

/* What is wrong with one group is not so for the other; what is about no group is for both. */
static void
test_groups(void **state)
{
	static const struct {
		const char *name;
		void (*change)(struct status *status);
		const char *alarm_group; /* NULL: the alarm is about none */
		enum status_severity want[2];
	} cases[] = {
		{ "all well", change_nothing, NULL, { STATUS_OK, STATUS_OK } },
		{ "read session", lose_read_session, NULL, { STATUS_DEGRADED, STATUS_DEGRADED } },
		{ "edit session", lose_edit_session, NULL, { STATUS_CRITICAL, STATUS_CRITICAL } },
		{ "an element is out", lose_element, NULL, { STATUS_DEGRADED, STATUS_OK } },
		{ "a pool route lost", lose_pool, NULL, { STATUS_DEGRADED, STATUS_OK } },
		{ "to be altered", lack_alter_route, NULL, { STATUS_DEGRADED, STATUS_OK } },
		{ "an alarm", alarm_critically, NULL, { STATUS_CRITICAL, STATUS_CRITICAL } },
		{ "of a group", alarm_critically, "h", { STATUS_OK, STATUS_CRITICAL } },
		{ "a major one", alarm_majorly, "h", { STATUS_OK, STATUS_OK } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct status *status = make_status();
		enum status_severity worst = STATUS_OK;

		add_group(status);
		cases[i].change(status);
		if (cases[i].alarm_group)
			status->alarms[0].group = xstrdup(cases[i].alarm_group);
		for (size_t g = 0; g < 2; g++) {
			enum status_severity have =
			    status_group_severity(status, &status->groups[g]);

			if (have != cases[i].want[g])
				fail_msg("%s: %s: %s", cases[i].name, status->groups[g].id,
				    status_severity_names[have]);
			worst = have > worst ? have : worst;
		}
		assert_int_equal(status_severity(status), worst);
		status_free(status);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_severity),
		cmocka_unit_test(test_groups) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
