#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What `laggard run` refuses before anything starts: its exit status, a sentence that says why, and no result directory, or an old one
# that is as it was.
. "${top_srcdir:?}/tests/lib/daemons.sh"
begin
program=${top_builddir:?}/laggard
cd "$work" || exit 99

cat >plain.ini <<'EOF'
[scenario]
name = refusals
strategies = gd
max_rounds = 3
[problem]
samples = 20
features = 4
[cluster]
workers = 2
redundancy = 1
EOF
{
    cat plain.ini
    echo '[link]'
    echo 'delay = 5ms'
} >shaped.ini
{
    cat plain.ini
    echo 'colour = blue'
    echo '[link]'
    echo 'rate = -5mbit'
} >wrong.ini

# refused STATUS PATTERN ARGUMENT...
refused()
{
    status=$1 pattern=$2
    shift 2
    got=0
    "$program" run "$@" >said 2>&1 </dev/null || got=$?
    [ "$got" -eq "$status" ] || { cat said; fail "laggard run $*: status $got, not $status"; }
    grep -Eq -- "$pattern" said || { cat said; fail "laggard run $*: does not say: $pattern"; }
    [ ! -e new ] || fail "laggard run $*: has made the result directory"
}

refused 2 'a scenario file is needed' -o new
refused 2 'one scenario file at a time' -o new plain.ini shaped.ini
refused 2 '--colour is no option' -o new --colour plain.ini
refused 2 '--kernel bsd: must be one of auto, host, uml' -o new --kernel bsd plain.ini
refused 2 'nowhere.ini: .*No such file' -o new nowhere.ini
refused 2 'wrong.ini:11: .*colour' -o new wrong.ini
refused 2 'wrong.ini:13: .*rate' -o new wrong.ini
refused 2 'scenario.strategies=gd,best' -o new --strategies gd,best plain.ini
refused 2 'scenario.repeats=some' -o new --repeats some plain.ini

# Somebody's results stay as they are.
mkdir old other
echo '{"status": "done"}' >old/manifest.json
echo precious >other/file
refused 2 'old: holds a run already' -o old plain.ini
refused 2 'other: is not empty' -o other plain.ini
[ "$(cat old/manifest.json other/file)" = '{"status": "done"}
precious' ] || fail "an old directory was changed"
[ "$(find old other | sort | tr '\n' ' ')" = 'old old/manifest.json other other/file ' ] || fail "something was written into an old directory"
refused 2 'plain.ini: cannot be read as a directory' -o plain.ini plain.ini
refused 2 'cannot be made' -o plain.ini/below plain.ini

# The scripts that shape links are needed, even if only by another run.
LAGGARD_NETEM_DIR=$work/nowhere
export LAGGARD_NETEM_DIR
refused 3 'LAGGARD_NETEM_DIR' -o new plain.ini
LAGGARD_NETEM_DIR=$top_srcdir/netem

# No guest kernel in an empty PATH.
mkdir empty
got=0
env PATH="$work/empty" "$program" run --kernel uml -o new shaped.ini 2>said || got=$?
[ "$got" -eq 3 ] || fail "without a guest kernel: status $got, not 3"
grep -q 'apt install user-mode-linux' said || fail "what to install is not named: $(cat said)"
[ ! -e new ] || fail "without a guest kernel a result directory was made"

"$program" run --help >said || fail "--help: status $?"
grep -q -- '--strict' said || fail "--help does not list --strict"
[ "$("$program" run --version)" = "$("$program" --version)" ] || fail "two versions"
exit 0
