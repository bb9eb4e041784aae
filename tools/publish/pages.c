/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What depends on the moment of asking is written here: whether the agent is reached, and how old
 * the picture is. The rest of /metrics is the picture's text. Each answer has a copy, so that none
 * outlives what it was made from: libevent lets go of an unread one when the loop itself ends.
 */
#include "pages.h"

#include <event2/buffer.h>
#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>

static void
answer_metrics(
    struct picture *picture, struct mtime now, unsigned interval_ms, struct http_answer *answer)
{
	size_t size;
	const char *text = picture_metrics(picture, &size);

	answer->type = "text/plain; version=0.0.4; charset=utf-8";
	evbuffer_add_printf(answer->body,
	    "# HELP autofbf_up The agent answers; 0: nothing else is published of it.\n"
	    "# TYPE autofbf_up gauge\nautofbf_up %d\n",
	    picture->state != NULL);
	evbuffer_add_printf(answer->body,
	    "# HELP autofbf_publish_interval_seconds How often the agent is asked.\n"
	    "# TYPE autofbf_publish_interval_seconds gauge\n"
	    "autofbf_publish_interval_seconds %u\n",
	    interval_ms / 1000);
	if (picture->taken_us > 0)
		evbuffer_add_printf(answer->body,
		    "# HELP autofbf_data_age_seconds Age of what is published.\n"
		    "# TYPE autofbf_data_age_seconds gauge\nautofbf_data_age_seconds %.3f\n",
		    (double)picture_age_ms(picture, now) / 1000);
	evbuffer_add(answer->body, text, size);
}

static void
answer_health(const struct picture *picture, struct http_answer *answer)
{
	answer->status = picture->state ? 200 : 503;
	evbuffer_add_printf(
	    answer->body, "%s\n", picture->state ? "ok" : "the agent does not answer");
}

static void
answer_status(const struct picture *picture, struct http_answer *answer)
{
	char *text = NULL;

	answer->type = "application/yang-data+json";
	if (!picture->state) {
		answer->status = 503;
		evbuffer_add_printf(answer->body, "{}\n");
		return;
	}
	if (lyd_print_mem(&text, picture->state, LYD_JSON, LYD_PRINT_SHRINK) != LY_SUCCESS)
		fatal("out of memory");
	evbuffer_add_printf(answer->body, "%s\n", text);
	free(text);
}

void
pages_answer(struct picture *picture, struct mtime now, unsigned interval_ms, const char *path,
    struct http_answer *answer)
{
	if (strcmp(path, "/metrics") == 0) {
		answer_metrics(picture, now, interval_ms, answer);
	} else if (strcmp(path, "/healthz") == 0) {
		answer_health(picture, answer);
	} else if (strcmp(path, "/status.json") == 0) {
		answer_status(picture, answer);
	} else {
		answer->status = 404;
		evbuffer_add_printf(
		    answer->body, "There are /metrics, /healthz and /status.json.\n");
	}
}
