# Unit tests: frames and connections
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_protocol tests/unit/test_wire tests/unit/test_net
TESTS += tests/unit/test_protocol tests/unit/test_wire tests/unit/test_net
tests_unit_test_protocol_SOURCES = tests/unit/test_protocol.c tests/unit/wire_samples.h
tests_unit_test_protocol_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_protocol_LDADD = $(WIRE_LIBS) $(CMOCKA_LIBS)
tests_unit_test_wire_SOURCES = tests/unit/test_wire.c tests/unit/wire_samples.h
tests_unit_test_wire_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_wire_LDADD = $(WIRE_LIBS) $(CMOCKA_LIBS)
tests_unit_test_net_SOURCES = tests/unit/test_net.c
tests_unit_test_net_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_net_LDADD = $(NET_LIBS) $(CMOCKA_LIBS)
endif

check_PROGRAMS += tests/fuzz/fuzz_wire
TESTS += tests/fuzz/fuzz_wire
tests_fuzz_fuzz_wire_SOURCES = tests/fuzz/fuzz_wire.c $(FUZZ_SOURCES)
tests_fuzz_fuzz_wire_LDADD = $(WIRE_LIBS)
