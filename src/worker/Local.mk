# Files of src/worker: one a line, sorted
noinst_LIBRARIES += src/worker/libworker.a
src_worker_libworker_a_SOURCES = \
	src/worker/agent.c \
	src/worker/agent.h \
	src/worker/pace.c \
	src/worker/pace.h \
	src/worker/worker.c \
	src/worker/worker.h
