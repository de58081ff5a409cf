# Files of src/bed
noinst_LIBRARIES += src/bed/libbed.a
src_bed_libbed_a_SOURCES =

# shaping, impairments, probes, doctor
src_bed_libbed_a_SOURCES += \
	src/bed/doctor.c src/bed/doctor.h src/bed/doctor_guest.c src/bed/doctor_guest.h src/bed/features.c src/bed/features.h \
	src/bed/impair.c src/bed/impair.h src/bed/netem.c src/bed/netem.h src/bed/node.c src/bed/pause.c src/bed/pause.h \
	src/bed/probe.c src/bed/probe.h src/bed/probe_child.c src/bed/probe_child.h src/bed/probe_judge.c src/bed/probe_judge.h \
	src/bed/shape.c src/bed/shape.h src/bed/tcserve.c src/bed/tcserve.h src/bed/timeline.c src/bed/timeline.h

# topology, containers, guest kernel, processes, runs
src_bed_libbed_a_SOURCES += \
	src/bed/batch.c src/bed/batch.h \
	src/bed/bed.h \
	src/bed/container.c src/bed/container.h \
	src/bed/conversation.c \
	src/bed/daemons.c \
	src/bed/device.c src/bed/device.h \
	src/bed/guest.c src/bed/guest.h \
	src/bed/guest_job.c src/bed/guest_job.h \
	src/bed/guest_main.c \
	src/bed/jsonline.c src/bed/jsonline.h \
	src/bed/kernel.c \
	src/bed/modules.c src/bed/modules.h \
	src/bed/progress.c src/bed/progress.h \
	src/bed/run.c src/bed/run.h src/bed/run_private.h \
	src/bed/supervise.c src/bed/supervise.h src/bed/supervise_private.h \
	src/bed/topology.c src/bed/topology.h

# A library for linux.uml, which the bed carries as bytes. Built by hand: neither sanitizers nor -pie may reach it.
src_bed_libbed_a_SOURCES += src/bed/uml_xstate.h src/bed/uml_xstate_preload.c
EXTRA_DIST += src/bed/uml_xstate.c
CLEANFILES += src/bed/uml-xstate.so
src/bed/uml-xstate.so: src/bed/uml_xstate.c
	$(AM_V_GEN)$(MKDIR_P) src/bed && $(CC) -O2 -Wall -Wextra -D_GNU_SOURCE -fPIC -shared -o $@ $(srcdir)/src/bed/uml_xstate.c
src/bed/uml_xstate_preload.$(OBJEXT): src/bed/uml-xstate.so
