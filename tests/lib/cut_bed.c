/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bed's network with the timeline at work and a datagram a millisecond both ways between the PS and worker 1, in the
 * namespaces of the caller. cut_bed SCENARIO NETEM-DIRECTORY RESULT-DIRECTORY writes events.csv as a run does, and
 * up.csv and down.csv: when each datagram was sent and arrived (nan: it never did), in seconds since the start. */
#include "config.h"

#include <arpa/inet.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bare_bed.h"
#include "base/clock.h"
#include "base/mem.h"
#include "bed/impair.h"
#include "bed/supervise_private.h"

enum { PACKETS = 1500, PORT = 4711 };

/* In memory that all processes see. */
struct flow {
    int64_t sent_ns[PACKETS], arrived_ns[PACKETS];
};

static int udp_socket(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (fd < 0)
        _exit(1);
    return fd;
}

static struct sockaddr_in address_of(int32_t node)
{
    char text[NODE_ADDRESS_MAX];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    node_address(node, text);
    inet_pton(AF_INET, text, &address.sin_addr);
    return address;
}

static void receive(struct flow *flow, int32_t to)
{
    struct sockaddr_in here = address_of(to);
    int fd = udp_socket();
    if (bind(fd, (struct sockaddr *)&here, sizeof here) < 0)
        _exit(1);
    for (uint32_t which; recv(fd, &which, sizeof which, 0) == sizeof which;)
        if (which < PACKETS)
            flow->arrived_ns[which] = clock_now_ns();
}

static void send_all(struct flow *flow, int32_t to)
{
    struct sockaddr_in there = address_of(to);
    int fd = udp_socket();
    for (uint32_t which = 0; which < PACKETS; which++) {
        flow->sent_ns[which] = clock_now_ns();
        if (sendto(fd, &which, sizeof which, 0, (struct sockaddr *)&there, sizeof there) < 0)
            _exit(1);
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    }
}

/* A process in the node `where` that does its part of a flow to the node `to`. */
static pid_t start(const struct topology *topology, int32_t where, void (*part)(struct flow *, int32_t),
                   struct flow *flow, int32_t to)
{
    struct error err;
    fflush(NULL);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    if (topology_enter(topology, where, &err) < 0)
        _exit(bare_bed_complain(&err));
    part(flow, to);
    _exit(0);
}

static int write_flow(const char *directory, const char *name, const struct flow *flow, int64_t t0_ns)
{
    char *path = mem_printf("%s/%s.csv", directory, name);
    FILE *file = fopen(path, "w");
    free(path);
    if (file == NULL)
        return -1;
    fprintf(file, "sent_s,arrived_s\n");
    for (size_t i = 0; i < PACKETS; i++) {
        double arrived = flow->arrived_ns[i] ? (double)(flow->arrived_ns[i] - t0_ns) / NS_PER_S : NAN;
        fprintf(file, "%.6f,%.6f\n", (double)(flow->sent_ns[i] - t0_ns) / NS_PER_S, arrived);
    }
    return fclose(file);
}

static void stop(void *context)
{
    net_loop_stop(context);
}

/* Nothing of a cut asks for a worker's death. */
static void on_death(void *context, int32_t node, int status, bool was_signalled)
{
    (void)was_signalled;
    (void)context;
    (void)node;
    (void)status;
}

static int run_timeline(const struct bare_bed *bed, int64_t *t0_ns, struct error *err)
{
    struct net_loop *loop = net_loop_new();
    struct net_timer *end = net_timer_new(loop, stop, loop);
    struct impair_config config = {.loop = loop, .scenario = bed->scenario, .shaper = bed->shaper};
    config.supervisor =
        supervise_new(loop, bed->topology, bed->scenario->cluster.workers, bed->directory, on_death, NULL);
    config.events = results_open(bed->directory, RESULTS_EVENTS, false, err);
    if (config.events == NULL)
        return -1;
    struct impair *impair = impair_new(&config);
    *t0_ns = clock_now_ns();
    net_timer_at(end, *t0_ns + 1200 * NS_PER_MS);
    impair_run_start(impair, "none", 0, *t0_ns);
    net_loop_run(loop);
    int status = impair_run_end(impair, err);
    results_close(config.events);
    impair_free(impair);
    supervise_free(config.supervisor);
    net_timer_free(end);
    net_loop_free(loop);
    return status;
}

static int measure(const struct bare_bed *bed)
{
    struct error err = {{0}};
    int64_t t0_ns;
    struct flow *flow = mmap(NULL, 2 * sizeof *flow, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (flow == MAP_FAILED || shaper_set_all(bed->shaper, bed->scenario, &err) < 0)
        return bare_bed_complain(&err);
    pid_t listener[2] = {start(bed->topology, NODE_PS, receive, &flow[LINK_UP], NODE_PS),
                         start(bed->topology, 0, receive, &flow[LINK_DOWN], 0)};
    nanosleep(&(struct timespec){.tv_nsec = 200 * NS_PER_MS}, NULL); /* both are bound */
    pid_t sender[2] = {start(bed->topology, 0, send_all, &flow[LINK_UP], NODE_PS),
                       start(bed->topology, NODE_PS, send_all, &flow[LINK_DOWN], 0)};
    if (run_timeline(bed, &t0_ns, &err) < 0)
        return bare_bed_complain(&err);
    for (int i = 0; i < 2; i++)
        waitpid(sender[i], NULL, 0);
    nanosleep(&(struct timespec){.tv_nsec = 200 * NS_PER_MS}, NULL); /* the last ones arrive */
    for (int i = 0; i < 2; i++) {
        kill(listener[i], SIGKILL);
        waitpid(listener[i], NULL, 0);
    }
    if (write_flow(bed->directory, "up", &flow[LINK_UP], t0_ns) < 0 ||
        write_flow(bed->directory, "down", &flow[LINK_DOWN], t0_ns) < 0)
        return bare_bed_complain(&(struct error){"up.csv or down.csv cannot be written"});
    return 0;
}

int main(int argc, char **argv)
{
    return bare_bed_main(argc, argv, measure);
}
