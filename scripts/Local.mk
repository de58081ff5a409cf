# Files of scripts
EXTRA_DIST += scripts/check-manual.sh
