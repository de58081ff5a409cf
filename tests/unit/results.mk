# Unit tests: result files and what is reported of them
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_results
TESTS += tests/unit/test_results
tests_unit_test_results_SOURCES = tests/unit/test_results.c
tests_unit_test_results_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_results_LDADD = $(RESULTS_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_timing
TESTS += tests/unit/test_timing
tests_unit_test_timing_SOURCES = tests/unit/test_timing.c tests/unit/made_results.c tests/unit/made_results.h
tests_unit_test_timing_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_timing_LDADD = $(REPORT_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_report
TESTS += tests/unit/test_report
tests_unit_test_report_SOURCES = tests/unit/test_report.c tests/unit/made_results.c tests/unit/made_results.h
tests_unit_test_report_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_report_LDADD = $(REPORT_LIBS) $(CMOCKA_LIBS)
endif
