/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the run shows: loss and longest gap of each subscriber, each lost packet if wanted, and one
 * line of sums in which the probe's own faults stand apart from what the network lost.
 */
#include "probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

struct result {
	uint64_t sent, answered;
	int64_t longest_gap_us;
};

/* A gap reaches from the first lost packet to the next one that was answered, or to the last one.
 */
static struct result
result_of(const struct probe *probe, size_t subscriber)
{
	struct result result = { 0 };
	int64_t gap_start = PROBE_NOT_SENT, last = 0;

	for (size_t i = subscriber; i < probe->count; i += probe->subscriber_count) {
		const struct probe_packet *packet = &probe->packets[i];

		if (packet->sent_us == PROBE_NOT_SENT)
			continue;
		result.sent++;
		result.answered += packet->is_answered;
		last = packet->sent_us;
		if (!packet->is_answered && gap_start == PROBE_NOT_SENT)
			gap_start = packet->sent_us;
		if (gap_start != PROBE_NOT_SENT && last - gap_start > result.longest_gap_us)
			result.longest_gap_us = last - gap_start;
		if (packet->is_answered)
			gap_start = PROBE_NOT_SENT;
	}
	return result;
}

static FILE *
open_output(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "we") : stdout;

	if (!file)
		fatal("%s: %s", path, strerror(errno));
	return file;
}

static void
close_output(FILE *file, const char *path)
{
	if (fflush(file) || ferror(file))
		fatal("%s: %s", path, strerror(errno));
	if (file != stdout)
		fclose(file);
}

void
probe_write_csv(const struct probe *probe, const char *path)
{
	FILE *file = open_output(path);

	fprintf(file, "subscriber,family,sent,received,lost,longest_gap_ms\n");
	for (size_t i = 0; i < probe->subscriber_count; i++) {
		struct result result = result_of(probe, i);
		char text[IP_TEXT_SIZE];

		fprintf(file, "%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.1f\n",
		    ip_format(&probe->subscribers[i], text),
		    family_names[probe->subscribers[i].family], result.sent, result.answered,
		    result.sent - result.answered, (double)result.longest_gap_us / 1000);
	}
	close_output(file, path);
}

/* One line for each lost packet, in the order of sending. */
void
probe_write_losses(const struct probe *probe, const char *path)
{
	FILE *file = open_output(path);

	fprintf(file, "sent_at_us,subscriber,family\n");
	for (size_t i = 0; i < probe->count; i++) {
		const struct ip *ip = &probe->subscribers[i % probe->subscriber_count];
		char text[IP_TEXT_SIZE];

		if (probe->packets[i].is_answered || probe->packets[i].sent_us == PROBE_NOT_SENT)
			continue;
		fprintf(file, "%" PRId64 ",%s,%s\n",
		    probe->packets[i].sent_us + probe->wall_offset_us, ip_format(ip, text),
		    family_names[ip->family]);
	}
	close_output(file, path);
}

void
probe_write_summary(const struct probe *probe)
{
	uint64_t sent = 0, answered = 0;

	for (size_t i = 0; i < probe->count; i++) {
		sent += probe->packets[i].sent_us != PROBE_NOT_SENT;
		answered += probe->packets[i].is_answered;
	}
	fprintf(stderr,
	    "probe: sent %" PRIu64 " received %" PRIu64 " lost %" PRIu64
	    "; own: send-errors %" PRIu64 " late %" PRIu64 " overruns %" PRIu64 " foreign %" PRIu64
	    "\n",
	    sent, answered, sent - answered, probe->send_errors, probe->late,
	    (uint64_t)probe->overruns[FAMILY_IPV4] + probe->overruns[FAMILY_IPV6], probe->foreign);
}
