/* SPDX-License-Identifier: BSD-3-Clause */
/* The BMP station: what a TCP session's bytes mean, and what it means when the last one is gone. */
#ifndef AUTOFBF_SOURCES_BMP_H
#define AUTOFBF_SOURCES_BMP_H

#include "sources_internal.h"

extern const struct tcp_handler source_bmp_handler;

#endif
