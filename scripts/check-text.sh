#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What every source file has, and what none has: a licence line near its top; no note of unfinished work, no path of one
# person's machine, no blank at the end of a line, an end to the last line.
set -u
cd "${top_srcdir:?run it with make check}" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM

# Sources and texts that people write. Test cases (scenarios and what is expected of them) are data.
find src tools netem scripts man configs docs .ci tests/unit tests/run tests/lib tests/fuzz -type f >"$work/all"
find . -maxdepth 1 -type f \( -name quickstart -o -name '*.md' -o -name NEWS -o -name Makefile.am -o -name configure.ac \) |
    sed 's|^\./||' >>"$work/all"
find tests/scenario -maxdepth 1 -type f >>"$work/all"
grep -Ev '\.(o|a|png|svg|log|trs|gz|bin)$|/\.' "$work/all" >"$work/texts"
echo .ci/run >>"$work/texts"
sort -u -o "$work/texts" "$work/texts"
grep -Ev '\.(md|ini|csv)$|^NEWS$|/Local\.mk$|^tests/unit/[a-z]*\.mk$' "$work/texts" >"$work/sources"

failed=0
# complain_of WHAT LIST COMMAND...: the command over the files of the list; whatever it prints is wrong
complain_of() {
    what=$1
    list=$2
    shift 2
    xargs -d '\n' "$@" <"$list" >"$work/found"
    if [ -s "$work/found" ]; then
        echo "$what:"
        cat "$work/found"
        failed=1
    fi
}

complain_of 'no "SPDX-License-Identifier: GPL-3.0-or-later" in the first three lines' "$work/sources" \
    awk 'FNR == 1 { if (file != "") print file; file = FILENAME }
        FNR <= 3 && /SPDX-License-Identifier: GPL-3\.0-or-later/ { file = "" }
        END { if (file != "") print file }'
complain_of 'unfinished' "$work/texts" grep -HnE '(TOD[O]|FIXM[E])'
complain_of 'a path of one machine' "$work/texts" \
    grep -HnE "(^|[^A-Za-z0-9_.}*-])/(wor[k]|tmp/w[t]|home/[a-z]+)(/|\$|[^A-Za-z0-9_*-])"
complain_of 'blanks at the end of a line' "$work/texts" grep -HnE '[[:blank:]]+$'
# shellcheck disable=SC2016 # the inner shell expands
complain_of 'the last line has no end' "$work/texts" \
    sh -c 'for file do [ -z "$(tail -c 1 "$file")" ] || echo "$file"; done' sh

# A test that no makefile names never runs.
for test in tests/unit/test_*.c tests/run/*.sh tests/fuzz/fuzz_*.c scripts/check-*.sh; do
    name=${test%.c}
    grep -qE "^[A-Z_]*(TESTS|CHECKS) .*$name( |\$|\\\\)|^[[:space:]]+$name( |\$|\\\\)" tests/unit/*.mk tests/*/Local.mk scripts/Local.mk ||
        { echo "$test: no TESTS of a makefile names it"; failed=1; }
done

# A source that no makefile names is not in the tarball.
cat Makefile.am src/*/Local.mk tools/Local.mk tests/*/Local.mk tests/unit/*.mk >"$work/makefiles"
for source in $(find src tools tests -name '*.[ch]' | sort); do
    grep -qwF "$source" "$work/makefiles" || { echo "$source: no makefile names it"; failed=1; }
done

count=$(wc -l <"$work/texts")
echo "$count files"
[ "$count" -ge 100 ] && [ $failed -eq 0 ]
