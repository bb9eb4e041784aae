/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long layouts take, from a thousand to a million units and from 8 to 64 elements. Times are
 * the best of a few runs on one core; the ns per unit of one column stay about the same from row to
 * row when the cost is linear. "half failed" is for half of the elements; its split column cuts
 * what is left over by one bit.
 *
 * Below the table: what the agent computes between an event and the request on the wire, both
 * families of a router with 1,024 units each, and the same under a split table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "layout.h"
#include "plan.h"
#include "../layout_build.h"

enum task {
	TASK_BASE,
	TASK_FAILED_1,
	TASK_FAILED_HALF,
	TASK_SPLIT,
	TASK_STANDBY,
	TASK_ID,
	TASK_COUNT
};
static const char *const task_names[TASK_COUNT] = { "base", "1 failed", "half failed", "and split",
	"standby", "layout-id" };

static double
read_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

struct bench {
	struct profile *profile;
	struct layout_space *space;
	bool all[64], without_one[64], half[64];
	struct layout *layout; /* everybody healthy */
	uint8_t *standby;
};

static struct bench
make_bench(unsigned elements, size_t units)
{
	struct bench bench = { .profile = build_profile() };
	unsigned pool = 0;

	/* a pool of /30 units for each bit of the number of units */
	for (unsigned bit = 20; bit <= 20; bit--)
		if (units >> bit & 1) {
			char text[32];

			snprintf(text, sizeof(text), "%u.0.0.0/%u", 10 + pool++, 30 - bit);
			build_pool(bench.profile, text, 30, 0, PROFILE_EPOCH_NONE);
		}
	build_equal(bench.profile, elements);
	profile_sort(bench.profile);
	bench.space = layout_space_new(&bench.profile->groups[0], FAMILY_IPV4);
	for (unsigned e = 0; e < elements; e++) {
		bench.all[e] = true;
		bench.without_one[e] = e != elements / 2;
		bench.half[e] = e % 2;
	}
	bench.layout = layout_compute(bench.space, bench.all, 0);
	bench.standby = xcalloc(units, 1);
	return bench;
}

static void
free_bench(struct bench *bench)
{
	free(bench->standby);
	layout_free(bench->layout);
	layout_space_free(bench->space);
	profile_free(bench->profile);
}

static void
run_task(struct bench *bench, enum task task)
{
	switch (task) {
	case TASK_BASE:
		layout_space_free(layout_space_new(&bench->profile->groups[0], FAMILY_IPV4));
		break;
	case TASK_FAILED_1:
		layout_free(layout_compute(bench->space, bench->without_one, 0));
		break;
	case TASK_FAILED_HALF:
		layout_free(layout_compute(bench->space, bench->half, 0));
		break;
	case TASK_SPLIT:
		layout_free(layout_compute(bench->space, bench->half, 1));
		break;
	case TASK_STANDBY:
		layout_standby(bench->layout, bench->standby);
		break;
	case TASK_ID:
		layout_compute_id(bench->layout);
		break;
	case TASK_COUNT:
		break;
	}
}

/* Nanoseconds, the best of some runs in a tenth of a second. */
static double
measure(struct bench *bench, enum task task)
{
	double begin = read_clock(), best = 1e18, now = begin;

	for (int i = 0; i < 3 || (now - begin < 1e8 && i < 1000); i++) {
		double start = read_clock();

		run_task(bench, task);
		now = read_clock();
		if (now - start < best)
			best = now - start;
	}
	return best;
}

static void
print_row(unsigned elements, size_t units)
{
	struct bench bench = make_bench(elements, units);

	printf("%8u %8zu", elements, units);
	for (int task = 0; task < TASK_COUNT; task++) {
		double ns = measure(&bench, (enum task)task);

		printf(" %9.3f %5.0f", ns / 1e6, ns / (double)units);
	}
	printf("\n");
	fflush(stdout);
	free_bench(&bench);
}

/* ---- the reaction ---- */

enum { REACTION_ELEMENTS = 8, REACTION_RUNS = 300 };

struct reaction {
	struct profile *profile;
	struct layout_space *spaces[FAMILY_COUNT];
	struct listset base, have;
};

static void
add_base(struct reaction *reaction, const struct layout_space *space)
{
	const struct profile_group *group = layout_space_group(space);

	for (size_t unit = 0; unit < layout_space_units(space); unit++) {
		const struct profile_element *owner =
		    &group->elements[layout_space_base(space, unit)];
		struct prefix prefix = layout_space_unit(space, unit);

		prefix_list_add(listset_list(&reaction->base,
		                    owner->family[layout_space_family(space)].base_list),
		    &prefix);
	}
}

static struct reaction
make_reaction(unsigned split_bits)
{
	struct reaction reaction = { .profile = build_profile() };
	struct profile_group *group = &reaction.profile->groups[0];

	build_pool(reaction.profile, "10.0.0.0/16", 26, 0, PROFILE_EPOCH_NONE);
	build_pool(reaction.profile, "2001:db8::/48", 58, 0, PROFILE_EPOCH_NONE);
	build_equal(reaction.profile, REACTION_ELEMENTS);
	profile_sort(reaction.profile);
	for (int f = 0; f < FAMILY_COUNT; f++) {
		if (split_bits > 0) {
			group->split[f] = xcalloc(1, sizeof(struct profile_split));
			*group->split[f] = (struct profile_split){ .survivors = REACTION_ELEMENTS,
				.bits = (uint8_t)split_bits };
			group->split_count[f] = 1;
		}
		reaction.spaces[f] = layout_space_new(group, (enum family)f);
		add_base(&reaction, reaction.spaces[f]);
	}
	group->entry_limit = PROFILE_MAX_LIST_ENTRIES;
	listset_sort(&reaction.base);
	return reaction;
}

static void
free_reaction(struct reaction *reaction)
{
	for (int f = 0; f < FAMILY_COUNT; f++)
		layout_space_free(reaction->spaces[f]);
	listset_done(&reaction->base);
	profile_free(reaction->profile);
}

enum step { STEP_LAYOUT, STEP_OVERRIDE, STEP_PLAN, STEP_COUNT };
static const char *const step_names[STEP_COUNT] = { "layouts", "overrides", "plan" };

/* Adds nothing: ret_ns has the time of each step. Returns the number of edits. */
static size_t
react(const struct reaction *reaction, const bool *healthy, double *ret_ns)
{
	struct layout *layouts[FAMILY_COUNT];
	struct listset want = { 0 };
	struct plan plan;
	double at[STEP_COUNT + 1];
	size_t edits;

	at[STEP_LAYOUT] = read_clock();
	for (int f = 0; f < FAMILY_COUNT; f++)
		layouts[f] = layout_compute_split(reaction->spaces[f], healthy);
	at[STEP_OVERRIDE] = read_clock();
	for (int f = 0; f < FAMILY_COUNT; f++)
		plan_override(layouts[f], &reaction->base, &want);
	listset_sort(&want);
	at[STEP_PLAN] = read_clock();
	plan_make(&reaction->have, &want, &plan);
	at[STEP_COUNT] = read_clock();
	for (int step = 0; step < STEP_COUNT; step++)
		ret_ns[step] = at[step + 1] - at[step];
	edits = plan.count;
	plan_done(&plan);
	listset_done(&want);
	for (int f = 0; f < FAMILY_COUNT; f++)
		layout_free(layouts[f]);
	return edits;
}

static void
print_reaction(unsigned failed, unsigned split_bits)
{
	struct reaction reaction = make_reaction(split_bits);
	double best[STEP_COUNT], ns[STEP_COUNT], best_sum = 1e18;
	bool healthy[REACTION_ELEMENTS];
	size_t edits = 0;

	for (unsigned e = 0; e < REACTION_ELEMENTS; e++)
		healthy[e] = e >= failed;
	for (int run = 0; run < REACTION_RUNS; run++) {
		double sum = 0;

		edits = react(&reaction, healthy, ns);
		for (int step = 0; step < STEP_COUNT; step++)
			sum += ns[step];
		if (sum >= best_sum)
			continue;
		best_sum = sum;
		memcpy(best, ns, sizeof(best));
	}
	printf("%u of %u failed, %u bits:", failed, REACTION_ELEMENTS, split_bits);
	for (int step = 0; step < STEP_COUNT; step++)
		printf(" %s %.3f,", step_names[step], best[step] / 1e6);
	printf(" together %.3f (%zu edits)\n", best_sum / 1e6, edits);
	free_reaction(&reaction);
}

int
main(void)
{
	static const unsigned elements[] = { 8, 16, 32, 64 };
	static const size_t units[] = { 1000, 10000, 100000, 1000000 };
	struct rusage usage;

	printf("layout: milliseconds, and nanoseconds per unit\n%8s %8s", "elements", "units");
	for (int task = 0; task < TASK_COUNT; task++)
		printf(" %15s", task_names[task]);
	printf("\n");
	for (size_t e = 0; e < sizeof(elements) / sizeof(elements[0]); e++)
		for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++)
			print_row(elements[e], units[u]);
	printf("reaction: milliseconds, 1024 units of each family (aim: below 0.3 together)\n");
	print_reaction(1, 0);
	print_reaction(1, 3);
	print_reaction(4, 3);
	print_reaction(7, 3);
	getrusage(RUSAGE_SELF, &usage);
	printf("peak memory %ld KiB\n", usage.ru_maxrss);
	return 0;
}
