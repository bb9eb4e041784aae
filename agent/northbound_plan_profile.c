/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile of a plan: the one that runs, another one, and either of them with other weights.
 *
 * Weights become a new epoch in the text of the profile, as `autofbf profile reweight` writes it,
 * and the text is loaded and checked as any other: what a plan says of a weight is what the file
 * will do. All weights of one question begin with the same epoch, one in each group.
 */
#include "northbound_plan_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>

#include "moves.h"
#include "northbound_layout.h"
#include "profile_yang.h"

static bool
has_weights(const struct question *question)
{
	return northbound_input_entry(question->query->input, "weight", NULL) != NULL;
}

static int
set_weight(struct lyd_node *tree, const struct profile_group *group,
    const struct profile_element *element, uint32_t epoch, const char *weight)
{
	char *path = xasprintf(
	    "/autofbf:profile/group[id='%s']/element[id='%s']/weight[epoch='%" PRIu32 "']/weight",
	    group->id, element->id, epoch);
	LY_ERR rc = lyd_new_path(tree, NULL, path, weight, LYD_NEW_PATH_UPDATE, NULL);

	free(path);
	return rc == LY_SUCCESS ? 0 : -EINVAL;
}

static uint32_t
next_epoch(const struct profile_group *group)
{
	uint32_t v4 = profile_last_epoch(group, FAMILY_IPV4);
	uint32_t v6 = profile_last_epoch(group, FAMILY_IPV6);

	return (v4 > v6 ? v4 : v6) + 1;
}

/* The element's lines of weights, and one more. Without lines it has had 1 from epoch 0. */
static int
add_weight(const struct profile *profile, const struct lyd_node *entry, struct lyd_node *tree,
    struct error *err)
{
	const char *name = northbound_input_text(entry, "element");
	const char *weight = northbound_input_text(entry, "weight");
	const struct profile_group *group;
	const struct profile_element *element;
	int rc = northbound_check_elements(profile, &name, 1, err);

	if (rc < 0)
		return rc;
	element = profile_find_element(profile, name, &group);
	if (element->weight_count == 1 && element->weights[0].epoch == 0 &&
	    element->weights[0].weight == 1)
		rc = set_weight(tree, group, element, 0, "1");
	if (rc == 0)
		rc = set_weight(tree, group, element, next_epoch(group), weight);
	return rc == 0 ? 0
	               : error_set(err, rc,
	                     "element %s: weight %s cannot be given from epoch %" PRIu32 " on",
	                     element->id, weight, next_epoch(group));
}

/* *profile becomes one with the weights. */
static int
apply_weights(struct question *question, struct profile **profile, struct error *err)
{
	const struct ly_ctx *ctx = LYD_CTX(question->query->input);
	const struct lyd_node *entry = NULL;
	const struct profile *from = *profile ? *profile : question->now;
	struct profile *weighted = NULL;
	struct lyd_node *tree = NULL;
	char *text = NULL;
	int rc = 0;

	if (lyd_parse_data_mem(ctx, from->print, LYD_JSON, LYD_PARSE_ONLY, 0, &tree) != LY_SUCCESS)
		return error_set(err, -EINVAL, "the profile cannot be read again");
	while (rc == 0 && (entry = northbound_input_entry(question->query->input, "weight", entry)))
		rc = add_weight(from, entry, tree, err);
	if (rc == 0 && lyd_print_mem(&text, tree, LYD_JSON, LYD_PRINT_WITHSIBLINGS) != LY_SUCCESS)
		rc = error_set(err, -EINVAL, "the profile cannot be printed");
	if (rc == 0)
		rc = profile_load_text(
		    ctx, text, strlen(text), "the profile with these weights", &weighted, err);
	if (rc == 0) {
		profile_free(*profile);
		*profile = weighted;
	}
	free(text);
	lyd_free_all(tree);
	return rc;
}

int
northbound_plan_take_profile(struct question *question, struct error *err)
{
	const char *text = northbound_input_text(question->query->input, "profile");
	int rc = 0;

	if (text)
		rc = profile_load_text(LYD_CTX(question->query->input), text, strlen(text),
		    "the profile", &question->other, err);
	if (rc == 0 && has_weights(question))
		rc = apply_weights(question, &question->other, err);
	if (rc < 0 && rc != -ENOENT)
		question->query->app_tag = "bad-profile";
	if (question->other) {
		question->then = question->other;
		question->moves = moves_compute(question->now, question->then);
	}
	return rc;
}
