/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "versions.h"

#include <cblas.h>
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <zlib.h>

#include "net/net.h"

const struct manifest_library *versions_libraries(void)
{
    static struct manifest_library list[7];
    list[0] = (struct manifest_library){"openssl", net_openssl_version()};
    list[1] = (struct manifest_library){"libevent", net_libevent_version()};
    list[2] = (struct manifest_library){"openblas", openblas_get_config()};
    list[3] = (struct manifest_library){"gsl", gsl_version};
    list[4] = (struct manifest_library){"jansson", JANSSON_VERSION};
    list[5] = (struct manifest_library){"zlib", zlibVersion()};
    return list;
}
