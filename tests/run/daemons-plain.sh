#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# TLS off: the same iterates as with it, no certificates asked for, a warning from everybody. Computing times: no answer comes before
# its time, and a worker with three partitions takes three times as long.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin
make_pki "$work/pki" 3

scenario() # on | off
{
    cat <<EOF
[scenario]
name = plain
strategies = gd, grouping
target_error = 1e-8
repeats = 2
[problem]
samples = 30
features = 10
[cluster]
workers = 3
redundancy = 3
wait_limit = 100s
[compute]
model = constant
mean = 4ms
[security]
tls = $1
EOF
}
scenario on >"$work/tls.ini"
scenario off >"$work/plain.ini"

start_ps "$work/tls.ini"
start_workers 3 "$work/tls.ini"
ends ps 0
workers_end 3 0
cp "$work/out/iterates.csv" "$work/tls.csv"
[ "$(wc -l <"$work/tls.csv")" -eq 5 ] || fail "not 4 runs in iterates.csv"

start ps "$ps_program" --scenario "$work/plain.ini" --listen 127.0.0.1:0 --output "$work/out"
wait_until "the PS to listen" listens
port=$(sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' "$work/ps.out")
for number in 1 2 3; do
    start "worker$number" "$worker_program" --scenario "$work/plain.ini" --id $number --connect "127.0.0.1:$port"
done
ends ps 0
workers_end 3 0
cmp "$work/tls.csv" "$work/out/iterates.csv" || fail "other iterates without TLS"
must_say ps 'warn: TLS is off'
must_say worker1 'warn: TLS is off'

# Columns of answers.csv: 1 strategy, 7 compute_s, 8 wait_s, 9 overrun_s, 12 kind. A nanosecond is what rounding may cost.
early=$(awk -F, '$12 == "vector" && $7 + $8 < ($1 == "gd" ? 0.004 : 0.012) - 1e-9' "$work/out/answers.csv")
[ -z "$early" ] || fail "answers before their time: $early"
awk -F, '$12 == "vector" && $9 == 0 { n++ } END { exit n == 0 }' "$work/out/answers.csv" || fail "every answer had an overrun"
exit 0
