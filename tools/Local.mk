# Files of tools
bin_PROGRAMS += laggard-ps
laggard_ps_SOURCES = tools/daemon.c tools/daemon.h tools/laggard-ps.c
laggard_ps_LDADD = $(PS_LIBS)

bin_PROGRAMS += laggard-worker
laggard_worker_SOURCES = tools/daemon.c tools/daemon.h tools/laggard-worker.c
laggard_worker_LDADD = $(WORKER_LIBS)

bin_PROGRAMS += laggard
laggard_SOURCES = \
	tools/check_events.c tools/check_events.h \
	tools/cmd_check.c \
	tools/cmd_doctor.c \
	tools/cmd_report.c \
	tools/cmd_run.c \
	tools/command.h \
	tools/laggard.c \
	tools/options.c tools/options.h \
	tools/output.c tools/output.h \
	tools/places.c tools/places.h \
	tools/versions.c tools/versions.h
laggard_LDADD = src/report/libreport.a $(BED_LIBS) -lpthread
