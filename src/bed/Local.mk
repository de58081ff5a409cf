# Files of src/bed
noinst_LIBRARIES += src/bed/libbed.a
src_bed_libbed_a_SOURCES =

# shaping, impairments, probes, doctor
src_bed_libbed_a_SOURCES += \
	src/bed/doctor.c src/bed/doctor.h src/bed/doctor_guest.c src/bed/doctor_guest.h src/bed/features.c src/bed/features.h \
	src/bed/impair.c src/bed/impair.h src/bed/netem.c src/bed/netem.h src/bed/node.c src/bed/pause.c src/bed/pause.h \
	src/bed/probe.c src/bed/probe.h src/bed/probe_child.c src/bed/probe_child.h src/bed/probe_judge.c src/bed/probe_judge.h \
	src/bed/shape.c src/bed/shape.h src/bed/tcserve.c src/bed/tcserve.h src/bed/timeline.c src/bed/timeline.h
