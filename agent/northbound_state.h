/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The picture and the records in the words of yang/autofbf.yang: structs to libyang trees.
 * Text that YANG could not take (control characters, broken UTF-8) is made harmless on the way.
 */
#ifndef AUTOFBF_NORTHBOUND_STATE_H
#define AUTOFBF_NORTHBOUND_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "history.h"
#include "northbound_stream.h"
#include "status.h"

struct lyd_node;
struct lys_module;

/* Container state as a stream: the general part, then element by element. Holds the picture;
 * borrows the module. */
struct northbound_stream *northbound_state_new(
    const struct lys_module *module, const struct status *status);
/* An alarm's leaves but for type and key into an entry of the list alarm, or into a notification.
 */
void northbound_state_put_alarm(struct lyd_node *parent, const struct alarm *alarm);
/* A record's leaves into an entry of the list event of the RPC events (is_output), or into the
 * notification event. */
void northbound_state_put_record(
    struct lyd_node *parent, const struct history_record *record, bool is_output);

#endif
