/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small settings of network devices in the namespace that the caller is in, by ioctl: no program is started. Each can
 * be said by hand as the command that its comment names. */
#ifndef LAGGARD_BED_DEVICE_H
#define LAGGARD_BED_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "bed/topology.h"

enum { DEVICE_MAC_MAX = 18 };

MUST_CHECK int device_up(const char *device, struct error *err); /* ip link set DEVICE up */
MUST_CHECK int device_address(const char *device, const char *address, const char *netmask,
                              struct error *err);                            /* ip address add ADDRESS/31 dev DEVICE */
MUST_CHECK int device_default_route(const char *gateway, struct error *err); /* ip route add default via GATEWAY */
/* ip neighbour replace ADDRESS lladdr MAC nud permanent dev DEVICE: no ARP packet is ever delayed or lost */
MUST_CHECK int device_neighbour(const char *device, const char *address, const char *mac, struct error *err);
/* ethtool -K DEVICE tso off gso off gro off: a 64 KiB super-packet would count as one packet */
MUST_CHECK int device_no_offloads(const char *device, struct error *err);
MUST_CHECK int device_forward(struct error *err); /* sysctl net.ipv4.ip_forward=1 */
void device_no_ipv6(void); /* sysctl net.ipv6.conf.{all,default}.disable_ipv6=1, where there is IPv6 */

/* More names that follow from a node's number (see topology.h). */
void node_switch_device(int32_t node, char device[NODE_DEVICE_MAX]);
void node_switch_address(int32_t node, char address[NODE_ADDRESS_MAX]);
void node_ifb(int32_t node, char device[NODE_DEVICE_MAX]);
void node_mac(int32_t node, bool at_switch, char mac[DEVICE_MAC_MAX]);

#endif
