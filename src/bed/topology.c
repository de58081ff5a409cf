/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Doors: topology_new, topology_enter, and the names in node.c. Links are made by one `ip -batch -` and redirections
 * by one `tc -batch -`: starting a program costs 30 to 40 ms in a guest kernel. What belongs to a node's own namespace
 * (address, route, neighbour) is set by ioctl from here, since a batch of ip cannot change namespaces. */
#include "config.h"

#include "bed/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "bed/batch.h"
#include "bed/device.h"

/* Pairs of addresses in 10.1.0.0/16. */
enum { WORKERS_MAX = 32768 };

struct topology {
    uint32_t workers;
    int home_fd; /* the namespace that we came from */
    int switch_fd;
    int ps_fd;
    int *worker_fd; /* workers of them */
};

static int *node_fd(struct topology *topology, int32_t node)
{
    if (node == NODE_SWITCH)
        return &topology->switch_fd;
    return node == NODE_PS ? &topology->ps_fd : &topology->worker_fd[node];
}

static int enter_fd(int fd, struct error *err)
{
    return setns(fd, CLONE_NEWNET) < 0 ? error_set_errno(err, "a network namespace of the bed cannot be entered") : 0;
}

int topology_enter(const struct topology *topology, int32_t node, struct error *err)
{
    return enter_fd(*node_fd((struct topology *)topology, node), err);
}

/* Make a namespace, enter it, and give it a name under /run/netns. Leaves us inside. */
static int make_namespace(int32_t node, int *fd, struct error *err)
{
    char name[NODE_NAME_MAX], path[sizeof "/run/netns/" + NODE_NAME_MAX];
    node_name(node, name);
    snprintf(path, sizeof path, "/run/netns/%s", name);
    if (unshare(CLONE_NEWNET) < 0)
        return error_set_errno(err, "no network namespace for %s", name);
    *fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    int mark = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (*fd < 0 || mark < 0)
        return error_set_errno(err, "%s: cannot be made", path);
    close(mark);
    if (mount("/proc/self/ns/net", path, "none", MS_BIND, NULL) < 0)
        return error_set_errno(err, "%s: the namespace cannot be mounted there", path);
    device_no_ipv6(); /* its router and neighbour solicitations would mix with what is measured */
    return device_up("lo", err);
}

static int make_namespaces(struct topology *topology, struct error *err)
{
    if (mkdir("/run/netns", 0755) < 0 && errno != EEXIST)
        return error_set_errno(err, "/run/netns: cannot be made");
    for (int32_t node = NODE_SWITCH; node < (int32_t)topology->workers; node++)
        if (make_namespace(node, node_fd(topology, node), err) < 0)
            return -1;
    return 0;
}

/* The commands that make every link, for `ip -batch -`. */
static void write_links(FILE *batch, const struct topology *topology, bool with_ifb)
{
    for (int32_t node = NODE_PS; node < (int32_t)topology->workers; node++) {
        char name[NODE_NAME_MAX], device[NODE_DEVICE_MAX], ifb[NODE_DEVICE_MAX];
        char address[NODE_ADDRESS_MAX], near_mac[DEVICE_MAC_MAX], far_mac[DEVICE_MAC_MAX];
        node_name(node, name);
        node_switch_device(node, device);
        node_switch_address(node, address);
        node_mac(node, true, near_mac);
        node_mac(node, false, far_mac);
        fprintf(batch, "link add name %s address %s type veth peer name eth0 address %s netns %s\n", device, near_mac,
                far_mac, name);
        fprintf(batch, "address add %s/31 dev %s\nlink set %s up\n", address, device, device);
        if (with_ifb) {
            node_ifb(node, ifb);
            fprintf(batch, "link add name %s type ifb\nlink set %s up\n", ifb, ifb);
        }
    }
}

/* What comes into the switch passes through an ifb first, for `tc -batch -`. */
static void write_redirections(FILE *batch, const struct topology *topology)
{
    for (int32_t node = NODE_PS; node < (int32_t)topology->workers; node++) {
        char device[NODE_DEVICE_MAX], ifb[NODE_DEVICE_MAX];
        node_switch_device(node, device);
        node_ifb(node, ifb);
        fprintf(batch, "qdisc add dev %s handle ffff: ingress\n", device);
        fprintf(batch, "filter add dev %s parent ffff: matchall action mirred egress redirect dev %s\n", device, ifb);
    }
}

static int make_links(const struct topology *topology, bool with_ifb, struct error *err)
{
    char *text = NULL;
    size_t len;
    FILE *batch = open_memstream(&text, &len);
    write_links(batch, topology, with_ifb);
    fclose(batch);
    int status = batch_run("ip", text, err);
    free(text);
    if (status < 0 || !with_ifb)
        return status;
    batch = open_memstream(&text, &len);
    write_redirections(batch, topology);
    fclose(batch);
    status = batch_run("tc", text, err);
    free(text);
    return status;
}

/* The switch's side: forwarding, a neighbour entry and no offloads on every device. */
static int set_up_switch(const struct topology *topology, bool with_ifb, struct error *err)
{
    if (device_forward(err) < 0)
        return -1;
    for (int32_t node = NODE_PS; node < (int32_t)topology->workers; node++) {
        char device[NODE_DEVICE_MAX], ifb[NODE_DEVICE_MAX], address[NODE_ADDRESS_MAX], mac[DEVICE_MAC_MAX];
        node_switch_device(node, device);
        node_address(node, address);
        node_mac(node, false, mac);
        if (device_neighbour(device, address, mac, err) < 0 || device_no_offloads(device, err) < 0)
            return -1;
        node_ifb(node, ifb);
        if (with_ifb && device_no_offloads(ifb, err) < 0)
            return -1;
    }
    return 0;
}

static int set_up_node(int32_t node, struct error *err)
{
    char address[NODE_ADDRESS_MAX], gateway[NODE_ADDRESS_MAX], mac[DEVICE_MAC_MAX];
    node_address(node, address);
    node_switch_address(node, gateway);
    node_mac(node, true, mac);
    if (device_address("eth0", address, "255.255.255.254", err) < 0 || device_up("eth0", err) < 0 ||
        device_default_route(gateway, err) < 0 || device_neighbour("eth0", gateway, mac, err) < 0)
        return -1;
    return device_no_offloads("eth0", err);
}

static int build(struct topology *topology, bool with_ifb, struct error *err)
{
    if (make_namespaces(topology, err) < 0 || topology_enter(topology, NODE_SWITCH, err) < 0 ||
        make_links(topology, with_ifb, err) < 0 || set_up_switch(topology, with_ifb, err) < 0)
        return -1;
    for (int32_t node = NODE_PS; node < (int32_t)topology->workers; node++) {
        char name[NODE_NAME_MAX];
        node_name(node, name);
        if (topology_enter(topology, node, err) < 0 || set_up_node(node, err) < 0)
            return error_prefix(err, "node %s", name);
    }
    return 0;
}

struct topology *topology_new(uint32_t workers, bool with_ifb, struct error *err)
{
    if (workers > WORKERS_MAX) {
        error_set(err, "%u workers: a bed has addresses for %d at most", workers, WORKERS_MAX);
        return NULL;
    }
    struct topology *topology = mem_zalloc(sizeof *topology);
    topology->workers = workers;
    topology->home_fd = topology->switch_fd = topology->ps_fd = -1;
    topology->worker_fd = mem_array(workers, sizeof *topology->worker_fd);
    for (uint32_t m = 0; m < workers; m++)
        topology->worker_fd[m] = -1;
    topology->home_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    struct error home = {{0}};
    int status = topology->home_fd < 0 ? error_set_errno(err, "/proc/self/ns/net") : build(topology, with_ifb, err);
    if (topology->home_fd >= 0 && enter_fd(topology->home_fd, &home) < 0 && status == 0)
        status = error_set(err, "%s", home.text);
    if (status < 0) {
        topology_free(topology);
        return NULL;
    }
    return topology;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
}

void topology_free(struct topology *topology)
{
    if (topology == NULL)
        return;
    close_fd(topology->home_fd);
    close_fd(topology->switch_fd);
    close_fd(topology->ps_fd);
    for (uint32_t m = 0; m < topology->workers; m++)
        close_fd(topology->worker_fd[m]);
    free(topology->worker_fd);
    free(topology);
}
