# Files of tools
bin_PROGRAMS += laggard-ps
laggard_ps_SOURCES = tools/daemon.c tools/daemon.h tools/laggard-ps.c
laggard_ps_LDADD = $(PS_LIBS)

bin_PROGRAMS += laggard-worker
laggard_worker_SOURCES = tools/daemon.c tools/daemon.h tools/laggard-worker.c
laggard_worker_LDADD = $(WORKER_LIBS)
