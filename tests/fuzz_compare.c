/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes -> the reader of layouts: no crash, no leak, an error text for whatever is refused.
 * What is accepted agrees with itself, and is compared with what was accepted before it; every
 * range lies in the family, in order and apart.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/cli/layout_compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_ranges(const struct compare_family *family)
{
	for (size_t i = 0; i < family->range_count; i++) {
		const struct compare_range *range = &family->ranges[i];

		if (ip_compare(&range->first, &range->last) > 0)
			fatal("a range ends before it begins");
		if (i > 0 && ip_compare(&range[-1].last, &range->first) >= 0)
			fatal("ranges overlap");
	}
	if ((family->range_count > 0) != (family->differ > 0))
		fatal("ranges without units, or units without ranges");
}

static void
check_pair(const struct read_layout *a, const struct read_layout *b, bool is_same)
{
	static const char *const files[2] = { "a", "b" };
	struct compare *compare = compare_layouts(a, b, files);

	if (is_same && !compare->agree)
		fatal("a layout does not agree with itself");
	if (!compare->agree && compare->reason_count == 0)
		fatal("a difference without a reason");
	for (size_t i = 0; i < compare->count; i++)
		check_ranges(&compare->families[i]);
	compare_free(compare);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct read_layout *before; /* kept for the next input */
	struct read_layout *layout = NULL;
	struct error err = { "" };
	char *text = xcalloc(size + 1, 1);

	if (size > 0)
		memcpy(text, data, size);
	if (layout_read(text, size, "x", &layout, &err) < 0) {
		if (!err.text[0])
			fatal("refused without a word");
		free(text);
		return 0;
	}
	check_pair(layout, layout, true);
	if (before)
		check_pair(before, layout, false);
	read_layout_free(before);
	before = layout;
	free(text);
	return 0;
}
