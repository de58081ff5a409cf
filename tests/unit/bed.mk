# Unit tests: bed
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_impair
TESTS += tests/unit/test_impair
tests_unit_test_impair_SOURCES = tests/unit/test_impair.c
tests_unit_test_impair_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_impair_LDADD = $(BED_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_shape
TESTS += tests/unit/test_shape
tests_unit_test_shape_SOURCES = tests/unit/test_shape.c
tests_unit_test_shape_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_shape_LDADD = $(BED_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_netem
TESTS += tests/unit/test_netem
tests_unit_test_netem_SOURCES = tests/unit/test_netem.c
tests_unit_test_netem_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_netem_LDADD = $(BED_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pause
TESTS += tests/unit/test_pause
tests_unit_test_pause_SOURCES = tests/unit/test_pause.c
tests_unit_test_pause_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_pause_LDADD = $(BED_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_probe
TESTS += tests/unit/test_probe
tests_unit_test_probe_SOURCES = tests/unit/test_probe.c
tests_unit_test_probe_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_probe_LDADD = $(BED_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_timeline
TESTS += tests/unit/test_timeline
tests_unit_test_timeline_SOURCES = tests/unit/test_timeline.c
tests_unit_test_timeline_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_timeline_LDADD = $(BED_LIBS) $(CMOCKA_LIBS)
endif
