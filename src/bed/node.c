/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How nodes, their addresses, queues and links are called: the half of topology.h that touches no namespace. */
#include "config.h"

#include "bed/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed/device.h"

void node_name(int32_t node, char name[NODE_NAME_MAX])
{
    if (node == NODE_PS)
        snprintf(name, NODE_NAME_MAX, "ps");
    else if (node == NODE_SWITCH)
        snprintf(name, NODE_NAME_MAX, "switch");
    else
        snprintf(name, NODE_NAME_MAX, "worker%d", node + 1);
}

/* "worker3" and nothing like "worker03", "worker+3" or "worker3x" */
static int parse_worker(const char *name, uint32_t workers, int32_t *node)
{
    static const char prefix[] = "worker";
    const char *digits = name + sizeof prefix - 1;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 || *digits < '1' || *digits > '9')
        return -1;
    char *end;
    errno = 0;
    unsigned long number = strtoul(digits, &end, 10);
    if (errno != 0 || *end != '\0' || number > workers)
        return -1;
    *node = (int32_t)number - 1;
    return 0;
}

int node_parse(const char *name, uint32_t workers, int32_t *node, struct error *err)
{
    if (strcmp(name, "ps") == 0)
        *node = NODE_PS;
    else if (strcmp(name, "switch") == 0)
        *node = NODE_SWITCH;
    else if (parse_worker(name, workers, node) < 0)
        return error_set(err, "%s: no such node; ps, switch and worker1 to worker%u are there", name, workers);
    return 0;
}

/* One of a /31 pair: even at the switch, odd at the node. */
static void pair_address(int32_t node, unsigned odd, char address[NODE_ADDRESS_MAX])
{
    unsigned host = 2 * (unsigned)(node < 0 ? 0 : node) + odd;
    snprintf(address, NODE_ADDRESS_MAX, "10.%u.%u.%u", node < 0 ? 0u : 1u, host / 256 % 256, host % 256);
}

void node_address(int32_t node, char address[NODE_ADDRESS_MAX])
{
    pair_address(node, 1, address);
}

void node_switch_address(int32_t node, char address[NODE_ADDRESS_MAX])
{
    pair_address(node, 0, address);
}

void node_switch_device(int32_t node, char device[NODE_DEVICE_MAX])
{
    node_queue(node, node == NODE_PS ? LINK_UP : LINK_DOWN, device);
}

void node_ifb(int32_t node, char device[NODE_DEVICE_MAX])
{
    node_queue(node, node == NODE_PS ? LINK_DOWN : LINK_UP, device);
}

void node_mac(int32_t node, bool at_switch, char mac[DEVICE_MAC_MAX])
{
    unsigned number = (unsigned)(node + 2);
    snprintf(mac, DEVICE_MAC_MAX, "02:00:%02x:%02x:%02x:%02x", number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff,
             at_switch ? 0u : 1u);
}

/* Towards the node: the egress of its device. From the node: the ifb behind the ingress. */
void node_queue(int32_t node, enum direction direction, char device[NODE_DEVICE_MAX])
{
    bool towards_node = (node == NODE_PS) == (direction == LINK_UP);
    if (node == NODE_PS)
        snprintf(device, NODE_DEVICE_MAX, "%sps", towards_node ? "" : "ifb-");
    else
        snprintf(device, NODE_DEVICE_MAX, "%sw%u", towards_node ? "" : "ifb-", (unsigned)(node + 1) % 100000000);
}

void link_name(int32_t node, enum direction direction, char name[NODE_NAME_MAX])
{
    char owner[NODE_NAME_MAX];
    node_name(node, owner);
    snprintf(name, NODE_NAME_MAX, "%.24s.%s", owner, direction == LINK_UP ? "up" : "down");
}
