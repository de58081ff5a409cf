#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whatever ends `laggard run`, nothing of its bed remains: no process, namespace, interface, mount or temporary file; and the results
# are readable up to the last finished round. On the host's kernel and in the guest kernel, killed while it is set up and in mid-run.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin
program=${top_builddir:?}/laggard
workers=4

scenario() # EXTRA-LINE...
{
    cat <<EOF
[scenario]
name = leaves-nothing
strategies = gd
target_error = 1e-9
max_rounds = 1000000
[problem]
samples = 80
features = 20
step = 1e-9
[cluster]
workers = $workers
redundancy = 2
[compute]
model = constant
mean = 5ms
EOF
    for line; do echo "$line"; done
}

# What a bed must not change for others.
surroundings()
{
    echo "interfaces: $(ls /sys/class/net)"
    echo "named namespaces: $(ls /run/netns /var/run/netns 2>/dev/null)"
    echo "mounts:"
    cut -d ' ' -f 4- /proc/self/mountinfo
}

# Pids of what was begun by a process, itself included, whatever namespace it is in.
descendants() # PID
{
    echo "$1"
    # shellcheck disable=SC2013 # one line of words
    for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
        descendants "$child"
    done
}

# The namespaces that the bed of controller PID has made, a line each: pid:[4026532…] and the like.
namespaces_of_bed() # PID
{
    for pid in $(descendants "$1"); do
        for kind in pid net mnt; do
            readlink "/proc/$pid/ns/$kind" 2>/dev/null
        done
    done | sort -u | grep -vxF -e "$(readlink /proc/self/ns/pid)" -e "$(readlink /proc/self/ns/net)" -e "$(readlink /proc/self/ns/mnt)"
}

# Everybody in one of the namespaces that $work/namespaces lists, and everybody who runs with our mark in the environment.
members()
{
    for process in /proc/[0-9]*; do
        pid=${process#/proc/}
        for kind in pid net mnt; do
            readlink "$process/ns/$kind" 2>/dev/null
        done | grep -qxF -f "$work/namespaces" && echo "$pid $(tr '\0' ' ' <"$process/cmdline" 2>/dev/null)"
        if grep -qzxF "LAGGARD_TEST_MARK=$work" "$process/environ" 2>/dev/null; then
            echo "$pid $(tr '\0' ' ' <"$process/cmdline" 2>/dev/null)"
        fi
    done
}

# shellcheck disable=SC2317 # wait_until calls it
nobody_is_left()
{
    [ -z "$(members)" ]
}

start_run() # NAME KERNEL
{
    mkdir -p "$work/tmp" "$work/home"
    touch "$work/stamp"
    start "$1" env LAGGARD_TEST_MARK="$work" TMPDIR="$work/tmp" HOME="$work/home" \
        "$program" run "$work/scenario.ini" --kernel "$2" -o "$work/$1"
    controller=$(cat "$work/$1.pid")
}

# shellcheck disable=SC2317 # wait_until calls it
has_rounds() # NAME
{
    [ -f "$work/$1.status" ] && fail "$1 has ended too early: $(tail -n 1 "$work/$1.log")"
    [ "$(wc -l <"$work/$1/rounds.csv")" -gt 20 ]
}

# Every row has as many fields as the heading, and the last one its newline: rows of ours have no quoted commas.
readable() # NAME
{
    for file in "$work/$1"/*.csv; do
        [ -f "$file" ] || continue
        [ -z "$(tail -c 1 "$file" | tr -d '\n')" ] || fail "$file ends in the middle of a row"
        awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' "$file" || fail "$file has a broken row"
    done
}

expect_nothing() # NAME
{
    wait_until "the end of all processes of $1's bed" nobody_is_left
    surroundings >"$work/after"
    diff "$work/before" "$work/after" || fail "$1 has changed its surroundings"
    for folder in tmp home; do
        [ -z "$(ls -A "$work/$folder")" ] || fail "$1 has left something in its $folder: $(ls -A "$work/$folder")"
    done
    left=$(find /tmp /dev/shm -maxdepth 1 -newer "$work/stamp" \
        \( -name 'vm_file*' -o -name '*uml*' -o -name 'laggard-guest*' -o -name 'laggard-run*' \) 2>/dev/null)
    [ -z "$left" ] || fail "$1 has left $left"
    readable "$1"
}

# Killed in mid-run, by each signal.
mid_run() # KERNEL SIGNAL STATUS
{
    name=$1-$2
    surroundings >"$work/before"
    start_run "$name" "$1"
    wait_until "20 rounds of $name" has_rounds "$name"
    namespaces_of_bed "$controller" >"$work/namespaces"
    # of the host: pid and mnt of the bed, net of the bed and of each node; in the guest the nodes are the guest's own
    count=$(wc -l <"$work/namespaces")
    [ "$count" -ge "$4" ] || fail "$name: only $count namespaces of the bed are seen: this test would find nothing"
    [ -n "$(members)" ] || fail "$name: no process of the bed is seen: this test would find nothing"
    stop "$name" "$2"
    ends "$name" "$3"
    expect_nothing "$name"
    [ "$(wc -l <"$work/$name/rounds.csv")" -gt 20 ] || fail "$name: rounds have vanished"
    case $2 in
    KILL) wanted=running ;;
    *) wanted=failed ;;
    esac
    grep -q "\"status\": \"$wanted\"" "$work/$name/manifest.json" || fail "$name: the manifest does not say $wanted"
}

# Killed at some moments of being set up. What is left is found by our mark: there may be no namespaces yet.
while_set_up() # KERNEL SECONDS...
{
    kernel=$1
    shift
    for moment; do
        name=$kernel-after-$moment
        surroundings >"$work/before"
        : >"$work/namespaces"
        start_run "$name" "$kernel"
        sleep "$moment"
        [ -f "$work/$name.status" ] || stop "$name" KILL
        expect_nothing "$name"
    done
}

if [ "$(id -u)" = 0 ]; then trial='unshare --net --pid --fork --mount'; else trial='unshare --user --map-root-user --net --pid --fork --mount'; fi
$trial true 2>"$work/trial" || skip "no namespaces here: $(cat "$work/trial")"
[ -r /proc/self/task/$$/children ] || [ -r "/proc/$$/task/$$/children" ] || skip "this kernel does not list children in /proc"

scenario >"$work/scenario.ini"
mid_run host KILL 137 $((workers + 3))
mid_run host TERM 1 $((workers + 3))
mid_run host INT 1 $((workers + 3))
while_set_up host 0 0.02 0.05 0.1 0.2

if command -v linux.uml >/dev/null; then
    scenario '[link]' 'delay = 1ms' 'rate = 100mbit' >"$work/scenario.ini"
    mid_run uml KILL 137 3
    mid_run uml TERM 1 3
    while_set_up uml 0.1 0.5 1
else
    echo "left out: the guest kernel is not here (linux.uml)"
fi
exit 0
