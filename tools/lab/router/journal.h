/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A directory with every merged configuration that the router ever had: NNNNNN.xml, the static
 * configuration beside it when it changed (NNNNNN.static.xml), and index.jsonl, one line per
 * change:
 *   {"seq":2,"time_us":..,"event":"commit","session":1001,"instance":"autofbf","edits":3,
 *    "merged":"000002.xml","static":"000001.static.xml","static_hash":"<16 hex digits>",
 *    "exported":["cgn-export-outside-v4 10.64.0.0/16 accept term normal", ..]}
 * exported: what export policies make of routes then, as the control command prints it. event:
 * start, commit, static-commit, reboot. session 0: nobody; instance null: none. A line is
 * written after its files, so a reader of the index always finds them.
 */
#ifndef LABROUTER_JOURNAL_H
#define LABROUTER_JOURNAL_H

#include "database.h"
#include "error.h"
#include "policy.h"

struct journal;

/* Makes the directory; a journal that is there is continued. */
int journal_new(const char *path, struct journal **ret_journal, struct error *err);
void journal_free(struct journal *journal); /* NULL is fine */
/* 0, or -errno with err. */
int journal_write(struct journal *journal, const struct database_change *change,
    struct database *database, const struct announcements *exported, struct error *err);

#endif
