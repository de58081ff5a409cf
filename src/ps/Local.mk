# Files of src/ps: one a line, sorted
noinst_LIBRARIES += src/ps/libps.a
src_ps_libps_a_SOURCES = \
	src/ps/control.c \
	src/ps/control.h \
	src/ps/evaluator.c \
	src/ps/evaluator.h \
	src/ps/facts.c \
	src/ps/facts.h \
	src/ps/greet.c \
	src/ps/handshake.c \
	src/ps/handshake.h \
	src/ps/lateness.c \
	src/ps/lateness.h \
	src/ps/linkwatch.c \
	src/ps/linkwatch.h \
	src/ps/peer.h \
	src/ps/ps.c \
	src/ps/ps.h \
	src/ps/recorder.c \
	src/ps/recorder.h \
	src/ps/roster.c \
	src/ps/roster.h \
	src/ps/run.c \
	src/ps/run.h
