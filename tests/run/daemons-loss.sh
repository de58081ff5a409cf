#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A worker is killed in the middle of a run. With redundancy the run finishes with the right result; gd fails, its error names the
# worker, and the next run begins once the worker is back. on_worker_loss = abort ends everything. Lost before it is ready, it is waited for.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin
make_pki "$work/pki" 6

scenario() # STRATEGY ON-LOSS
{
    cat <<EOF
[scenario]
name = loss
strategies = $1
target_error = 1e-8
max_rounds = 1000
[problem]
samples = 120
features = 20
[cluster]
workers = 6
redundancy = 3
on_worker_loss = $2
wait_limit = ${3:-100}s
[compute]
model = constant
mean = 2ms
EOF
}

begin_runs() # STRATEGIES ON-LOSS [WAIT-LIMIT]
{
    scenario "$@" >"$work/scenario.ini"
    rm -rf "$work/out"
    start_ps "$work/scenario.ini" --verbose
    start_workers 6 "$work/scenario.ini"
}

# Rows are written as rounds end, so some of them say that a run is well under way.
# shellcheck disable=SC2317 # wait_until calls it
has_rounds() # STRATEGY REPEAT COUNT
{
    [ "$(csv rounds.csv "$1" "$2" round | wc -l)" -ge "$3" ]
}

others_end() # WITHOUT STATUS
{
    for other in 1 2 3 4 5 6; do
        [ "$other" = "$1" ] || ends "worker$other" "$2"
    done
}

for strategy in gc grouping lagc g-lag; do
    begin_runs $strategy continue
    wait_until "10 rounds of $strategy" has_rounds $strategy 1 10
    stop worker2
    ends ps 0
    others_end 2 0
    equal "$strategy with a worker less: reached" "$(csv summary.csv $strategy 1 reached)" 1
    must_say ps 'worker2 is gone'
    csv answers.csv $strategy 1 worker | grep -q 2 || fail "worker2 was killed before it did anything"
done

# gd cannot do without: its run fails, and the next strategy runs once worker2 is back.
begin_runs "gd, grouping" continue
wait_until "10 rounds of gd" has_rounds gd 1 10
stop worker2
wait_until "the failure of gd" said ps 'gd, round [0-9]+: worker2 is gone .* gd cannot go on without it'
start_worker 2 "$work/scenario.ini"
ends ps 1
workers_end 6 0
equal "gd without worker2: reached" "$(csv summary.csv gd 1 reached)" 0
equal "grouping after that: reached" "$(csv summary.csv grouping 1 reached)" 1
must_say ps '1 of 2 runs failed'
equal "rows of gd's rounds" "$(csv rounds.csv gd 1 round | wc -l)" "$(csv summary.csv gd 1 rounds)"

# The same, but worker2 does not come back.
begin_runs "gd, grouping" continue 4
wait_until "10 rounds of gd" has_rounds gd 1 10
stop worker2
ends ps 1
must_say ps 'not connected within 4 s: worker2 \(cluster.wait_limit\)'
others_end 2 0

# abort: even a strategy that could go on does not.
begin_runs "grouping, gd" abort
wait_until "10 rounds of grouping" has_rounds grouping 1 10
stop worker2
ends ps 1
must_say ps 'grouping, round [0-9]+: worker2 is gone .*on_worker_loss is abort'
others_end 2 0
equal "runs after that" "$(csv summary.csv gd 1 rounds)" ""

# Killed between BEGIN and READY: the others are told to forget that beginning, and the run begins again when worker2 is back.
hang_worker2() # WAIT-LIMIT
{
    scenario grouping continue "$1" >"$work/scenario.ini"
    rm -rf "$work/out"
    start_ps "$work/scenario.ini"
    start_worker 2 "$work/scenario.ini"
    wait_until "worker2" said ps 'worker2 is here'
    kill -STOP "$(cat "$work/worker2.pid")"
    for other in 1 3 4 5 6; do
        start_worker "$other" "$work/scenario.ini"
        wait_until "worker$other" said ps "worker$other is here"
    done
}
hang_worker2 100
stop worker2
wait_until "the loss of worker2" said ps 'worker2 is gone'
if said ps 'run 1 begins'; then fail "the run began without worker2"; fi
start_worker 2 "$work/scenario.ini"
ends ps 0
workers_end 6 0
equal "grouping, begun twice: reached" "$(csv summary.csv grouping 1 reached)" 1

# Never ready.
hang_worker2 2
ends ps 1
must_say ps 'worker2 was not ready for grouping within 2 s'
stop worker2
others_end 2 0
exit 0
