/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses first: both lists of units are in order and apart, so one walk cuts the address space
 * wherever a unit of either side begins or ends, and compares the owners of each part. Units that
 * one side has split and the other not need no special care that way. Neighbours with the same two
 * owners become one range.
 *
 * Then reasons, worked out for the families that differ, the likeliest first (enum compare_kind).
 * That another profile runs is told also when the layouts agree: the next failure may part them.
 */
#include "layout_compare.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const compare_kind_names[COMPARE_KIND_COUNT] = { "algorithm", "profile", "missing",
	"health", "force-failed", "frozen", "settings", "time", "untold", "defect" };

enum { SAME_MOMENT_US = 2000000 };

/* ---- addresses ------------------------------------------------------------------------------ */

/* A place in one side's list. Past the end there is nothing to come. */
struct cursor {
	const struct read_family *family; /* NULL: nothing at all */
	enum read_role role;
	size_t unit;
	ip_number first, last; /* of the unit */
};

static bool
is_over(const struct cursor *cursor)
{
	return !cursor->family || cursor->unit == cursor->family->unit_count;
}

static void
go_to(struct cursor *cursor, size_t unit)
{
	struct ip last;

	cursor->unit = unit;
	if (is_over(cursor))
		return;
	last = prefix_last(&cursor->family->units[unit].prefix);
	cursor->first = ip_to_number(&cursor->family->units[unit].prefix.address);
	cursor->last = ip_to_number(&last);
}

static bool
has_address(const struct cursor *cursor, ip_number at)
{
	return !is_over(cursor) && cursor->first <= at;
}

static const char *
get_owner(const struct cursor *cursor, ip_number at)
{
	const struct read_unit *unit;

	if (!has_address(cursor, at))
		return NULL;
	unit = &cursor->family->units[cursor->unit];
	return unit->element[cursor->role] == READ_NOBODY
	           ? NULL
	           : cursor->family->elements[unit->element[cursor->role]].id;
}

/* Where the part that begins at `at` ends for this side; at most at `end`. */
static ip_number
get_end(const struct cursor *cursor, ip_number at, ip_number end)
{
	ip_number own;

	if (is_over(cursor))
		return end;
	own = cursor->first > at ? cursor->first - 1 : cursor->last;
	return own < end ? own : end;
}

static bool
is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void
add_range(struct compare_family *family, enum family kind, ip_number first, ip_number last,
    const char *a, const char *b)
{
	struct compare_range *end =
	    family->range_count ? &family->ranges[family->range_count - 1] : NULL;

	if (end && ip_to_number(&end->last) + 1 == first && is_same(end->a, a) &&
	    is_same(end->b, b)) {
		end->last = ip_from_number(last, kind);
		return;
	}
	if ((family->range_count & (family->range_count - 1)) == 0)
		family->ranges = xreallocarray(family->ranges,
		    family->range_count ? 2 * family->range_count : 1, sizeof(*family->ranges));
	family->ranges[family->range_count++] =
	    (struct compare_range){ ip_from_number(first, kind), ip_from_number(last, kind), a, b };
}

/* Both cursors to what is behind `last`. */
static void
pass(struct cursor *cursor, ip_number last)
{
	if (!is_over(cursor) && cursor->last <= last)
		go_to(cursor, cursor->unit + 1);
}

/* Units met on the way, each once: those of a, and those of b where a has none. */
struct tally {
	size_t count, last[2];
};

static void
count_unit(struct tally *tally, const struct cursor *a, const struct cursor *b, ip_number at)
{
	bool is_of_a = has_address(a, at);
	size_t unit = is_of_a ? a->unit : b->unit;

	if (!is_of_a && !has_address(b, at))
		return;
	tally->count += tally->last[is_of_a] != unit;
	tally->last[is_of_a] = unit;
}

static void
walk(struct compare_family *family, enum family kind, enum read_role role)
{
	struct cursor a = { family->a, role, 0, 0, 0 }, b = { family->b, role, 0, 0, 0 };
	ip_number at = 0, end, last_address = ~(ip_number)0 >> (128 - family_bits(kind));
	struct tally all = { 0, { SIZE_MAX, SIZE_MAX } }, differ = all;

	for (go_to(&a, 0), go_to(&b, 0); !is_over(&a) || !is_over(&b); at = end + 1) {
		const char *old, *new;

		end = get_end(&b, at, get_end(&a, at, last_address));
		old = get_owner(&a, at);
		new = get_owner(&b, at);
		count_unit(&all, &a, &b, at);
		if (!is_same(old, new)) {
			add_range(family, kind, at, end, old, new);
			count_unit(&differ, &a, &b, at);
		}
		pass(&a, end);
		pass(&b, end);
		if (end == last_address)
			break;
	}
	family->units = all.count;
	family->differ = differ.count;
}

/* ---- reasons -------------------------------------------------------------------------------- */

static void __attribute__((format(printf, 4, 5))) add_reason(struct compare *compare,
    enum compare_kind kind, const struct read_family *family, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	compare->reasons =
	    xreallocarray(compare->reasons, compare->reason_count + 1, sizeof(*compare->reasons));
	compare->reasons[compare->reason_count++] =
	    (struct compare_reason){ kind, family, xstrdup(text) };
}

static bool
has_kind(const struct compare *compare, enum compare_kind kind, const struct read_family *family)
{
	for (size_t i = 0; i < compare->reason_count; i++)
		if (compare->reasons[i].kind == kind &&
		    (!compare->reasons[i].family || compare->reasons[i].family == family))
			return true;
	return false;
}

static void
judge_algorithm(struct compare *compare)
{
	const struct read_layout *a = compare->a, *b = compare->b;

	if (a->algorithm && b->algorithm && a->algorithm != b->algorithm)
		add_reason(compare, COMPARE_ALGORITHM, NULL,
		    "%s has version %d of the layout rules, %s version %d: run the same autofbf on "
		    "both",
		    compare->names[0], a->algorithm, compare->names[1], b->algorithm);
}

/* The first family whose epochs differ; NULL: none. */
static const struct compare_family *
find_epoch(const struct compare *compare)
{
	for (size_t i = 0; i < compare->count; i++) {
		const struct compare_family *family = &compare->families[i];

		if (family->a && family->b && family->a->epoch >= 0 && family->b->epoch >= 0 &&
		    family->a->epoch != family->b->epoch)
			return family;
	}
	return NULL;
}

static bool
has_other_profile(const struct compare *compare)
{
	const char *a = compare->a->profile_id, *b = compare->b->profile_id;

	return *a && *b && strcmp(a, b) != 0;
}

static bool
is_same_by(const struct compare_family *family, enum read_role role)
{
	struct compare_family by = { .a = family->a, .b = family->b };

	if (!by.a || !by.b)
		return false;
	walk(&by, by.a->family, role);
	free(by.ranges);
	return by.range_count == 0;
}

/*
 * What belongs to one router in a profile, its address for one, moves nothing. So it is the bases
 * that count, and, where the layouts agree now, whether they still do when one more fails.
 */
static bool
has_same_layouts(const struct compare *compare)
{
	bool is_same = true;

	for (size_t i = 0; i < compare->count && is_same; i++)
		is_same = is_same_by(&compare->families[i], READ_BASE) &&
		          (!compare->agree || is_same_by(&compare->families[i], READ_STANDBY));
	return is_same;
}

static void
judge_profile(struct compare *compare)
{
	const struct read_layout *a = compare->a, *b = compare->b;
	const struct compare_family *family = find_epoch(compare);
	int newer;

	if (!has_other_profile(compare) || (!family && has_same_layouts(compare)))
		return;
	if (!family) {
		add_reason(compare, COMPARE_PROFILE, NULL,
		    "they run different profiles (%s %.8s, %s %.8s) of the same epochs: autofbf "
		    "profile diff shows what that moves",
		    compare->names[0], a->profile_id, compare->names[1], b->profile_id);
		return;
	}
	newer = family->b->epoch > family->a->epoch;
	add_reason(compare, COMPARE_PROFILE, NULL,
	    "they run different profiles: %s has epoch %" PRId64 " of %s %s, %s has %" PRId64
	    ": apply the profile of %s on %s too",
	    compare->names[newer], newer ? family->b->epoch : family->a->epoch, family->a->group,
	    family_names[family->a->family], compare->names[!newer],
	    newer ? family->a->epoch : family->b->epoch, compare->names[newer],
	    compare->names[!newer]);
}

static void
judge_missing(struct compare *compare, const struct compare_family *family)
{
	const struct read_family *it = family->a ? family->a : family->b;

	if (!family->a || !family->b)
		add_reason(compare, COMPARE_MISSING, it,
		    "only %s has group %s, %s: different profiles, or the file of one group alone",
		    compare->names[family->a ? 0 : 1], it->group, family_names[it->family]);
}

static const char *
describe(const struct read_element *element)
{
	if (element->forced)
		return "offline";
	if (*element->state)
		return element->state;
	return element->healthy ? "up" : "down";
}

static void
judge_element(struct compare *compare, const struct compare_family *family,
    const struct read_element *a, const struct read_element *b)
{
	const struct read_family *it = family->a;
	bool is_told = a->tells_health && b->tells_health;

	if (is_told && a->healthy == b->healthy)
		return; /* by whatever cause: the layouts take it alike */
	if (a->forced != b->forced)
		add_reason(compare, COMPARE_FORCED, it,
		    "%s was taken offline by an operator on %s only: the same on %s, or autofbf "
		    "element online %s",
		    a->id, compare->names[b->forced], compare->names[!b->forced], a->id);
	else if (is_told && strcmp(describe(a), describe(b)) != 0)
		add_reason(compare, COMPARE_HEALTH, it,
		    "%s is %s on %s, %s on %s: different units follow from it", a->id, describe(a),
		    compare->names[0], describe(b), compare->names[1]);
	else if (is_told && !it->frozen && !family->b->frozen)
		add_reason(compare, COMPARE_HEALTH, it,
		    "%s is in use on %s and not on %s: different units follow from it", a->id,
		    compare->names[b->healthy], compare->names[!b->healthy]);
}

/* Elements that only one side has are a matter of the profile. */
static void
judge_health(struct compare *compare, const struct compare_family *family)
{
	size_t i = 0, j = 0;

	while (i < family->a->element_count && j < family->b->element_count) {
		const struct read_element *a = &family->a->elements[i];
		const struct read_element *b = &family->b->elements[j];
		int order = strcmp(a->id, b->id);

		if (order == 0)
			judge_element(compare, family, a, b);
		i += order <= 0;
		j += order >= 0;
	}
}

static void
judge_frozen(struct compare *compare, const struct compare_family *family)
{
	int which = family->b->frozen;

	if (family->a->frozen != family->b->frozen)
		add_reason(compare, COMPARE_FROZEN, family->a,
		    "%s is frozen and keeps the layout of before, %s is not: autofbf status there "
		    "says why",
		    compare->names[which], compare->names[!which]);
	else if (family->a->frozen)
		add_reason(compare, COMPARE_FROZEN, family->a,
		    "both are frozen: each keeps the layout that it had then");
}

static void
judge_time(struct compare *compare)
{
	int64_t apart = compare->a->now_us - compare->b->now_us;
	int newer = apart < 0;

	if (compare->agree || !compare->a->now_us || !compare->b->now_us)
		return;
	apart = apart < 0 ? -apart : apart;
	if (apart >= SAME_MOMENT_US)
		add_reason(compare, COMPARE_TIME, NULL,
		    "%s was asked %" PRId64 " s later than %s: what changed in between is no "
		    "disagreement, ask both again",
		    compare->names[newer], apart / 1000000, compare->names[!newer]);
}

static bool
tells_all(const struct read_layout *layout, const struct read_family *family)
{
	bool tells = layout->algorithm && *layout->profile_id;

	for (size_t e = 0; e < family->element_count; e++)
		tells &= family->elements[e].tells_health;
	return tells;
}

/* Nothing that was told explains it. */
static void
judge_rest(struct compare *compare, const struct compare_family *family)
{
	for (enum compare_kind kind = 0; kind < COMPARE_KIND_COUNT; kind++)
		if (kind != COMPARE_TIME && has_kind(compare, kind, family->a))
			return;
	if (has_other_profile(compare))
		add_reason(compare, COMPARE_SETTINGS, family->a,
		    "the base layouts are the same, but they run different profiles (%s %.8s, %s "
		    "%.8s): failed-weight or split, or only what belongs to one router",
		    compare->names[0], compare->a->profile_id, compare->names[1],
		    compare->b->profile_id);
	else if (!tells_all(compare->a, family->a) || !tells_all(compare->b, family->b))
		add_reason(compare, COMPARE_UNTOLD, family->a,
		    "%s does not tell profile and health: made by an older autofbf",
		    compare->names[tells_all(compare->a, family->a)]);
	else
		add_reason(compare, COMPARE_DEFECT, family->a,
		    "same rules, same profile, same health, different layouts: a defect of "
		    "autofbf, "
		    "please report it with both files");
}

static int
compare_reasons(const void *a, const void *b)
{
	const struct compare_reason *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void
judge(struct compare *compare)
{
	judge_algorithm(compare);
	judge_profile(compare);
	for (size_t i = 0; i < compare->count; i++) {
		const struct compare_family *family = &compare->families[i];

		if (family->agree)
			continue;
		judge_missing(compare, family);
		if (!family->a || !family->b)
			continue;
		judge_health(compare, family);
		judge_frozen(compare, family);
		judge_rest(compare, family);
	}
	judge_time(compare);
	if (compare->reason_count > 0)
		qsort(compare->reasons, compare->reason_count, sizeof(*compare->reasons),
		    compare_reasons);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void
add_family(struct compare *compare, const struct read_family *a, const struct read_family *b)
{
	struct compare_family family = { .a = a, .b = b };

	walk(&family, a ? a->family : b->family, READ_OWNER);
	family.agree = a && b && family.range_count == 0;
	compare->agree &= family.agree;
	compare->families =
	    xreallocarray(compare->families, compare->count + 1, sizeof(*compare->families));
	compare->families[compare->count++] = family;
}

static int
order_families(const struct read_family *a, const struct read_family *b)
{
	int order = strcmp(a->group, b->group);

	return order ? order : (int)a->family - (int)b->family;
}

static void
pair_families(struct compare *compare)
{
	const struct read_layout *a = compare->a, *b = compare->b;
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		int order = i == a->count   ? 1
		            : j == b->count ? -1
		                            : order_families(&a->families[i], &b->families[j]);

		add_family(compare, order <= 0 ? &a->families[i] : NULL,
		    order >= 0 ? &b->families[j] : NULL);
		i += order <= 0;
		j += order >= 0;
	}
}

struct compare *
compare_layouts(
    const struct read_layout *a, const struct read_layout *b, const char *const files[2])
{
	struct compare *compare = xcalloc(1, sizeof(*compare));
	bool is_ambiguous = strcmp(a->name, b->name) == 0;

	compare->a = a;
	compare->b = b;
	compare->agree = true;
	compare->names[0] =
	    is_ambiguous ? xasprintf("%s (%s)", a->name, files[0]) : xstrdup(a->name);
	compare->names[1] =
	    is_ambiguous ? xasprintf("%s (%s)", b->name, files[1]) : xstrdup(b->name);
	pair_families(compare);
	judge(compare);
	return compare;
}

void
compare_free(struct compare *compare)
{
	if (!compare)
		return;
	for (size_t i = 0; i < compare->count; i++)
		free(compare->families[i].ranges);
	for (size_t i = 0; i < compare->reason_count; i++)
		free(compare->reasons[i].text);
	free(compare->families);
	free(compare->reasons);
	free(compare->names[0]);
	free(compare->names[1]);
	free(compare);
}
