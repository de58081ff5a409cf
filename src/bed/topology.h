/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The network of a bed: nodes `ps`, `switch`, `worker1`..`workerM`, each its own network namespace, veth pairs to the
 * switch, which routes. Seen from inside the bed's mount namespace each has a name in /run/netns, so that
 * `ip -n worker3 …` and `ip netns exec` work there.
 *
 *   ps          eth0  ── switch: ps        10.0.0.1/31 – 10.0.0.0/31
 *   worker m    eth0  ── switch: w<m>      10.1.x.y/31 (odd: worker, even: switch), m from 1
 *
 * Queues sit in the switch. Away from it: on the egress of its device; towards it: on an ifb behind its ingress.
 *
 *   link.worker3.down: device w3       link.worker3.up: device ifb-w3
 *   link.ps.up:        device ps       link.ps.down:    device ifb-ps        (up is towards the PS on every link) */
#ifndef LAGGARD_BED_TOPOLOGY_H
#define LAGGARD_BED_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "scenario/scenario.h"

enum { NODE_SWITCH = -2, NODE_PS = -1 }; /* ≥ 0: worker, 0-based */
enum { NODE_NAME_MAX = 32, NODE_DEVICE_MAX = 16, NODE_ADDRESS_MAX = 16, TOPOLOGY_PS_PORT = 4700 };

struct topology;

/* Build it in the current (private) namespaces: must be called by the bed's first process. with_ifb: make the ifb
 * devices and their redirections (needs the ifb module); without, only plain links. Offloads (TSO, GSO, GRO) are
 * switched off on every device. */
MUST_CHECK struct topology *topology_new(uint32_t workers, bool with_ifb, struct error *err);
void topology_free(struct topology *topology);

void node_name(int32_t node, char name[NODE_NAME_MAX]); /* "ps", "switch", "worker3" */
MUST_CHECK int node_parse(const char *name, uint32_t workers, int32_t *node, struct error *err);
void node_address(int32_t node, char address[NODE_ADDRESS_MAX]); /* of eth0 in ps or a worker: "10.1.0.5" */
void node_queue(int32_t node, enum direction direction, char device[NODE_DEVICE_MAX]); /* device in the switch */
void link_name(int32_t node, enum direction direction, char name[NODE_NAME_MAX]);      /* "worker3.up" */

/* Move the calling process into a node's network namespace (for a child between fork and exec). */
MUST_CHECK int topology_enter(const struct topology *topology, int32_t node, struct error *err);

#endif
