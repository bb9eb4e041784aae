/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was seen and decided, and why: a ring in memory and events.jsonl on disk (bounded: rotated
 * once to events.jsonl.1 at 4 MiB). One JSON object a line. Writing never blocks the loop for long:
 * lines are small and buffered by the kernel.
 */
#ifndef AUTOFBF_HISTORY_H
#define AUTOFBF_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct history;

struct history_record {
	uint64_t id;         /* filled in by history_add, from 1, goes on over restarts */
	int64_t when_us;     /* wall clock */
	const char *kind;    /* "health", "decision", "commit", "freeze", "operator", "signal" ...
	                        (log.h: log_tags) */
	const char *subject; /* element, group or router address; "" when there is none */
	const char *text;    /* one sentence for people */
	/* for kind "decision" (a wanted layout changed) and "commit"; NULL or 0 where it does not
	 * apply */
	uint64_t plan;   /* commit: id of the newest decision it carries */
	const char *who; /* operator; NULL: nobody, the agent itself */
	const char *cause;
	const char *group, *family; /* decision: "cgn", "ipv4" */
	const char *groups; /* commit: ids of the groups whose lists or signal routes it edits, by
	                       comma; NULL: none of the profile that runs; without edits: it ended
	                       before there was a plan */
	const char
	    *healthy; /* decision: ids of the healthy set, by comma: layouts can be made again */
	const char *layout_before, *layout_after; /* 64 hexadecimal digits */
	uint32_t moved;                           /* decision: units that change their owner */
	/* for kind "commit": stage times, wall clock us, 0 = not reached */
	int64_t first_event_us, open_sent_us, commit_sent_us, committed_us, read_back_us;
	uint32_t edits;
};

/* path NULL: memory only. Without a file that can be used it is memory, too, until there is one:
 * history_failure. Ends with history_close. */
struct history *history_open(const char *path, size_t keep);
void history_close(struct history *history);
/* Copies the record; returns its id. A line of a file that lacks the later fields still loads. */
uint64_t history_add(struct history *history, const struct history_record *record);
/* Why the newest record is not in the file, an errno; 0: it is, or there is no file to be in. */
int history_failure(const struct history *history);
/* Records that are older than the oldest may be in files that were not read: the file could not be
 * opened at the start, or came later. */
bool history_is_fragment(const struct history *history);
/* Records with id > after, oldest first; strings are borrowed until the next history_add. */
size_t history_count(const struct history *history);
const struct history_record *history_get(const struct history *history, size_t index);

#endif
