/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long layouts take, from a thousand to a million units and from 8 to 64 elements. Times are
 * the best of a few runs on one core; the ns per unit of one column stay about the same from row to
 * row when the cost is linear. The last column is for half of the elements failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "layout.h"
#include "../layout_build.h"

enum task { TASK_BASE, TASK_FAILED_1, TASK_FAILED_HALF, TASK_STANDBY, TASK_ID, TASK_COUNT };
static const char *const task_names[TASK_COUNT] = { "base", "1 failed", "half failed", "standby",
	"layout-id" };

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
	getrusage(RUSAGE_SELF, &usage);
	printf("peak memory %ld KiB\n", usage.ru_maxrss);
	return 0;
}
