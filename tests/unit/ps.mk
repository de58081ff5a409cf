# Unit tests: the daemons' parts
noinst_HEADERS += tests/unit/small_run.h
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_agent tests/unit/test_linkwatch tests/unit/test_pace tests/unit/test_ps
TESTS += tests/unit/test_agent tests/unit/test_linkwatch tests/unit/test_pace tests/unit/test_ps
tests_unit_test_agent_SOURCES = tests/unit/test_agent.c
tests_unit_test_agent_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_agent_LDADD = $(WORKER_LIBS) $(CMOCKA_LIBS)
tests_unit_test_linkwatch_SOURCES = tests/unit/test_linkwatch.c
tests_unit_test_linkwatch_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_linkwatch_LDADD = $(PS_LIBS) $(CMOCKA_LIBS)
tests_unit_test_pace_SOURCES = tests/unit/test_pace.c
tests_unit_test_pace_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_pace_LDADD = $(WORKER_LIBS) $(CMOCKA_LIBS)
tests_unit_test_ps_SOURCES = tests/unit/test_ps.c
tests_unit_test_ps_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_ps_LDADD = $(PS_LIBS) $(CMOCKA_LIBS)
endif
