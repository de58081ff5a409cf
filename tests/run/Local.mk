# Files of tests/run: whole runs of the daemons on loopback (daemons-*), and what they need
check_PROGRAMS += tests/lib/make-pki tests/lib/stranger
tests_lib_make_pki_SOURCES = tests/lib/make-pki.c
tests_lib_make_pki_LDADD = $(NET_LIBS)
tests_lib_stranger_SOURCES = tests/lib/stranger.c
tests_lib_stranger_LDADD = $(NET_LIBS)

EXTRA_DIST += tests/lib/daemons.sh
dist_check_SCRIPTS += tests/run/daemons-ends.sh
dist_check_SCRIPTS += tests/run/daemons-loss.sh
dist_check_SCRIPTS += tests/run/daemons-manual.sh
dist_check_SCRIPTS += tests/run/daemons-pause.sh
dist_check_SCRIPTS += tests/run/daemons-plain.sh
dist_check_SCRIPTS += tests/run/daemons-reference.sh
dist_check_SCRIPTS += tests/run/daemons-refusals.sh
TESTS += tests/run/daemons-ends.sh
TESTS += tests/run/daemons-loss.sh
TESTS += tests/run/daemons-manual.sh
TESTS += tests/run/daemons-pause.sh
TESTS += tests/run/daemons-plain.sh
TESTS += tests/run/daemons-reference.sh
TESTS += tests/run/daemons-refusals.sh

# In the guest kernel: the scripts of netem/ against tc and ping (netem-guest), a bed's network against its probes (bed-links)
check_PROGRAMS += tests/lib/guest_init tests/lib/probe_bed
tests_lib_guest_init_SOURCES = tests/lib/guest_init.c
tests_lib_probe_bed_SOURCES = tests/lib/probe_bed.c tests/lib/bare_bed.c tests/lib/bare_bed.h
tests_lib_probe_bed_LDADD = $(BED_LIBS)
dist_check_SCRIPTS += tests/run/bed-links.sh
TESTS += tests/run/bed-links.sh
EXTRA_DIST += tests/lib/guest.sh
dist_check_SCRIPTS += tests/run/netem-guest.sh
TESTS += tests/run/netem-guest.sh

# Whole beds
dist_check_SCRIPTS += tests/run/bed-leaves-nothing.sh
TESTS += tests/run/bed-leaves-nothing.sh
dist_check_SCRIPTS += tests/run/bed-refusals.sh
TESTS += tests/run/bed-refusals.sh

# laggard report on directories made up
dist_check_SCRIPTS += tests/run/report-command.sh
TESTS += tests/run/report-command.sh
dist_check_SCRIPTS += tests/run/bed-clean.sh tests/run/bed-cut.sh tests/run/bed-loss.sh
TESTS += tests/run/bed-clean.sh tests/run/bed-cut.sh tests/run/bed-loss.sh

# Plans
dist_check_SCRIPTS += tests/run/check-events.sh
TESTS += tests/run/check-events.sh

# A cut is of one direction
check_PROGRAMS += tests/lib/cut_bed
tests_lib_cut_bed_SOURCES = tests/lib/cut_bed.c tests/lib/bare_bed.c tests/lib/bare_bed.h
tests_lib_cut_bed_LDADD = $(BED_LIBS)
dist_check_SCRIPTS += tests/run/bed-one-way.sh
TESTS += tests/run/bed-one-way.sh
