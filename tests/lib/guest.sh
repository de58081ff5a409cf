# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Tests that run inside a guest kernel. Sourced: outside, guest_boot boots the guest with the test itself as the script; inside, the test checks
# and ends with guest_end. The test says first which programs it needs:
#
#   . "$top/tests/lib/guest.sh"
#   case ${1-} in --inside) inside "$2" ;; *) guest_boot PROGRAM... ;; esac

top=${top_srcdir:-$(cd "${0%/*}/../.." && pwd)}
build=${top_builddir:-$top}

# guest_boot PROGRAM...: run "$0 --inside BUILD" in a guest; exits as it did, with 77 where that cannot be
guest_boot()
{
    PATH=$PATH:/usr/sbin:/sbin
    for program in linux.uml "$@"; do
        command -v "$program" >/dev/null || {
            echo "SKIP: $program is not installed (Debian: apt install user-mode-linux iproute2 ethtool iputils-ping)"
            exit 77
        }
    done
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    trap 'exit 1' HUP INT TERM
    LD_PRELOAD=$build/src/bed/uml-xstate.so timeout -k 5 300 linux.uml rootfstype=hostfs rootflags=/ rw mem=256M con=null con0=null,fd:1 quiet "uml_dir=$folder/" \
        "init=$build/tests/lib/guest_init" -- "$top/tests/run/${0##*/}" --inside "$build" </dev/null 2>/dev/null |
        tee "$folder/log"
    grep -q 'the script ended with status 0' "$folder/log"
    exit
}

failures=0
say()
{
    printf '%s: %s\n' "${0##*/}" "$*"
}

# check WHAT CONDITION...: an expression of test(1)
check()
{
    what=$1
    shift
    if [ "$@" ]; then
        say "ok: $what"
    else
        say "FAILED: $what ($*)"
        failures=$((failures + 1))
    fi
}

guest_end()
{
    say "$failures failed"
    exit $((failures > 0))
}
