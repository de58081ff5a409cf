#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Does each header compile alone, and twice in one file? With the compiler of this build, and with gcc and clang where
# they are there. Which order a file includes its headers in then never matters.
set -u
top_srcdir=${top_srcdir:?run it with make check}
top_builddir=${top_builddir:?run it with make check}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM

cd "$top_srcdir" || exit 99
headers=$(find src tools tests -name '*.h' | sort)
count=$(echo "$headers" | wc -l)

# All in one go, which is quick; one by one only to find the culprit.
compile() { # COMPILER FILE...
    compiler=$1
    shift
    # shellcheck disable=SC2086 # words are wanted
    $compiler -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -I. -Isrc -Itools -Itests/unit -I"$top_builddir" \
        ${CHECK_CPPFLAGS:-} "$@"
}

for header in $headers; do
    alone=$work/$(echo "$header" | tr / _).c
    # A file without a declaration is not C; a header of macros only is fine.
    printf '#include "%s"\n#include "%s"\nextern int not_empty;\n' "$top_srcdir/$header" "$top_srcdir/$header" >"$alone"
done

failed=0
tried=
for compiler in "${CC:-cc}" gcc clang; do
    case "|$tried|" in *"|$compiler|"*) continue ;; esac
    command -v "${compiler%% *}" >/dev/null || continue
    tried=$tried${tried:+|}$compiler
    if ! compile "$compiler" "$work"/*.c; then
        echo "FAIL $compiler: the headers above do not compile alone"
        failed=1
    fi
done
[ -n "$tried" ] || { echo "no compiler found"; exit 99; }

echo "$count headers, with $tried"
[ "$count" -ge 40 ] && [ $failed -eq 0 ]
