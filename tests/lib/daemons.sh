# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# For tests of whole runs on loopback: sourced, not run. Port 0 and a ready line, every wait with a deadline, a hard kill at the
# end whatever happens, logs shown on failure.
#
#   begin                     a work folder ($work) and the trap that cleans up
#   start NAME COMMAND...     in the background: output in $work/NAME.out, log in NAME.log, pid in NAME.pid, exit status in NAME.status
#   start_ps SCENARIO [OPTION...]      waits until it listens; sets $port
#   start_worker N SCENARIO [OPTION...]
#   ends NAME STATUS          wait until NAME has ended, and with this status
#   stop NAME [SIGNAL]        signal it (KILL) and wait until it has ended
#   wait_until WHAT COMMAND...  until it succeeds; WHAT is for the message
#   said NAME PATTERN         grep -E in its log
#   fail MESSAGE / skip REASON
#   need_namespaces           skips where a bed of plain links cannot run

deadline=${LAGGARD_TEST_DEADLINE:-120} # seconds for any one wait: only a hang is that slow

fail()
{
    echo "FAIL: $*"
    exit 1
}

skip()
{
    echo "SKIP: $*"
    exit 77
}

need_namespaces()
{
    unshare -rpfmn --mount-proc true 2>/dev/null || unshare -pfmn --mount-proc true 2>/dev/null || skip "no namespaces here"
}

clean_up()
{
    result=$?
    trap - EXIT INT TERM HUP
    for pid_file in "$work"/*.pid; do
        [ -f "$pid_file" ] || continue
        [ -f "${pid_file%.pid}.status" ] || kill -KILL "$(cat "$pid_file")" 2>/dev/null
    done
    wait
    case $result in
    0 | 77)
        rm -rf "$work"
        ;;
    *)
        for log in "$work"/*.log; do
            [ -f "$log" ] || continue
            echo "---- ${log##*/}: last lines"
            tail -n 30 "$log"
        done
        echo "---- all of it is kept in $work"
        ;;
    esac
    exit "$result"
}

begin()
{
    work=$(mktemp -d "${TMPDIR:-/tmp}/laggard-test.XXXXXX") || exit 99
    trap clean_up EXIT
    trap 'exit 99' INT TERM HUP
    ps_program=${top_builddir:?}/laggard-ps
    worker_program=$top_builddir/laggard-worker
}

make_pki() # DIRECTORY WORKERS
{
    mkdir -p "$1"
    "$top_builddir/tests/lib/make-pki" "$1" "$2" || fail "no certificates"
}

wait_until()
{
    what=$1
    shift
    started=$(date +%s)
    until "$@" >/dev/null 2>&1; do
        [ $(($(date +%s) - started)) -lt "$deadline" ] || fail "waited $deadline s for $what"
        sleep 0.05
    done
}

start()
{
    name=$1
    shift
    rm -f "$work/$name.pid" "$work/$name.status"
    : >"$work/$name.log"
    : >"$work/$name.out"
    (
        status=0
        # shellcheck disable=SC2016
        sh -c 'echo $$ >"$0.new" && mv "$0.new" "$0" && exec "$@"' "$work/$name.pid" "$@" \
            >"$work/$name.out" 2>>"$work/$name.log" </dev/null || status=$?
        echo "$status" >"$work/$name.status.new"
        mv "$work/$name.status.new" "$work/$name.status"
    ) &
    wait_until "the pid of $name" test -f "$work/$name.pid"
}

listens()
{
    [ -f "$work/ps.status" ] && fail "the PS has ended before it listened"
    grep -q '^listening on' "$work/ps.out"
}

start_ps()
{
    scenario=$1
    shift
    start ps "$ps_program" --scenario "$scenario" --listen 127.0.0.1:0 --cert "$work/pki/ps.pem" \
        --key "$work/pki/ps.key" --ca "$work/pki/ca.pem" --output "$work/out" "$@"
    wait_until "the PS to listen" listens
    port=$(sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' "$work/ps.out")
}

start_worker()
{
    number=$1 scenario=$2
    shift 2
    start "worker$number" "$worker_program" --scenario "$scenario" --id "$number" --connect "127.0.0.1:$port" \
        --cert "$work/pki/worker$number.pem" --key "$work/pki/worker$number.key" --ca "$work/pki/ca.pem" "$@"
}

start_workers() # COUNT SCENARIO
{
    m=1
    while [ "$m" -le "$1" ]; do
        start_worker "$m" "$2"
        m=$((m + 1))
    done
}

ends()
{
    wait_until "the end of $1" test -f "$work/$1.status"
    [ "$(cat "$work/$1.status")" -eq "$2" ] || fail "$1 ended with status $(cat "$work/$1.status"), not $2"
}

workers_end() # COUNT STATUS
{
    m=1
    while [ "$m" -le "$1" ]; do
        ends "worker$m" "$2"
        m=$((m + 1))
    done
}

stop()
{
    kill -"${2:-KILL}" "$(cat "$work/$1.pid")"
    wait_until "the end of $1" test -f "$work/$1.status"
}

said()
{
    grep -Eq -- "$2" "$work/$1.log"
}

must_say()
{
    said "$1" "$2" || fail "$1 did not say: $2"
}

# A field of a CSV file without quoted commas: csv FILE STRATEGY REPEAT COLUMN
csv()
{
    awk -F, -v s="$2" -v r="$3" -v c="$4" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) column = i }
        NR > 1 && $1 == s && $2 == r { print $column }' "$work/out/$1"
}

sum()
{
    csv "$@" | awk '{ total += $1 } END { printf "%d\n", total }'
}

equal() # WHAT GOT WANTED
{
    [ "$2" = "$3" ] || fail "$1: $2, not $3"
}
