#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A worker is stopped (SIGSTOP) while gc runs: the run goes on without its answers, ends without its acknowledgements, and what it
# says when it is continued belongs to no run: the next one begins as if nothing had been.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin
make_pki "$work/pki" 6

cat >"$work/scenario.ini" <<EOF
[scenario]
name = pause
strategies = gc, gd
target_error = 1e-8
[problem]
samples = 120
features = 20
[cluster]
workers = 6
redundancy = 3
wait_limit = 100s
[compute]
model = constant
mean = 1ms
EOF
start_ps "$work/scenario.ini"
start_workers 6 "$work/scenario.ini"
# shellcheck disable=SC2317 # wait_until calls it
has_rounds()
{
    [ "$(csv rounds.csv gc 1 round | wc -l)" -ge 10 ]
}
wait_until "10 rounds of gc" has_rounds
kill -STOP "$(cat "$work/worker2.pid")"
wait_until "the end of gc" said ps 'gc: worker2 has not acknowledged the end'
kill -CONT "$(cat "$work/worker2.pid")"
ends ps 0
workers_end 6 0
for strategy in gc gd; do
    equal "$strategy: reached" "$(csv summary.csv $strategy 1 reached)" 1
done
if said ps 'worker2 is gone'; then fail "the paused worker was taken for a dead one"; fi
# gd asked each worker once a round and used all of it.
rounds=$(csv summary.csv gd 1 rounds)
equal "gd: answers used" "$(sum answers.csv gd 1 used)" $((6 * rounds))
exit 0
