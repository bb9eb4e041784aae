/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of metrics, each one leaf of the state at every row of a path, and one walk over it. The
 * labels are the keys of the lists around the leaf, so they need no table: a key called id or name
 * is labelled by its list, others by themselves.
 */
#include "metrics.h"

#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "metrics_internal.h"
#include "node.h"

struct writer {
	FILE *out;
	const struct metric *metric;
	const char *last_name; /* of the metric that was introduced last */
};

/* ---- labels -------------------------------------------------------------------------------- */

static void
put_label(FILE *out, int *count, const char *name, const char *value)
{
	fputs((*count)++ ? "," : "{", out);
	for (; *name; name++)
		fputc(*name == '-' ? '_' : *name, out);
	fputs("=\"", out);
	for (; *value; value++)
		if (*value == '\n')
			fputs("\\n", out);
		else if (*value == '"' || *value == '\\')
			fprintf(out, "\\%c", *value);
		else
			fputc(*value, out);
	fputc('"', out);
}

static void
put_keys(FILE *out, int *count, const struct lyd_node *list)
{
	const struct lyd_node *key;

	LY_LIST_FOR (lyd_child(list), key) {
		const char *name = node_name(key);
		bool is_plain = strcmp(name, "id") == 0 || strcmp(name, "name") == 0;

		if (!lysc_is_key(key->schema))
			break;
		put_label(out, count, is_plain ? node_name(list) : name, node_value(key));
	}
}

/* Keys of the lists around the node, outermost first. */
static void
put_ancestors(FILE *out, int *count, const struct lyd_node *node)
{
	if (!node)
		return;
	put_ancestors(out, count, lyd_parent(node));
	if (node->schema->nodetype == LYS_LIST)
		put_keys(out, count, node);
}

static void
put_leaves(FILE *out, int *count, const struct lyd_node *row, const char *names)
{
	char name[64];
	size_t size;

	for (const char *p = names; *p; p += size + (p[size] == ' ')) {
		const char *value;

		size = strcspn(p, " ");
		memcpy(name, p, size);
		name[size] = '\0';
		value = node_text(row, name);
		if (value)
			put_label(out, count, name, value);
	}
}

static void
put_labels(FILE *out, const struct metric *metric, const struct lyd_node *row)
{
	int count = 0;

	put_ancestors(out, &count, row);
	if (metric->label)
		put_label(out, &count, metric->label, metric->label_value);
	if (metric->leaves)
		put_leaves(out, &count, row, metric->leaves);
	if (count > 0)
		fputc('}', out);
}

/* ---- values -------------------------------------------------------------------------------- */

struct text {
	char bytes[64];
};

static void
count_node(void *arg, const struct lyd_node *node)
{
	unsigned *count = arg;

	if (!(node->schema->nodetype & LYD_NODE_TERM) || strcmp(node_value(node), "true") == 0)
		++*count;
}

static bool
read_value(const struct metric *metric, const struct lyd_node *row, struct text *text)
{
	const struct lyd_node *leaf = metric->path ? node_find(row, metric->path) : NULL;
	const char *value =
	    leaf && (leaf->schema->nodetype & LYD_NODE_TERM) ? node_value(leaf) : "";
	unsigned count = 0;

	switch (metric->kind) {
	case METRIC_ONE:
		snprintf(text->bytes, sizeof(text->bytes), "1");
		return !metric->path || leaf;
	case METRIC_THERE:
		snprintf(text->bytes, sizeof(text->bytes), "%d", leaf != NULL);
		return true;
	case METRIC_COUNT:
		node_each(row, metric->path, count_node, &count);
		snprintf(text->bytes, sizeof(text->bytes), "%u", count);
		return leaf != NULL;
	default:
		break;
	}
	if (!leaf)
		return false;
	switch (metric->kind) {
	case METRIC_TRUE:
		snprintf(text->bytes, sizeof(text->bytes), "%d", strcmp(value, metric->word) == 0);
		return true;
	case METRIC_UP:
		snprintf(text->bytes, sizeof(text->bytes), "%d", strcmp(value, "up") == 0);
		return strcmp(value, "unknown") != 0;
	case METRIC_TIME:
		snprintf(
		    text->bytes, sizeof(text->bytes), "%.6f", (double)node_time(leaf, "") / 1e6);
		return true;
	case METRIC_MILLI:
		snprintf(text->bytes, sizeof(text->bytes), "%.3f", strtod(value, NULL) / 1e3);
		return true;
	case METRIC_MICRO:
		snprintf(text->bytes, sizeof(text->bytes), "%.6f", strtod(value, NULL) / 1e6);
		return true;
	default:
		snprintf(text->bytes, sizeof(text->bytes), "%s", value);
		return true;
	}
}

/* ---- writing ------------------------------------------------------------------------------- */

static void
introduce(struct writer *writer, const char *name, const char *type, const char *help)
{
	if (writer->last_name && strcmp(writer->last_name, name) == 0)
		return;
	writer->last_name = name;
	fprintf(writer->out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void
put_row(void *arg, const struct lyd_node *row)
{
	struct writer *writer = arg;
	const struct metric *metric = writer->metric;
	struct text text;

	if (!read_value(metric, row, &text))
		return;
	introduce(writer, metric->name, metric->is_counter ? "counter" : "gauge", metric->help);
	fputs(metric->name, writer->out);
	put_labels(writer->out, metric, row);
	fprintf(writer->out, " %s\n", text.bytes);
}

static void
put_bucket(FILE *out, const char *stage, const char *up_to, const char *count)
{
	fprintf(out, "autofbf_reaction_seconds_bucket{stage=\"%s\",le=\"%s\"} %s\n", stage, up_to,
	    count);
}

static void
put_reaction(void *arg, const struct lyd_node *reaction)
{
	const char *stage = node_text(reaction, "stage"), *count = node_text(reaction, "count");
	const char *sum = node_text(reaction, "sum");
	struct writer *writer = arg;
	const struct lyd_node *bucket;

	if (!stage || !count || !sum)
		return;
	introduce(writer, "autofbf_reaction_seconds", "histogram",
	    "How long failovers take, stage by stage.");
	LY_LIST_FOR (lyd_child(reaction), bucket) {
		const char *up_to = node_text(bucket, "up-to"),
		           *so_far = node_text(bucket, "count");
		char seconds[32];

		if (!up_to || !so_far)
			continue;
		snprintf(seconds, sizeof(seconds), "%g", strtod(up_to, NULL) / 1e6);
		put_bucket(writer->out, stage, seconds, so_far);
	}
	put_bucket(writer->out, stage, "+Inf", count);
	fprintf(writer->out, "autofbf_reaction_seconds_sum{stage=\"%s\"} %.6f\n", stage,
	    strtod(sum, NULL) / 1e6);
	fprintf(writer->out, "autofbf_reaction_seconds_count{stage=\"%s\"} %s\n", stage, count);
}

char *
metrics_new(const struct lyd_node *state, size_t *ret_size)
{
	char *text = NULL;
	struct writer writer = { .out = open_memstream(&text, ret_size) };

	if (!writer.out)
		fatal("out of memory");
	for (size_t m = 0; state && m < metric_count; m++) {
		writer.metric = &metrics[m];
		node_each(state, metrics[m].rows, put_row, &writer);
	}
	if (state)
		node_each(state, "reaction", put_reaction, &writer);
	if (fclose(writer.out) != 0)
		fatal("out of memory");
	return text;
}
