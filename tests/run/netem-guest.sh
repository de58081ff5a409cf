#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every figure that netem/ can set, for real: in the guest kernel, against `tc -j qdisc show` and against what packets see. Bounds on
# delays are wide above and strict below: a busy machine may be late, but no packet may be early.
set -u

# shellcheck source=tests/lib/guest.sh
. "${0%/*}/../lib/guest.sh"

# shape OPTION...: what leaves the switch for worker1
shape()
{
    "$netem/link-shape" --netns switch --dev w1 "$@" || check "link-shape $*" -n ''
}

# kernel_has WHAT TEXT: is the text in the kernel's answer?
kernel_has()
{
    case $("$netem/link-show" --netns switch --dev w1 --json) in
    *"$2"*) say "ok: $1" ;;
    *)
        say "FAILED: $1: no $2 in $("$netem/link-show" --netns switch --dev w1 --json)"
        failures=$((failures + 1))
        ;;
    esac
}

# pings COUNT SECONDS: from the PS to worker1, lines as they come
pings()
{
    ip netns exec ps ping -n -c "$1" -i "$2" -W 2 10.1.0.1
}

mean_us()
{
    sed -n 's|^rtt [^=]*= [0-9.]*/\([0-9.]*\)/.*|\1|p' | awk '{printf "%d", $1 * 1000}'
}

received()
{
    sed -n 's/.*transmitted, \([0-9]*\) received.*/\1/p'
}

# how many came behind a later one
out_of_order()
{
    sed -n 's/.*icmp_seq=\([0-9]*\).*/\1/p' | awk '$1 < last { n++ } { last = $1 } END { print n + 0 }'
}

read_back()
{
    shape --delay 20ms --jitter 5ms --rate 10mbit --loss 1% --duplicate 2% --reorder 3% --corrupt 4% --limit 333
    kernel_has 'delay' '"delay":{"delay":0.02,"jitter":0.005,'
    kernel_has 'rate' '"rate":{"rate":1250000,'
    kernel_has 'loss' '"loss-random":{"loss":0.01,'
    kernel_has 'duplicate' '"duplicate":{"duplicate":0.02,'
    kernel_has 'reorder' '"reorder":{"reorder":0.03,'
    kernel_has 'corrupt' '"corrupt":{"corrupt":0.04,'
    kernel_has 'limit' '"limit":333,'
    shape --delay 7ms --gemodel 1%,30%
    kernel_has 'a change forgets jitter' '"delay":{"delay":0.007,"jitter":0,'
    kernel_has 'a change sets gemodel' '"loss-gemodel":{"p":0.01,"r":0.3,"1-h":1,"1-k":0}'
    kernel_has 'a change forgets the rate' '"rate":{"rate":12500000000,'
    case $("$netem/link-show" --netns switch --dev w1 --json) in
    *reorder* | *corrupt* | *duplicate* | *loss-random*) check 'a change forgets what it is not told' -n '' ;;
    *) say 'ok: a change forgets what it is not told' ;;
    esac
}

delays()
{
    for ms in 1 5 20 100; do
        shape --delay ${ms}ms
        mean=$(pings 10 0.12 | mean_us)
        check "delay ${ms}ms: mean ${mean}us" "${mean:-0}" -ge $((ms * 1000)) -a "${mean:-0}" -le $((ms * 1100 + 2000))
    done
    shape --delay 20ms --jitter 4ms
    mean=$(pings 50 0.035 | mean_us) # standard error 0.5 ms
    check "delay 20ms with jitter 4ms: mean ${mean}us" "${mean:-0}" -ge 18000 -a "${mean:-0}" -le 24000
}

losses()
{
    shape --loss 10%
    n=$(pings 1000 0.002 | received)
    check "loss 10%: $n of 1000 came" "$n" -ge 860 -a "$n" -le 940 # four standard deviations
    shape
    n=$(pings 300 0.002 | received)
    check "no loss: $n of 300 came" "$n" -eq 300
    shape --duplicate 50%
    n=$(pings 60 0.002 | grep -c 'DUP!')
    check "duplicate 50%: $n doubled of 60" "$n" -ge 12
}

order()
{
    # ping sends every 7 ms at best here, so the delays are long enough to have several packets under way
    shape --delay 30ms --jitter 10ms
    n=$(pings 200 0.002 | out_of_order)
    check "jitter keeps order: $n out of order" "$n" -eq 0
    tc -n switch qdisc replace dev w1 root handle 1: netem delay 30ms 10ms rate 0bit limit 1000
    n=$(pings 200 0.002 | out_of_order)
    check "the same without a rate does not: $n out of order" "$n" -gt 10
    shape --delay 50ms --reorder 25%
    n=$(pings 200 0.002 | out_of_order)
    check "reorder 25%: $n out of order" "$n" -gt 10
    shape --delay 200ms
    pings 150 0.01 >/run/pings &
    for ms in 5 100 1 50 5; do
        sleep 0.3
        shape --delay ${ms}ms
    done
    wait
    n=$(received </run/pings)
    check "changes lose nothing: $n of 150 came" "$n" -eq 150
    n=$(out_of_order </run/pings)
    check "changes keep order: $n out of order" "$n" -eq 0
}

inside()
{
    build=$1
    netem=$top/netem
    say "Linux $(uname -r)"
    "$netem/bed-up" --workers 2 || exit 1
    read_back
    delays
    losses
    order
    "$netem/link-clear" --netns switch --dev w1
    kernel_has 'link-clear takes it away' '"kind":"noqueue"'
    "$netem/bed-down"
    check 'bed-down leaves nothing' "$(ip netns | wc -l)" -eq 0
    guest_end
}

case ${1-} in
--inside) inside "$2" ;;
*) guest_boot ip tc ethtool ping ;;
esac
