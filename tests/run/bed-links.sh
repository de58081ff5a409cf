#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The bed's network as a run builds it, in the guest kernel: every link probed, one way each, then with a tc that lies.
set -u

# shellcheck source=tests/lib/guest.sh
. "${0%/*}/../lib/guest.sh"

drop_nodes()
{
    for node in ps switch worker1 worker2 worker3; do
        ip netns del "$node" 2>/dev/null
    done
}

inside()
{
    build=$1
    netem=$top/netem
    mkdir -p /run/bed /run/lie
    cat >/run/bed/scenario.ini <<'TEXT'
[scenario]
name = probe
[cluster]
workers = 3
redundancy = 1
[link]
delay = 5ms
jitter = 1ms
rate = 20mbit
[link:worker2.up]
delay = 40ms
rate = 2mbit
[link:worker3]
delay = 0ms
jitter = 0ms
rate = 100mbit
[link:ps.up]
rate = 50mbit
TEXT
    "$build/tests/lib/probe_bed" /run/bed/scenario.ini "$netem" /run/bed
    check 'every link is as asked, both ways' $? -eq 0
    cat /run/bed/links.csv
    check 'links.csv has the rate of worker2.up' "$(grep -c '^worker2,up,rate_mbit,2,' /run/bed/links.csv)" -eq 1
    drop_nodes
    for lie in 's/rate 20000000bit/rate 10000000bit/' 's/delay 40000us/delay 4000us/' '/ ifb-w2 .* netem/d'; do
        printf '#!/bin/sh\nsed -u "%s" | exec %s "$@"\n' "$lie" "$(command -v tc)" >/run/lie/tc
        chmod 755 /run/lie/tc
        PATH=/run/lie:$PATH "$build/tests/lib/probe_bed" /run/bed/scenario.ini "$netem" /run/bed >/run/lie/said
        check "a tc that lies ($lie) is found" $? -eq 2
        check "$(cat /run/lie/said)" "$(grep -c 'error: link\.worker[12]\.' /run/lie/said)" -eq 1
        drop_nodes
    done
    guest_end
}

case ${1-} in
--inside) inside "$2" ;;
*) guest_boot ip tc ethtool ;;
esac
