# Unit tests: scenario
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_units tests/unit/test_keys tests/unit/test_ini tests/unit/test_scenario
TESTS += tests/unit/test_units tests/unit/test_keys tests/unit/test_ini tests/unit/test_scenario
tests_unit_test_units_SOURCES = tests/unit/test_units.c
tests_unit_test_units_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_units_LDADD = $(SCENARIO_LIBS) $(CMOCKA_LIBS)
tests_unit_test_keys_SOURCES = tests/unit/test_keys.c
tests_unit_test_keys_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_keys_LDADD = $(SCENARIO_LIBS) $(CMOCKA_LIBS)
tests_unit_test_ini_SOURCES = tests/unit/test_ini.c
tests_unit_test_ini_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_ini_LDADD = $(SCENARIO_LIBS) $(CMOCKA_LIBS)
tests_unit_test_scenario_SOURCES = tests/unit/test_scenario.c
tests_unit_test_scenario_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_scenario_LDADD = $(SCENARIO_LIBS) $(CMOCKA_LIBS)
endif

check_PROGRAMS += tests/fuzz/fuzz_scenario
TESTS += tests/fuzz/fuzz_scenario
tests_fuzz_fuzz_scenario_SOURCES = tests/fuzz/fuzz_scenario.c $(FUZZ_SOURCES)
tests_fuzz_fuzz_scenario_LDADD = $(SCENARIO_LIBS)
