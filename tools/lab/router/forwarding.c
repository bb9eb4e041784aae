/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Brings the kernel to what the configuration says, one filter at a time. For each filter there is
 * a slot with the text the kernel has and the text it should have (made by nftext.c); a
 * slot whose texts differ is pending. forwarding_tick takes the first pending slot and swaps it in
 * three nftables transactions: new maps and rules beside the old ones, one rule that sends packets
 * there, the old ones away. In one transaction a packet that is on its way while it takes effect
 * may find the old maps already empty or the new ones still so. When no filter is pending the
 * routing follows: routing instances (policy_routing.c) and the bindings of filters to interfaces;
 * a filter is complete before packets are sent through it.
 *
 * Promises: packets meet the old filter or the new one, never a mixture; a commit that changes
 * nothing in forwarding costs no transaction. Leaves to others: what the texts mean, and when ticks
 * come.
 */
#include "forwarding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json.h>
#include <nftables/libnftables.h>

#include "filter.h"
#include "memtext.h"
#include "nftext.h"
#include "policy_routing.h"

enum { RETRY_MS = 1000, LINK_SETTLE_MS = 20 };

struct slot {
	char *name;
	enum family family;
	unsigned number; /* stays for life: names in the kernel carry it */
	bool wanted;     /* bound in the newest configuration */
	char generation; /* letter of the maps in force */
	char *leftover;  /* owned; deletes the maps that are not in force any more; NULL: none */
	struct nftext have, want;
};

struct forwarding {
	struct nft_ctx *nft;
	struct policy_routing *routing;
	struct slot *slots;
	size_t slot_count;
	char *have_bindings, *want_bindings;
	uint64_t commit;
	uint32_t skew_ms;
	struct mtime due; /* of the next swap */
	forwarding_changed_fn *changed;
	void *arg;
};

static bool
same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* Runs commands as one transaction. */
static int
run_nft(struct forwarding *fwd, const char *commands, struct error *err)
{
	const char *why;
	int length;

	if (!nft_run_cmd_from_buffer(fwd->nft, commands))
		return 0;
	why = nft_ctx_get_error_buffer(fwd->nft);
	length = (int)strcspn(why, "\n");
	return error_set(err, -EIO, "nftables: %.*s", length, why);
}

struct forwarding *
forwarding_new(forwarding_changed_fn *changed, void *arg, struct error *err)
{
	struct forwarding *fwd = xcalloc(1, sizeof(*fwd));

	fwd->changed = changed;
	fwd->arg = arg;
	fwd->due = MTIME_NEVER;
	fwd->nft = nft_ctx_new(NFT_CTX_DEFAULT);
	if (!fwd->nft)
		fatal("out of memory");
	nft_ctx_buffer_error(fwd->nft);
	fwd->routing = policy_routing_new(err);
	if (fwd->routing &&
	    !run_nft(fwd,
	        "add table " NFTEXT_TABLE "\ndelete table " NFTEXT_TABLE "\n"
	        "add table " NFTEXT_TABLE "\n"
	        "add chain " NFTEXT_TABLE
	        " input { type filter hook prerouting priority mangle; policy accept; }\n",
	        err))
		return fwd;
	forwarding_free(fwd);
	return NULL;
}

void
forwarding_free(struct forwarding *fwd)
{
	if (!fwd)
		return;
	for (size_t i = 0; i < fwd->slot_count; i++) {
		nftext_done(&fwd->slots[i].have);
		nftext_done(&fwd->slots[i].want);
		free(fwd->slots[i].leftover);
		free(fwd->slots[i].name);
	}
	free(fwd->slots);
	free(fwd->have_bindings);
	free(fwd->want_bindings);
	policy_routing_free(fwd->routing);
	nft_ctx_free(fwd->nft);
	free(fwd);
}

void
forwarding_set_skew(struct forwarding *fwd, uint32_t skew_ms)
{
	fwd->skew_ms = skew_ms;
}

static struct slot *
find_slot(struct forwarding *fwd, const struct filter *filter)
{
	struct slot *slot;

	for (size_t i = 0; i < fwd->slot_count; i++)
		if (fwd->slots[i].family == filter->family &&
		    !strcmp(fwd->slots[i].name, filter->name))
			return &fwd->slots[i];
	fwd->slots = xreallocarray(fwd->slots, fwd->slot_count + 1, sizeof(*fwd->slots));
	slot = &fwd->slots[fwd->slot_count];
	*slot = (struct slot){ .name = xstrdup(filter->name),
		.family = filter->family,
		.number = (unsigned)fwd->slot_count };
	fwd->slot_count++;
	return slot;
}

static uint32_t
instance_mark(void *arg, const char *name)
{
	const struct forwarding *fwd = arg;

	return policy_routing_mark(fwd->routing, name);
}

static bool
is_pending(const struct slot *slot)
{
	return slot->wanted && (!same_text(slot->have.terms, slot->want.terms) ||
	                           !same_text(slot->have.program, slot->want.program));
}

/* The first filter whose kernel side is behind; NULL: none. */
static struct slot *
next_pending(const struct forwarding *fwd)
{
	for (size_t i = 0; i < fwd->slot_count; i++)
		if (is_pending(&fwd->slots[i]))
			return &fwd->slots[i];
	return NULL;
}

static bool
is_idle(const struct forwarding *fwd)
{
	return !next_pending(fwd) && same_text(fwd->have_bindings, fwd->want_bindings) &&
	       !policy_routing_is_pending(fwd->routing);
}

/* All filters of the configuration as text; texts is left to the caller also on failure. */
static int
make_texts(struct forwarding *fwd, const struct filter_config *config, struct nftext *texts,
    struct error *err)
{
	for (size_t i = 0; i < config->filter_count; i++) {
		const struct slot *slot = find_slot(fwd, &config->filters[i]);
		int rc = nftext_make(
		    &config->filters[i], slot->number, instance_mark, fwd, &texts[i], err);

		if (rc)
			return rc;
	}
	return 0;
}

static char *
make_bindings(struct forwarding *fwd, const struct filter_config *config)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = memtext_open(&text, &size);

	for (size_t i = 0; i < config->binding_count; i++) {
		const struct filter_binding *binding = &config->bindings[i];

		fprintf(out,
		    "add rule " NFTEXT_TABLE " input iifname \"%s\" meta nfproto %s goto f%u\n",
		    binding->device, family_names[binding->family],
		    find_slot(fwd, &config->filters[binding->filter])->number);
	}
	if (fclose(out))
		fatal("out of memory");
	return text;
}

/* Takes over the texts: from here on they are what the kernel should have. */
static void
want(struct forwarding *fwd, const struct filter_config *config, struct nftext *texts)
{
	for (size_t i = 0; i < fwd->slot_count; i++)
		fwd->slots[i].wanted = false;
	for (size_t i = 0; i < config->filter_count; i++) {
		struct slot *slot = find_slot(fwd, &config->filters[i]);

		nftext_done(&slot->want);
		slot->want = texts[i];
		slot->wanted = true;
	}
	free(fwd->want_bindings);
	fwd->want_bindings = make_bindings(fwd, config);
	policy_routing_want(fwd->routing, config);
}

int
forwarding_submit(struct forwarding *fwd, uint64_t commit, const xmlNode *configuration,
    struct mtime now, struct error *err)
{
	struct filter_config config;
	struct nftext *texts = NULL;
	int rc = filter_config_read(configuration, &config, err);

	if (!rc) {
		texts = xcalloc(config.filter_count + 1, sizeof(*texts));
		policy_routing_learn(fwd->routing, &config);
		rc = make_texts(fwd, &config, texts, err);
	}
	if (!rc) {
		bool was_idle = is_idle(fwd);

		want(fwd, &config, texts);
		fwd->commit = commit;
		if (is_idle(fwd))
			fwd->due = MTIME_NEVER;
		else if (was_idle || mtime_is_never(fwd->due))
			fwd->due = mtime_add_ms(now, fwd->skew_ms);
	} else if (texts) {
		for (size_t i = 0; i < config.filter_count; i++)
			nftext_done(&texts[i]);
	}
	free(texts);
	filter_config_done(&config);
	return rc;
}

struct mtime
forwarding_deadline(const struct forwarding *fwd)
{
	return fwd->due;
}

static void
tell(struct forwarding *fwd, const char *what, struct mtime started, size_t intervals)
{
	struct forwarding_change change = { .what = what,
		.commit = fwd->commit,
		.at_us = wallclock_now_us(),
		.took_us = (uint32_t)(mtime_now().us - started.us),
		.intervals = intervals };

	if (fwd->changed)
		fwd->changed(fwd->arg, &change);
}

static void
copy_text(struct nftext *to, const struct nftext *from)
{
	nftext_done(to);
	to->terms = xstrdup(from->terms);
	to->program = xstrdup(from->program);
	to->enter = xstrdup(from->enter);
	to->drop = xstrdup(from->drop);
	to->intervals = from->intervals;
	to->counters = xcalloc(from->counter_count + 1, sizeof(*to->counters));
	to->counter_count = from->counter_count;
	for (size_t i = 0; i < from->counter_count; i++)
		to->counters[i] = xstrdup(from->counters[i]);
}

static void
set_generation(char *text, char generation)
{
	for (; *text; text++)
		if (*text == NFTEXT_GENERATION)
			*text = generation;
}

static char *
of_generation(const char *text, char generation)
{
	char *copy = xstrdup(text);

	set_generation(copy, generation);
	return copy;
}

static int
run_generation(struct forwarding *fwd, const char *text, char generation, struct error *err)
{
	char *commands = of_generation(text, generation);
	int rc = run_nft(fwd, commands, err);

	free(commands);
	return rc;
}

/* Terms that changed must not be met by the old rules: then all of it is one transaction. */
static int
run_swap(struct forwarding *fwd, const struct slot *slot, char generation, struct error *err)
{
	const struct nftext *want = &slot->want;
	char *all;
	int rc;

	if (same_text(slot->have.terms, want->terms)) {
		rc = run_generation(fwd, want->program, generation, err);
		return rc ? rc : run_generation(fwd, want->enter, generation, err);
	}
	all = xasprintf("%s%s%s", want->terms, want->program, want->enter);
	rc = run_generation(fwd, all, generation, err);
	free(all);
	return rc;
}

static int
drop_leftover(struct forwarding *fwd, struct slot *slot, struct error *err)
{
	int rc = slot->leftover && *slot->leftover ? run_nft(fwd, slot->leftover, err) : 0;

	if (rc)
		return rc;
	free(slot->leftover);
	slot->leftover = NULL;
	return 0;
}

static int
swap_filter(struct forwarding *fwd, struct slot *slot, struct error *err)
{
	struct mtime started = mtime_now();
	char generation = slot->generation == 'a' ? 'b' : 'a';
	int rc = drop_leftover(fwd, slot, err); /* only if that failed the last time */

	if (!rc)
		rc = run_swap(fwd, slot, generation, err);
	if (rc)
		return rc;
	if (slot->have.drop)
		slot->leftover = of_generation(slot->have.drop, slot->generation);
	slot->generation = generation;
	copy_text(&slot->have, &slot->want);
	tell(fwd, slot->name, started, slot->have.intervals);
	return drop_leftover(fwd, slot, err);
}

static int
swap_routing(struct forwarding *fwd, struct error *err)
{
	struct mtime started = mtime_now();
	int rc = policy_routing_apply(fwd->routing, err);

	if (!rc && !same_text(fwd->have_bindings, fwd->want_bindings)) {
		char *commands =
		    xasprintf("flush chain " NFTEXT_TABLE " input\n%s", fwd->want_bindings);

		rc = run_nft(fwd, commands, err);
		free(commands);
		if (!rc) {
			free(fwd->have_bindings);
			fwd->have_bindings = xstrdup(fwd->want_bindings);
		}
	}
	if (!rc)
		tell(fwd, "routing", started, 0);
	return rc;
}

int
forwarding_tick(struct forwarding *fwd, struct mtime now, struct error *err)
{
	struct slot *slot;
	int rc = 0;

	if (!mtime_reached(now, fwd->due))
		return 0;
	slot = next_pending(fwd);
	if (slot)
		rc = swap_filter(fwd, slot, err);
	else if (!is_idle(fwd))
		rc = swap_routing(fwd, err);
	if (is_idle(fwd))
		fwd->due = MTIME_NEVER;
	else
		fwd->due = mtime_add_ms(now, rc ? RETRY_MS : (int64_t)fwd->skew_ms);
	return rc;
}

int
forwarding_fd(const struct forwarding *fwd)
{
	return policy_routing_fd(fwd->routing);
}

void
forwarding_links_changed(struct forwarding *fwd, struct mtime now)
{
	policy_routing_links_changed(fwd->routing);
	fwd->due = mtime_min(fwd->due, mtime_add_ms(now, LINK_SETTLE_MS));
}

/* "f2_t5" -> the slot and the name its term counts under; NULL: not a term's counter. */
static const char *
counter_name(const struct forwarding *fwd, const char *kernel_name, const struct slot **ret_slot)
{
	unsigned number, term;

	if (sscanf(kernel_name, "f%u_t%u", &number, &term) != 2 || number >= fwd->slot_count)
		return NULL;
	*ret_slot = &fwd->slots[number];
	return term < (*ret_slot)->have.counter_count ? (*ret_slot)->have.counters[term] : NULL;
}

static uint64_t
json_number(json_object *object, const char *key)
{
	json_object *value;

	return json_object_object_get_ex(object, key, &value)
	           ? (uint64_t)json_object_get_int64(value)
	           : 0;
}

static void
collect_counters(const struct forwarding *fwd, json_object *list,
    struct forwarding_counter *counters, size_t *count)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *counter, *name_object;
		const struct slot *slot;
		const char *name;

		if (!json_object_object_get_ex(
		        json_object_array_get_idx(list, i), "counter", &counter) ||
		    !json_object_object_get_ex(counter, "name", &name_object))
			continue;
		name = counter_name(fwd, json_object_get_string(name_object), &slot);
		if (name)
			counters[(*count)++] =
			    (struct forwarding_counter){ .filter = xstrdup(slot->name),
				    .name = xstrdup(name),
				    .packets = json_number(counter, "packets"),
				    .bytes = json_number(counter, "bytes") };
	}
}

int
forwarding_counters(struct forwarding *fwd, struct forwarding_counter **ret_counters,
    size_t *ret_count, struct error *err)
{
	json_object *root = NULL, *list = NULL;
	int rc;

	nft_ctx_buffer_output(fwd->nft);
	nft_ctx_output_set_flags(fwd->nft, NFT_CTX_OUTPUT_JSON);
	rc = run_nft(fwd, "list counters table " NFTEXT_TABLE, err);
	if (!rc)
		root = json_tokener_parse(nft_ctx_get_output_buffer(fwd->nft));
	nft_ctx_output_set_flags(fwd->nft, 0);
	nft_ctx_unbuffer_output(fwd->nft);
	if (!rc && (!root || !json_object_object_get_ex(root, "nftables", &list)))
		rc = error_set(err, -EBADMSG, "nftables: counters cannot be read");
	if (!rc) {
		*ret_count = 0;
		*ret_counters = xcalloc(json_object_array_length(list) + 1, sizeof(**ret_counters));
		collect_counters(fwd, list, *ret_counters, ret_count);
	}
	json_object_put(root);
	return rc;
}

void
forwarding_counters_free(struct forwarding_counter *counters, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(counters[i].filter);
		free(counters[i].name);
	}
	free(counters);
}
