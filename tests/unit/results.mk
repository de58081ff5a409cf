# Unit tests: result files
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_results
TESTS += tests/unit/test_results
tests_unit_test_results_SOURCES = tests/unit/test_results.c
tests_unit_test_results_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_results_LDADD = $(RESULTS_LIBS) $(CMOCKA_LIBS)
endif
