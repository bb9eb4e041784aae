/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The databases of the management daemon, with the rules that an agent must live with: opening an
 * ephemeral instance takes its lock; what was not committed is gone when the instance is closed or
 * the session ends; a load without an open instance lands in the static candidate, which is shared
 * by everybody; a reboot empties every instance. The merged view is made again on demand.
 *
 * Who asks, how a refusal is worded on the wire and what a commit sets off (journal, syslog,
 * forwarding) are the business of others.
 */
#include "database.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mtime.h"

const char *const database_event_names[DATABASE_EVENT_COUNT] = { "start", "commit", "static-commit",
	"reboot" };

enum { USER_SIZE = 64 };

/* A candidate and who holds it. */
struct lock {
	uint32_t session;     /* 0: nobody of ours */
	char user[USER_SIZE]; /* "": no other user */
	int64_t since_us;
};

struct instance {
	char *name;        /* owned */
	xmlDoc *committed; /* owned */
	xmlDoc *candidate; /* owned; NULL: not open */
	size_t edits;      /* in the candidate */
	struct lock lock;
};

struct database {
	xmlDoc *committed, *candidate, *merged; /* owned; merged NULL: must be made */
	size_t static_edits;
	uint64_t revision; /* of committed; 0: must be computed */
	struct lock static_lock;
	struct instance **instances; /* owned; the last one is "default" */
	size_t instance_count;
	struct database_counters counters;
};

static const char default_name[] = "default";

static struct instance *
find_instance(const struct database *database, const char *name)
{
	for (size_t i = 0; i < database->instance_count; i++)
		if (strcmp(database->instances[i]->name, name) == 0)
			return database->instances[i];
	return NULL;
}

static struct instance *
find_opened(const struct database *database, uint32_t session)
{
	for (size_t i = 0; i < database->instance_count; i++)
		if (database->instances[i]->candidate &&
		    database->instances[i]->lock.session == session)
			return database->instances[i];
	return NULL;
}

static void
free_instance(struct instance *instance)
{
	if (!instance)
		return;
	xmlFreeDoc(instance->committed);
	xmlFreeDoc(instance->candidate);
	free(instance->name);
	free(instance);
}

/* Takes the instance out of the old set, or makes an empty one. */
static struct instance *
keep_or_make(struct instance **old, size_t old_count, const char *name)
{
	struct instance *instance;

	for (size_t i = 0; i < old_count; i++) {
		if (!old[i] || strcmp(old[i]->name, name) != 0)
			continue;
		instance = old[i];
		old[i] = NULL;
		return instance;
	}
	instance = xcalloc(1, sizeof(*instance));
	instance->name = xstrdup(name);
	instance->committed = conf_new();
	return instance;
}

/* The set of instances follows the static configuration; one that is declared no more is lost. */
static void
declare_instances(struct database *database)
{
	struct instance **old = database->instances;
	size_t old_count = database->instance_count, count = 0;
	const xmlNode *node = conf_child(conf_root(database->committed), "system");

	node = conf_child(conf_child(node, "configuration-database"), "ephemeral");
	database->instances = NULL;
	for (node = conf_child(node, "instance"); node; node = conf_next(node, "instance")) {
		char *name = conf_child_text(node, "name");

		if (name) {
			database->instances =
			    xreallocarray(database->instances, count + 1, sizeof(*old));
			database->instances[count++] = keep_or_make(old, old_count, name);
		}
		free(name);
	}
	database->instances = xreallocarray(database->instances, count + 1, sizeof(*old));
	database->instances[count++] = keep_or_make(old, old_count, default_name);
	database->instance_count = count;
	for (size_t i = 0; i < old_count; i++)
		free_instance(old[i]);
	free(old);
}

static void
forget_merged(struct database *database)
{
	xmlFreeDoc(database->merged);
	database->merged = NULL;
}

/* The committed static data is another one. */
static void
replace_committed(struct database *database, xmlDoc *doc)
{
	xmlFreeDoc(database->committed);
	database->committed = doc;
	database->revision = 0;
	declare_instances(database);
}

static void
reset_candidate(struct database *database)
{
	xmlFreeDoc(database->candidate);
	database->candidate = conf_copy(database->committed);
	database->static_edits = 0;
}

int
database_new(const char *static_path, struct database **ret_database, struct error *err)
{
	struct database *database = xcalloc(1, sizeof(*database));
	int rc = conf_load_file(static_path, &database->committed, err);

	if (rc < 0) {
		free(database);
		return rc;
	}
	reset_candidate(database);
	declare_instances(database);
	*ret_database = database;
	return 0;
}

void
database_free(struct database *database)
{
	if (!database)
		return;
	for (size_t i = 0; i < database->instance_count; i++)
		free_instance(database->instances[i]);
	free(database->instances);
	xmlFreeDoc(database->committed);
	xmlFreeDoc(database->candidate);
	xmlFreeDoc(database->merged);
	free(database);
}

/* The words of Junos when somebody else has the database. */
static int
refuse_locked(const struct lock *lock, struct error *err)
{
	time_t since = (time_t)(lock->since_us / 1000000);
	char when[32];
	struct tm tm;

	gmtime_r(&since, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	return error_set(err, -EBUSY,
	    "configuration database locked by:\n  %s terminal %s (pid %u) on since %s\n"
	    "      exclusive [edit]",
	    *lock->user ? lock->user : "netconf", *lock->user ? "pts/0" : "netconf",
	    *lock->user ? 4711u : lock->session, when);
}

static bool
is_locked_against(const struct lock *lock, uint32_t session)
{
	return *lock->user || (lock->session && lock->session != session);
}

static void
take_lock(struct lock *lock, uint32_t session)
{
	lock->session = session;
	lock->since_us = wallclock_now_us();
}

int
database_open(struct database *database, uint32_t session, const char *name, struct error *err)
{
	struct instance *instance = find_instance(database, name ? name : default_name);
	int rc = 0;

	if (!instance)
		rc = error_set(err, -ENOENT, "ephemeral instance %s does not exist", name);
	else if (find_opened(database, session))
		rc = error_set(err, -EALREADY, "configuration database is already open");
	else if (is_locked_against(&instance->lock, session))
		rc = refuse_locked(&instance->lock, err);
	if (rc < 0) {
		database->counters.refused_opens++;
		return rc;
	}
	take_lock(&instance->lock, session);
	instance->candidate = conf_copy(instance->committed);
	instance->edits = 0;
	database->counters.opens++;
	return 0;
}

const char *
database_opened_by(const struct database *database, uint32_t session)
{
	const struct instance *instance = find_opened(database, session);

	return instance ? instance->name : NULL;
}

int
database_close(struct database *database, uint32_t session)
{
	struct instance *instance = find_opened(database, session);

	if (!instance)
		return -ENOENT;
	xmlFreeDoc(instance->candidate);
	instance->candidate = NULL;
	instance->lock.session = 0;
	return 0;
}

void
database_end_session(struct database *database, uint32_t session)
{
	(void)database_close(database, session);
	if (database->static_lock.session != session)
		return;
	database->static_lock.session = 0;
	reset_candidate(database);
}

int
database_load(struct database *database, uint32_t session, const xmlNode *configuration,
    enum conf_action action, struct conf_problems *problems, struct error *err)
{
	struct instance *instance = find_opened(database, session);

	if (!instance && is_locked_against(&database->static_lock, session))
		return refuse_locked(&database->static_lock, err);
	if (instance) {
		instance->edits +=
		    conf_edit(instance->candidate, configuration, action, true, problems);
		database->counters.loads++;
	} else {
		database->static_edits +=
		    conf_edit(database->candidate, configuration, action, false, problems);
		database->counters.static_loads++;
	}
	return 0;
}

static void
commit_instance(
    struct database *database, struct instance *instance, struct database_change *ret_change)
{
	xmlFreeDoc(instance->committed);
	instance->committed = conf_copy(instance->candidate);
	ret_change->event = DATABASE_COMMIT;
	ret_change->instance = instance->name;
	ret_change->edits = instance->edits;
	instance->edits = 0;
	database->counters.commits++;
}

static void
commit_static(struct database *database, struct database_change *ret_change)
{
	replace_committed(database, conf_copy(database->candidate));
	ret_change->event = DATABASE_STATIC_COMMIT;
	ret_change->edits = database->static_edits;
	database->static_edits = 0;
	database->counters.static_commits++;
}

int
database_commit(struct database *database, uint32_t session, struct database_change *ret_change,
    struct error *err)
{
	struct instance *instance = find_opened(database, session);

	if (!instance && is_locked_against(&database->static_lock, session))
		return refuse_locked(&database->static_lock, err);
	*ret_change = (struct database_change){ .session = session };
	if (instance)
		commit_instance(database, instance, ret_change);
	else
		commit_static(database, ret_change);
	forget_merged(database);
	return 0;
}

void
database_discard(struct database *database)
{
	reset_candidate(database);
}

int
database_lock(struct database *database, uint32_t session, struct error *err)
{
	if (is_locked_against(&database->static_lock, session))
		return refuse_locked(&database->static_lock, err);
	take_lock(&database->static_lock, session);
	return 0;
}

int
database_unlock(struct database *database, uint32_t session, struct error *err)
{
	if (database->static_lock.session != session)
		return error_set(err, -ENOENT, "configuration database is not locked");
	database->static_lock.session = 0;
	return 0;
}

const xmlDoc *
database_static(const struct database *database)
{
	return database->committed;
}

const xmlDoc *
database_candidate(const struct database *database, uint32_t session)
{
	const struct instance *instance = find_opened(database, session);

	return instance ? instance->candidate : database->candidate;
}

const xmlDoc *
database_merged(struct database *database)
{
	if (database->merged)
		return database->merged;
	database->merged = conf_copy(database->committed);
	for (size_t i = database->instance_count; i-- > 0;)
		conf_merge(database->merged, database->instances[i]->committed);
	return database->merged;
}

const xmlDoc *
database_ephemeral(const struct database *database, const char *name)
{
	const struct instance *instance = find_instance(database, name);

	return instance ? instance->committed : NULL;
}

const char *
database_instance_at(const struct database *database, size_t index)
{
	return index < database->instance_count ? database->instances[index]->name : NULL;
}

int
database_replace_static(struct database *database, const char *path, struct error *err)
{
	xmlDoc *doc;
	int rc = conf_load_file(path, &doc, err);

	if (rc < 0)
		return rc;
	replace_committed(database, doc);
	reset_candidate(database);
	forget_merged(database);
	database->counters.static_commits++;
	return 0;
}

int
database_load_static(struct database *database, const char *path,
    struct database_change *ret_change, struct error *err)
{
	xmlDoc *next = conf_copy(database->candidate);
	size_t edits = 0;
	int rc = conf_edit_file(next, path, &edits, err);

	if (rc == 0 && is_locked_against(&database->static_lock, 0))
		rc = refuse_locked(&database->static_lock, err);
	if (rc < 0) {
		xmlFreeDoc(next);
		return rc;
	}
	xmlFreeDoc(database->candidate);
	database->candidate = next;
	database->static_edits += edits;
	return database_commit(database, 0, ret_change, err);
}

int
database_lock_by_other(struct database *database, const char *name, const char *user)
{
	struct instance *instance = find_instance(database, name);
	struct lock *lock = instance ? &instance->lock : NULL;

	if (strcmp(name, "static") == 0)
		lock = &database->static_lock;
	if (!lock)
		return -ENOENT;
	(void)snprintf(lock->user, sizeof(lock->user), "%s", user ? user : "");
	lock->since_us = wallclock_now_us();
	return 0;
}

void
database_reboot(struct database *database, bool keep_ephemeral)
{
	for (size_t i = 0; i < database->instance_count; i++) {
		struct instance *instance = database->instances[i];

		xmlFreeDoc(instance->candidate);
		instance->candidate = NULL;
		instance->lock = (struct lock){ 0 };
		if (keep_ephemeral)
			continue;
		xmlFreeDoc(instance->committed);
		instance->committed = conf_new();
	}
	database->static_lock = (struct lock){ 0 };
	reset_candidate(database);
	forget_merged(database);
}

uint64_t
database_static_revision(struct database *database)
{
	if (database->revision == 0)
		database->revision = conf_hash(database->committed);
	return database->revision;
}

uint64_t
database_candidate_revision(struct database *database)
{
	return database->static_edits ? conf_hash(database->candidate)
	                              : database_static_revision(database);
}

size_t
database_open_count(const struct database *database)
{
	size_t count = 0;

	for (size_t i = 0; i < database->instance_count; i++)
		count += database->instances[i]->candidate ? 1 : 0;
	return count;
}

const struct database_counters *
database_get_counters(const struct database *database)
{
	return &database->counters;
}
