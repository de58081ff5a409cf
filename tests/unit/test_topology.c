/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of nodes, devices and links; and the network itself, built in namespaces that end with the test. */
#include "config.h"

#include "bed/topology.h"

#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bed/container.h"
#include "bed/device.h"
#include "bed/features.h"
#include "cmocka_all.h"

enum { NODES = 300 };

static void node_name__every_node__is_read_back(void **state)
{
    (void)state;
    char name[NODE_NAME_MAX];
    struct error err;
    for (int32_t node = NODE_SWITCH; node < NODES; node++) {
        int32_t back = 99;
        node_name(node, name);
        assert_int_equal(node_parse(name, NODES, &back, &err), 0);
        assert_int_equal(back, node);
    }
    node_name(2, name);
    assert_string_equal(name, "worker3");
}

static void node_parse__what_is_no_node__is_refused_with_what_there_is(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "worker",
                                        "worker0",
                                        "worker10",
                                        "worker03",
                                        "worker+3",
                                        "worker3x",
                                        "worker 3",
                                        "Worker3",
                                        "workers3",
                                        "pss",
                                        "switch1",
                                        "worker-1",
                                        "worker3 ",
                                        "3",
                                        "worker3.up",
                                        "worker99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error err = {{0}};
        int32_t node = 77;
        assert_int_equal(node_parse(wrong[i], 9, &node, &err), -1);
        assert_int_equal(node, 77);
        assert_non_null(strstr(err.text, "worker9"));
    }
}

static void node_address__neighbours__share_a_pair_and_nobody_else_does(void **state)
{
    (void)state;
    char address[NODE_ADDRESS_MAX], other[NODE_ADDRESS_MAX];
    node_address(NODE_PS, address);
    assert_string_equal(address, "10.0.0.1");
    node_switch_address(NODE_PS, address);
    assert_string_equal(address, "10.0.0.0");
    node_address(0, address);
    assert_string_equal(address, "10.1.0.1");
    node_address(127, address);
    node_switch_address(127, other);
    assert_string_equal(address, "10.1.0.255");
    assert_string_equal(other, "10.1.0.254");
    node_address(128, address);
    assert_string_equal(address, "10.1.1.1");
    node_address(32767, address);
    assert_string_equal(address, "10.1.255.255");
}

/* The kernel cuts a name at 15 characters, and two devices would be one. */
static void node_queue__each_direction_of_each_link__has_a_device_of_its_own(void **state)
{
    (void)state;
    char device[NODE_DEVICE_MAX];
    node_queue(2, LINK_DOWN, device);
    assert_string_equal(device, "w3");
    node_queue(2, LINK_UP, device);
    assert_string_equal(device, "ifb-w3");
    node_queue(NODE_PS, LINK_UP, device);
    assert_string_equal(device, "ps");
    node_queue(NODE_PS, LINK_DOWN, device);
    assert_string_equal(device, "ifb-ps");
    node_queue(32767, LINK_UP, device);
    assert_string_equal(device, "ifb-w32768");
    node_switch_device(NODE_PS, device);
    assert_string_equal(device, "ps");
    node_switch_device(2, device);
    assert_string_equal(device, "w3");
    node_ifb(NODE_PS, device);
    assert_string_equal(device, "ifb-ps");
}

static void node_mac__many_nodes__are_local_and_all_different(void **state)
{
    (void)state;
    char mac[2 * NODES][DEVICE_MAC_MAX];
    for (int32_t node = 0; node < NODES; node++) {
        node_mac(node, true, mac[2 * node]);
        node_mac(node, false, mac[2 * node + 1]);
    }
    for (int i = 0; i < 2 * NODES; i++) {
        assert_int_equal(strncmp(mac[i], "02:", 3), 0);
        assert_int_equal(strlen(mac[i]), DEVICE_MAC_MAX - 1);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(mac[i], mac[k]);
    }
}

static void link_name__both_directions__as_a_scenario_writes_them(void **state)
{
    (void)state;
    char name[NODE_NAME_MAX];
    link_name(NODE_PS, LINK_UP, name);
    assert_string_equal(name, "ps.up");
    link_name(11, LINK_DOWN, name);
    assert_string_equal(name, "worker12.down");
}

/* ── the network itself; these run as PID 1 of namespaces of their own, and say what went wrong by container_fail ── */

enum { WORKERS = 2, PORT = 4700 };

static int complain(const char *what)
{
    struct error err;
    error_set(&err, "%s", what);
    container_fail(&err);
    return EXIT_RUN_FAILED;
}

static struct sockaddr_in endpoint(int32_t node)
{
    char text[NODE_ADDRESS_MAX];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    node_address(node, text);
    inet_pton(AF_INET, text, &address.sin_addr);
    return address;
}

/* A socket stays in the namespace that it was made in. */
static int make_listener(const struct topology *topology, struct error *err)
{
    struct sockaddr_in address = endpoint(NODE_PS);
    if (topology_enter(topology, NODE_PS, err) < 0)
        return -1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, WORKERS) == 0 ? fd : -1;
}

static int connect_from(const struct topology *topology, int32_t node, int listener, struct error *err)
{
    struct sockaddr_in to = endpoint(NODE_PS), wanted = endpoint(node), from;
    socklen_t len = sizeof from;
    if (topology_enter(topology, node, err) < 0)
        return -1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
        return error_set_errno(err, "worker%d cannot reach the PS", node + 1);
    int accepted = accept(listener, (struct sockaddr *)&from, &len);
    if (accepted < 0 || from.sin_addr.s_addr != wanted.sin_addr.s_addr)
        return error_set(err, "worker%d came from another address than its own", node + 1);
    close(accepted);
    close(fd);
    return 0;
}

static bool has_offload(const char *device, uint32_t command)
{
    struct ethtool_value value = {.cmd = command};
    struct ifreq request = {.ifr_data = (char *)&value};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    snprintf(request.ifr_name, IFNAMSIZ, "%s", device);
    bool is_on = ioctl(fd, SIOCETHTOOL, &request) == 0 && value.data != 0;
    close(fd);
    return is_on;
}

static int try_network(void *context, int life_fd)
{
    (void)context;
    (void)life_fd;
    struct error err = {"?"};
    features_set_path();
    struct topology *topology = topology_new(WORKERS, false, &err);
    if (topology == NULL)
        return complain(err.text);
    if (access("/run/netns/switch", F_OK) < 0 || access("/run/netns/worker2", F_OK) < 0)
        return complain("no names under /run/netns");
    if (if_nametoindex("w1") != 0)
        return complain("topology_new has left us in another namespace");
    int listener = make_listener(topology, &err);
    if (listener < 0)
        return complain("the PS cannot listen on its address");
    for (int32_t node = 0; node < WORKERS; node++)
        if (connect_from(topology, node, listener, &err) < 0)
            return complain(err.text);
    if (has_offload("eth0", ETHTOOL_GTSO) || has_offload("eth0", ETHTOOL_GGSO) || has_offload("eth0", ETHTOOL_GGRO))
        return complain("offloads are on at worker2");
    if (topology_enter(topology, NODE_SWITCH, &err) < 0 || has_offload("w1", ETHTOOL_GTSO) ||
        has_offload("ps", ETHTOOL_GGRO))
        return complain("offloads are on in the switch");
    topology_free(topology);
    return EXIT_DONE;
}

static void topology__built__workers_reach_the_ps_and_no_device_has_offloads(void **state)
{
    (void)state;
    struct error err = {{0}};
    int status = container_run(try_network, NULL, &err);
    if (status == EXIT_MACHINE) {
        print_message("skipped: %s\n", err.text);
        skip();
    }
    if (status != EXIT_DONE)
        fail_msg("%s", err.text);
}

static void topology__more_workers_than_addresses__is_refused_before_anything_is_made(void **state)
{
    (void)state;
    struct error err = {{0}};
    assert_null(topology_new(32769, false, &err));
    assert_non_null(strstr(err.text, "32768"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_name__every_node__is_read_back),
        cmocka_unit_test(node_parse__what_is_no_node__is_refused_with_what_there_is),
        cmocka_unit_test(node_address__neighbours__share_a_pair_and_nobody_else_does),
        cmocka_unit_test(node_queue__each_direction_of_each_link__has_a_device_of_its_own),
        cmocka_unit_test(node_mac__many_nodes__are_local_and_all_different),
        cmocka_unit_test(link_name__both_directions__as_a_scenario_writes_them),
        cmocka_unit_test(topology__built__workers_reach_the_ps_and_no_device_has_offloads),
        cmocka_unit_test(topology__more_workers_than_addresses__is_refused_before_anything_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
