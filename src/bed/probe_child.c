/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four phases: a greeting, delays of all links at once, trains a few links at a time (their rates together stay below
 * what one processor can carry), losses of all links at once. One thread: a socket belongs to the namespace it was
 * opened in, wherever the process goes afterwards.
 *
 *   node (10.1.0.5) ── veth ── switch (10.1.0.4)       ends[node]: one socket at each
 *
 * Arrival times are the kernel's (SO_TIMESTAMPNS), so that a busy process does not put its own lateness into a figure.
 */
#include "config.h"

#include "bed/probe_child.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bed/probe_judge.h"
#include "bed/shape.h"

enum {
    PROBE_PORT = 4699,
    DATAGRAM_MAX = 1472, /* with 28 bytes of UDP and IP a full 1500 */
    HEADER_BYTES = 42,   /* and Ethernet's 14 */
    SMALL_BYTES = PROBE_SMALL_FRAME - HEADER_BYTES,
    DELAY_SAMPLES_MIN = 10,
    DELAY_SAMPLES_MAX = 30,
    DELAY_BUDGET_MS = 1600,
    LOSS_BUDGET_PER_S = 8000, /* datagrams of all links together, each way, that a slow processor keeps up with */
    LOSS_MAX_PER_S = 1000,
    TRAIN_AHEAD_MS = 5,  /* waits in the queue from the start, so that it never runs empty */
    TRAIN_AHEAD_MIN = 3, /* packets of it */
    TRAIN_AHEAD_MAX = 500,
    TRAIN_MIN_MS = 300,
    TRAIN_MAX_MS = 1000,
    TRAIN_SLOW_MS = 3000,  /* of a rate so low that the train is few packets */
    BATCH_BPS = 400000000, /* rates of one batch of trains together */
    SOCKET_BUFFER = 1 << 20,
    TRAIN_PACE_US = 1000, /* between two looks at every train: well below what goes ahead */
    AT_ONCE = 32
};

enum phase { PHASE_DELAY, PHASE_RATE, PHASE_LOSS, PHASE_GREET, PHASES };

/* What a datagram carries: host byte order, it never leaves the machine. */
struct datagram {
    uint32_t magic, phase, link;
    int64_t sent_ns; /* CLOCK_REALTIME, as the arrival's timestamp is */
};
static const uint32_t MAGIC = 0x6c616767;
static_assert(sizeof(struct datagram) == SMALL_BYTES, "a small datagram is its head alone");

/* One link as it is being probed. */
struct channel {
    int from, to;
    struct link asked;
    uint32_t sent[PHASES], arrived[PHASES]; /* by phase */
    double sum_ms, squares_ms;
    int64_t first_ns, last_ns;
    int64_t train_from_ns, train_to_ns;
};

struct probe {
    size_t n;
    struct channel *channel;
    struct pollfd *poll; /* n: the receiving ends */
    int64_t slowest_ns;  /* the longest that a packet may be under way */
};

static int64_t real_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* ── sockets ── */

static struct sockaddr_in socket_address(in_addr_t host, uint16_t port)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = host, .sin_port = htons(port)};
}

static int open_end(struct sockaddr_in here, struct sockaddr_in there, struct error *err)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return error_set_errno(err, "probe: socket");
    int on = 1, size = SOCKET_BUFFER;
    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size) < 0)
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    if (bind(fd, (struct sockaddr *)&here, sizeof here) < 0 ||
        connect(fd, (struct sockaddr *)&there, sizeof there) < 0) {
        error_set_errno(err, "probe: bind and connect at %s", inet_ntoa(here.sin_addr));
        close(fd);
        return -1;
    }
    return fd;
}

/* Both ends of a node's link: at[0] in the node, at[1] in the switch, whose address differs in the last bit alone. */
static int open_ends(const struct topology *topology, int32_t node, int at[2], struct error *err)
{
    char text[NODE_ADDRESS_MAX];
    node_address(node, text);
    in_addr_t host = inet_addr(text);
    struct sockaddr_in in_node = socket_address(host, PROBE_PORT);
    struct sockaddr_in in_switch = socket_address(htonl(ntohl(host) ^ 1), PROBE_PORT);
    if (topology_enter(topology, node, err) < 0 || (at[0] = open_end(in_node, in_switch, err)) < 0)
        return -1;
    if (topology_enter(topology, NODE_SWITCH, err) < 0 || (at[1] = open_end(in_switch, in_node, err)) < 0)
        return -1;
    return 0;
}

/* Links of one node stand next to each other and share their sockets. */
static int open_all(const struct topology *topology, const struct probe_link *links, struct probe *probe,
                    struct error *err)
{
    int at[2] = {-1, -1};
    for (size_t i = 0; i < probe->n; i++) {
        int32_t node = links[i].node;
        if ((i == 0 || links[i - 1].node != node) && open_ends(topology, node, at, err) < 0)
            return -1;
        /* up is towards the PS: out of a worker, but into the PS */
        bool out_of_node = (node == NODE_PS) == (links[i].direction == LINK_DOWN);
        struct channel *channel = &probe->channel[i];
        *channel =
            (struct channel){.from = at[out_of_node ? 0 : 1], .to = at[out_of_node ? 1 : 0], .asked = links[i].asked};
        probe->poll[i] = (struct pollfd){.fd = channel->to, .events = POLLIN};
        int64_t slow = channel->asked.delay_ns + 6 * channel->asked.jitter_ns;
        if (slow > probe->slowest_ns)
            probe->slowest_ns = slow;
    }
    return 0;
}

/* ── datagrams ── */

/* Send count (at most AT_ONCE) of one link. What a full buffer refuses was not sent, and is not counted as lost. */
static void send_some(struct probe *probe, size_t link, enum phase phase, size_t bytes, int count)
{
    struct channel *channel = &probe->channel[link];
    char text[DATAGRAM_MAX] = {0};
    struct datagram head = {MAGIC, phase, (uint32_t)link, real_now_ns()};
    memcpy(text, &head, sizeof head);
    struct iovec from = {text, bytes};
    struct mmsghdr messages[AT_ONCE] = {0};
    for (int i = 0; i < count; i++)
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &from, .msg_iovlen = 1};
    int sent = sendmmsg(channel->from, messages, (unsigned)count, 0);
    channel->sent[phase] += sent > 0 ? (uint32_t)sent : 0;
}

static void take(struct probe *probe, const struct datagram *head, int64_t arrived_ns)
{
    if (head->magic != MAGIC || head->link >= probe->n || head->phase >= PHASES)
        return;
    struct channel *channel = &probe->channel[head->link];
    channel->arrived[head->phase]++;
    if (head->phase == PHASE_DELAY) {
        double ms = (double)(arrived_ns - head->sent_ns) / NS_PER_MS;
        channel->sum_ms += ms;
        channel->squares_ms += ms * ms;
    } else if (head->phase == PHASE_RATE) {
        if (channel->arrived[PHASE_RATE] == 1)
            channel->first_ns = arrived_ns;
        channel->last_ns = arrived_ns;
    }
}

static int64_t arrival_ns(struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        struct timespec at;
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
            continue;
        memcpy(&at, CMSG_DATA(c), sizeof at);
        return (int64_t)at.tv_sec * NS_PER_S + at.tv_nsec;
    }
    return real_now_ns();
}

/* What is there on one socket, at most AT_ONCE, so that no link starves the others. A system call is dear in a guest:
 * all in one. */
static void receive(struct probe *probe, int fd)
{
    struct datagram heads[AT_ONCE];
    char controls[AT_ONCE][64];
    struct iovec to[AT_ONCE];
    struct mmsghdr messages[AT_ONCE] = {0};
    for (int i = 0; i < AT_ONCE; i++) {
        to[i] = (struct iovec){&heads[i], sizeof heads[i]};
        messages[i].msg_hdr = (struct msghdr){
            .msg_iov = &to[i], .msg_iovlen = 1, .msg_control = controls[i], .msg_controllen = sizeof controls[i]};
    }
    int n = recvmmsg(fd, messages, AT_ONCE, 0, NULL);
    for (int i = 0; i < n; i++)
        if (messages[i].msg_len == sizeof heads[i])
            take(probe, &heads[i], arrival_ns(&messages[i].msg_hdr));
}

/* Receive until then (CLOCK_MONOTONIC); a time that has passed: what is there. */
static void receive_until(struct probe *probe, int64_t until_ns)
{
    for (;;) {
        int64_t left = until_ns - clock_now_ns();
        struct timespec wait = {left > 0 ? left / NS_PER_S : 0, left > 0 ? left % NS_PER_S : 0};
        int n = ppoll(probe->poll, probe->n, &wait, NULL);
        for (size_t i = 0; i < probe->n && n > 0; i++)
            if (probe->poll[i].revents & POLLIN)
                receive(probe, probe->poll[i].fd);
        if (left <= 0)
            return;
    }
}

/* ── phases ── */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The first packet to a neighbour waits until its hardware address is known: let that be over. Again where it (or the
 * answer) was lost. */
static void greet(struct probe *probe)
{
    for (int again = 0; again < 3; again++) {
        size_t silent = 0;
        for (size_t i = 0; i < probe->n; i++) {
            if (probe->channel[i].arrived[PHASE_GREET] > 0)
                continue;
            send_some(probe, i, PHASE_GREET, SMALL_BYTES, 1);
            silent++;
        }
        if (silent > 0)
            receive_until(probe, clock_now_ns() + 3 * probe->slowest_ns + 10 * NS_PER_MS);
    }
}

/* Spaced wider than any two delays of one link differ, and than the processor needs for all links. */
static void probe_delays(struct probe *probe)
{
    int64_t spacing = larger(10 * NS_PER_MS, (int64_t)probe->n * 200 * NS_PER_US);
    for (size_t i = 0; i < probe->n; i++) {
        const struct link *asked = &probe->channel[i].asked;
        spacing = larger(spacing, 8 * asked->jitter_ns);
        if (asked->rate_bps > 0)
            spacing = larger(spacing, (int64_t)(2 * 8e9 * PROBE_SMALL_FRAME / (double)asked->rate_bps));
    }
    int64_t samples = (int64_t)DELAY_BUDGET_MS * NS_PER_MS / spacing;
    samples = samples < DELAY_SAMPLES_MIN ? DELAY_SAMPLES_MIN : samples;
    samples = samples > DELAY_SAMPLES_MAX ? DELAY_SAMPLES_MAX : samples;
    int64_t start = clock_now_ns();
    for (int64_t tick = 0; tick < samples * (int64_t)probe->n; tick++) {
        receive_until(probe, start + tick * (spacing / (int64_t)probe->n));
        send_some(probe, (size_t)tick % probe->n, PHASE_DELAY, SMALL_BYTES, 1);
    }
    receive_until(probe, clock_now_ns() + probe->slowest_ns + 20 * NS_PER_MS);
}

static double packet_s(const struct channel *channel)
{
    return 8.0 * (DATAGRAM_MAX + HEADER_BYTES) / (double)channel->asked.rate_bps;
}

static int64_t packets_ns(const struct channel *channel, double packets)
{
    return (int64_t)(packets * packet_s(channel) * NS_PER_S);
}

/* How long the train is: long against the jitter that moves its ends, and twenty packets if that takes no more than
 * three seconds. */
static int64_t train_ns(const struct channel *channel)
{
    int64_t length = larger((int64_t)TRAIN_MIN_MS * NS_PER_MS, 40 * channel->asked.jitter_ns);
    length = smaller(length, (int64_t)TRAIN_MAX_MS * NS_PER_MS);
    return larger(length, smaller(packets_ns(channel, 20), (int64_t)TRAIN_SLOW_MS * NS_PER_MS));
}

/* Packets that go ahead of the train: within the queue, whatever its limit. */
static double train_ahead(const struct channel *channel)
{
    double packets = TRAIN_AHEAD_MS * 1e-3 / packet_s(channel);
    packets = fmin(fmax(packets, TRAIN_AHEAD_MIN), TRAIN_AHEAD_MAX);
    return fmin(packets, fmax(1, shape_queue_limit(&channel->asked) / 2.0));
}

/* What stands in the queue, as far as can be told from here: what the link loses by itself does not. */
static double in_queue(const struct channel *channel)
{
    return channel->sent[PHASE_RATE] * (1 - judge_loss_share(&channel->asked)) - channel->arrived[PHASE_RATE];
}

/* Send what is due: five percent above the rate, behind a few packets that went ahead, and never so much that the queue
 * overflows. */
static void send_due(struct probe *probe, size_t link, int64_t start, int64_t now)
{
    struct channel *channel = &probe->channel[link];
    if (now - start > train_ns(channel))
        return;
    double due = 1.05 * (double)(now - start) / NS_PER_S / packet_s(channel) + train_ahead(channel);
    double room = 0.8 * shape_queue_limit(&channel->asked);
    double count = fmin(ceil(due - channel->sent[PHASE_RATE]), floor(room - in_queue(channel)));
    for (; count >= 1; count -= AT_ONCE)
        send_some(probe, link, PHASE_RATE, DATAGRAM_MAX, (int)fmin(count, AT_ONCE));
    channel->train_from_ns = start;
    channel->train_to_ns = now;
}

/* Trains over links [from, to) that ask for a rate; others have none. */
static void run_trains(struct probe *probe, size_t from, size_t to)
{
    int64_t start = clock_now_ns(), length = 0, queued = 0;
    for (size_t i = from; i < to; i++) {
        if (probe->channel[i].asked.rate_bps == 0)
            continue;
        length = larger(length, train_ns(&probe->channel[i]));
        double left =
            train_ahead(&probe->channel[i]) + 0.05 * train_ns(&probe->channel[i]) / packets_ns(&probe->channel[i], 1);
        queued = larger(queued, packets_ns(&probe->channel[i], left));
    }
    if (length == 0)
        return;
    for (int64_t now = start; now - start <= length; now = clock_now_ns()) {
        for (size_t i = from; i < to; i++)
            if (probe->channel[i].asked.rate_bps > 0)
                send_due(probe, i, start, now);
        nanosleep(&(struct timespec){.tv_nsec = (long)TRAIN_PACE_US * NS_PER_US}, NULL);
        for (size_t i = from; i < to; i++)
            if (probe->channel[i].asked.rate_bps > 0)
                receive(probe, probe->channel[i].to);
    }
    receive_until(probe, clock_now_ns() + probe->slowest_ns + queued + 20 * NS_PER_MS);
}

static void probe_rates(struct probe *probe)
{
    for (size_t from = 0; from < probe->n;) {
        size_t to = from;
        uint64_t sum = 0;
        while (to < probe->n && (to == from || sum + probe->channel[to].asked.rate_bps <= BATCH_BPS))
            sum += probe->channel[to++].asked.rate_bps;
        run_trains(probe, from, to);
        from = to;
    }
}

static bool asks_loss(const struct link *link)
{
    return link->loss != LINK_LOSS_NONE;
}

/* A second of small datagrams: no more of them than a tenth of the link carries, and than the processor does. */
static void probe_losses(struct probe *probe)
{
    int64_t lossy = 0, per_s = LOSS_MAX_PER_S;
    for (size_t i = 0; i < probe->n; i++) {
        const struct link *asked = &probe->channel[i].asked;
        lossy += asks_loss(asked);
        int64_t tenth = (int64_t)(asked->rate_bps / 10 / (8 * PROBE_SMALL_FRAME));
        if (asks_loss(asked) && asked->rate_bps > 0 && tenth < per_s)
            per_s = larger(tenth, 1);
    }
    if (lossy == 0)
        return;
    if (lossy * per_s > LOSS_BUDGET_PER_S)
        per_s = larger(LOSS_BUDGET_PER_S / lossy, 1);
    int64_t start = clock_now_ns();
    for (int64_t tick = 0; tick < per_s; tick++) {
        receive_until(probe, start + tick * (NS_PER_S / per_s));
        for (size_t i = 0; i < probe->n; i++)
            if (asks_loss(&probe->channel[i].asked))
                send_some(probe, i, PHASE_LOSS, SMALL_BYTES, 1);
    }
    receive_until(probe, clock_now_ns() + probe->slowest_ns + 20 * NS_PER_MS);
}

/* ── what was seen ── */

static struct probe_seen seen_of(const struct channel *channel)
{
    uint32_t n = channel->arrived[PHASE_DELAY], train = channel->arrived[PHASE_RATE];
    struct probe_seen seen = {.delay_sent = channel->sent[PHASE_DELAY], .delay_samples = n, .rate_samples = train};
    seen.delay_ms = n > 0 ? channel->sum_ms / n : NAN;
    seen.jitter_ms = n > 1 ? sqrt(fmax(0, (channel->squares_ms - n * seen.delay_ms * seen.delay_ms) / (n - 1))) : NAN;
    double between_s = (double)(channel->last_ns - channel->first_ns) / NS_PER_S;
    double bits = 8.0 * (DATAGRAM_MAX + HEADER_BYTES);
    seen.rate_bps = train > 1 && between_s > 0 ? bits * (train - 1) / between_s : NAN;
    seen.train_s = (double)(channel->train_to_ns - channel->train_from_ns) / NS_PER_S;
    seen.offered_bps = seen.train_s > 0 ? bits * channel->sent[PHASE_RATE] / seen.train_s : NAN;
    seen.loss_sent = channel->sent[PHASE_LOSS];
    seen.loss_arrived = channel->arrived[PHASE_LOSS];
    return seen;
}

static int write_seen(const struct probe *probe, int fd, struct error *err)
{
    for (size_t i = 0; i < probe->n; i++) {
        struct probe_seen seen = seen_of(&probe->channel[i]);
        if (write(fd, &seen, sizeof seen) != (ssize_t)sizeof seen)
            return error_set_errno(err, "probe: writing what was seen");
    }
    return 0;
}

int probe_child(const struct topology *topology, const struct probe_link *links, size_t n, int fd, struct error *err)
{
    struct probe probe = {
        .n = n, .channel = mem_array(n, sizeof *probe.channel), .poll = mem_array(n, sizeof *probe.poll)};
    int status = open_all(topology, links, &probe, err);
    if (status == 0) {
        greet(&probe);
        probe_delays(&probe);
        probe_rates(&probe);
        probe_losses(&probe);
        status = write_seen(&probe, fd, err);
    }
    free(probe.channel);
    free(probe.poll);
    return status;
}
