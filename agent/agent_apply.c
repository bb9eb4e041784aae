/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * May this profile take the place of the one that runs? By the RPC profile-apply, and by SIGHUP,
 * which reads the profile's file again and knows no force.
 *
 * Order is everything here: all that may fail comes first (parse, refusals, new listeners, the
 * file), the swap comes last and cannot fail, so nothing is ever applied by halves. A file that
 * somebody has edited since it was read is not overwritten without force.
 */
#include "agent_apply_internal.h"

#include <errno.h>
#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "profile_file.h"
#include "profile_yang.h"

/* ---- the file ------------------------------------------------------------------------------- */

/* What is on the disk is what runs, or what shall run: *ret_is_next. */
static int
check_file(const struct profile_change *change, const struct ly_ctx *ctx,
    const struct profile_file *file, bool *ret_is_next, struct error *err)
{
	struct profile *disk = NULL;
	const char *path = change->agent->options.profile_path;
	bool is_known;

	if (profile_load_text(ctx, file->text, file->size, path, &disk, NULL) < 0)
		disk = NULL; /* broken: so it is not what runs */
	*ret_is_next = disk && strcmp(disk->id, change->next->id) == 0;
	is_known = *ret_is_next || (disk && strcmp(disk->id, change->agent->profile->id) == 0);
	profile_free(disk);
	if (is_known || change->force)
		return 0;
	return error_set(err, -EPERM,
	    "refused: %s was edited since the agent read it, and would be overwritten; take the "
	    "edit into your file, or put back what runs, or --force",
	    path);
}

static int
write_file(const struct profile_change *change, const struct ly_ctx *ctx,
    const struct northbound_apply *request, struct error *err)
{
	struct profile_file file;
	bool is_next = false;
	int rc = profile_file_read(change->agent->options.profile_path, &file, err);

	if (rc < 0)
		rc = -EIO;
	if (rc == 0)
		rc = check_file(change, ctx, &file, &is_next, err);
	if (rc == 0 && !is_next && !request->dry_run &&
	    profile_file_write(&file, request->text, err) < 0)
		rc = -EIO;
	profile_file_done(&file);
	return rc;
}

/* ---- the change ----------------------------------------------------------------------------- */

static void
end_change(struct profile_change *change)
{
	moves_free(change->moves);
	profile_free(change->next);
}

static void
record_change(const struct profile_change *change, const char *who, const char *reason)
{
	agent_record(change->agent, "profile", "", "%.8s -> %.8s by %s%s%s",
	    change->agent->profile->id, change->next->id, who, *reason ? ": " : "", reason);
}

static void
take_effect(
    struct profile_change *change, struct sources *sources, const char *who, const char *reason)
{
	struct agent *agent = change->agent;
	struct profile *next = change->next;

	agent->who = who;
	record_change(change, who, reason);
	change->next = NULL;
	agent_swap_profile(agent, next, sources, "another profile");
	agent->who = NULL;
}

static bool
is_running(const struct profile_change *change)
{
	return strcmp(change->next->id, change->agent->profile->id) == 0;
}

/* NULL: the file says what runs. */
static void
note_refusal(struct agent *agent, const char *why)
{
	free(agent->refused);
	agent->refused = why ? xstrdup(why) : NULL;
	agent_alarm_soon(agent);
}

/* ---- the RPC -------------------------------------------------------------------------------- */

static int
apply(struct profile_change *change, const struct ly_ctx *ctx,
    const struct northbound_apply *request, struct northbound_applied *ret_applied,
    struct error *err)
{
	struct northbound_applied applied = { .changed = !is_running(change) };
	struct sources *sources = NULL;
	int rc = 0;

	memcpy(applied.profile_id, change->next->id, sizeof(applied.profile_id));
	if (!applied.changed) { /* and a restart would run it, too */
		*ret_applied = applied;
		return write_file(change, ctx, request, err);
	}
	rc = agent_refuse(change, err);
	if (rc == 0)
		rc = agent_open_sources(change->agent, change->next, &sources, err);
	if (rc == 0)
		rc = write_file(change, ctx, request, err);
	if (rc < 0 || request->dry_run)
		sources_free(sources);
	if (rc < 0)
		return rc;
	agent_add_notes(change, &applied);
	if (!request->dry_run)
		take_effect(change, sources, request->who, request->reason);
	*ret_applied = applied;
	return 0;
}

int
agent_apply_profile(void *arg, const struct northbound_apply *request,
    struct northbound_applied *ret_applied, struct error *err)
{
	struct profile_change change = { .agent = arg, .force = request->force };
	const struct agent_options *options = &change.agent->options;
	struct ly_ctx *ctx = NULL;
	int rc = profile_yang_context(options->yang_dir, &ctx, err);

	if (rc == 0)
		rc = profile_load_text(ctx, request->text, strlen(request->text),
		    options->profile_path, &change.next, err);
	if (rc == 0) {
		change.moves = moves_compute(change.agent->profile, change.next);
		rc = apply(&change, ctx, request, ret_applied, err);
	}
	if (rc == 0 && !request->dry_run)
		note_refusal(change.agent, NULL);
	ly_ctx_destroy(ctx);
	end_change(&change);
	return rc;
}

int
agent_check_profile(void *arg, const struct profile *next, struct error *err)
{
	struct profile_change change = { .agent = arg,
		.next = (struct profile *)next }; /* borrowed here */
	int rc = 0;

	change.moves = moves_compute(change.agent->profile, next);
	if (!is_running(&change))
		rc = agent_refuse(&change, err);
	moves_free(change.moves);
	return rc;
}

/* ---- SIGHUP --------------------------------------------------------------------------------- */

static int
reload(struct profile_change *change, struct error *err)
{
	struct sources *sources = NULL;
	int rc;

	if (is_running(change)) {
		log_info("profile", "reloaded: it runs already");
		return 0;
	}
	rc = agent_refuse(change, err);
	if (rc == 0)
		rc = agent_open_sources(change->agent, change->next, &sources, err);
	if (rc == 0)
		take_effect(change, sources, "reload", "");
	return rc;
}

void
agent_reload(struct agent *agent)
{
	struct profile_change change = { .agent = agent };
	struct error err = { "" };
	int rc =
	    profile_load(agent->options.profile_path, agent->options.yang_dir, &change.next, &err);

	if (rc == 0) {
		change.moves = moves_compute(agent->profile, change.next);
		rc = reload(&change, &err);
	}
	note_refusal(agent, rc < 0 ? err.text : NULL);
	if (rc < 0) {
		log_error("profile", "not reloaded, the old one runs on: %s", err.text);
		agent_record(
		    agent, "profile", "", "not reloaded, the old one runs on: %s", err.text);
	}
	end_change(&change);
}
