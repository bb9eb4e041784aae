/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RPC events: records of the history that pass a filter, the newest of them, oldest first.
 *
 * Names are ids or names of the profile. A name that is neither, and about which there is no record
 * either (addresses and lists are subjects, too), is an error that lists what exists: an empty
 * answer to a misspelt name would read as "nothing happened".
 */
#include "northbound_events.h"

#include <errno.h>
#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>

#include "mtime.h"
#include "northbound_put.h"
#include "northbound_state.h"

struct filter {
	const char **kinds; /* owned array; none: all */
	size_t kind_count;
	const char *subject;               /* NULL: any */
	const struct profile_group *group; /* NULL: any */
	uint64_t after;
	int64_t since_us;
};

static bool
has_kind(const struct filter *filter, const struct history_record *record)
{
	for (size_t i = 0; i < filter->kind_count; i++)
		if (strcmp(filter->kinds[i], record->kind) == 0)
			return true;
	return filter->kind_count == 0;
}

/* A commit without edits ended before there was a plan: it is about all groups whose edits wait. */
static bool
is_in_group(const struct profile_group *group, const struct history_record *record)
{
	if (strcmp(record->kind, "commit") == 0)
		return record->edits == 0 || profile_id_is_among(group->id, record->groups);
	if (record->group && strcmp(record->group, group->id) == 0)
		return true;
	if (strcmp(record->subject, group->id) == 0)
		return true;
	for (size_t e = 0; e < group->element_count; e++)
		if (strcmp(record->subject, group->elements[e].id) == 0)
			return true;
	return false;
}

static bool
passes(const struct filter *filter, const struct history_record *record)
{
	return record->id > filter->after && record->when_us >= filter->since_us &&
	       has_kind(filter, record) &&
	       (!filter->subject || strcmp(filter->subject, record->subject) == 0) &&
	       (!filter->group || is_in_group(filter->group, record));
}

static void
list_names(const struct profile *profile, bool with_elements, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t g = 0; g < profile->group_count && used < size; g++) {
		const struct profile_group *group = &profile->groups[g];

		used +=
		    (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", group->id);
		for (size_t e = 0; with_elements && e < group->element_count && used < size; e++)
			used += (size_t)snprintf(
			    buf + used, size - used, ", %s", group->elements[e].id);
	}
}

static bool
is_subject(const struct history *history, const char *name)
{
	for (size_t i = 0; i < history_count(history); i++)
		if (strcmp(history_get(history, i)->subject, name) == 0)
			return true;
	return false;
}

/* The id that records have as their subject. */
static int
find_subject(const struct profile *profile, const struct history *history, const char *name,
    const char **ret_subject, struct error *err)
{
	const struct profile_element *element = profile_find_element(profile, name, NULL);
	const struct profile_group *group = profile_find_group(profile, name);
	struct prefix prefix;
	char known[400];

	*ret_subject = element ? element->id : group ? group->id : name;
	if (element || group || is_subject(history, name) || prefix_parse(name, &prefix) == 0)
		return 0;
	list_names(profile, true, known, sizeof(known));
	return error_set(
	    err, -ENOENT, "nothing is known about \"%.64s\"; there are: %s", name, known);
}

static int
read_filter(const struct northbound_query *query, struct filter *filter, struct error *err)
{
	const struct profile *profile = query->operations->profile(query->operations->arg);
	const struct history *history = query->operations->history(query->operations->arg);
	const char *subject = northbound_input_text(query->input, "subject");
	const char *group = northbound_input_text(query->input, "group");
	const char *since = northbound_input_text(query->input, "since");
	char known[400];

	filter->after = strtoull(northbound_input_text(query->input, "after"), NULL, 10);
	filter->since_us = INT64_MIN;
	if (since && wallclock_parse(since, &filter->since_us) < 0)
		return error_set(err, -EINVAL, "%.64s: no such day or time", since);
	if (group) {
		filter->group = profile_find_group(profile, group);
		list_names(profile, false, known, sizeof(known));
		if (!filter->group)
			return error_set(
			    err, -ENOENT, "no group \"%.64s\"; there are: %s", group, known);
	}
	filter->kinds = northbound_input_texts(query->input, "kind", &filter->kind_count);
	return subject ? find_subject(profile, history, subject, &filter->subject, err) : 0;
}

static void
put_event(struct lyd_node *output, const struct history_record *record)
{
	struct lyd_node *entry = NULL;
	char id[24];

	snprintf(id, sizeof(id), "%ju", (uintmax_t)record->id);
	if (lyd_new_list(output, NULL, "event", true, &entry, id) == LY_SUCCESS)
		northbound_state_put_record(entry, record, true);
}

/* What it asks for reaches further back than what is kept, or known. */
static bool
is_cut(const struct filter *filter, const struct history *history, bool wants_more)
{
	const struct history_record *oldest = history_get(history, 0);
	uint64_t most_known = filter->after + (history_is_fragment(history) ? 0 : 1);

	return oldest && wants_more && oldest->id > most_known &&
	       oldest->when_us >= filter->since_us;
}

int
northbound_query_events(struct northbound_query *query, struct error *err)
{
	const struct history *history = query->operations->history(query->operations->arg);
	size_t last = strtoul(northbound_input_text(query->input, "last"), NULL, 10);
	size_t count = history_count(history), first = count, found = 0;
	struct filter filter = { 0 };
	int rc = read_filter(query, &filter, err);

	for (size_t i = count; rc == 0 && i-- > 0 && found < last;)
		if (passes(&filter, history_get(history, i))) {
			first = i;
			found++;
		}
	for (size_t i = first; rc == 0 && i < count; i++)
		if (passes(&filter, history_get(history, i)))
			put_event(query->output, history_get(history, i));
	if (rc == 0 && is_cut(&filter, history, found < last))
		northbound_put_time(
		    query->output, true, "kept-since", history_get(history, 0)->when_us);
	free(filter.kinds);
	return rc;
}
