#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A cut of one direction, in the guest kernel, seen by a datagram a millisecond each way: none passes that way, all pass the other way,
# and all pass again once it has healed.
set -u

# shellcheck source=tests/lib/guest.sh
. "${0%/*}/../lib/guest.sh"

# passed FILE FROM TO: "PASSED SENT" of the datagrams sent between these times
passed()
{
    awk -F, -v from="$2" -v to="$3" 'NR > 1 && $1 > from && $1 < to { sent++; passed += $2 != "nan" && $2 != "-nan" }
        END { print passed + 0, sent + 0 }' "$1"
}

inside()
{
    build=$1
    mkdir -p /run/bed
    cat >/run/bed/scenario.ini <<'TEXT'
[scenario]
name = one-way
[cluster]
workers = 2
redundancy = 1
[link]
delay = 1ms
[at:300ms]
link.worker1.up.cut = 500ms
TEXT
    "$build/tests/lib/cut_bed" /run/bed/scenario.ini "$top/netem" /run/bed
    check 'the timeline was carried out' $? -eq 0
    cat /run/bed/events.csv
    # Between "applied" of the cut and "requested" of its end the queue is cut for sure; after "applied" of the end it is not.
    cut=$(awk -F, '$5 == "cut" { print $4 }' /run/bed/events.csv)
    healing=$(awk -F, '$5 == "heal" { print $3 }' /run/bed/events.csv)
    healed=$(awk -F, '$5 == "heal" { print $4 }' /run/bed/events.csv)
    check "cut at ${cut:-never}, healed at ${healed:-never}" "$(echo "${cut:-0} ${healing:-0} ${healed:-0}" | wc -w)" -eq 3
    # shellcheck disable=SC2046 # two words
    set -- $(passed /run/bed/up.csv "$cut" "$healing")
    check "$1 of $2 datagrams pass up while up is cut" "$1" -eq 0
    check "and there were some: $2" "$2" -ge 50
    # shellcheck disable=SC2046
    set -- $(passed /run/bed/down.csv "$cut" "$healing")
    check "and there were some down: $2" "$2" -ge 50
    check "$1 of $2 datagrams pass down while up is cut" "$1" -eq "$2"
    # shellcheck disable=SC2046
    set -- $(passed /run/bed/up.csv "$healed" 9)
    check "and there were some after it: $2" "$2" -ge 50
    check "$1 of $2 datagrams pass up after it has healed" "$1" -eq "$2"
    awk -F, -v at="$healing" 'NR > 1 && $1 >= at - 0.002 && $2 != "nan" && $2 != "-nan" {
        printf "the first datagram that passed was sent %.1f ms after the end of the cut was due\n", ($1 - at) * 1000; exit }' /run/bed/up.csv
    guest_end
}

case ${1-} in
--inside) inside "$2" ;;
*) guest_boot ip tc ethtool ;;
esac
