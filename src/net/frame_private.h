/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One immutable encoded frame, counted. */
#ifndef LAGGARD_NET_FRAME_PRIVATE_H
#define LAGGARD_NET_FRAME_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

struct net_frame {
    size_t references;
    size_t len;
    uint8_t bytes[];
};

#endif
