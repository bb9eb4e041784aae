/* SPDX-License-Identifier: BSD-3-Clause */
/* Export policies as route-maps of FRR's bgpd. */
#ifndef LABROUTER_FRR_EXPORT_H
#define LABROUTER_FRR_EXPORT_H

#include "policy.h"

/*
 * Configuration commands, a line each (owned), that make for every policy a route-map of its name:
 * accept and default become permit, reject becomes deny; as-path-prepend, metric and
 * local-preference are set, communities are not. A session obeys it when its own configuration says
 * `neighbor X route-map POLICY out`. Its prefix-lists are called POLICY-10, POLICY-20, ...
 */
char *frr_export_commands(const struct announcements *announcements);

#endif
