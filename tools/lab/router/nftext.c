/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiles a filter. Terms that look only at the address which most terms look at (the source in
 * an inside filter, the destination in an outside one) and that end the filter are put together:
 * a run of them becomes one interval map, address -> number of the term, however many lists and
 * prefixes there are. First match is solved here and not in the kernel (ranges.c). Any other term
 * is a rule of its own between two maps, so the order of terms holds.
 *
 * The map gives a number and a second, small map jumps to the term's chain: count, then mark the
 * packet with its routing instance, accept or drop. What no term takes is dropped, as Junos does at
 * the end of a filter. A map is never edited: nft 1.0.6 deletes elements in quadratic time and
 * reads back every map of the machine before a flush. New maps and a new chain of rules take the
 * place of the old ones instead, which halves the time of a swap.
 */
#include "nftext.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memtext.h"
#include "ranges.h"

static const char *const side_fields[FILTER_SIDE_COUNT] = { "saddr", "daddr" };
static const char *const ip_keywords[FAMILY_COUNT] = { "ip", "ip6" };
static const char *const key_types[FAMILY_COUNT] = { "ipv4_addr", "ipv6_addr" };

struct writer {
	const struct filter *filter;
	unsigned number;
	enum filter_side key; /* the address that the maps look at */
	FILE *terms, *maps, *rules, *drop;
	size_t map_count;
	size_t intervals;
	nftext_instance_fn *instance;
	void *arg;
};

static void
write_range(FILE *out, const struct range *range)
{
	char first[IP_TEXT_SIZE], last[IP_TEXT_SIZE];

	fputs(ip_format(&range->first, first), out);
	if (ip_compare(&range->first, &range->last))
		fprintf(out, "-%s", ip_format(&range->last, last));
}

static enum filter_side
busiest_side(const struct filter *filter)
{
	size_t terms[FILTER_SIDE_COUNT] = { 0 };

	for (size_t i = 0; i < filter->term_count; i++)
		for (int side = 0; side < FILTER_SIDE_COUNT; side++)
			terms[side] += filter->terms[i].side[side].present;
	return terms[FILTER_DESTINATION] > terms[FILTER_SOURCE] ? FILTER_DESTINATION
	                                                        : FILTER_SOURCE;
}

static bool
fits_map(const struct writer *writer, const struct filter_term *term)
{
	return term->side[writer->key].present && !term->side[!writer->key].present &&
	       !term->either.present && !term->match && term->action != FILTER_NEXT_TERM;
}

static void
write_elements(struct writer *writer, size_t first, size_t end)
{
	const struct filter_term *terms = writer->filter->terms;
	size_t total = 0, filled = 0, count;
	struct range_item *items;
	struct range *ranges;

	for (size_t i = first; i < end; i++)
		total += terms[i].side[writer->key].count;
	items = xcalloc(total + 1, sizeof(*items));
	for (size_t i = first; i < end; i++)
		for (size_t k = 0; k < terms[i].side[writer->key].count; k++)
			items[filled++] = terms[i].side[writer->key].items[k];
	ranges_make(items, total, &ranges, &count);
	fputs(count ? " elements = {\n" : "", writer->maps);
	for (size_t i = 0; i < count; i++) {
		write_range(writer->maps, &ranges[i]);
		fprintf(writer->maps, " : %u%s\n", ranges[i].value + 1, i + 1 < count ? "," : " }");
	}
	writer->intervals += count;
	free(ranges);
	free(items);
}

/* A run of terms [first, end) as one interval map, and the two rules that use it. */
static void
write_map(struct writer *writer, size_t first, size_t end)
{
	enum family family = writer->filter->family;
	unsigned number = writer->number;
	char *map = xasprintf("f%u_m%zu%c", number, writer->map_count++, NFTEXT_GENERATION);

	fprintf(writer->maps, "add map " NFTEXT_TABLE " %s { type %s : mark; flags interval;", map,
	    key_types[family]);
	write_elements(writer, first, end);
	fputs("}\n", writer->maps);
	fprintf(writer->drop, "delete map " NFTEXT_TABLE " %s\n", map);
	fprintf(writer->rules, "add rule " NFTEXT_TABLE " f%u_%c meta mark set %s %s map @%s\n",
	    number, NFTEXT_GENERATION, ip_keywords[family], side_fields[writer->key], map);
	fprintf(writer->rules, "add rule " NFTEXT_TABLE " f%u_%c meta mark vmap { ", number,
	    NFTEXT_GENERATION);
	for (size_t i = first; i < end; i++)
		fprintf(writer->rules, "%s%zu : goto f%u_t%zu", i == first ? "" : ", ", i + 1,
		    number, i);
	fputs(" }\n", writer->rules);
	free(map);
}

/* "ip saddr { a-b, c } "; false when the condition can match nothing. */
static bool
write_addresses(FILE *out, const struct writer *writer, const struct filter_addresses *addresses,
    enum filter_side side)
{
	struct range *ranges;
	size_t count;

	if (!addresses->present)
		return true;
	ranges_make(addresses->items, addresses->count, &ranges, &count);
	if (count)
		fprintf(out, "%s %s { ", ip_keywords[writer->filter->family], side_fields[side]);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ", " : "", out);
		write_range(out, &ranges[i]);
	}
	if (count)
		fputs(" } ", out);
	free(ranges);
	return count > 0;
}

/* One rule for a term that no map can hold. Twice when either address may match. */
static void
write_rule(struct writer *writer, size_t index, enum filter_side either)
{
	const struct filter_term *term = &writer->filter->terms[index];
	char *text = NULL;
	size_t size = 0;
	FILE *out = memtext_open(&text, &size);
	bool possible = true;

	for (int side = 0; side < FILTER_SIDE_COUNT; side++)
		possible &= write_addresses(out, writer, &term->side[side], side);
	possible &= write_addresses(out, writer, &term->either, either);
	if (fclose(out))
		fatal("out of memory");
	if (possible)
		fprintf(writer->rules, "add rule " NFTEXT_TABLE " f%u_%c %s%s%s f%u_t%zu\n",
		    writer->number, NFTEXT_GENERATION, text, term->match ? term->match : "",
		    term->action == FILTER_NEXT_TERM ? "jump" : "goto", writer->number, index);
	free(text);
}

static int
write_term_chain(struct writer *writer, size_t index, struct error *err)
{
	const struct filter_term *term = &writer->filter->terms[index];
	unsigned number = writer->number;
	uint32_t mark;

	fprintf(writer->terms,
	    "add counter " NFTEXT_TABLE " f%u_t%zu\nadd chain " NFTEXT_TABLE " f%u_t%zu\n"
	    "flush chain " NFTEXT_TABLE " f%u_t%zu\n"
	    "add rule " NFTEXT_TABLE " f%u_t%zu counter name f%u_t%zu ",
	    number, index, number, index, number, index, number, index, number, index);
	switch (term->action) {
	case FILTER_ACCEPT:
		fputs("meta mark set 0 accept\n", writer->terms);
		break;
	case FILTER_DISCARD:
		fputs("drop\n", writer->terms);
		break;
	case FILTER_REJECT:
		fputs("reject with icmpx type admin-prohibited\n", writer->terms);
		break;
	case FILTER_NEXT_TERM:
		fputs("return\n", writer->terms);
		break;
	case FILTER_INSTANCE:
		mark = writer->instance(writer->arg, term->instance);
		if (!mark)
			return error_set(err, -EINVAL,
			    "filter %s term %s: routing-instance %s is not defined",
			    writer->filter->name, term->name, term->instance);
		fprintf(writer->terms, "meta mark set %u accept\n", mark);
		break;
	}
	return 0;
}

static void
write_terms(struct writer *writer)
{
	const struct filter *filter = writer->filter;

	for (size_t i = 0; i < filter->term_count;) {
		size_t end = i;

		while (end < filter->term_count && fits_map(writer, &filter->terms[end]))
			end++;
		if (end > i) {
			write_map(writer, i, end);
			i = end;
			continue;
		}
		write_rule(writer, i, FILTER_SOURCE);
		if (filter->terms[i].either.present)
			write_rule(writer, i, FILTER_DESTINATION);
		i++;
	}
	fprintf(writer->rules, "add rule " NFTEXT_TABLE " f%u_%c counter name f%u_end drop\n",
	    writer->number, NFTEXT_GENERATION, writer->number);
}

static void
name_counters(const struct filter *filter, struct nftext *text)
{
	text->counters = xcalloc(filter->term_count + 1, sizeof(*text->counters));
	text->counter_count = filter->term_count;
	for (size_t i = 0; i < filter->term_count; i++)
		text->counters[i] = xstrdup(
		    filter->terms[i].count ? filter->terms[i].count : filter->terms[i].name);
}

int
nftext_make(const struct filter *filter, unsigned number, nftext_instance_fn *instance, void *arg,
    struct nftext *ret_text, struct error *err)
{
	struct writer writer = { .filter = filter,
		.number = number,
		.key = busiest_side(filter),
		.instance = instance,
		.arg = arg };
	char *maps = NULL, *rules = NULL;
	size_t sizes[4];
	int rc = 0;

	*ret_text = (struct nftext){ 0 };
	writer.terms = memtext_open(&ret_text->terms, &sizes[0]);
	writer.maps = memtext_open(&maps, &sizes[1]);
	writer.rules = memtext_open(&rules, &sizes[2]);
	writer.drop = memtext_open(&ret_text->drop, &sizes[3]);
	fprintf(writer.drop,
	    "flush chain " NFTEXT_TABLE " f%u_%c\ndelete chain " NFTEXT_TABLE " f%u_%c\n", number,
	    NFTEXT_GENERATION, number, NFTEXT_GENERATION);
	fprintf(writer.terms,
	    "add chain " NFTEXT_TABLE " f%u\nadd counter " NFTEXT_TABLE " f%u_end\n", number,
	    number);
	for (size_t i = 0; i < filter->term_count && !rc; i++)
		rc = write_term_chain(&writer, i, err);
	write_terms(&writer);
	if (fclose(writer.terms) | fclose(writer.maps) | fclose(writer.rules) | fclose(writer.drop))
		fatal("out of memory");
	ret_text->program = xasprintf(
	    "%sadd chain " NFTEXT_TABLE " f%u_%c\n%s", maps, number, NFTEXT_GENERATION, rules);
	ret_text->enter = xasprintf("flush chain " NFTEXT_TABLE " f%u\nadd rule " NFTEXT_TABLE
	                            " f%u goto f%u_%c\n",
	    number, number, number, NFTEXT_GENERATION);
	free(maps);
	free(rules);
	name_counters(filter, ret_text);
	ret_text->intervals = writer.intervals;
	if (rc)
		nftext_done(ret_text);
	return rc;
}

void
nftext_done(struct nftext *text)
{
	free(text->terms);
	free(text->program);
	free(text->enter);
	free(text->drop);
	for (size_t i = 0; i < text->counter_count; i++)
		free(text->counters[i]);
	free(text->counters);
	*text = (struct nftext){ 0 };
}
