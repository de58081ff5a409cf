# Unit tests: strategy
if HAVE_CMOCKA
check_LIBRARIES += tests/unit/libdriver.a
tests_unit_libdriver_a_SOURCES = tests/unit/cmocka_all.h tests/unit/driver.c tests/unit/driver.h tests/unit/problem.c \
	tests/unit/problem.h tests/unit/shared_data.h
DRIVER_LIBS = tests/unit/libdriver.a $(CORE_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_code
TESTS += tests/unit/test_code
tests_unit_test_code_SOURCES = tests/unit/test_code.c
tests_unit_test_code_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_code_LDADD = $(DRIVER_LIBS)

check_PROGRAMS += tests/unit/test_engine
TESTS += tests/unit/test_engine
tests_unit_test_engine_SOURCES = tests/unit/test_engine.c
tests_unit_test_engine_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_engine_LDADD = $(DRIVER_LIBS)

check_PROGRAMS += tests/unit/test_equivalence
TESTS += tests/unit/test_equivalence
tests_unit_test_equivalence_SOURCES = tests/unit/test_equivalence.c
tests_unit_test_equivalence_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_equivalence_LDADD = $(DRIVER_LIBS)

check_PROGRAMS += tests/unit/test_loss
TESTS += tests/unit/test_loss
tests_unit_test_loss_SOURCES = tests/unit/test_loss.c
tests_unit_test_loss_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_loss_LDADD = $(DRIVER_LIBS)

check_PROGRAMS += tests/unit/test_reference_real
TESTS += tests/unit/test_reference_real
tests_unit_test_reference_real_SOURCES = tests/unit/test_reference_real.c
tests_unit_test_reference_real_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_reference_real_LDADD = $(DRIVER_LIBS)

check_PROGRAMS += tests/unit/test_reference_synthetic
TESTS += tests/unit/test_reference_synthetic
tests_unit_test_reference_synthetic_SOURCES = tests/unit/test_reference_synthetic.c
tests_unit_test_reference_synthetic_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_reference_synthetic_LDADD = $(DRIVER_LIBS)

check_PROGRAMS += tests/unit/test_rehearsal
TESTS += tests/unit/test_rehearsal
tests_unit_test_rehearsal_SOURCES = tests/unit/test_rehearsal.c
tests_unit_test_rehearsal_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_rehearsal_LDADD = $(DRIVER_LIBS)

check_PROGRAMS += tests/unit/test_session
TESTS += tests/unit/test_session
tests_unit_test_session_SOURCES = tests/unit/test_session.c
tests_unit_test_session_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_session_LDADD = $(DRIVER_LIBS)

check_PROGRAMS += tests/unit/test_strategy
TESTS += tests/unit/test_strategy
tests_unit_test_strategy_SOURCES = tests/unit/test_strategy.c
tests_unit_test_strategy_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_strategy_LDADD = $(DRIVER_LIBS)

check_PROGRAMS += tests/unit/test_trigger
TESTS += tests/unit/test_trigger
tests_unit_test_trigger_SOURCES = tests/unit/test_trigger.c
tests_unit_test_trigger_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_trigger_LDADD = $(DRIVER_LIBS)
endif
