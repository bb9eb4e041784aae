/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mgd's databases: the static one (committed, and one shared candidate), and the ephemeral
 * instances that the static one declares, each with its committed data and, while a session has it
 * open, a candidate. Precedence: instances in configured order (first wins), the default instance,
 * the static database.
 *
 * Sessions are numbers; 0 is nobody. A text for the client comes back in err.
 */
#ifndef LABROUTER_DATABASE_H
#define LABROUTER_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include "conf.h"
#include "error.h"

struct database;

enum database_event {
	DATABASE_START,
	DATABASE_COMMIT,
	DATABASE_STATIC_COMMIT,
	DATABASE_REBOOT,
	DATABASE_EVENT_COUNT
};
extern const char *const database_event_names[DATABASE_EVENT_COUNT]; /* "start", "commit", ... */

/* What a change of the merged configuration was. instance NULL: not of an ephemeral commit. */
struct database_change {
	enum database_event event;
	uint32_t session;
	const char *user; /* NULL: nobody; set by the caller of database_commit */
	const char *instance;
	size_t edits;
};

/* 0, or -EINVAL with err. */
int database_new(const char *static_path, struct database **ret_database, struct error *err);
void database_free(struct database *database);

/* name NULL: the default ephemeral instance. -ENOENT: not declared; -EBUSY: locked by another
 * (text as Junos has it); -EALREADY: this session has something open. */
int database_open(struct database *database, uint32_t session, const char *name, struct error *err);
/* The name of the ephemeral instance that the session has open ("default" for the default one);
 * NULL: it has none, loads and commits go to the static candidate. */
const char *database_opened_by(const struct database *database, uint32_t session);
/* Drops what was not committed. 0; -ENOENT: nothing was open (then the static candidate stays). */
int database_close(struct database *database, uint32_t session);
/* The session ended: its instance and its locks are free again. */
void database_end_session(struct database *database, uint32_t session);

/* Edits the candidate that the session means. Problems as conf_edit. -EBUSY with err: the static
 * candidate is locked by another. */
int database_load(struct database *database, uint32_t session, const xmlNode *configuration,
    enum conf_action action, struct conf_problems *problems, struct error *err);
/* Makes the session's candidate the committed data and tells what changed. -EBUSY as above. */
int database_commit(struct database *database, uint32_t session, struct database_change *ret_change,
    struct error *err);
void database_discard(struct database *database); /* the static candidate */
/* The lock of the static candidate. */
int database_lock(struct database *database, uint32_t session, struct error *err);
int database_unlock(struct database *database, uint32_t session, struct error *err);

/* Borrowed until the next change. */
const xmlDoc *database_static(const struct database *database);
const xmlDoc *database_candidate(const struct database *database, uint32_t session);
const xmlDoc *database_merged(struct database *database);
/* NULL: no such instance. "default" is the default one. */
const xmlDoc *database_ephemeral(const struct database *database, const char *name);
/* Names of declared instances in order, then "default"; NULL after the last. */
const char *database_instance_at(const struct database *database, size_t index);

/* ---- from the control socket ---- */
/* The operator's commit of another static configuration. */
int database_replace_static(struct database *database, const char *path, struct error *err);
/* The operator loads a file, as with <load-configuration action="replace">, into the static
 * candidate and commits that. -EINVAL: nothing was loaded; -EBUSY as above. */
int database_load_static(struct database *database, const char *path,
    struct database_change *ret_change, struct error *err);
/* Another user has the instance ("static" for the static candidate) open from now on; user NULL:
 * not any more. -ENOENT. */
int database_lock_by_other(struct database *database, const char *name, const char *user);
/* Ephemeral data is lost, unless the other routing engine had a copy. */
void database_reboot(struct database *database, bool keep_ephemeral);

/* Tell whether the static configuration, or its candidate, is still the same. Cheap. */
uint64_t database_static_revision(struct database *database);
uint64_t database_candidate_revision(struct database *database);
size_t database_open_count(const struct database *database); /* instances open right now */

struct database_counters {
	uint64_t opens, refused_opens, loads, static_loads, commits, static_commits;
};
const struct database_counters *database_get_counters(const struct database *database);

#endif
