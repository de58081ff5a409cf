#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Is the C as .clang-format wants it? Versions of clang-format disagree, so only version 14 judges.
# To mend a file: clang-format -i FILE
set -u
cd "${top_srcdir:?run it with make check}" || exit 99

for program in clang-format-14 clang-format; do
    case $($program --version 2>/dev/null) in
    *'version 14.'*)
        find src tools tests -name '*.[ch]' -exec "$program" --style=file --dry-run -Werror {} + || exit 1
        echo "$(find src tools tests -name '*.[ch]' | wc -l) files as .clang-format wants them"
        exit 0
        ;;
    esac
done
echo "SKIP: clang-format 14 is not here (Debian: apt install clang-format)"
exit 77
