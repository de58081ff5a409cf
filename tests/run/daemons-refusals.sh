#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Workers that must not take part are refused, with a reason in both logs, while a run is on; and the run goes on and completes.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin

scenario() # SEED
{
    cat <<EOF
[scenario]
name = refusals
seed = $1
strategies = gd, lag-ps
target_error = 1e-8
[cluster]
workers = 3
wait_limit = 100s
[problem]
samples = 30
features = 10
[compute]
model = constant
mean = 20ms
EOF
}
scenario 1 >"$work/scenario.ini"
scenario 2 >"$work/other.ini"
sed 's/^workers = 3/workers = 5/; s/^samples = 30/samples = 50/' "$work/scenario.ini" >"$work/larger.ini"
sed 's/^samples = 30/l2 = 1\nsamples = 30/' "$work/scenario.ini" >"$work/model.ini"
make_pki "$work/pki" 5
make_pki "$work/foreign" 3

start_ps "$work/scenario.ini"
start_worker 1 "$work/scenario.ini"
start_worker 2 "$work/scenario.ini"

refused() # NAME PATTERN-IN-ITS-LOG PATTERN-IN-THE-PS'S
{
    ends "$1" 1
    must_say "$1" "$2"
    must_say ps "refused 127.0.0.1:[0-9]+.*$3"
}

impostor() # NAME PKI CERTIFICATE ID SCENARIO
{
    start "$1" "$worker_program" --scenario "$5" --id "$4" --connect "127.0.0.1:$port" --retry 0 \
        --cert "$2/$3.pem" --key "$2/$3.key" --ca "$2/ca.pem"
}

refuse_all() # PREFIX: of names, since each round has its own
{
    # Another worker's certificate.
    impostor "$1-other-name" "$work/pki" worker2 3 "$work/scenario.ini"
    refused "$1-other-name" 'refused us: the certificate is of "worker2"' 'worker3: the certificate is of "worker2"'

    # Another seed: other data.
    impostor "$1-other-data" "$work/pki" worker3 3 "$work/other.ini"
    refused "$1-other-data" 'refused us: other data: the SHA-256 of partition 3' 'worker3: other data'

    # The same data, another model.
    impostor "$1-other-model" "$work/pki" worker3 3 "$work/model.ini"
    refused "$1-other-model" 'refused us: other model: the smoothness of partition 3' 'worker3: other model'

    # A worker of a larger scenario.
    impostor "$1-fifth" "$work/pki" worker5 5 "$work/larger.ini"
    refused "$1-fifth" 'refused us: worker number 5: the scenario has workers 1 to 3' 'worker number 5'

    # A certificate of another authority, which trusts ours but is not trusted by us.
    start "$1-foreign" "$worker_program" --scenario "$work/scenario.ini" --id 3 --connect "127.0.0.1:$port" --retry 0 \
        --cert "$work/foreign/worker3.pem" --key "$work/foreign/worker3.key" --ca "$work/pki/ca.pem"
    refused "$1-foreign" 'no welcome from the PS at .*(certificate|unknown ca|alert)' '(certificate|verify)'

    # No certificate at all.
    start "$1-nobody" "$top_builddir/tests/lib/stranger" no-certificate "$port" "$work/pki/ca.pem"
    ends "$1-nobody" 0
    grep -qi 'certificate required' "$work/$1-nobody.out" || fail "no alert for a client without certificate: $(cat "$work/$1-nobody.out")"
    must_say ps 'refused 127.0.0.1:[0-9]+: .*did not return a certificate'

    # Plain TCP where TLS is wanted.
    sed 's/^seed/&/; $a[security]\ntls = off' "$work/scenario.ini" >"$work/plain.ini"
    start "$1-plain" "$worker_program" --scenario "$work/plain.ini" --id 3 --connect "127.0.0.1:$port" --retry 0
    ends "$1-plain" 1

    # Another protocol version.
    start "$1-version" "$top_builddir/tests/lib/stranger" version "$port" "$work/pki/worker3.pem" \
        "$work/pki/worker3.key" "$work/pki/ca.pem" 3 99
    ends "$1-version" 0
    grep -q 'protocol version 99: this PS speaks version 1' "$work/$1-version.out" || fail "no reason for version 99"
    must_say ps 'worker3: protocol version 99'
}

refuse_all before
[ ! -f "$work/ps.status" ] || fail "the PS has ended"
start_worker 3 "$work/scenario.ini"
wait_until "the first run" said ps 'run 1 begins'

# While runs are on. A second worker3 is heard out, and refused in the end: the first is still there.
impostor twin "$work/pki" worker3 3 "$work/scenario.ini"
refuse_all during
refused twin 'refused us: worker3 is already connected' 'worker3: worker3 is already connected'

ends ps 0
workers_end 3 0
for strategy in gd lag-ps; do
    equal "$strategy: reached" "$(csv summary.csv $strategy 1 reached)" 1
done
exit 0
