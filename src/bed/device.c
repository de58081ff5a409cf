/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "bed/device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <net/route.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* ioctl on a socket of this namespace. */
static int ask(unsigned long request, void *argument)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    int status = ioctl(fd, request, argument);
    int number = errno;
    close(fd);
    errno = number;
    return status;
}

static void set_name(char name[IFNAMSIZ], const char *device)
{
    snprintf(name, IFNAMSIZ, "%s", device);
}

static void set_address(struct sockaddr *out, const char *address)
{
    struct sockaddr_in *four = (struct sockaddr_in *)(void *)out;
    four->sin_family = AF_INET;
    inet_pton(AF_INET, address, &four->sin_addr);
}

int device_up(const char *device, struct error *err)
{
    struct ifreq request = {0};
    set_name(request.ifr_name, device);
    if (ask(SIOCGIFFLAGS, &request) < 0)
        return error_set_errno(err, "device %s", device);
    request.ifr_flags |= IFF_UP;
    return ask(SIOCSIFFLAGS, &request) < 0 ? error_set_errno(err, "device %s cannot be set up", device) : 0;
}

int device_address(const char *device, const char *address, const char *netmask, struct error *err)
{
    struct ifreq request = {0};
    set_name(request.ifr_name, device);
    set_address(&request.ifr_addr, address);
    if (ask(SIOCSIFADDR, &request) < 0)
        return error_set_errno(err, "device %s cannot have address %s", device, address);
    set_address(&request.ifr_netmask, netmask);
    return ask(SIOCSIFNETMASK, &request) < 0 ? error_set_errno(err, "device %s cannot have netmask %s", device, netmask)
                                             : 0;
}

int device_default_route(const char *gateway, struct error *err)
{
    struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY};
    set_address(&route.rt_dst, "0.0.0.0");
    set_address(&route.rt_genmask, "0.0.0.0");
    set_address(&route.rt_gateway, gateway);
    return ask(SIOCADDRT, &route) < 0 ? error_set_errno(err, "no default route via %s", gateway) : 0;
}

int device_neighbour(const char *device, const char *address, const char *mac, struct error *err)
{
    struct arpreq request = {.arp_flags = ATF_PERM | ATF_COM};
    unsigned byte[6];
    set_address(&request.arp_pa, address);
    request.arp_ha.sa_family = ARPHRD_ETHER;
    sscanf(mac, "%x:%x:%x:%x:%x:%x", &byte[0], &byte[1], &byte[2], &byte[3], &byte[4], &byte[5]);
    for (int i = 0; i < 6; i++)
        request.arp_ha.sa_data[i] = (char)byte[i];
    snprintf(request.arp_dev, sizeof request.arp_dev, "%s", device);
    return ask(SIOCSARP, &request) < 0 ? error_set_errno(err, "no neighbour %s on device %s", address, device) : 0;
}

int device_no_offloads(const char *device, struct error *err)
{
    static const struct {
        uint32_t command;
        const char *name;
    } offloads[] = {{ETHTOOL_STSO, "tso"}, {ETHTOOL_SGSO, "gso"}, {ETHTOOL_SGRO, "gro"}};
    for (size_t i = 0; i < sizeof offloads / sizeof *offloads; i++) {
        struct ethtool_value value = {.cmd = offloads[i].command, .data = 0};
        struct ifreq request = {.ifr_data = (char *)&value};
        set_name(request.ifr_name, device);
        if (ask(SIOCETHTOOL, &request) < 0 && errno != EOPNOTSUPP) /* a device without it has nothing to switch off */
            return error_set_errno(err, "device %s: %s cannot be switched off", device, offloads[i].name);
    }
    return 0;
}

static int write_setting(const char *path, const char *value)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t wrote = write(fd, value, strlen(value));
    int number = errno;
    close(fd);
    errno = number;
    return wrote < 0 ? -1 : 0;
}

int device_forward(struct error *err)
{
    static const char path[] = "/proc/sys/net/ipv4/ip_forward";
    return write_setting(path, "1") < 0 ? error_set_errno(err, "%s: the switch cannot forward", path) : 0;
}

void device_no_ipv6(void)
{
    /* No such file: no IPv6, which is what is wanted. */
    (void)write_setting("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    (void)write_setting("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
}
