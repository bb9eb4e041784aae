/* SPDX-License-Identifier: BSD-3-Clause */
/* Forwarding instances of a configuration -> filter_config.instances. */
#ifndef LABROUTER_FILTER_ROUTES_H
#define LABROUTER_FILTER_ROUTES_H

#include "filter.h"

/* Appends every routing instance with its static routes (both families). 0, or -EINVAL with err. */
int filter_routes_read(
    const xmlNode *configuration, struct filter_config *config, struct error *err);

#endif
