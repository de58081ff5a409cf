# Files of netem
netemdir = $(pkgdatadir)/netem
dist_netem_SCRIPTS = netem/bed-down netem/bed-up netem/link-clear netem/link-shape netem/link-show
dist_netem_DATA = netem/lib.sh
