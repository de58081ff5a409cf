# Unit tests: frames and connections
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_protocol tests/unit/test_wire
TESTS += tests/unit/test_protocol tests/unit/test_wire
tests_unit_test_protocol_SOURCES = tests/unit/test_protocol.c tests/unit/wire_samples.h
tests_unit_test_protocol_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_protocol_LDADD = $(WIRE_LIBS) $(CMOCKA_LIBS)
tests_unit_test_wire_SOURCES = tests/unit/test_wire.c tests/unit/wire_samples.h
tests_unit_test_wire_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_wire_LDADD = $(WIRE_LIBS) $(CMOCKA_LIBS)

check_LIBRARIES += tests/unit/libnetpair.a
tests_unit_libnetpair_a_SOURCES = tests/unit/net_pair.c tests/unit/net_pair.h
NET_PAIR_LIBS = tests/unit/libnetpair.a $(NET_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_net tests/unit/test_net_memory tests/unit/test_net_pressure tests/unit/test_net_trust
TESTS += tests/unit/test_net tests/unit/test_net_memory tests/unit/test_net_pressure tests/unit/test_net_trust
tests_unit_test_net_SOURCES = tests/unit/test_net.c
tests_unit_test_net_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_net_LDADD = $(NET_PAIR_LIBS)
tests_unit_test_net_memory_SOURCES = tests/unit/test_net_memory.c
tests_unit_test_net_memory_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_net_memory_LDADD = $(NET_PAIR_LIBS)
tests_unit_test_net_pressure_SOURCES = tests/unit/test_net_pressure.c
tests_unit_test_net_pressure_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_net_pressure_LDADD = $(NET_PAIR_LIBS)
tests_unit_test_net_trust_SOURCES = tests/unit/test_net_trust.c
tests_unit_test_net_trust_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_net_trust_LDADD = $(NET_PAIR_LIBS)
endif

check_PROGRAMS += tests/fuzz/fuzz_wire
TESTS += tests/fuzz/fuzz_wire
tests_fuzz_fuzz_wire_SOURCES = tests/fuzz/fuzz_wire.c $(FUZZ_SOURCES)
tests_fuzz_fuzz_wire_LDADD = $(WIRE_LIBS)
