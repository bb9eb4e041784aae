/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A unified diff for small changes of a file. Two walks side by side: where the lines differ, the
 * nearest place where they agree again is searched, by the sum of lines left out on both sides.
 * The result is always a correct diff; for texts that have little in common it is not the shortest,
 * which does not matter for a few lines in a profile.
 */
#include "text_diff.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

enum { CONTEXT = 3 };

struct lines {
	const char **start; /* owned; count + 1 places */
	size_t count;
};

struct step {
	char mark;            /* ' ', '-' or '+' */
	size_t before, after; /* lines passed so far on each side */
};

struct steps {
	struct step *items; /* owned */
	size_t count;
};

static struct lines
split(const char *text)
{
	struct lines lines = { .count = 0 };
	size_t room = 2;

	for (const char *c = text; *c; c++)
		room += *c == '\n';
	lines.start = xcalloc(room, sizeof(*lines.start));
	while (*text) {
		lines.start[lines.count++] = text;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	lines.start[lines.count] = text;
	return lines;
}

static size_t
get_length(const struct lines *lines, size_t i)
{
	return (size_t)(lines->start[i + 1] - lines->start[i]);
}

static bool
is_same(const struct lines *a, size_t i, const struct lines *b, size_t j)
{
	if (i >= a->count || j >= b->count)
		return i >= a->count && j >= b->count;
	return get_length(a, i) == get_length(b, j) &&
	       memcmp(a->start[i], b->start[j], get_length(a, i)) == 0;
}

/* How many lines to leave out until two in a row agree, or both texts end. */
static void
find_meeting(const struct lines *a, size_t i, const struct lines *b, size_t j, size_t *ret_left_a,
    size_t *ret_left_b)
{
	size_t most = a->count - i + b->count - j;

	for (size_t sum = 1; sum <= most; sum++)
		for (size_t left = 0; left <= sum; left++) {
			size_t x = i + left, y = j + sum - left;

			if (x > a->count || y > b->count || !is_same(a, x, b, y) ||
			    (x < a->count && !is_same(a, x + 1, b, y + 1)))
				continue;
			*ret_left_a = left;
			*ret_left_b = sum - left;
			return;
		}
	*ret_left_a = a->count - i;
	*ret_left_b = b->count - j;
}

static void
add(struct steps *steps, char mark, size_t *before, size_t *after)
{
	steps->items[steps->count++] = (struct step){ mark, *before, *after };
	*before += mark != '+';
	*after += mark != '-';
}

static struct steps
compare(const struct lines *a, const struct lines *b)
{
	struct steps steps = { .items = xcalloc(a->count + b->count + 1, sizeof(*steps.items)) };
	size_t i = 0, j = 0, left_a, left_b;

	while (i < a->count || j < b->count) {
		if (i < a->count && is_same(a, i, b, j)) {
			add(&steps, ' ', &i, &j);
			continue;
		}
		find_meeting(a, i, b, j, &left_a, &left_b);
		while (left_a-- > 0)
			add(&steps, '-', &i, &j);
		while (left_b-- > 0)
			add(&steps, '+', &i, &j);
	}
	return steps;
}

/* The end of the hunk that holds the change at first: as long as changes follow near enough. */
static size_t
find_end(const struct steps *steps, size_t first)
{
	size_t end = first;

	for (size_t i = first; i < steps->count && i <= end + 2 * CONTEXT; i++)
		if (steps->items[i].mark != ' ')
			end = i;
	return end + 1 + CONTEXT < steps->count ? end + 1 + CONTEXT : steps->count;
}

static void
print_line(const struct lines *lines, size_t i, char mark, FILE *out)
{
	size_t length = get_length(lines, i);

	fprintf(out, "%c%.*s", mark, (int)length, lines->start[i]);
	if (length == 0 || lines->start[i][length - 1] != '\n')
		fputs("\n\\ No newline at end of file\n", out);
}

static void
print_hunk(const struct steps *steps, size_t from, size_t to, const struct lines *a,
    const struct lines *b, FILE *out)
{
	const struct step *first = &steps->items[from];
	size_t old = 0, new = 0;

	for (size_t i = from; i < to; i++) {
		old += steps->items[i].mark != '+';
		new += steps->items[i].mark != '-';
	}
	fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", first->before + (old > 0), old,
	    first->after + (new > 0), new);
	for (size_t i = from; i < to; i++) {
		const struct step *step = &steps->items[i];

		if (step->mark == '+')
			print_line(b, step->after, '+', out);
		else
			print_line(a, step->before, step->mark, out);
	}
}

void
text_diff_print(const char *name, const char *before, const char *after, FILE *out)
{
	struct lines a = split(before), b = split(after);
	struct steps steps = compare(&a, &b);
	bool has_head = false;

	for (size_t i = 0; i < steps.count; i++) {
		size_t end;

		if (steps.items[i].mark == ' ')
			continue;
		if (!has_head)
			fprintf(out, "--- %s\n+++ %s\n", name, name);
		has_head = true;
		end = find_end(&steps, i);
		print_hunk(&steps, i > CONTEXT ? i - CONTEXT : 0, end, &a, &b, out);
		i = end - 1;
	}
	free(steps.items);
	free(a.start);
	free(b.start);
}
