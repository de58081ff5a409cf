# Unit tests: core
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_dataset
TESTS += tests/unit/test_dataset
tests_unit_test_dataset_SOURCES = tests/unit/test_dataset.c
tests_unit_test_dataset_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_dataset_LDADD = $(CORE_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_dist
TESTS += tests/unit/test_dist
tests_unit_test_dist_SOURCES = tests/unit/test_dist.c
tests_unit_test_dist_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_dist_LDADD = $(CORE_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_input
TESTS += tests/unit/test_input
tests_unit_test_input_SOURCES = tests/unit/test_input.c tests/unit/shared_data.h
tests_unit_test_input_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_input_LDADD = src/input/libinput.a $(CORE_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_model
TESTS += tests/unit/test_model
tests_unit_test_model_SOURCES = tests/unit/test_model.c
tests_unit_test_model_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_model_LDADD = $(CORE_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_number
TESTS += tests/unit/test_number
tests_unit_test_number_SOURCES = tests/unit/test_number.c
tests_unit_test_number_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_number_LDADD = $(CORE_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_optimum
TESTS += tests/unit/test_optimum
tests_unit_test_optimum_SOURCES = tests/unit/test_optimum.c tests/unit/shared_data.h
tests_unit_test_optimum_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_optimum_LDADD = $(CORE_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_parse
TESTS += tests/unit/test_parse
tests_unit_test_parse_SOURCES = tests/unit/test_parse.c tests/unit/shared_data.h
tests_unit_test_parse_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_parse_LDADD = $(CORE_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_random
TESTS += tests/unit/test_random
tests_unit_test_random_SOURCES = tests/unit/test_random.c
tests_unit_test_random_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_random_LDADD = $(CORE_LIBS) $(CMOCKA_LIBS)
endif

# Fuzz targets, run on seeded mutations (tests/fuzz/fuzz.h)
FUZZ_SOURCES = tests/fuzz/fuzz.h tests/fuzz/standalone.c tests/unit/shared_data.h

check_PROGRAMS += tests/fuzz/fuzz_dataset
TESTS += tests/fuzz/fuzz_dataset
tests_fuzz_fuzz_dataset_SOURCES = tests/fuzz/fuzz_dataset.c $(FUZZ_SOURCES)
tests_fuzz_fuzz_dataset_LDADD = $(CORE_LIBS)
