/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A router module, an owner of plain values, and the lab router as its peer, for the tests
 * test_router.c and test_router_reads.c. Everything that the owner hears is one letter in a log:
 *
 * - E, e: the edit session came, went; R, r: the read session;
 * - L, A: lists, lists of an audit; ?: the plan was asked; P: a poll;
 * - I, F: counters of an interface, of the filters; a, n: an answer to a question, none;
 * - c, x, f, d, l, u: committed, refused, load failed, database full, lost, unknown.
 *
 * Faults come from the lab router's control socket only.
 */
#ifndef AUTOFBF_TESTS_ROUTER_RIG_H
#define AUTOFBF_TESTS_ROUTER_RIG_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <event2/event.h>
#include <libssh/libssh.h>

#include "router.h"

static const char rig_static_xml[] =
    "<configuration><system><configuration-database><ephemeral>"
    "<instance><name>autofbf</name></instance></ephemeral></configuration-database></"
    "system><policy-options>"
    "<prefix-list><name>a-base-v4</name><prefix-list-item><name>10.0.0.0/26</name>"
    "</prefix-list-item></prefix-list></policy-options></configuration>";

struct rig_box { /* the lab router and its files */
	char dir[64];
	char *fingerprint;
	pid_t pid;
	unsigned port;
};

struct rig {
	struct rig_box *box;
	struct event_base *base;
	struct router *router;
	struct profile profile;
	struct ip addresses[2];
	char *keys[1];
	char key_file[96];
	struct listset want, have, statics;
	char log[4096];
	bool in_call;
	enum router_outcome outcome;
	struct router_times times;
	size_t edits;
	char detail[512], down_reason[512], answer[4096];
	size_t null_replies, error_replies, counter_errors, counter_failures;
	size_t routes_found;               /* of those that the last poll asked for */
	const char *fault_after_poll;      /* armed once, before anything else is asked */
	const char *fault_after_interface; /* armed once, when counters of one have come */
	char failure[512];                 /* of counters, the last one */
	const char *awaited;
	size_t awaited_from;
};

/* ---- the lab router ------------------------------------------------------------------------ */

static inline const char *
rig_build_dir(void)
{
	static char dir[512];
	ssize_t size = readlink("/proc/self/exe", dir, sizeof(dir) - 1);

	if (size < 0)
		abort();
	dir[size] = '\0';
	*strrchr(dir, '/') = '\0'; /* the test, then tests/ */
	*strrchr(dir, '/') = '\0';
	return dir;
}

/* Runs "labrouter ctl ..." and returns what it printed (static buffer). */
static inline const char *
rig_ctl(struct rig_box *box, const char *words)
{
	static char output[65536];
	char command[1200];
	size_t size;
	FILE *pipe;

	snprintf(command, sizeof(command), "%s/labrouter ctl %s/ctl %s", rig_build_dir(), box->dir,
	    words);
	pipe = popen(command, "r");
	size = fread(output, 1, sizeof(output) - 1, pipe);
	output[size] = '\0';
	if (pclose(pipe) != 0)
		fail_msg("%s: %s", words, output);
	return output;
}

static inline unsigned long
rig_number(struct rig_box *box, const char *name)
{
	char line[64];
	const char *found;

	snprintf(line, sizeof(line), "%s ", name);
	found = strstr(rig_ctl(box, "status"), line);
	assert_non_null(found);
	return strtoul(found + strlen(line), NULL, 10);
}

static inline void
rig_write(struct rig_box *box, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", box->dir, name);
	file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
}

static inline char *
rig_make_key(struct rig_box *box, const char *name)
{
	char path[128];
	unsigned char *hash;
	char *fingerprint;
	size_t size;
	ssh_key key;

	snprintf(path, sizeof(path), "%s/%s", box->dir, name);
	ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key);
	ssh_pki_export_privkey_file(key, NULL, NULL, NULL, path);
	strcat(path, ".pub");
	ssh_pki_export_pubkey_file(key, path);
	ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &size);
	fingerprint = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
	ssh_clean_pubkey_hash(&hash);
	ssh_key_free(key);
	return fingerprint;
}

static inline void
rig_run_labrouter(struct rig_box *box, const char *option)
{
	char command[1200];

	snprintf(command, sizeof(command),
	    "cd %s && exec %s/labrouter --config static.xml --listen 127.0.0.1:0 --host-key host "
	    "--authorized-keys user.pub --control ctl --simulate --peer 10.9.0.1 %s > ready "
	    "2> log",
	    box->dir, rig_build_dir(), option);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing is left behind when a test fails */
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Waits for the line that tells the port. */
static inline unsigned
rig_await_port(struct rig_box *box)
{
	char path[128], line[128];
	unsigned port = 0;
	int tries;

	snprintf(path, sizeof(path), "%s/ready", box->dir);
	for (tries = 0; tries < 1000 && port == 0; tries++) {
		FILE *file = fopen(path, "r");

		while (file && fgets(line, sizeof(line), file))
			(void)sscanf(line, "labrouter: ready on port %u", &port);
		if (file)
			fclose(file);
		usleep(10000);
	}
	if (port == 0)
		fail_msg("the lab router does not start, see %s/log", box->dir);
	return port;
}

static inline void
rig_box_start(struct rig_box *box, const char *option)
{
	memset(box, 0, sizeof(*box));
	snprintf(box->dir, sizeof(box->dir), "/tmp/test_router.XXXXXX");
	assert_non_null(mkdtemp(box->dir));
	rig_write(box, "static.xml", rig_static_xml);
	box->fingerprint = rig_make_key(box, "host");
	ssh_string_free_char(rig_make_key(box, "user"));
	box->pid = fork();
	if (box->pid == 0)
		rig_run_labrouter(box, option);
	box->port = rig_await_port(box);
}

static inline void
rig_box_stop(struct rig_box *box)
{
	char command[128];

	kill(box->pid, SIGTERM);
	waitpid(box->pid, NULL, 0);
	ssh_string_free_char(box->fingerprint);
	snprintf(command, sizeof(command), "rm -rf %s", box->dir);
	if (system(command) != 0)
		print_message("%s is left behind\n", box->dir);
}

/* ---- the owner ----------------------------------------------------------------------------- */

static inline bool
rig_is_satisfied(const struct rig *rig, size_t *ret_end)
{
	const char *p = rig->awaited, *log = rig->log + rig->awaited_from;

	for (; *p && (log = strchr(log, *p)); p++)
		log++;
	if (*p)
		return false;
	*ret_end = (size_t)(log - rig->log);
	return true;
}

static inline void
rig_note(struct rig *rig, char letter)
{
	size_t size = strlen(rig->log);

	assert_false(rig->in_call); /* everything comes from the loop */
	assert_true(size + 1 < sizeof(rig->log));
	rig->log[size] = letter;
	rig->log[size + 1] = '\0';
	if (rig->awaited && rig_is_satisfied(rig, &size))
		event_base_loopbreak(rig->base);
}

static inline void
rig_on_session(void *arg, bool is_edit, bool up, const char *detail)
{
	struct rig *rig = arg;

	if (!up)
		snprintf(rig->down_reason, sizeof(rig->down_reason), "%s", detail);
	rig_note(rig, is_edit ? (up ? 'E' : 'e') : up ? 'R' : 'r');
}

static inline void
rig_on_lists(
    void *arg, const struct listset *statics, const struct listset *ephemeral, bool is_audit)
{
	struct rig *rig = arg;

	listset_done(&rig->have);
	listset_done(&rig->statics);
	rig->have = rig->statics = (struct listset){ 0 };
	listset_copy(ephemeral, &rig->have);
	listset_copy(statics, &rig->statics);
	rig_note(rig, is_audit ? 'A' : 'L');
}

static inline bool
rig_on_plan(void *arg, struct plan *ret_plan)
{
	struct rig *rig = arg;

	rig_note(rig, '?');
	plan_make(&rig->have, &rig->want, ret_plan);
	if (ret_plan->count > 0)
		return true;
	plan_done(ret_plan);
	return false;
}

static inline void
rig_on_done(void *arg, enum router_outcome outcome, const struct router_times *times, size_t edits,
    const char *detail)
{
	struct rig *rig = arg;

	rig->outcome = outcome;
	rig->times = *times;
	rig->edits = edits;
	snprintf(rig->detail, sizeof(rig->detail), "%s", detail);
	rig_note(rig, "cxfdlu"[outcome]);
}

static inline void
rig_on_poll(void *arg, const struct router_poll *poll)
{
	const struct junos_reply *replies[] = { poll->summary, poll->neighbors, poll->bfd,
		poll->uptime };
	struct rig *rig = arg;
	size_t i;

	assert_true(mtime_reached(mtime_now(), poll->asked_at));
	rig->null_replies = rig->error_replies = 0;
	for (i = 0; i < 4; i++) {
		rig->null_replies += !replies[i];
		rig->error_replies += replies[i] && junos_reply_error(replies[i]);
	}
	rig->routes_found = 0;
	for (i = 0; i < poll->route_count; i++)
		rig->routes_found +=
		    junos_find_route(poll->route_replies[i], &poll->routes[i].destination) != NULL;
	if (rig->fault_after_poll)
		rig_ctl(rig->box, rig->fault_after_poll);
	rig->fault_after_poll = NULL;
	rig_note(rig, 'P');
}

static inline void
rig_on_counters(void *arg, const struct router_count *count)
{
	struct rig *rig = arg;

	assert_true(mtime_reached(mtime_now(), count->read_at));
	assert_true(!count->interface != !count->filter);
	assert_true(!count->reply == (count->failure != NULL));
	rig->counter_errors += count->reply && junos_reply_error(count->reply) != NULL;
	rig->counter_failures += count->failure != NULL;
	if (count->failure)
		snprintf(rig->failure, sizeof(rig->failure), "%s", count->failure);
	if (rig->fault_after_interface && count->interface) {
		rig_ctl(rig->box, rig->fault_after_interface);
		rig->fault_after_interface = NULL;
	}
	rig_note(rig, count->interface ? 'I' : 'F');
}

/* As a session that asks and dies with the answer; arg is the rig. */
static inline void
rig_on_answer(void *arg, struct router_ask *ask)
{
	struct rig *rig = arg;
	size_t size = 0;
	const char *text = router_ask_text(ask, &size);

	assert_true(!text || strlen(text) == size);
	snprintf(rig->answer, sizeof(rig->answer), "%s", text ? text : router_ask_failure(ask));
	router_ask_free(ask);
	rig_note(rig, text ? 'a' : 'n');
}

static inline struct router_ask *
rig_ask(struct rig *rig, int kind, const char *table, const char *destination)
{
	struct router_question question = { .kind = kind, .table = table };
	struct router_ask *ask;
	struct error err;

	if (destination)
		assert_int_equal(prefix_parse(destination, &question.destination), 0);
	rig->in_call = true;
	ask = router_ask_new(rig->router, &question, rig_on_answer, rig, &err);
	rig->in_call = false;
	snprintf(rig->detail, sizeof(rig->detail), "%s", ask ? "" : err.text);
	return ask;
}

/* ---- life and use -------------------------------------------------------------------------- */

static inline void
rig_prepare(struct rig *rig, struct rig_box *box)
{
	memset(rig, 0, sizeof(*rig));
	rig->box = box;
	rig->keys[0] = box->fingerprint;
	snprintf(rig->key_file, sizeof(rig->key_file), "%s/user", box->dir);
	assert_int_equal(ip_parse("127.0.0.1", &rig->addresses[0]), 0);
	rig->profile.router = (struct profile_router){ .addresses = rig->addresses,
		.address_count = 1,
		.port = (uint16_t)box->port,
		.user = (char *)(uintptr_t) "autofbf",
		.key_file = rig->key_file,
		.host_keys = rig->keys,
		.host_key_count = 1,
		.instance = (char *)(uintptr_t) "autofbf",
		.connect_timeout_ms = 5000,
		.reply_timeout_ms = 5000,
		.commit_timeout_ms = 5000 };
	rig->profile.poll_interval_ms = 3600000;
	rig->profile.audit_interval_ms = 3600000;
	rig->base = event_base_new();
}

static inline void
rig_connect(struct rig *rig)
{
	const struct router_callbacks callbacks = { rig_on_session, rig_on_lists, rig_on_plan, NULL,
		rig_on_done, rig_on_poll, rig_on_counters, rig };

	rig->in_call = true;
	rig->router = router_new(rig->base, &rig->profile, &callbacks);
	rig->in_call = false;
}

static inline void
rig_on_hang(evutil_socket_t fd, short what, void *arg)
{
	struct rig *rig = arg;

	fail_msg(
	    "waited for %s, heard %s (%s)", rig->awaited, rig->log, router_last_error(rig->router));
}

/* Runs the loop until these letters have come in this order, other ones between; counted from the
 * end of the last call's match. */
static inline void
rig_await(struct rig *rig, const char *letters)
{
	const struct timeval limit = { 20, 0 };
	struct event *watchdog = evtimer_new(rig->base, rig_on_hang, rig);
	size_t end = 0;

	rig->awaited = letters;
	event_add(watchdog, &limit);
	if (!rig_is_satisfied(rig, &end))
		event_base_dispatch(rig->base);
	event_free(watchdog);
	assert_true(rig_is_satisfied(rig, &end));
	rig->awaited_from = end;
	rig->awaited = NULL;
}

/* Lets the loop run for so long; what comes is in the log. */
static inline void
rig_idle(struct rig *rig, unsigned ms)
{
	const struct timeval time = { ms / 1000, (ms % 1000) * 1000 };

	event_base_loopexit(rig->base, &time);
	event_base_dispatch(rig->base);
}

static inline void
rig_call(struct rig *rig, void (*function)(struct router *))
{
	rig->in_call = true;
	function(rig->router);
	rig->in_call = false;
}

static inline void
rig_end(struct rig *rig)
{
	rig_call(rig, router_free);
	event_base_free(rig->base);
	listset_done(&rig->want);
	listset_done(&rig->have);
	listset_done(&rig->statics);
}

/* Wants count items 10.N.x.0/24.. in one list; replaces what was wanted. */
static inline void
rig_want(struct rig *rig, const char *list, size_t count)
{
	struct prefix_list *wanted;
	size_t i;

	listset_done(&rig->want);
	rig->want = (struct listset){ 0 };
	wanted = listset_list(&rig->want, list);
	for (i = 0; i < count; i++) {
		struct prefix item = {
			{ FAMILY_IPV4, { 10, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i } },
			32
		};

		prefix_list_add(wanted, &item);
	}
	listset_sort(&rig->want);
}

/* The router's list has what is wanted. */
static inline bool
rig_is_done(const struct rig *rig)
{
	struct plan plan;
	bool done;

	plan_make(&rig->have, &rig->want, &plan);
	done = plan.count == 0;
	plan_done(&plan);
	return done;
}

/* ---- what most tests do -----------------------------------------------------------------------
 */

static inline size_t
rig_count(const struct rig *rig, char letter)
{
	const char *p;
	size_t n = 0;

	for (p = rig->log; *p; p++)
		n += *p == letter;
	return n;
}

/* A connected rig whose lists are known. */
static inline void
rig_begin(struct rig *rig, struct rig_box *box, const char *option)
{
	rig_box_start(box, option);
	rig_prepare(rig, box);
	rig_connect(rig);
	rig_await(rig, "L");
	while (rig_count(rig, 'P') == 0)
		rig_await(rig, "P");
}

static inline void
rig_finish(struct rig *rig)
{
	struct rig_box *box = rig->box;

	rig_end(rig);
	rig_box_stop(box);
}

static inline void
rig_commit(struct rig *rig, size_t items)
{
	rig_want(rig, "a-ovr-v4", items);
	rig_call(rig, router_submit);
	rig_await(rig, "?Lc");
	assert_true(rig_is_done(rig));
}

#endif
