/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile's loader: golden prints, golden errors, the examples, defaults, and the promise that
 * the order of lines in a file cannot be seen. UPDATE_OK=1 renews the golden files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <json-c/json.h>
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profile_file.h"
#include "profile_yang.h"

static const char yang_dir[] = "yang";

static char *
read_text(const char *path)
{
	size_t room = 1 << 20;
	char *text = xcalloc(1, room);
	FILE *file = fopen(path, "r");

	if (!file) {
		free(text);
		return NULL;
	}
	text[fread(text, 1, room - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void
write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static struct profile *
load(const char *path)
{
	struct profile *profile = NULL;
	struct error err = { "" };

	if (profile_load(path, yang_dir, &profile, &err) < 0)
		fail_msg("%s", err.text);
	return profile;
}

static struct profile *
load_text(const struct ly_ctx *ctx, const char *text)
{
	struct profile *profile = NULL;
	struct error err = { "" };

	if (profile_load_text(ctx, text, strlen(text), "text", &profile, &err) < 0)
		fail_msg("%s\n%s", err.text, text);
	return profile;
}

static struct ly_ctx *
make_context(void)
{
	struct ly_ctx *ctx = NULL;
	struct error err = { "" };

	if (profile_yang_context(yang_dir, &ctx, &err) < 0)
		fail_msg("%s", err.text);
	return ctx;
}

/* PATH with another ending. */
static char *
with_ending(const char *path, const char *ending)
{
	return xasprintf("%.*s%s", (int)(strrchr(path, '.') - path), path, ending);
}

static void
compare_golden(const char *input, const char *ending, const char *got)
{
	char *path = with_ending(input, ending), *want;

	if (getenv("UPDATE_OK"))
		write_text(path, got);
	want = read_text(path);
	if (!want)
		fail_msg("%s is missing; it would hold\n%s", path, got);
	else if (strcmp(want, got) != 0)
		fail_msg("%s:\nwant %s\ngot  %s", input, want, got);
	free(want);
	free(path);
}

/* Calls for every file of the pattern; there must be some. */
static void
each_file(const char *pattern, size_t at_least, void (*test)(const char *path))
{
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= at_least);
	for (size_t i = 0; i < found.gl_pathc; i++)
		test(found.gl_pathv[i]);
	globfree(&found);
}

static void
print_one(const char *path)
{
	struct profile *profile = load(path);

	compare_golden(path, ".ok", profile->print);
	profile_free(profile);
}

static void
test_golden_prints(void **state)
{
	(void)state;
	each_file("tests/fixtures/profile/*.in", 2, print_one);
}

static void
refuse_one(const char *path)
{
	struct profile *profile = NULL;
	struct error err = { "" };
	const char *directory_end = strrchr(path, '/') + 1;
	char *text;

	if (profile_load(path, yang_dir, &profile, &err) != -EINVAL)
		fail_msg("%s is not refused", path);
	assert_null(profile);
	/* golden texts do not hold the directory */
	assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
	text = xasprintf("%s\n", err.text + (directory_end - path));
	assert_null(strchr(err.text, '\n'));
	compare_golden(path, ".err", text);
	free(text);
}

/* libyang likes to print; a profile's error is the caller's to print. */
static void
test_golden_errors(void **state)
{
	char path[] = "/tmp/autofbf-test-XXXXXX";
	int silent = mkstemp(path), saved = dup(STDERR_FILENO);
	struct stat st;

	(void)state;
	assert_true(silent >= 0 && saved >= 0);
	assert_int_equal(unlink(path), 0);
	fflush(stderr);
	assert_true(dup2(silent, STDERR_FILENO) >= 0);
	each_file("tests/fixtures/profile-bad/*.json", 60, refuse_one);
	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	assert_int_equal(st.st_size, 0);
	close(saved);
	close(silent);
}

/* What NETCONF tells is what the print says, and on one line. */
static void
check_xml(const struct ly_ctx *ctx, const struct profile *profile)
{
	struct lyd_node *tree = NULL;
	char *text = NULL;

	assert_int_equal(lyd_parse_data_mem(ctx, profile->xml, LYD_XML,
	                     LYD_PARSE_ONLY | LYD_PARSE_STRICT, 0, &tree),
	    LY_SUCCESS);
	assert_int_equal(lyd_print_mem(&text, tree, LYD_JSON, LYD_PRINT_WD_EXPLICIT), LY_SUCCESS);
	assert_string_equal(text, profile->print);
	assert_null(strchr(profile->xml, '\n'));
	lyd_free_all(tree);
	free(text);
}

static void
load_example(const char *path)
{
	struct ly_ctx *ctx = make_context();
	struct profile *profile = load(path), *again = load_text(ctx, profile->print);

	assert_string_equal(again->print, profile->print);
	assert_string_equal(again->id, profile->id);
	assert_int_equal(strlen(profile->id), 64);
	check_xml(ctx, profile);
	profile_free(again);
	profile_free(profile);
	ly_ctx_destroy(ctx);
}

static void
test_examples(void **state)
{
	(void)state;
	each_file("profiles/*.json", 8, load_example);
	each_file("tests/fixtures/profile/*.in", 2, load_example);
}

/* Each example has a line that says when to use it. */
static void
expect_line(const char *path)
{
	char *readme = read_text("profiles/README.md");
	char *start = xasprintf("\n| `%s` | ", strrchr(path, '/') + 1);
	const char *line = strstr(readme, start);

	if (!line)
		fail_msg("profiles/README.md has no line about %s", path);
	else
		assert_true(strcspn(line + strlen(start), "\n") > 20);
	free(start);
	free(readme);
}

static void
test_examples_are_explained(void **state)
{
	(void)state;
	each_file("profiles/*.json", 8, expect_line);
}

/* ---- order ---- */

static bool
is_ordered_by_user(const char *name)
{
	return strcmp(name, "address") == 0 || strcmp(name, "host-prefix") == 0;
}

/* Shuffles members of objects and entries of arrays, all but those that the user orders. */
static struct json_object *
shuffle(struct json_object *from, const char *name)
{
	size_t count, n = 0;
	struct json_object *to, **values;
	char **names;

	if (json_object_is_type(from, json_type_object)) {
		count = (size_t)json_object_object_length(from);
		to = json_object_new_object();
	} else if (json_object_is_type(from, json_type_array)) {
		count = json_object_array_length(from);
		to = json_object_new_array();
	} else {
		return json_object_get(from);
	}
	values = xcalloc(count, sizeof(*values));
	names = xcalloc(count, sizeof(*names));
	if (json_object_is_type(from, json_type_object)) {
		json_object_object_foreach(from, key, value)
		{
			names[n] = key;
			values[n++] = shuffle(value, key);
		}
	} else {
		for (; n < count; n++)
			values[n] = shuffle(json_object_array_get_idx(from, n), name);
	}
	for (size_t i = count; i > 1 && !is_ordered_by_user(name); i--) {
		size_t j = (size_t)random() % i;
		struct json_object *value = values[i - 1];
		char *key = names[i - 1];

		values[i - 1] = values[j];
		values[j] = value;
		names[i - 1] = names[j];
		names[j] = key;
	}
	for (size_t i = 0; i < count; i++) {
		if (json_object_is_type(to, json_type_object))
			json_object_object_add(to, names[i], values[i]);
		else
			json_object_array_add(to, values[i]);
	}
	free(values);
	free(names);
	return to;
}

static void
shuffle_one(const char *path)
{
	struct ly_ctx *ctx = make_context();
	struct profile *profile = load(path);
	char *text = read_text(path);
	struct json_object *json = json_tokener_parse(text);

	for (int round = 0; round < 20; round++) {
		struct json_object *shuffled = shuffle(json, "");
		struct profile *other =
		    load_text(ctx, json_object_to_json_string_ext(shuffled, round % 3));

		assert_string_equal(other->id, profile->id);
		assert_string_equal(other->print, profile->print);
		assert_string_equal(
		    other->groups[0].elements[0].id, profile->groups[0].elements[0].id);
		profile_free(other);
		json_object_put(shuffled);
	}
	json_object_put(json);
	free(text);
	profile_free(profile);
	ly_ctx_destroy(ctx);
}

static void
test_order_is_invisible(void **state)
{
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);

	(void)state;
	print_message("SEED=%u\n", seed);
	srandom(seed);
	each_file("tests/fixtures/profile/*.in", 2, shuffle_one);
	each_file("profiles/*.json", 4, shuffle_one);
}

/* ids that look like numbers and addresses must still have one order */
static void
test_odd_ids(void **state)
{
	static const char *const ids[] = { "10", "9", "10.0.0.1", "9.0.0.1", "9z", "0x1", "1.2.3.4",
		"a", "A", "1e3" };
	enum { COUNT = sizeof(ids) / sizeof(ids[0]) };
	struct ly_ctx *ctx = make_context();
	char *print = NULL;

	(void)state;
	for (size_t turn = 0; turn < COUNT; turn++) {
		char *text = xstrdup(""), *whole;
		struct profile *profile;

		for (size_t i = 0; i < COUNT; i++) {
			size_t k = (i * 3 + turn) % COUNT;
			char *longer =
			    xasprintf("%s%s{\"id\":\"%s\",\"ipv4\":{\"inside\":{\"peer\":"
			              "\"10.1.%zu.2\"},\"outside\":{\"peer\":\"10.2.%zu.2\"}}}",
			        text, i ? "," : "", ids[k], k, k);

			free(text);
			text = longer;
		}
		whole = xasprintf(
		    "{\"autofbf:profile\":{\"router\":{\"address\":[\"::1\"],"
		    "\"host-key\":[\"k\"]},\"group\":[{\"id\":\"g\",\"pool\":[{"
		    "\"prefix\":\"10.9.0.0/24\",\"unit-length\":30}],\"element\":[%s]}]}}",
		    text);
		profile = load_text(ctx, whole);
		if (print)
			assert_string_equal(profile->print, print);
		free(print);
		print = xstrdup(profile->print);
		for (size_t i = 1; i < COUNT; i++)
			assert_true(strcmp(profile->groups[0].elements[i - 1].id,
			                profile->groups[0].elements[i].id) < 0);
		profile_free(profile);
		free(whole);
		free(text);
	}
	free(print);
	ly_ctx_destroy(ctx);
}

/* ---- what is filled in ---- */

static void
check_policy_defaults(const struct profile_group *g)
{
	assert_int_equal(g->damping_flaps, 3);
	assert_int_equal(g->damping_window_s, 600);
	assert_int_equal(g->damping_initial_s, 60);
	assert_int_equal(g->damping_maximum_s, 1800);
	assert_int_equal(g->revert, REVERT_AUTOMATIC);
	assert_int_equal(g->bfd_detection_ms, 0);
	assert_int_equal(g->entry_limit, PROFILE_MAX_LIST_ENTRIES);
	assert_int_equal(g->revert_hold_s, 300);
	for (int f = 0; f < FAMILY_COUNT; f++) {
		assert_int_equal(g->split_count[f], 0);
		assert_int_equal(g->signal[f].min_alive, 0);
		assert_false(g->signal[f].has_failed || g->signal[f].has_alter);
	}
	assert_string_equal(g->capacity_label, "units");
	assert_int_equal(g->unit_load_milli, 1000);
}

static void
test_defaults(void **state)
{
	static const char *const allowed[] = { "198.51.100.1/32", "127.0.0.0/8", "::1/128" };
	struct profile *p = load("profiles/minimal.json");
	const struct profile_element *e = &p->groups[0].elements[1];
	char text[PREFIX_TEXT_SIZE];

	(void)state;
	assert_int_equal(p->mode, MODE_ACTIVE);
	assert_int_equal(p->router.port, 830);
	assert_string_equal(p->router.user, "autofbf");
	assert_string_equal(p->router.key_file, "/etc/autofbf/id_ed25519");
	assert_string_equal(p->router.known_hosts, "profiles/known_hosts");
	assert_string_equal(p->router.instance, "autofbf");
	assert_false(p->router.synchronize);
	assert_int_equal(p->router.connect_timeout_ms, 5000);
	assert_int_equal(p->router.reply_timeout_ms, 10000);
	assert_int_equal(p->router.commit_timeout_ms, 120000);
	assert_true(p->bmp.enabled && p->syslog.enabled);
	assert_int_equal(p->bmp.port, 11019);
	assert_int_equal(p->syslog.port, 5514);
	assert_int_equal(p->bmp.allowed_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(prefix_format(&p->bmp.allowed[i], text), allowed[i]);
		assert_string_equal(prefix_format(&p->syslog.allowed[i], text), allowed[i]);
	}
	assert_int_equal(p->poll_interval_ms, 10000);
	assert_int_equal(p->audit_interval_ms, 300000);
	assert_string_equal(prefix_format(&p->sentinel[FAMILY_IPV4], text), "192.0.2.255/32");
	assert_string_equal(prefix_format(&p->sentinel[FAMILY_IPV6], text), "2001:db8:dead::/128");
	assert_int_equal(p->log_level, 2);
	assert_false(p->log_syslog);
	assert_string_equal(p->groups[0].name, "cgn");
	assert_int_equal(p->groups[0].hold_down_s, 30);
	assert_int_equal(p->groups[0].quorum_percent, 50);
	assert_int_equal(p->groups[0].startup_wait_s, 30);
	assert_int_equal(p->groups[0].mass_window_ms, 5000);
	assert_int_equal(p->groups[0].mass_share_percent, 50);
	assert_int_equal(p->groups[0].scope, SCOPE_AUTO);
	check_policy_defaults(&p->groups[0]);
	assert_int_equal(p->router.local_as, 65000);
	assert_int_equal(p->groups[0].pools[0].since, 0);
	assert_int_equal(p->groups[0].pools[0].until, PROFILE_EPOCH_NONE);
	assert_string_equal(e->id, "fw2");
	assert_string_equal(e->name, "fw2");
	assert_int_equal(e->weight_count, 1);
	assert_int_equal(e->weights[0].epoch, 0);
	assert_int_equal(e->weights[0].weight, 1);
	assert_int_equal(e->failed_weight, 1);
	assert_false(e->removed);
	assert_true(e->family[FAMILY_IPV4].present);
	assert_false(e->family[FAMILY_IPV6].present);
	assert_string_equal(e->family[FAMILY_IPV4].base_list, "fw2-base-v4");
	assert_string_equal(e->family[FAMILY_IPV4].override_list, "fw2-ovr-v4");
	assert_string_equal(e->family[FAMILY_IPV4].peer[SIDE_INSIDE].instance, "master");
	assert_int_equal(e->family[FAMILY_IPV4].peer[SIDE_OUTSIDE].bfd, BFD_IF_PRESENT);
	assert_int_equal(e->family[FAMILY_IPV4].peer[SIDE_OUTSIDE].required_routes, 0);
	assert_null(e->failure_domain);
	assert_int_equal(e->capacity_milli, 0);
	profile_free(p);
}

static void
test_values(void **state)
{
	struct profile *p = load("tests/fixtures/profile/everything.in");
	const struct profile_group *g = profile_find_group(p, "residential");
	const struct profile_element *b = profile_find_element(p, "b", NULL);
	char text[PREFIX_TEXT_SIZE];

	(void)state;
	assert_int_equal(p->mode, MODE_MONITOR);
	assert_int_equal(p->router.address_count, 3);
	assert_string_equal(ip_format(&p->router.addresses[0], text), "198.51.100.2");
	assert_string_equal(ip_format(&p->router.addresses[1], text), "2001:db8::1");
	assert_true(p->router.synchronize);
	assert_int_equal(p->router.commit_timeout_ms, 60000);
	assert_string_equal(p->router.host_keys[1], "SHA256:zzz");
	assert_false(p->syslog.enabled);
	assert_int_equal(p->bmp.allowed_count, 3);
	assert_true(p->log_syslog);
	assert_int_equal(g->scope, SCOPE_ELEMENT);
	assert_int_equal(g->hold_down_s, 10);
	assert_int_equal(g->quorum_percent, 60);
	assert_int_equal(g->mass_window_ms, 2000);
	assert_string_equal(g->outside_interfaces[0], "ae1.7");
	assert_int_equal(g->pool_count, 4);
	assert_int_equal(g->pools[2].until, 3);
	assert_int_equal(g->pools[3].since, 3);
	assert_int_equal(profile_unit_count(g, FAMILY_IPV4), 128);
	assert_int_equal(profile_unit_count(g, FAMILY_IPV6), 64);
	assert_int_equal(b->weight_count, 2);
	assert_int_equal(b->weights[0].epoch, 9);
	assert_int_equal(b->weights[1].weight, 2);
	assert_int_equal(b->failed_weight, 2);
	assert_int_equal(b->family[FAMILY_IPV4].peer[SIDE_OUTSIDE].bfd, BFD_REQUIRED);
	assert_int_equal(b->family[FAMILY_IPV6].peer[SIDE_INSIDE].bfd, BFD_IGNORE);
	assert_string_equal(b->family[FAMILY_IPV4].override_list, "B-NOW");
	assert_int_equal(p->router.local_as, 64496);
	assert_string_equal(profile_find_element(p, "first", NULL)->id, "a");
	assert_true(profile_find_element(p, "old", NULL)->removed);
	profile_free(p);
}

static void
test_nat_values(void **state)
{
	struct profile *p = load("tests/fixtures/profile/everything.in");
	const struct profile_group *g = profile_find_group(p, "residential");
	const struct profile_element *b = profile_find_element(p, "b", NULL);
	const struct profile_element *a = profile_find_element(p, "first", NULL);
	const struct profile_nat_pool *pools = b->family[FAMILY_IPV4].nat_pools;
	char text[PREFIX_TEXT_SIZE];

	(void)state;
	assert_int_equal(g->return_path[FAMILY_IPV4], RETURN_NAT_ROUTES);
	assert_int_equal(g->return_path[FAMILY_IPV6], RETURN_FILTER);
	assert_int_equal(g->supernet_count[FAMILY_IPV4], 2);
	assert_int_equal(g->blocks_per_host_milli[FAMILY_IPV4], 1250);
	assert_string_equal(prefix_format(&g->supernets[FAMILY_IPV4][0], text), "198.51.100.0/24");
	assert_int_equal(b->family[FAMILY_IPV4].nat_pool_count, 2);
	assert_string_equal(pools[0].id, "fixed");
	assert_string_equal(prefix_format(&pools[0].prefix, text), "198.51.100.0/26");
	assert_int_equal(pools[0].kind, NAT_DETERMINISTIC);
	assert_int_equal(pools[0].block_size, 256);
	assert_int_equal(pools[0].host_count, 2);
	assert_string_equal(prefix_format(&pools[0].hosts[0], text), "100.64.0.0/20");
	assert_int_equal(pools[1].kind, NAT_PBA);
	assert_int_equal(pools[1].block_size, 512);
	assert_int_equal(a->family[FAMILY_IPV4].nat_pools[0].kind, NAT_NAPT);
	assert_string_equal(b->family[FAMILY_IPV4].peer[SIDE_OUTSIDE].interface, "ae9.12");
	assert_null(b->family[FAMILY_IPV4].peer[SIDE_INSIDE].interface);
	assert_int_equal(b->family[FAMILY_IPV6].nat_pool_count, 0);
	profile_free(p);
}

static void
test_policy_values(void **state)
{
	struct profile *p = load("tests/fixtures/profile/everything.in");
	const struct profile_group *g = profile_find_group(p, "residential");
	const struct profile_signal *v4 = &g->signal[FAMILY_IPV4], *v6 = &g->signal[FAMILY_IPV6];
	const struct profile_element *b = profile_find_element(p, "b", NULL);
	static const uint8_t table[][2] = { { 1, 3 }, { 9, 2 }, { 10, 1 } };
	char text[PREFIX_TEXT_SIZE];

	(void)state;
	assert_int_equal(g->damping_flaps, 4);
	assert_int_equal(g->damping_window_s, 300);
	assert_int_equal(g->damping_initial_s, 60);
	assert_int_equal(g->damping_maximum_s, 900);
	assert_int_equal(g->revert, REVERT_MANUAL);
	assert_int_equal(g->bfd_detection_ms, 900);
	assert_int_equal(g->split_count[FAMILY_IPV4], 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(g->split[FAMILY_IPV4][i].survivors, table[i][0]);
		assert_int_equal(g->split[FAMILY_IPV4][i].bits, table[i][1]);
	}
	assert_int_equal(g->split_count[FAMILY_IPV6], 0);
	assert_int_equal(g->entry_limit, 5000);
	assert_int_equal(g->revert_hold_s, 120);
	assert_int_equal(v4->min_alive, 1);
	assert_true(v4->has_failed && v4->has_alter && v6->has_alter && !v6->has_failed);
	assert_string_equal(prefix_format(&v4->failed_route, text), "192.0.2.128/32");
	assert_string_equal(prefix_format(&v4->alter_route, text), "192.0.2.129/32");
	assert_string_equal(prefix_format(&v6->alter_route, text), "2001:db8:ffff::1/128");
	assert_string_equal(g->capacity_label, "Gbps");
	assert_int_equal(g->unit_load_milli, 250);
	assert_int_equal(b->capacity_milli, 40500);
	assert_string_equal(b->failure_domain, "rack-2");
	assert_int_equal(b->family[FAMILY_IPV4].peer[SIDE_OUTSIDE].required_routes, 12);
	assert_int_equal(b->family[FAMILY_IPV4].peer[SIDE_INSIDE].required_routes, 0);
	profile_free(p);
}

/* ---- crowds ---- */

static char *
repeat(const char *head, const char *part, size_t count, const char *tail)
{
	size_t length = strlen(part);
	char *text = xcalloc(strlen(head) + count * length + strlen(tail) + 1, 1), *p = text;

	p += sprintf(p, "%s", head);
	for (size_t i = 0; i < count; i++, p += length)
		memcpy(p, part, length);
	strcpy(p, tail);
	return text;
}

/* Refused before libyang compares entries each with each; what is in a string is no entry. */
static void
test_crowds(void **state)
{
	static const struct {
		const char *head, *part, *tail, *want;
		size_t count;
	} cases[] = {
		{ "{\"autofbf:profile\":\n{\"group\":[", "{\"id\":\"a\"},", "{\"id\":\"b\"}]}}",
		    "text:2: more than 10000 entries", 10000 },
		{ "{\"autofbf:profile\":{\"group\":[", "{\"id\":\"a\"},", "{\"id\":\"b\"}]}}",
		    "is given twice", 9999 },
		{ "{\"autofbf:profile\":{", "\"mode\":\"active\",", "\"x\":1}}",
		    "more than 10000 entries", 10000 },
		{ "{\"autofbf:profile\":{\"mode\":\"\\\"", ",", "\"}}", "mode", 10001 },
		{ "{\"autofbf:profile\":{\"mode\":\"", ",", "\\", "text:1: ", 10001 },
	};
	struct ly_ctx *ctx = NULL;

	(void)state;
	assert_int_equal(profile_yang_context(yang_dir, &ctx, NULL), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = repeat(cases[i].head, cases[i].part, cases[i].count, cases[i].tail);
		struct profile *profile = NULL;
		struct error err = { "" };

		assert_int_equal(
		    profile_load_text(ctx, text, strlen(text), "text", &profile, &err), -EINVAL);
		if (!strstr(err.text, cases[i].want))
			fail_msg("%zu: %s", i, err.text);
		free(text);
	}
	ly_ctx_destroy(ctx);
}

/* ---- files ---- */

static void
expect_refusal(const char *path, int want, const char *part)
{
	struct profile *profile = NULL;
	struct error err = { "" };
	int rc = profile_load(path, yang_dir, &profile, &err);

	if (rc != want || !strstr(err.text, part) || !strstr(err.text, path))
		fail_msg("%s: %d, %s", path, rc, err.text);
	assert_null(profile);
}

static void
test_files(void **state)
{
	char directory[] = "/tmp/autofbf-test-XXXXXX";
	char *path, *link;
	struct profile *profile;

	(void)state;
	assert_non_null(mkdtemp(directory));
	path = xasprintf("%s/p.json", directory);
	link = xasprintf("%s/link.json", directory);
	expect_refusal(path, -ENOENT, "No such file");
	expect_refusal(directory, -EINVAL, "not a regular file");
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_refusal(path, -EINVAL, "not a regular file"); /* and does not hang */
	assert_int_equal(unlink(path), 0);
	write_text(path, "");
	assert_int_equal(truncate(path, PROFILE_FILE_MAX + 1), 0);
	expect_refusal(path, -EFBIG, "larger than 64 MiB");
	assert_int_equal(truncate(path, 100), 0);
	expect_refusal(path, -EINVAL, "NUL");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(path, link), 0);
	write_text(path,
	    "{\"autofbf:profile\":{\"router\":{\"address\":[\"::1\"],\"key-file\":"
	    "\"../k\",\"known-hosts\":\"sub/h\"},\"group\":[{\"id\":\"g\",\"pool\":[{"
	    "\"prefix\":\"10.9.0.0/24\",\"unit-length\":30}],\"element\":[{\"id\":\"e\","
	    "\"ipv4\":{\"inside\":{\"peer\":\"10.1.1.2\"},\"outside\":{\"peer\":"
	    "\"10.2.1.2\"}}}]}]}}");
	profile = load(link);
	assert_int_equal(strncmp(profile->router.key_file, directory, strlen(directory)), 0);
	assert_string_equal(profile->router.key_file + strlen(directory), "/../k");
	assert_string_equal(profile->router.known_hosts + strlen(directory), "/sub/h");
	assert_non_null(strstr(profile->print, "\"../k\"")); /* the print can move */
	profile_free(profile);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0);
	free(link);
	free(path);
}

static void
test_yang_dir(void **state)
{
	struct profile *profile = NULL;
	struct ly_ctx *ctx = NULL;
	struct error err = { "" };

	(void)state;
	assert_int_equal(
	    profile_load("profiles/minimal.json", "/nowhere", &profile, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nowhere"));
	assert_int_equal(profile_yang_context("tests", &ctx, &err), -ENOENT);
	assert_non_null(strstr(err.text, "tests/autofbf.yang"));
	assert_null(ctx);
	assert_int_equal(
	    profile_load("profiles/minimal.json", "/nowhere", &profile, NULL), -ENOENT);
}

/* ---- the manual ---- */

static LY_ERR
look_up(struct lysc_node *node, void *data, ly_bool *skip)
{
	const char *word = node->name;
	const char *at = data;
	bool found = false;

	(void)skip;
	while (!found && (at = strstr(at, word))) {
		found = at[-1] == ' ' && strchr(" \n", at[strlen(word)]);
		at++;
	}
	if (!found && node->nodetype != LYS_CHOICE && node->nodetype != LYS_CASE)
		fail_msg("the manual does not tell about %s", word);
	return LY_SUCCESS;
}

static void
test_manual_is_complete(void **state)
{
	struct ly_ctx *ctx = make_context();
	char *text = read_text("tools/man/autofbf-profile.5");
	const struct lysc_node *root = lys_find_path(ctx, NULL, "/autofbf:profile", 0);

	(void)state;
	assert_non_null(root);
	assert_non_null(text);
	for (const struct lysc_node *node = lysc_node_child(root); node; node = node->next)
		assert_int_equal(lysc_tree_dfs_full(node, look_up, text), LY_SUCCESS);
	free(text);
	ly_ctx_destroy(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_prints),
		cmocka_unit_test(test_golden_errors),
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_examples_are_explained),
		cmocka_unit_test(test_order_is_invisible),
		cmocka_unit_test(test_odd_ids),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_nat_values),
		cmocka_unit_test(test_policy_values),
		cmocka_unit_test(test_crowds),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_yang_dir),
		cmocka_unit_test(test_manual_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
