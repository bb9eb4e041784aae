/* SPDX-License-Identifier: BSD-3-Clause */
/* The pages: /metrics (Prometheus), /healthz, /status.json (RFC 7951 of the state). */
#ifndef AUTOFBF_PUBLISH_PAGES_H
#define AUTOFBF_PUBLISH_PAGES_H

#include "http.h"
#include "picture.h"

/* Fills the answer from a picture, which the body may hold on to. interval_ms: how often there is
 * to be a new one. */
void pages_answer(struct picture *picture, struct mtime now, unsigned interval_ms, const char *path,
    struct http_answer *answer);

#endif
