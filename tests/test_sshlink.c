/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The link against a real SSH server in a child process: every way to fail on the way up says what
 * is wrong, messages of any size come through in both framings, bad peers cost the link only, and
 * no descriptor is left behind. Also the hello as text.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event2/event.h>

#include "error.h"
#include "hello.h"
#include "ssh_peer.h"
#include "sshlink.h"

#define MARK "]]>]]>"
#define CAP(version) "<capability>urn:ietf:params:netconf:base:" version "</capability>"
#define HELLO(caps) \
	"<hello xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><capabilities>" caps \
	"</capabilities><session-id>7</session-id></hello>"
#define OURS HELLO(CAP("1.0") CAP("1.1"))
#define HELLO_10 HELLO(CAP("1.0"))
#define HELLO_11 HELLO(CAP("1.0") CAP("1.1"))
#define COMMENTS "<!-- no zombies here: <hello> -->\n<!-- user x, class y -->\n"
#define RESTRICTED \
	COMMENTS "<rpc-reply>\n<rpc-error>\n<error-severity>warning</error-severity>\n" \
	         "<error-message>\nuser \"x\" has no  " \
	         "rights.\n</error-message>\n</rpc-error>\n</rpc-reply>\n" \
	         "<rpc-reply>\n<rpc-error>\n<error-message>Restricted.</error-message></" \
	         "rpc-error></rpc-reply>\n"

enum { STEP_MS = 400, SILENCE_MS = 200, MAX_MESSAGE = 8 << 20 };

/* ---- hello --------------------------------------------------------------------------------- */

struct hello_case {
	const char *name, *text;
	int rc;
	const char *notice, *id;
	bool base_1_0, base_1_1;
};

static const struct hello_case hellos[] = {
	{ "plain", HELLO_11, 1, "", "7", true, true },
	{ "declaration", "<?xml version=\"1.0\"?>\n" HELLO_10, 1, "", "7", true, false },
	{ "comments", COMMENTS HELLO_10, 1, "", "7", true, false },
	{ "prefix",
	    "<nc:hello xmlns:nc=\"urn:x\">\n<nc:capabilities><nc:capability>\n"
	    "urn:ietf:params:netconf:base:1.1\n</nc:capability></nc:capabilities>"
	    "<nc:session-id> 92512 </nc:session-id></nc:hello>\n",
	    1, "", "92512", false, true },
	{ "no session-id", "<hello><capabilities>" CAP("1.0") "</capabilities></hello>", 1, "", "",
	    true, false },
	{ "restricted", RESTRICTED HELLO_10, 1, "user \"x\" has no rights.; Restricted.", "7", true,
	    false },
	{ "restricted, no hello", RESTRICTED, 0, "user \"x\" has no rights.; Restricted.", "",
	    false, false },
	{ "plain text", "error: netconf\r\n is\x07 off\n", 0, "error: netconf is off", "", false,
	    false },
	{ "empty", "", 0, "", "", false, false },
	{ "open comment", "<!-- <hello/>", 0, "", "", false, false },
	{ "open error", "<error-message>half", 0, "half", "", false, false },
	{ "module is no base",
	    HELLO("<capability>urn:ietf:params:xml:ns:netconf:base:1.0?module=x"
	          "</capability>"),
	    -EBADMSG, "", "", false, false },
	{ "no capability", "<hello/>", -EBADMSG, "", "", false, false },
	{ "not well-formed", "<hello><capabilities></hello>", -EBADMSG, "", "", false, false },
	{ "document type", "<!DOCTYPE x [<!ENTITY e \"e\">]>" HELLO_10, -EBADMSG, "", "", false,
	    false },
	{ "longer name", "<hellos/>", 0, "", "", false, false },
};

static void
test_hello(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(hellos) / sizeof(hellos[0]); i++) {
		const struct hello_case *c = &hellos[i];
		struct error err = { "" };
		struct hello hello = { 0 };
		char *copy = xstrdup(c->text); /* exact size, for the sanitizer */
		int rc = hello_read(copy, strlen(copy), &hello, &err);

		free(copy);
		if (rc != c->rc || (rc >= 0 && (strcmp(hello.notice, c->notice) != 0 ||
		                                   strcmp(hello.session_id, c->id) != 0 ||
		                                   hello.base_1_0 != c->base_1_0 ||
		                                   hello.base_1_1 != c->base_1_1)))
			fail_msg("%s: rc %d, notice \"%s\", id \"%s\", %d %d", c->name, rc,
			    hello.notice, hello.session_id, hello.base_1_0, hello.base_1_1);
		assert_true((rc < 0) == (err.text[0] != '\0'));
	}
}

/* ---- one link ------------------------------------------------------------------------------ */

struct fixture {
	char dir[64];
	char host_key[96], user_key[96], user_public[100], other_key[96], hashed[96], plain[96];
	char *fingerprint, *base64, *line; /* of the host key */
};

enum free_in { FREE_LATER, FREE_IN_UP, FREE_IN_MESSAGE, FREE_IN_DOWN };

struct link_test {
	struct event_base *base;
	struct sshlink *link;
	bool in_call; /* inside a call of the header: no callback may come */
	bool up, down;
	char notice[256], reason[512];
	size_t messages, bytes, wanted_messages;
	unsigned sum;
	const char *first; /* sent at once when up */
	enum free_in free_in;
};

static void
finish(struct link_test *test)
{
	event_base_loopbreak(test->base);
}

static void
drop(struct link_test *test)
{
	sshlink_free(test->link);
	test->link = NULL;
	finish(test);
}

static void
send_text(struct link_test *test, const char *text, size_t size)
{
	test->in_call = true;
	sshlink_send(test->link, text, size);
	test->in_call = false;
}

static void
on_up(void *arg, const char *notice)
{
	struct link_test *test = arg;

	assert_false(test->in_call);
	assert_false(test->up || test->down);
	assert_true(sshlink_is_up(test->link));
	test->up = true;
	snprintf(test->notice, sizeof(test->notice), "%s", notice);
	if (test->free_in == FREE_IN_UP)
		drop(test);
	else if (test->first)
		send_text(test, test->first, strlen(test->first));
	else
		finish(test);
}

static void
on_message(void *arg, const char *message, size_t size)
{
	struct link_test *test = arg;
	size_t i;

	assert_false(test->in_call);
	assert_true(test->up && !test->down);
	assert_int_equal(message[size], '\0');
	test->messages++;
	test->bytes += size;
	for (i = 0; i < size; i++)
		test->sum = test->sum * 31 + (unsigned char)message[i];
	if (test->free_in == FREE_IN_MESSAGE)
		drop(test);
	else if (test->messages == test->wanted_messages)
		finish(test);
}

static void
on_down(void *arg, const char *reason)
{
	struct link_test *test = arg;

	assert_false(test->in_call);
	assert_false(test->down);
	test->down = true;
	snprintf(test->reason, sizeof(test->reason), "%s", reason);
	if (test->free_in == FREE_IN_DOWN)
		drop(test);
	else
		finish(test);
}

static void
on_hang(evutil_socket_t fd, short what, void *arg)
{
	fail_msg("the link neither came nor went");
}

/* Runs until a callback ends it. */
static void
run(struct link_test *test)
{
	const struct timeval limit = { 20, 0 };
	struct event *watchdog = evtimer_new(test->base, on_hang, NULL);

	event_add(watchdog, &limit);
	event_base_dispatch(test->base);
	event_free(watchdog);
}

static struct sshlink_config
make_config(const struct fixture *f, uint16_t port, const char *const *keys)
{
	struct sshlink_config config = { .port = port,
		.user = "autofbf",
		.key_file = f->user_key,
		.pins = { keys, keys ? 1 : 0, NULL },
		.hello = OURS,
		.step_timeout_ms = STEP_MS,
		.silence_timeout_ms = SILENCE_MS,
		.max_message = MAX_MESSAGE };

	assert_int_equal(ip_parse("127.0.0.1", &config.address), 0);
	return config;
}

static void
start(struct link_test *test, const struct sshlink_config *config)
{
	const struct sshlink_callbacks callbacks = { on_up, on_message, on_down, test };

	test->base = event_base_new();
	test->in_call = true;
	test->link = sshlink_new(test->base, config, &callbacks);
	test->in_call = false;
	run(test);
}

static void
end(struct link_test *test)
{
	sshlink_free(test->link);
	event_base_free(test->base);
}

static struct ssh_peer
make_peer(const struct fixture *f, enum ssh_peer_manner manner, const char *hello)
{
	return (struct ssh_peer){ .manner = manner,
		.hello = hello,
		.chunked = strstr(hello, "base:1.1") != NULL,
		.host_key_file = f->host_key,
		.user_key_file = f->user_public };
}

static size_t
count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* ---- on the way up ------------------------------------------------------------------------- */

struct way_up {
	const char *name;
	enum ssh_peer_manner manner;
	const char *hello;
	const char *want; /* in the reason; NULL: it comes up */
	const char *notice;
};

static const struct way_up ways_up[] = {
	{ "base:1.0", PEER_SERVES, HELLO_10 MARK, NULL, "" },
	{ "base:1.1", PEER_SERVES, HELLO_11 MARK, NULL, "" },
	{ "junos greeting", PEER_SERVES, COMMENTS HELLO_10 "\n" MARK "\n", NULL, "" },
	{ "notice in one frame", PEER_SERVES, RESTRICTED HELLO_10 MARK, NULL,
	    "user \"x\" has no rights.; Restricted." },
	{ "notice in its own frame", PEER_SERVES, RESTRICTED MARK HELLO_10 MARK, NULL,
	    "user \"x\" has no rights.; Restricted." },
	{ "silent TCP", PEER_NEVER_ACCEPTS, "", "key exchange: no answer in 400 ms", NULL },
	{ "TCP closed", PEER_CLOSES_TCP, "", "SSH key exchange failed: ", NULL },
	{ "no SSH", PEER_TALKS_HTTP, "", "SSH key exchange failed: ", NULL },
	{ "user refused", PEER_REFUSES_USER, "", "user autofbf is refused: install the public half",
	    NULL },
	{ "passwords only", PEER_WANTS_PASSWORDS, "", "takes no public keys for user autofbf",
	    NULL },
	{ "stalls", PEER_STALLS_IN_AUTH, "", "authentication: no answer in 400 ms", NULL },
	{ "no subsystem", PEER_HAS_NO_SUBSYSTEM, "", "no subsystem netconf on this port", NULL },
	{ "no hello", PEER_SAYS_NOTHING, "", "hello: no answer in 400 ms", NULL },
	{ "half a hello", PEER_SERVES, "<hello>", "hello: no answer in 400 ms", NULL },
	{ "text, then the end", PEER_SAYS_AND_CLOSES, "error: netconf is off\n",
	    "hello failed: error: netconf is off", NULL },
	{ "errors, then the end", PEER_SAYS_AND_CLOSES, RESTRICTED,
	    "hello failed: user \"x\" has no rights.; Restricted.", NULL },
	{ "just the end", PEER_SAYS_AND_CLOSES, "", "hello failed: ", NULL },
	{ "no version", PEER_SERVES, HELLO("") MARK, "neither base:1.0 nor base:1.1", NULL },
	{ "document type", PEER_SERVES, "<!DOCTYPE x>" HELLO_10 MARK, "document type", NULL },
	{ "bad XML", PEER_SERVES, "<hello><a></hello>" MARK, "no well-formed XML", NULL },
};

static void
test_ways_up(void **state)
{
	const struct fixture *f = *state;
	const char *keys[] = { f->fingerprint };
	size_t i, before = count_descriptors();

	for (i = 0; i < sizeof(ways_up) / sizeof(ways_up[0]); i++) {
		const struct way_up *c = &ways_up[i];
		struct ssh_peer peer = make_peer(f, c->manner, c->hello);
		struct ssh_peer_process process = peer_start(&peer);
		struct sshlink_config config = make_config(f, process.port, keys);
		struct link_test test = { 0 };

		start(&test, &config);
		if (test.up != !c->want || (c->want && !strstr(test.reason, c->want)) ||
		    (c->notice && strcmp(test.notice, c->notice) != 0))
			fail_msg("%s: up %d, notice \"%s\", reason \"%s\"", c->name, test.up,
			    test.notice, test.reason);
		if (c->want)
			assert_memory_equal(test.reason, "127.0.0.1 port ", 15);
		end(&test);
		peer_stop(&process);
		assert_int_equal(count_descriptors(), before);
	}
}

static void
test_nobody_listens(void **state)
{
	const struct fixture *f = *state;
	struct ssh_peer peer = make_peer(f, PEER_NEVER_ACCEPTS, "");
	struct ssh_peer_process process = peer_start(&peer);
	struct sshlink_config config = make_config(f, process.port, NULL);
	struct link_test test = { 0 };

	peer_stop(&process); /* the port is free, and nobody else takes it that fast */
	start(&test, &config);
	assert_true(test.down);
	assert_non_null(strstr(test.reason, "TCP connect failed: Connection refused"));
	end(&test);
}

/* ---- host keys ----------------------------------------------------------------------------- */

struct pin_case {
	const char *name;
	size_t key; /* offset of the pin in the fixture, 0: none */
	const char *text;
	const char *known_hosts; /* "plain", "hashed", "missing", "other" */
	const char *want;        /* in the reason; NULL: accepted */
};

static const struct pin_case pins[] = {
	{ "fingerprint", offsetof(struct fixture, fingerprint), NULL, NULL, NULL },
	{ "key line", offsetof(struct fixture, line), NULL, NULL, NULL },
	{ "base64 alone", offsetof(struct fixture, base64), NULL, NULL, NULL },
	{ "nothing", 0, NULL, NULL,
	    "no host key is configured: the peer shows ssh-ed25519 SHA256:" },
	{ "another", 0, "SHA256:AAAA", NULL, "is not among the accepted ones: " },
	{ "empty line", 0, "  ", NULL, "is not among the accepted ones: " },
	{ "known_hosts", 0, NULL, "plain", NULL },
	{ "known_hosts, hashed", 0, NULL, "hashed", NULL },
	{ "known_hosts, other key", 0, NULL, "other", "(known-hosts has a different one)" },
	{ "known_hosts, missing", 0, NULL, "missing", "cannot be read" },
	{ "known_hosts or list", offsetof(struct fixture, line), NULL, "other", NULL },
	{ "list or known_hosts", 0, "SHA256:AAAA", "plain", NULL },
};

/* A known_hosts file for this port, as ssh-keyscan and ssh-keygen -H write it. */
static const char *
write_known_hosts(const struct fixture *f, const char *which, uint16_t port, char path[96])
{
	static const char other[] =
	    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f";
	char command[300];
	FILE *file;

	if (!which)
		return NULL;
	snprintf(path, 96, "%s/%s", f->dir, which);
	if (strcmp(which, "missing") == 0)
		return path;
	file = fopen(path, "w");
	fprintf(file, "[127.0.0.1]:%u %s\n", port, strcmp(which, "other") == 0 ? other : f->line);
	fclose(file);
	snprintf(command, sizeof(command), "ssh-keygen -q -H -f %s >/dev/null 2>&1", path);
	if (strcmp(which, "hashed") == 0 && system(command) != 0)
		print_message("no ssh-keygen: hashed names not tried\n");
	return path;
}

static void
test_pins(void **state)
{
	const struct fixture *f = *state;
	size_t i;

	for (i = 0; i < sizeof(pins) / sizeof(pins[0]); i++) {
		const struct pin_case *c = &pins[i];
		struct ssh_peer peer = make_peer(f, PEER_SERVES, HELLO_11 MARK);
		struct ssh_peer_process process = peer_start(&peer);
		const char *key = c->key ? *(char *const *)((const char *)f + c->key) : c->text;
		const char *keys[] = { key };
		struct sshlink_config config = make_config(f, process.port, key ? keys : NULL);
		struct link_test test = { 0 };
		char path[96];

		config.pins.known_hosts = write_known_hosts(f, c->known_hosts, process.port, path);
		start(&test, &config);
		if (test.up != !c->want || (c->want && !strstr(test.reason, c->want)))
			fail_msg("%s: up %d, reason \"%s\"", c->name, test.up, test.reason);
		end(&test);
		peer_stop(&process);
	}
}

static void
test_bad_key_files(void **state)
{
	const struct fixture *f = *state;
	const char *const files[] = { "/nonexistent", "/dev/null", f->user_public };
	const char *keys[] = { f->fingerprint };
	size_t i;

	for (i = 0; i < 3; i++) {
		struct ssh_peer peer = make_peer(f, PEER_SERVES, HELLO_11 MARK);
		struct ssh_peer_process process = peer_start(&peer);
		struct sshlink_config config = make_config(f, process.port, keys);
		struct link_test test = { 0 };

		config.key_file = files[i];
		start(&test, &config);
		assert_true(test.down);
		assert_non_null(strstr(test.reason, "no private key that this user can read"));
		assert_non_null(strstr(test.reason, files[i]));
		end(&test);
		peer_stop(&process);
	}
}

/* ---- messages ------------------------------------------------------------------------------ */

static const char *const versions[] = { HELLO_10 MARK, HELLO_11 MARK };

static void
test_messages(void **state)
{
	const struct fixture *f = *state;
	const char *keys[] = { f->fingerprint };
	size_t v, i;

	for (v = 0; v < 2; v++) {
		static const size_t sizes[] = { 5, 100, 40000, 5000000, 9, 3000000 };
		struct ssh_peer peer = make_peer(f, PEER_SERVES, versions[v]);
		struct ssh_peer_process process = peer_start(&peer);
		struct sshlink_config config = make_config(f, process.port, keys);
		struct link_test test = { .wanted_messages = 506 };
		unsigned sum = 0;
		size_t bytes = 0, n;

		start(&test, &config);
		assert_true(test.up);
		for (i = 0; i < 506; i++) { /* all at once: far more than a window */
			size_t size = i < 6 ? sizes[i] : 20 + i;
			char *text = xcalloc(size, 1);

			for (n = 0; n < size; n++) {
				text[n] = (char)('a' + (n + i) % 26);
				sum = sum * 31 + (unsigned char)text[n];
			}
			send_text(&test, text, size);
			bytes += size;
			free(text);
		}
		run(&test);
		assert_false(test.down);
		assert_int_equal(test.bytes, bytes);
		assert_int_equal(test.sum, sum);
		end(&test);
		peer_stop(&process);
	}
}

struct bad_talk {
	const char *name, *hello;
	const char *message; /* what the peer is asked to do */
	const char *want;
};

static const struct bad_talk bad_talks[] = {
	{ "half a message", HELLO_10 MARK, "<raw><half",
	    "half a message, then silence for 200 ms" },
	{ "half a chunk", HELLO_11 MARK, "<raw>\n#100\nabc",
	    "half a message, then silence for 200 ms" },
	{ "bad chunk", HELLO_11 MARK, "<raw>garbage", "no NETCONF frame" },
	{ "chunk too big", HELLO_11 MARK, "<raw>\n#4294967295\n", "a message over 8388608 bytes" },
	{ "too big", HELLO_10 MARK, "<big>8388650", "a message over 8388608 bytes" },
	{ "the end", HELLO_10 MARK, "<bye>", "session failed: " },
};

static void
test_bad_talk(void **state)
{
	const struct fixture *f = *state;
	const char *keys[] = { f->fingerprint };
	size_t i, before = count_descriptors();

	for (i = 0; i < sizeof(bad_talks) / sizeof(bad_talks[0]); i++) {
		const struct bad_talk *c = &bad_talks[i];
		struct ssh_peer peer = make_peer(f, PEER_SERVES, c->hello);
		struct ssh_peer_process process = peer_start(&peer);
		struct sshlink_config config = make_config(f, process.port, keys);
		struct link_test test = { .first = c->message };

		start(&test, &config);
		if (!test.up || !test.down || !strstr(test.reason, c->want))
			fail_msg("%s: reason \"%s\"", c->name, test.reason);
		assert_false(sshlink_is_up(test.link));
		send_text(&test, "x", 1); /* must do nothing */
		end(&test);
		peer_stop(&process);
		assert_int_equal(count_descriptors(), before);
	}
}

/* A line feed after each message is no beginning of another. */
static void
test_blank_is_not_partial(void **state)
{
	const struct fixture *f = *state;
	const char *keys[] = { f->fingerprint };
	const struct timeval longer = { 0, (SILENCE_MS + 150) * 1000 };
	struct ssh_peer peer = make_peer(f, PEER_SERVES, HELLO_10 MARK);
	struct ssh_peer_process process = peer_start(&peer);
	struct sshlink_config config = make_config(f, process.port, keys);
	struct link_test test = { .first = "<blanks>", .wanted_messages = 1 };

	start(&test, &config);
	assert_int_equal(test.messages, 1);
	event_base_loopexit(test.base, &longer);
	event_base_dispatch(test.base);
	assert_false(test.down);
	end(&test);
	peer_stop(&process);
}

static void
test_free_in_callbacks(void **state)
{
	static const enum free_in places[] = { FREE_IN_UP, FREE_IN_MESSAGE, FREE_IN_DOWN };
	static const char *const firsts[] = { NULL, "<a/>", "<bye>" };
	const struct fixture *f = *state;
	const char *keys[] = { f->fingerprint };
	size_t i, before = count_descriptors();

	for (i = 0; i < 3; i++) {
		struct ssh_peer peer = make_peer(f, PEER_SERVES, HELLO_11 MARK);
		struct ssh_peer_process process = peer_start(&peer);
		struct sshlink_config config = make_config(f, process.port, keys);
		struct link_test test = { .free_in = places[i], .first = firsts[i] };

		start(&test, &config);
		assert_null(test.link);
		end(&test);
		peer_stop(&process);
		assert_int_equal(count_descriptors(), before);
	}
}

/* ---- keys ---------------------------------------------------------------------------------- */

static void
make_key(const char *path, const char *public_path, ssh_key *ret_key)
{
	assert_int_equal(ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, ret_key), SSH_OK);
	assert_int_equal(ssh_pki_export_privkey_file(*ret_key, NULL, NULL, NULL, path), SSH_OK);
	if (public_path)
		assert_int_equal(ssh_pki_export_pubkey_file(*ret_key, public_path), SSH_OK);
}

static int
set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	unsigned char *hash;
	size_t size;
	ssh_key host, user;

	snprintf(f->dir, sizeof(f->dir), "/tmp/test_sshlink.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->host_key, sizeof(f->host_key), "%s/host", f->dir);
	snprintf(f->user_key, sizeof(f->user_key), "%s/user", f->dir);
	snprintf(f->user_public, sizeof(f->user_public), "%s/user.pub", f->dir);
	make_key(f->host_key, NULL, &host);
	make_key(f->user_key, f->user_public, &user);
	ssh_get_publickey_hash(host, SSH_PUBLICKEY_HASH_SHA256, &hash, &size);
	f->fingerprint = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
	ssh_pki_export_pubkey_base64(host, &f->base64);
	f->line = xasprintf("ssh-ed25519 %s operator@console", f->base64);
	ssh_clean_pubkey_hash(&hash);
	ssh_key_free(host);
	ssh_key_free(user);
	*state = f;
	return 0;
}

static int
tear_down(void **state)
{
	static const char *const names[] = { "host", "user", "user.pub", "plain", "hashed",
		"hashed.old", "other" };
	struct fixture *f = *state;
	char path[128];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", f->dir, names[i]);
		(void)unlink(path);
	}
	(void)rmdir(f->dir);
	ssh_string_free_char(f->fingerprint);
	ssh_string_free_char(f->base64);
	free(f->line);
	free(f);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_ways_up),
		cmocka_unit_test(test_nobody_listens),
		cmocka_unit_test(test_pins),
		cmocka_unit_test(test_bad_key_files),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_bad_talk),
		cmocka_unit_test(test_blank_is_not_partial),
		cmocka_unit_test(test_free_in_callbacks),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
