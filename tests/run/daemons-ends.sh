#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# How the daemons end: exit statuses, signals in the middle of a run, a PS that dies, a PS that comes late, wrong command lines. The
# step is so small that no run ends by itself.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin
make_pki "$work/pki" 3

cat >"$work/scenario.ini" <<EOF
[scenario]
name = ends
strategies = gd, grouping
target_error = 1e-8
max_rounds = 100000
[problem]
samples = 30
features = 10
step = 1e-12
[cluster]
workers = 3
redundancy = 3
wait_limit = 100s
[compute]
model = constant
mean = 1ms
EOF

# shellcheck disable=SC2317 # wait_until calls it
has_rounds()
{
    [ "$(csv rounds.csv gd 1 round | wc -l)" -ge "$1" ]
}

files_are_whole() # and agree with each other
{
    last=$(tail -c 1 "$work/out/rounds.csv" | od -An -c | tr -d ' ')
    equal "end of rounds.csv" "$last" '\n'
    equal "rows of rounds.csv" "$(csv rounds.csv gd 1 round | wc -l)" "$(csv summary.csv gd 1 rounds)"
    equal "gd: reached" "$(csv summary.csv gd 1 reached)" 0
    equal "rows after the end" "$(csv summary.csv grouping 1 rounds)" ""
    grep -q '"strategy": "gd"' "$work/out/summary.json" || fail "no gd in summary.json"
}

# Signals end the run in hand cleanly: files complete, workers sent home, status 1.
for signal in INT TERM; do
    rm -rf "$work/out"
    start_ps "$work/scenario.ini"
    start_workers 3 "$work/scenario.ini"
    wait_until "20 rounds" has_rounds 20
    stop ps $signal
    ends ps 1
    workers_end 3 0
    files_are_whole
done

# A signal while it waits for workers.
start_ps "$work/scenario.ini"
stop ps TERM
ends ps 1

# A PS that dies: the workers try to reach it for as long as they were told to, then say what happened. What was written stays readable.
rm -rf "$work/out"
start_ps "$work/scenario.ini"
start_worker 1 "$work/scenario.ini" --retry 0
start_worker 2 "$work/scenario.ini" --retry 1
start_worker 3 "$work/scenario.ini" --retry 0.5
wait_until "20 rounds" has_rounds 20
stop ps KILL
workers_end 3 1
must_say worker1 'lost the PS at 127.0.0.1'
must_say worker2 'cannot connect to the PS at 127.0.0.1:[0-9]+: .*refused'
rows=$(csv rounds.csv gd 1 error | grep -c .)
[ "$rows" -ge 20 ] || fail "only $rows rounds were left by the PS that was killed"

# A PS that comes late: the port is taken from the last one.
start worker1 "$worker_program" --scenario "$work/scenario.ini" --id 1 --connect "127.0.0.1:$port" --retry 100 \
    --cert "$work/pki/worker1.pem" --key "$work/pki/worker1.key" --ca "$work/pki/ca.pem"
wait_until "a vain attempt" said worker1 'cannot connect'
start ps "$ps_program" --scenario "$work/scenario.ini" --listen "127.0.0.1:$port" --cert "$work/pki/ps.pem" \
    --key "$work/pki/ps.key" --ca "$work/pki/ca.pem"
wait_until "worker1 at the late PS" said ps 'worker1 is here'
stop ps TERM
ends worker1 0

# Workers that never come: wait_limit.
sed 's/^wait_limit = .*/wait_limit = 1s/' "$work/scenario.ini" >"$work/short.ini"
start_ps "$work/short.ini"
start_worker 2 "$work/short.ini"
ends ps 1
must_say ps 'not connected within 1 s: worker1, worker3 \(cluster.wait_limit\)'
ends worker2 0

wrong() # PROGRAM PATTERN OPTION...
{
    program=$1 pattern=$2
    shift 2
    start wrong "$top_builddir/$program" "$@"
    ends wrong 2
    must_say wrong "$pattern"
}
wrong laggard-ps '^laggard-ps: --scenario FILE is needed' --listen 127.0.0.1:0
wrong laggard-ps '--listen 127.0.0.1: ADDRESS:PORT is wanted' --scenario x --listen 127.0.0.1
wrong laggard-ps '--frobnicate is no option of laggard-ps' --frobnicate
wrong laggard-ps '--cert, --key and --ca are needed' --scenario "$work/scenario.ini" --listen 127.0.0.1:0
wrong laggard-worker '--id 4: the scenario has workers 1 to 3' --scenario "$work/scenario.ini" --id 4 --connect 127.0.0.1:1
wrong laggard-worker '--retry soon: seconds are wanted' --scenario x --id 1 --connect 127.0.0.1:1 --retry soon
echo 'nonsense = 1' >>"$work/short.ini"
wrong laggard-ps 'short.ini:[0-9]+: ' --scenario "$work/short.ini" --listen 127.0.0.1:0
for program in laggard-ps laggard-worker; do
    "$top_builddir/$program" --help | grep -q '^usage: ' || fail "$program --help"
    "$top_builddir/$program" --version | grep -q "^$program [0-9]" || fail "$program --version"
done
exit 0
