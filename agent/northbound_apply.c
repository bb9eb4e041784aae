/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profile-apply: what the client sent is handed to the agent as text, because the agent decides
 * what a profile is and writes just this text into its file.
 */
#include "northbound_apply.h"

#include <errno.h>
#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>

static bool
is_true(const struct lyd_node *input, const char *name)
{
	const char *text = northbound_input_text(input, name);

	return text && strcmp(text, "true") == 0;
}

static void
put(struct lyd_node *output, const char *name, const char *value)
{
	if (lyd_new_term(output, NULL, name, value, true, NULL) != LY_SUCCESS)
		fatal("yang/autofbf.yang has no output %s of profile-apply", name);
}

static void
done(struct northbound_applied *applied)
{
	for (size_t i = 0; i < applied->note_count; i++)
		free(applied->notes[i]);
	free(applied->notes);
}

int
northbound_apply(struct northbound_query *query, const char *who, struct error *err)
{
	const struct northbound_operations *operations = query->operations;
	const char *reason = northbound_input_text(query->input, "reason");
	const struct northbound_apply request = {
		.text = northbound_input_text(query->input, "profile"),
		.force = is_true(query->input, "force"),
		.dry_run = is_true(query->input, "dry-run"),
		.who = who,
		.reason = reason ? reason : "",
	};
	struct northbound_applied applied;
	int rc;

	if (!operations->apply_profile)
		return error_set(err, -EOPNOTSUPP, "this agent cannot do that");
	rc = operations->apply_profile(operations->arg, &request, &applied, err);
	if (rc == -EINVAL)
		query->app_tag = "bad-profile";
	if (rc < 0)
		return rc;
	put(query->output, "profile-id", applied.profile_id);
	put(query->output, "changed", applied.changed ? "true" : "false");
	for (size_t i = 0; i < applied.note_count; i++)
		put(query->output, "note", applied.notes[i]);
	done(&applied);
	return 0;
}
